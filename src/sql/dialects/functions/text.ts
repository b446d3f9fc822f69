// Functions of strings and bytes.
import { quoteString } from '../../clickhouse/literal.ts';
import { differs, type Application, type Rule, type Rules } from '../context.ts';
import {
  integer,
  accepting,
  taking,
  asText,
  characters,
  literalText,
  signedInteger,
  unlessNull,
} from '../function.ts';
import { joinSql, sql, type Sql, condition, isKind, operand, text, value, type Value } from '../value.ts';
import { sameArray } from './array-value.ts';
import { BYTES_FUNCTIONS } from './strings.ts';

/** A function of strings and the one of bytes. */
const ofUnits = ({ type }: Value, name: string): string => (type.kind === 'bytes' ? name : `${name}UTF8`);

/** A value of the kind of another one: text or bytes. */
const likewise = ({ type }: Value, own: Sql, nullable = type.isNullable): Value =>
  value(type.kind === 'bytes' ? 'bytes' : 'text', own, nullable);

/** How a number of characters or repetitions is written. */
export type Length = (application: Application, index: number) => Sql;

/**
 * What a start before 1 means in substr. `counted`: positions before the first one count against the length. `clamped`: 0 and positions
 * before the beginning are the beginning. `empty`: such a start returns nothing. `first`: 0 is 1. `around`: of a negative length, the
 * string before the start.
 */
type Start = 'counted' | 'clamped' | 'empty' | 'first' | 'around';

/** substr(text, start, length). */
export function substring(kind: Start, length: Length = atLeastZero): Rule {
  return accepting('text integer', (application) => {
    const { arg, call, source } = application;
    const own = application.arg(0);
    const start = arg(1);
    const isAround = kind === 'around';
    if (isAround && (signedInteger(call.args[2]) ?? 0) < 0)
      return application.fail('substr with a negative length is not converted');
    const isWhole = call.args.length < 3;
    const written = isWhole ? undefined : length(application, 2);
    const part: PartFrom = (from, size = written) =>
      sql`${ofUnits(own, 'substring')}(${joinSql([own.sql, from, ...(size === undefined ? [] : [size])])})`;
    const built = (piece: Sql): Value => likewise(own, piece);
    const first = signedInteger(source(1));
    if (first !== undefined && first > 0)
      return built(isAround && !isWhole ? aroundStart(application, first, part) : part(start.sql));
    if (kind === 'counted') return built(countedStart(application, start, part));
    if (kind === 'clamped') return built(part(fromEnd(own, start, { first, isWhole })));
    if (first === 0) return built(atZero(kind, application, part));
    if (first === undefined) {
      noteStart(application, start);
      return built(part(start.sql));
    }
    if (isAround && !isWhole)
      return application.fail('substr with a negative start and a length is not converted');
    const isShort = sql`lengthUTF8(${own.sql}) < ${String(-first)}`;
    return built(sql`if(${isShort}, ${isAround ? part('1') : "''"}, ${part(String(first))})`);
  });
}

/** A part of a string from a position on. */
type PartFrom = (from: Sql, size?: Sql) => Sql;

/** Positions before the first count against the length. */
function countedStart({ call, arg }: Application, start: Value, part: PartFrom): Sql {
  const least = atLeast(1, start.sql);
  if (call.args.length < 3) return part(least);
  return part(
    least,
    atLeast(0, sql`${operand(arg(2))} + if(${operand(start)} > 1, 0, ${operand(start)} - 1)`),
  );
}

/** Cuts from a position; a negative length is that of what is before it. */
function aroundStart({ call, arg }: Application, first: number, part: PartFrom): Sql {
  if ((signedInteger(call.args[2]) ?? -1) >= 0) return part(String(first));
  const length = operand(arg(2));
  const before = part(
    sql`greatest(${String(first)} + ${length}, 1)`,
    sql`least(-${length}, ${String(first - 1)})`,
  );
  return sql`if(${length} < 0, ${before}, ${part(String(first), arg(2).sql)})`;
}

/** 0 and positions before the beginning are the beginning. */
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
function atZero(kind: Start, { call, arg }: Application, part: PartFrom): Sql {
  if (kind === 'empty')
    return unlessNull(call.args.length > 2 ? [arg(0), arg(2)] : [arg(0)], 'NULL', () => "''");
  if (kind === 'around' && call.args.length > 2) return part('1', atLeast(0, sql`${operand(arg(2))} - 1`));
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

/** left and right. */
export function side(name: 'left' | 'right', length: Length = atLeastZero): Rule {
  return (application) => {
    const own = application.arg(0);
    return likewise(own, sql`${ofUnits(own, name)}(${own.sql}, ${length(application, 1)})`);
  };
}

/** NULL, whatever the arguments are. */
const ofNothing = ({ all }: Application): Value => likewise(all()[0] ?? value('text', "''"), 'NULL', true);

/** lpad and rpad, with a literal that is not empty. */
export function padded(name: 'leftPad' | 'rightPad', length: Length = atLeastZero): Rule {
  return (application) => {
    const { arg, call, fail } = application;
    const own = application.arg(0);
    const fill = call.args.length > 2 ? literalText(application, 2) : ' ';
    if (fill === null) return ofNothing(application);
    if (fill === undefined || fill === '')
      return fail(`${call.name} requires a string literal that is not empty as its third argument`);
    const size = length(application, 1);
    const rest = call.args.length > 2 ? sql`, ${arg(2).sql}` : '';
    return likewise(own, sql`${ofUnits(own, name)}(${text(own)}, ${size}${rest})`);
  };
}

/** repeat. */
export function repeated(length: Length = atLeastZero): Rule {
  return (application) => {
    const own = application.arg(0);
    return likewise(own, sql`repeat(${text(own)}, ${length(application, 1)})`);
  };
}

function replace({ arg, optional }: Application): Value {
  const [own, from, to] = [arg(0), arg(1), optional(2)];
  return likewise(own, sql`replaceAll(${text(own)}, ${text(from)}, ${to === undefined ? "''" : text(to)})`);
}

/** replace: an empty string is not replaced, whatever it would be replaced by. */
export const replacePresent: Rule = (application) => {
  const own = replace(application);
  const [whole, from, by] = [application.arg(0), application.arg(1), application.optional(2)];
  if (by?.type.isNullable !== true || (from.literal ?? '') !== '') return own;
  return { ...own, sql: sql`if(${text(from)} = '', ${text(whole)}, ${own.sql})` };
};

/** translate: characters without a replacement are removed. */
export const translate: Rule = (application) => {
  const { source, fail } = application;
  const own = application.arg(0);
  const [from, to] = [source(1), source(2)];
  if (from.kind !== 'string' || to.kind !== 'string' || own.type.kind === 'bytes')
    return fail('translate requires the characters and their replacements as string literals');
  const letters = Array.from(from.value);
  const replacements = Array.from(to.value);
  const first = [...new Set(letters)].map((each) => letters.indexOf(each));
  // Characters that are removed come last.
  const isReplaced = (index: number): boolean => index < replacements.length;
  const order = [...first.filter(isReplaced), ...first.filter((index) => !isReplaced(index))];
  const written = [letters, replacements].map((list) =>
    quoteString(order.map((index) => list[index] ?? '').join('')),
  );
  const built = sql`translateUTF8(${joinSql([text(own), ...written])})`;
  return value('text', built, false);
};

/** split_part: a negative position counts from the end. */
export function splitPart(application: Application): Value {
  const { arg, source, fail } = application;
  const [own, by, index] = [application.arg(0), arg(1), arg(2)];
  const separator = source(1);
  if (separator.kind !== 'string' || separator.value === '')
    return fail('split_part requires a separator as a string literal that is not empty');
  if (signedInteger(source(2)) === 0) return fail('split_part at position 0 is not converted');
  const part = unlessNull(
    [own],
    'NULL',
    (present = '') => sql`arrayElement(splitByString(${by.sql}, ${present}), ${index.sql})`,
  );
  return value('text', part, false);
}

/** ClickHouse splits by constants only: here by a byte that no string has in place of the separator. */
const partsBy = (string: Sql, separator: Sql, number: Sql): Sql =>
  sql`replaceAll(substringIndex(replaceAll(${string}, ${separator}, '\\xff'), '\\xff', ${number}), '\\xff', ${separator})`;

/** Returns the first parts of a string, or the last ones. */
function partsOf({ arg }: Application): Value {
  const [own, by, count] = [arg(0), arg(1), arg(2)];
  const parts = unlessNull([own, by], 'NULL', (string = '', separator = '') => {
    const last = partsBy(sql`reverse(${string})`, sql`reverse(${separator})`, sql`-${operand(count)}`);
    const first = partsBy(string, separator, count.sql);
    const ofNull = count.type.isNullable ? sql`isNull(${count.sql}), NULL, ` : '';
    return sql`multiIf(${ofNull}${separator} = '', '', ${operand(count)} < 0, reverse(${last}), ${first})`;
  });
  return value('text', parts, false);
}

/** MySQL's substring_index. */
function substringIndex(application: Application): Value {
  const { arg, source } = application;
  const [own, by] = [application.arg(0), arg(1)];
  const number = signedInteger(source(2));
  if (number === undefined || number === 0 || source(1).kind !== 'string') return partsOf(application);
  const size = number > 0 ? `1, ${number}` : String(number);
  const joined = unlessNull([own], 'NULL', (present = '') =>
    by.literal === ''
      ? "''"
      : sql`arrayStringConcat(arraySlice(splitByString(${by.sql}, ${present}), ${size}), ${by.sql})`,
  );
  return value('text', joined, false);
}

const sized =
  (name: string): Rule =>
  (application) => {
    const own = application.arg(0);
    return characters(sql`${own.type.kind === 'bytes' ? 'length' : name}(${text(own)})`, false);
  };

const CHARACTERS = accepting('text', sized('lengthUTF8'));
export const BYTES_OF_TEXT = accepting('text', sized('length'));

/** The length of a string by a rule, or of an array. */
export const lengthBy =
  (rule: Rule): Rule =>
  (application) => {
    const own = application.arg(0);
    return own.type.kind === 'array' ? characters(sql`length(${own.sql})`, false) : rule(application);
  };
const length = lengthBy(CHARACTERS);

/** A test of two strings; `build` returns a call. */
const test =
  (build: (own: Sql, part: Sql) => Sql): Rule =>
  (application) => {
    const [own, other] = [asText(application, 0), asText(application, 1)];
    return condition(build(text(own), text(other)), false);
  };

const contained = (build: (own: Sql, part: Sql) => Sql): Rule =>
  test((own, part) => sql`(${build(own, part)} > 0)`);

/** contains, of strings. */
export const containsText = contained((own, part) => sql`position(${own}, ${part})`);

/** Upper and lower case; of bytes, of ASCII only. */
export const cased =
  (name: 'lower' | 'upper', isAscii = false): Rule =>
  (application) => {
    const own = application.arg(0);
    const isPlain = isAscii || own.type.kind === 'bytes' || /^[\0-\x7f]*$/.test(own.literal ?? 'é');
    if (isPlain || !application.traits.casesEachLetter)
      return likewise(own, sql`${isAscii ? name : ofUnits(own, name)}(${text(own)})`);
    if (name === 'lower') return likewise(own, sql`lowerUTF8(translateUTF8(${text(own)}, 'Σİ', 'σi'))`);
    return likewise(own, upperOfEach(own));
  };

/** ClickHouse writes some letters in upper case as several: the string has as many letters as before if there are none of them. */
function upperOfEach(own: Value): Sql {
  const upper = sql`upperUTF8(${text(own)})`;
  const isSame = sql`lengthUTF8(${upper}) = lengthUTF8(${text(own)})`;
  const [isKnown, present] = own.type.isNullable
    ? [sql`ifNull(${isSame}, true)`, sql`ifNull(${text(own)}, '')`]
    : [isSame, text(own)];
  const letters = sql`arrayMap(c -> initcapUTF8(c), extractAll(${present}, '(?s).'))`;
  return sql`if(${isKnown}, ${upper}, arrayStringConcat(${letters}))`;
}

const reversedText = accepting('text', (application) => {
  const own = application.arg(0);
  return likewise(own, sql`${ofUnits(own, 'reverse')}(${text(own)})`);
});

/** An array is replaced by its elements. */
const reversed: Rule = (application) => {
  const own = application.arg(0);
  return isKind(own, 'array') ? sameArray(own, sql`arrayReverse(${own.sql})`) : reversedText(application);
};

/** The first byte. */
export const asciiByte: Rule = (application) => characters(sql`ascii(${text(application.arg(0))})`, false);

/** The code of the first character, which must be an ASCII character if the value is certain. */
const ascii: Rule = (application) => {
  const own = application.arg(0);
  const code = sql`ascii(${text(own)})`;
  const isPlain = typeof own.literal === 'string' && /^[\0-\x7f]*$/.test(own.literal);
  if (isPlain || own.type.kind === 'bytes') return characters(code, false);
  if (application.context.isEvaluated === true)
    return characters(sql`(${code} + 0 % (${code} < 128))`, false);
  differs(
    application.context,
    application.at,
    'function',
    'Other characters than those of ASCII have another code',
  );
  return characters(code, false);
};

/** The character of a code point, which is a literal. */
const character: Rule = ({ source, fail, call }) => {
  const code = signedInteger(source(0));
  const isValid = code !== undefined && code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  if (!isValid) return fail(`${call.name} requires the number of a character as an integer literal`);
  return value('text', quoteString(String.fromCodePoint(code)), false);
};

/** substr, substring and mid. */
export const substrings = (start: Start, length?: Length): Rules => {
  const rule = substring(start, length);
  return { substr: rule, substring: rule, mid: rule };
};

const starts = test((own, part) => sql`startsWith(${own}, ${part})`);
const ends = test((own, part) => sql`endsWith(${own}, ${part})`);

const randomText: Rule = () => value('text', 'toString(generateUUIDv4())', false);

export const TEXT_FUNCTIONS: Rules = {
  ...BYTES_FUNCTIONS,
  ...taking('text', {
    lower: cased('lower'),
    lcase: cased('lower'),
    upper: cased('upper'),
    ucase: cased('upper'),
    initcap: (application) => value('text', sql`initcapUTF8(${text(application.arg(0))})`, false),
    replace,
    translate,
    ascii,
    starts_with: starts,
    startswith: starts,
    ends_with: ends,
    endswith: ends,
  }),
  ...taking('text integer', {
    left: side('left'),
    right: side('right'),
    repeat: repeated(),
  }),
  ...taking('text integer text', { lpad: padded('leftPad'), rpad: padded('rightPad') }),
  ...taking('text text integer', { split_part: splitPart, substring_index: substringIndex }),
  ...taking('integer', {
    space: (application) => value('text', sql`repeat(' ', ${atLeastZero(application, 0)})`, false),
  }),
  ...taking('any', {
    // All elements of an array are searched.
    contains_substr: contained(
      (own, part) => sql`positionCaseInsensitiveUTF8(normalizeUTF8NFKC(${own}), normalizeUTF8NFKC(${part}))`,
    ),
    reverse: reversed,
    length,
    len: length,
    char_length: CHARACTERS,
    character_length: CHARACTERS,
    octet_length: BYTES_OF_TEXT,
    byte_length: BYTES_OF_TEXT,
    ...substrings('first'),
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
