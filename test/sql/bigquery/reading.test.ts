// The strict reader: the first token that is not understood is an error at its place, and no part of a query is left out.
import { describe, expect, test } from 'vitest';
import { translate } from '../../../src/sql/dialects/bigquery/translate.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { UnconvertedError } from '../../../src/sql/dialects/context.ts';
import { GRAMMAR } from '../../../src/sql/dialects/bigquery/dialect.ts';
import { read, STRICT_LIMITS } from '../../../src/sql/dialects/read/read.ts';

const TABLES = [{ name: 't', columns: ['a', 'b', 'c'].map((name) => ({ name, type: 'Nullable(Int64)' })) }];

/** The code and the column of the error. */
function errorOf(text: string): string {
  try {
    return translate(text, { tables: TABLES, taken: new Set() }).sql;
  } catch (error) {
    if (error instanceof Problem) return `${error.code} at ${error.errors[0]?.column}`;
    throw error;
  }
}

describe('rejected at the token that BigQuery does not have there', () => {
  test.each<readonly [text: string, column: number]>([
    ['select a b c from t', 12],
    ['select a from t limit 1 limit 2', 25],
    ['select a from t limit 1, 2', 24],
    ['select a from t limit all', 23],
    ['select a from t limit (1)', 23],
    ['select a from t offset 1', 17],
    ['select a from t fetch first 1 row only', 17],
    ['select a from t for update', 17],
    ['select top 1 a from t', 12],
    ['select distinct on (a) b from t', 17],
    ['select a from t minus select b from t', 23],
    ['select a from t union select b from t', 23],
    ['select a from t intersect all select b from t', 27],
    ['select a from t except all select b from t', 24],
    ['select a from t natural join t', 17],
    ['select a from t cross join t on true', 30],
    ['select a from t, t as u on true', 25],
    ['select a from t as u (x)', 22],
    ['select a from values (1)', 15],
    ['select count(distinct) from t', 22],
    ['select count(*, a) from t', 15],
    ['select array_agg(a order by a order by b) from t', 31],
    ['select array_agg(a limit 1 limit 2) from t', 28],
    ['select array_agg(a ignore nulls) ignore nulls over () from t', 34],
    ['select lag(a) from last over (order by b) from t', 8],
    ['select sum(a) over (order by a rows between 1 preceding) from t', 56],
    ['select sum(a) over (order by a groups 1 preceding) from t', 32],
    ['select sum(a) over (order by a rows 1 preceding exclude ties) from t', 49],
    ['select a in () from t', 14],
    ['select a is json from t', 8],
    ['select a isnull from t where b notnull', 32],
    ['select a == b from t', 11],
    ['select a <=> b from t', 12],
    ['select a ? b from t', 10],
    ['select !a from t', 8],
    ['select a::b::c d e from t', 18],
    ['select a[1:2] from t', 11],
    ['select cast(a as int64 default 1) from t', 24],
    ['select cast(a as string(x)) from t', 25],
    ['select extract("hour" from a) from t', 16],
    ['select struct(a b) from t', 17],
    ["select 'x' 'y'", 12],
    ["select 'x''y'", 11],
    ['select 1a', 9],
    ['select 1_000', 9],
    ['select * except (a) except (b) from t', 21],
    ['select * exclude (a) from t', 10],
    ['select a from t qualify true qualify false', 30],
    ['select a from t having true having false', 29],
    ['select a from t where a = 1 where b = 2', 29],
    ['select \u201aa from t', 8],
    ['select a from t where a = :x', 27],
    ['select @@session from t', 8],
    [';select 1', 1],
  ])('%s', (text, column) => {
    const error = errorOf(text);
    expect(error).toMatch(/^bigquery\.(?:syntax_invalid|unsupported) at \d+$/);
    expect(error.endsWith(` at ${column}`) ? column : error).toBe(column);
  });
});

describe('read, and rejected by name because it is not written', () => {
  test.each<readonly [text: string, column: number]>([
    ['select count(*) filter (where a > 1) from t', 17],
    ['select a from t group by rollup (a), rollup (b)', 26],
    ['select a from t group by b, cube (a)', 29],
    ['select a from t group by a with rollup', 28],
    ['with recursive r as (select 1 as n union all select n + 1 from r) select n from r', 16],
    ['select array_agg(a) within group (order by a) from t', 21],
    ['select a from t, lateral (select 1)', 18],
    ['select a from unnest([1], [2]) as a', 27],
    ["select a like 'x' escape '!' from t", 19],
    ['select cast(a as int64(3)) from t', 18],
    ["select a collate 'und:ci' from t", 18],
    ['select array_transform([1], x -> x + 1)', 8],
    ['select f(a => 1) from t', 8],
    ['select struct<a int64>(1)', 8],
    ["select cast(a as string format 'x') from t", 25],
    ["select interval '1-2' year to month", 8],
    ['select interval 1 day to hour', 8],
    ["select a similar to 'x' from t", 10],
    ["select a ~ 'x' from t", 10],
    ["select a like any (select 'x') from t", 8],
    ["select a not like any ('x', 'y') from t", 8],
    ['select a % b from t', 10],
    ['select as struct a, b from t', 8],
    ['select x.a from (select as struct a from t) as x', 25],
    ['select array(select as struct 1 as a union all select as struct 2)', 38],
    ['select a from t tablesample system (10 percent)', 17],
    ['select a from t for system_time as of current_timestamp()', 17],
    ['select * from t pivot (sum(a) for b in (1, 2))', 17],
    ['select a from t union all by name select a from t', 17],
    ['select a from t union all select b from t except distinct select c from t', 43],
  ])('%s', (text, column) => {
    expect(errorOf(text)).toMatch(new RegExp(`^bigquery\\.(?:unsupported|name_unknown) at ${column}$`));
  });
});

test.each([
  [
    'levels of nesting',
    `select ${'('.repeat(38)}1${')'.repeat(38)}`,
    `select ${'('.repeat(39)}1${')'.repeat(39)}`,
  ],
  ['SELECTs', `select 1${' union all select 1'.repeat(63)}`, `select 1${' union all select 1'.repeat(64)}`],
  ['operators', `select 1${' + 1'.repeat(100)}`, `select 1${' + 1'.repeat(101)}`],
  ['tables', `select 1 from t${', t'.repeat(49)}`, `select 1 from t${', t'.repeat(50)}`],
  ['accessors', `select a${'[0]'.repeat(64)} from t`, `select a${'[0]'.repeat(65)} from t`],
  ['tokens', `select 1${', 1'.repeat(1999)}`, `select 1${', 1'.repeat(2000)}`],
  ['characters', `select '${'x'.repeat(16_375)}'`, `select '${'x'.repeat(16_376)}'`],
])('the limit on %s is exact', (_what, most, more) => {
  const readStrictly = (text: string) => read(text, GRAMMAR, { isStrict: true, limits: STRICT_LIMITS });
  expect(() => readStrictly(most)).not.toThrow();
  expect(() => readStrictly(more)).toThrow(UnconvertedError);
  expect(errorOf(more)).toMatch(/^bigquery\.too_large at/);
});
