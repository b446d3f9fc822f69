// Placeholders {name:Type} of the caller's query: replaced by literals of their values, which are never parsed as SQL.
import { Problem } from '../../../sql/base/problem.ts';
import { quoteIdentifier, quoteString } from '../../../sql/clickhouse/literal.ts';
import { ROW_COUNTS } from '../../../sql/clickhouse/tree/keywords.ts';
import { isInBraces, placeholdersIn, type PlaceholderText } from '../../../sql/clickhouse/tree/lexemes.ts';
import { plainSpaces } from '../../../sql/clickhouse/white-space.ts';
import { placed, type Edit } from './edited-text.ts';
import { storedShape } from '../../../sql/types/geometry.ts';
import { integerOf, isNullable, isNumeric, plainType, type IntegerType } from '../../../sql/types/traits.ts';
import { parseDeclaredType, parseType, type ClickHouseType } from '../../../sql/types/type.ts';

export interface Substituted {
  readonly edits: readonly Edit[];
  /** Names of the placeholders. */
  readonly used: ReadonlySet<string>;
}

/**
 * Replaces all placeholders; one without a value whose type is Nullable is NULL, as on a server. Throws Problem `clickhouse.parameter_missing` or
 * `clickhouse.parameter_invalid`.
 */
export function substitute(sql: string, values: ReadonlyMap<string, string>): Substituted {
  const placeholders = placeholdersIn(sql);
  const edits = placeholders.map((placeholder): Edit => {
    const { name, start, end } = placeholder;
    const type = plainSpaces(placeholder.type);
    const value = values.get(name) ?? (isNullable(parseType(type)) ? NULL : undefined);
    const problem = (
      code: 'clickhouse.parameter_missing' | 'clickhouse.parameter_invalid',
      message: string,
    ) => new Problem(code, placed(sql, start, message));
    if (value === undefined)
      throw problem('clickhouse.parameter_missing', `Substitution \`${name.slice(0, 100)}\` is not set`);
    const text = literalOf(type, value, isPlainPlace(placeholder));
    if (text === undefined) {
      const message = `The value of ${name.slice(0, 100)} is not a valid ${type.slice(0, 100)}`;
      throw problem('clickhouse.parameter_invalid', message);
    }
    return { start, end, text };
  });
  return { edits, used: new Set(placeholders.map(({ name }) => name)) };
}

const PLAIN_AFTER: ReadonlySet<string | undefined> = new Set([
  ...ROW_COUNTS,
  ...'TOP FIRST NEXT = == != <> < <= > >= <=> BETWEEN LIKE ILIKE BY INTERVAL'.split(' '),
]);

/** Where the type of a number does not matter: compared with something, or where only a literal is allowed. */
function isPlainPlace({ before: [last, second, third, fourth] }: PlaceholderText): boolean {
  if (PLAIN_AFTER.has(last) || (last === '(' && second === 'NUMBERS')) return true;
  return last === ',' && (third === 'LIMIT' || (third === '(' && fourth === 'NUMBERS'));
}

/** NULL in ClickHouse's text form. */
const NULL = String.raw`\N`;
const INTEGER = /^[+-]?\d{1,78}$/;
const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$|^[+-]?(?:inf|infinity|nan)$/i;
const BOOLS: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['0', 'false'],
]);

/** Types whose text form is quoted and escaped inside, so that the whole is not escaped again. */
const COMPOSITE: ReadonlySet<string> = new Set(['Array', 'Tuple', 'Map', 'Nested', 'Variant']);

function isComposite(type: ClickHouseType): boolean {
  return COMPOSITE.has(type.name) || storedShape(type) !== undefined;
}

/** Characters: the sandbox reads 65,536 bytes, and an escaped one has at most four. */
const MAX_VALUE = 4 * 65_536;

/** The literal of a value in its text form; undefined if it does not fit the type. */
function literalOf(written: string, value: string, isPlain: boolean): string | undefined {
  if (value.length > MAX_VALUE) return undefined;
  const type = written.replace(/\s+/g, ' ');
  if (type === 'Identifier') return identifierOf(value);
  const parsed = parseDeclaredType(type);
  const inner = isComposite(parsed) ? value : unescapeText(value);
  if (inner === undefined || /\p{Surrogate}/u.test(inner)) return undefined;
  if (parsed.name === 'Map') return mapOf(inner, type);
  if (parsed.name === 'String') return value === NULL ? undefined : quoteString(inner);
  if (value === NULL && isNullable(parsed)) return `CAST(NULL, ${quoteString(type)})`;
  if (parsed.name === 'Bool') return BOOLS.get(inner.toLowerCase());
  const plain = plainType(parsed);
  const integer = integerOf(plain);
  if (integer !== undefined) {
    if (!INTEGER.test(inner) || !isInRange(inner, integer)) return undefined;
    return isPlain && plain === parsed && integer.bits <= 64 ? plainNumber(inner) : cast(inner, type);
  }
  return isNumeric(plain) && !FLOAT.test(inner) ? undefined : cast(inner, type);
}

function identifierOf(value: string): string | undefined {
  const name = unescapeText(value);
  return name === undefined || name === '' || /\p{Surrogate}/u.test(name) ? undefined : quoteIdentifier(name);
}

/** The engine casts strings to arrays of maps, but not to maps. */
function mapOf(value: string, type: string): string | undefined {
  return isInBraces(value) ? `arrayElement(${cast(`[${value}]`, `Array(${type})`)}, 1)` : undefined;
}

function cast(value: string, type: string): string {
  return `CAST(${quoteString(value)}, ${quoteString(type)})`;
}

function numberOf(value: string): bigint {
  return BigInt(value.startsWith('+') ? value.slice(1) : value);
}

/** The engine casts strings of numbers beyond the type to others, without an error. */
function isInRange(value: string, type: IntegerType): boolean {
  const bits = BigInt(type.bits);
  const number = numberOf(value);
  if (!type.isSigned) return !value.startsWith('-') && number < 1n << bits;
  return number >= -(1n << (bits - 1n)) && number < 1n << (bits - 1n);
}

/** Numbers in the text that the engine reads exactly have at most 64 bits. */
function plainNumber(value: string): string {
  const number = numberOf(value);
  return number < 0n ? `(${number})` : String(number);
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['0', '\0'],
  ['a', '\x07'],
  ['v', '\v'],
  ['e', '\x1b'],
]);

/** Text as in the format TabSeparated. Undefined if it ends in a lone backslash, or is not UTF-8. */
export function unescapeText(text: string): string | undefined {
  if (!text.includes('\\')) return text;
  const parts: Buffer[] = [];
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('\\', at);
    if (next < 0) {
      parts.push(Buffer.from(text.slice(at)));
      break;
    }
    parts.push(Buffer.from(text.slice(at, next)));
    const code = text.codePointAt(next + 1);
    if (code === undefined) return undefined;
    const char = String.fromCodePoint(code);
    const hex = char === 'x' ? /^[0-9A-Fa-f]{2}$/.exec(text.slice(next + 2, next + 4))?.[0] : undefined;
    parts.push(hex === undefined ? Buffer.from(ESCAPES.get(char) ?? char) : Buffer.from(hex, 'hex'));
    at = next + (hex === undefined ? 1 + char.length : 4);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch {
    return undefined;
  }
}
