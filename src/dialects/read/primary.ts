// Reads what operators combine: literals, names, calls, parentheses, and what follows them without an operator.
import type { Expression } from '../tree.ts';
import { isCallAhead, readCall } from './call.ts';
import { readKeyword } from './keyword.ts';
import { readPostfix } from './postfix.ts';
import { callOf } from './special-call.ts';
import {
  afterParentheses, expectSymbol, has, isNameToken, isQueryWithin, isSymbol, next, peek, readBrackets, readExpression, readList, readName,
  readParts, takeSymbol, unexpected, type Source,
} from './source.ts'; // prettier-ignore

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
