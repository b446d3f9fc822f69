// Rollups of the tables of attacks and tenants, and endpoints over them.
import { DATABASES } from '../../support/attacked-service.ts';

/** Kinds of tables of tenants. */
export const KINDS = ['compact', 'by_path', 'map'];
const MEASURES = '[count(), sum(num), min(num), max(num), uniqExact(id), max(secret)]';
const TENANTS: Readonly<Record<string, string>> = {
  compact: 'project',
  by_path: 'doc.project',
  map: `{ owner: "attrs['project']" }`,
};
const rollupOf = (kind: string, database: string): string => `  - name: ${kind}_${database}
    from: ${database}.${kind}
    time: { column: ts, every: [1h, 1d] }
    dimensions: [${TENANTS[kind] ?? ''}, low, text, maybe]
    measures: ${MEASURES}
`;
/** The one of `all_rows` has no tenants, so that it must be read by nobody who is confined to one. */
const ROLLUPS = `rollups:
  - name: edge_by_minute
    from: app.logs
    time: { column: timestamp, every: [1m, 1h] }
    dimensions: [project, source, method, status, ip]
    measures: [count(), sum(user_id), uniqExact(path), max(event_message)]
  - name: all_rows
    from: app.persons
    time: { column: timestamp, every: 1m }
    dimensions: [source, ip]
    measures: [count(), sum(user_id), max(event_message)]
${KINDS.flatMap((kind) => DATABASES.map((database) => rollupOf(kind, database))).join('')}`;

interface Confined {
  readonly name: string;
  readonly id: string;
  readonly table: string;
  readonly lines: string;
}

const confined = ({
  name,
  id,
  table,
  lines,
}: Confined): string => `id: 0b0e6f5a-3f0e-4a55-9d2b-6a1e7c1f2d${id}
name: ${name}
query: |
  WITH logs AS (SELECT timestamp, source, method, status, ip, user_id, path, event_message FROM ${table} WHERE project = @project)
  SELECT source, ip, count() AS n, max(event_message) AS m FROM logs GROUP BY source, ip ORDER BY source, ip
parameters:
  project: { type: String, required: true }
sandbox: { enabled: true, dialects: [clickhouse, bigquery] }
${lines}`;
const HIDDEN = `id: 0b0e6f5a-3f0e-4a55-9d2b-6a1e7c1f2d47
name: hidden
query: |
  WITH secret_rows AS (SELECT timestamp, status, user_id FROM app.logs WHERE project = @project),
    logs AS (SELECT a.status AS status FROM secret_rows AS a JOIN secret_rows AS b ON a.user_id = b.user_id)
  SELECT status FROM logs
parameters:
  project: { type: String, required: true }
sandbox: { enabled: true, tables: [logs] }
`;
const OF_ALL = `id: 0b0e6f5a-3f0e-4a55-9d2b-6a1e7c1f2d48
name: of_all
query: SELECT source, count() AS n FROM app.persons GROUP BY source
tenancy: { none: counts of all }
`;
const PII = 'pii: { redact: true, columns: { ip: mask }';
/** Endpoints over one table: with personal data, a rollup without tenants, and a hidden table. */
export const FILES = {
  'attacked.rollup.yaml': ROLLUPS,
  'hidden.yaml': HIDDEN,
  'of_all.yaml': OF_ALL,
  ...Object.fromEntries(
    [
      { name: 'plain', id: '40', table: 'app.logs', lines: 'pii: { redact: false }\n' },
      { name: 'at_result', id: '41', table: 'app.logs', lines: `${PII} }\n` },
      { name: 'at_source', id: '42', table: 'app.logs', lines: `${PII}, at: source }\n` },
      { name: 'in_groups', id: '43', table: 'app.logs', lines: `${PII}, at: source, min_group: 5 }\n` },
      { name: 'of_persons', id: '44', table: 'app.persons', lines: 'pii: { redact: false }\n' },
    ].map((each) => [`${each.name}.yaml`, confined(each)]),
  ),
};
