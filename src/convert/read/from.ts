// Reads FROM: tables and joins into the skeleton, what is read from each table into its leaf.
import type { Expression, FromItem, Name, Source as TableSource } from '../../sql/syntax-tree.ts';
import { isCallAhead, readCall } from './call.ts';
import { readRows, rowsQuery } from './rows.ts';
import { readAlias, readColumnNames } from './select-list.ts';
import { place, type Skeleton } from './leaf.ts';
import {
  expectSymbol,
  expectWord,
  isQueryAhead,
  isSymbol,
  isWord,
  next,
  peek,
  readExpression,
  readList,
  readName,
  readParts,
  report,
  skipParentheses,
  takeSymbol,
  takeWords,
  textFrom,
  unexpected,
  type Source,
} from './source.ts';
import { syntaxError } from './read-error.ts';

/** What follows FROM. @throws ReadError */
export function readFromClause(source: Source, skeleton: Skeleton): void {
  const { pieces } = skeleton;
  pieces.push(place(skeleton, { kind: 'table', item: readTable(source, 'CROSS'), isComma: false }));
  for (;;) {
    const isComma = takeSymbol(source, ',');
    const join = isComma ? { kind: 'CROSS' as const, isNatural: false } : readJoin(source);
    if (join === undefined) return;
    const item = { ...readTable(source, join.kind), ...(join.isNatural ? { isNatural: true } : {}) };
    // `ON x, table` would be a list of conditions.
    pieces.push(
      isComma ? 'CROSS JOIN' : `${join.kind} JOIN`,
      place(skeleton, { kind: 'table', item, isComma }),
    );
    readJoinCondition(source, skeleton);
  }
}

interface Join {
  readonly kind: FromItem['join'];
  readonly isNatural: boolean;
}

function readJoin(source: Source): Join | undefined {
  const { start } = peek(source);
  const isNatural = takeWords(source, 'NATURAL');
  const { kind, upper } = peek(source);
  if (kind !== 'word') return undefined;
  if (takeWords(source, 'STRAIGHT_JOIN')) return { kind: 'INNER', isNatural };
  if (upper === 'ASOF' || upper === 'ANTI' || upper === 'SEMI')
    syntaxError(start, `${upper} JOIN is not supported`);
  if (takeWords(source, 'JOIN') || takeWords(source, 'INNER', 'JOIN')) return { kind: 'INNER', isNatural };
  if (takeWords(source, 'CROSS', 'JOIN')) return { kind: 'CROSS', isNatural };
  if (upper !== 'LEFT' && upper !== 'RIGHT' && upper !== 'FULL')
    return isNatural ? unexpected(source, 'JOIN') : undefined;
  source.at++;
  takeWords(source, 'OUTER');
  expectWord(source, 'JOIN');
  return { kind: upper, isNatural };
}

function readJoinCondition(source: Source, skeleton: Skeleton): void {
  if (takeWords(source, 'ON')) {
    skeleton.pieces.push('ON', place(skeleton, { kind: 'expression', value: readExpression(source) }));
  } else if (takeWords(source, 'USING')) {
    const names = readList(source, () => place(skeleton, { kind: 'column', name: readName(source) }));
    skeleton.pieces.push(`USING (${names.join(', ')})`);
  }
}

/** One table, without its join condition. */
function readTable(source: Source, join: FromItem['join']): FromItem {
  const { start: at } = peek(source);
  const isLateral = takeWords(source, 'LATERAL');
  if (isSymbol(source, '(') && !isQueryAhead(source)) return readGroup(source, { at, join });
  const read = readSource(source);
  skipHints(source);
  const alias = readAlias(source);
  const columns = alias !== undefined && isSymbol(source, '(') ? readColumnNames(source) : undefined;
  const offset = readOffset(source, columns);
  skipHints(source);
  const item: FromItem = {
    at,
    join,
    source: withOffset(read.source, read.isOrdinal ? ordinalOf(columns) : offset),
    ...(alias === undefined ? {} : { alias }),
    ...(isLateral ? { isLateral } : {}),
  };
  const own = read.isOrdinal ? columns?.slice(0, -1) : columns;
  return own === undefined ? item : { ...item, columns: own };
}

interface Offset {
  readonly offset: Name;
  readonly offsetBase: 0 | 1;
}

/** The last column of `WITH ORDINALITY AS t(x, n)`. */
function ordinalOf(columns: readonly Name[] | undefined): Offset {
  return { offset: columns?.at(-1) ?? { name: 'ordinality', at: 0 }, offsetBase: 1 };
}

/** BigQuery: `WITH OFFSET [AS name]`. */
function readOffset(source: Source, columns: readonly Name[] | undefined): Offset | undefined {
  if (columns !== undefined || !takeWords(source, 'WITH', 'OFFSET')) return undefined;
  return { offset: readAlias(source) ?? { name: 'offset', at: peek(source).start }, offsetBase: 0 };
}

function withOffset(source: TableSource, offset: Offset | undefined): TableSource {
  return offset === undefined || source.kind !== 'unnest' ? source : { ...source, ...offset };
}

function readSource(source: Source): { readonly source: TableSource; readonly isOrdinal: boolean } {
  const { start: at } = peek(source);
  if (isSymbol(source, '(')) {
    source.at++;
    const query = source.query(source);
    expectSymbol(source, ')');
    return { source: { kind: 'query', query }, isOrdinal: false };
  }
  if (isWord(source, 'VALUES') && isSymbol(source, '(', 1)) {
    return { source: { kind: 'query', query: rowsQuery(readRows(source)) }, isOrdinal: false };
  }
  if (isWord(source, 'TABLE') && isSymbol(source, '(', 1)) {
    source.at += 2;
    const inner = readSource(source);
    expectSymbol(source, ')');
    return inner;
  }
  takeWords(source, 'ONLY');
  if (!isCallAhead(source)) return { source: { kind: 'table', parts: tableParts(source) }, isOrdinal: false };
  const value = readCall(source);
  if (value.kind !== 'call') return syntaxError(at, `${textFrom(source, at)} is not supported in FROM`);
  const isOrdinal = takeWords(source, 'WITH', 'ORDINALITY');
  if (value.name === 'unnest') return { source: unnestOf(value.args), isOrdinal };
  if (isOrdinal) syntaxError(at, `WITH ORDINALITY after ${value.name} is not supported`);
  return { source: { kind: 'function', call: value }, isOrdinal };
}

function unnestOf([array, ...more]: readonly Expression[]): TableSource {
  if (array === undefined) return { kind: 'group', items: [] };
  return { kind: 'unnest', array, ...(more.length === 0 ? {} : { more }) };
}

/** In BigQuery, a quoted name is a whole path, and bare names may contain hyphens. */
function tableParts(source: Source): readonly Name[] {
  if (source.dialect !== 'bigquery') return readParts(source);
  return readHyphened(source).flatMap(({ name, at }) => name.split('.').map((each) => ({ name: each, at })));
}

/** `my-project.dataset.table`: hyphens without spaces around them. */
function readHyphened(source: Source): readonly Name[] {
  const parts: Name[] = [];
  const isAdjacent = (): boolean => peek(source).start === peek(source, -1).end;
  for (;;) {
    const first = readName(source);
    let { name } = first;
    while (isSymbol(source, '-') && isAdjacent() && peek(source, 1).start === peek(source).end) {
      source.at++;
      name += `-${next(source).text}`;
    }
    parts.push({ name, at: first.at });
    if (!takeSymbol(source, '.')) return parts;
  }
}

/** A join in parentheses. */
function readGroup(
  source: Source,
  { at, join }: { readonly at: number; readonly join: FromItem['join'] },
): FromItem {
  source.at++;
  const items = source.from(source);
  expectSymbol(source, ')');
  const alias = readAlias(source);
  return { at, join, source: { kind: 'group', items }, ...(alias === undefined ? {} : { alias }) };
}

/** Index hints do not change the result; samples, pivots and versions of tables do. */
function skipHints(source: Source): void {
  const { start, upper, kind } = peek(source);
  if (kind !== 'word') return;
  if (
    ['USE', 'FORCE', 'IGNORE'].includes(upper) &&
    (isWord(source, 'INDEX', 1) || isWord(source, 'KEY', 1))
  ) {
    while (!isSymbol(source, '(')) next(source);
    source.at++;
    skipParentheses(source);
    report(source, start, {
      severity: 'note',
      code: 'clause',
      message: `${textFrom(source, start)} is left out`,
    });
    return;
  }
  const isNotIndexed = upper === 'NOT' && isWord(source, 'INDEXED', 1);
  if (isNotIndexed || upper === 'INDEXED') {
    source.at += isNotIndexed ? 2 : 3;
    report(source, start, {
      severity: 'note',
      code: 'clause',
      message: `${textFrom(source, start)} is left out`,
    });
    return;
  }
  if (upper === 'PARTITION' && isSymbol(source, '(', 1)) syntaxError(start, 'PARTITION is not supported');
  const isVersion = upper === 'FOR' && isWord(source, 'SYSTEM_TIME', 1);
  const isCall =
    ['PIVOT', 'UNPIVOT', 'MATCH_RECOGNIZE', 'CHANGES', 'AT', 'BEFORE'].includes(upper) &&
    isSymbol(source, '(', 1);
  const isSample = upper === 'TABLESAMPLE' || (upper === 'SAMPLE' && isSymbol(source, '(', 1));
  if (isVersion || isCall || isSample)
    syntaxError(start, `${isVersion ? 'FOR SYSTEM_TIME' : upper} is not supported`);
}
