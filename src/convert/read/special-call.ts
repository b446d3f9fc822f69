// Reads calls whose arguments are separated by words.
import type { Call, Expression } from '../../sql/syntax-tree.ts';
import { castOf } from './interval.ts';
import { OPERATORS } from './operators.ts';
import {
  type Source,
  expectSymbol,
  expectWord,
  isMysql,
  isSymbol,
  isWord,
  next,
  peek,
  readExpression,
  skipParentheses,
  takeSymbol,
  takeWords,
  textFrom,
} from './source.ts';
import { readTypeName } from './type-name.ts';

/** The first argument, if the call turns out to have ordinary arguments: reading it again would take exponential time. */
export interface FirstArgument {
  readonly first: Expression;
}

type SpecialReader = (source: Source, at: number) => Expression | FirstArgument | undefined;

/** Undefined if the call has ordinary arguments, and nothing has been read. */
export function readSpecialCall(source: Source): Expression | FirstArgument | undefined {
  const { upper, start: at } = peek(source);
  const read = isSymbol(source, '(', 1) ? SPECIAL.get(upper) : undefined;
  if (read === undefined) return undefined;
  const saved = source.at;
  const result = read(source, at);
  if (result === undefined) source.at = saved;
  return result;
}

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
  open(source);
  const value = readExpression(source);
  expectWord(source, 'AS');
  const type = readTypeName(source);
  if (takeSymbol(source, ')')) return castOf(value, type, { at, isSafe });
  skipParentheses(source);
  return { kind: 'unread', at, text: textFrom(source, at), reason: 'casts with a format are not supported' };
}

/** MySQL: `CONVERT(x, type)` and `CONVERT(x USING charset)`; elsewhere an ordinary function. */
function readConvert(source: Source, at: number): Expression | undefined {
  if (!isMysql(source)) return undefined;
  open(source);
  const value = readExpression(source);
  if (takeWords(source, 'USING')) {
    next(source);
    expectSymbol(source, ')');
    return castOf(value, { name: 'CHAR', at }, { at, isSafe: false });
  }
  expectSymbol(source, ',');
  const type = readTypeName(source);
  expectSymbol(source, ')');
  return castOf(value, type, { at, isSafe: false });
}

function readExtract(source: Source, at: number): Expression {
  open(source);
  const { text, upper, kind, start } = next(source);
  const day = kind === 'word' && takeSymbol(source, '(') ? next(source).upper : undefined;
  if (day !== undefined) expectSymbol(source, ')');
  expectWord(source, 'FROM');
  const value = readExpression(source);
  // BigQuery has AT TIME ZONE only here.
  const zone = takeWords(source, 'AT', 'TIME', 'ZONE') ? readExpression(source) : undefined;
  expectSymbol(source, ')');
  const name = kind === 'string' ? text.toUpperCase() : upper;
  const part = { name, at: start, ...(day === undefined ? {} : { day }) };
  if (zone !== undefined) return { kind: 'extract', at, part, value, zone };
  if (value.kind === 'at_zone') return { kind: 'extract', at, part, value: value.value, zone: value.zone };
  return { kind: 'extract', at, part, value };
}

const TRIMS: Readonly<Record<string, string>> = { BOTH: 'trim', LEADING: 'ltrim', TRAILING: 'rtrim' };

/** `TRIM([BOTH | LEADING | TRAILING] [characters] FROM x)`. */
function readTrim(source: Source, at: number): Expression | FirstArgument {
  open(source);
  const name = TRIMS[peek(source).upper];
  if (name !== undefined) source.at++;
  if (takeWords(source, 'FROM')) {
    const value = readExpression(source);
    expectSymbol(source, ')');
    return callOf(name ?? 'trim', at, [value]);
  }
  const first = readExpression(source);
  if (takeWords(source, 'FROM')) {
    const value = readExpression(source);
    expectSymbol(source, ')');
    return callOf(name ?? 'trim', at, [value, first]);
  }
  if (name === undefined) return { first };
  expectSymbol(source, ')');
  return callOf(name, at, [first]);
}

/** `SUBSTRING(x FROM a FOR b)`. */
function readSubstring(source: Source, at: number): Expression | FirstArgument {
  open(source);
  const value = readExpression(source);
  if (!isWord(source, 'FROM') && !isWord(source, 'FOR')) return { first: value };
  const from: Expression = takeWords(source, 'FROM')
    ? readExpression(source)
    : { kind: 'number', at, text: '1' };
  const length = takeWords(source, 'FOR') ? [readExpression(source)] : [];
  expectSymbol(source, ')');
  return callOf('substring', at, [value, from, ...length]);
}

/** `POSITION(part IN x)` is `strpos(x, part)`. */
function readPosition(source: Source, at: number): Expression | FirstArgument {
  open(source);
  const { predicate } = OPERATORS[source.dialect];
  const part = source.rules.above(source, predicate);
  if (!takeWords(source, 'IN')) return { first: part };
  const value = readExpression(source);
  expectSymbol(source, ')');
  return callOf('strpos', at, [value, part]);
}

function readOverlay(source: Source, at: number): Expression | FirstArgument {
  open(source);
  const value = readExpression(source);
  if (!takeWords(source, 'PLACING')) return { first: value };
  const replacement = readExpression(source);
  expectWord(source, 'FROM');
  const from = readExpression(source);
  const length = takeWords(source, 'FOR') ? [readExpression(source)] : [];
  expectSymbol(source, ')');
  return callOf('overlay', at, [value, replacement, from, ...length]);
}

/** BigQuery: `STRUCT(x AS a, y)`. */
function readStruct(source: Source, at: number): Expression | undefined {
  if (source.dialect !== 'bigquery') return undefined;
  open(source);
  const fields = [];
  while (!takeSymbol(source, ')')) {
    const value = readExpression(source);
    const alias = takeWords(source, 'AS') ? next(source) : undefined;
    fields.push({ value, ...(alias === undefined ? {} : { alias: { name: alias.text, at: alias.start } }) });
    if (!isSymbol(source, ')')) expectSymbol(source, ',');
  }
  return { kind: 'struct', at, fields };
}

/** MySQL: `MATCH (a) AGAINST ('…')`. */
function readMatch(source: Source, at: number): Expression | undefined {
  if (!isMysql(source)) return undefined;
  open(source);
  skipParentheses(source);
  if (!takeWords(source, 'AGAINST')) return undefined;
  expectSymbol(source, '(');
  skipParentheses(source);
  return { kind: 'unread', at, text: textFrom(source, at), reason: 'full-text search is not supported' };
}
