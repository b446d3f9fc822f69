// Reads what operators combine: literals, names, calls, parentheses, values that begin with a keyword, and what follows without an operator.
import { tooLarge } from '../context.ts';
import type { Expression, IndexBase, Query } from '../tree.ts';
import { callOf, isCallAhead, readCall } from './call.ts';
import { castOf, readInterval, readTypeName } from './types.ts';
import { afterParentheses, areWords, expectSymbol, expectWords, has, isNameToken, isQueryAhead, isQueryWithin, isSymbol, isWord, next, peek, readBrackets, readExpression, readList, readMember, readName, readParts, requires, type Source, takeSymbol, takeWords, unexpected, unread } from './source.ts'; // prettier-ignore

/** @throws UnconvertedError */
export function readPrimary(source: Source): Expression {
  return readPostfix(source, readPlain(source));
}

function readPlain(source: Source): Expression {
  const { kind, start: at, text } = peek(source);
  switch (kind) {
    case 'number':
      source.at++;
      return { kind: 'number', at, text };
    case 'string':
    case 'bytes':
      return readStrings(source);
    case 'parameter':
      if (source.isStrict) return unexpected(source, 'a value');
      source.at++;
      return { kind: 'parameter', at, name: text };
    case 'quoted':
      return isCallAhead(source) ? readCall(source) : readPath(source);
    case 'word':
      return (
        readLambda(source) ??
        readKeyword(source) ??
        (isCallAhead(source) ? readCall(source) : readWord(source))
      );
    case 'symbol':
      return readSymbol(source);
    case 'end':
      return unexpected(source, 'an expression');
  }
}

/** Adjacent strings are one string, where the dialect has that. */
function readStrings(source: Source): Expression {
  const { start: at, kind, text } = next(source);
  let value = text;
  while (peek(source).kind === kind && has(source, 'adjacent strings')) value += next(source).text;
  return kind === 'bytes' ? { kind, at, value } : { kind: 'string', at, value };
}

function readSymbol(source: Source): Expression {
  const { start: at } = peek(source);
  const lambda = readLambda(source);
  if (lambda !== undefined) return lambda;
  if (isSymbol(source, '{') && has(source, 'objects')) return readObject(source);
  if (isSymbol(source, '[')) return { kind: 'array', at, items: readBrackets(source) };
  if (!isSymbol(source, '(')) return unexpected(source, 'an expression');
  if (isQueryWithin(source)) {
    source.at++;
    const query = source.rules.query(source, { isValue: true });
    expectSymbol(source, ')');
    return { kind: 'query', at, form: 'value', query };
  }
  const [first, ...more] = readList(source, () => readExpression(source));
  if (first === undefined) return unexpected(source, 'an expression');
  return more.length === 0 ? first : { kind: 'row', at, items: [first, ...more] };
}

/** Snowflake: `{'a': 1}` is `object_construct('a', 1)`. */
function readObject(source: Source): Expression {
  const { start: at } = next(source);
  const args: Expression[] = [];
  while (!takeSymbol(source, '}')) {
    args.push(readExpression(source));
    expectSymbol(source, ':');
    args.push(readExpression(source));
    if (!isSymbol(source, '}')) expectSymbol(source, ',');
  }
  return callOf('object_construct', at, args);
}

/** `x -> …` and `(x, y) -> …`. */
function readLambda(source: Source): Expression | undefined {
  if (!has(source, 'lambdas')) return undefined;
  const { start: at } = peek(source);
  const isOne = isNameToken(source) && isSymbol(source, '->', 1);
  if (!isOne && !(isSymbol(source, '(') && afterParentheses(source).text === '->')) return undefined;
  const parameters = isOne ? [readName(source)] : readList(source, () => readName(source));
  expectSymbol(source, '->');
  return { kind: 'lambda', at, parameters, body: readExpression(source) };
}

function readWord(source: Source): Expression {
  const { start: at, upper, text } = peek(source);
  const { notValues, bare } = source.grammar;
  if (notValues.has(upper)) return unexpected(source, 'an expression');
  if (!bare.has(upper) || isSymbol(source, '.', 1)) return readPath(source);
  source.at++;
  return callOf(text.toLowerCase(), at, []);
}

/** `a`, `t.a`, `t.a.b`; a star is read by the select list. */
function readPath(source: Source): Expression {
  const { start: at } = peek(source);
  return { kind: 'path', at, parts: readParts(source) };
}

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
function readKeyword(source: Source): Expression | undefined {
  const { start: at, upper } = peek(source);
  return isTyped(source, upper) ? readTyped(source) : READERS.get(upper)?.(source, at);
}

/** Returns whether a type and a string follow. */
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
    subject,
    branches,
    otherwise,
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

/** @throws UnconvertedError */
function readPostfix(source: Source, value: Expression): Expression {
  const { accessors } = source.limits;
  let whole = value;
  for (let count = 1; ; count++) {
    const wider = readOne(source, whole);
    if (wider === undefined) return whole;
    if (count > accessors)
      tooLarge(peek(source).start, `A value has more than ${accessors} fields, elements and casts in a row`);
    whole = wider;
  }
}

function readOne(source: Source, value: Expression): Expression | undefined {
  const { at } = value;
  if (takeSymbol(source, '::')) return castOf(value, readTypeName(source), { at, isSafe: false });
  if (isSymbol(source, '[') && value.kind !== 'number' && value.kind !== 'string')
    return readElement(source, value);
  const isColon = isSymbol(source, ':') && has(source, 'colon paths');
  if ((isSymbol(source, '.') || isColon) && isNameToken(source, 1)) {
    source.at++;
    return { kind: 'field', at, of: value, name: readMember(source) };
  }
  if (!takeWords(source, 'COLLATE')) return undefined;
  const { text, kind, start } = next(source);
  if (kind !== 'word' && kind !== 'quoted' && kind !== 'string') {
    source.at--;
    return unexpected(source, 'a collation');
  }
  return { kind: 'collate', at, value, collation: { name: text, at: start } };
}

/** `[index]`, `[from:to]`, `[OFFSET(n)]`, `['key']`. */
function readElement(source: Source, of: Expression): Expression {
  const { at } = of;
  expectSymbol(source, '[');
  if (takeColon(source)) return readSlice(source, { of });
  const based = readBased(source);
  const index = based?.index ?? readExpression(source);
  if (based === undefined && takeColon(source)) return readSlice(source, { of, from: index });
  expectSymbol(source, ']');
  if (index.kind === 'string') return { kind: 'field', at, of, name: { name: index.value, at: index.at } };
  return { kind: 'index', at, of, index, base: source.grammar.indexBase, ...based };
}

function takeColon(source: Source): boolean {
  if (isSymbol(source, ':')) requires(source, 'standard calls', 'A slice of an array');
  return takeSymbol(source, ':');
}

const BASES: ReadonlyMap<string, IndexBase> = new Map<string, IndexBase>([
  ['OFFSET', 0],
  ['SAFE_OFFSET', 0],
  ['ORDINAL', 1],
  ['SAFE_ORDINAL', 1],
]);

interface Based {
  readonly index: Expression;
  readonly base: IndexBase;
  readonly isSafe: boolean;
}

function readBased(source: Source): Based | undefined {
  const { upper } = peek(source);
  const base = has(source, 'based indexes') && isSymbol(source, '(', 1) ? BASES.get(upper) : undefined;
  if (base === undefined) return undefined;
  source.at += 2;
  const index = readExpression(source);
  expectSymbol(source, ')');
  return { index, base, isSafe: upper.startsWith('SAFE_') };
}

function readSlice(
  source: Source,
  { of, from }: { readonly of: Expression; readonly from?: Expression },
): Expression {
  const to = isSymbol(source, ']') ? undefined : readExpression(source);
  expectSymbol(source, ']');
  return {
    kind: 'slice',
    at: of.at,
    of,
    from,
    to,
  };
}
