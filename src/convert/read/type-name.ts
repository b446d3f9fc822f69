// Reads names of types.
import type { TypeName } from '../../sql/syntax-tree.ts';
import {
  type Source,
  areWords,
  expectSymbol,
  isSymbol,
  isWord,
  nested,
  next,
  peek,
  readName,
  skipParentheses,
  takeSymbol,
  takeWords,
  textFrom,
} from './source.ts';

/** @throws ReadError */
export function readTypeName(source: Source): TypeName {
  let type = nested(source, () => readElementType(source));
  while (isSymbol(source, '[') && source.dialect !== 'bigquery') {
    source.at++;
    if (peek(source).kind === 'number') source.at++;
    expectSymbol(source, ']');
    type = { name: 'ARRAY', at: type.at, of: type };
  }
  return isWord(source, 'ARRAY') && !isSymbol(source, '[', 1) ? arrayAfter(source, type) : type;
}

function arrayAfter(source: Source, of: TypeName): TypeName {
  source.at++;
  return { name: 'ARRAY', at: of.at, of };
}

/** Words that follow the first one of a name. */
const SECOND: Readonly<Record<string, readonly string[]>> = {
  DOUBLE: ['PRECISION'],
  CHARACTER: ['VARYING'],
  CHAR: ['VARYING'],
  NATIONAL: ['CHARACTER', 'CHAR'],
  UNSIGNED: ['INTEGER', 'INT'],
  SIGNED: ['INTEGER', 'INT'],
  BIT: ['VARYING'],
};

function readElementType(source: Source): TypeName {
  const { name: first, at } = readName(source, 'a type');
  let name = first.toUpperCase();
  const second = SECOND[name]?.find((word) => isWord(source, word));
  if (second !== undefined) {
    source.at++;
    name = name === 'UNSIGNED' || name === 'SIGNED' ? name : `${name} ${second}`;
  }
  while (takeSymbol(source, '.')) name = readName(source).name.toUpperCase(); // pg_catalog.int4
  if (isSymbol(source, '<')) return angleType(source, { name, at });
  const sizes = isSymbol(source, '(') ? readSizes(source) : undefined;
  if (sizes !== undefined && 'of' in sizes)
    return sizes.isWhole ? { name, at, of: sizes.of } : { name: textFrom(source, at).toUpperCase(), at };
  const isZoned =
    takeWords(source, 'WITH', 'TIME', 'ZONE') || takeWords(source, 'WITH', 'LOCAL', 'TIME', 'ZONE');
  if (!isZoned) takeWords(source, 'WITHOUT', 'TIME', 'ZONE');
  if (takeWords(source, 'UNSIGNED')) name += ' UNSIGNED';
  if (areWords(source, ['CHARACTER', 'SET'])) source.at += 3;
  const whole = isZoned ? `${name}TZ` : name;
  return { name: whole, at, ...(sizes === undefined ? {} : { sizes: sizes.sizes }) };
}

/** `ARRAY<type>`; of other types in angle brackets, the text. */
function angleType(source: Source, { name, at }: TypeName): TypeName {
  source.at++;
  if (name === 'ARRAY') {
    const of = readTypeName(source);
    closeAngle(source);
    return { name, at, of };
  }
  for (let depth = 1; depth > 0;) {
    const { kind, text } = next(source);
    if (kind === 'end') break;
    if (kind === 'symbol' && text === '<') depth++;
    if (kind === 'symbol' && text.startsWith('>')) depth -= text.length;
  }
  return { name: textFrom(source, at).toUpperCase(), at };
}

/** `>>` closes two types. */
function closeAngle(source: Source): void {
  if (!isSymbol(source, '>>')) {
    expectSymbol(source, '>');
    return;
  }
  const index = source.at;
  const token = peek(source);
  // The rest of the token is read next.
  source.tokens = source.tokens.with(index, { ...token, text: '>', upper: '>', start: token.start + 1 });
}

type Sizes = { readonly sizes: readonly number[] } | { readonly of: TypeName; readonly isWhole: boolean };

/** `(10, 2)`; `(type)` of an array. */
function readSizes(source: Source): Sizes {
  source.at++;
  const sizes: number[] = [];
  const { at } = source;
  while (peek(source).kind === 'number') {
    sizes.push(Number(next(source).text));
    takeSymbol(source, ',');
  }
  if (takeSymbol(source, ')')) return { sizes };
  source.at = at;
  if (peek(source).upper === 'MAX' && isSymbol(source, ')', 1)) {
    source.at += 2;
    return { sizes: [] };
  }
  const of = readTypeName(source);
  const isWhole = takeSymbol(source, ')');
  if (!isWhole) skipParentheses(source);
  return { of, isWhole };
}
