// Reads a type token by token, and accepts only types of an allow-list, within limits. One reader serves types written as
// syntax (`CAST(x AS T)`, `x::T`) and types written in a string.
import { isSignificant, tokenize } from '../sql/lexer.ts';
import { stringValue } from '../sql/string-literal.ts';
import type { TokenReader } from './scan/token-reader.ts';
import { TYPES } from './keywords.ts';

/** Tokens by distance from the start of the type; undefined beyond the end. */
export type TypeTokens = Pick<TokenReader, 'kind' | 'word' | 'whole'>;

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

const CONTAINERS: ReadonlySet<string> = new Set(['ARRAY', 'NULLABLE', 'LOWCARDINALITY', 'MAP', 'VARIANT']);
const RECORDS: ReadonlySet<string> = new Set(['TUPLE', 'NESTED']);
const SIZED: ReadonlySet<string> = new Set(['FIXEDSTRING', 'CHAR', 'VARCHAR']);
const INTEGERS: ReadonlySet<string> = new Set(['TINYINT', 'SMALLINT', 'INT', 'INTEGER', 'BIGINT']);
const LIMITED: ReadonlyMap<string, number> = new Map([
  ['MAX_TYPES', MAX_DYNAMIC_TYPES],
  ['MAX_DYNAMIC_TYPES', MAX_DYNAMIC_TYPES],
  ['MAX_DYNAMIC_PATHS', MAX_DYNAMIC_PATHS],
]);

interface Reader extends TypeTokens {
  readonly at: () => number;
  readonly skip: (count?: number) => void;
  readonly take: (kind: ReturnType<TypeTokens['kind']>) => boolean;
  /** Records the first fault. Always returns false, so that readers can return it. */
  readonly fail: (message: string) => false;
  /** Counts a type one level deeper; false if over a limit. */
  readonly enter: (depth: number) => boolean;
  readonly fault: () => TypeReading | undefined;
}

function createReader(tokens: TypeTokens): Reader {
  let at = 0;
  let types = 0;
  let fault: TypeReading | undefined;
  const fail = (message: string): false => {
    fault ??= { kind: 'fault', at, message };
    return false;
  };
  return {
    kind: (ahead = 0) => tokens.kind(at + ahead),
    word: (ahead = 0) => tokens.word(at + ahead),
    whole: (ahead = 0) => tokens.whole(at + ahead),
    at: () => at,
    skip(count = 1) {
      at += count;
    },
    take(kind) {
      if (tokens.kind(at) !== kind) return false;
      at++;
      return true;
    },
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
  const whole = (ahead = 0) => text.slice(tokens[ahead]?.start ?? 0, tokens[ahead]?.end ?? 0);
  const reading = readType({
    kind: (ahead = 0) => tokens[ahead]?.kind,
    word: (ahead = 0) => (tokens[ahead]?.kind === 'word' ? whole(ahead).toUpperCase() : undefined),
    whole,
  });
  if (reading.kind === 'fault') return reading.message;
  return reading.tokens === tokens.length
    ? undefined
    : `unexpected ${show(whole(reading.tokens))} after the type`;
}

function show(source: string): string {
  return source === '' ? 'the end' : source.slice(0, 60);
}

/** Every reader returns true if it has read its part, false after a fault. */
function type(reader: Reader, depth: number): boolean {
  const name = reader.word();
  if (name === undefined || !TYPES.has(name)) {
    return reader.fail(
      `${show(reader.whole())} is not an allowed type: the allowed types are ${ALLOWED_TYPES}`,
    );
  }
  if (!reader.enter(depth)) return false;
  reader.skip();
  takeSecondWord(reader, name);
  if (!reader.take('(')) return true;
  do {
    if (!argument(reader, name, depth)) return false;
  } while (reader.take(','));
  return reader.take(')') || reader.fail('Expected a comma or ) in the type');
}

/** `DOUBLE PRECISION`, `INT UNSIGNED`. */
function takeSecondWord(reader: Reader, name: string): void {
  const second = reader.word();
  if (name === 'DOUBLE' && second === 'PRECISION') reader.skip();
  if (INTEGERS.has(name) && (second === 'SIGNED' || second === 'UNSIGNED')) reader.skip();
}

function argument(reader: Reader, name: string, depth: number): boolean {
  if (CONTAINERS.has(name)) return type(reader, depth + 1);
  if (RECORDS.has(name)) return field(reader, depth);
  if (name === 'JSON') return jsonArgument(reader, depth);
  if (name === 'DYNAMIC') return limit(reader);
  if (name.startsWith('ENUM')) return enumValue(reader);
  if (name.startsWith('DATETIME') && reader.kind() === 'string') return timeZone(reader);
  return size(reader, SIZED.has(name) ? MAX_FIXED_STRING : Infinity);
}

function field(reader: Reader, depth: number): boolean {
  const isNamed = reader.kind() === 'quoted' || (reader.kind() === 'word' && reader.kind(1) === 'word');
  if (isNamed) reader.skip();
  return type(reader, depth + 1);
}

/** A limit, `path Type`, `SKIP path` or `SKIP REGEXP 'pattern'`. */
function jsonArgument(reader: Reader, depth: number): boolean {
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

function path(reader: Reader): boolean {
  do {
    if (!reader.take('word') && !reader.take('quoted'))
      return reader.fail('Expected the path of a JSON value');
  } while (reader.take('.'));
  return true;
}

/** `max_types = 8` and similar settings. */
function limit(reader: Reader): boolean {
  const most = LIMITED.get(reader.word() ?? '');
  if (most === undefined) return reader.fail(`${show(reader.whole())} is not a parameter of this type`);
  reader.skip();
  return reader.take('=') ? size(reader, most) : reader.fail('Expected = and a number in the type');
}

/** An integer up to `most`. */
function size(reader: Reader, most: number): boolean {
  const source = reader.whole();
  if (reader.kind() !== 'number' || !/^\d+$/.test(source))
    return reader.fail('Expected a number in the type');
  if (Number(source) > most) return reader.fail(`The number in this type may be at most ${most}`);
  reader.skip();
  return true;
}

/** A name without path or scheme: otherwise the engine could look for a file. */
function timeZone(reader: Reader): boolean {
  const zone = stringValue(reader.whole());
  if (zone === undefined || !/^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(zone)) {
    return reader.fail("Expected a time zone such as 'Europe/Berlin'");
  }
  reader.skip();
  return true;
}

/** `'name'` or `'name' = 1`. */
function enumValue(reader: Reader): boolean {
  if (stringValue(reader.whole()) === undefined)
    return reader.fail('Expected the names of an Enum, as strings');
  reader.skip();
  if (!reader.take('=')) return true;
  reader.take('-');
  return size(reader, Infinity);
}
