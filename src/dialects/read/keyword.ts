// Reads values that begin with a keyword: constants, CASE, typed literals, arrays, records and subqueries.
import type { Expression, Query } from '../tree.ts';
import { readCall } from './call.ts';
import { readInterval } from './interval.ts';
import { callOf } from './special-call.ts';
import {
  areWords, expectSymbol, expectWords, has, isQueryAhead, isSymbol, isWord, next, peek, readBrackets, readExpression, readList, takeWords, unexpected,
  unread, type Source,
} from './source.ts'; // prettier-ignore
import { readTypeName } from './type-name.ts';

type KeywordReader = (source: Source, at: number) => Expression | undefined;

const constant =
  (value: (at: number) => Expression): KeywordReader =>
  (source, at) => {
    source.at++;
    return value(at);
  };

/** Each returns undefined, and has read nothing, if its keyword is a name there. */
const READERS: ReadonlyMap<string, KeywordReader> = new Map<string, KeywordReader>([
  ['TRUE', constant((at) => ({ kind: 'boolean', at, value: true }))],
  ['FALSE', constant((at) => ({ kind: 'boolean', at, value: false }))],
  ['NULL', constant((at) => ({ kind: 'null', at }))],
  ['CASE', readCase],
  ['INTERVAL', readInterval],
  ['EXISTS', (source, at) => readSubquery(source, at, 'exists')],
  ['ARRAY', readArray],
  ['STRUCT', readTypedStruct],
  ['ROW', readRow],
  ['APPROXIMATE', readApproximate],
  ['BINARY', readBinary],
]);

/** Undefined if the next word is a name. @throws UnconvertedError */
export function readKeyword(source: Source): Expression | undefined {
  const { start: at, upper } = peek(source);
  return isTyped(source, upper) ? readTyped(source) : READERS.get(upper)?.(source, at);
}

/** Whether a type and a string follow. */
function isTyped(source: Source, word: string): boolean {
  if (peek(source, 1).kind === 'string') return word in source.grammar.typedLiterals;
  if (word === 'DOUBLE') return isWord(source, 'PRECISION', 1) && peek(source, 2).kind === 'string';
  if (word !== 'TIME' && word !== 'TIMESTAMP') return false;
  return areWords(source, ['WITH', 'TIME', 'ZONE'], 1) || areWords(source, ['WITHOUT', 'TIME', 'ZONE'], 1);
}

/** `DATE '…'`; for other types, a cast of the string. */
function readTyped(source: Source): Expression {
  const { start: at, upper } = peek(source);
  const type = readTypeName(source);
  const { text, kind } = peek(source);
  if (kind !== 'string') return unexpected(source, 'a string');
  source.at++;
  const time = source.grammar.typedLiterals[upper];
  if (time !== undefined && time !== 'cast') return { kind: 'time', at, type: time, value: text };
  return { kind: 'cast', at, value: { kind: 'string', at, value: text }, type, isSafe: false };
}

function readCase(source: Source, at: number): Expression {
  source.at++;
  const subject = isWord(source, 'WHEN') ? undefined : readExpression(source);
  const branches: { readonly when: Expression; readonly result: Expression }[] = [];
  do {
    expectWords(source, 'WHEN');
    const when = readExpression(source);
    expectWords(source, 'THEN');
    branches.push({ when, result: readExpression(source) });
  } while (isWord(source, 'WHEN'));
  const otherwise = takeWords(source, 'ELSE') ? readExpression(source) : undefined;
  expectWords(source, 'END');
  return {
    kind: 'case',
    at,
    ...(subject === undefined ? {} : { subject }),
    branches,
    ...(otherwise === undefined ? {} : { otherwise }),
  };
}

function readSubquery(source: Source, at: number, form: 'exists' | 'array'): Expression | undefined {
  if (!isSymbol(source, '(', 1) || !isQueryAhead(source, 1)) return undefined;
  source.at += 2;
  const query: Query = source.rules.query(source, { isValue: true });
  expectSymbol(source, ')');
  return { kind: 'query', at, form, query };
}

/** `ARRAY[…]`, `ARRAY(SELECT …)` and `ARRAY<type>[…]`. */
function readArray(source: Source, at: number): Expression | undefined {
  if (isSymbol(source, '<', 1)) {
    const type = readTypeName(source);
    const value: Expression = { kind: 'array', at: peek(source).start, items: readBrackets(source) };
    return { kind: 'cast', at, value, type, isSafe: false };
  }
  if (!isSymbol(source, '[', 1)) return readSubquery(source, at, 'array');
  source.at++;
  return { kind: 'array', at, items: readBrackets(source) };
}

/** BigQuery: `STRUCT<a INT64>(1)`. */
function readTypedStruct(source: Source, at: number): Expression | undefined {
  if (!isSymbol(source, '<', 1) || !has(source, 'structs')) return undefined;
  if (source.isStrict)
    return unread(source, at, 'STRUCT with types is not supported', 'Write STRUCT(value AS name).');
  const type = readTypeName(source);
  const value: Expression = { kind: 'row', at, items: readList(source, () => readExpression(source)) };
  return { kind: 'cast', at, value, type, isSafe: false };
}

function readRow(source: Source, at: number): Expression | undefined {
  if (!isSymbol(source, '(', 1) || !has(source, 'standard clauses')) return undefined;
  source.at++;
  return { kind: 'row', at, items: readList(source, () => readExpression(source)) };
}

/** Redshift: `APPROXIMATE COUNT(DISTINCT x)`. */
function readApproximate(source: Source): Expression | undefined {
  if (!isWord(source, 'COUNT', 1) || !isSymbol(source, '(', 2)) return undefined;
  source.at++;
  const count = readCall(source);
  if (count.kind !== 'call' || !count.isDistinct) return count;
  return { ...count, name: 'approx_count_distinct', isDistinct: false };
}

/** MySQL: compares bytes. */
function readBinary(source: Source, at: number): Expression | undefined {
  if (isSymbol(source, '(', 1) || !has(source, 'extended forms')) return undefined;
  next(source);
  return callOf('binary', at, [source.rules.primary(source)]);
}
