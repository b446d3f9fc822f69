// Reads what operators combine: literals, names, calls, parentheses, and what follows them without an operator.
import type { Expression, TimeType } from '../../sql/syntax-tree.ts';
import { isCallAhead, readCall } from './call.ts';
import { callOf } from './special-call.ts';
import { readInterval } from './interval.ts';
import { readPostfix } from './postfix.ts';
import {
  type Source,
  areWords,
  expectSymbol,
  expectWord,
  isMysql,
  isQueryAhead,
  isSymbol,
  isWord,
  next,
  peek,
  readExpression,
  readItems,
  readList,
  readName,
  readParts,
  takeSymbol,
  takeWords,
  unexpected,
} from './source.ts';
import { readTypeName } from './type-name.ts';

/** @throws ReadError */
export function readPrimary(source: Source): Expression {
  return readPostfix(source, readPlain(source));
}

function readPlain(source: Source): Expression {
  const token = peek(source);
  const { start: at } = token;
  switch (token.kind) {
    case 'number':
      source.at++;
      return { kind: 'number', at, text: token.text };
    case 'string':
      return readStrings(source);
    case 'parameter':
      source.at++;
      return { kind: 'parameter', at, name: token.text };
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

/** Adjacent strings are one string. */
function readStrings(source: Source): Expression {
  const { start: at } = peek(source);
  let value = '';
  while (peek(source).kind === 'string') value += next(source).text;
  return { kind: 'string', at, value };
}

function readSymbol(source: Source): Expression {
  const { start: at } = peek(source);
  const lambda = readLambda(source);
  if (lambda !== undefined) return lambda;
  if (isSymbol(source, '{') && source.dialect === 'snowflake') return readObject(source);
  if (isSymbol(source, '[')) return { kind: 'array', at, items: readBrackets(source) };
  if (!isSymbol(source, '(')) return unexpected(source, 'an expression');
  if (isQueryAhead(source)) {
    const saved = source.at;
    source.at++;
    const isQuery = isQueryAhead(source);
    const query = isQuery ? tryQuery(source) : undefined;
    if (query !== undefined) return { kind: 'query', at, form: 'value', query };
    source.at = saved;
  }
  source.at++;
  const [first, ...more] = readRest(source);
  if (first === undefined) return unexpected(source, 'an expression');
  return more.length === 0 ? parenthesized(first, at) : { kind: 'row', at, items: [first, ...more] };
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

/** `((SELECT 1) + 2)` starts like a query. */
function tryQuery(source: Source): ReturnType<Source['query']> | undefined {
  if (isSymbol(source, '(') && !isWholeQuery(source)) return undefined;
  const query = source.query(source);
  expectSymbol(source, ')');
  return query;
}

const AFTER_QUERY: ReadonlySet<string> = new Set([
  ')',
  'UNION',
  'INTERSECT',
  'EXCEPT',
  'MINUS',
  'ORDER',
  'LIMIT',
  'OFFSET',
  'FETCH',
]);

/** Whether the parentheses that open here are followed by what can follow a query. */
function isWholeQuery(source: Source): boolean {
  let depth = 0;
  for (let ahead = 0; ; ahead++) {
    const token = peek(source, ahead);
    if (token.kind === 'end') return true;
    if (token.kind !== 'symbol') continue;
    if (token.text === '(') depth++;
    if (token.text === ')') depth--;
    if (depth === 0) return AFTER_QUERY.has(peek(source, ahead + 1).upper);
  }
}

/** In parentheses, a chain is one operand of another one. */
function parenthesized(value: Expression, at: number): Expression {
  return value.kind === 'chain' && value.operator === '||' ? value : { ...value, at };
}

function readBrackets(source: Source): readonly Expression[] {
  expectSymbol(source, '[');
  if (takeSymbol(source, ']')) return [];
  const items = readItems(source, () => readExpression(source));
  expectSymbol(source, ']');
  return items;
}

const LAMBDA_DIALECTS: ReadonlySet<string> = new Set(['trino', 'snowflake', 'bigquery']);

/** `x -> …` and `(x, y) -> …`. */
function readLambda(source: Source): Expression | undefined {
  if (!LAMBDA_DIALECTS.has(source.dialect)) return undefined;
  const { start: at } = peek(source);
  if (!isSymbol(source, '(')) {
    if (!isSymbol(source, '->', 1)) return undefined;
    const name = readName(source);
    source.at++;
    return { kind: 'lambda', at, parameters: [name], body: readExpression(source) };
  }
  let ahead = 1;
  while (peek(source, ahead).kind === 'word' || isSymbol(source, ',', ahead)) ahead++;
  if (!isSymbol(source, ')', ahead) || !isSymbol(source, '->', ahead + 1)) return undefined;
  const parameters = readList(source, () => readName(source));
  source.at++;
  return { kind: 'lambda', at, parameters, body: readExpression(source) };
}

const TIMES: Readonly<Record<string, TimeType>> = {
  DATE: 'date',
  TIMESTAMP: 'timestamp',
  TIMESTAMPTZ: 'timestamp',
  DATETIME: 'datetime',
  TIMESTAMP_NTZ: 'timestamp',
  TIMESTAMP_LTZ: 'timestamp',
  TIMESTAMP_TZ: 'timestamp',
};
const TYPED: ReadonlySet<string> = new Set([
  'TIME',
  'JSON',
  'JSONB',
  'NUMERIC',
  'DECIMAL',
  'BIGNUMERIC',
  'UUID',
  'INET',
  'BYTEA',
  'TEXT',
  'VARCHAR',
  'INT',
  'INTEGER',
  'BIGINT',
  'BOOLEAN',
  'FLOAT',
  'DOUBLE',
  'REAL',
]);

function readKeyword(source: Source): Expression | undefined {
  const { start: at, upper } = peek(source);
  if (peek(source, 1).kind === 'string' && (upper in TIMES || TYPED.has(upper))) return readTyped(source);
  if (upper === 'DOUBLE' && isWord(source, 'PRECISION', 1) && peek(source, 2).kind === 'string')
    return readTyped(source);
  if (areWords(source, ['WITH', 'TIME', 'ZONE'], 1) || areWords(source, ['WITHOUT', 'TIME', 'ZONE'], 1))
    return readTyped(source);
  switch (upper) {
    case 'TRUE':
    case 'FALSE':
      source.at++;
      return { kind: 'boolean', at, value: upper === 'TRUE' };
    case 'NULL':
      source.at++;
      return { kind: 'null', at };
    case 'CASE':
      return readCase(source);
    case 'INTERVAL':
      return readInterval(source);
    case 'EXISTS':
      return readSubquery(source, 'exists');
    case 'ARRAY':
      return readArray(source);
    case 'STRUCT':
      return isSymbol(source, '<', 1) ? readTypedStruct(source) : undefined;
    case 'ROW':
      return isSymbol(source, '(', 1) ? readRow(source) : undefined;
    case 'APPROXIMATE':
      return readApproximate(source);
    case 'BINARY':
      // MySQL: compares bytes.
      if (isSymbol(source, '(', 1) || !isMysql(source)) return undefined;
      source.at++;
      return {
        kind: 'call',
        at,
        name: 'binary',
        args: [readPrimary(source)],
        isStar: false,
        isSafe: false,
        isDistinct: false,
        orderBy: [],
      };
    default:
      return undefined;
  }
}

/** `DATE '…'`; for other types, a cast of the string. */
function readTyped(source: Source): Expression {
  const { start: at, upper } = peek(source);
  const type = readTypeName(source);
  const { text } = peek(source);
  if (peek(source).kind !== 'string') return unexpected(source, 'a string');
  source.at++;
  const time = TIMES[upper];
  if (time !== undefined) return { kind: 'time', at, type: time, value: text };
  return { kind: 'cast', at, value: { kind: 'string', at, value: text }, type, isSafe: false };
}

function readCase(source: Source): Expression {
  const { start: at } = next(source);
  const subject = isWord(source, 'WHEN') ? undefined : readExpression(source);
  const branches: { readonly when: Expression; readonly result: Expression }[] = [];
  while (takeWords(source, 'WHEN')) {
    const when = readExpression(source);
    expectWord(source, 'THEN');
    branches.push({ when, result: readExpression(source) });
  }
  const otherwise = takeWords(source, 'ELSE') ? readExpression(source) : undefined;
  expectWord(source, 'END');
  return {
    kind: 'case',
    at,
    ...(subject === undefined ? {} : { subject }),
    branches,
    ...(otherwise === undefined ? {} : { otherwise }),
  };
}

function readSubquery(source: Source, form: 'exists' | 'array'): Expression | undefined {
  if (!isSymbol(source, '(', 1) || !isQueryAhead(source, 1)) return undefined;
  const { start: at } = next(source);
  source.at++;
  const query = source.query(source);
  expectSymbol(source, ')');
  return { kind: 'query', at, form, query };
}

/** `ARRAY[…]`, `ARRAY(SELECT …)` and `ARRAY<type>[…]`. */
function readArray(source: Source): Expression | undefined {
  const { start: at } = peek(source);
  if (isSymbol(source, '<', 1)) {
    const type = readTypeName(source);
    return {
      kind: 'cast',
      at,
      value: { kind: 'array', at, items: readBrackets(source) },
      type,
      isSafe: false,
    };
  }
  if (!isSymbol(source, '[', 1)) return readSubquery(source, 'array');
  source.at++;
  return { kind: 'array', at, items: readBrackets(source) };
}

/** Redshift: `APPROXIMATE COUNT(DISTINCT x)`. */
function readApproximate(source: Source): Expression | undefined {
  if (!isWord(source, 'COUNT', 1) || !isSymbol(source, '(', 2)) return undefined;
  source.at++;
  const count = readCall(source);
  if (count.kind !== 'call' || !count.isDistinct) return count;
  return { ...count, name: 'approx_count_distinct', isDistinct: false };
}

/** BigQuery: `STRUCT<a INT64>(1)`. */
function readTypedStruct(source: Source): Expression {
  const { start: at } = peek(source);
  const type = readTypeName(source);
  const value: Expression = { kind: 'row', at, items: readList(source, () => readExpression(source)) };
  return { kind: 'cast', at, value, type, isSafe: false };
}

function readRow(source: Source): Expression {
  const { start: at } = next(source);
  return { kind: 'row', at, items: readList(source, () => readExpression(source)) };
}

/** Functions that are called without parentheses. */
const BARE_FUNCTIONS: ReadonlySet<string> = new Set([
  'CURRENT_DATE',
  'CURRENT_TIMESTAMP',
  'CURRENT_TIME',
  'LOCALTIMESTAMP',
  'LOCALTIME',
  'CURRENT_USER',
  'SESSION_USER',
  'CURRENT_DATETIME',
  'SYSDATE',
  'UTC_TIMESTAMP',
  'UTC_DATE',
]);

function readWord(source: Source): Expression {
  const { start: at, upper, text } = peek(source);
  if (RESERVED.has(upper)) return unexpected(source, 'an expression');
  if (!BARE_FUNCTIONS.has(upper) || isSymbol(source, '.', 1)) return readPath(source);
  source.at++;
  return callOf(text.toLowerCase(), at, []);
}

/** Words that cannot be names of columns in any of the dialects. */
const RESERVED: ReadonlySet<string> = new Set([
  'SELECT',
  'FROM',
  'WHERE',
  'GROUP',
  'ORDER',
  'HAVING',
  'UNION',
  'INTERSECT',
  'EXCEPT',
  'LIMIT',
  'AND',
  'OR',
  'THEN',
  'WHEN',
  'ELSE',
  'END',
  'AS',
  'ON',
  'JOIN',
  'USING',
  'IN',
  'IS',
  'LIKE',
  'BETWEEN',
  'CASE',
  'BY',
]);

/** `a`, `t.a`, `t.a.b`; a star is read by the select list. */
function readPath(source: Source): Expression {
  const { start: at } = peek(source);
  const parts = readParts(source);
  return { kind: 'path', at, parts };
}

/** Reads what is left of a list in parentheses after the opening one. */
function readRest(source: Source): readonly Expression[] {
  const items = readItems(source, () => readExpression(source));
  expectSymbol(source, ')');
  return items;
}
