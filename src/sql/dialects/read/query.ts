// Reads queries: WITH, set operations, SELECT and its clauses, and VALUES.
import { syntax, tooLarge, unsupported } from '../context.ts';
import type { Item, Query, Rows, Select, SetOperator, WithTable } from '../tree.ts';
import {
  type Groups,
  readGroupBy,
  readCount,
  readLimits,
  skipLocks,
  skipModifiers,
  readNamedWindows,
  readOrder,
} from './clauses.ts';
import { leaf, outlined, replaced, written } from './outline.ts';
import { isAfterItems, readItem, structItem } from './select-list.ts';
import { afterParentheses, expectSymbol, expectWords, has, isQueryAhead, isSymbol, isWord, nested, peek, type QueryUse, readExpression, readItems, readList, readName, type Source, takeWords, unexpected } from './source.ts'; // prettier-ignore

/**
 * Reads a query up to the parenthesis that closes it, a semicolon or the end.
 * @throws UnconvertedError
 */
export function readQuery(source: Source, use: QueryUse = { isValue: false }): Query {
  return nested(source, () => outlined(source, () => readWhole(source, use)));
}

function readWhole(source: Source, use: QueryUse): Query {
  const { start: at } = peek(source);
  const tables = takeWords(source, 'WITH') ? readTables(source) : [];
  const { body, top } = readBody(source, use);
  const orderBy = takeWords(source, 'ORDER', 'BY')
    ? readItems(source, () => leaf(source, () => readOrder(source)))
    : [];
  const { at: from } = source;
  const limits = readLimits(source);
  if (limits.limit !== undefined && top !== undefined)
    syntax(at, 'TOP and LIMIT in one query are not supported');
  const limit = limits.limit ?? top;
  const marked = [limit === undefined ? '' : 'LIMIT 1', limits.offset === undefined ? '' : 'OFFSET 2'];
  skipLocks(source);
  if (limit !== undefined || source.at > from) written(source, from, marked.join(' '));
  return { kind: 'query', at, tables, body, orderBy, ...limits, limit };
}

function readTables(source: Source): readonly WithTable[] {
  const isRecursive = takeWords(source, 'RECURSIVE');
  return readItems(source, () => readTable(source, isRecursive), isQueryAhead);
}

function readTable(source: Source, isRecursive: boolean): WithTable {
  const head = leaf(source, () => {
    const name = readName(source, 'a name for the table');
    const columns = isSymbol(source, '(') ? readList(source, () => readName(source)) : [];
    return { name, columns };
  });
  expectWords(source, 'AS');
  const { at: from } = source;
  // Neither changes the rows.
  if (has(source, 'standard clauses') && !takeWords(source, 'NOT', 'MATERIALIZED'))
    takeWords(source, 'MATERIALIZED');
  if (source.at > from) written(source, from, '');
  expectSymbol(source, '(');
  const query = leaf(source, () => source.rules.query(source), 'SELECT');
  expectSymbol(source, ')');
  const isSelf = isRecursive && hasTable(query, head.name.name.toLowerCase());
  return replaced(source, head, {
    name: head.name,
    query,
    ...(head.columns.length === 0 ? {} : { columns: head.columns }),
    ...(isSelf ? { isRecursive: true } : {}),
  });
}

/** Returns whether FROM names a table, anywhere in a part of a query. */
function hasTable(part: unknown, name: string): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if ('kind' in part && part.kind === 'table' && 'parts' in part) {
    const [table, more] = part.parts as readonly { readonly name: string }[]; // of a table in FROM
    return more === undefined && table?.name.toLowerCase() === name;
  }
  return Object.values(part).some((each) => hasTable(each, name));
}

type Member = Select | Query;

/** Members that one operator joins to those before. */
interface Term {
  readonly operator: SetOperator | undefined;
  member: Member;
  /** It is true if `member` was written as several, without parentheses. */
  isJoined: boolean;
}

interface Body {
  readonly body: Query['body'];
  /** TOP n, before the select list. */
  readonly top: string | undefined;
}

/** Set operations from left to right; INTERSECT first, where it binds tighter. */
function readBody(source: Source, use: QueryUse): Body {
  const { member: first, top, isStruct } = readMember(source, use);
  const terms: Term[] = [{ operator: undefined, member: first, isJoined: false }];
  let count = 1;
  for (;;) {
    const { start } = peek(source);
    const operator = readOperator(source);
    if (operator === undefined) break;
    // The records of all members have the names of the first one: they are not read.
    if (source.isStrict && isStruct === true) rejectSelectAs(start);
    const { member, top: other } = readMember(source, { isValue: use.isValue && !source.isStrict });
    if (top !== undefined || other !== undefined) syntax(start, TOP_MESSAGE);
    requireMembers(source, ++count);
    const last = terms.at(-1);
    const term: Term = { operator, member, isJoined: false };
    const isTight = operator.startsWith('INTERSECT') && has(source, 'tight intersect');
    if (!isTight && source.isStrict) requireSame(last?.operator, operator, start);
    if (isTight && last !== undefined) join(last, term);
    else terms.push(term);
  }
  const { member } = terms.reduce((left, term) => (join(left, term), left));
  // A query in parentheses that has nothing else is its body.
  const body = member.kind === 'query' && isBare(member) ? replaced(source, member, member.body) : member;
  return { body, top };
}

const TOP_MESSAGE = 'TOP in a set operation is not supported: write LIMIT at the end of the query';

function requireMembers(source: Source, count: number): void {
  const { members } = source.limits;
  if (count > members) tooLarge(peek(source).start, `A set operation has more than ${members} members`);
}

/** GoogleSQL requires parentheses where operators are mixed. */
function requireSame(before: SetOperator | undefined, operator: SetOperator, at: number): void {
  if (before === undefined || before === operator) return;
  unsupported(at, `${before} and ${operator} cannot be mixed: put one of them in parentheses`);
}

/** One operation, as a query; more members of the same operator are added to it if it is associative. */
function join(left: Term, { operator = 'UNION ALL', member: right }: Term): void {
  const { member, isJoined } = left;
  const body = isJoined && member.kind === 'query' ? member.body : undefined;
  const isSame = body?.kind === 'set' && body.operator === operator && !operator.startsWith('EXCEPT');
  const members = isSame ? [...body.members, right] : [member, right];
  const { at } = member;
  left.member = { kind: 'query', at, tables: [], body: { kind: 'set', at, operator, members }, orderBy: [] };
  left.isJoined = true;
}

/** Returns whether a query is nothing but its body. */
function isBare({ tables, orderBy, limit, offset }: Query): boolean {
  return tables.length === 0 && orderBy.length === 0 && limit === undefined && offset === undefined;
}

const OPERATORS: ReadonlyMap<string, 'UNION' | 'INTERSECT' | 'EXCEPT'> = new Map([
  ['UNION', 'UNION'],
  ['INTERSECT', 'INTERSECT'],
  ['EXCEPT', 'EXCEPT'],
  ['MINUS', 'EXCEPT'],
]);

function readOperator(source: Source): SetOperator | undefined {
  const { kind, upper, start } = peek(source);
  const isStandard = has(source, 'standard clauses');
  const word = kind === 'word' && (upper !== 'MINUS' || isStandard) ? OPERATORS.get(upper) : undefined;
  if (word === undefined) return undefined;
  const { at: from } = source;
  source.at++;
  const isAll = (isStandard || word === 'UNION') && takeWords(source, 'ALL');
  const isDistinct = !isAll && takeWords(source, 'DISTINCT');
  if (!isAll && !isDistinct && has(source, 'exact set operations') && source.isStrict)
    unexpected(source, word === 'UNION' ? 'ALL or DISTINCT' : 'DISTINCT');
  if (isWord(source, 'BY') || isWord(source, 'CORRESPONDING'))
    unsupported(start, `${word} BY NAME is not supported`);
  if (!isQueryAhead(source)) unexpected(source, 'SELECT');
  // The second reader does not have ALL for all operators.
  written(source, from, word);
  return `${word} ${isAll ? 'ALL' : 'DISTINCT'}`;
}

/** A member of a set operation, and what its tree does not have. */
interface ReadMember {
  readonly member: Member;
  readonly top?: string | undefined;
  readonly isStruct?: boolean;
}

function readMember(source: Source, use: QueryUse): ReadMember {
  if (isWord(source, 'VALUES') && has(source, 'standard clauses'))
    return { member: leaf(source, () => rowsQuery(readRows(source)), 'SELECT') };
  if (!isSymbol(source, '(')) return readSelect(source, use);
  const isMember = OPERATORS.has(afterParentheses(source).upper);
  const member = leaf(
    source,
    () => {
      expectSymbol(source, '(');
      const query = source.rules.query(source, { isValue: use.isValue && !(isMember && source.isStrict) });
      expectSymbol(source, ')');
      return query;
    },
    'SELECT',
  );
  return { member };
}

const ONE: Item = { kind: 'value', value: { kind: 'number', at: 0, text: '1' } };

function readSelect(source: Source, use: QueryUse): ReadMember {
  const { start: at } = peek(source);
  const { selects } = source.limits;
  if (++source.selects > selects) tooLarge(at, `A query may have at most ${selects} SELECTs`);
  const { at: from } = source;
  if (!takeWords(source, 'SELECT'))
    unexpected(source, 'SELECT', 'Only queries are allowed: SELECT, optionally preceded by WITH.');
  const { isStruct, top, ...options } = readOptions(source, use);
  written(source, from, 'SELECT');
  const items = isStruct ? [leaf(source, () => structItem(at, readItemList(source)))] : readLeaves(source);
  const tables = takeWords(source, 'FROM') ? readTablesOrDual(source) : [];
  const clauses = readClauses(source);
  const member: Select = { kind: 'select', at, ...options, items, from: tables, ...clauses };
  return { member, isStruct, top };
}

function readItemList(source: Source): readonly Item[] {
  return readItems(source, () => readItem(source), isAfterItems);
}

/** PostgreSQL allows an empty list, which is common in EXISTS. */
function readLeaves(source: Source): readonly Item[] {
  if (isWord(source, 'FROM') && has(source, 'standard clauses')) return [leaf(source, () => ({ ...ONE }))];
  return readItems(source, () => leaf(source, () => readItem(source)), isAfterItems);
}

function readTablesOrDual(source: Source): Select['from'] {
  if (!has(source, 'dual') || !isWord(source, 'DUAL')) return source.rules.from(source);
  const next = peek(source, 1);
  const isAlone = next.kind !== 'symbol' || next.text === ')' || next.text === ';';
  if (!isAlone) return source.rules.from(source);
  // It is a table of one row without columns.
  source.at++;
  written(source, source.at - 2, '');
  return [];
}

interface Options extends Pick<Select, 'isDistinct' | 'distinctOn'> {
  readonly isStruct: boolean;
  readonly top?: string | undefined;
}

/** DISTINCT, ALL, TOP, AS STRUCT and hints, before the elements. */
function readOptions(source: Source, use: QueryUse): Options {
  skipModifiers(source);
  const isStandard = has(source, 'standard clauses');
  const isDistinct = takeWords(source, 'DISTINCT') || (isStandard && takeWords(source, 'UNIQUE'));
  const distinctOn =
    isDistinct && isStandard && takeWords(source, 'ON')
      ? readList(source, () => readExpression(source))
      : undefined;
  if (!isDistinct && isWord(source, 'ALL') && !isSymbol(source, ',', 1)) source.at++; // the default
  const options = {
    isDistinct: isDistinct && distinctOn === undefined,
    distinctOn,
  };
  const isStruct = has(source, 'select as') && readSelectAs(source, use);
  const isTop = isStandard && isWord(source, 'TOP') && ['number', 'parameter'].includes(peek(source, 1).kind);
  if (!isTop) return { ...options, isStruct };
  source.at++;
  const top = readCount(source);
  if (isWord(source, 'PERCENT') || isWord(source, 'WITH')) unexpected(source, 'the select list');
  return { ...options, isStruct, top };
}

/** BigQuery: elsewhere than in a value, the fields of the record would be the columns. */
function readSelectAs(source: Source, { isValue }: QueryUse): boolean {
  const { start } = peek(source);
  const isStruct = takeWords(source, 'AS', 'STRUCT');
  if (!isStruct && !takeWords(source, 'AS', 'VALUE')) return false;
  if (!isValue && (source.isStrict || !isStruct)) rejectSelectAs(start);
  return isStruct;
}

function rejectSelectAs(at: number): never {
  return unsupported(
    at,
    'SELECT AS STRUCT and AS VALUE are only supported in subqueries that are values',
    'List the columns instead.',
  );
}

type ClauseFields = Groups & Pick<Select, 'where' | 'having' | 'qualify' | 'windows'>;
type Clauses = { -readonly [Key in keyof ClauseFields]: ClauseFields[Key] };

/** WHERE, GROUP BY, and then HAVING, QUALIFY and WINDOW in the order of any dialect. */
function readClauses(source: Source): Clauses {
  const where = takeWords(source, 'WHERE') ? leaf(source, () => readExpression(source)) : undefined;
  if (
    (isWord(source, 'CONNECT') && isWord(source, 'BY', 1)) ||
    (isWord(source, 'START') && isWord(source, 'WITH', 1))
  )
    unsupported(peek(source).start, 'CONNECT BY is not supported');
  const groups: Groups = takeWords(source, 'GROUP', 'BY') ? readGroupBy(source) : { groupBy: [] };
  const clauses: Clauses = { where, ...groups, windows: [] };
  for (;;) {
    const { start } = peek(source);
    const { at: from } = source;
    const { having, qualify, windows } = clauses;
    if (takeWords(source, 'HAVING')) clauses.having = leaf(source, () => readExpression(source));
    else if (takeWords(source, 'QUALIFY')) clauses.qualify = readExpression(source);
    else if (takeWords(source, 'WINDOW')) clauses.windows = readNamedWindows(source);
    else return clauses;
    const isTwice = [
      having !== undefined && having !== clauses.having,
      qualify !== undefined && qualify !== clauses.qualify,
      windows.length > 0 && windows !== clauses.windows,
    ];
    if (isTwice.includes(true)) syntax(start, 'This clause is written twice');
    // PostgreSQL's grammar has no QUALIFY.
    if (having === clauses.having) written(source, from, '');
  }
}

/** Rows as a query. */
export function rowsQuery(rows: Rows): Query {
  return { kind: 'query', at: rows.at, tables: [], body: rows, orderBy: [] };
}

/** @throws UnconvertedError */
export function readRows(source: Source): Rows {
  const { start: at } = peek(source);
  expectWords(source, 'VALUES');
  const rows = readItems(source, () => {
    takeWords(source, 'ROW');
    return isSymbol(source, '(') ? readList(source, () => readExpression(source)) : [readExpression(source)];
  });
  return { kind: 'rows', at, rows };
}
