// Total conditions: accepted by the types of their operands, and evaluated on rows of other tenants without failing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import { bound, describeDotted, describeTables, openSandbox, openWorld, type World } from './fixture.ts';

const SAVED =
  bound(`WITH t AS (SELECT id, text, low, maybe, num, ratio, flag, day, at, until, kind, uid, tags, items, attrs, moments, numbers, tup, doc, loose, doc AS hidden
  FROM typed.t WHERE project = @project),
  dotted AS (SELECT id, doc FROM typed.dotted WHERE project = @project)
  SELECT * FROM t`);
const COLUMNS = `project String, id String, text String, low LowCardinality(Nullable(String)), maybe Nullable(Int64), num Int32, ratio Float64, flag Bool,
  day Date, at DateTime64(6, 'UTC'), until Nullable(DateTime), kind Enum('a' = 1, 'b' = 2), uid UUID, tags Array(String), items Array(Array(String)),
  attrs Map(String, String), moments Map(String, Date), numbers Map(UInt64, String), tup Tuple(x String, y Tuple(z Int64)), doc JSON(a.b String, n UInt16, list Array(String)), loose Dynamic`;

let world: World;
let sandbox: Sandbox;
beforeAll(async () => {
  world = await openWorld();
  await world.oracle.ask(`CREATE DATABASE typed;
    CREATE TABLE typed.t (${COLUMNS}) ENGINE = MergeTree ORDER BY id;
    CREATE TABLE typed.dotted (project String, id String, doc JSON(a.b String), \`doc.a.b\` String) ENGINE = MergeTree ORDER BY id;
    INSERT INTO typed.t SELECT if(number % 2, 'mine', 'theirs'), toString(number), toString(number), if(number % 3, NULL, 'l'), if(number % 5, NULL, number), number,
      if(number % 2, number, nan), number % 2, '2024-01-01', '2024-01-01 00:00:00', NULL, 'a', generateUUIDv4(), ['a'], [], map('k', toString(number)), map(), map(),
      (toString(number), tuple(number)), '{"a":{"b":"x","c":[1]},"n":1}', number FROM numbers(20)`);
  const [columns, dotted] = [await describeTables(world, SAVED), await describeDotted(world, SAVED)];
  sandbox = openSandbox({ boundSql: SAVED, explain: world.explain, columns, dotted });
});
afterAll(() => world.oracle.close());

test.each([
  ["text = 'a'", "`text` = 'a'"],
  ['text >= id AND t.num != -1', '`text` >= `id`', '`num` != - 1'],
  [
    "low = 'l' OR NOT (low IS NULL AND maybe IS NOT NULL)",
    "(`low` = 'l' OR NOT ((`low` IS NULL AND `maybe` IS NOT NULL)))",
  ],
  ['maybe BETWEEN 1 AND 7', '`maybe` BETWEEN 1 AND 7'],
  ['ratio IN (1, 2.5, 3) AND num NOT IN (1, 2)', '`ratio` IN ( 1 , 2.5 , 3 )', '`num` NOT IN ( 1 , 2 )'],
  ['toFloat64(num) != 5', 'toFloat64(`num`) != 5'],
  ['flag AND NOT flag', '`flag`', 'NOT (`flag`)'],
  [
    "day > '2023-01-01' AND at <= '2024-01-01 00:00:00.5'",
    "`day` > '2023-01-01'",
    "`at` <= '2024-01-01 00:00:00.5'",
  ],
  ["at > '2024-01-01T02:00:00.000+02:00'", "`at` > '2024-01-01 00:00:00'"],
  [
    'at BETWEEN now() - INTERVAL 1 DAY AND now()',
    '`at` BETWEEN toDateTime64 ( now ( ) - INTERVAL 1 DAY , 0 ) AND toDateTime64 ( now ( ) , 0 )',
  ],
  [
    "until > toDateTime('2024-01-01') - toIntervalDay(2)",
    "`until` > toDateTime ( '2024-01-01' ) - toIntervalDay ( 2 )",
  ],
  ['kind IS NULL', '`kind` IS NULL'],
  [
    "has(tags, 'a') AND notEmpty(tags) AND length(attrs) = 1",
    "has(`tags`, 'a')",
    'notEmpty(`tags`)',
    'length(`attrs`) = 1',
  ],
  ["attrs['k'] LIKE '1%' AND mapContains(attrs, 'k')", "`attrs`['k'] LIKE '1%'", "mapContains(`attrs`, 'k')"],
  ["tup.x != 'q' AND t.tup.y.z > 3", "`tup.x` != 'q'", '`tup.y.z` > 3'],
  ["tup.1 = 'q'", "`tup`.1 = 'q'"],
  ["doc.a.b = 'x' AND hidden.n < 7", "`doc.a.b` = 'x'", '`doc.n` < 7'],
  [
    "lower(text) ILIKE '%A%' OR position(text, 'a') > 0",
    "(lower(`text`) ILIKE '%A%' OR position(`text`, 'a') > 0)",
  ],
  [
    "match(text, '^/rest.*\\\\d+|x$') AND startsWith(id, '1')",
    "match(`text`, '^/rest.*\\\\d+|x$')",
    "startsWith(`id`, '1')",
  ],
  [
    'toInt64(doc.n) >= 4 AND toFloat64(maybe) < 7.5 AND toInt64(flag) = 1',
    'toInt64(`doc.n`) >= 4',
    'toFloat64(`maybe`) < 7.5',
    'toInt64(`flag`) = 1',
  ],
])('%s', async (condition, ...stored) => {
  const sql = `SELECT id FROM t WHERE ${condition} ORDER BY id`;
  const verdict = await sandbox.check(sql);
  expect(verdict.below?.get('t')?.stored).toEqual(stored);
  const plain = { ...verdict, below: new Map() };
  expect(await world.run(sandbox.assemble(verdict, 100).sql)).toBe(
    await world.run(sandbox.assemble(plain, 100).sql),
  );
  // Also on every row, over all tenants.
  await world.oracle.ask(`SELECT ${stored.join(', ')} FROM typed.t`);
});

test.each([
  ['doc.a.c = 1', 'a path without a type'],
  ["doc.c.:String = 'x'", 'a path with a type in the query'],
  ['doc.^a IS NULL', 'a subobject'],
  ['loose = 1', 'a value of varying type'],
  ["num = 'abc'", 'a conversion of a literal'],
  ["until > '2024-01-01'", 'a conversion of a literal that fails on the first row only'],
  ["at > '2024-01-01T00:00:00.123456789Z'", 'a time of a scale of its own'],
  ['at > until', 'times of different scales'],
  ['NOT ratio > 5', 'NaN, which the primary index overlooks'],
  ['ratio NOT IN (1)', 'NaN, which minmax indexes overlook'],
  ['ratio != 5', 'NaN'],
  ['ratio NOT BETWEEN 1 AND 2', 'NaN'],
  ["attrs['k'] LIKE '%'", 'an absent key, for which an index of keys has no row'],
  ["attrs['k'] NOT LIKE 'a%'", 'an absent key'],
  ["match(attrs['k'], 'a*')", 'an absent key'],
  ['at = now64(6)', 'a time of another type, which a bloom filter rejects'],
  ["numbers['5'] = 'a'", 'a map whose keys are not text'],
  ["moments['k'] = '2024-01-01'", 'a time in a map, which a bloom filter rejects'],
  [
    Array.from({ length: 260 }, (_, index) => `num = ${index}`).join(' OR '),
    'so many terms that the engine would be slow',
  ],
  ["kind = 'zz'", 'an enumeration'],
  ["uid = 'zz'", 'a UUID'],
  ["has(items, 'a')", 'an array of arrays'],
  ["match(text, '(')", 'a malformed regular expression'],
  ["match(text, '(a+)+')", 'a regular expression that is not plain'],
  ["text LIKE 'a\\\\'", 'a malformed pattern'],
  ['toInt64(text) > 5', 'a conversion'],
  ['toInt64(ratio) > 5', 'a conversion of NaN'],
  ['num + 1 > 5', 'arithmetic'],
  ['num % 2', 'a remainder'],
  ['num IN (1, NULL)', 'NULL in a list'],
  ['at > now() - INTERVAL num DAY', 'an interval of a column'],
  ['(num AS n) = 1', 'an alias'],
  ['CASE WHEN num > 1 THEN 1 ELSE 0 END', 'CASE'],
  ['if(num > 1, 1, 0)', 'if'],
  ['num > 1 ? 1 : 0', 'a choice'],
  ['1', 'a literal'],
])('%s is not total: %s', async (condition) => {
  const { below } = await sandbox.check(`SELECT id FROM t WHERE ${condition}`);
  expect(below?.get('t')?.stored ?? []).toEqual([]);
});

test('a column of the stored table that has the name of a subcolumn is not read', async () => {
  const { below } = await sandbox.check("SELECT id FROM dotted WHERE doc.a.b = 'x' AND id = 'a'");
  expect(below?.get('dotted')?.stored).toEqual(["`id` = 'a'"]);
});

test('conditions are repeated up to a number of terms, whatever the length of lists of values', async () => {
  const many = Array.from({ length: 400 }, (_, index) => `num != ${index}`).join(' AND ');
  const list = Array.from({ length: 1000 }, (_, index) => index).join(', ');
  const { below } = await sandbox.check(`SELECT id FROM t WHERE num IN (${list}) AND ${many}`);
  expect(below?.get('t')?.stored).toHaveLength(374);
});

test('fewer terms are repeated in a table that is read through several references', async () => {
  const many = Array.from({ length: 100 }, (_, index) => `num != ${index}`).join(' AND ');
  const storedOf = async (references: number): Promise<number | undefined> => {
    const counts = Array.from({ length: references }, () => 'SELECT count() FROM u').join(' UNION ALL ');
    const { below } = await sandbox.check(`WITH u AS (SELECT id FROM t WHERE ${many}) ${counts}`);
    return below?.get('t')?.stored.length;
  };
  expect([await storedOf(1), await storedOf(4), await storedOf(25)]).toEqual([100, 100, 75]);
});

test('names that the query defines are not columns', async () => {
  for (const sql of [
    "SELECT upper(text) AS text FROM t WHERE text = 'a'",
    "SELECT 'x' AS `doc.n` FROM t WHERE doc.n = 1",
    "SELECT 'x' AS `t.num` FROM t WHERE t.num = 1",
    'SELECT doc.n FROM t AS doc WHERE doc.n = 1',
  ]) {
    const { below } = await sandbox.check(sql);
    expect(below?.get('t')?.stored ?? []).toEqual([]);
  }
  const { below } = await sandbox.check("SELECT upper(t.text) AS text FROM t WHERE t.text = 'a'");
  expect(below?.get('t')?.stored).toEqual(["`text` = 'a'"]);
});

test('NaN that the primary index overlooks is found', async () => {
  await world.oracle
    .ask(`CREATE TABLE typed.nan (project String, id String, ratio Float64) ENGINE = MergeTree ORDER BY ratio SETTINGS index_granularity = 4;
    INSERT INTO typed.nan SELECT if(number < 12, 'mine', 'theirs'), toString(number), [nan, inf, 1, 7][number % 4 + 1] FROM numbers(24)`);
  const saved = bound('WITH t AS (SELECT id, ratio FROM typed.nan WHERE project = @project) SELECT * FROM t');
  const floats = openSandbox({ boundSql: saved, columns: await describeTables(world, saved) });
  for (const [condition, count] of [
    ['NOT ratio > 5', 6],
    ['NOT ratio BETWEEN 0 AND 5', 9],
    ['ratio NOT BETWEEN 0 AND 5', 6], // as `ratio < 0 OR ratio > 5`
    ['not(ratio < 5 OR ratio > 6)', 3],
    ['(ratio > 5) = 0', 6],
    ['0 = (ratio > 5)', 6],
    ['ratio > 5 != 1', 6],
    ['equals(ratio > 5, 0)', 6],
    ['(ratio > 5) IN (0)', 6],
    ['(ratio > 5) < 1', 6],
    ['(ratio > 5) != true', 6],
    ['if(ratio > 5, 0, 1)', 6],
    ['xor(ratio > 5, 1)', 6],
    ['(ratio > 5 AS big) = 0', 6],
    ['ratio NOT IN (1)', 9],
  ] as const) {
    const verdict = await floats.check(`SELECT count() FROM t WHERE ${condition}`);
    const answer = await world.run(floats.assemble(verdict, 10).sql, { format: 'TSV' });
    expect.soft(`${condition}: ${answer.trim()}`).toBe(`${condition}: ${count}`);
  }
});
