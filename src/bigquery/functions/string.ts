// String, numeric and conditional functions.
import { timeString } from '../../dialects/time/text.ts';
import { arrayOfType, TEXT, value } from '../../dialects/value.ts';
import { jsonReading } from '../../dialects/functions/json.ts';
import { bigqueryText } from '../../dialects/cast/text.ts';
import { constantText, rule, takes, type FunctionRule } from './function.ts';
import { untranslated } from '../translation-error.ts';
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import { unified } from '../common-type.ts';
import { condition, number, text } from '../value.ts';

export const TEXT_FUNCTIONS: Readonly<Record<string, FunctionRule>> = {
  regexp_contains: takes('text text', 'bool', (x, pattern) => sql`match(${x ?? ''}, ${pattern ?? ''})`),
  regexp_extract: takes(
    'text text',
    'text',
    (x = '', pattern = '') => sql`if(match(${x}, ${pattern}), extract(${x}, ${pattern}), NULL)`,
  ),
  regexp_substr: takes(
    'text text',
    'text',
    (x = '', pattern = '') => sql`if(match(${x}, ${pattern}), extract(${x}, ${pattern}), NULL)`,
  ),
  regexp_extract_all: rule(2, 2, ({ arg: at }) => ({
    sql: sql`extractAll(${text(at(0))}, ${text(at(1))})`,
    type: arrayOfType(TEXT),
  })),
  regexp_replace: takes(
    'text text text',
    'text',
    (x = '', pattern = '', by = '') => sql`replaceRegexpAll(${x}, ${pattern}, ${by})`,
  ),
  starts_with: takes('text text', 'bool', (x = '', y = '') => sql`startsWith(${x}, ${y})`),
  ends_with: takes('text text', 'bool', (x = '', y = '') => sql`endsWith(${x}, ${y})`),
  contains_substr: takes(
    'text text',
    'bool',
    (x = '', y = '') => sql`(positionCaseInsensitiveUTF8(${x}, ${y}) > 0)`,
  ),
  strpos: takes('text text', 'int', (x = '', y = '') => sql`positionUTF8(${x}, ${y})`),
  instr: takes('text text', 'int', (x = '', y = '') => sql`positionUTF8(${x}, ${y})`),
  lower: takes('text', 'text', (x = '') => sql`lowerUTF8(${x})`),
  upper: takes('text', 'text', (x = '') => sql`upperUTF8(${x})`),
  initcap: takes('text', 'text', (x = '') => sql`initcapUTF8(${x})`),
  length: takes('text', 'int', (x = '') => sql`lengthUTF8(${x})`),
  char_length: takes('text', 'int', (x = '') => sql`lengthUTF8(${x})`),
  character_length: takes('text', 'int', (x = '') => sql`lengthUTF8(${x})`),
  byte_length: takes('text', 'int', (x = '') => sql`length(${x})`),
  substr: takes('text number number?', 'text', substring),
  substring: takes('text number number?', 'text', substring),
  left: takes('text number', 'text', (x = '', n = '') => sql`leftUTF8(${x}, ${n})`),
  right: takes('text number', 'text', (x = '', n = '') => sql`rightUTF8(${x}, ${n})`),
  trim: trimmed('trimBoth'),
  ltrim: trimmed('trimLeft'),
  rtrim: trimmed('trimRight'),
  replace: takes(
    'text text text',
    'text',
    (x = '', from = '', to = '') => sql`replaceAll(${x}, ${from}, ${to})`,
  ),
  reverse: takes('text', 'text', (x = '') => sql`reverseUTF8(${x})`),
  repeat: takes('text number', 'text', (x = '', n = '') => sql`repeat(${x}, ${n})`),
  lpad: takes(
    'text number text?',
    'text',
    (x = '', n = '', by = "' '") => sql`leftPadUTF8(${x}, ${n}, ${by})`,
  ),
  rpad: takes(
    'text number text?',
    'text',
    (x = '', n = '', by = "' '") => sql`rightPadUTF8(${x}, ${n}, ${by})`,
  ),
  concat: takes(
    'text text*',
    'text',
    (...all) => sql`concat(${joinSql(all.map((each) => sql`toString(${each})`))})`,
  ),
  split: rule(1, 2, ({ arg: at, call }) => ({
    sql: sql`splitByString(${call.args.length > 1 ? text(at(1)) : "','"}, ${text(at(0))})`,
    type: arrayOfType(TEXT),
  })),
  format: rule(1, 100, (application) => {
    const pattern = constantText(application, 0, 'a pattern');
    const kinds = [...pattern.matchAll(/%[-+ #\d.*]*([^]?)/g)].map(([, kind]) => kind ?? '');
    if (kinds.some((kind) => !/^[dioxXufFeEgGs%]$/.test(kind))) {
      untranslated(
        application.source(0).at,
        'FORMAT supports %d, %s, %f and similar specifiers here',
        'Use %s for other values.',
      );
    }
    const rest = application.call.args.slice(1).map((_, index) => sql`, ${text(application.arg(index + 1))}`);
    return value('text', sql`printf(${quoteString(pattern)}${joinSql(rest, '')})`);
  }),
  to_hex: takes('text', 'text', (x = '') => sql`lower(hex(${x}))`),
  md5: takes('text', 'text', (x = '') => sql`MD5(${x})`),
  sha256: takes('text', 'text', (x = '') => sql`SHA256(${x})`),
  abs: takes('number', 'first', (x = '') => sql`abs(${x})`),
  round: takes('number number?', 'float', rounded),
  floor: takes('number', 'float', (x = '') => sql`floor(${x})`),
  ceil: takes('number', 'float', (x = '') => sql`ceil(${x})`),
  ceiling: takes('number', 'float', (x = '') => sql`ceil(${x})`),
  trunc: takes('number number?', 'float', (x = '', n = '0') => sql`trunc(${x}, ${n})`),
  sqrt: takes('number', 'float', (x = '') => sql`sqrt(${x})`),
  ln: takes('number', 'float', (x = '') => sql`log(${x})`),
  log: takes('number number?', 'float', (x = '', base) =>
    base === undefined ? sql`log(${x})` : sql`(log(${x}) / log(${base}))`,
  ),
  log10: takes('number', 'float', (x = '') => sql`log10(${x})`),
  exp: takes('number', 'float', (x = '') => sql`exp(${x})`),
  pow: takes('number number', 'float', (x = '', y = '') => sql`pow(${x}, ${y})`),
  power: takes('number number', 'float', (x = '', y = '') => sql`pow(${x}, ${y})`),
  mod: takes('number number', 'int', (x = '', y = '') => sql`modulo(${x}, ${y})`),
  div: takes('number number', 'int', (x = '', y = '') => sql`intDiv(${x}, ${y})`),
  sign: takes('number', 'int', (x = '') => sql`sign(${x})`),
  safe_divide: takes('number number', 'float', (x = '', y = '') => sql`(${x} / nullIf(${y}, 0))`),
  ieee_divide: takes('number number', 'float', (x = '', y = '') => sql`(${x} / ${y})`),
  is_nan: takes('number', 'bool', (x = '') => sql`isNaN(${x})`),
  is_inf: takes('number', 'bool', (x = '') => sql`isInfinite(${x})`),
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
  greatest: rule(1, 100, ({ arg: at, call }) => {
    const { sqls, type } = unified(call.args.map((_, index) => at(index)));
    return { sql: sql`greatest(${joinSql(sqls)})`, type };
  }),
  least: rule(1, 100, ({ arg: at, call }) => {
    const { sqls, type } = unified(call.args.map((_, index) => at(index)));
    return { sql: sql`least(${joinSql(sqls)})`, type };
  }),
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

function substring(x: Sql = '', from: Sql = '', length?: Sql) {
  const begin = sql`if(${from} = 0, 1, ${from})`;
  return length === undefined
    ? sql`substringUTF8(${x}, ${begin})`
    : sql`substringUTF8(${x}, ${begin}, ${length})`;
}

/** Rounds halves away from zero; the engine does so for decimals but not for floats. */
function rounded(x: Sql = '', places: Sql = '0') {
  return sql`(sign(${x}) * floor((abs(${x}) * pow(10, ${places})) + 0.5) / pow(10, ${places}))`;
}

function trimmed(name: string): FunctionRule {
  return takes('text text?', 'text', (x = '', chars) =>
    chars === undefined ? sql`${name}(${x})` : sql`${name}(${x}, ${chars})`,
  );
}
