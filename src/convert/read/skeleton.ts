// Writes the skeleton of a query for node-sql-parser: its clauses, with a name such as `x3` in place of each expression, table
// and query in parentheses. The grammars cannot be trusted with more than that: they get the precedence of AND and OR
// wrong, read `NATURAL` as an alias, and a table after `ON …,` as a part of the condition.
import type { Item, SetOperator } from '../../sql/syntax-tree.ts';
import { place, type Member, type Skeleton } from './leaf.ts';
import { readFromClause } from './from.ts';
import { readGroupBy, readLimits } from './clauses.ts';
import { readRows, rowsQuery } from './rows.ts';
import { readItem, readSelectOptions, structItem } from './select-list.ts';
import {
  type Source,
  expectSymbol,
  expectWord,
  isMysql,
  isQueryAhead,
  isSymbol,
  isWord,
  nested,
  peek,
  readExpression,
  readItems,
  readList,
  readName,
  report,
  takeSymbol,
  takeWords,
  textFrom,
  unexpected,
} from './source.ts';
import { ReadError, syntaxError } from './read-error.ts';
import { readNamedWindows, readOrders } from './window.ts';

/**
 * Reads a query up to the parenthesis that closes it, a semicolon or the end.
 * @throws ReadError
 */
export function readSkeleton(source: Source, skeleton: Skeleton): void {
  readWith(source, skeleton);
  let operator: SetOperator | undefined;
  for (let count = 0; ;) {
    readMember(source, skeleton, operator);
    if (++count > MAX_MEMBERS) tooManyMembers(peek(source).start);
    operator = readSetOperator(source);
    if (operator === undefined) return;
    // ALL is not in the grammar for all operators: the leaf of the member has the exact one.
    skeleton.pieces.push(operator.split(' ')[0] ?? '');
  }
}

const MAX_MEMBERS = 1000;

function tooManyMembers(at: number): never {
  throw new ReadError(at, `A set operation has more than ${MAX_MEMBERS} members`, 'too_large');
}

function readWith(source: Source, skeleton: Skeleton): void {
  if (!takeWords(source, 'WITH')) return;
  const isRecursive = takeWords(source, 'RECURSIVE');
  const { pieces } = skeleton;
  pieces.push('WITH');
  for (;;) {
    const name = readName(source, 'the name of a table');
    const columns = isSymbol(source, '(') ? readList(source, () => readName(source)) : [];
    expectWord(source, 'AS');
    if (!takeWords(source, 'NOT', 'MATERIALIZED')) takeWords(source, 'MATERIALIZED');
    expectSymbol(source, '(');
    pieces.push(place(skeleton, { kind: 'with', name, columns, isRecursive }), 'AS (');
    nested(source, () => readSkeleton(source, skeleton));
    expectSymbol(source, ')');
    pieces.push(')');
    if (takeSymbol(source, ',')) pieces.push(',');
    else return;
  }
}

function readMember(source: Source, skeleton: Skeleton, operator: SetOperator | undefined): void {
  const { start: at } = peek(source);
  const member: Member = { at, isDistinct: false, ...(operator === undefined ? {} : { operator }) };
  if (operator?.startsWith('INTERSECT') === true && source.dialect !== 'sqlite') member.isTight = true;
  skeleton.pieces.push('SELECT', place(skeleton, { kind: 'member', member }));
  if (isSymbol(source, '(')) {
    source.at++;
    member.query = source.query(source);
    expectSymbol(source, ')');
    readEnd(source, skeleton, member);
  } else if (isWord(source, 'VALUES')) {
    member.query = rowsQuery(readRows(source));
    readEnd(source, skeleton, member);
  } else if (takeWords(source, 'SELECT')) {
    readSelect(source, skeleton, member);
  } else unexpected(source, 'SELECT');
}

const ONE: Item = { kind: 'value', value: { kind: 'number', at: 0, text: '1' } };

function readSelect(source: Source, skeleton: Skeleton, member: Member): void {
  const { pieces } = skeleton;
  readSelectOptions(source, member);
  // PostgreSQL allows an empty list, which is common in EXISTS.
  const listed = isWord(source, 'FROM') ? [ONE] : readItems(source, () => readItem(source));
  const items = member.isStruct === true ? [structItem(source, listed)] : listed;
  pieces.push(...items.map((item) => `, ${place(skeleton, { kind: 'item', item })}`));
  if (takeWords(source, 'FROM') && !takeDual(source)) {
    pieces.push('FROM');
    readFromClause(source, skeleton);
  }
  const add = (keyword: string, words: readonly string[]): void => {
    if (!takeWords(source, ...words)) return;
    pieces.push(keyword, place(skeleton, { kind: 'expression', value: readExpression(source) }));
  };
  add('WHERE', ['WHERE']);
  if (isWord(source, 'CONNECT') || isWord(source, 'START'))
    syntaxError(peek(source).start, 'CONNECT BY is not supported');
  if (takeWords(source, 'GROUP', 'BY')) readGroupBy(source, skeleton, member);
  readTail(source, { member, add });
  readEnd(source, skeleton, member);
}

/** `FROM dual` is a table of one row without columns. */
function takeDual(source: Source): boolean {
  const isDual = isMysql(source) || source.dialect === 'snowflake';
  const isAlone = isSymbol(source, ')', 1) || isSymbol(source, ';', 1) || peek(source, 1).kind !== 'symbol';
  return isDual && isAlone && takeWords(source, 'DUAL');
}

interface Tail {
  readonly member: Member;
  readonly add: (keyword: string, words: readonly string[]) => void;
}

/** HAVING, QUALIFY and WINDOW, in the order of any dialect. */
function readTail(source: Source, { member, add }: Tail): void {
  for (;;) {
    if (isWord(source, 'HAVING')) add('HAVING', ['HAVING']);
    else if (takeWords(source, 'QUALIFY')) member.qualify = readExpression(source);
    else if (takeWords(source, 'WINDOW')) member.windows = readNamedWindows(source);
    else return;
  }
}

/** ORDER BY and LIMIT, of the whole set operation if they follow its last member. */
function readEnd(source: Source, skeleton: Skeleton, member: Member): void {
  const { pieces } = skeleton;
  if (takeWords(source, 'ORDER', 'BY')) {
    const orders = readOrders(source);
    pieces.push('ORDER BY', orders.map((order) => place(skeleton, { kind: 'order', order })).join(', '));
  }
  const { limit, offset, hasTies } = readLimits(source);
  if (hasTies) member.hasTies = true;
  if (limit !== undefined) pieces.push('LIMIT', limitPlace(skeleton, limit));
  if (offset !== undefined) pieces.push('OFFSET', limitPlace(skeleton, offset));
  if (isWord(source, 'FOR') || (isMysql(source) && isWord(source, 'LOCK'))) readLocking(source);
}

/** The grammar accepts only numbers in LIMIT: the number of the leaf. */
function limitPlace(skeleton: Skeleton, text: string): string {
  return place(skeleton, { kind: 'limit', text }).slice(1);
}

/** FOR UPDATE and FOR SHARE have no meaning for a query that only reads. */
function readLocking(source: Source): void {
  const { start } = peek(source);
  if (!['UPDATE', 'SHARE', 'NO', 'KEY', 'IN'].includes(peek(source, 1).upper))
    unexpected(source, 'FOR UPDATE or FOR SHARE');
  while (peek(source).kind === 'word') source.at++;
  report(source, start, {
    severity: 'note',
    code: 'clause',
    message: `${textFrom(source, start)} is left out`,
  });
}

const SET_WORDS: Readonly<Record<string, 'UNION' | 'INTERSECT' | 'EXCEPT'>> = {
  UNION: 'UNION',
  INTERSECT: 'INTERSECT',
  EXCEPT: 'EXCEPT',
  MINUS: 'EXCEPT',
};

function readSetOperator(source: Source): SetOperator | undefined {
  const { kind, upper, start } = peek(source);
  const word = kind === 'word' ? SET_WORDS[upper] : undefined;
  if (word === undefined) return undefined;
  source.at++;
  const isAll = takeWords(source, 'ALL');
  if (!isAll) takeWords(source, 'DISTINCT');
  if (isWord(source, 'BY') || isWord(source, 'CORRESPONDING'))
    syntaxError(start, `${word} BY NAME is not supported`);
  if (!isQueryAhead(source)) unexpected(source, 'SELECT');
  return `${word} ${isAll ? 'ALL' : 'DISTINCT'}`;
}
