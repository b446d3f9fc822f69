// Reads FROM: tables, subqueries, unnested arrays, functions that return rows, and joins.
import type { Expression, FromItem, IndexBase, JoinKind, Name, Source as TableSource } from '../tree.ts';
import { readAlias, readColumnNames } from './select-list.ts';
import { isCallAhead, readCall } from './call.ts';
import { skipHints } from './clauses.ts';
import { leaf, replaced, written } from './outline.ts';
import { tooLarge, unsupported } from '../context.ts';
import { readRows, rowsQuery } from './query.ts';
import {
  expectSymbol, has, isQueryWithin, isSymbol, isWord, leaveOut, nested, peek, readExpression, readList, readName, readParts, requires,
  takeSymbol, takeWords, textFrom, unexpected, type Source,
} from './source.ts'; // prettier-ignore

interface Join {
  readonly kind: JoinKind;
  readonly isComma: boolean;
  readonly isNatural: boolean;
}

/** What follows FROM. RIGHT and FULL joins after a comma do not apply to the tables before it. @throws UnconvertedError */
export function readFrom(source: Source): readonly FromItem[] {
  const { tables } = source.limits;
  const groups: FromItem[][] = [];
  let join: Join | undefined = { kind: 'CROSS', isComma: true, isNatural: false };
  for (let count = 1; join !== undefined; count++) {
    if (count > tables) tooLarge(peek(source).start, `FROM may have at most ${tables} tables and arrays`);
    const item = readJoined(source, join);
    if (join.isComma) groups.push([item]);
    else groups.at(-1)?.push(item);
    join = readJoin(source);
  }
  return groups.flatMap((items, index) => {
    const isOuter = items.some((item) => item.join === 'RIGHT' || item.join === 'FULL');
    const [first] = items;
    if (!isOuter || index === 0 || first === undefined) return items;
    return [{ at: first.at, join: 'CROSS' as const, source: { kind: 'group' as const, items } }];
  });
}

const JOINS: readonly (readonly [words: readonly string[], kind: JoinKind])[] = [
  [['JOIN'], 'INNER'],
  [['INNER', 'JOIN'], 'INNER'],
  [['CROSS', 'JOIN'], 'CROSS'],
  [['LEFT', 'JOIN'], 'LEFT'],
  [['LEFT', 'OUTER', 'JOIN'], 'LEFT'],
  [['RIGHT', 'JOIN'], 'RIGHT'],
  [['RIGHT', 'OUTER', 'JOIN'], 'RIGHT'],
  [['FULL', 'JOIN'], 'FULL'],
  [['FULL', 'OUTER', 'JOIN'], 'FULL'],
];
const UNREAD_JOINS: ReadonlySet<string> = new Set(['ASOF', 'ANTI', 'SEMI']);

function readJoin(source: Source): Join | undefined {
  const { at: from } = source;
  if (takeSymbol(source, ',')) {
    // `ON x, table` would be a list of conditions, and CROSS an alias.
    written(source, from, 'INNER JOIN');
    return { kind: 'CROSS', isComma: true, isNatural: false };
  }
  const { start, upper, kind } = peek(source);
  if (kind !== 'word') return undefined;
  if (UNREAD_JOINS.has(upper) && isWord(source, 'JOIN', 1))
    unsupported(start, `${upper} JOIN is not supported`);
  const isNatural = has(source, 'standard clauses') && takeWords(source, 'NATURAL');
  const isStraight = has(source, 'extended forms') && takeWords(source, 'STRAIGHT_JOIN');
  const own = isStraight ? 'INNER' : JOINS.find(([words]) => takeWords(source, ...words))?.[1];
  if (own === undefined) return isNatural ? unexpected(source, 'JOIN') : undefined;
  written(source, from, `${own === 'CROSS' ? 'INNER' : own} JOIN`);
  return { kind: own, isComma: false, isNatural };
}

/** One table and how it is joined. */
function readJoined(source: Source, { kind, isComma, isNatural }: Join): FromItem {
  const item = leaf(source, () => readTable(source, kind));
  const { start } = peek(source);
  const condition = isComma ? {} : readCondition(source);
  const isBare = condition.on === undefined && condition.using === undefined;
  if (isBare) return isNatural ? named(source, item, { isNatural }) : item;
  if (isNatural) unsupported(start, 'A condition after NATURAL JOIN is not supported');
  if (kind !== 'CROSS') return named(source, item, condition);
  if (!has(source, 'extended forms')) unsupported(start, 'CROSS JOIN has no condition', 'Write JOIN.');
  return named(source, item, { ...condition, join: 'INNER' });
}

/** The same table with more fields. */
function named(source: Source, item: FromItem, fields: Partial<FromItem>): FromItem {
  return replaced(source, item, { ...item, ...fields });
}

function readCondition(source: Source): Pick<FromItem, 'on' | 'using'> {
  if (takeWords(source, 'ON')) return { on: leaf(source, () => readExpression(source)) };
  if (!takeWords(source, 'USING')) return {};
  return { using: readList(source, () => leaf(source, () => readName(source, 'the name of a column'))) };
}

/** One table, without its join condition. */
function readTable(source: Source, join: JoinKind): FromItem {
  const { start: at } = peek(source);
  if (isWord(source, 'LATERAL')) requires(source, 'standard clauses', 'LATERAL');
  const isLateral = takeWords(source, 'LATERAL');
  if (isSymbol(source, '(') && !isQueryWithin(source)) return readGroup(source, { at, join });
  const read = readSource(source);
  skipHints(source);
  const alias = readAlias(source);
  const hasColumns = alias !== undefined && isSymbol(source, '(') && has(source, 'standard clauses');
  const columns = hasColumns ? readColumnNames(source) : undefined;
  const own =
    read.source.kind === 'unnest'
      ? withOffset(source, read.source, { columns, isOrdinal: read.isOrdinal })
      : read.source;
  skipHints(source);
  const inner = read.isOrdinal ? columns?.slice(0, -1) : columns;
  return {
    at,
    join,
    source: own,
    alias,
    ...(isLateral ? { isLateral } : {}),
    columns: inner,
  };
}

type Unnest = Extract<TableSource, { kind: 'unnest' }>;

interface OffsetOptions {
  readonly columns: readonly Name[] | undefined;
  readonly isOrdinal: boolean;
}

/** The last column of `WITH ORDINALITY AS t(x, n)`; BigQuery's `WITH OFFSET [AS name]`. */
function withOffset(source: Source, unnest: Unnest, { columns, isOrdinal }: OffsetOptions): Unnest {
  const { start: at } = peek(source);
  if (isOrdinal)
    return { ...unnest, offset: columns?.at(-1) ?? { name: 'ordinality', at: 0 }, offsetBase: 1 };
  if (columns !== undefined || !takeWords(source, 'WITH', 'OFFSET')) return unnest;
  const offsetBase: IndexBase = 0;
  return { ...unnest, offset: readAlias(source) ?? { name: 'offset', at }, offsetBase };
}

function readSource(source: Source): { readonly source: TableSource; readonly isOrdinal: boolean } {
  const { start: at } = peek(source);
  const isOrdinal = false;
  if (isSymbol(source, '(')) {
    source.at++;
    const query = nested(source, () => source.rules.query(source));
    expectSymbol(source, ')');
    return { source: { kind: 'query', query }, isOrdinal };
  }
  const isStandard = has(source, 'standard clauses');
  if (isStandard && isWord(source, 'VALUES') && isSymbol(source, '(', 1))
    return { source: { kind: 'query', query: rowsQuery(readRows(source)) }, isOrdinal };
  if (isStandard && isWord(source, 'TABLE') && isSymbol(source, '(', 1)) {
    source.at += 2;
    const inner = nested(source, () => readSource(source));
    expectSymbol(source, ')');
    return inner;
  }
  // ClickHouse has no tables that inherit from others.
  if (isStandard && takeWords(source, 'ONLY')) leaveOut(source, at);
  return isCallAhead(source)
    ? readFunction(source, at)
    : { source: { kind: 'table', parts: tableParts(source) }, isOrdinal };
}

/** A function that returns rows. */
function readFunction(source: Source, at: number): ReturnType<typeof readSource> {
  const value = readCall(source);
  if (value.kind !== 'call') return unsupported(at, `${textFrom(source, at)} is not supported in FROM`);
  const isOrdinal = takeWords(source, 'WITH', 'ORDINALITY');
  if (value.name === 'unnest') return { source: unnestOf(source, value.args), isOrdinal };
  if (isOrdinal) unsupported(at, `WITH ORDINALITY after ${value.name} is not supported`);
  return { source: { kind: 'function', call: value }, isOrdinal };
}

function unnestOf(source: Source, [array, ...more]: readonly Expression[]): TableSource {
  if (array === undefined) return unexpected(source, 'an array in UNNEST');
  const [second] = more;
  if (second !== undefined && source.isStrict)
    unsupported(second.at, 'UNNEST of several arrays is not supported');
  return { kind: 'unnest', array, ...(more.length === 0 ? {} : { more }) };
}

/** In BigQuery, a quoted name is a whole path, and bare names may contain hyphens. */
function tableParts(source: Source): readonly Name[] {
  if (!has(source, 'dashed tables')) return readParts(source);
  const parts: Name[] = [];
  do parts.push(...readDashed(source));
  while (takeSymbol(source, '.'));
  return parts;
}

/** `my-project`: hyphens without spaces around them. */
function readDashed(source: Source): readonly Name[] {
  const isQuoted = peek(source).kind === 'quoted';
  const { name: first, at } = readName(source, 'a table');
  if (isQuoted) return first.split('.').map((name) => ({ name, at }));
  let name = first;
  while (isSymbol(source, '-') && isAdjacent(source) && isAdjacent(source, 1)) {
    const { kind, text } = peek(source, 1);
    if (kind !== 'word' && kind !== 'number') break;
    source.at += 2;
    name += `-${text}`;
  }
  return [{ name, at }];
}

function isAdjacent(source: Source, ahead = 0): boolean {
  return peek(source, ahead).start === peek(source, ahead - 1).end;
}

/** A join in parentheses. */
function readGroup(source: Source, { at, join }: { readonly at: number; readonly join: JoinKind }): FromItem {
  expectSymbol(source, '(');
  const items = nested(source, () => source.rules.from(source));
  expectSymbol(source, ')');
  const alias = has(source, 'standard clauses') ? readAlias(source) : undefined;
  return { at, join, source: { kind: 'group', items }, alias };
}
