// Subcolumns of an endpoint's tables are read alone: the same rows as over whole columns, and only those columns are read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import { someOfEach } from '../../support/runs.ts';
import { bound, describeDotted, describeTables, openSandbox, openWorld } from './fixture.ts';
import type { World } from './fixture.ts';

const COLUMNS = `project String, timestamp DateTime, id String,
  doc JSON(a.b String, n Int64), tup Tuple(x String, y Tuple(z Int64)), attrs Map(String, String), items Array(Tuple(p String, q Int64)),
  tags Array(String), maybe Nullable(Int64), pair Tuple(String, Int64)`;
const DOCUMENT = `concat('{"a":{"b":"s', toString(number), '","c":', toString(number), ',"odd key":{"x.y":1}},"n":', toString(number % 3),
  ',"list":[{"k":1,"v":"a"},{"k":2}],"word":"w', toString(number % 4), '","mix":', if(number % 2 = 0, '1', '"one"'), '}')`;
const SAVED = bound(`WITH
  logs AS (SELECT timestamp, id, doc, tup, attrs, items, tags, maybe, pair FROM shapes.logs WHERE project = @project ORDER BY timestamp DESC),
  later AS (SELECT id, doc AS body FROM shapes.logs WHERE project = @project AND timestamp > '2024-01-01 00:00:10'),
  through AS (SELECT * FROM (SELECT * FROM shapes.logs WHERE project = @project)),
  computed AS (SELECT id, upper(id) AS tup, doc FROM shapes.logs WHERE project = @project),
  grouped AS (SELECT doc.a.b AS b, count() AS n FROM shapes.logs WHERE project = @project GROUP BY b)
  SELECT * FROM logs`);

let world: World;
let sandbox: Sandbox;
let plain: Sandbox;

beforeAll(async () => {
  world = await openWorld();
  await world.oracle.ask(
    `CREATE DATABASE shapes; CREATE TABLE shapes.logs (${COLUMNS}) ENGINE = MergeTree ORDER BY (project, timestamp)`,
  );
  for (const project of ['mine', 'other']) {
    await world.oracle
      .ask(`INSERT INTO shapes.logs SELECT '${project}', toDateTime('2024-01-01') + number, concat('${project}-', toString(number)),
      ${DOCUMENT}, (concat('x', toString(number)), tuple(number)), map('k', toString(number), 'a.b-c', 'x'), [('p', number)],
      arrayResize(['a'], number % 3), if(number % 3 = 0, NULL, number), ('l', number) FROM numbers(40)`);
  }
  const columns = await describeTables(world, SAVED);
  const dotted = await describeDotted(world, SAVED);
  sandbox = openSandbox({ boundSql: SAVED, explain: world.explain, columns, dotted });
  plain = openSandbox({ boundSql: SAVED, columns });
});
afterAll(() => world.oracle.close());

const run = (sql: string): Promise<string> => world.run(sql).catch((error: unknown) => String(error));

interface PlanNode {
  readonly 'Node Type': string;
  readonly Header?: readonly { readonly Name: string }[];
  readonly Plans?: readonly PlanNode[];
}

/** The columns that the engine reads from the stored table, apart from those of the endpoint's own condition. */
async function columnsRead(statement: string): Promise<readonly string[]> {
  const settings = 'SET query_plan_optimize_prewhere = 0, optimize_move_to_prewhere = 0;';
  const json = await world.run(`${settings} EXPLAIN json = 1, header = 1 ${statement}`, { format: 'TSVRaw' });
  const [{ Plan: root }] = JSON.parse(json) as [{ Plan: PlanNode }]; // as the engine prints plans
  const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
  const readers = nodesOf(root).filter((node) => node['Node Type'].endsWith('ReadFromMergeTree'));
  const names = readers.flatMap(({ Header = [] }) => Header.map(({ Name }) => Name));
  return [...new Set(names.filter((name) => name !== 'project' && !name.startsWith('_')))].toSorted();
}

interface Form {
  readonly sql: string;
  /** Whether subcolumns are read alone. */
  readonly isNarrow: boolean;
}

const narrow = (sql: string): Form => ({ sql, isNarrow: true });
const whole = (sql: string): Form => ({ sql, isNarrow: false });

const FORMS: readonly Form[] = [
  narrow('SELECT doc.a.b FROM logs ORDER BY id'),
  narrow('SELECT doc.a.b AS b, count() FROM logs GROUP BY b ORDER BY b'),
  narrow('SELECT id, doc.a.c, doc.missing, doc.mix FROM logs ORDER BY id'),
  narrow('SELECT doc.word.:String, doc.a.c.:Int64, doc.^a FROM logs ORDER BY id'),
  narrow('SELECT doc.list[].k, doc.list[].v.:String, doc.list[][], doc.list FROM logs ORDER BY id'),
  narrow('SELECT doc.a.`odd key`.`x.y`, doc."a"."b", `doc`.n FROM logs ORDER BY id'),
  narrow('SELECT doc, doc.a.b FROM logs WHERE doc.n = 1 ORDER BY timestamp DESC LIMIT 3'),
  narrow('SELECT logs.doc.a.b, l.doc.n FROM logs AS l ORDER BY l.id'),
  narrow('SELECT l.doc.a.b FROM logs AS l ORDER BY l.id'),
  narrow('SELECT * FROM logs WHERE doc.n = 1 ORDER BY id'),
  narrow('SELECT *, doc.a.b FROM logs ORDER BY id'),
  narrow('SELECT l.*, doc.n AS n FROM logs AS l ORDER BY id'),
  narrow('SELECT * EXCEPT (id) REPLACE (1 AS timestamp) FROM logs WHERE doc.n = 1 ORDER BY doc.a.b'),
  narrow("SELECT COLUMNS('o') FROM logs WHERE doc.n = 1 ORDER BY id"),
  narrow('SELECT * APPLY toString FROM logs WHERE doc.n = 1 ORDER BY id'),
  narrow('SELECT count(*), uniq(*) FROM logs WHERE doc.n > 0'),
  narrow(
    'SELECT * FROM logs AS l JOIN later AS r ON l.id = r.id WHERE l.doc.n = 1 AND r.body.n = 1 ORDER BY l.id',
  ),
  narrow('SELECT a.doc.a.b, b.doc.a.b FROM logs AS a JOIN logs AS b USING id ORDER BY a.id'),
  narrow('SELECT doc.a.b FROM logs JOIN later ON logs.id = later.id ORDER BY logs.id'),
  narrow('SELECT body.a.b FROM later ORDER BY id'),
  narrow('SELECT doc.a.b, tup.x FROM through ORDER BY id'),
  narrow('SELECT tup.x, tup.y.z, items.p, attrs.keys FROM logs ORDER BY id'),
  narrow('SELECT doc.a.b, id FROM computed ORDER BY id'),
  narrow('WITH c AS (SELECT * FROM logs WHERE doc.n = 1) SELECT * FROM c ORDER BY id'),
  narrow('WITH c AS (SELECT id, doc.a.b, doc.n AS n FROM logs) SELECT * FROM c WHERE n = 1 ORDER BY id'),
  narrow(
    'SELECT id FROM logs WHERE doc.a.b IN (SELECT doc.a.b FROM later JOIN logs USING id WHERE doc.n = 1) ORDER BY id',
  ),
  narrow('SELECT doc.n FROM logs UNION ALL SELECT body.n FROM later ORDER BY ALL'),
  narrow('SELECT x, doc.n FROM logs ARRAY JOIN items.p AS x ORDER BY id'),
  narrow('SELECT doc.a.b, row_number() OVER (PARTITION BY doc.n ORDER BY id) FROM logs ORDER BY id'),
  narrow('SELECT toInt64(doc.a.c) AS v FROM logs WHERE intDiv(10, doc.n + 1) > 3 ORDER BY v'),
  narrow('SELECT (SELECT max(doc.a.b) FROM logs), (SELECT count() FROM later WHERE body.n = 1)'),
  narrow('SELECT DISTINCT ON (doc.n) doc.n, length(doc.a.b) FROM logs ORDER BY doc.n, length(doc.a.b)'),
  narrow('SELECT tup.1, tup.2.z, pair.2 AS p, logs.pair.1 FROM logs ORDER BY id'),
  narrow(
    'SELECT length(tags), empty(tags) AS e, notEmpty(logs.tags) FROM logs WHERE notEmpty(tags) ORDER BY id',
  ),
  narrow(
    'SELECT length(tags), count(), sum(length(tags)) AS s FROM logs GROUP BY length(tags) ORDER BY length(tags)',
  ),
  narrow('SELECT length(tags) n, count(*) FROM logs GROUP BY n ORDER BY n'),
  narrow(
    "SELECT attrs['k'] AS a, attrs['a.b-c'] AS b, attrs['nothing'] AS c, mapContains(attrs, 'k') AS d FROM logs ORDER BY id",
  ),
  narrow(
    "SELECT l.attrs['k'] AS k, mapKeys(l.attrs), mapValues(attrs), length(attrs) FROM logs AS l WHERE l.attrs['k'] != '3' ORDER BY l.id",
  ),
  narrow("SELECT attrs['k'] AS k, count() FROM logs GROUP BY k HAVING k != '5' ORDER BY k"),
  narrow(
    'SELECT isNull(maybe), isNotNull(maybe), maybe IS NULL, NOT maybe IS NOT NULL AS n FROM logs ORDER BY id',
  ),
  narrow('SELECT count() FROM logs WHERE maybe IS NULL AND intDiv(10, length(tags) + 1) > 3'),
  narrow('SELECT countIf(maybe IS NULL) AS n, countIf(isNotNull(logs.maybe)) AS m FROM logs'),
  narrow(
    'WITH c AS (SELECT id, length(tags) AS n, pair.1 FROM logs) SELECT * FROM c WHERE n > 1 ORDER BY id',
  ),
  narrow('SELECT * FROM (SELECT id, length(tags) FROM logs) ORDER BY id'),
  narrow('SELECT length(tags), id FROM logs JOIN later USING id ORDER BY id'),
  narrow('SELECT id FROM later WHERE id IN (SELECT id FROM logs WHERE length(tags) > 1) ORDER BY id'),
  narrow('SELECT length(tags) FROM logs UNION ALL SELECT toUInt64(1) ORDER BY ALL'),
  narrow(
    'SELECT arrayMap(x -> x + length(tags), [1]) AS a, row_number() OVER (ORDER BY length(tags), id) AS r FROM logs ORDER BY r',
  ),
  whole("SELECT attrs['k'] FROM logs ORDER BY id"),
  whole('SELECT length(tags) + 1 FROM logs ORDER BY id'),
  whole('SELECT length(tags), tags FROM logs ORDER BY id'),
  whole('SELECT *, length(tags) AS n FROM logs ORDER BY id'),
  whole("SELECT COLUMNS('tag'), length(tags) AS n FROM logs ORDER BY id"),
  whole('SELECT length(tags) AS tags FROM logs ORDER BY id'),
  whole('SELECT length(tags) AS n FROM logs GROUP BY tags ORDER BY n'),
  whole('SELECT length(tags) AS n FROM logs ARRAY JOIN tags ORDER BY ALL'),
  whole('SELECT arrayMap(tags -> length(tags), [[1]]) AS a FROM logs ORDER BY id'),
  whole('SELECT CASE WHEN length(tags) = 1 THEN 1 END FROM logs ORDER BY id'),
  whole("SELECT attrs['k'].size AS n FROM logs ORDER BY id"),
  whole("SELECT attrs[concat('k', '')] AS v FROM logs ORDER BY id"),
  whole('SELECT length(tags) + count(tags) OVER () AS n FROM logs ORDER BY n'),
  whole('SELECT count() FROM logs WHERE 1 + maybe IS NULL'),
  whole('SELECT count() FROM logs WHERE id = toString(id) OR 7 - maybe IS NOT NULL'),
  whole('SELECT l.maybe IS NULL AS n FROM logs AS l JOIN logs AS r ON l.maybe = r.maybe'),
  whole('SELECT * FROM logs ORDER BY id'),
  whole('SELECT id, doc FROM logs ORDER BY id'),
  whole('SELECT doc.a.b AS doc FROM logs ORDER BY id'),
  whole('SELECT arrayMap(doc -> doc, [1]), doc.a.b FROM logs ORDER BY id'),
  whole('SELECT doc.a.b FROM logs AS doc ORDER BY id'),
  whole('SELECT 1 AS `doc.a.b`, doc.a.b FROM logs ORDER BY id'),
  whole('SELECT * FROM logs JOIN (SELECT id, doc.n FROM logs) AS r USING id ORDER BY id'),
  whole("SELECT doc.n FROM computed WHERE ('a', 'b', doc) IN computed"),
];

/** Those that are also run with the barrier if they need none, and without it if they do: all of them with `npm run test:all`. */
const BARRED: ReadonlySet<string> = new Set(
  someOfEach(FORMS, ({ isNarrow }) => String(isNarrow), { each: 5 }).map(({ sql }) => sql),
);

test.each(FORMS)('$sql', async ({ sql, isNarrow }) => {
  const verdict = await sandbox.check(sql);
  const before = await run(plain.assemble(await plain.check(sql), 1000).sql);
  expect(verdict.narrow !== undefined).toBe(isNarrow);
  const { sql: statement } = sandbox.assemble(verdict, 1000);
  expect(await run(statement)).toBe(before);
  if (!BARRED.has(sql)) return;
  const barred = sandbox.assemble({ ...verdict, isLeakproof: !verdict.isLeakproof }, 1000).sql;
  expect(await run(barred)).toBe(before);
});

test.each([
  ['SELECT doc.a.b AS b, count() FROM logs GROUP BY b', ['doc.a.b']],
  ["SELECT count() FROM logs WHERE doc.n = 1 AND doc.word.:String = 'w1'", ['doc.n', 'doc.word.:`String`']],
  ['SELECT doc.list[].k FROM logs', ['doc.list.:`Array(JSON)`.k']],
  ['SELECT doc.^a FROM logs', ['doc.^`a`']],
  ['SELECT doc, doc.a.b FROM logs', ['doc', 'doc.a.b']],
  ['SELECT tup.y.z, items.p, attrs.keys FROM logs', ['attrs.keys', 'items.p', 'tup.y.z']],
  ['SELECT body.n FROM later', ['doc.n', 'timestamp']],
  [
    'SELECT l.doc.n, r.body.a.b FROM logs AS l JOIN later AS r USING id',
    ['doc.a.b', 'doc.n', 'id', 'timestamp'],
  ],
  ['SELECT toInt64(doc.a.c) AS v FROM logs WHERE intDiv(10, doc.n + 1) > 3', ['doc.a.c', 'doc.n']],
  ['SELECT doc.a.b FROM (SELECT doc FROM logs)', ['doc']],
  ['SELECT length(tags), sum(notEmpty(tags)) AS n FROM logs GROUP BY length(tags)', ['tags.size0']],
  ["SELECT attrs['k'] AS k, count() FROM logs WHERE attrs['k'] != 'x' GROUP BY k", ['attrs.key_k']],
  ["SELECT count() FROM logs WHERE mapContains(attrs, 'k')", ['attrs.keys']],
  [
    "SELECT count() FROM logs WHERE attrs['k'] = '3' AND intDiv(10, length(tags) + 1) > 3",
    ['attrs.key_k', 'tags.size0'],
  ],
  ['SELECT tup.1, pair.2 FROM logs WHERE maybe IS NULL', ['maybe.null', 'pair.2', 'tup.x']],
  ['SELECT countIf(isNotNull(l.maybe)) AS n FROM logs AS l', ['maybe.null']],
])('%s reads %j', async (sql, columns) => {
  const { sql: statement } = sandbox.assemble(await sandbox.check(sql), 1000);
  expect(
    (await columnsRead(statement)).filter((name) => name !== 'timestamp' || columns.includes(name)),
  ).toEqual(columns);
});

test('subcolumns of computed columns and of tables that aggregate are not added', async () => {
  for (const sql of ['SELECT tup.x FROM computed', 'SELECT b.x FROM grouped']) {
    expect((await sandbox.check(sql)).narrow).toBeUndefined();
  }
});

test('more subcolumns than are worth it are not read alone', async () => {
  const paths = Array.from({ length: 101 }, (_, index) => `doc.p${index}`);
  const countOf = async (list: readonly string[]): Promise<number | undefined> => {
    const { narrow: sent } = await sandbox.check(`SELECT ${list.join(', ')} FROM logs`);
    return sent?.subcolumns.get('logs')?.length;
  };
  expect(await countOf(paths)).toBeUndefined();
  expect(await countOf(paths.slice(1))).toBe(100);
});

test('each table of a union has the subcolumns of its own branches', async () => {
  const paths = (letter: string) => Array.from({ length: 40 }, (_, index) => `doc.${letter}${index}`);
  const branches = [
    `SELECT ${paths('p').join(', ')} FROM logs`,
    `SELECT ${paths('q').join(', ')} FROM computed`,
  ];
  const { narrow } = await sandbox.check(`${branches.join(' UNION ALL ')} LIMIT 1`);
  const names = (table: string) => narrow?.subcolumns.get(table)?.map(({ path }) => path) ?? [];
  expect(names('logs').map((path) => `doc.${path}`)).toEqual(paths('p'));
  expect(names('computed').map((path) => `doc.${path}`)).toEqual(paths('q'));
});
