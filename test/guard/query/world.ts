// Two tenants' rows in the real engine, the model of a query over them, and whether rows of the other tenant change its result.
import type { ModelOptions, QueryModel } from '../../../src/guard/query/model.ts';
import { resolveModel } from '../../../src/guard/query/resolve.ts';
import { readSchema, type SendQuery } from '../../../src/guard/query/schema.ts';
import { UnreadableTree } from '../../../src/guard/query/tree/tree-lines.ts';
import { bindPlaceholders } from '../../../src/sql/clickhouse/placeholders.ts';
import { openOracle } from '../../sql/clickhouse/oracle.ts';
import { SPECIAL_ROWS, SPECIAL_TABLES } from './special-tables.ts';

/** Tables, and rows of the tenant of a call and of another one in two versions. `{db}` stands for the database. */
export interface TenantTables {
  readonly tables: string;
  readonly rows: Readonly<Record<'a' | 'b' | 'c', string>>;
  /** Parameters of every query, with the value of a call by tenant `a`. */
  readonly parameters: Readonly<Record<string, { readonly type: string; readonly value: string }>>;
  /** The database in queries. */
  readonly prefix: string;
}

/** Values of parameters by name, instead of the usual ones. */
export type Values = Readonly<Record<string, string>>;

const PARAMETERS: TenantTables['parameters'] = {
  tenant: { type: 'String', value: 'a' },
  tenants: { type: 'Array(String)', value: "['a']" },
  user: { type: 'UInt64', value: '1' },
  flag: { type: 'UInt8', value: '1' },
  word: { type: 'String', value: 'x' },
  count: { type: 'UInt64', value: '2' },
  id: { type: 'UInt64', value: '257' },
  five: { type: 'UInt64', value: '5' },
  digits: { type: 'String', value: '257' },
  large: { type: 'String', value: '18446744073709551617' },
  list: { type: 'String', value: "['b']" },
  uuid: { type: 'String', value: '61f0c404-5cb3-11e7-907b-a6006ad3dba0' },
  empty: { type: 'String', value: '' },
  ip: { type: 'IPv4', value: '10.0.0.1' },
};

/** A mutated recursion may never end. */
const LIMITS =
  'max_threads = 1, max_memory_usage = 300000000, max_execution_time = 5, max_recursive_cte_evaluation_depth = 10';

export interface World {
  /**
   * The model of a query with `@name` parameters that reads tables of the schema's prefix. Rejects if the engine rejects the query, or with
   * UnreadableTree.
   */
  readonly model: (query: string, options?: Partial<ModelOptions>) => Promise<QueryModel>;
  /** Whether a call by tenant `a` returns other rows if the other tenant's rows are absent or others. */
  readonly leaks: (query: string, values?: Values) => Promise<boolean>;
  /** Sorted lines of tab-separated values. */
  readonly rows: (
    query: string,
    options?: { readonly values?: Values; readonly database?: Database },
  ) => Promise<string>;
  /** Runs a statement in each database, such as the definition of a view. */
  readonly define: (statement: string) => Promise<void>;
  readonly close: () => void;
}

/** Names that both tenants' rows share, and columns whose values are not unique to one. */
const TABLES = `
CREATE TABLE {db}.events (tenant String, ts DateTime, user_id UInt64, path String, ms UInt32, meta Tuple(project String, host String), tags Array(String), attributes Map(String, String)) ENGINE = MergeTree ORDER BY (tenant, ts);
CREATE TABLE {db}.users (tenant String, id UInt64, email String, country LowCardinality(String), manager UInt64) ENGINE = MergeTree ORDER BY (tenant, id);
CREATE TABLE {db}.orders (tenant LowCardinality(String), id UInt64, user_id UInt64, amount Int64, parent UInt64) ENGINE = MergeTree ORDER BY id;
CREATE TABLE {db}.plans (tenant String, org String) ENGINE = MergeTree ORDER BY tenant;
CREATE TABLE {db}.countries (code String, name String) ENGINE = MergeTree ORDER BY code;
CREATE DICTIONARY {db}.emails (id UInt64, email String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB '{db}' TABLE 'users')) LAYOUT(HASHED()) LIFETIME(0);
CREATE DICTIONARY {db}.tenant_emails (tenant String, id UInt64, email String) PRIMARY KEY tenant, id SOURCE(CLICKHOUSE(DB '{db}' TABLE 'users')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0);
CREATE DICTIONARY {db}.names (code String, name String) PRIMARY KEY code SOURCE(CLICKHOUSE(DB '{db}' TABLE 'countries')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0);
CREATE VIEW {db}.paths AS SELECT tenant, path, user_id FROM {db}.events WHERE ms > 0;
CREATE VIEW {db}.paths_again AS SELECT tenant AS owner, path FROM {db}.paths;
CREATE VIEW {db}.totals AS SELECT tenant, path, sum(ms) OVER () AS total FROM {db}.events;
CREATE VIEW {db}.of_tenant AS SELECT path FROM {db}.events WHERE tenant = {name:String};
INSERT INTO {db}.countries VALUES ('DE', 'Germany'), ('FR', 'France'), ('a', 'A'), ('b', 'B');
INSERT INTO {db}.plans VALUES ('a', 'a'), ('b', 'b');
`;

const ROWS = {
  a: `
INSERT INTO {db}.events VALUES ('a', '2024-01-01 00:00:02', 1, '/x', 10, ('a', 'h1'), ['p', 'q'], {'tenant':'a'}), ('a', '2024-01-01 00:00:04', 2, '/y', 20, ('a', 'h2'), ['q'], {'tenant':'a'}), ('a', '2024-01-01 00:00:06', 4, '/z', 30, ('a', 'h1'), [], {'tenant':'a'});
INSERT INTO {db}.users VALUES ('a', 1, 'ann', 'DE', 2), ('a', 2, 'al', 'FR', 0);
INSERT INTO {db}.orders VALUES ('a', 1, 1, 5, 0), ('a', 2, 2, 7, 1), ('a', 5, 1, 9, 2);
`,
  b: `
INSERT INTO {db}.events VALUES ('b', '2024-01-01 00:00:01', 1, '/x', 100, ('b', 'h1'), ['q', 'r'], {'tenant':'b'}), ('b', '2024-01-01 00:00:05', 4, '/z', 300, ('b', 'h3'), ['p'], {'tenant':'b'}), ('b', '2024-01-01 00:00:07', 3, '/w', 200, ('b', 'h2'), ['a'], {'tenant':'b'});
INSERT INTO {db}.users VALUES ('b', 1, 'bob', 'FR', 3), ('b', 3, 'bea', 'DE', 1), ('b', 4, 'bo', 'DE', 1);
INSERT INTO {db}.orders VALUES ('b', 2, 4, 70, 1), ('b', 3, 1, 50, 2), ('b', 4, 3, 11, 3);
`,
  c: `
INSERT INTO {db}.events VALUES ('b', '2024-01-01 00:00:08', 2, '/y', 7, ('b', 'h1'), ['p'], {'tenant':'b'});
INSERT INTO {db}.users VALUES ('b', 2, 'cy', 'FR', 1), ('b', 4, 'cid', 'FR', 2);
INSERT INTO {db}.orders VALUES ('b', 5, 2, 12, 1), ('b', 1, 4, 1, 2);
`,
};

/** Databases by the rows that they hold: of the caller's tenant, and of another in two versions. */
const DATABASES = { alone: ['a'], other: ['b', 'a'], changed: ['c', 'a'] } as const;

export type Database = keyof typeof DATABASES;

const LOGS: TenantTables = {
  tables: TABLES + SPECIAL_TABLES,
  rows: {
    a: ROWS.a + SPECIAL_ROWS.a,
    b: ROWS.b + SPECIAL_ROWS.b,
    c: ROWS.c + SPECIAL_ROWS.c,
  },
  parameters: PARAMETERS,
  prefix: 'logs',
};

export async function openTwoTenants(definition: TenantTables = LOGS): Promise<World> {
  const oracle = openOracle();
  for (const [db, tenants] of Object.entries(DATABASES)) {
    const script = [definition.tables, ...tenants.map((tenant) => definition.rows[tenant])].join('');
    await oracle.ask(`CREATE DATABASE ${db}; ${script.replaceAll('{db}', db)}`);
  }
  const ask = (sql: string, values: Values = {}, format = 'TSVRaw'): Promise<string> => {
    const bindings = Object.entries(definition.parameters).map(
      ([name, { value }]) => `param_${name} = '${(values[name] ?? value).replaceAll("'", "''")}'`,
    );
    return oracle.ask(`SET ${LIMITS}, ${bindings.join(', ')}; ${sql}`, format);
  };
  let lastError: unknown;
  const askRows: SendQuery = async (sql) => {
    try {
      const text = await ask(sql, {}, 'JSONCompactEachRow');
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as readonly unknown[]); // arrays in this format
    } catch (error) {
      lastError = error;
      return undefined;
    }
  };
  let schema = await readSchema(askRows);
  const model: World['model'] = async (query, options = {}) => {
    const sql = bound(query, 'other', definition);
    const parameters = Object.keys(definition.parameters).map((name) => ({ name, isNeverNull: true }));
    lastError = undefined;
    const result = await resolveModel(
      { ask: askRows, schema },
      { sql, samples: [{}] },
      { parameters, ...options },
    );
    if ('model' in result) return result.model;
    throw lastError ?? new UnreadableTree(result.fault);
  };
  const rows = async (query: string, db: Database, values?: Values): Promise<string> => {
    const text = await ask(`SELECT * FROM (${bound(query, db, definition)}\n)`, values);
    return text.split('\n').toSorted().join('\n');
  };
  const leaks: World['leaks'] = async (query, values) => {
    const alone = await rows(query, 'alone', values);
    return alone !== (await rows(query, 'other', values)) || alone !== (await rows(query, 'changed', values));
  };
  const define: World['define'] = async (statement) => {
    for (const db of Object.keys(DATABASES)) await ask(statement.replaceAll('{db}', db));
    schema = await readSchema(askRows);
  };
  return {
    model,
    leaks,
    define,
    rows: (query, { values, database = 'other' } = {}) => rows(query, database, values),
    close: oracle.close,
  };
}

function bound(query: string, db: Database, { parameters, prefix }: TenantTables): string {
  const { sql, findings } = bindPlaceholders(query, (name) => parameters[name]?.type);
  if (findings.length > 0) throw new Error(JSON.stringify(findings));
  return sql.replaceAll(`${prefix}.`, `${db}.`);
}

/** Names of the sources that are not confined by `@tenant`, or by one of the parameters. */
export function openSources(
  { sources }: QueryModel,
  parameters: readonly string[] = ['tenant'],
): readonly string[] {
  return sources
    .filter(({ confinedBy, isShared }) => !isShared && !parameters.some((each) => confinedBy.includes(each)))
    .map(({ name }) => name.replace(/^(?:other|alone|changed)\./, ''));
}
