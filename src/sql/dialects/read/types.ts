// Reads the names of types, and intervals.
import type { TypeField, TypeName, Expression, Unit } from '../tree.ts';
import { unsupported } from '../context.ts';
import { expectSymbol, has, isNameToken, isSymbol, isWord, nested, next, peek, readItems, readMember, takeSymbol, takeWords, textFrom, unexpected, type Source, readExpression, unread } from './source.ts'; // prettier-ignore
import { setOf } from './grammar.ts';

/** @throws UnconvertedError */
export function readTypeName(source: Source): TypeName {
  let type = nested(source, () => readElementType(source));
  // PostgreSQL ignores the numbers in `int[3]`.
  while (has(source, 'array suffixes') && takeSymbol(source, '[')) {
    if (peek(source).kind === 'number') source.at++;
    expectSymbol(source, ']');
    type = { name: 'ARRAY', at: type.at, of: type };
  }
  if (!has(source, 'array suffixes') || !isWord(source, 'ARRAY') || isSymbol(source, '[', 1)) return type;
  source.at++;
  return { name: 'ARRAY', at: type.at, of: type };
}

/** Words that follow the first one of a name, and the name of both. */
const SECOND: Readonly<Record<string, readonly string[]>> = {
  DOUBLE: ['PRECISION'],
  CHARACTER: ['VARYING'],
  CHAR: ['VARYING'],
  NATIONAL: ['CHARACTER', 'CHAR'],
  UNSIGNED: ['INTEGER', 'INT'],
  SIGNED: ['INTEGER', 'INT'],
  BIT: ['VARYING'],
};
/** A second word adds nothing to them. */
const WHOLE: ReadonlySet<string> = new Set(['UNSIGNED', 'SIGNED']);

function readElementType(source: Source): TypeName {
  if (!isNameToken(source)) return unexpected(source, 'a type');
  const { name: first, at } = readMember(source);
  let name = first.toUpperCase();
  const second = SECOND[name]?.find((word) => takeWords(source, word));
  if (second !== undefined && !WHOLE.has(name)) name = `${name} ${second}`;
  while (takeSymbol(source, '.')) name = readMember(source).name.toUpperCase(); // pg_catalog.int4
  if (GENERIC.has(name) && isSymbol(source, '<')) return readTypeArguments(source, { name, at });
  const sizes = isSymbol(source, '(') ? readSizes(source, { name, at }) : undefined;
  if (sizes?.of !== undefined || sizes?.fields !== undefined) return sizes;
  const isTime = name === 'TIME' || name === 'TIMESTAMP';
  const isZoned =
    isTime &&
    (takeWords(source, 'WITH', 'TIME', 'ZONE') || takeWords(source, 'WITH', 'LOCAL', 'TIME', 'ZONE'));
  if (isTime && !isZoned) takeWords(source, 'WITHOUT', 'TIME', 'ZONE'); // the default
  const isUnsigned = takeWords(source, 'UNSIGNED');
  if (takeWords(source, 'CHARACTER', 'SET')) readCharacterSet(source);
  return { ...sizes, name: `${name}${isZoned ? 'TZ' : ''}${isUnsigned ? ' UNSIGNED' : ''}`, at };
}

/** Sets that contain all characters: a conversion to them changes no string. */
const TEXT_SETS: ReadonlySet<string> = new Set(['UTF8MB4', 'UTF8MB3', 'UTF8']);

/** MySQL: the character set that a string is converted to. */
export function readCharacterSet(source: Source): void {
  const { text, start, kind } = peek(source);
  if (!TEXT_SETS.has(text.toUpperCase()))
    unsupported(start, `The character set ${text} is not supported`, 'Write utf8mb4.');
  if (kind !== 'word' && kind !== 'quoted' && kind !== 'string') unexpected(source, 'a character set');
  source.at++;
}

/** Types with arguments in angle brackets; after the name of another type, `<` is a comparison. */
const GENERIC: ReadonlySet<string> = new Set(['ARRAY', 'MAP', 'STRUCT', 'ROW', 'RANGE']);

/** `ARRAY<type>`, `MAP<type, type>` and `STRUCT<name type>`. */
function readTypeArguments(source: Source, { name, at }: TypeName): TypeName {
  expectSymbol(source, '<');
  if (name === 'ARRAY') {
    const of = readTypeName(source);
    closeAngle(source);
    return { name, at, of };
  }
  const fields = readItems(source, () => readTypeField(source));
  closeAngle(source);
  return { name: textFrom(source, at).toUpperCase(), at, fields };
}

function readTypeField(source: Source): TypeField {
  const isNamed = isNameToken(source) && isNameToken(source, 1);
  return isNamed && !isSecond(source)
    ? { name: readMember(source), type: readTypeName(source) }
    : { type: readTypeName(source) };
}

function isSecond(source: Source): boolean {
  return SECOND[peek(source).upper]?.includes(peek(source, 1).upper) === true;
}

/** `>>` closes two types. */
function closeAngle(source: Source): void {
  const token = peek(source);
  if (token.text !== '>>' || token.kind !== 'symbol') {
    expectSymbol(source, '>');
    return;
  }
  // The rest of the token is read next.
  source.tokens[source.at] = { ...token, text: '>', upper: '>', start: token.start + 1 };
}

/** Types of other types, in parentheses. */
const COMPOSITE: ReadonlySet<string> = new Set(['ARRAY', 'MAP', 'ROW', 'STRUCT', 'OBJECT']);

/** `(10, 2)`; `(type)` of an array, `(name type)` of a record. */
function readSizes(source: Source, { name, at }: TypeName): TypeName {
  expectSymbol(source, '(');
  if (has(source, 'standard clauses') && takeWords(source, 'MAX')) {
    expectSymbol(source, ')');
    return { name, at, sizes: [] };
  }
  if (!COMPOSITE.has(name) || has(source, 'structs')) {
    const sizes = readItems(source, () =>
      peek(source).kind === 'number' ? Number(next(source).text) : unexpected(source, 'a number'),
    );
    expectSymbol(source, ')');
    return { name, at, sizes };
  }
  const fields = readItems(source, () => readTypeField(source));
  expectSymbol(source, ')');
  const [only, more] = fields;
  if (only !== undefined && more === undefined && only.name === undefined) return { name, at, of: only.type };
  return { name: textFrom(source, at).toUpperCase(), at, fields };
}

/** The short names of units in intervals. */
const UNITS: Readonly<Record<string, string>> = {
  US: 'MICROSECOND', MS: 'MILLISECOND', S: 'SECOND', SEC: 'SECOND', M: 'MINUTE', MIN: 'MINUTE', H: 'HOUR', HR: 'HOUR', D: 'DAY', W: 'WEEK',
  MON: 'MONTH', MM: 'MONTH', Q: 'QUARTER', Y: 'YEAR', YR: 'YEAR', YY: 'YEAR', YYYY: 'YEAR',
}; // prettier-ignore
const NAMES = setOf(
  'NANOSECOND MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR DECADE CENTURY',
);

/** The unit that a word names, in the singular; undefined if it names none. */
function unitOf(word: string): string | undefined {
  const upper = word.toUpperCase();
  const singular = upper.length > 2 && upper.endsWith('S') ? upper.slice(0, -1) : upper;
  if (singular === 'CENTURIE') return 'CENTURY';
  return NAMES.has(singular) ? singular : (UNITS[singular] ?? UNITS[upper]);
}

const PARTS =
  /^(?:DAY_?OF_?(?:WEEK|MONTH|YEAR)(?:_?ISO)?|ISO_?(?:DOW|WEEK|YEAR)|DOW|DOY|EPOCH(?:_\w+)?|WEEK_?ISO|YEAR_?OF_?WEEK(?:_?ISO)?)$/i;

/** Returns whether a word is a unit, without its short forms, or a part of a time. */
export function isUnitName(word: string): boolean {
  return NAMES.has(word.toUpperCase()) || PARTS.test(word);
}

/** Undefined if INTERVAL is a name here. @throws UnconvertedError */
export function readInterval(source: Source, at: number): Expression | undefined {
  const after = peek(source, 1);
  const isName = after.kind === 'end' || (after.kind === 'symbol' && !['(', '-', '+'].includes(after.text));
  if (isName || (after.kind === 'word' && CLAUSES.has(after.upper))) return undefined;
  source.at++;
  if (peek(source).kind === 'string') {
    const { text } = next(source);
    const unit = readUnit(source);
    // Where any number can be written, a string is an integer, but of seconds.
    const isWhole = has(source, 'interval expressions') && unit?.name !== 'SECOND';
    const amount = isWhole ? text.replace(/^(\s*[+-]?\d+)\.\d+\s*$/, '$1') : text;
    const whole = unit === undefined ? fromText(text, at) : fromNumber(amount, unit, at);
    return whole ?? unread(source, at, 'this interval is not supported');
  }
  const isExpression = has(source, 'interval expressions') && !isSymbol(source, '(');
  const value = isExpression ? readExpression(source) : source.rules.primary(source);
  const unit = readUnit(source);
  if (unit === undefined && source.isStrict)
    unexpected(source, 'a unit such as HOUR', 'Write INTERVAL 1 HOUR.');
  if (unit === undefined || unit.hasEnd) return unread(source, at, 'this interval is not supported');
  return { kind: 'interval', at, value, unit: { name: unit.name, at: unit.at } };
}

const CLAUSES = setOf('FROM AS AND OR IS IN DESC ASC');

interface IntervalUnit extends Unit {
  /** TO follows it. */
  readonly hasEnd: boolean;
}

/** A unit, and `TO unit`. */
function readUnit(source: Source): IntervalUnit | undefined {
  const { kind, text, start } = peek(source);
  // Units of several parts, such as MINUTE_SECOND.
  const combined = text.includes('_') ? text.toUpperCase() : undefined;
  const name = kind === 'word' ? (unitOf(text) ?? combined) : undefined;
  if (name === undefined) return undefined;
  source.at++;
  const hasEnd = isWord(source, 'TO') && unitOf(peek(source, 1).text) !== undefined;
  if (hasEnd) source.at += 2;
  return { name, at: start, hasEnd };
}

function fromNumber(text: string, unit: IntervalUnit, at: number): Expression | undefined {
  const plain = text.trim();
  if (unit.hasEnd || unit.name.includes('_')) return undefined;
  if (!/^[+-]?\d+(\.\d+)?$/.test(plain)) return fromText(plain, at);
  const value = { kind: 'number' as const, at, text: plain.replace('+', '') };
  return { kind: 'interval', at, value, unit: { name: unit.name, at: unit.at } };
}

const PART = /\s*,?\s*([+-]?\d+(?:\.\d+)?)\s*([A-Za-z]+)/y;
const CLOCK = /\s*,?\s*([+-]?)(\d+):(\d\d)(?::(\d\d(?:\.\d+)?))?/y;

/** `1 day 2 hours 03:04:05`; undefined for other forms. */
function fromText(text: string, at: number): Expression | undefined {
  const parts: { readonly value: Expression; readonly unit: Unit }[] = [];
  const add = (number: string, unit: string): void => {
    parts.push({ value: { kind: 'number', at, text: number.replace('+', '') }, unit: { name: unit, at } });
  };
  for (let index = 0; index < text.trimEnd().length;) {
    PART.lastIndex = index;
    CLOCK.lastIndex = index;
    const clock = CLOCK.exec(text);
    const part = clock === null ? PART.exec(text) : null;
    const unit = unitOf(part?.[2] ?? '');
    if (clock !== null) {
      const [whole, sign = '', hours = '0', minutes = '0', seconds] = clock;
      add(`${sign}${Number(hours)}`, 'HOUR');
      add(`${sign}${Number(minutes)}`, 'MINUTE');
      if (seconds !== undefined) add(`${sign}${Number(seconds)}`, 'SECOND');
      index += whole.length;
    } else if (part !== null && unit !== undefined) {
      add(part[1] ?? '0', unit);
      index += part[0].length;
    } else return undefined;
  }
  const [only, more] = parts;
  if (only === undefined) return undefined;
  return more === undefined ? { kind: 'interval', at, ...only } : { kind: 'intervals', at, parts };
}

/** A cast; of a string to INTERVAL, the interval. */
export function castOf(
  value: Expression,
  type: TypeName,
  { at, isSafe }: { readonly at: number; readonly isSafe: boolean },
): Expression {
  const interval =
    type.name === 'INTERVAL' && value.kind === 'string' ? fromText(value.value, at) : undefined;
  return interval ?? { kind: 'cast', at, value, type, isSafe };
}
