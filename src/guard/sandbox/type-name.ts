// Reads a type token by token, and accepts only types of an allow-list, within limits. One reader serves types written as
// syntax (`CAST(x AS T)`, `x::T`) and types written in a string.
import { createCursor } from '../../sql/clickhouse/cursor.ts';
import { isSignificant, tokenize, type TokenKind } from '../../sql/clickhouse/lexer.ts';
import { stringValue } from '../../sql/clickhouse/literal.ts';
import { createTokenReader, type TokenReader, type TokenSource } from '../../sql/clickhouse/token-reader.ts';

/** Tokens by distance from the start of the type; undefined beyond the end. */
export type TypeTokens = TokenSource<TokenKind>;

/** Either the number of tokens in the type, or what is wrong at one of them. */
export type TypeReading =
  | { readonly kind: 'type'; readonly tokens: number }
  | { readonly kind: 'fault'; readonly at: number; readonly message: string };

const MAX_LENGTH = 4_096;
const MAX_DEPTH = 16;
const MAX_TYPES = 256;
const MAX_FIXED_STRING = 65_536;
const MAX_DYNAMIC_TYPES = 32;
const MAX_DYNAMIC_PATHS = 1_024;

/** Limits for one type, as reported to consumers. */
export const TYPE_LIMITS = {
  length: MAX_LENGTH,
  depth: MAX_DEPTH,
  types: MAX_TYPES,
  fixedString: MAX_FIXED_STRING,
  dynamicTypes: MAX_DYNAMIC_TYPES,
  dynamicPaths: MAX_DYNAMIC_PATHS,
} as const;

/** Allowed types, for messages. */
export const ALLOWED_TYPES =
  'String, FixedString, Bool, UUID, IPv4, IPv6, Enum, JSON, Dynamic, numbers, dates, times and intervals, and Array, Tuple, ' +
  'Map, Nullable, LowCardinality, Variant and Nested of these';

/** Types that a value may be cast to. AggregateFunction is excluded: its states are internal binary data of the engine. */
const TYPES: ReadonlySet<string> = new Set(
  `
  STRING FIXEDSTRING BOOL BOOLEAN UUID IPV4 IPV6 JSON DYNAMIC VARIANT ARRAY TUPLE MAP NULLABLE LOWCARDINALITY NESTED
  INT8 INT16 INT32 INT64 INT128 INT256 UINT8 UINT16 UINT32 UINT64 UINT128 UINT256 FLOAT32 FLOAT64 BFLOAT16
  DECIMAL DECIMAL32 DECIMAL64 DECIMAL128 DECIMAL256 DATE DATE32 DATETIME DATETIME32 DATETIME64 TIME TIME64 TIMESTAMP
  ENUM ENUM8 ENUM16 POINT RING POLYGON MULTIPOLYGON LINESTRING MULTILINESTRING INT INTEGER BIGINT SMALLINT TINYINT
  SIGNED UNSIGNED FLOAT DOUBLE REAL NUMERIC DEC CHAR VARCHAR TEXT
  INTERVALNANOSECOND INTERVALMICROSECOND INTERVALMILLISECOND INTERVALSECOND INTERVALMINUTE INTERVALHOUR INTERVALDAY
  INTERVALWEEK INTERVALMONTH INTERVALQUARTER INTERVALYEAR
`
    .trim()
    .split(/\s+/),
);

const CONTAINERS: ReadonlySet<string> = new Set(['ARRAY', 'NULLABLE', 'LOWCARDINALITY', 'MAP', 'VARIANT']);
const RECORDS: ReadonlySet<string> = new Set(['TUPLE', 'NESTED']);
const SIZED: ReadonlySet<string> = new Set(['FIXEDSTRING', 'CHAR', 'VARCHAR']);
const INTEGERS: ReadonlySet<string> = new Set(['TINYINT', 'SMALLINT', 'INT', 'INTEGER', 'BIGINT']);
const LIMITED: ReadonlyMap<string, number> = new Map([
  ['MAX_TYPES', MAX_DYNAMIC_TYPES],
  ['MAX_DYNAMIC_TYPES', MAX_DYNAMIC_TYPES],
  ['MAX_DYNAMIC_PATHS', MAX_DYNAMIC_PATHS],
]);

interface TypeReader extends TokenReader<TokenKind> {
  /** Records the first fault. Always returns false, so that readers can return it. */
  readonly fail: (message: string) => false;
  /** Counts a type one level deeper; false if over a limit. */
  readonly enter: (depth: number) => boolean;
  readonly fault: () => TypeReading | undefined;
}

function createReader(tokens: TypeTokens): TypeReader {
  const reader = createTokenReader<TokenKind>(tokens);
  let types = 0;
  let fault: TypeReading | undefined;
  const fail = (message: string): false => {
    fault ??= { kind: 'fault', at: reader.at(), message };
    return false;
  };
  return {
    ...reader,
    fail,
    enter(depth) {
      types++;
      if (depth > MAX_DEPTH) return fail(`Types may be nested at most ${MAX_DEPTH} deep`);
      if (types > MAX_TYPES) return fail(`A type may contain at most ${MAX_TYPES} types`);
      return true;
    },
    fault: () => fault,
  };
}

/** Reads the type that begins at the first of `tokens`; the caller handles what follows it. */
export function readType(tokens: TypeTokens): TypeReading {
  const reader = createReader(tokens);
  type(reader, 1);
  return reader.fault() ?? { kind: 'type', tokens: reader.at() };
}

/** What is wrong with a type in a string, given the string's value; undefined if the type is allowed. */
export function typeFault(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return `A type may have at most ${MAX_LENGTH} characters`;
  const tokens = tokenize(text).filter((token) => token.kind !== 'whitespace');
  if (!tokens.every((token) => isSignificant(token) && token.reason === undefined)) {
    return 'A type in a string must not contain comments or unclosed quotes';
  }
  const cursor = createCursor(text, tokens);
  const reading = readType(cursor);
  if (reading.kind === 'fault') return reading.message;
  return reading.tokens === tokens.length
    ? undefined
    : `unexpected ${show(cursor.text(reading.tokens))} after the type`;
}

function show(source: string): string {
  return source === '' ? 'the end' : source.slice(0, 60);
}

/** Every reader returns true if it has read its part, false after a fault. */
function type(reader: TypeReader, depth: number): boolean {
  const name = reader.word();
  if (name === undefined || !TYPES.has(name)) {
    return reader.fail(
      `${show(reader.text())} is not an allowed type: the allowed types are ${ALLOWED_TYPES}`,
    );
  }
  if (!reader.enter(depth)) return false;
  reader.skip();
  takeSecondWord(reader, name);
  if (!reader.takeKind('(')) return true;
  do {
    if (!argument(reader, name, depth)) return false;
  } while (reader.takeKind(','));
  return reader.takeKind(')') || reader.fail('Expected a comma or ) in the type');
}

/** `DOUBLE PRECISION`, `INT UNSIGNED`. */
function takeSecondWord(reader: TypeReader, name: string): void {
  const second = reader.word();
  if (name === 'DOUBLE' && second === 'PRECISION') reader.skip();
  if (INTEGERS.has(name) && (second === 'SIGNED' || second === 'UNSIGNED')) reader.skip();
}

function argument(reader: TypeReader, name: string, depth: number): boolean {
  if (CONTAINERS.has(name)) return type(reader, depth + 1);
  if (RECORDS.has(name)) return field(reader, depth);
  if (name === 'JSON') return jsonArgument(reader, depth);
  if (name === 'DYNAMIC') return limit(reader);
  if (name.startsWith('ENUM')) return enumValue(reader);
  if (name.startsWith('DATETIME') && reader.kind() === 'string') return timeZone(reader);
  return size(reader, SIZED.has(name) ? MAX_FIXED_STRING : Infinity);
}

function field(reader: TypeReader, depth: number): boolean {
  const isNamed = reader.kind() === 'quoted' || (reader.kind() === 'word' && reader.kind(1) === 'word');
  if (isNamed) reader.skip();
  return type(reader, depth + 1);
}

/** A limit, `path Type`, `SKIP path` or `SKIP REGEXP 'pattern'`. */
function jsonArgument(reader: TypeReader, depth: number): boolean {
  if (reader.kind(1) === '=') return limit(reader);
  const next = reader.kind(1);
  if (reader.word() === 'SKIP' && (next === 'word' || next === 'quoted')) {
    reader.skip();
    if (reader.word() !== 'REGEXP' || reader.kind(1) !== 'string') return path(reader);
    reader.skip(2);
    return true;
  }
  return path(reader) && type(reader, depth + 1);
}

function path(reader: TypeReader): boolean {
  do {
    if (!reader.takeKind('word') && !reader.takeKind('quoted'))
      return reader.fail('Expected the path of a JSON value');
  } while (reader.takeKind('.'));
  return true;
}

/** `max_types = 8` and similar settings. */
function limit(reader: TypeReader): boolean {
  const most = LIMITED.get(reader.word() ?? '');
  if (most === undefined) return reader.fail(`${show(reader.text())} is not a parameter of this type`);
  reader.skip();
  return reader.takeKind('=') ? size(reader, most) : reader.fail('Expected = and a number in the type');
}

/** An integer up to `most`. */
function size(reader: TypeReader, most: number): boolean {
  const source = reader.text();
  if (reader.kind() !== 'number' || !/^\d+$/.test(source))
    return reader.fail('Expected a number in the type');
  if (Number(source) > most) return reader.fail(`The number in this type may be at most ${most}`);
  reader.skip();
  return true;
}

/** A name without path or scheme: otherwise the engine could look for a file. */
function timeZone(reader: TypeReader): boolean {
  const zone = stringValue(reader.text());
  if (zone === undefined || !/^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(zone)) {
    return reader.fail("Expected a time zone such as 'Europe/Berlin'");
  }
  reader.skip();
  return true;
}

/** `'name'` or `'name' = 1`. */
function enumValue(reader: TypeReader): boolean {
  if (stringValue(reader.text()) === undefined)
    return reader.fail('Expected the names of an Enum, as strings');
  reader.skip();
  if (!reader.takeKind('=')) return true;
  reader.takeKind('-');
  return size(reader, Infinity);
}
