// String, numeric and conditional functions.
import { condition, number } from '../../dialects/operand.ts';
import { timeString } from '../../dialects/time/text.ts';
import { BYTES_FUNCTIONS } from '../../dialects/functions/bytes.ts';
import { FORMAT_FUNCTIONS } from '../../dialects/functions/format.ts';
import { NUMBER_FUNCTIONS } from '../../dialects/functions/number.ts';
import { REGEX_FUNCTIONS } from '../../dialects/functions/regex.ts';
import { SEARCH_FUNCTIONS } from '../../dialects/functions/search.ts';
import { SPLIT_FUNCTIONS } from '../../dialects/functions/split.ts';
import { TEXT_FUNCTIONS as SHARED_TEXT_FUNCTIONS } from '../../dialects/functions/text.ts';
import { TRIM_FUNCTIONS } from '../../dialects/functions/trim.ts';
import { operand, value } from '../../dialects/value.ts';
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { bigqueryText } from '../../dialects/cast/text.ts';
import { jsonReading } from '../../dialects/functions/json.ts';
import { unified } from '../common-type.ts';
import { rule, type FunctionRule } from './function.ts';

const SHARED = {
  ...SHARED_TEXT_FUNCTIONS,
  ...REGEX_FUNCTIONS,
  ...SEARCH_FUNCTIONS,
  ...SPLIT_FUNCTIONS,
  ...TRIM_FUNCTIONS,
  ...BYTES_FUNCTIONS,
  ...FORMAT_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
};

/** Functions of the shared table, by the numbers of their arguments in BigQuery. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  '1': `initcap lower upper length char_length character_length byte_length octet_length reverse ascii chr
    md5 sha1 sha256 sha512 farm_fingerprint to_hex from_hex to_base64 from_base64
    abs sign floor ceil ceiling sqrt cbrt exp ln log10 is_nan is_inf bit_count
    sin cos tan asin acos atan sinh cosh asinh acosh atanh`,
  '2': `regexp_contains regexp_extract_all starts_with ends_with contains_substr strpos left right repeat
    pow power mod div atan2 safe_divide safe_add safe_subtract safe_multiply ieee_divide`,
  '3': 'regexp_replace replace translate',
  '1-2': 'trim ltrim rtrim split trunc log',
  '1-3': 'round',
  '2-3': 'substr substring lpad rpad',
  '2-4': 'regexp_extract regexp_substr instr',
  '1-100': 'concat format',
};

const SHARED_RULES = Object.entries(ARGUMENTS).flatMap(([range, names]) => {
  const [least = 0, most = least] = range.split('-').map(Number);
  return names.split(/\s+/).map((name): readonly [string, FunctionRule] => [name, shared(name, least, most)]);
});

function shared(name: string, least: number, most: number): FunctionRule {
  return rule(least, most, (application) => {
    const own = SHARED[name]?.(application) ?? application.fail(`${name} is not supported`);
    // These functions have their own value in place of an error.
    void application.call.isSafe;
    const { isLoose: _, ...rest } = own;
    return { ...rest, sql: operand(own) };
  });
}

export const TEXT_FUNCTIONS: Readonly<Record<string, FunctionRule>> = {
  ...Object.fromEntries(SHARED_RULES),
  if: rule(3, 3, ({ arg: at }) => {
    const { sqls, type } = unified([at(1), at(2)]);
    return { sql: sql`if(${condition(at(0))}, ${joinSql(sqls)})`, type };
  }),
  ifnull: rule(2, 2, ({ arg: at }) => {
    const { sqls, type } = unified([at(0), at(1)]);
    return { sql: sql`ifNull(${joinSql(sqls)})`, type };
  }),
  coalesce: rule(1, 100, ({ arg: at, call }) => {
    const { sqls, type } = unified(call.args.map((_, index) => at(index)));
    return { sql: sql`coalesce(${joinSql(sqls)})`, type };
  }),
  nullif: rule(2, 2, ({ arg: at }) => {
    const { sqls, type } = unified([at(0), at(1)]);
    return { sql: sql`nullIf(${joinSql(sqls)})`, type };
  }),
  greatest: extreme('greatest'),
  least: extreme('least'),
  string: rule(1, 2, (application) => {
    const { arg, call, fail } = application;
    const json = jsonReading(application, true);
    if (json !== undefined) return json;
    const time = timeString(application);
    if (time === undefined && call.args.length > 1)
      return fail('string has a time zone only with a timestamp');
    return time ?? value('text', bigqueryText(arg(0)));
  }),
  int64: rule(
    1,
    1,
    (application) =>
      jsonReading(application) ??
      value('int', sql`accurateCastOrNull(${number(application.arg(0))}, 'Int64')`),
  ),
  float64: rule(
    1,
    1,
    (application) => jsonReading(application) ?? value('float', number(application.arg(0))),
  ),
};

const any = (test: string, of: readonly Sql[]): Sql =>
  joinSql(
    of.map((each) => sql`${test}(${each})`),
    ' OR ',
  );

/** GREATEST and LEAST: NULL if a value is NULL, NaN if one is NaN. */
function extreme(name: 'greatest' | 'least'): FunctionRule {
  return rule(1, 100, ({ all }) => {
    const values = all();
    const { sqls, type } = unified(values);
    const nullable = sqls.filter((_, index) => values[index]?.type.isNullable === true);
    const own = sqls.length === 1 ? (sqls[0] ?? '') : sql`${name}(${joinSql(sqls)})`;
    const floats =
      type.kind === 'float' ? sqls.filter((_, index) => values[index]?.literal === undefined) : [];
    const written = floats.length === 0 ? own : sql`if(${any('isNaN', floats)}, nan, ${own})`;
    return {
      sql: nullable.length === 0 ? written : sql`if(${any('isNull', nullable)}, NULL, ${written})`,
      type: { ...type, isNullable: nullable.length > 0 },
    };
  });
}
