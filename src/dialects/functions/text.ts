// Functions of strings and bytes.
import { quoteString } from '../../sql/literal.ts';
import { differs } from '../context.ts';
import { accepting, taking } from '../behaviour.ts';
import { byDialect, integer, type Application, type Rule, type Rules } from '../function.ts';
import { joinSql, sql, type Sql } from '../sql.ts';
import { count, literalText, signedInteger, unlessNull } from '../argument.ts';
import { condition, operand, text, value, type Value } from '../value.ts';
import { regexSubstring } from './regex.ts';

/** A number of characters, or a code. */
const int = (own: Sql, isNullableValue = true): Value =>
  value('int', own, isNullableValue, { scale: 0, bits: 32 });

/** A function of strings and the one of bytes. */
const ofUnits = ({ type }: Value, name: string): string => (type.kind === 'bytes' ? name : `${name}UTF8`);

/** A value of the kind of another one: text or bytes. */
const likewise = ({ type }: Value, own: Sql, nullable = type.isNullable): Value =>
  value(type.kind === 'bytes' ? 'bytes' : 'text', own, nullable);

/** substr(text, start, length): starts before 1 differ by dialect. */
function substring(application: Application): Value {
  const { dialect, arg, call, source } = application;
  const own = application.arg(0);
  const start = arg(1);
  if (dialect === 'sqlite' && (signedInteger(call.args[2]) ?? 0) < 0)
    return application.fail('substr with a negative length is not converted');
  const isStrict = dialect === 'bigquery' || dialect === 'postgresql';
  const isWhole = call.args.length < 3;
  const length = isWhole ? undefined : isStrict ? count(application, 2) : atLeastZero(application, 2);
  const part = (from: Sql, size = length): Sql =>
    sql`${ofUnits(own, 'substring')}(${joinSql([own.sql, from, ...(size === undefined ? [] : [size])])})`;
  const built = (piece: Sql): Value => likewise(own, piece);
  const first = signedInteger(source(1));
  if (first !== undefined && first > 0)
    return built(dialect === 'sqlite' && !isWhole ? aroundStart(application, first, part) : part(start.sql));
  if (dialect === 'postgresql' || dialect === 'redshift') {
    const least = atLeast(1, start.sql);
    if (isWhole) return built(part(least));
    // Positions before the first count against the length.
    return built(
      part(least, atLeast(0, sql`${operand(arg(2))} + if(${operand(start)} > 1, 0, ${operand(start)} - 1)`)),
    );
  }
  if (dialect === 'bigquery') return built(part(fromEnd(own, start, { first, isWhole })));
  if (first === 0) return built(atZero(application, own, part));
  if (first === undefined) noteStart(application, start);
  else if (dialect === 'sqlite' && !isWhole)
    return application.fail('substr with a negative start and a length is not converted');
  if (first === undefined) return built(part(start.sql));
  // Before the beginning of the string: an empty string, except in SQLite, which starts at the beginning.
  const isShort = sql`lengthUTF8(${own.sql}) < ${String(-first)}`;
  return built(sql`if(${isShort}, ${dialect === 'sqlite' ? part('1') : "''"}, ${part(String(first))})`);
}

/** SQLite's substr from a position: a negative length is that of what is before it. */
function aroundStart({ call, arg }: Application, first: number, part: (from: Sql, size?: Sql) => Sql): Sql {
  if ((signedInteger(call.args[2]) ?? -1) >= 0) return part(String(first));
  const length = operand(arg(2));
  const before = part(
    sql`greatest(${String(first)} + ${length}, 1)`,
    sql`least(-${length}, ${String(first - 1)})`,
  );
  return sql`if(${length} < 0, ${before}, ${part(String(first), arg(2).sql)})`;
}

/** A start in BigQuery: 0 and positions before the beginning are the beginning. */
function fromEnd(
  own: Value,
  start: Value,
  { first, isWhole }: { readonly first: number | undefined; readonly isWhole: boolean },
): Sql {
  const length = sql`${ofUnits(own, 'length')}(${own.sql})`;
  if (first === 0) return '1';
  if (first !== undefined) return isWhole ? String(first) : sql`greatest(${String(first)}, -${length})`;
  const from = operand(start);
  if (isWhole) return sql`if(${from} = 0, 1, ${from})`;
  return sql`if(${from} < 0, greatest(${from}, -${length}), greatest(${from}, 1))`;
}

/** A start of 0. */
function atZero({ dialect, call, arg }: Application, own: Value, part: (from: Sql, size?: Sql) => Sql): Sql {
  if (dialect === 'mysql' || dialect === 'mariadb' || dialect === 'trino')
    return unlessNull(call.args.length > 2 ? [own, arg(2)] : [own], 'NULL', () => "''");
  if (dialect === 'sqlite' && call.args.length > 2) return part('1', atLeast(0, sql`${operand(arg(2))} - 1`));
  return part('1');
}

function noteStart({ context, at }: Application, start: Value): void {
  const isPlain = start.type.kind === 'int' && /^(?:position|[a-z]*\() ?/.test(String(start.sql));
  if (!isPlain) differs(context, at, 'function', 'If the start is zero or negative, the result may differ');
}

/** The number, or the least one if it is below. NULL stays NULL, which greatest() would skip. */
const atLeast = (least: number, own: Sql): Sql =>
  sql`if((${own}) < ${String(least)}, ${String(least)}, ${own})`;

/** A number of characters; a negative one is like 0. */
function atLeastZero({ arg, source }: Application, index: number): Sql {
  return (integer(source(index)) ?? -1) >= 0 ? arg(index).sql : atLeast(0, arg(index).sql);
}

/** left and right: a negative length is an error in BigQuery, and drops characters from the other end in PostgreSQL. */
function side(name: 'left' | 'right'): Rule {
  return (application) => {
    const own = application.arg(0);
    const size = application.arg(1);
    const { dialect } = application;
    const number =
      dialect === 'bigquery'
        ? count(application, 1)
        : dialect === 'postgresql'
          ? size.sql
          : atLeastZero(application, 1);
    return likewise(own, sql`${ofUnits(own, name)}(${own.sql}, ${number})`);
  };
}

/** NULL, whatever the arguments are. */
const ofNothing = ({ all }: Application): Value => likewise(all()[0] ?? value('text', "''"), 'NULL', true);

/** lpad and rpad, with a literal that is not empty. */
function padded(name: 'leftPad' | 'rightPad'): Rule {
  return (application) => {
    const { arg, call, source, dialect, fail } = application;
    const own = application.arg(0);
    const fill = call.args.length > 2 ? literalText(application, 2) : ' ';
    if (fill === null) return ofNothing(application);
    if (fill === undefined || fill === '')
      return fail(`${call.name} requires a string literal that is not empty as its third argument`);
    const isStrict = dialect === 'bigquery' || dialect === 'trino';
    const size = isStrict ? count(application, 1) : atLeastZero(application, 1);
    const rest = call.args.length > 2 ? sql`, ${arg(2).sql}` : '';
    const built = sql`${ofUnits(own, name)}(${text(own)}, ${size}${rest})`;
    const isMysql = dialect === 'mysql' || dialect === 'mariadb';
    if (!isMysql || (signedInteger(source(1)) ?? -1) >= 0) return likewise(own, built);
    return likewise(own, sql`if(${operand(arg(1))} < 0, NULL, ${built})`, true);
  };
}

const repeated: Rule = (application) => {
  const { dialect } = application;
  const own = application.arg(0);
  const times = dialect === 'bigquery' ? count(application, 1) : atLeastZero(application, 1);
  return likewise(own, sql`repeat(${text(own)}, ${times})`);
};

function replace(application: Application): Value {
  const { arg, optional, dialect, context, source } = application;
  const [own, from, to] = [arg(0), arg(1), optional(2)];
  const replaced = sql`replaceAll(${text(own)}, ${text(from)}, ${to === undefined ? "''" : text(to)})`;
  if (dialect !== 'mariadb' || to?.type.isNullable !== true) return likewise(own, replaced);
  // MariaDB does not look at the replacement of what is not in a column.
  const { type, literal } = context.write(source(0), context);
  if (type.kind !== 'text' || literal !== undefined) return likewise(own, replaced);
  return likewise(own, sql`if(position(${text(own)}, ${text(from)}) = 0, ${text(own)}, ${replaced})`);
}

/** translate: characters without a replacement are removed. */
const translate: Rule = (application) => {
  const { source, fail } = application;
  const own = application.arg(0);
  const [from, to] = [source(1), source(2)];
  if (from.kind !== 'string' || to.kind !== 'string' || own.type.kind === 'bytes')
    return fail('translate requires the characters and their replacements as string literals');
  const characters = Array.from(from.value);
  const replacements = Array.from(to.value);
  const first = [...new Set(characters)].map((each) => characters.indexOf(each));
  if (application.dialect === 'bigquery' && first.length < characters.length)
    return fail('translate requires each character only once');
  // Characters that are removed come last.
  const isReplaced = (index: number): boolean => index < replacements.length;
  const order = [...first.filter(isReplaced), ...first.filter((index) => !isReplaced(index))];
  const written = [characters, replacements].map((list) =>
    quoteString(order.map((index) => list[index] ?? '').join('')),
  );
  const built = sql`translateUTF8(${joinSql([text(own), ...written])})`;
  return value('text', built, false);
};

/** split_part: a negative position counts from the end in PostgreSQL. */
function splitPart(application: Application): Value {
  const { arg, source, dialect, fail } = application;
  const [own, by, index] = [application.arg(0), arg(1), arg(2)];
  const separator = source(1);
  if (separator.kind !== 'string' || separator.value === '')
    return fail('split_part requires a separator as a string literal that is not empty');
  if (dialect === 'trino')
    return value('text', sql`arrayElementOrNull(splitByString(${by.sql}, ${text(own)}), ${index.sql})`);
  if (signedInteger(source(2)) === 0) return fail('split_part at position 0 is not converted');
  const part = unlessNull(
    [own],
    'NULL',
    (present = '') => sql`arrayElement(splitByString(${by.sql}, ${present}), ${index.sql})`,
  );
  return value('text', part, false);
}

/** MySQL's substring_index. */
function substringIndex(application: Application): Value {
  const { arg, source, fail } = application;
  const [own, by] = [application.arg(0), arg(1)];
  const number = signedInteger(source(2));
  if (number === undefined || number === 0)
    return fail('substring_index is converted only with a literal count');
  const size = number > 0 ? `1, ${number}` : String(number);
  const joined = unlessNull(
    [own],
    'NULL',
    (present = '') =>
      sql`arrayStringConcat(arraySlice(splitByString(${by.sql}, ${present}), ${size}), ${by.sql})`,
  );
  return value('text', joined, false);
}

const sized =
  (name: string): Rule =>
  (application) => {
    const own = application.arg(0);
    return int(sql`${own.type.kind === 'bytes' ? 'length' : name}(${text(own)})`, false);
  };

const CHARACTERS = accepting('text', sized('lengthUTF8'));
const BYTES_OF_TEXT = accepting('text', sized('length'));

/** length counts characters; in MySQL bytes. */
const length: Rule = (application) => {
  const own = application.arg(0);
  if (own.type.kind === 'array') return int(sql`length(${own.sql})`, false);
  const { dialect } = application;
  const inBytes = dialect === 'mysql' || dialect === 'mariadb';
  return (inBytes ? BYTES_OF_TEXT : CHARACTERS)(application);
};

/** A test of two strings; `build` returns a call. */
const test =
  (build: (own: Sql, part: Sql) => Sql): Rule =>
  (application) => {
    const [own, other] = [application.arg(0), application.arg(1)];
    return condition(build(text(own), text(other)), false);
  };

const contained = (build: (own: Sql, part: Sql) => Sql): Rule =>
  test((own, part) => sql`(${build(own, part)} > 0)`);

/** Snowflake's contains. */
export const containsText = contained((own, part) => sql`position(${own}, ${part})`);

/** Words begin with a capital letter; in BigQuery, only some characters are between words. */
const capitalized: Rule = (application) => {
  const own = application.arg(0);
  if (application.dialect !== 'bigquery') return value('text', sql`initcapUTF8(${text(own)})`, false);
  const between = '\\s\\x0b\\[\\](){}/|\\\\<>!?@"^#$&~_,.:;*%+\\-';
  const words = quoteString(`[^${between}]+|[${between}]+`);
  const word = 'concat(upperUTF8(substringUTF8(x, 1, 1)), lowerUTF8(substringUTF8(x, 2)))';
  const joined = unlessNull(
    [own],
    'NULL',
    (present = '') => sql`arrayStringConcat(arrayMap(x -> ${word}, extractAll(${present}, ${words})))`,
  );
  return value('text', joined, false);
};

/** Upper and lower case; of bytes and in SQLite, of ASCII only. */
const cased =
  (name: 'lower' | 'upper'): Rule =>
  (application) => {
    const own = application.arg(0);
    const isAscii = application.dialect === 'sqlite';
    return likewise(own, sql`${isAscii ? name : ofUnits(own, name)}(${text(own)})`);
  };

const reversed: Rule = (application) => {
  const own = application.arg(0);
  return likewise(own, sql`${ofUnits(own, 'reverse')}(${text(own)})`);
};

/** The code of the first character, which must be an ASCII character if the value is certain. */
const ascii: Rule = (application) => {
  const own = application.arg(0);
  const code = sql`ascii(${text(own)})`;
  const isPlain = typeof own.literal === 'string' && /^[\0-\x7f]*$/.test(own.literal);
  const isByte = isPlain || own.type.kind === 'bytes' || ['mysql', 'mariadb'].includes(application.dialect);
  if (!isByte && application.context.isEvaluated === true)
    return int(sql`(${code} + 0 % (${code} < 128))`, false);
  if (!isByte)
    differs(
      application.context,
      application.at,
      'function',
      'Other characters than those of ASCII have another code',
    );
  return int(code, false);
};

/** The character of a code point, which is a literal. */
const character: Rule = ({ source, fail, call }) => {
  const code = signedInteger(source(0));
  const isValid = code !== undefined && code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  if (!isValid) return fail(`${call.name} requires the number of a character as an integer literal`);
  return value('text', quoteString(String.fromCodePoint(code)), false);
};

/** PostgreSQL's substring of a text has a pattern in place of a start. */
const substringOrMatch: Rule = (application) => {
  const { dialect, arg, call } = application;
  const isNamed = call.name === 'substring' && (dialect === 'postgresql' || dialect === 'redshift');
  const isPattern = isNamed && arg(1).type.kind === 'text';
  return (isPattern ? matched : positioned)(application);
};
const matched = accepting('text', regexSubstring);
const positioned = accepting('text integer', substring);

const starts = test((own, part) => sql`startsWith(${own}, ${part})`);
const ends = test((own, part) => sql`endsWith(${own}, ${part})`);

const randomText: Rule = () => value('text', 'toString(generateUUIDv4())', false);

export const TEXT_FUNCTIONS: Rules = {
  ...taking('text', {
    lower: cased('lower'),
    lcase: cased('lower'),
    upper: cased('upper'),
    ucase: cased('upper'),
    initcap: capitalized,
    replace,
    translate,
    reverse: reversed,
    ascii,
    starts_with: starts,
    startswith: starts,
    ends_with: ends,
    endswith: ends,
    contains_substr: contained((own, part) => sql`positionCaseInsensitiveUTF8(${own}, ${part})`),
  }),
  ...taking('text integer', {
    left: side('left'),
    right: side('right'),
    repeat: byDialect({
      trino: ({ fail }) => fail('repeat of an element is not converted', 'Use arrayWithConstant.'),
      others: repeated,
    }),
  }),
  ...taking('text integer text', { lpad: padded('leftPad'), rpad: padded('rightPad') }),
  ...taking('text text integer', { split_part: splitPart, substring_index: substringIndex }),
  ...taking('integer', {
    space: (application) => value('text', sql`repeat(' ', ${atLeastZero(application, 0)})`, false),
  }),
  ...taking('any', {
    length,
    len: length,
    char_length: CHARACTERS,
    character_length: CHARACTERS,
    octet_length: BYTES_OF_TEXT,
    byte_length: BYTES_OF_TEXT,
    substr: substringOrMatch,
    substring: substringOrMatch,
    mid: substringOrMatch,
    binary: ({ arg }) => ({ ...arg(0), type: { ...arg(0).type, isBinary: true } }),
  }),
  // Of literals only, or without arguments.
  ...taking(
    'any',
    {
      chr: character,
      uuid: randomText,
      generate_uuid: randomText,
      gen_random_uuid: () => value('uuid', 'generateUUIDv4()', false),
      quote_literal: ({ fail }) => fail('quote_literal is not converted'),
      strcmp: ({ fail }) => fail('strcmp is not converted'),
    },
    'decide',
  ),
};
