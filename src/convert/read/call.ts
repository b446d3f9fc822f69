// Reads function calls, with the clauses inside and after their parentheses.
import type { Call, Expression, Order } from '../../sql/syntax-tree.ts';
import { readSpecialCall } from './special-call.ts';
import { readOrders, readOver } from './window.ts';
import {
  type Source,
  expectSymbol,
  expectWord,
  isQueryAhead,
  isSymbol,
  isWord,
  next,
  peek,
  readExpression,
  readName,
  readParts,
  skipParentheses,
  takeSymbol,
  takeWords,
  textFrom,
} from './source.ts';

type Building = { -readonly [Key in keyof Call]: Call[Key] };

/** Whether the name that starts here is that of a call. */
export function isCallAhead(source: Source): boolean {
  let ahead = 1;
  while (isSymbol(source, '.', ahead) && ['word', 'quoted'].includes(peek(source, ahead + 1).kind))
    ahead += 2;
  return isSymbol(source, '(', ahead) && !NOT_FUNCTIONS.has(peek(source).upper);
}

const NOT_FUNCTIONS: ReadonlySet<string> = new Set([
  'IN',
  'AND',
  'OR',
  'NOT',
  'AS',
  'ON',
  'USING',
  'WHERE',
  'SELECT',
  'FROM',
  'WHEN',
  'THEN',
  'ELSE',
  'HAVING',
  'BY',
  'OVER',
  'UNION',
]);

/**
 * Reads a call.
 * @throws ReadError
 */
export function readCall(source: Source): Expression {
  const { start: at, text } = peek(source);
  const special = readSpecialCall(source);
  if (special !== undefined && !('first' in special)) return special;
  const parts = special === undefined ? readParts(source).map(({ name }) => name) : [text];
  const isSafe = source.dialect === 'bigquery' && parts[0]?.toUpperCase() === 'SAFE' && parts.length > 1;
  const written = (isSafe ? parts.slice(1) : parts).join('.');
  const name = written.startsWith('clickhouse__') ? written : written.toLowerCase();
  const call: Building = {
    kind: 'call',
    at,
    name,
    args: [],
    isStar: false,
    isSafe,
    isDistinct: false,
    orderBy: [],
  };
  const isRead = special === undefined ? readArguments(source, call) : readMore(source, call, special.first);
  if (!isRead) {
    skipParentheses(source);
    readSuffix(source, call);
    return {
      kind: 'unread',
      at,
      text: textFrom(source, at),
      reason: `these arguments of ${name} are not supported`,
    };
  }
  return readSuffix(source, call);
}

/** `(…)`; false if something else than arguments follows, and the closing parenthesis has not been read. */
function readArguments(source: Source, call: Building): boolean {
  expectSymbol(source, '(');
  if (takeSymbol(source, ')')) return true;
  if (isSymbol(source, '*') && (isSymbol(source, ')', 1) || isSymbol(source, ',', 1))) {
    source.at++;
    call.isStar = true;
    return takeSymbol(source, ')');
  }
  call.isDistinct = takeWords(source, 'DISTINCT');
  if (isWord(source, 'ALL') && !isSymbol(source, ')', 1)) source.at++;
  return readMore(source, call, readArgument(source));
}

/** The other arguments, and clauses after them. */
function readMore(source: Source, call: Building, first: Expression): boolean {
  const args = [first];
  while (takeSymbol(source, ',')) args.push(readArgument(source));
  call.args = args;
  for (;;) {
    if (takeSymbol(source, ')')) return true;
    if (!readInnerClause(source, call)) return false;
  }
}

function readArgument(source: Source): Expression {
  const { start: at, kind } = peek(source);
  if (kind === 'word' && (isSymbol(source, '=>', 1) || isSymbol(source, ':=', 1))) {
    const name = readName(source);
    source.at++;
    return { kind: 'named_argument', at, name, value: readArgument(source) };
  }
  if (!isQueryAhead(source) || isSymbol(source, '(')) return readExpression(source);
  return { kind: 'query', at, form: 'value', query: source.query(source) };
}

/** A clause after the arguments, inside the parentheses. */
function readInnerClause(source: Source, call: Building): boolean {
  const nulls = readNulls(source);
  if (nulls !== undefined) {
    call.nulls = nulls;
    return true;
  }
  if (takeWords(source, 'ORDER', 'BY')) {
    call.orderBy = readOrders(source);
    return true;
  }
  if (takeWords(source, 'SEPARATOR')) {
    call.separator = readExpression(source);
    return true;
  }
  if (takeWords(source, 'LIMIT') && peek(source).kind === 'number') {
    call.limit = next(source).text;
    return true;
  }
  if (!isWord(source, 'HAVING')) return false;
  source.at++;
  const isMax = takeWords(source, 'MAX');
  if (!isMax) expectWord(source, 'MIN');
  call.having = { extreme: isMax ? 'MAX' : 'MIN', by: readExpression(source) };
  return true;
}

function readNulls(source: Source): 'IGNORE' | 'RESPECT' | undefined {
  if (takeWords(source, 'IGNORE', 'NULLS')) return 'IGNORE';
  return takeWords(source, 'RESPECT', 'NULLS') ? 'RESPECT' : undefined;
}

/** WITHIN GROUP, FILTER, IGNORE NULLS and OVER. */
function readSuffix(source: Source, call: Building): Expression {
  const { at } = call;
  if (takeWords(source, 'WITHIN', 'GROUP')) {
    expectSymbol(source, '(');
    expectWord(source, 'ORDER');
    expectWord(source, 'BY');
    const orders: readonly Order[] = readOrders(source);
    expectSymbol(source, ')');
    call.withinGroup = orders;
  }
  if (isWord(source, 'FILTER') && isSymbol(source, '(', 1)) {
    source.at += 2;
    takeWords(source, 'WHERE');
    call.filter = readExpression(source);
    expectSymbol(source, ')');
  }
  takeWords(source, 'FROM', 'FIRST'); // the default
  if (takeWords(source, 'FROM', 'LAST'))
    return { kind: 'unread', at, text: textFrom(source, at), reason: 'FROM LAST is not supported' };
  const nulls = readNulls(source);
  if (nulls !== undefined) call.nulls = nulls;
  if (isWord(source, 'KEEP') && isSymbol(source, '(', 1)) {
    source.at += 2;
    skipParentheses(source);
    return { kind: 'unread', at, text: textFrom(source, at), reason: 'KEEP is not supported' };
  }
  if (takeWords(source, 'OVER')) call.over = readOver(source);
  return call;
}
