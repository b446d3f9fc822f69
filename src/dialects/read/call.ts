// Reads function calls, with the clauses inside and after their parentheses.
import type { Call, Expression } from '../tree.ts';
import { readCount } from './limits-clause.ts';
import { callOf, readSpecialCall } from './special-call.ts';
import { readOrders, readOver } from './window.ts';
import { areWords, expectSymbol, expectWords, has, isNameToken, isQueryAhead, isSymbol, isWord, peek, readExpression, readMember, readName, readParts, requires, takeSymbol, takeWords, unexpected, unread, type Source } from './source.ts'; // prettier-ignore
import { syntax } from '../context.ts';

type Building = { -readonly [Key in keyof Call]: Call[Key] };

/** Keywords that a parenthesis may follow without being a call. */
const NOT_FUNCTIONS: ReadonlySet<string> = new Set(
  'IN AND OR NOT AS ON USING WHERE SELECT FROM WHEN THEN ELSE HAVING BY OVER UNION'.split(' '),
);

/** Whether the name that starts here is that of a call. */
export function isCallAhead(source: Source): boolean {
  const { kind, upper } = peek(source);
  let ahead = 1;
  while (isSymbol(source, '.', ahead) && isNameToken(source, ahead + 1)) ahead += 2;
  if (!isSymbol(source, '(', ahead)) return false;
  if (kind === 'quoted') return true;
  const { reserved, callable, specialCalls } = source.grammar;
  return (
    !NOT_FUNCTIONS.has(upper) && (!reserved.has(upper) || callable.has(upper) || specialCalls.has(upper))
  );
}

/**
 * Reads a call.
 * @throws UnconvertedError
 */
export function readCall(source: Source): Expression {
  const { start: at } = peek(source);
  const special = readSpecialCall(source);
  if (special !== undefined && !('first' in special)) return special;
  // The opening parenthesis comes next, or has been read.
  const call: Building =
    special === undefined ? named(source, at) : callOf(special.name.toLowerCase(), at, []);
  const open = special === undefined ? source.at : special.open;
  const isRead = special === undefined ? readArguments(source, call) : readMore(source, call, special.first);
  if (isRead) return readSuffix(source, call);
  if (source.isStrict) return unexpected(source, '")"');
  source.at = (source.closes.get(open) ?? syntax(peek(source).start, 'A parenthesis is not closed')) + 1;
  readSuffix(source, call);
  return unread(source, at, `these arguments of ${call.name} are not supported`);
}

/** The name of a call. */
function named(source: Source, at: number): Building {
  const isReserved = peek(source).kind === 'word' && isSymbol(source, '(', 1);
  const parts = isReserved ? [readMember(source)] : readParts(source);
  const isSafe = parts.length > 1 && parts[0]?.name.toUpperCase() === 'SAFE' && has(source, 'safe calls');
  const written = (isSafe ? parts.slice(1) : parts).map(({ name }) => name).join('.');
  // A function of ClickHouse, from a placeholder.
  const name = written.startsWith('clickhouse__') ? written : written.toLowerCase();
  return { ...callOf(name, isSafe ? (parts[1]?.at ?? at) : at, []), isSafe };
}

/** `(…)`; false if something else than arguments follows. */
function readArguments(source: Source, call: Building): boolean {
  expectSymbol(source, '(');
  if (takeSymbol(source, ')')) return true;
  const isStar = isSymbol(source, '*') && (isSymbol(source, ')', 1) || isSymbol(source, ',', 1));
  call.isDistinct = takeWords(source, 'DISTINCT');
  if (!call.isDistinct && isWord(source, 'ALL') && !isSymbol(source, ')', 1)) source.at++; // the default
  if (!isStar) return readMore(source, call, readArgument(source));
  source.at++;
  call.isStar = true;
  return takeSymbol(source, ')');
}

/** The other arguments, and clauses after them. */
function readMore(source: Source, call: Building, first: Expression): boolean {
  const args = [first];
  while (takeSymbol(source, ',')) {
    if (isSymbol(source, ')') && has(source, 'trailing commas')) break;
    args.push(readArgument(source));
  }
  call.args = args;
  while (!takeSymbol(source, ')')) if (!readInnerClause(source, call)) return false;
  return true;
}

function readArgument(source: Source): Expression {
  const { start: at, kind } = peek(source);
  if (kind === 'word' && (isSymbol(source, '=>', 1) || isSymbol(source, ':=', 1))) {
    const name = readName(source);
    source.at++;
    return { kind: 'named_argument', at, name, value: readArgument(source) };
  }
  if (!isQueryAhead(source) || isSymbol(source, '(') || source.isStrict) return readExpression(source);
  return { kind: 'query', at, form: 'value', query: source.rules.query(source) };
}

/** A clause after the arguments, inside the parentheses; each occurs once. */
function readInnerClause(source: Source, call: Building): boolean {
  const { start } = peek(source);
  const once = (isNew: boolean): void => void (isNew || syntax(start, 'This clause is written twice'));
  const nulls = readNulls(source);
  if (nulls !== undefined) {
    once(call.nulls === undefined);
    call.nulls = nulls;
  } else if (takeWords(source, 'ORDER', 'BY')) {
    once(call.orderBy.length === 0);
    call.orderBy = readOrders(source);
  } else if (isWord(source, 'SEPARATOR') && has(source, 'standard calls')) {
    once(call.separator === undefined);
    source.at++;
    call.separator = readExpression(source);
  } else if (isWord(source, 'LIMIT') && peek(source, 1).kind === 'number') {
    once(call.limit === undefined);
    source.at++;
    call.limit = readCount(source);
  } else if (takeWords(source, 'HAVING')) {
    once(call.having === undefined);
    const isMax = takeWords(source, 'MAX');
    if (!isMax) expectWords(source, 'MIN');
    call.having = { extreme: isMax ? 'MAX' : 'MIN', by: readExpression(source) };
  } else return false;
  return true;
}

function readNulls(source: Source): 'IGNORE' | 'RESPECT' | undefined {
  if (takeWords(source, 'IGNORE', 'NULLS')) return 'IGNORE';
  return takeWords(source, 'RESPECT', 'NULLS') ? 'RESPECT' : undefined;
}

/** WITHIN GROUP, FILTER, IGNORE NULLS and OVER. */
function readSuffix(source: Source, call: Building): Expression {
  const { at } = call;
  if (areWords(source, ['WITHIN', 'GROUP'])) {
    requires(source, 'standard calls', 'WITHIN GROUP');
    source.at += 2;
    expectSymbol(source, '(');
    expectWords(source, 'ORDER', 'BY');
    call.withinGroup = readOrders(source);
    expectSymbol(source, ')');
  }
  if (isWord(source, 'FILTER') && isSymbol(source, '(', 1)) {
    requires(source, 'standard calls', 'FILTER', 'Write COUNTIF or IF.');
    source.at += 2;
    expectWords(source, 'WHERE');
    call.filter = readExpression(source);
    expectSymbol(source, ')');
  }
  const isLast = takeWords(source, 'FROM', 'LAST');
  if (!isLast && areWords(source, ['FROM', 'FIRST']) && isAfterFrom(source)) source.at += 2; // the default
  const { start } = peek(source);
  const nulls = readNulls(source);
  if (nulls !== undefined && call.nulls !== undefined) syntax(start, 'This clause is written twice');
  if (nulls !== undefined) call.nulls = nulls;
  const isKept = isWord(source, 'KEEP') && isSymbol(source, '(', 1);
  if (isKept) source.at = (source.closes.get(source.at + 1) ?? source.at) + 1;
  if (takeWords(source, 'OVER')) call.over = readOver(source);
  if (isLast) return unread(source, at, 'FROM LAST is not supported');
  return isKept ? unread(source, at, 'KEEP is not supported') : call;
}

/** `FROM FIRST` is also a table with that name. */
function isAfterFrom(source: Source): boolean {
  return ['OVER', 'IGNORE', 'RESPECT'].includes(peek(source, 2).upper);
}
