// Queries that try to fail on another tenant's row, and others that merely select one: functions that can fail, in every
// position of a query, in all the languages. By seed.
import { LEAKPROOF_FUNCTIONS } from '../../../src/guard/sandbox/leakproof/functions.ts';
import { TABLE_KINDS } from './tenants.ts';
import type { Query } from './tenants.ts';
import { createRandom } from './mutants.ts';

/** Values that cannot be computed for some rows of other tenants, and can for all of the tenant's own: which of those a LIMIT
 * leaves unread depends on where they are stored. */
const VALUES: readonly string[] = [
  "intDiv(1, NOT (secret LIKE 'CANARY%'))",
  "intDiv(1, low != 'CANARY')",
  "intDiv(1, NOT has(tags, 'CANARY'))",
  "intDiv(1, tags[1] != 'CANARY')",
  "intDiv(1, length(secret) - 6)",
  'intDiv(10, num + 1)',
  '(num % (num + 1))',
  'modulo(7, num - 300)',
  '(7 DIV (num + 1))',
  'toUInt64(text)',
  'text::Int64',
  'CAST(text AS Float64)',
  "accurateCast(num, 'Int16')",
  "accurateCast(text, 'Int64')",
  'toDecimal32(num, 4)',
  'toDecimal64(text, 2)',
  '(num::Decimal(18, 4) * 1000)',
  "repeat('x', if(secret = 'CANARY', 2000000000, 1))",
  "length(range(if(low = 'CANARY', 100000000000, 1)))",
  "toUUID(if(secret = 'mine', '61f0c404-5cb3-11e7-907b-a6006ad3dba0', text))",
  "toIPv4(if(secret = 'mine', '10.0.0.1', text))",
  "toIPv6(if(secret = 'mine', '::1', text))",
  "toDate(if(secret = 'mine', '2024-01-01', text))",
  "toDateTime(if(secret = 'mine', '2024-01-01 00:00:00', text))",
  "parseDateTime(if(secret = 'mine', '2024-01-01', text), '%Y-%m-%d')",
  "parseDateTimeBestEffort(if(secret = 'mine', '2024-01-01', text))",
  'CAST(maybe AS String)',
  'toInt64(ratio)',
  'ratio::Int32',
  'toUInt64(doc.text)',
  'toInt64(doc.text::String)',
  "intDiv(1, doc.code + 1)",
  '(doc.x + 1)',
  'toInt64(doc.x)',
  'doc.x::Int64',
  "CAST(doc.x, 'Nullable(Float64)')",
  "accurateCastOrNull(doc.x, 'Int64')",
  '(doc.x = 5)',
  '(doc.x > 4)',
  "toUInt64(attrs['text'])",
  'toUInt64(tags[2])',
  'toFixedString(text, 4)',
  "toStartOfInterval(ts, toIntervalNanosecond(1))",
  'toDateTime64(ts, 9)',
  'fromModifiedJulianDay(toInt32(num % 1000000))',
  "round(1.25, if(secret = 'mine', 1, num))",
  'factorial(num % 21)',
  "match('x', if(secret = 'mine', 'x', text))",
  "('x' LIKE if(secret = 'mine', 'x', text))",
  "leftPad('x', if(secret = 'mine', 2, num))",
  "arrayMap((x, y) -> x, tags, if(secret = 'mine', tags, [text]))",
  "JSONExtract(text, 'Int64')",
  "multiIf(secret = 'CANARY', toInt64(text), 1)",
  'dictGetOrNull(1, 2, 3)',
]; // prettier-ignore

/** Conditions that an index can be asked: a comparison of what a function makes of a key. */
const KEYED: readonly string[] = [
  'intDiv(1, num + 1) >= -5',
  'intDiv(1, num - 20 - 1000000) >= -5',
  'intDiv(5, num + 1) >= -100 OR num = 0',
  "accurateCast(num, 'Int16') >= 0",
  "accurateCast(num, 'UInt8') = 4",
  'toInt32(ratio) >= -1',
  'toInt8(ratio) IN (1, 2)',
  'CAST(ratio AS Int16) > 2',
  'toDateTime64(ts, 9) > toDateTime64(0, 9)',
  'ts > now64(9)',
  "ts < toDateTime64('2024-01-01 10:00:00', 9)",
  "ts IN (toDateTime64('2024-01-01 00:00:00', 9), toDateTime64('2024-01-01 00:30:00', 9))",
  "if(num > 3, ts, now64(9)) > toDateTime64('2020-01-01', 9)",
  "ts >= '2024-01-01 10:00:00' AND ts < toDateTime('2024-01-02 00:00:00') + INTERVAL 1 DAY",
  "toStartOfHour(ts) = '2024-01-01 10:00:00'",
  "toStartOfInterval(ts, INTERVAL 15 MINUTE) > '2024-01-01 10:00:00'",
  "CAST(ts AS DateTime) > '2024-01-01 10:00:00'",
  "toDate(ts) = '2024-01-01'",
  "date_trunc('day', ts) = '2024-01-01'",
  'toUnixTimestamp64Nano(ts) > 0',
  'intDiv(1, toUnixTimestamp(ts) - 1704067200 - 3601) >= -5',
  "accurateCast(toUnixTimestamp(ts) - 1704067200, 'Int32') < 100000",
  "(text + INTERVAL 1 DAY) > toDateTime('1970-01-01 00:00:00')",
  'toDecimal64(num, 9) >= 0',
  'divide(toDecimal64(1, 4), num + 1) > 0 OR num = 0',
  "toString(toInt64(text)) = '5'",
  'NOT (intDiv(1, num + 1) < -5)',
  "text = '5' AND toUInt64(text) = 5",
  "id = 'mine-5' AND intDiv(1, num + 1) = 0",
  "text LIKE '1%' AND toUInt64(text) > 3",
  "low = 'CANARY' OR toUInt64(text) > 5",
  "text > 'A' AND secret = 'CANARY'",
  "ts > toDateTime64('2024-01-01 10:00:00', 3) AND num > 3",
  'num BETWEEN 3 AND 30 AND ratio < 20',
  'ratio > 3 AND maybe IS NOT NULL',
  "num IN (20, 77) AND low != 'mine'",
  'sparse > 0 OR intDiv(1, sparse + 1) = 1',
]; // prettier-ignore

/** Where they stand; `{p}` is a condition, `{v}` a value. Each gives the same rows in the same order every time. */
const PLACES: readonly string[] = [
  'SELECT count() FROM t WHERE {p}',
  'SELECT id FROM t WHERE {p} ORDER BY id LIMIT 5',
  'SELECT id, ts FROM t WHERE {p} ORDER BY ts DESC, id LIMIT 3',
  "SELECT count() FROM t WHERE ts > toDateTime64('2024-01-01 05:00:00', 3) AND {p}",
  'SELECT count() FROM t WHERE ({p}) OR num = 5',
  'SELECT count() FROM t WHERE NOT ({p})',
  'SELECT count() FROM t WHERE num > 2 AND ({p}) AND num < 90',
  'SELECT count() FROM t WHERE if(num > 3, {p}, 1)',
  'SELECT count() FROM t PREWHERE {p}',
  "SELECT count(), max(toString(v)) FROM (SELECT {v} AS v FROM t) WHERE toString(v) != 'zz'",
  "SELECT toString({v}) AS v, count() FROM t GROUP BY v HAVING v != 'zz' ORDER BY v LIMIT 3",
  'SELECT num % 2 AS k, count() FROM t WHERE {p} GROUP BY k HAVING k = 1',
  "SELECT count() FROM (SELECT toString({v}) AS k FROM t) AS l JOIN (SELECT toString({v}) AS k FROM t) AS r ON l.k = r.k",
  "SELECT count() FROM (SELECT {v} AS k FROM t) AS l JOIN (SELECT toUInt64(5) AS k) AS r ON l.k = r.k",
  'SELECT count() FROM t AS l LEFT SEMI JOIN (SELECT id FROM t WHERE {p}) AS r ON l.id = r.id',
  'SELECT count() FROM t AS l ANTI LEFT JOIN (SELECT toString({v}) AS k FROM t) AS r ON l.id = r.k',
  'SELECT count() FROM t AS l ASOF JOIN (SELECT low, ts FROM t WHERE {p}) AS r ON l.low = r.low AND l.ts >= r.ts',
  'SELECT count() FROM t WHERE id IN (SELECT id FROM t WHERE {p})',
  "SELECT count() FROM t WHERE toString({v}) IN (SELECT toString(num) FROM t)",
  'WITH x AS (SELECT * FROM t WHERE {p}) SELECT count() FROM x WHERE num > 3',
  'WITH x AS (SELECT {v} AS v, num FROM t) SELECT count() FROM x AS a JOIN x AS b USING (num) WHERE toString(a.v) = toString(b.v)',
  'SELECT max(toString({v})) FROM t',
  'SELECT id FROM t ORDER BY toString({v}), id LIMIT 3',
  'SELECT id FROM t QUALIFY row_number() OVER (ORDER BY id) > 3 AND {p} ORDER BY id LIMIT 3',
  'SELECT sum(n) OVER (ORDER BY id) AS s FROM (SELECT id, length(toString({v})) AS n FROM t) WHERE n > 0 ORDER BY s LIMIT 2',
  'SELECT countIf({p}) FROM t WHERE {p}',
  'SELECT count() FILTER (WHERE {p}) FROM t',
  'SELECT count() FROM (SELECT id FROM t ORDER BY id LIMIT 1 BY toString({v}))',
  'SELECT count() FROM t WHERE {p} UNION ALL SELECT count() FROM t WHERE {p}',
  'SELECT (SELECT count() FROM t WHERE {p}) AS c, count() AS n FROM t',
  'SELECT count() FROM t ARRAY JOIN tags AS g WHERE {p}',
  'SELECT count() FROM t WHERE arrayExists(x -> {p}, tags)',
  'SELECT DISTINCT length(toString({v})) AS n FROM t WHERE {p} ORDER BY n',
  "SELECT low, max(num), min(ratio), uniq(id), sum(sparse) FROM t WHERE {p} GROUP BY low ORDER BY low",
  'SELECT min(num), max(num), count(), min(ts), max(ts) FROM t',
  "SELECT count() FROM (SELECT ts AS v FROM t UNION ALL SELECT now64(9)) WHERE v > toDateTime64('2020-01-01', 9)",
  "SELECT count() FROM t AS l JOIN (SELECT toDateTime64('2024-01-01 00:00:00', 9) AS ts) AS r USING (ts)",
  'SELECT id, doc FROM t WHERE {p} ORDER BY id LIMIT 1',
  "SELECT doc.text AS v, count() AS n FROM t WHERE num >= 2 AND {p} GROUP BY v ORDER BY v LIMIT 3",
  "SELECT e.id, e.doc.code FROM t AS e WHERE e.num < 90 AND e.text != 'CANARY' AND e.doc.code > 2 AND {p} ORDER BY e.id LIMIT 3",
  'SELECT doc.code % 3 AS k, max(doc.text), count() FROM t WHERE maybe IS NOT NULL AND {p} GROUP BY k ORDER BY k',
  'WITH x AS (SELECT * FROM t WHERE num > 3 AND doc.code < 80 AND {p}) SELECT id, doc.text, doc.^z FROM x ORDER BY id LIMIT 3',
  "SELECT a.doc.code, b.doc.text FROM t AS a JOIN (SELECT * FROM t WHERE {p}) AS b ON a.doc.code = b.num ORDER BY ALL LIMIT 3",
]; // prettier-ignore

const BIGQUERY: readonly string[] = [
  'select count(*) as n from t where cast(text as int64) > 5',
  'select count(*) as n from t where cast(text as float64) > 5 and num > 3',
  'select count(*) as n from t where div(10, num + 1) > 0',
  'select count(*) as n from t where mod(7, num + 1) >= 0',
  'select count(*) as n from t where 10 / (num + 1) > 0',
  "select count(*) as n from t where repeat('x', if(secret = 'CANARY', 2000000000, 1)) = 'x'",
  "select id from t where cast(if(secret = 'mine', '2024-01-01', text) as date) > '2020-01-01' order by id limit 3",
  "select count(*) as n from t where regexp_contains('x', if(secret = 'mine', 'x', text))",
  'with x as (select cast(text as int64) as v from t) select count(*) as n, max(v) as m from x where v > 3',
  'select cast(text as int64) as v, count(*) as n from t group by v having v > 3 order by v limit 3',
  'select count(*) as n from t as a join t as b on cast(a.text as int64) = cast(b.text as int64)',
  'select count(*) as n from t where id in (select id from t where cast(text as int64) > 5)',
  'select safe_cast(text as int64) as v from t order by v limit 3',
  'select count(*) as n from t where safe_cast(text as int64) > 3 and timestamp_trunc(ts, hour) > timestamp("2024-01-01")',
  'select count(*) as n from t where cast(ts as datetime) > "2024-01-01 05:00:00"',
  'select parse_date("%Y-%m-%d", if(secret = "mine", "2024-01-01", text)) as d, count(*) as n from t group by d',
  'select count(*) as n from t cross join unnest(doc) as d where d.code > 3',
  'select count(*) as n from t cross join unnest(doc) as d where cast(d.text as int64) > 3',
]; // prettier-ignore

const LQL: readonly string[] = [
  'text:5', 'num:>5', 'num:3..9', 'secret:CANARY', 'text:~^C', 'text:~"^[0-9]+$"', 'tags:@>CANARY', 'tags:@>~^C', 'ratio:>1',
  'maybe:NULL', '-maybe:NULL', 'doc.x:5', 'doc.y:CANARY', 'doc.text:>3', 'doc.code:>3', 'attrs.text:5', 'attrs.text:>5', 'low:mine',
  'c:count(*)', 'c:max(num)', 'c:avg(ratio)', 'num:12345678901234567', 's:id s:num num:<4', 'doc.x:1..9', '-doc.z.w:1',
  'text:(5|CANARY)', '-text:(CANARY|NULL)', 'num:(4..9|12345678901234567)', 'doc.x:(5|CANARY|2024-01-01)', '-doc.code:(3|x)',
  'tags:@>(CANARY|5)', 'attrs.text:(5|6..9|NULL)', '-maybe:(NULL|5)', 'ratio:(1.5|-0)', 'secret:("\' OR 1 = 1 OR \'"|CANARY)',
]; // prettier-ignore

/** One call of a kind of table. */
export interface Oracle extends Query {
  readonly kind: string;
}

export function oracles(count: number, seed: number): readonly Oracle[] {
  const random = createRandom(seed);
  const pick = (items: readonly string[]): string => items[random(items.length)] ?? '';
  const valueOf = (): string => pick(VALUES);
  const conditionOf = (): string => {
    const choice = random(4);
    if (choice === 0) return `(${pick(KEYED)})`;
    if (choice === 1) return `${valueOf()} = ${valueOf()}`;
    return `toString(${valueOf()}) != 'zz'`;
  };
  const kinds = TABLE_KINDS.map(({ name }) => name);
  return Array.from({ length: count }, (): Oracle => {
    const kind = pick(kinds);
    const choice = random(20);
    if (choice === 0) return { kind, language: 'sql', dialect: 'bigquery', text: pick(BIGQUERY) };
    if (choice === 1)
      return { kind, language: 'lql', text: `${pick(LQL)}${random(2) === 0 ? '' : ` ${pick(LQL)}`}` };
    const value = valueOf();
    const text = pick(PLACES)
      .replaceAll('{v}', () => value)
      .replaceAll('{p}', conditionOf);
    return { kind, language: 'sql', dialect: 'clickhouse', text };
  });
}

const ARGUMENTS: readonly string[] = [
  '{c}', '{c}, 1', "{c}, 'a'", "'a', {c}", '1, {c}', '{c}, {c}', "{c}, 'a', 'b'", '{c}, 1, 2', "'hour', {c}", "{c}, 'Int64'",
  '{c}, num', '{c}, text', 'ts, {c}', '{c}, 1, num', '{c} FROM num', "{c}, 'UTC'", '{c}, INTERVAL 5 MINUTE', 'x -> notEmpty(x), {c}', "{c} = '5', {c}, {c}", "{c}, '%Y-%m-%d'", '{c}, -1', "{c}, ['a', 'b']",
]; // prettier-ignore

/** Forms that fail, or are pruned wrongly, where they are evaluated on index entries of all tenants. */
export const INDEX_ORACLES: readonly string[] = [
  '(text, 1).1::UInt64 > 5',
  "nullIf(secret, 'CANARY')::String > 'b'",
  "CAST(if(secret = 'CANARY', NULL, 'x') AS String) > 'a'",
  "arrayUniq(if(secret = 'CANARY', ['a'], ['a', 'b']), ['x', 'y']) > 1",
  "arrayExists((x, y) -> x = y, [text], if(text = 'CANARY', [], ['5']))",
  "accurateCastOrNull(ratio, 'DateTime64(3)') > now()",
  "ts > toDateTime64('2024-01-01 01:00:00', 9)",
  "ts + 100 > toDateTime64('2024-01-01', 9)",
  "ts + num > toDateTime64('2024-01-01', 3)",
  'ts > (SELECT toDateTime64(0, 9))',
  "ts IN (SELECT toDate('2024-01-01'))",
  "date_trunc('nanosecond', ts) > '2020-01-01'",
  "toDateTime64('2024-01-01', 9) + INTERVAL num YEAR > toDateTime64('2024-01-05', 9)",
  "toDateTime('2024-01-01') + INTERVAL num MICROSECOND > toDateTime('2024-01-01 00:00:00')",
  "toDateTime('2024-01-01') + INTERVAL text DAY > toDateTime('2024-01-05 00:00:00')",
  '[text] IN (SELECT [toUInt64(5)])',
  "left(text, num) > '1'",
  'round(num, -1) < 50',
];

/** Columns that are keys or have indexes, and a value of the tenant's own. */
const KEYS: readonly (readonly [column: string, value: string])[] = [
  ['text', "'5'"], ['low', "'mine'"], ['num', 'toInt64(5)'], ['ratio', '2.5'], ['maybe', "'5'"], ['id', "'mine-5'"],
  ['ts', "toDateTime64('2024-01-01 10:00:00', 3, 'UTC')"], ['tags', "['mine', '5']"], ["attrs['text']", "'5'"],
  ['doc.text', "'5'"], ['doc.code', '5'], ['doc.x', '5'],
]; // prettier-ignore

/** Calls of every function that may be pushed down: of a key, compared with what it makes of a value. */
export function leakproofCalls(count: number, seed: number): readonly Oracle[] {
  const random = createRandom(seed);
  const kinds = [
    'by_value',
    'by_float',
    'by_string',
    'by_time',
    'indexed',
    'sets',
    'bounds',
    'compact',
    'prefix',
    'by_path',
  ];
  const all = LEAKPROOF_FUNCTIONS.flatMap((name) =>
    KEYS.flatMap(([column, value]) =>
      ARGUMENTS.map((each) => [column, value].map((of) => `${name}(${each.replaceAll('{c}', of)})`)),
    ),
  );
  return Array.from({ length: count }, (): Oracle => {
    const [call = '', value = ''] = all[random(all.length)] ?? [];
    const sign = ['=', '>', '<', '>=', '<=', '!='][random(6)] ?? '';
    const kind = kinds[random(kinds.length)] ?? '';
    return {
      kind,
      language: 'sql',
      dialect: 'clickhouse',
      text: `SELECT count() FROM t WHERE ${call} ${sign} ${value}`,
    };
  });
}
