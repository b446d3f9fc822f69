// Reads names of types.
import type { TypeField, TypeName } from '../tree.ts';
import { unsupported } from '../context.ts';
import {
  expectSymbol, has, isNameToken, isSymbol, isWord, nested, next, peek, readItems, readMember, takeSymbol, takeWords, textFrom,
  unexpected, type Source,
} from './source.ts'; // prettier-ignore

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
