// The engine's plan of a consumer query reads what the plan of the same query over the stored tables reads.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BY_HAND } from '../../../tools/bench/parts/consumer-query-texts.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine, Statement } from '../../../src/service/engine/engine.ts';
import { splitStatements } from '../../../src/service/engine/statements.ts';
import { readRows } from '../../../src/service/engine/rows.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import { SHIPPED } from '../../support/folder-sources.ts';
import { type PlanWith, planWith } from '../../support/plan-with.ts';

const DAYS = 4;
/** Until the evening of today, so that the rows of each day, which is a partition, are the same at any time of the day. */
const LAST = "toStartOfDay(now64(6, 'UTC')) + INTERVAL 20 HOUR";
const ROWS = `INSERT INTO logs.{table} (project, timestamp, id, event_message, metadata)
  SELECT ['mine', 'other'][number % 2 + 1], ${LAST} - toIntervalHour(intDiv(number, 500)), toString(number), 'GET /rest/v1/x',
    concat('{"request":{"method":"', ['GET', 'POST'][intDiv(number, 2) % 2 + 1], '","path":"', repeat('/path', 20), '"},"response":{"status_code":', toString(200 + if(number < 8000, number % 400, 0)), '}}')
  FROM numbers(${DAYS * 24 * 500})`;

const folder = mkdtempSync(join(tmpdir(), 'millrace-plans-'));
let engine: Engine;
let plan: PlanWith;
let endpoint: Endpoint;

function compile(text: string): Endpoint {
  const { candidate, diagnostics } = createCompile({ piiHashKey: undefined })('endpoint.yaml', text, SHIPPED);
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate.endpoint;
}

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

beforeAll(async () => {
  const observe = (): void => undefined;
  engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path: folder,
    connections: 2,
    queue: 10,
    memory: 2 ** 31,
    observe,
  });
  for (const sql of splitStatements(read('seeds/01_tables.sql'))) await engine.execute(sql);
  for (const table of ['edge_logs', 'auth_logs']) await engine.execute(ROWS.replace('{table}', table));
  const describe = createDescribe(engine);
  plan = planWith({ sandboxes: createSandboxes(engine, describe), describe });
  endpoint = compile(read('endpoints/logs.all.yaml'));
});
afterAll(async () => {
  await engine.close(0);
  rmSync(folder, { recursive: true, force: true });
});

function byHand(query: string): Statement {
  const hand = compile(`id: 00000000-0000-4000-8000-000000000002
name: hand
query: |
  ${query.replaceAll('\n', '\n  ')}
parameters:
  project: { type: String, required: true }
  iso_timestamp_start: { type: DateTime64(6) }
  iso_timestamp_end: { type: DateTime64(6) }
`);
  const { values } = hand.binder.bind(new Map([['project', ['mine']]]), Date.now());
  return { sql: hand.query, parameters: values, limits: hand.limits, origin: 'saved', int64: hand.int64 };
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly Description?: string;
  readonly 'Read Type'?: string;
  readonly Header?: readonly { readonly Name: string }[];
  readonly 'Prewhere info'?: unknown;
  readonly Indexes?: readonly { readonly 'Selected Granules': number }[];
  readonly Plans?: readonly PlanNode[];
}

/** What is read: subcolumns by their names, the order of reading, and the granules that the indexes select. */
interface Reading {
  readonly columns: readonly string[];
  readonly types: readonly (string | undefined)[];
  readonly granules: number;
}

async function readingOf(statement: Statement): Promise<Reading> {
  const sql = `EXPLAIN json = 1, indexes = 1, header = 1, actions = 1 ${statement.sql}`;
  const rows = (await readRows(engine, sql, statement)) as readonly [string][]; // one string column
  const json = rows.map(([line]) => line).join('\n');
  const [{ Plan: root }] = JSON.parse(json) as [{ Plan: PlanNode }]; // as the engine prints plans
  const nodes = nodesOf(root).filter((node) => /ReadFromMergeTree/.test(node['Node Type']));
  const stored = nodes.filter((node) => node['Node Type'] === 'ReadFromMergeTree');
  const names = nodes.flatMap((node) => [
    ...(node.Header ?? []).map(({ Name }) => Name),
    ...inputsOf(node['Prewhere info']),
  ]);
  return {
    columns: [...new Set(names.filter((name) => /^[a-z][\w.]*$/.test(name)))].toSorted(),
    types: stored.map((node) => node['Read Type']),
    granules: stored.reduce((sum, { Indexes = [] }) => sum + (Indexes.at(-1)?.['Selected Granules'] ?? 0), 0),
  };
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function inputsOf(info: unknown): readonly string[] {
  const inputs = [...JSON.stringify(info ?? '').matchAll(/"Inputs":(\[.*?\])/g)];
  return inputs.flatMap(([, list = '[]']) =>
    (JSON.parse(list) as { Name: string }[]).map(({ Name }) => Name),
  ); // as above
}

async function consumer(
  query: Omit<(typeof BY_HAND)[number], 'name' | 'hand'>,
  isRedacted = false,
  hours?: number,
): Promise<Statement> {
  const values = new Map([['project', ['mine']]]);
  if (hours !== undefined)
    values.set('iso_timestamp_start', [new Date(Date.now() - hours * 3_600_000).toISOString()]);
  const bindings = endpoint.binder.bind(values, Date.now());
  const { language, dialect, text } = query;
  return (await plan(endpoint, bindings, { language, dialect, text }, isRedacted)).statement;
}

/** What the engine counts as read. */
async function countsOf(statement: Statement): Promise<{ readonly rows: number; readonly bytes: number }> {
  let counts = { rows: 0, bytes: 0 };
  const onRead = ({ rows, bytes }: typeof counts): void => void (counts = { rows, bytes });
  const { chunks } = await engine.run(statement, { format: 'JSONEachRow', onRead });
  for await (const _ of chunks);
  return counts;
}

describe('a consumer query reads what the same query by hand reads', () => {
  test.each(BY_HAND.map((query) => [query.name, query] as const))('%s', async (_name, query) => {
    const [own, hand] = [await readingOf(await consumer(query)), await readingOf(byHand(query.hand))];
    expect(own).toEqual(hand);
    expect(hand.columns).not.toEqual([]);
    const [{ rows, bytes }, expected] = [
      await countsOf(await consumer(query)),
      await countsOf(byHand(query.hand)),
    ];
    expect(rows).toBe(expected.rows);
    expect(bytes).toBeLessThanOrEqual(1.1 * expected.bytes);
  });
});

test.each([
  "metadata.request.method = 'POST'",
  'metadata.response.status_code >= 400 AND id != event_message',
])('PREWHERE has the condition of the endpoint before %s', async (condition) => {
  const text = `SELECT id FROM edge_logs WHERE ${condition}`;
  const statement = await consumer({ language: 'sql', dialect: 'clickhouse', text });
  const lines = await readRows(engine, `EXPLAIN actions = 1 ${statement.sql}`, statement);
  expect(lines.flat().filter((line) => /Prewhere filter column/.test(String(line)))).toEqual([
    expect.stringMatching(/column: +project = 'mine' AND .*metadata\.re/),
  ]);
});

describe('over redacted tables', () => {
  test.each(BY_HAND.map((query) => [query.name, query] as const))(
    '%s: the sort key is used, and the same columns are read',
    async (_name, query) => {
      const { columns, granules } = await readingOf(await consumer(query, true, 12));
      const plain = await readingOf(await consumer(query, false, 12));
      expect({ columns, granules }).toEqual({ columns: plain.columns, granules: plain.granules });
    },
  );

  test('a time bound of the endpoint selects granules', async () => {
    const query = {
      language: 'sql',
      dialect: 'clickhouse',
      text: 'SELECT max(event_message) FROM edge_logs',
    } as const;
    const [all, bounded] = [await consumer(query, true), await consumer(query, true, 12)];
    expect((await readingOf(bounded)).granules).toBeLessThan((await readingOf(all)).granules);
  });

  test('a search that redaction cannot change is also one in the stored column', async () => {
    const search = async (text: string): Promise<string> =>
      (
        await consumer(
          { language: 'sql', dialect: 'clickhouse', text: `SELECT id FROM edge_logs WHERE ${text}` },
          true,
        )
      ).sql;
    expect(await search("event_message LIKE '%/rest/v1/%'")).toContain(
      "(match(`event_message`, '/rest/v1/'))",
    );
    for (const other of [
      "NOT event_message LIKE '%/rest/%'",
      "event_message NOT LIKE '%/rest/%'",
      "event_message LIKE '%10.0%'",
    ])
      expect(await search(other)).not.toMatch(/match\(`event_message`, '[^']*(?:rest|10)/);
  });

  test('columns of a wide table that are only returned are redacted together', async () => {
    await engine.execute('CREATE DATABASE wide');
    const columns = Array.from({ length: 60 }, (_, n) => `c${n} String`).join(', ');
    await engine.execute(
      `CREATE TABLE wide.t (project String, ${columns}) ENGINE = MergeTree ORDER BY project`,
    );
    const wide = compile(`id: 00000000-0000-4000-8000-000000000006
name: wide
query: |
  WITH t AS (SELECT * FROM wide.t WHERE project = @project) SELECT c0 FROM t
parameters:
  project: { type: String, required: true }
sandbox: { enabled: true }
`);
    const bindings = wide.binder.bind(new Map([['project', ['mine']]]), Date.now());
    const query = {
      language: 'sql',
      dialect: 'clickhouse',
      text: "SELECT * FROM t WHERE c7 != 'x'",
    } as const;
    const { sql } = (await plan(wide, bindings, query, true)).statement;
    expect(sql.match(/multiSearchAny\(t, /g)).toHaveLength(2); // c7, and all others
  });
});

test('a stored column of the name of a subcolumn, which the endpoint does not select, is not read', async () => {
  for (const sql of [
    'CREATE DATABASE dotted',
    "CREATE TABLE dotted.logs (project String, doc JSON, `doc.made` String ALIAS 'hidden') ENGINE = MergeTree ORDER BY project",
    'CREATE TABLE dotted.plain (project String, doc JSON) ENGINE = MergeTree ORDER BY project',
  ]) {
    await engine.execute(sql);
  }
  const over = (table: string, number: number): Endpoint =>
    compile(`id: 00000000-0000-4000-8000-00000000000${number}
name: dotted-${table}
query: |
  WITH t AS (SELECT doc FROM dotted.${table} WHERE project = @project) SELECT * FROM t
parameters:
  project: { type: String, required: true }
sandbox: { enabled: true }
`);
  const statementOver = async (endpointOver: Endpoint): Promise<string> => {
    const bindings = endpointOver.binder.bind(new Map([['project', ['mine']]]), Date.now());
    const query = { language: 'sql', dialect: 'clickhouse', text: 'SELECT doc.made FROM t' } as const;
    return (await plan(endpointOver, bindings, query, false)).statement.sql;
  };
  expect(await statementOver(over('plain', 3))).toContain('`doc.made`');
  expect(await statementOver(over('logs', 4))).not.toContain('`doc.made`');
});

describe('of functions of a column, the subcolumn is read', () => {
  const SHAPES =
    'project String, id UInt64, tags Array(String), attrs Map(String, String), pair Tuple(x String, y Int64), maybe Nullable(String)';
  let shapes: Endpoint;
  beforeAll(async () => {
    await engine.execute('CREATE DATABASE shapes');
    await engine.execute(`CREATE TABLE shapes.t (${SHAPES}) ENGINE = MergeTree ORDER BY project`);
    await engine.execute(
      "INSERT INTO shapes.t SELECT 'mine', number, ['a'], map('k', 'v'), ('a', 1), NULL FROM numbers(10)",
    );
    shapes = compile(`id: 00000000-0000-4000-8000-000000000005
name: shapes
query: |
  WITH t AS (SELECT id, tags, attrs, pair, maybe FROM shapes.t WHERE project = @project) SELECT id FROM t
parameters:
  project: { type: String, required: true }
sandbox: { enabled: true, dialects: [clickhouse, bigquery] }
`);
  });

  test.each<
    [
      language: 'sql' | 'lql',
      dialect: 'clickhouse' | 'bigquery' | undefined,
      text: string,
      columns: readonly string[],
    ]
  >([
    ['sql', 'clickhouse', 'SELECT length(tags) FROM t', ['tags.size0']],
    ['sql', 'clickhouse', 'SELECT count() FROM t WHERE notEmpty(tags) AND id > 3', ['id', 'tags.size0']],
    ['sql', 'clickhouse', "SELECT attrs['k'] AS k, count() AS n FROM t GROUP BY k", ['attrs.key_k']],
    ['sql', 'clickhouse', "SELECT count() FROM t WHERE mapContains(attrs, 'k')", ['attrs.keys']],
    [
      'sql',
      'clickhouse',
      "SELECT count() FROM t WHERE attrs['k'] = 'v' AND toInt64(id) > 1",
      ['attrs.key_k', 'id'],
    ],
    ['sql', 'clickhouse', 'SELECT pair.1 FROM t WHERE isNull(maybe)', ['maybe.null', 'pair.x']],
    ['sql', 'bigquery', 'select array_length(tags) as n from t', ['tags.size0']],
    ['sql', 'bigquery', 'select count(*) as n from t where maybe is null', ['maybe.null']],
    ['lql', undefined, 'attrs.k:v s:id', ['attrs.key_k', 'attrs.keys', 'id']],
    ['lql', undefined, 'maybe:NULL s:id', ['id', 'maybe.null']],
  ])('%s %s: %s', async (language, dialect, text, columns) => {
    const bindings = shapes.binder.bind(new Map([['project', ['mine']]]), Date.now());
    const { statement } = await plan(shapes, bindings, { language, dialect, text }, false);
    const read = await readingOf(statement);
    expect(read.columns.filter((name) => name !== 'project' && !name.startsWith('t.'))).toEqual(columns);
  });
});
