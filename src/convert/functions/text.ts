// Functions of strings.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import { caseless } from '../write/comparison.ts';
import { differs } from '../../dialects/context.ts';
import { checkedRegex } from '../write/pattern.ts';
import { condition, isNullable, operand, text, value, type Value } from '../../dialects/value.ts';
import {
  byDialect,
  integer,
  literal,
  ofText,
  type Application,
  type Rule,
  type Rules,
} from '../../dialects/function.ts';

import { pattern, regexpLike, regexpMatch, regexpReplace } from './regular-expression.ts';
import { string } from './text-argument.ts';

/** NULL of NULL: an array cannot be NULL in ClickHouse, and its elements are empty strings then. */
function unlessNull(own: Value, built: Sql): Sql {
  return own.type.isNullable ? sql`if(${own.sql} IS NULL, NULL, ${built})` : built;
}

const int = (sql: Sql, isNullableValue = true): Value => value('int', sql, isNullableValue, { scale: 0 });

/** concat: NULL if an argument is NULL, except in PostgreSQL, which skips NULL. */
function concat(application: Application): Value {
  const { all, context } = application;
  const written = all().map((_, index) => string(application, index));
  if (context.shared.traits.concatSkipsNull) {
    const present = written.map((each) =>
      each.type.isNullable ? sql`ifNull(${text(each)}, '')` : text(each),
    );
    return value('text', sql`concat(${joinSql(present)})`, false);
  }
  return value(
    'text',
    sql`concat(${joinSql(written.map((each) => (each.type.kind === 'unknown' ? each.sql : text(each))))})`,
    isNullable(...written),
  );
}

/** concat_ws skips NULL. */
function concatWith(application: Application): Value {
  const [separator, ...others] = application.all().map((_, index) => string(application, index));
  if (separator === undefined) return value('text', "''", false);
  if (application.dialect === 'snowflake' || application.dialect === 'redshift')
    return value(
      'text',
      sql`concatWithSeparator(${joinSql([separator, ...others].map((each) => each.sql))})`,
      isNullable(separator, ...others),
    );
  if (!isNullable(...others))
    return value(
      'text',
      sql`concatWithSeparator(${joinSql([separator, ...others].map((each) => each.sql))})`,
      separator.type.isNullable,
    );
  const array = sql`arrayFilter(x -> x IS NOT NULL, [${joinSql(others.map((each) => (each.type.kind === 'null' ? 'CAST(NULL AS Nullable(String))' : each.sql)))}])`;
  return value(
    'text',
    sql`arrayStringConcat(arrayMap(x -> assumeNotNull(x), ${array}), ${separator.sql})`,
    separator.type.isNullable,
  );
}

/** substr(text, start, length): starts before 1 differ by dialect. */
function substring(application: Application): Value {
  const { dialect, arg, optional, source } = application;
  const own = string(application, 0);
  const start = arg(1);
  const length = optional(2);
  const nullable = isNullable(own, start, ...(length === undefined ? [] : [length]));
  const isPostgres = dialect === 'postgresql' || dialect === 'redshift';
  const first = integer(source(1));
  if (start.type.kind === 'text') return regexSubstring(application, own);
  if (
    first !== undefined &&
    first > 0 &&
    (length === undefined || (integer(application.call.args[2]) ?? -1) >= 0)
  )
    return value(
      'text',
      sql`substringUTF8(${joinSql([own, start, ...(length === undefined ? [] : [length])].map(({ sql }) => sql))})`,
      nullable,
    );
  if (first !== undefined && first > 0 && length !== undefined)
    return value('text', sql`substringUTF8(${own.sql}, ${start.sql}, greatest(0, ${length.sql}))`, nullable);
  if (isPostgres) {
    // Positions before the first count against the length.
    if (length === undefined)
      return value('text', sql`substringUTF8(${own.sql}, greatest(1, ${start.sql}))`, nullable);
    return value(
      'text',
      sql`substringUTF8(${own.sql}, greatest(1, ${start.sql}), greatest(0, ${operand(length)} + least(0, ${operand(start)} - 1)))`,
      nullable,
    );
  }
  if (first !== undefined && first === 0) {
    if (dialect === 'mysql' || dialect === 'mariadb' || dialect === 'trino')
      return value('text', nullable ? sql`if(${own.sql} IS NULL, NULL, '')` : "''", nullable);
    if (dialect === 'sqlite' && length !== undefined)
      return value('text', sql`substringUTF8(${own.sql}, 1, greatest(0, ${operand(length)} - 1))`, nullable);
    return value(
      'text',
      sql`substringUTF8(${joinSql([own.sql, '1', ...(length === undefined ? [] : [length.sql])])})`,
      nullable,
    );
  }
  return counted(own, start, { length, nullable, application });
}

/** A start that may count from the end. */
function counted(
  own: Value,
  start: Value,
  {
    length,
    nullable,
    application,
  }: { readonly length: Value | undefined; readonly nullable: boolean; readonly application: Application },
): Value {
  const first = integer(application.source(1));
  const size = length === undefined ? '' : sql`, greatest(0, ${length.sql})`;
  if (first === undefined) {
    const isPlain = start.type.kind === 'int' && /^(?:position|[a-z]*\() ?/.test(String(start.sql));
    if (!isPlain)
      differs(
        application.context,
        application.at,
        'function',
        'If the start is zero or negative, the result may differ',
      );
    return value('text', sql`substringUTF8(${own.sql}, ${start.sql}${size})`, nullable);
  }
  // Before the beginning of the string: an empty string, except in SQLite and BigQuery, which start at the beginning.
  const { dialect } = application;
  const isShort = sql`lengthUTF8(${own.sql}) < ${String(-first)}`;
  const rest = sql`substringUTF8(${own.sql}, ${String(first)}${size})`;
  if (dialect === 'bigquery' || dialect === 'sqlite') {
    if (dialect === 'sqlite' && length !== undefined)
      return application.fail('substr with a negative start and a length is not converted');
    return value('text', sql`if(${isShort}, substringUTF8(${own.sql}, 1${size}), ${rest})`, nullable);
  }
  return value('text', sql`if(${isShort}, '', ${rest})`, nullable);
}

/** PostgreSQL's substring(text from pattern): the first group, or the whole match. */
function regexSubstring(application: Application, own: Value): Value {
  const pattern = checkedRegex(literal(application, 1), application.at);
  return value('text', sql`nullIf(extract(${own.sql}, ${quoteString(pattern)}), '')`);
}

/** left and right: a negative length in PostgreSQL drops characters from the other end. */
function side(name: 'leftUTF8' | 'rightUTF8'): Rule {
  return (application) => {
    const own = string(application, 0);
    const size = application.arg(1);
    const isPlain = (integer(application.source(1)) ?? -1) >= 0;
    const isPostgres = application.dialect === 'postgresql';
    const count = isPlain || isPostgres ? size.sql : sql`greatest(0, ${size.sql})`;
    return value('text', sql`${name}(${own.sql}, ${count})`, isNullable(own, size));
  };
}

/** The position of a string in another one, from 1. */
function position(inner: number, outer: number): Rule {
  return (application) => {
    const { context, call } = application;
    const [needle, haystack] = [string(application, inner), string(application, outer)];
    const start = call.args.length > 2 ? sql`, ${application.arg(2).sql}` : '';
    const [a, b] = [caseless(haystack, needle, context), caseless(needle, haystack, context)];
    return int(sql`positionUTF8(${a.sql}, ${b.sql}${start})`, isNullable(needle, haystack));
  };
}

/** lpad and rpad. */
function padded(name: 'leftPadUTF8' | 'rightPadUTF8'): Rule {
  return (application) => {
    const own = string(application, 0);
    const [size, fill] = [application.arg(1), application.optional(2)];
    return value(
      'text',
      sql`${name}(${joinSql([text(own), size.sql, ...(fill === undefined ? [] : [fill.sql])])})`,
      isNullable(own, size),
    );
  };
}

/** trim, ltrim and rtrim; the second argument is a set of characters, in MySQL a string. */
function trimmed(where: 'BOTH' | 'LEADING' | 'TRAILING', plain: string): Rule {
  return (application) => {
    const own = string(application, 0);
    const set = application.optional(1);
    if (set === undefined) return value('text', sql`${plain}(${text(own)})`, own.type.isNullable);
    const isMysql = application.dialect === 'mysql' || application.dialect === 'mariadb';
    if (isMysql && set.literal?.length !== 1)
      return application.fail('trim of a string of several characters is not converted');
    return value('text', sql`trim(${where} ${set.sql} FROM ${text(own)})`, own.type.isNullable);
  };
}

function replace(application: Application): Value {
  const [own, from, to] = [string(application, 0), application.arg(1), application.optional(2)];
  const replaced = sql`replaceAll(${text(own)}, ${from.sql}, ${to?.sql ?? "''"})`;
  const isSafe = from.literal !== undefined && from.literal !== '';
  const nullable = isNullable(own, from, ...(to === undefined ? [] : [to]));
  return value('text', isSafe ? replaced : sql`if(${from.sql} = '', ${text(own)}, ${replaced})`, nullable);
}

/** split_part: a negative position counts from the end in PostgreSQL. */
function splitPart(application: Application): Value {
  const [own, by, index] = [string(application, 0), application.arg(1), application.arg(2)];
  const parts = sql`splitByString(${by.sql}, ${text(own)})`;
  if (by.literal === '') return application.fail('split_part by an empty string is not converted');
  const nullable = isNullable(own, by, index);
  if (application.dialect === 'trino') return value('text', sql`arrayElementOrNull(${parts}, ${index.sql})`);
  const first = integer(application.source(2));
  if (first === 0) return application.fail('split_part at position 0 is not converted');
  return value('text', unlessNull(own, sql`arrayElement(${parts}, ${index.sql})`), nullable);
}

/** MySQL's substring_index. */
function substringIndex(application: Application): Value {
  const [own, by, count] = [string(application, 0), application.arg(1), application.arg(2)];
  const number = integer(application.source(2));
  if (number === undefined || number === 0)
    return application.fail('substring_index is converted only with a literal count');
  const parts = sql`splitByString(${by.sql}, ${text(own)})`;
  const slice =
    number > 0 ? sql`arraySlice(${parts}, 1, ${count.sql})` : sql`arraySlice(${parts}, ${count.sql})`;
  return value('text', unlessNull(own, sql`arrayStringConcat(${slice}, ${by.sql})`), isNullable(own, by));
}

function containsText(test: (own: Sql, part: Sql) => Sql): Rule {
  return (application) => {
    const [own, other] = [string(application, 0), string(application, 1)];
    return {
      ...condition(test(text(own), other.sql), isNullable(own, other)),
      isLoose: String(test('', '')).includes(' '),
    };
  };
}

const sized =
  (name: string): Rule =>
  (application) => {
    const own = string(application, 0);
    return int(sql`${name}(${text(own)})`, own.type.isNullable);
  };

/** length counts characters; in MySQL bytes. */
const length: Rule = (application) => {
  const own = application.arg(0);
  if (own.type.kind === 'array') return int(sql`length(${own.sql})`, false);
  return sized(
    application.dialect === 'mysql' || application.dialect === 'mariadb' ? 'length' : 'lengthUTF8',
  )(application);
};

export const TEXT_FUNCTIONS: Rules = {
  lower: ofText('lowerUTF8'),
  lcase: ofText('lowerUTF8'),
  upper: ofText('upperUTF8'),
  ucase: ofText('upperUTF8'),
  initcap: ofText('initcapUTF8'),
  length,
  len: length,
  char_length: sized('lengthUTF8'),
  character_length: sized('lengthUTF8'),
  octet_length: sized('length'),
  byte_length: sized('length'),
  concat,
  concat_ws: concatWith,
  substr: substring,
  substring,
  mid: substring,
  left: side('leftUTF8'),
  right: side('rightUTF8'),
  strpos: position(1, 0),
  position: position(0, 1),
  charindex: position(0, 1),
  locate: position(0, 1),
  instr: position(1, 0),
  lpad: padded('leftPadUTF8'),
  rpad: padded('rightPadUTF8'),
  trim: trimmed('BOTH', 'trimBoth'),
  btrim: trimmed('BOTH', 'trimBoth'),
  ltrim: trimmed('LEADING', 'trimLeft'),
  rtrim: trimmed('TRAILING', 'trimRight'),
  replace,
  translate: ofText('translateUTF8'),
  reverse: ofText('reverseUTF8'),
  repeat: ({ arg }) =>
    value('text', sql`repeat(${text(arg(0))}, greatest(0, ${arg(1).sql}))`, isNullable(arg(0), arg(1))),
  space: ({ arg }) => value('text', sql`repeat(' ', greatest(0, ${arg(0).sql}))`, isNullable(arg(0))),
  ascii: ofText('ascii', 'int'),
  chr: ({ arg }) => value('text', sql`char(${arg(0).sql})`, arg(0).type.isNullable),
  md5: ({ arg, dialect, fail }) =>
    dialect === 'bigquery' || dialect === 'trino'
      ? fail('md5 returns bytes and is not converted')
      : value('text', sql`lower(hex(MD5(${text(arg(0))})))`, arg(0).type.isNullable),
  split_part: splitPart,
  substring_index: substringIndex,
  regexp_replace: regexpReplace,
  regexp_substr: regexpMatch(0),
  regexp_extract: byDialect({ trino: regexpMatch(0), bigquery: regexpMatch(1) }),
  regexp_like: regexpLike,
  rlike: regexpLike,
  regexp_contains: regexpLike,
  regexp_count: (application) =>
    int(
      sql`countMatches(${text(string(application, 0))}, ${pattern(application, 1)})`,
      application.arg(0).type.isNullable,
    ),
  starts_with: containsText((own, part) => sql`startsWith(${own}, ${part})`),
  startswith: containsText((own, part) => sql`startsWith(${own}, ${part})`),
  ends_with: containsText((own, part) => sql`endsWith(${own}, ${part})`),
  endswith: containsText((own, part) => sql`endsWith(${own}, ${part})`),
  contains: byDialect({
    snowflake: containsText((own, part) => sql`position(${own}, ${part}) > 0`),
    trino: ({ arg }) => condition(sql`has(${arg(0).sql}, ${arg(1).sql})`, isNullable(arg(0), arg(1))),
  }),
  contains_substr: containsText((own, part) => sql`positionCaseInsensitiveUTF8(${own}, ${part}) > 0`),
  quote_literal: ({ fail }) => fail('quote_literal is not converted'),
  uuid: () => value('text', 'toString(generateUUIDv4())', false),
  gen_random_uuid: () => value('uuid', 'generateUUIDv4()', false),
  generate_uuid: () => value('text', 'toString(generateUUIDv4())', false),
  binary: ({ arg }) => ({ ...arg(0), type: { ...arg(0).type, kind: 'unknown' } }),
  hex: ({ arg, fail }) =>
    arg(0).type.kind === 'text'
      ? value('text', sql`hex(${arg(0).sql})`, arg(0).type.isNullable)
      : fail('hex is converted only for strings'),
  strcmp: ({ fail }) => fail('strcmp is not converted'),
};
