// Reads calls whose arguments are separated by words.
import type { Call, Expression, Field } from '../tree.ts';
import { castOf } from './interval.ts';
import {
  expectSymbol, expectWords, has, isSymbol, isWord, peek, readExpression, readItems, readMember, readName, takeSymbol, takeWords,
  unexpected, unread, type Source,
} from './source.ts'; // prettier-ignore
import { readCharacterSet, readTypeName } from './type-name.ts';

/** The first argument, if the call turns out to have ordinary arguments: reading it again would take exponential time. */
export interface FirstArgument {
  readonly name: string;
  readonly first: Expression;
  /** The index of the opening parenthesis. */
  readonly open: number;
}

type SpecialReader = (source: Source, at: number) => Expression | { readonly first: Expression } | undefined;

/** Undefined if the call has ordinary arguments, and nothing has been read. */
export function readSpecialCall(source: Source): Expression | FirstArgument | undefined {
  const { upper, start: at, text, kind } = peek(source);
  if (kind !== 'word' || !isSymbol(source, '(', 1) || !source.grammar.specialCalls.has(upper))
    return undefined;
  const open = source.at + 1;
  const result = SPECIAL.get(upper)?.(source, at);
  return result !== undefined && 'first' in result ? { ...result, name: text, open } : result;
}

/** Those that return undefined have read nothing. */
const SPECIAL: ReadonlyMap<string, SpecialReader> = new Map<string, SpecialReader>([
  ['CAST', (source, at) => readCast(source, { at, isSafe: false })],
  ['TRY_CAST', (source, at) => readCast(source, { at, isSafe: true })],
  ['SAFE_CAST', (source, at) => readCast(source, { at, isSafe: true })],
  ['CONVERT', readConvert],
  ['EXTRACT', readExtract],
  ['TRIM', readTrim],
  ['SUBSTRING', readSubstring],
  ['SUBSTR', readSubstring],
  ['POSITION', readPosition],
  ['STRUCT', readStruct],
  ['MATCH', readMatch],
  ['OVERLAY', readOverlay],
]);

/** A call with plain arguments. */
export function callOf(name: string, at: number, args: readonly Expression[]): Call {
  return { kind: 'call', at, name, args, isStar: false, isSafe: false, isDistinct: false, orderBy: [] };
}

function open(source: Source): void {
  source.at++;
  expectSymbol(source, '(');
}

function readCast(
  source: Source,
  { at, isSafe }: { readonly at: number; readonly isSafe: boolean },
): Expression {
  const from = source.at + 1;
  open(source);
  const value = readExpression(source);
  expectWords(source, 'AS');
  const type = readTypeName(source);
  if (takeSymbol(source, ')')) return castOf(value, type, { at, isSafe });
  const close = source.closes.get(from);
  const { start } = peek(source);
  if (source.isStrict && isWord(source, 'FORMAT'))
    return unread(
      source,
      start,
      'CAST with FORMAT is not supported',
      'Write FORMAT_TIMESTAMP or PARSE_TIMESTAMP.',
    );
  if (source.isStrict || close === undefined) return unexpected(source, '")"');
  source.at = close + 1;
  return unread(source, at, 'casts with a format are not supported');
}

/** MySQL: `CONVERT(x, type)` and `CONVERT(x USING charset)`; elsewhere an ordinary function. */
function readConvert(source: Source, at: number): Expression | undefined {
  if (!has(source, 'extended forms')) return undefined;
  open(source);
  const value = readExpression(source);
  const isText = takeWords(source, 'USING');
  if (isText) readCharacterSet(source);
  else expectSymbol(source, ',');
  const type = isText ? { name: 'CHAR', at } : readTypeName(source);
  expectSymbol(source, ')');
  return castOf(value, type, { at, isSafe: false });
}

function readExtract(source: Source, at: number): Expression {
  open(source);
  const { text, kind, start } = peek(source);
  const isPart = kind === 'word' || (kind === 'string' && has(source, 'standard calls'));
  if (!isPart) unexpected(source, 'a part such as HOUR');
  source.at++;
  const day = kind === 'word' && takeSymbol(source, '(') ? readMember(source).name.toUpperCase() : undefined;
  if (day !== undefined) expectSymbol(source, ')');
  expectWords(source, 'FROM');
  const value = readExpression(source);
  // BigQuery has AT TIME ZONE only here.
  const zone = takeWords(source, 'AT', 'TIME', 'ZONE') ? readExpression(source) : undefined;
  expectSymbol(source, ')');
  const part = { name: text.toUpperCase(), at: start, ...(day === undefined ? {} : { day }) };
  if (zone !== undefined) return { kind: 'extract', at, part, value, zone };
  if (value.kind === 'at_zone') return { kind: 'extract', at, part, value: value.value, zone: value.zone };
  return { kind: 'extract', at, part, value };
}

const TRIMS: ReadonlyMap<string, string> = new Map([
  ['BOTH', 'trim'],
  ['LEADING', 'ltrim'],
  ['TRAILING', 'rtrim'],
]);

/** `TRIM([BOTH | LEADING | TRAILING] [characters] FROM x)`. */
function readTrim(source: Source, at: number): Expression | { readonly first: Expression } {
  open(source);
  const name =
    isSymbol(source, ')', 1) || isSymbol(source, ',', 1) ? undefined : TRIMS.get(peek(source).upper);
  if (name !== undefined) source.at++;
  const characters = isWord(source, 'FROM') ? [] : [readExpression(source)];
  const [first] = characters;
  if (takeWords(source, 'FROM')) {
    const value = readExpression(source);
    expectSymbol(source, ')');
    return callOf(name ?? 'trim', at, [value, ...characters]);
  }
  if (name === undefined && first !== undefined) return { first };
  expectSymbol(source, ')');
  return callOf(name ?? 'trim', at, characters);
}

/** `SUBSTRING(x FROM a FOR b)`. */
function readSubstring(source: Source, at: number): Expression | { readonly first: Expression } {
  open(source);
  const value = readExpression(source);
  if (!isWord(source, 'FROM') && !isWord(source, 'FOR')) return { first: value };
  const from: Expression = takeWords(source, 'FROM')
    ? readExpression(source)
    : { kind: 'number', at, text: '1' };
  return callOf('substring', at, [value, from, ...readLength(source)]);
}

function readLength(source: Source): readonly Expression[] {
  const length = takeWords(source, 'FOR') ? [readExpression(source)] : [];
  expectSymbol(source, ')');
  return length;
}

/** `POSITION(part IN x)` is `strpos(x, part)`. */
function readPosition(source: Source, at: number): Expression | { readonly first: Expression } {
  open(source);
  const part = source.rules.above(source, source.grammar.operators.predicate);
  if (!takeWords(source, 'IN')) return { first: part };
  const value = readExpression(source);
  expectSymbol(source, ')');
  return callOf('strpos', at, [value, part]);
}

function readOverlay(source: Source, at: number): Expression | { readonly first: Expression } {
  open(source);
  const value = readExpression(source);
  if (!takeWords(source, 'PLACING')) return { first: value };
  const replacement = readExpression(source);
  expectWords(source, 'FROM');
  const from = readExpression(source);
  return callOf('overlay', at, [value, replacement, from, ...readLength(source)]);
}

/** BigQuery: `STRUCT(x AS a, y)`. */
function readStruct(source: Source, at: number): Expression | undefined {
  if (!has(source, 'structs')) return undefined;
  open(source);
  const fields: readonly Field[] = isSymbol(source, ')') ? [] : readItems(source, () => readField(source));
  expectSymbol(source, ')');
  return { kind: 'struct', at, fields };
}

function readField(source: Source): Field {
  const value = readExpression(source);
  return takeWords(source, 'AS') ? { value, alias: readName(source) } : { value };
}

/** MySQL: `MATCH (a) AGAINST ('…')`. */
function readMatch(source: Source, at: number): Expression | undefined {
  const close = source.closes.get(source.at + 1) ?? -1;
  const { upper } = source.tokens[close + 1] ?? {};
  const end = source.closes.get(close + 2);
  if (!has(source, 'extended forms') || upper !== 'AGAINST' || end === undefined) return undefined;
  source.at = end + 1;
  return unread(source, at, 'full-text search is not supported');
}
