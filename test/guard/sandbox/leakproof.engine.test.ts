// Which queries can fail on a row: those run above a barrier.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import type { ComputedOnRead } from '../../../src/guard/sandbox/sandbox.ts';
import type { TableColumn } from '../../../src/guard/sandbox/columns.ts';
import { openSandbox } from './fixture.ts';
import { SHIPPED } from '../../support/folder-sources.ts';

const COLUMNS: readonly TableColumn[] = [
  { name: 'timestamp', type: "DateTime64(6, 'UTC')" },
  { name: 'id', type: 'String' },
  { name: 'text', type: 'String' },
  { name: 'num', type: 'Int64' },
  { name: 'sparse', type: 'UInt64' },
  { name: 'tags', type: 'Array(String)' },
  { name: 'doc', type: 'JSON(code UInt16)' },
];
const SAVED = 'WITH t AS (SELECT * FROM app.logs WHERE project = {project:String}) SELECT * FROM t';

async function isLeakproof(sql: string, columns = COLUMNS): Promise<boolean> {
  const sandbox = openSandbox({ boundSql: SAVED, columns: new Map([['t', columns]]) });
  return (await sandbox.check(sql)).isLeakproof;
}

const where = (condition: string): string => `SELECT id FROM t WHERE ${condition}`;

describe('succeeds on every row', () => {
  test.each([
    {
      sql: 'SELECT toUInt64(text) AS n FROM t WHERE num > 1 ORDER BY toUInt64(text), n',
      why: 'no condition uses it',
    },
    { sql: 'SELECT toStartOfHour(timestamp) AS h, count() FROM t WHERE num > 1 GROUP BY h ORDER BY h' },
    { sql: 'SELECT COLUMNS(text) APPLY(toUInt64) FROM t WHERE num > 1' },
    { sql: "SELECT e.id FROM t AS e WHERE toDateTime64(e.timestamp, 3) > '2024-01-01'" },
    {
      sql: 'SELECT toUInt64(text), text::Int64, num % 2 FROM t ORDER BY num LIMIT 5',
      why: 'nothing is pushed down',
    },
    { sql: where("text = 'a' AND num >= 5 OR NOT num IN (1, 2)") },
    { sql: where("timestamp > '2024-01-01' AND timestamp BETWEEN now() - INTERVAL 1 HOUR AND now()") },
    { sql: where("timestamp >= toDateTime64('2024-01-01 00:00:00', 6, 'UTC')"), why: 'a constant' },
    { sql: where('timestamp > date_sub(now(), INTERVAL 1 DAY)'), why: 'a constant' },
    {
      sql: where("timestamp > parseDateTimeBestEffort('2024-01-01') AND num > toUInt8('5')"),
      why: 'constants',
    },
    { sql: where("timestamp > '2024-01-01'::DateTime") },
    { sql: where("timestamp > CAST('2024-01-01' AS DateTime)") },
    { sql: where("text ILIKE '%a%' AND match(text, '^a') AND lower(text) NOT LIKE 'x%'") },
    { sql: where('doc.code >= 500 AND doc.other IS NOT NULL') },
    { sql: where('toFloat64OrNull(text) > 5 AND toInt64OrZero(text) = 1') },
    { sql: where("arrayExists(x -> x = 'a', tags) AND has(tags, 'b')") },
    {
      sql: 'SELECT toStartOfInterval(timestamp, INTERVAL 5 MINUTE) AS m, count(), quantile(0.9)(num) FROM t WHERE num > 3 GROUP BY m HAVING count() > 1',
    },
    { sql: where("toDateTime64(toDateTime64(timestamp, 6, 'UTC'), 6, 'UTC') > now()") },
    { sql: where('num > -5 AND num BETWEEN -1 AND 2 * 3') },
    { sql: 'SELECT * FROM (SELECT * FROM t) WHERE num > 1' },
    { sql: 'SELECT text, count(*) FROM t GROUP BY text HAVING count(*) > 5' },
    { sql: where('timestamp > now() - 3600'), why: 'a sum of constants' },
    {
      sql: 'SELECT max(timestamp) - min(timestamp) AS s, count() - 1 FROM t WHERE num > 1 HAVING s > 5',
      why: 'of groups',
    },
    { sql: where("arrayExists((x) -> x = 'a', tags) AND arrayUniq(tags) > 1"), why: 'one array' },
    { sql: where("accurateCastOrNull(text, 'UInt64') > 5") },
    { sql: where("text::String = 'a' AND text IS NOT NULL") },
    { sql: where("timestamp > now64(3) AND timestamp < toDateTime64('2024-01-01', 6)") },
    { sql: where("substring(text, 1, 3) = 'abc'") },
    {
      sql: where("stamp > '2024-01-01' AND stamp < now()"),
      columns: [
        { name: 'id', type: 'String' },
        { name: 'stamp', type: 'DateTime64(9)' },
      ],
      why: 'a constant is scaled, not the column',
    },
    {
      sql: where(
        "num NOT IN (1, 2) AND num NOT BETWEEN 3 AND 4 AND ratio IS NOT NULL AND length(text) != 4 AND text NOT LIKE 'a%' AND ratio > 5 AND num != 7",
      ),
      columns: [...COLUMNS, { name: 'ratio', type: 'Float64' }],
    },
    {
      sql: where(
        "toString(small) = '5' AND small::String != '6' AND toString(id) = 'a' AND CAST(id AS String) != ''",
      ),
      columns: [...COLUMNS, { name: 'small', type: 'UInt32' }],
    },
    { sql: where('isNotNull(doc.other) AND doc.code = 5 AND NOT isNull(doc.name)') },
    { sql: where("doc.name::String = 'a' AND toString(doc.name) != 'b'"), why: 'a path of a document' },
    {
      sql: "SELECT e.doc.name AS name, lower(text) AS text FROM t AS e WHERE e.doc.name.:String = 'a' AND e.text = 'b'",
      why: 'columns of the table itself, after its name',
    },
    {
      sql: where(
        "if(num > 5, 'many', 'few') = 'few' AND concat(text, '-', id) != 'a-b' AND text || id != 'ab'",
      ),
    },
    {
      sql: where(
        `text IN (${Array.from({ length: 500 }, (_, n) => `'value ${n}'`).join(', ')}) AND [1, 2] = [1, 2]`,
      ),
    },
    {
      sql: where(
        "ratio = 5 AND ratio > 0 AND ratio IN (1, 2) AND hash = 'abcd' AND hash LIKE 'a%' AND flag = 1 AND flag AND note = 'a' AND note LIKE '%a%' AND level = 'a'",
      ),
      columns: [
        ...COLUMNS,
        { name: 'ratio', type: 'Float64' },
        { name: 'hash', type: 'FixedString(4)' },
        { name: 'flag', type: 'Bool' },
        { name: 'note', type: 'Nullable(String)' },
        { name: 'level', type: "Nullable(Enum8('a' = 1))" },
      ],
    },
    { sql: where("timestamp > timestamp '2024-01-01 00:00:00' AND now() - INTERVAL 1 DAY < timestamp") },
    { sql: where("match(text, '(é|a)') AND match(text, '^a.*')") },
    {
      sql: where("hasAny(tags, ['a', 'b']) AND arrayExists(x -> lower(x) = 'a', tags) AND has(tags, 'b')"),
    },
    {
      sql: where(
        "position(text, 'a') > 0 AND positionCaseInsensitive(text, 'b') = 0 AND match(text, 'error|timeout|refused')",
      ),
    },
    {
      sql: where("match(text, '^a.*') AND text LIKE '%'"),
      columns: [...COLUMNS, { name: 'attrs', type: 'Map(String, String)' }],
      why: 'no element of the map',
    },
  ])('$sql', async ({ sql, columns }) => {
    expect(await isLeakproof(sql, columns)).toBe(true);
  });
});

describe('can fail on a row', () => {
  test.each([
    {
      sql: where("toStartOfHour(timestamp) = '2024-01-01 10:00:00'"),
      why: 'wraps around, but the engine assumes that it is monotonic',
    },
    { sql: where("toDate(timestamp) = '2024-01-01'") },
    { sql: 'SELECT toStartOfHour(timestamp) AS h FROM t WHERE h > now()', why: 'by its alias' },
    { sql: 'SELECT toStartOfHour(timestamp) AS h, count() FROM t GROUP BY h HAVING h > now()' },
    { sql: 'SELECT h FROM (SELECT toStartOfHour(timestamp) AS h FROM t) WHERE h > now()' },
    { sql: 'SELECT CAST(timestamp AS DateTime) AS timestamp FROM t WHERE timestamp > now()' },
    { sql: where('toUInt64(text) > 5') },
    { sql: where('"toUInt64"(text) > 5'), why: 'quoted' },
    { sql: where('text::Int64 > 5') },
    { sql: where("CAST(text AS Int64) > 5 OR CAST(text, 'Int64') > 5") },
    { sql: where('intDiv(1, num) > 5') },
    { sql: where('num % num = 1') },
    { sql: where('1 DIV num = 1') },
    { sql: where('1 MOD num = 1') },
    { sql: where('text LIKE id'), why: 'a pattern from a row' },
    { sql: where("text LIKE ('a' || id)") },
    { sql: where("text LIKE 'a' || id") },
    { sql: where('like(text, id)') },
    { sql: where('match(text, id)') },
    { sql: where('text REGEXP id') },
    { sql: where('round(1.5, num) > 1') },
    { sql: where('num * 0 <= 0'), why: 'infinity times zero is not a number' },
    { sql: where('now() - num > now()'), why: 'times overflow' },
    { sql: where('num + 1 > 5') },
    { sql: where('round(num) = 5'), why: 'wraps around, but the engine assumes that it is monotonic' },
    { sql: where('num > 5 - num') },
    { sql: where('5 * -num > 1') },
    { sql: where("toString(timestamp, text) = 'a'"), why: 'a time zone from a row' },
    { sql: where("substring(text, 1, num) = 'a'") },
    { sql: where("substring(text FROM 1 FOR num) = 'a'") },
    { sql: where("left(text, num) = 'a'") },
    { sql: where('(text + INTERVAL 1 DAY) > now()'), why: 'a string is parsed' },
    { sql: where('(INTERVAL 1 DAY + text) > now()') },
    { sql: where('(text + toIntervalDay(1)) > now()') },
    { sql: where("(text + CAST('1', 'IntervalDay')) > now()") },
    { sql: where("(text + '1'::IntervalDay) > now()") },
    { sql: where('now() > (text + if(1, INTERVAL 1 DAY, INTERVAL 2 DAY))') },
    { sql: where('plus(text, INTERVAL 1 DAY) > now()') },
    { sql: 'WITH INTERVAL 1 DAY AS d SELECT id FROM t WHERE (text + d) > now()' },
    { sql: where('toIntervalDay(num) = toIntervalDay(1)') },
    { sql: where('toStartOfInterval(timestamp, INTERVAL 1 NANOSECOND) > now()') },
    { sql: where('toDateTime64(timestamp, 9) > now()'), why: 'the year 2299 is out of range' },
    { sql: where('toDateTime(text) > now()') },
    {
      sql: 'SELECT id FROM (SELECT text AS timestamp, id FROM t) WHERE toDateTime(timestamp) > now()',
      why: 'a string with the name of a time',
    },
    { sql: 'SELECT id FROM (SELECT text timestamp, id FROM t) WHERE toDateTime(timestamp) > now()' },
    {
      sql: 'SELECT e.id FROM (SELECT text AS timestamp, id FROM t) AS e WHERE toDateTime(e.timestamp) > now()',
    },
    {
      sql: 'WITH e AS (SELECT text AS timestamp FROM t) SELECT 1 FROM e WHERE toDateTime(e.timestamp) > now()',
    },
    {
      sql: where('arrayExists(timestamp -> toDateTime(timestamp) > now(), tags)'),
      why: 'an argument of that name',
    },
    { sql: 'SELECT * REPLACE (text AS timestamp) FROM t WHERE toDateTime(timestamp) > now()' },
    { sql: where('arrayExists(x -> toUInt64(x) > 5, tags)') },
    { sql: where('toUInt64((SELECT max(text) FROM t)) > 5') },
    { sql: where("toDecimal32('1', 2) / num > 1"), why: 'decimals fail where floats do not' },
    { sql: where('num / 1::Decimal(9, 2) > 1') },
    { sql: where('timestamp - INTERVAL 1 DAY > now()') },
    { sql: where("(timestamp AT TIME ZONE 'UTC') > now()") },
    { sql: 'SELECT sum(toUInt64(text)) AS s FROM t HAVING s > 1' },
    { sql: 'SELECT count() FROM t AS l JOIN t AS r ON toUInt64(l.text) = r.num' },
    { sql: where('(text, num).1::UInt64 > 5'), why: 'an element of a tuple looks like a number' },
    { sql: where("nullIf(text, 'secret')::String = 'a'"), why: 'NULL is not a String' },
    { sql: where("CAST(if(text = 'secret', NULL, 'a') AS String) = 'a'") },
    { sql: where("CASE WHEN text = 'secret' THEN 'a' END::String = 'a'") },
    { sql: where('toInt64OrNull(text)::String > id') },
    { sql: where("doc.other.:Int64::String > 'a'"), why: 'NULL of another type' },
    { sql: where("arrayUniq(tags, splitByChar(',', text)) > 1"), why: 'arrays of different lengths' },
    { sql: where("arrayExists((x, y) -> x = y, tags, splitByChar(',', text))") },
    { sql: where("accurateCastOrNull(text, 'Tuple(UInt8)') IS NULL"), why: 'it is parsed anyway' },
    { sql: where("accurateCastOrNull(num, 'DateTime64(9)') IS NULL") },
    { sql: where('toDateTime(0) + INTERVAL num YEAR > now()'), why: 'the number of years comes from a row' },
    { sql: where('toDateTime(0) + INTERVAL (num) MICROSECOND > now()') },
    {
      sql: 'SELECT id FROM (SELECT id, text AS interval FROM t) WHERE toDateTime(0) + toUInt64(interval) > now()',
    },
    { sql: where('timestamp + 9000000000 > now()'), why: 'times overflow' },
    { sql: where('timestamp - toDateTime64(0, 6) > 5') },
    { sql: where('(timestamp, 1).1 + 5 > now()') },
    { sql: where('now64(3) - 5 - num > timestamp'), why: 'a column subtracted from a time' },
    { sql: 'SELECT id FROM (SELECT id, timestamp AS num FROM t) WHERE num + 9000000000 > now()' },
    { sql: where('timestamp > now64(9)'), why: 'the year 2299 is out of range' },
    { sql: where("timestamp > toDateTime64('2024-01-01', 3 + 6)") },
    { sql: where("timestamp > '2024-01-01'::DateTime64(9)") },
    { sql: where('timestamp > (SELECT toDateTime64(0, 9))') },
    { sql: where("date_trunc('nanosecond', timestamp) > now()") },
    { sql: where('timestamp > now() - INTERVAL 1 NS') },
    ...["'1 ns'", "'1\u200bns'", "'1\u2028nanosecond\u00a0'", "'1/**/ns'", String.raw`'1 n\x73'`].map(
      (interval) => ({
        sql: where(`timestamp > now() - INTERVAL ${interval}`),
        why: 'the engine lexes the string',
      }),
    ),
    { sql: where(String.raw`date_trunc('n\x61nosecond', timestamp) > now()`) },
    {
      sql: where('stamp > timestamp'),
      columns: [...COLUMNS, { name: 'stamp', type: 'DateTime64(9)' }],
      why: 'columns of different scales',
    },
    ...['now64(3) + INTERVAL 300 YEAR', "toDateTime64('2299-12-31', 6)", "toDate32('2299-12-31')"].map(
      (value) => ({
        sql: where(`stamp < ${value}`),
        columns: [{ name: 'stamp', type: 'DateTime64(9)' }],
        why: 'a constant of a smaller scale is out of range',
      }),
    ),
    ...['NOT ratio > 5', 'not(ratio > 5)', 'NOT (num = 1 OR ratio < 5)', 'NOT ratio BETWEEN 0 AND 5'].map(
      (condition) => ({
        sql: where(condition),
        columns: [...COLUMNS, { name: 'ratio', type: 'Nullable(Float32)' }],
        why: 'the primary index overlooks NaN',
      }),
    ),
    {
      sql: 'SELECT ratio > 5 AS num FROM t WHERE num = 0',
      columns: [...COLUMNS, { name: 'ratio', type: 'Float64' }],
      why: 'the same, by an alias',
    },
    ...[
      'ratio NOT IN (1)',
      'ratio NOT BETWEEN 3 AND 4',
      'ratio != 5',
      '5 <> ratio',
      'ratio + 1 != 5',

      'coalesce(e.ratio, 0) != 5',
    ].map((condition) => ({
      sql: `SELECT id FROM t AS e WHERE ${condition}`,
      columns: [...COLUMNS, { name: 'ratio', type: 'Nullable(Float32)' }],
      why: 'minmax indexes overlook NaN',
    })),
    {
      sql: where('id IN (SELECT id FROM t WHERE num > 3)'),
      why: 'values are converted to the type on the right',
    },
    { sql: where("id IN (SELECT('a'))") },
    { sql: where('id IN (WITH 1 AS a SELECT text FROM t)') },
    { sql: where("replaceAll(text, 'a', 'b') = 'b'"), why: 'larger than its argument' },
    { sql: where("length(arrayMap(x -> 'text', tags)) > 1") },
    { sql: where("arrayStringConcat(tags, 'a') = 'b'") },
    { sql: where(`if(text = 'a', '${'a'.repeat(300)}', '') = 'b'`), why: 'a long literal for some rows' },
    {
      sql: where(`concat(${Array.from({ length: 40 }, () => 'text').join(', ')}) = 'b'`),
      why: 'many values',
    },
    { sql: where(`${Array.from({ length: 40 }, () => 'text').join(' || ')} = 'b'`) },
    { sql: where(`length([${Array.from({ length: 40 }, () => 'text').join(', ')}]) = 1`) },
    {
      sql: where("(concat(text, text) AS a) = 'b' AND concat(a, a) = 'c'"),
      why: 'a name for a combined value',
    },
    { sql: where("(text || text AS a) = 'b' AND a || a = 'c'") },
    { sql: where("concat(extractAll(text, 'a'), '') = 'b'"), why: 'the text of an array' },
    { sql: where("accurateCastOrNull(tags, 'String') = 'b'") },
    { sql: where("toString(tags) = 'b'") },
    { sql: where("toString(num) = '5'"), why: 'index entries with other numbers of digits' },
    { sql: where("num::String = '5'") },
    { sql: where("CAST(num AS String) = '5'") },
    { sql: where("toString(lower(text)) = '5'") },
    {
      sql: where("toString(stamp) = '2024-01-01'"),
      columns: [{ name: 'stamp', type: "DateTime('Europe/Berlin')" }],
      why: 'an hour that occurs twice',
    },
    { sql: where("toString(doc.at) = '2024-01-01'"), columns: [{ name: 'doc', type: 'JSON(at DateTime)' }] },
    ...[
      'JSON(note Nullable(String))',
      'Tuple(note Nullable(FixedString(4)))',
      'Nullable(Tuple(note Nullable(String)))',
    ].map((type) => ({
      sql: where("NOT doc.note LIKE '%a%'"),
      columns: [
        { name: 'id', type: 'String' },
        { name: 'doc', type },
      ],
      why: 'a text index finds NULL for a negated search',
    })),
    {
      sql: where("hasAny(extractAll(text, '.'), extractAll(upper(text), '.'))"),
      why: 'the product of two lengths',
    },
    { sql: where('hasAll(tags, tags)') },
    { sql: where("arrayExists(x -> has(tags, x), extractAll(text, '.'))") },
    { sql: where('arrayExists(x -> arrayExists(y -> x = y, tags), tags)') },
    { sql: where("arrayExists(x -> lower(x) = 'a' AND has(tags, x), tags)") },
    { sql: where('position(text, id) > 0') },
    { sql: where('position(id IN text) > 0') },
    { sql: where("match(text, 'a(?:x?){490}.{0,480}b')"), why: 'many steps for each character' },
    { sql: where(Array.from({ length: 60 }, (_, n) => `match(text, 'value number ${n}')`).join(' OR ')) },
    {
      sql: where('flag IS NOT DISTINCT FROM 10'),
      columns: [...COLUMNS, { name: 'flag', type: 'Nullable(Bool)' }],
    },
    { sql: where('toQuarter(timestamp) = true'), why: 'a number beside a truth' },
    { sql: where('isNotNull(doc.other) != 1'), why: 'an index of paths' },
    { sql: where('(doc.other IS NULL) = 0') },
    { sql: where('toHour(timestamp) = 5'), why: 'taken for monotonic within a day, which wraps' },
    { sql: where("match(text, '^aé*')"), why: 'a byte of the prefix is dropped' },
    { sql: where("text REGEXP 'é?'") },
    ...[
      "attrs['k'] LIKE '%'",
      "attrs['k'] NOT LIKE 'a'",
      "match(attrs['k'], 'a*')",
      "attrs['k'] REGEXP '^a|b'",
      "like(arrayElement(attrs, 'k'), '%%')",
    ].map((condition) => ({
      sql: where(condition),
      columns: [...COLUMNS, { name: 'attrs', type: 'Map(String, String)' }],
      why: 'an index of keys has no row for one that is absent',
    })),
    ...[
      'ratio = 0',
      'ratio IN (1, 0.0)',
      'ratio',
      'ratio AND num > 1',
      'ratio = toFloat64(5) - 5',
      '5 < ratio = 0',
    ].map((condition) => ({
      sql: where(condition),
      columns: [...COLUMNS, { name: 'ratio', type: 'Float64' }],
      why: 'indexes do not find -0.0, and NaN is true',
    })),
    ...[
      'SELECT e.r FROM (SELECT ratio AS r FROM t) AS e WHERE e.r = 0',
      "SELECT id FROM t WHERE num = 5 AND (ratio OR id = 'b')",
      'SELECT id FROM t WHERE (ratio, id).1',
      "SELECT id FROM t WHERE COLUMNS('rat') = 0",
      'SELECT ratio FROM (SELECT ratio FROM t) WHERE coalesce(*) = 0',
    ].map((sql) => ({
      sql,
      columns: [...COLUMNS, { name: 'ratio', type: 'Float64' }],
      why: 'by another name or by none, or as the truth of an operand in brackets',
    })),
    { sql: where("has(['a', 'b'], text)"), why: 'read as IN' },
    { sql: where('tags IN ([])'), why: 'a bloom filter does not find empty arrays' },
    { sql: where("tags = ['a']"), why: 'whole arrays' },
    { sql: where('timestamp > 1700000000'), why: 'compared by the second' },
    { sql: where('timestamp > toDateTime(now() - length(text))') },
    { sql: 'SELECT timestamp AS x FROM t WHERE x > now()' },
    ...["hash = 'ab'", "hash IN ('abcd', 'a')", "has([hash], 'ab')"].map((condition) => ({
      sql: where(condition),
      columns: [...COLUMNS, { name: 'hash', type: 'FixedString(4)' }],
      why: 'a text index does not pad the literal',
    })),
    { sql: where("text = 'a'::FixedString(4)"), why: 'an index does not pad it' },
    {
      sql: where('flag != 2'),
      columns: [...COLUMNS, { name: 'flag', type: 'Nullable(Bool)' }],
      why: 'true for an index',
    },
    ...["note NOT LIKE 'a%'", "NOT startsWith(note, 'a')", "(note LIKE 'a%') = 0"].map((condition) => ({
      sql: where(condition),
      columns: [...COLUMNS, { name: 'note', type: 'Nullable(String)' }],
      why: 'a text index finds NULL',
    })),
    {
      sql: where("toString(level) = 'a'"),
      columns: [...COLUMNS, { name: 'level', type: "Nullable(Enum8('a' = 1))" }],
      why: 'the order of its numbers',
    },
    {
      sql: where("CAST(until AS DateTime64(3)) > '2024-01-01'"),
      columns: [...COLUMNS, { name: 'until', type: 'Nullable(DateTime)' }],
      why: 'NULL',
    },
    { sql: where('tuple(num) IN (tuple(NULL))'), why: 'a set has no NULL' },
    { sql: where('tags IN (SELECT [1])'), why: 'arrays are converted to those of the query' },
    { sql: where('[text] IN (SELECT [5])') },
    { sql: where('timestamp IN (SELECT toDate(0))') },
    { sql: where('[text] = ANY (SELECT [5])') },
    { sql: where('in([text], (SELECT [5]))') },
    { sql: where('round(num, -1) < 50'), why: 'overflows' },
    { sql: where('left(text, num) > id'), why: 'a number that cannot be negated' },
    {
      sql: where('text::String = id'),
      columns: [...COLUMNS, { name: 'maybe', type: 'Nullable(String)' }],
      why: 'NULL',
    },
    {
      sql: where('num > 1'),
      columns: [...COLUMNS, { name: 'price', type: 'Decimal(9, 2)' }],
      why: 'comparing decimals may overflow',
    },
  ])('$sql', async ({ sql, columns }) => {
    expect(await isLeakproof(sql, columns)).toBe(false);
  });
});

test('no query is known to succeed while columns are unknown', async () => {
  const verdict = await openSandbox({ boundSql: SAVED }).check('SELECT 1 FROM t WHERE num > 1');
  expect(verdict.isLeakproof).toBe(false);
});

test.each(['logs.all', 'logs.all.otel', 'usage.api-counts', 'millrace.usage'])(
  'the tables of %s need no barrier themselves',
  async (name) => {
    const yaml = readFileSync(new URL(`../../../endpoints/${name}.yaml`, import.meta.url), 'utf8');
    const { candidate } = createCompile({ piiHashKey: undefined })(`${name}.yaml`, yaml, SHIPPED);
    const { query = '', outline } = candidate?.endpoint ?? {};
    if (outline === undefined) throw new Error('the file is valid');
    const names = outline.elements.filter(({ kind }) => kind === 'table').map((element) => element.name);
    const columns = new Map(names.map((each) => [each, COLUMNS] as const));
    const sandbox = openSandbox({ boundSql: query, outline, columns });
    for (const each of names) {
      const verdict = await sandbox.check(`SELECT count() FROM ${each}`);
      expect(sandbox.assemble(verdict, 10).sql).not.toContain('LIMIT 1000000000000000000');
    }
  },
);

describe('tables of the statement', () => {
  const sqlOf = async (saved: string, sql: string, computed?: ComputedOnRead): Promise<string> => {
    const sandbox = openSandbox({ boundSql: saved, computed, columns: new Map([['t', COLUMNS]]) });
    return sandbox.assemble(await sandbox.check(sql), 10).sql;
  };
  const BARRIER = 'LIMIT 1000000000000000000)';

  test.each([
    { why: 'a leakproof query', saved: SAVED, sql: where('num > 1'), isBarred: false },
    {
      why: 'a view of the engine',
      saved: SAVED,
      sql: where('num > 1'),
      computed: { hasViews: true, aliases: [] },
      isBarred: true,
    },
    {
      why: 'an ALIAS column that can fail',
      saved: SAVED,
      sql: where('num > 1'),
      computed: { hasViews: false, aliases: ['length(text)', 'toInt64(text)'] },
      isBarred: true,
    },
    {
      why: 'ALIAS columns that cannot fail',
      saved: SAVED,
      sql: where('num > 1'),
      computed: { hasViews: false, aliases: ['length(text)', 'doc.a.b'] },
      isBarred: false,
    },
    { why: 'another', saved: SAVED, sql: where('num % 2 = 1'), isBarred: true },
    {
      why: 'a join in the endpoint',
      saved:
        'WITH t AS (SELECT l.* FROM app.logs AS l JOIN app.tenants AS n ON l.project = n.id) SELECT * FROM t',
      sql: where('num > 1'),
      isBarred: true,
    },
    {
      why: 'a list of sources',
      saved:
        'WITH t AS (SELECT l.* FROM app.logs AS l, app.tenants AS n WHERE l.project = n.id) SELECT * FROM t',
      sql: where('num > 1'),
      isBarred: true,
    },
    {
      why: 'a column computed by an expression that can fail',
      saved: 'WITH t AS (SELECT id, toInt64(id) AS num FROM app.logs) SELECT * FROM t',
      sql: where('num > 1'),
      isBarred: true,
    },
    {
      why: 'a conversion of a stored column, of which only the result is known',
      saved: 'WITH t AS (SELECT id, toDateTime64(timestamp, 3) AS timestamp FROM app.logs) SELECT * FROM t',
      sql: where('num > 1'),
      isBarred: true,
    },
    {
      why: 'a query that is not read to the end of its WITH',
      saved: 'WITH t AS (SELECT id, num FROM app.logs STREAM CURSOR) SELECT * FROM t',
      sql: where('num > 1'),
      isBarred: true,
    },
    {
      why: 'a column computed by an expression that cannot',
      saved:
        "WITH t AS (SELECT id, if(id = '', 0, length(id)) AS num FROM app.logs WHERE at > now() - INTERVAL 1 DAY) SELECT * FROM t",
      sql: where('num > 1'),
      isBarred: false,
    },
    {
      why: 'commas elsewhere',
      saved:
        'WITH t AS (SELECT id, num FROM app.logs WHERE id IN (1, 2) ORDER BY id, num LIMIT 1, 2), u AS (SELECT 1) SELECT * FROM t',
      sql: where('num > 1'),
      isBarred: false,
    },
  ])('$why', async ({ saved, sql, computed, isBarred }) => {
    expect((await sqlOf(saved, sql, computed)).includes(BARRIER)).toBe(isBarred);
  });
});
