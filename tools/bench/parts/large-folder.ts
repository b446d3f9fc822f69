// Writes a folder as large teams have them: endpoint files of several kinds over shared files, tables and fixtures. Some have mistakes.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const TABLES = 20;
const SHARED = 10;

/** Writes `endpoints/` and `schema/` with so many endpoint files. */
export async function writeLargeFolder(root: string, files: number): Promise<void> {
  const [endpoints, schema] = [join(root, 'endpoints'), join(root, 'schema')];
  for (const folder of [endpoints, schema]) await mkdir(folder, { recursive: true });
  const tables = Array.from({ length: TABLES }, (_, n) => tableText(n));
  await writeFile(join(schema, '01.sql'), `CREATE DATABASE app;\n${tables.join('')}`);
  for (let n = 0; n < SHARED; n++) await writeFile(join(endpoints, `part${n}.shared.yaml`), sharedText(n));
  for (let n = 0; n < files; n++) await writeFile(join(endpoints, `e${n}.yaml`), endpointText(n));
}

function tableText(n: number): string {
  return `CREATE TABLE app.t${n} (tenant String, at DateTime, id UInt64, email String, path String, kind Enum8('a' = 1, 'b' = 2), ms UInt32, tags Array(String), doc JSON)
ENGINE = MergeTree ORDER BY (tenant, at);\n`;
}

function sharedText(n: number): string {
  return `tables:
  rows: SELECT tenant, at, id, path, ms FROM app.t${n} WHERE tenant = @tenant AND at >= @since
  slow: SELECT at, id, path, ms FROM rows WHERE ms > 100
parameters:
  tenant: { type: String, required: true, description: The tenant. }
  since: { type: DateTime, default: '2024-01-01T00:00:00Z', description: Only rows from this time on. }
policies:
  tenancy: { parameter: tenant, columns: [tenant] }
  limits: { time: 10 }
`;
}

const TENANT = 'tenant: { type: String, required: true, description: The tenant. }';
const SINCE =
  "since: { type: DateTime, default: '2024-01-01T00:00:00Z', description: Only rows from this time on. }";

type Body = (table: string, n: number) => string;

const plain: Body = (table, n) => `query: |
  SELECT path, count() AS calls, avg(ms) AS mean, ${n} AS number
  FROM ${table}
  WHERE tenant = @tenant AND at >= @since
  GROUP BY path
  ORDER BY calls DESC
parameters:
  ${TENANT}
  ${SINCE}
cache: { ttl: 60, until: data }
`;

const included: Body = (_, n) => `include:
  - from: part${n % SHARED}
    tables: [slow]
    policies: [tenancy, limits]
query: SELECT path, max(ms) AS most, ${n} AS number FROM slow GROUP BY path ORDER BY most
`;

const chosen: Body = (table, n) => `query: |
  SELECT id, at, path, ms + ${n} AS later
  FROM ${table}
  WHERE tenant = @tenant AND at >= @since
    /* if @path */ AND path = @path /* end */
    /* if @least */ AND ms >= @least /* end */
  ORDER BY @order
  LIMIT 100
parameters:
  ${TENANT}
  ${SINCE}
  path: { type: String, description: A path. }
  least: { type: UInt32, description: At least so many milliseconds. }
  order: { choices: { newest: at DESC, slowest: 'ms DESC, at' }, default: newest, description: The order. }
tenancy: { parameter: tenant, columns: [tenant] }
`;

const sandboxed: Body = (table, n) => `query: |
  WITH calls AS (SELECT at, id, path, ms, doc FROM ${table} WHERE tenant = @tenant AND at >= @since),
  slow AS (SELECT at, path, ms FROM calls WHERE ms > ${n})
  SELECT path, count() AS n FROM calls GROUP BY path
parameters:
  ${TENANT}
  ${SINCE}
sandbox: { enabled: true }
tenancy: { parameter: tenant, columns: [tenant] }
examples:
  - name: slow paths
    parameters: { tenant: a }
    sql: SELECT path, max(ms) AS most FROM slow GROUP BY path
    expect: { columns: [path, most] }
  - name: a path
    parameters: { tenant: a }
    lql: path:~"/rest"
`;

const personal: Body = (table, n) => `query: |
  SELECT id, email, path, ms, ${n} AS number FROM ${table}
  WHERE tenant = @tenant AND at >= @since ORDER BY at LIMIT 50
parameters:
  ${TENANT}
  ${SINCE}
tenancy: { parameter: tenant, columns: [tenant] }
pii: { redact: true, columns: { email: mask } }
`;

const tested: Body = (table, n) => `query: |
  SELECT t.kind AS kind, uniq(t.id) AS ids, groupArray(t.path) AS paths, ${n} AS number
  FROM ${table} AS t INNER JOIN app.t${(n + 1) % TABLES} AS other ON t.id = other.id AND other.tenant = t.tenant
  WHERE t.tenant = @tenant AND t.at >= @since AND t.kind = 'a'
  GROUP BY kind
parameters:
  ${TENANT}
  ${SINCE}
examples:
  - name: one row
    parameters: { tenant: a }
    fixtures:
      ${table}: [{ tenant: a, at: '2024-02-01T00:00:00Z', id: 1, kind: a }]
    expect: { columns: [kind, ids, paths, number] }
`;

const BODIES = [plain, included, chosen, sandboxed, personal, tested] as const;
/** One file in so many has a mistake. */
const MISTAKE_EVERY = 11;

function endpointText(n: number): string {
  const body = BODIES[n % BODIES.length] ?? plain;
  const text = body(`app.t${n % TABLES}`, n);
  const number = String(n).padStart(12, '0');
  return `id: 00000000-0000-4000-8000-${number}
name: e${n}
description: Endpoint number ${n}.
${n % MISTAKE_EVERY === MISTAKE_EVERY - 1 ? text.replaceAll('path', 'pth') : text}`;
}
