// Two databases that differ only in other tenants' rows, over many kinds of tables, and the endpoints over both. Every
// query of the tenant `mine` must have the same response on both.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine, Statement } from '../../../src/service/engine/engine.ts';
import type { ConsumerQuery } from '../../../src/service/request/consumer/consumer-query.ts';
import { createBulkhead } from '../../../src/service/request/limits/bulkhead.ts';
import { NO_LABELS } from '../../../src/service/request/labels.ts';
import { after } from '../../../src/sql/base/clock.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import type { PlannedQuery } from '../../../src/service/request/planned-query.ts';
import { runQuery } from '../../../src/service/request/run-statement.ts';
import { planWith, type PlanWith } from '../../support/plan-with.ts';

/** A kind of table, and how an endpoint separates its tenants. */
export interface TableKind {
  readonly name: string;
  /** Everything after the columns. */
  readonly engine: string;
  /** Indexes and projections. */
  readonly extra?: string;
  /** The tenant's condition; `project = @project` when left out. */
  readonly filter?: string;
  /** The body of the endpoint's table, where it is more than a filter; `{db}` is the database. */
  readonly body?: string;
  /** One INSERT a tenant, never merged. */
  readonly parts?: 'apart';
  /** A table over the one that holds the rows. */
  readonly over?: string;
  /** The query of a view over it. */
  readonly view?: string;
  /** Further parameters of the endpoint, as YAML, and what calls send for them: the variant of its query. */
  readonly parameters?: string;
  readonly sent?: Readonly<Record<string, string>>;
}

const SMALL = 'SETTINGS index_granularity = 32, min_bytes_for_wide_part = 0, allow_nullable_key = 1';

export const TABLE_KINDS: readonly TableKind[] = [
  { name: 'by_project', engine: `MergeTree ORDER BY (project, ts) ${SMALL}` },
  { name: 'compact', engine: 'MergeTree ORDER BY (project, ts)' },
  { name: 'by_time', engine: `MergeTree PARTITION BY toDate(ts) ORDER BY ts ${SMALL}` },
  { name: 'by_value', engine: `MergeTree ORDER BY (num, text) ${SMALL}` },
  { name: 'by_float', engine: `MergeTree ORDER BY (ratio, id) ${SMALL}` },
  { name: 'by_string', engine: `MergeTree ORDER BY (text, id) ${SMALL}` },
  { name: 'unsorted', engine: `MergeTree ORDER BY tuple() ${SMALL}` },
  { name: 'apart', engine: `MergeTree ORDER BY (project, ts) ${SMALL}`, parts: 'apart' },
  { name: 'apart_by_time', engine: `MergeTree ORDER BY ts ${SMALL}`, parts: 'apart' },
  {
    name: 'by_path',
    engine: `MergeTree ORDER BY (doc.project, ts) ${SMALL}`,
    filter: 'doc.project = @project',
  },
  { name: 'path_unsorted', engine: `MergeTree ORDER BY tuple() ${SMALL}`, filter: 'doc.project = @project' },
  { name: 'map', engine: `MergeTree ORDER BY ts ${SMALL}`, filter: "attrs['project'] = @project" },
  { name: 'prefix', engine: `MergeTree ORDER BY id ${SMALL}`, filter: "startsWith(id, concat(@project, '-'))" },
  {
    name: 'partitioned',
    engine: `MergeTree PARTITION BY project ORDER BY ts ${SMALL}`,
  },
  {
    name: 'indexed',
    engine: `MergeTree ORDER BY ts ${SMALL}`,
    extra: `, INDEX a text TYPE set(0) GRANULARITY 1, INDEX b num TYPE minmax GRANULARITY 1,
      INDEX c low TYPE set(100) GRANULARITY 1, INDEX d text TYPE bloom_filter GRANULARITY 1,
      INDEX e text TYPE ngrambf_v1(3, 256, 2, 0) GRANULARITY 1, INDEX f ratio TYPE set(0) GRANULARITY 1,
      INDEX g (ts, text, low, num, tags) TYPE set(0) GRANULARITY 1`,
  },
  {
    name: 'sets',
    engine: `MergeTree ORDER BY tuple() ${SMALL}`,
    extra: ['ts', 'id', 'text', 'secret', 'low', 'maybe', 'num', 'ratio', 'tags', 'sparse', '(text, secret, num, ts)']
      .map((key, index) => `, INDEX s${index} ${key} TYPE set(0) GRANULARITY 1`)
      .join(''),
    body: 'SELECT * REPLACE (assumeNotNull(maybe) AS maybe) FROM {db}.sets WHERE project = @project',
  },
  {
    name: 'bounds',
    engine: `MergeTree ORDER BY tuple() ${SMALL}`,
    extra: ['ts', 'id', 'text', 'num', 'ratio']
      .map((key) => `, INDEX m_${key} ${key} TYPE minmax GRANULARITY 1`)
      .join(''),
  },
  {
    name: 'projected',
    engine: `MergeTree ORDER BY ts ${SMALL}`,
    extra: `, PROJECTION p1 (SELECT * ORDER BY text), PROJECTION p2 (SELECT project, low, count(), max(ts), sum(num) GROUP BY project, low)`,
  },
  {
    name: 'replacing',
    engine: `ReplacingMergeTree ORDER BY (num, text) ${SMALL}`,
    body: 'SELECT * FROM {db}.replacing FINAL WHERE project = @project',
  },
  {
    name: 'prewhere',
    engine: `MergeTree ORDER BY ts ${SMALL}`,
    body: 'SELECT * FROM {db}.prewhere PREWHERE project = @project',
  },
  {
    name: 'joined',
    engine: `MergeTree ORDER BY ts ${SMALL}`,
    body: 'SELECT l.* FROM {db}.joined AS l JOIN {db}.tenants AS n ON l.project = n.project WHERE n.name = @project',
  },
  {
    name: 'listed',
    engine: `MergeTree ORDER BY ts ${SMALL}`,
    filter: 'project IN (SELECT project FROM {db}.tenants WHERE name = @project)',
  },
  {
    name: 'either',
    engine: `MergeTree ORDER BY ts ${SMALL}`,
    filter: "(project = @project OR project = concat(@project, '-public'))",
  },
  {
    name: 'inner_filter',
    engine: `MergeTree ORDER BY (project, ts) ${SMALL}`,
    body: 'SELECT * FROM (SELECT * FROM {db}.inner_filter ORDER BY ts) WHERE project = @project ORDER BY ts DESC',
  },
  {
    name: 'computed',
    engine: `MergeTree ORDER BY text ${SMALL}`,
    extra: ', INDEX a text TYPE set(0) GRANULARITY 1',
    body: 'SELECT * REPLACE (toInt64(text) AS num) FROM {db}.computed WHERE project = @project',
  },
  {
    name: 'aliased',
    engine: `MergeTree ORDER BY ts ${SMALL}`,
    extra: ', parsed Int64 ALIAS toInt64(text), INDEX a text TYPE set(0) GRANULARITY 1',
    body: 'SELECT * EXCEPT num, parsed AS num FROM {db}.aliased WHERE project = @project',
  },
  {
    name: 'viewed',
    engine: `MergeTree ORDER BY text ${SMALL}`,
    extra: ', INDEX a text TYPE set(0) GRANULARITY 1',
    view: 'SELECT * REPLACE (toInt64(text) AS num) FROM {db}.viewed_base',
  },
  {
    name: 'viewed_join',
    engine: `MergeTree ORDER BY ts ${SMALL}`,
    view: 'SELECT l.* EXCEPT (project, num), n.name AS project, intDiv(1000, num + 1) AS num FROM {db}.viewed_join_base AS l JOIN {db}.tenants AS n ON l.project = n.project',
  },
  {
    name: 'optional',
    engine: `MergeTree ORDER BY ts ${SMALL}`,
    extra: ', INDEX a text TYPE set(0) GRANULARITY 1',
    filter: 'project = @project /* if @least */ AND num >= @least /* end */ /* if @other */ AND low = @other /* end */',
    parameters: 'least: { type: Int64 }\n  other: { type: String }',
    sent: { least: '-100' },
  },
  {
    name: 'chosen',
    engine: `MergeTree ORDER BY text ${SMALL}`,
    extra: ', INDEX a text TYPE set(0) GRANULARITY 1',
    body: 'SELECT * REPLACE (@number AS num) FROM {db}.chosen WHERE project = @project AND @only ORDER BY @order',
    parameters: `number: { choices: { num: num, text: toInt64(text) }, default: num }
  only: { choices: { all: low = low OR low != low, few: low != 'nobody' OR sparse > 0 }, default: all }
  order: { choices: { newest: ts DESC, text: text }, multiple: true, default: newest }`,
    sent: { number: 'text', only: 'few', order: 'text,newest' },
  },
  { name: 'memory', engine: 'Memory' },
  { name: 'log', engine: 'Log' },
  { name: 'merge', engine: `MergeTree ORDER BY ts ${SMALL}`, over: "Merge('{db}', '^merge_base$')" },
  { name: 'buffer', engine: `MergeTree ORDER BY ts ${SMALL}`, over: "Buffer('{db}', 'buffer_base', 1, 10, 100, 10000, 1000000, 10000000, 100000000)" },
]; // prettier-ignore

const COLUMNS = `project LowCardinality(String), ts DateTime64(3, 'UTC'), id String, text String, secret String,
  low LowCardinality(String), maybe Nullable(String), num Int64, ratio Float64, tags Array(String),
  attrs Map(String, String), sparse UInt64, doc JSON(project String, text String, code Int64)`;

/** For engines that store no JSON. */
const FLAT_COLUMNS = COLUMNS.replace(/doc .*/, 'doc String');

/** Rows of one tenant; `mine` is the same in both databases. */
const MINE = rowsOf('mine', 96, {
  text: 'toString(n)',
  secret: "'mine'",
  num: 'n',
  ratio: 'n / 4',
  maybe: 'toString(n)',
  more: '"x":5',
});
const BENIGN_OTHERS = rowsOf('other', 20, {
  text: 'toString(1000 + n)',
  secret: "'theirs'",
  num: '1000 + n',
  ratio: '1000 + n / 4',
  maybe: 'toString(n)',
  more: '"x":7',
});
const PROJECTS = ['mine', 'other', 'another'];
const HOSTILE_OTHERS = ['other', 'another'].map((project, index) =>
  rowsOf(project, 45 - 20 * index, {
    text: "['CANARY', '', '-', '99999999999999999999999', '2024-13-45', '{', '\\\\\\\\'][n % 7 + 1]",
    secret: "'CANARY'",
    num: '[0, -1, 9223372036854775807, -9223372036854775808, 20, 77][n % 6 + 1]',
    ratio: '[nan, inf, -inf, 1e300, 0.1][n % 5 + 1]',
    maybe: "if(n % 2 = 0, NULL, 'CANARY')",
    more: '"x":["CANARY"],"y":"CANARY","z":{"w":1}',
  }),
);

function rowsOf(
  project: string,
  count: number,
  values: Readonly<Record<'text' | 'secret' | 'num' | 'ratio' | 'maybe' | 'more', string>>,
): string {
  const { text, secret, num, ratio, maybe, more } = values;
  const moment = `toDateTime64('2024-01-01 00:00:00', 3, 'UTC') + toIntervalSecond(n * ${project === 'mine' ? 1800 : 3601})`;
  const first = "toDateTime64('1900-01-02 00:00:00', 3, 'UTC')";
  const last = "toDateTime64('2299-12-31 00:00:00', 3, 'UTC')";
  const ts = project === 'another' ? `multiIf(n % 5 = 0, ${first}, n % 5 = 1, ${last}, ${moment})` : moment;
  return `SELECT '${project}', ${ts},
    concat('${project}-', toString(n)), ${text} AS t, ${secret}, ${secret}, ${maybe}, ${num}, ${ratio}, [${secret}, t],
    map('project', '${project}', 'text', t), if('${project}' = 'mine' OR n % 3 > 0, 0, n),
    concat('{"project":"${project}","text":', toJSONString(t), ',"code":', toString(toInt64(${num})), ',${more}}')
  FROM (SELECT toInt64(number) AS n FROM numbers(${count}))`;
}

/** What a caller sees of a call: nothing else may depend on other tenants. */
export interface Seen {
  readonly status: number;
  readonly body: string;
}

export interface Tenants {
  readonly engine: Engine;
  /** The same call over both databases. */
  readonly both: (kind: string, query: Query, protection?: Protection) => Promise<readonly [Seen, Seen]>;
  readonly close: () => Promise<void>;
}

export interface Query {
  readonly language: 'sql' | 'lql';
  readonly dialect?: 'clickhouse' | 'bigquery';
  readonly text: string;
}

/**
 * What isolates a statement: all that the service has, also over redacted tables, one thing alone or missing (`retry`), or an engine
 * with its own defaults for what has run before (`defaults`).
 */
export type Protection = 'service' | 'redacted' | 'none' | 'settings' | 'barrier' | 'retry' | 'defaults';

const DATABASES = ['calm', 'hostile'] as const;

export async function openTenants(): Promise<Tenants> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tenants-'));
  const observe = (): void => undefined;
  const engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path: join(folder, 'data'),
    connections: 4,
    queue: 1000,
    memory: 2 ** 31,
    observe,
  });
  for (const database of DATABASES) {
    await fill(engine, database);
    await fillCorpus(engine, database);
  }
  const describe = createDescribe(engine);
  const sandboxes = createSandboxes(engine, describe);
  const plan = planWith({ sandboxes, describe });
  const endpoints = new Map(
    DATABASES.map((database) => {
      const kinds = TABLE_KINDS.map((kind) => [kind.name, compile(fileOf(kind, database))] as const);
      return [database, new Map([...kinds, ['corpus', compile(corpusFileOf(database))]])];
    }),
  );
  const runOver = (protection: Protection) => createRun(engine, plan, protection);
  return {
    engine,
    both: async (kind, query, protection = 'service') => {
      const run = runOver(protection);
      const calm = endpoints.get('calm')?.get(kind);
      const hostile = endpoints.get('hostile')?.get(kind);
      if (calm === undefined || hostile === undefined) throw new Error(`no table ${kind}`);
      return Promise.all([run(calm, query), run(hostile, query)]);
    },
    close: async () => {
      await engine.close(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function readCorpus(name: string): string {
  return readFileSync(new URL(`../../corpus/${name}`, import.meta.url), 'utf8');
}

/** The corpus' table: in the hostile database other tenants' rows are changed, and more. */
export async function fillCorpus(engine: Engine, database: string): Promise<void> {
  const statements = readCorpus('seeds.sql')
    .split('\n')
    .filter((line) => line.includes('app.logs'));
  for (const sql of statements) await engine.execute(sql.replaceAll('app.', `${database}.`));
  if (database === 'calm') return;
  const table = `${database}.logs`;
  await engine.execute(`INSERT INTO ${table} SELECT * REPLACE ('CANARY' AS event_message, '-' AS method, '\\\\' AS path,
    0 AS status, nan AS ms, 'CANARY' AS ip, ['CANARY'] AS tags, '{"request":["CANARY"],"response":{"arr":{"a":1}}}'::JSON AS metadata)
    FROM ${table} WHERE project = 'other'`);
  await engine.execute(`OPTIMIZE TABLE ${table} FINAL`);
}

/** A database and its tables: the one called hostile has hostile tenants. */
export async function fill(
  engine: Pick<Engine, 'execute'>,
  database: string,
  kinds = TABLE_KINDS,
): Promise<void> {
  await engine.execute(`CREATE DATABASE ${database}`);
  await engine.execute(
    `CREATE TABLE ${database}.tenants (project String, name String) ENGINE = MergeTree ORDER BY name`,
  );
  await engine.execute(
    `INSERT INTO ${database}.tenants VALUES ('mine', 'mine'), ('other', 'other'), ('another', 'another')`,
  );
  // Computed once: the engine needs longer to analyse these queries than to copy their rows.
  await engine.execute(`CREATE TABLE ${database}.rows (${COLUMNS}) ENGINE = Memory`);
  const others = database === 'hostile' ? HOSTILE_OTHERS : [BENIGN_OTHERS];
  const all = [MINE, ...others].join(' UNION ALL ');
  await engine.execute(`INSERT INTO ${database}.rows ${all}`);
  const copied = `SELECT * FROM ${database}.rows`;
  for (const { name, engine: kind, extra = '', parts, over, view } of kinds) {
    const isBase = over !== undefined || view !== undefined;
    const base = isBase ? `${database}.${name}_base` : `${database}.${name}`;
    await engine.execute(
      `CREATE TABLE ${base} (${name === 'log' ? FLAT_COLUMNS : COLUMNS}${extra}) ENGINE = ${kind}`,
    );
    const together = name === 'log' ? [all] : [copied];
    const inserts =
      parts === 'apart' ? PROJECTS.map((each) => `${copied} WHERE project = '${each}'`) : together;
    for (const rows of inserts) await engine.execute(`INSERT INTO ${base} ${rows}`);
    if (view !== undefined)
      await engine.execute(`CREATE VIEW ${database}.${name} AS ${view.replaceAll('{db}', database)}`);
    if (over === undefined) continue;
    await engine.execute(
      `CREATE TABLE ${database}.${name} AS ${base} ENGINE = ${over.replaceAll('{db}', database)}`,
    );
  }
}

/** The endpoint file over one kind of table. */
export function fileOf(
  { name, filter = 'project = @project', body, parameters }: TableKind,
  database: string,
): string {
  const table = body ?? `SELECT * FROM {db}.${name} WHERE ${filter} ORDER BY ts DESC`;
  const id = createHash('sha256').update(`${name}.${database}`).digest('hex').slice(0, 12);
  return `id: 00000000-0000-4000-8000-${id}
name: ${name}.${database}
query: |
  WITH t AS (SELECT ts, id, text, secret, low, maybe, num, ratio, tags, attrs, sparse, doc FROM (${table.replaceAll('{db}', database)}))
  SELECT * FROM t
parameters:
  project: { type: String, required: true }
${parameters === undefined ? '' : `  ${parameters}\n`}sandbox: { enabled: true, dialects: [clickhouse, bigquery] }
`;
}

/** The endpoint of the corpus, over the database's own rows. */
export function corpusFileOf(database: string): string {
  return readCorpus('corpus.yaml').replaceAll('app.logs', `${database}.logs`);
}

export function compile(yaml: string): Endpoint {
  const { candidate, diagnostics } = createCompile({ piiHashKey: undefined })('endpoint.yaml', yaml);
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate.endpoint;
}

/** `project`: the tenant that calls, `mine` if left out. */
export type Run = (endpoint: Endpoint, query: Query, project?: string) => Promise<Seen>;

export function createRun(engine: Engine, plan: PlanWith, protection: Protection): Run {
  return async (called, { language, dialect, text }, project = 'mine') => {
    const kind = TABLE_KINDS.find(({ name }) => called.name.startsWith(`${name}.`));
    const bindings = called.binder.bind(
      new Map(Object.entries({ project, ...kind?.sent }).map(([name, value]) => [name, [value]])),
      Date.UTC(2024, 0, 3),
    );
    const endpoint = called.variantOf(bindings);
    const asked: ConsumerQuery = { language, dialect, text };
    try {
      const planned = await plan(endpoint, bindings, asked, protection === 'redacted');
      const statement = unprotected(planned.statement, protection);
      const { retry, ...once } = planned;
      const isRetried = (protection === 'service' || protection === 'redacted') && retry !== undefined;
      return await rowsOfPlan(engine, endpoint, { ...once, statement, ...(isRetried ? { retry } : {}) });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { status, code, message, errors, hint } = error;
      return { status, body: JSON.stringify({ code, message, errors, hint }) };
    }
  };
}

/** As the service runs it for a request. */
async function rowsOfPlan(engine: Engine, endpoint: Endpoint, plan: PlannedQuery): Promise<Seen> {
  const deps = { engine, bulkhead: createBulkhead(after), now: () => performance.now() };
  const context = {
    requestId: 'test',
    key: undefined,
    trace: undefined,
    labels: NO_LABELS,
    workload: undefined,
    isPatient: false,
    signal: new AbortController().signal,
  };
  const { lines } = await runQuery(deps, { endpoint, query: plan }, context);
  return { status: 200, body: Buffer.from(lines).toString() };
}

/** As the engine has them; those of `compile_expressions` cannot be set for a subquery alone. */
const DEFAULTS = 'min_count_to_compile_regular_expression = 3, min_count_to_compile_aggregate_expression = 3';

/** Takes away what the runner has to be able to see the lack of. */
function unprotected(statement: Statement, protection: Protection): Statement {
  if (protection === 'defaults') {
    const sql = `SELECT * FROM (${statement.sql} SETTINGS ${DEFAULTS})`;
    return { ...statement, sql, origin: 'saved' };
  }
  const isBarred = protection !== 'none' && protection !== 'settings';
  const isSet = protection !== 'none' && protection !== 'barrier';
  const sql = isBarred ? statement.sql : statement.sql.replaceAll(/ LIMIT 10{18}\)/g, ')');
  return { ...statement, sql, origin: isSet ? 'consumer' : 'saved' };
}
