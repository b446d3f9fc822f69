// The forms of a statement are equal: with and without columns for subcolumns, conditions below the barrier, sorting below it and
// reduced optional conditions, a query has the same names, types and rows, or the same failure.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consumerFailure } from '../../../src/guard/sandbox/failure.ts';
import type { Sandbox, Verdict } from '../../../src/guard/sandbox/sandbox.ts';
import { bound, codeOf, describeDotted, describeTables, openSandbox, openWorld } from './fixture.ts';
import type { World } from './fixture.ts';
import { createRandom } from './mutants.ts';

/** A hundredth of the other fuzzers' cases: each runs three statements. */
const { FUZZ_CASES } = process.env;
const CASES = FUZZ_CASES === undefined ? 60 : Math.max(200, Number(FUZZ_CASES) / 100);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

const MINE = 'project = @project';
const SAVED = bound(`WITH
  logs AS (SELECT timestamp, id, num, ratio, doc, tup, items, tags, maybe FROM odd.logs
    WHERE ${MINE} AND (@unset IS NULL OR num > 1000) AND (@project IS NULL OR num < 1000) ORDER BY timestamp DESC -- newest first
  ),
  other AS (SELECT id, num, doc, tup FROM odd.other /* FROM WHERE */ WHERE ${MINE} AND id != 'ORDER BY LIMIT'),
  computed AS (SELECT id, concat(id, 'x') AS tup, doc FROM odd.logs WHERE ${MINE}),
  renamed AS (SELECT l.id, l.num, l.doc AS body, l.tup AS doc FROM odd.logs AS l WHERE ${MINE} ORDER BY l.num, l.id LIMIT 9),
  few AS (SELECT id, num, doc FROM (SELECT * FROM odd.logs WHERE ${MINE} ORDER BY timestamp DESC) LIMIT 5),
  tied AS (SELECT id, num, doc FROM (SELECT * FROM odd.logs WHERE ${MINE}) ORDER BY doc.n DESC, id LIMIT 3 WITH TIES),
  each AS (SELECT id, num, doc FROM (SELECT * FROM odd.logs WHERE ${MINE} ORDER BY timestamp DESC) LIMIT 1 BY num % 4),
  firsts AS (SELECT groupArray(id) AS ids FROM (SELECT id FROM odd.logs WHERE ${MINE} ORDER BY timestamp DESC)),
  ranked AS (SELECT id, num, rowNumberInAllBlocks() AS rank FROM (SELECT id, num FROM odd.logs WHERE ${MINE} ORDER BY timestamp DESC)),
  inner AS (SELECT id, num, doc FROM (SELECT * FROM odd.logs WHERE ${MINE} ORDER BY timestamp) ORDER BY id DESC),
  multiplied AS (SELECT id, num, doc, arrayJoin(tags) AS tag FROM odd.logs PREWHERE ${MINE}),
  windowed AS (SELECT id, num, doc, row_number() OVER (ORDER BY timestamp) AS nth FROM odd.logs WHERE ${MINE} ORDER BY id),
  replaced AS (SELECT id, num, doc FROM odd.replaced FINAL WHERE ${MINE}),
  hidden AS (SELECT id, doc, tup FROM odd.dotted WHERE ${MINE}),
  renamed_hidden AS (SELECT id, doc AS body FROM odd.dotted WHERE ${MINE}),
  starred AS (SELECT * FROM odd.dotted WHERE ${MINE}),
  aliased AS (SELECT id, doc FROM odd.aliased WHERE ${MINE}),
  seen AS (SELECT id, doc FROM odd.seen WHERE ${MINE}),
  masked AS (SELECT id, doc, length(upper(id) AS doc) AS n FROM odd.logs WHERE ${MINE})
  SELECT * FROM logs`).replaceAll('{unset:String}', '{unset:Nullable(String)}');

const COLUMNS = `project String, timestamp DateTime, id String, num Int64, ratio Float64, doc JSON(a.b String, n Int64),
  tup Tuple(x String, y Tuple(z Int64)), items Array(Tuple(p String, q Int64)), tags Array(String), maybe Nullable(Int64)`;
const ROW = `project, toDateTime('2024-01-01') + (number * 7) % 40, concat(project, '-', toString(number)), number - 3, number / 8,
  concat('{"a":{"b":"s', toString(number), '"},"n":', toString(number % 3), ',"mix":', if(number % 2 = 0, '1', '"one"'), '}'),
  (concat('x', toString(number)), tuple(number)), [('p', number), ('r', 5)], ['a', toString(number % 4)], if(number % 3 = 0, NULL, number)`;

const SEEDS = [
  'CREATE DATABASE odd',
  `CREATE TABLE odd.logs (${COLUMNS}) ENGINE = MergeTree ORDER BY (project, timestamp)`,
  'CREATE TABLE odd.other (project String, id String, num Int64, doc JSON, tup Tuple(z Int64)) ENGINE = MergeTree ORDER BY id',
  `CREATE TABLE odd.replaced (${COLUMNS}) ENGINE = ReplacingMergeTree ORDER BY (project, id)`,
  `CREATE TABLE odd.dotted (project String, id String, doc JSON, tup Tuple(x String), \`doc.secret\` String, \`tup.hidden\` String,
    \`doc.alias\` String ALIAS 'CANARY', \`doc.made\` String MATERIALIZED 'CANARY') ENGINE = MergeTree ORDER BY id`,
  'CREATE TABLE odd.aliased (project String, id String, raw String, doc JSON ALIAS raw::JSON) ENGINE = MergeTree ORDER BY id',
  "CREATE VIEW odd.seen AS SELECT project, id, doc, 'CANARY' AS `doc.secret` FROM odd.logs",
  ...['mine', 'theirs'].flatMap((project) => [
    ...['logs', 'replaced', 'replaced'].map(
      (table) =>
        `INSERT INTO odd.${table} SELECT ${ROW} FROM (SELECT '${project}' AS project, number FROM numbers(40))`,
    ),
    `INSERT INTO odd.other SELECT '${project}', concat('${project}-', toString(number)), number, '{"n":1,"w":2}', tuple(number) FROM numbers(9)`,
    `INSERT INTO odd.dotted (project, id, doc, tup, \`doc.secret\`, \`tup.hidden\`) SELECT '${project}', toString(number), '{"n":1}', tuple('x'), 'CANARY', 'CANARY' FROM numbers(3)`,
    `INSERT INTO odd.aliased (project, id, raw) SELECT '${project}', toString(number), '{"n":1}' FROM numbers(3)`,
  ]),
];

let world: World;
let sandbox: Sandbox;
beforeAll(async () => {
  world = await openWorld();
  for (const sql of SEEDS) await world.oracle.ask(sql);
  const run: World['run'] = (sql, options) => world.run(`SET param_unset = '\\\\N'; ${sql}`, options);
  const [columns, dotted] = [await describeTables({ run }, SAVED), await describeDotted({ run }, SAVED)];
  sandbox = openSandbox({ boundSql: SAVED, explain: world.explain, columns, dotted });
});
afterAll(() => world.oracle.close());

/** The rows, or the code and whether the consumer's query is reported as the cause. */
async function run(sql: string, verdict: Verdict): Promise<string> {
  try {
    return await world.run(`SET param_unset = '\\\\N'; ${sql}`);
  } catch (error) {
    const failure = { engineCode: codeOf(error), message: String(error) };
    const isReported = consumerFailure(verdict, failure, sandbox) !== undefined;
    return `code ${failure.engineCode}, ${isReported ? 'reported' : 'of the endpoint'}`; // its location may differ
  }
}

/** Over a whole JSON column the engine fails to compute a path after ARRAY JOIN: read alone, the path is a column. */
const ARRAY_JOIN_FAILS = 'code 44';

interface Compared {
  readonly difference: string | undefined;
  /** The forms that the statement has. */
  readonly forms: readonly string[];
  readonly isAnswered: boolean;
}

async function compare(sql: string): Promise<Compared> {
  const verdict = await sandbox.check(sql).catch(() => undefined);
  if (verdict === undefined) return { difference: undefined, forms: [], isAnswered: false };
  const { narrow, below, unordered, ...plain } = verdict;
  const now = await run(sandbox.assemble(verdict, 1000, (name) => name === 'unset').sql, verdict);
  const before = await run(sandbox.assemble(plain, 1000).sql, verdict);
  const isSame = (now === before || before.startsWith(ARRAY_JOIN_FAILS)) && !now.includes('CANARY');
  const sizes = { narrow: narrow?.subcolumns.size, below: below?.size, unordered: unordered?.size };
  return {
    difference: isSame ? undefined : `${sql}\n${now.slice(0, 300)}\n${before.slice(0, 300)}`,
    forms: Object.entries(sizes).flatMap(([form, size]) => (size === undefined || size === 0 ? [] : [form])),
    isAnswered: !now.startsWith('code'),
  };
}

const F = 'intDiv(100, num + 4) >= 0';

test.each([
  // Columns of the stored table that have the name of a subcolumn.
  'SELECT doc.secret, doc.alias, doc.made FROM hidden', 'SELECT tup.hidden FROM hidden', 'SELECT tup.x, doc.n FROM hidden ORDER BY id',
  'SELECT body.secret, body.alias FROM renamed_hidden', 'SELECT doc.alias, doc.made FROM starred', 'SELECT doc.secret FROM seen',
  'SELECT doc.n FROM seen ORDER BY id', 'SELECT doc.n FROM aliased ORDER BY id', 'SELECT doc.n FROM masked ORDER BY id',
  'SELECT body.n, doc.x, doc.y.z FROM renamed ORDER BY id', 'SELECT doc.n FROM replaced WHERE doc.n = 1 ORDER BY id',
  // Columns of one name and different types.
  'SELECT a.tup.x, b.tup.z FROM logs AS a JOIN other AS b USING id ORDER BY a.id', 'SELECT tup.x FROM logs JOIN other USING id ORDER BY id',
  'SELECT tup.x FROM logs UNION ALL SELECT tup.z FROM other ORDER BY toString(tup.x)', 'SELECT doc.n FROM logs JOIN computed USING id ORDER BY id',
  'SELECT c.tup.z, logs.tup.x FROM (SELECT tup, id FROM other) AS c JOIN logs USING id ORDER BY logs.id', 'SELECT tup.nope FROM logs',
  // Keys.
  'SELECT tup.x, count() FROM logs GROUP BY tup ORDER BY tup.x', 'SELECT doc.n, count() FROM logs GROUP BY doc ORDER BY ALL',
  "SELECT tup, count() FROM logs GROUP BY 1 HAVING tup.x > 'a' ORDER BY tup.x", 'SELECT *, tup.x FROM other JOIN logs USING id GROUP BY ALL ORDER BY ALL',
  'SELECT tup, tup.x, count() FROM logs GROUP BY ALL ORDER BY ALL', 'SELECT DISTINCT tup FROM logs ORDER BY tup.x', 'SELECT num, tup.x FROM logs GROUP BY * ORDER BY ALL',
  'SELECT tup.x, sum(num) FROM logs GROUP BY GROUPING SETS ((tup), (tup.x)) ORDER BY ALL', 'SELECT tup.x, sum(num) FROM logs GROUP BY tup.x WITH TOTALS ORDER BY ALL',
  'SELECT doc.n, sum(num) FROM logs GROUP BY doc.n WITH ROLLUP ORDER BY ALL', 'SELECT doc.n, count(*) FROM logs GROUP BY doc.n ORDER BY ALL',
  // ARRAY JOIN and USING.
  'SELECT logs.items.p FROM logs ARRAY JOIN items ORDER BY ALL', 'SELECT items.p, items.q FROM logs ARRAY JOIN items.p ORDER BY ALL', 'SELECT items.p FROM logs ARRAY JOIN items ORDER BY ALL',
  'SELECT logs.items.p FROM logs ARRAY JOIN items.p ORDER BY ALL', 'SELECT i.p, doc.n FROM logs LEFT ARRAY JOIN items AS i ORDER BY ALL',
  'SELECT count() FROM logs AS a JOIN logs AS b USING (doc.n)', 'SELECT 1 FROM logs JOIN other USING (tup.x)',
  // Quoted names and matchers.
  'SELECT `tup.x`, tup.`y.z`, `tup.y`.z, logs.`tup.x` FROM logs ORDER BY id', "SELECT COLUMNS('doc[.]n'), doc.n FROM logs", 'SELECT * REPLACE (1 AS `doc.n`), doc.n FROM logs ORDER BY id',
  'SELECT logs.tup.*, tup.x FROM logs ORDER BY id', 'SELECT tuple(*), countIf(doc.n = 1) OVER () FROM logs ORDER BY id', 'SELECT count(*), uniq(*) FROM logs WHERE doc.n = 1',
  // Sorting that a LIMIT or a function of the endpoint depends on.
  `SELECT id, count() FROM few WHERE ${F} GROUP BY id ORDER BY id`, `SELECT id, count() FROM each WHERE ${F} GROUP BY id ORDER BY id`,
  'SELECT ids, count() FROM firsts WHERE intDiv(1, length(ids)) = 0 GROUP BY ids', `SELECT id, max(rank) FROM ranked WHERE ${F} GROUP BY id ORDER BY id`,
  `SELECT id, count() FROM tied WHERE ${F} GROUP BY id ORDER BY id`, `SELECT id, max(nth) FROM windowed WHERE ${F} GROUP BY id ORDER BY id`,
  `SELECT doc.n, groupArray(id), anyLast(id), first_value(num), array_agg(id), argMin(id, doc.n) FROM logs WHERE ${F} GROUP BY doc.n ORDER BY doc.n`,
  `SELECT doc.n, sum(num), quantile(0.5)(ratio), uniq(id), min(ratio), avg(ratio) FROM logs WHERE ${F} AND num >= 2 GROUP BY doc.n ORDER BY doc.n`,
  // Conditions.
  `SELECT id FROM logs WHERE NOT num = 1 AND NOT num BETWEEN 3 AND 5 AND ${F} ORDER BY id`, `SELECT id FROM logs WHERE num > 3 AND ${F} ? num > 5 AND 1 : 0 ORDER BY id`,
  `SELECT id FROM logs WHERE CASE WHEN num > 3 AND num < 9 THEN 1 ELSE 0 END AND ${F} ORDER BY id`, `SELECT id FROM logs WHERE maybe != 5 AND NOT maybe AND ${F} ORDER BY id`,
  `SELECT id FROM logs WHERE id LIKE 'mine!_%' ESCAPE '!' AND ${F} ORDER BY id`, `SELECT id FROM logs WHERE (id, num) IN (('mine-5', 2), ('mine-7', 4)) AND ${F} ORDER BY id`,
  `SELECT count() FROM logs WHERE num > 4 AND num < 3000 AND ${F} WITH TOTALS`, `SELECT id FROM logs WHERE num = 'abc' AND ${F}`, `SELECT id FROM logs WHERE NULL AND ${F} ORDER BY id`,
  `SELECT id FROM logs WHERE num <=> 3 AND num IS NOT DISTINCT FROM 3 AND ${F} ORDER BY id`, `SELECT doc.n AS v FROM logs AS doc WHERE doc.n = 1 AND ${F} ORDER BY v`,
])('%s', async (sql) => {
  expect((await compare(sql)).difference).toBeUndefined();
}); // prettier-ignore

const TABLES = [
  ...Array<string>(20).fill('logs'),
  'other',
  'computed',
  'renamed',
  'few',
  'tied',
  'each',
  'inner',
  'multiplied',
  'windowed',
  'replaced',
  'aliased',
];
const COMMON = [
  'id',
  'num',
  'ratio',
  'maybe',
  'doc.n',
  'doc.a.b',
  'tup.x',
  'tup.y.z',
  'tup.y',
  'items.p',
  's.doc.n',
  's.tup.x',
  'tags.size0',
  'upper(tup.x)',
  'length(tags)',
  'tup.1',
];
const VALUES = [
  ...COMMON,
  ...COMMON,
  ...COMMON,
  'id',
  'num',
  'ratio',
  'maybe',
  'doc.n',
  'doc.a.b',
  'doc.mix',
  'doc.mix.:Int64',
  'doc.^a',
  'doc.nothing',
  'tup.x',
  'tup.y.z',
  'tup.y',
  'tup.z',
  'tup',
  'doc',
  'items.p',
  'items',
  'tags.size0',
  'maybe.null',
  '`doc.n`',
  's.doc.n',
  's.tup.x',
  's.id',
  's.num',
  'body.n',
  'nth',
  'tag',
  'upper(tup.x)',
  'num + doc.n',
  'tup.2.z',
  'notEmpty(tags) AS e',
  'maybe IS NULL',
  's.maybe IS NOT NULL',
  'isNull(maybe)',
  'length(s.tags) AS l',
  'length(items)',
  '(tup).x',
  'items.q[1]',
  'length(tags)',
  'doc::String',
  '*',
  's.*',
  "COLUMNS('o')",
];
const CONDITIONS = [
  F,
  F,
  F,
  'intDiv(7, num - 100) < 9',
  'num > 4',
  'num BETWEEN 2 AND 30',
  'NOT num = 7',
  'NOT (num = 7 AND doc.n = 1)',
  "id LIKE 'mine-1%'",
  'maybe IS NOT NULL',
  'maybe',
  'NOT maybe > 5',
  'doc.n = 1',
  "tup.x != 'x4'",
  's.num < 33',
  's.doc.n IN (0, 2)',
  'num IN (1, 2, 3, 4, 5)',
  '(num > 20 OR doc.n = 0)',
  'num > 20 OR doc.n = 0',
  "timestamp > toDateTime('2024-01-01 00:00:05')",
  "id NOT IN ('mine-3')",
  'num > 5 ? 1 : doc.n = 2',
  'if(num > 3, 1, 0)',
  "has(tags, 'a')",
  "doc.a.b > 's2'",
  "doc.mix = 'one'",
  'CASE WHEN num > 3 THEN 1 ELSE NULL END',
  '(num, doc.n) != (4, 1)',
  "arrayJoin(tags) = 'a'",
  'NULL',
  'ratio < 3.5',
];
const AGGREGATES = [
  'count()',
  'sum(num)',
  'max(id)',
  'uniq(doc.n)',
  'avg(ratio)',
  'quantile(0.9)(num)',
  'countIf(doc.n = 1)',
  'groupArray(id)',
  'anyLast(num)',
  'argMax(id, num)',
  'first_value(id)',
  'groupUniqArray(doc.n)',
  'min(tup.x)',
  'count(*)',
];
const SOURCES = [
  '{t} AS s',
  '{t} AS s',
  '{t} AS s',
  '{t} AS s',
  '(SELECT * FROM {t} WHERE {c}) AS s',
  '(SELECT id, num, doc FROM {t}) AS s',
  '{t} AS s JOIN other AS o USING id',
  '{t} AS s LEFT JOIN logs AS o ON s.id = o.id AND o.doc.n = 1',
  '{t} AS s ARRAY JOIN tags AS g',
  '{t} AS s ARRAY JOIN items',
  '{t} AS s ARRAY JOIN items.p AS g',
  '(SELECT id, num, doc.n, doc FROM {t} WHERE {c}) AS s',
  '(SELECT doc, count() AS num FROM {t} GROUP BY doc) AS s',
];
const QUERIES = [
  'SELECT {v} AS v, {v} FROM {s} WHERE {c} AND {c} ORDER BY ALL', 'SELECT {v}, {v} FROM {s} WHERE {c} AND {c} AND {c} ORDER BY ALL LIMIT 7', 'SELECT DISTINCT {v}, {v} FROM {s} WHERE {c} ORDER BY ALL',
  'SELECT {v} AS v, {a}, {a} FROM {s} WHERE {c} AND {c} GROUP BY v ORDER BY ALL', 'SELECT {v} AS v, {a} FROM {s} WHERE {c} GROUP BY {v} ORDER BY ALL', 'SELECT {v}, {a} FROM {s} WHERE {c} AND {c} GROUP BY ALL ORDER BY ALL',
  'SELECT {v}, {a} FROM {s} WHERE {c} GROUP BY GROUPING SETS ((1), ()) ORDER BY ALL', 'SELECT {a}, {a} FROM {s} WHERE {c} AND {c}', 'SELECT {v} AS v, {a} FROM {s} WHERE {c} GROUP BY 1 WITH TOTALS HAVING {a} != 3 ORDER BY ALL',
  'WITH c AS (SELECT * FROM {s} WHERE {c} AND {c}) SELECT {v} FROM c AS s WHERE {c} ORDER BY ALL', 'SELECT {v} AS v FROM {s} WHERE id IN (SELECT id FROM {t} AS s WHERE {c} AND {c}) ORDER BY ALL',
  'SELECT {v} AS v FROM {s} WHERE {c} UNION ALL SELECT {v} FROM {s} WHERE {c} AND {c} ORDER BY ALL', 'SELECT {v}, row_number() OVER (PARTITION BY {v} ORDER BY id, num) FROM {s} WHERE {c} AND {c} ORDER BY ALL',
]; // prettier-ignore

function generate(count: number, seed: number): readonly string[] {
  const random = createRandom(seed);
  const pick = (items: readonly string[]): string => items[random(items.length)] ?? '';
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['{s}', SOURCES],
    ['{t}', TABLES],
    ['{v}', VALUES],
    ['{c}', CONDITIONS],
    ['{a}', AGGREGATES],
  ];
  return Array.from({ length: count }, () => {
    let sql = pick(QUERIES);
    for (const [place, items] of parts) sql = sql.replaceAll(place, () => pick(items));
    return sql;
  });
}

test(`${CASES} generated queries`, { timeout: 7_200_000 }, async () => {
  const counts = new Map<string, number>();
  const differences: string[] = [];
  for (const sql of generate(CASES, SEED)) {
    const { difference, forms, isAnswered } = await compare(sql);
    if (difference !== undefined) differences.push(difference);
    for (const form of isAnswered ? ['answered', ...forms] : [])
      counts.set(form, (counts.get(form) ?? 0) + 1);
  }
  expect(differences).toEqual([]);
  // Queries that all fail, or that all have the plain form, would prove nothing.
  for (const form of ['answered', 'narrow', 'below', 'unordered'])
    expect(counts.get(form)).toBeGreaterThan(0);
});
