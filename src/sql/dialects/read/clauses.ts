// Reads the clauses after FROM: groupings, ORDER BY and windows, limits, locks and hints.
import type { Name, Order, Select, Window, Expression, Grouping, Query } from '../tree.ts';
import { unsupported, syntax } from '../context.ts';
import { expectSymbol, expectWords, has, isNameToken, isSymbol, isWord, peek, readExpression, readItems, readName, takeWords, textFrom, unexpected, type Source, readList, requires, takeSymbol, leaveOut, next, readParts } from './source.ts'; // prettier-ignore
import { leaf, written } from './outline.ts';

/** The elements of ORDER BY. */
export function readOrders(source: Source): readonly Order[] {
  return readItems(source, () => readOrder(source));
}

/** @throws UnconvertedError */
export function readOrder(source: Source): Order {
  const value = readExpression(source);
  const isDescending = takeWords(source, 'DESC');
  if (!isDescending) takeWords(source, 'ASC'); // the default
  if (isWord(source, 'USING')) return unexpected(source, 'ASC or DESC');
  const nulls = (['FIRST', 'LAST'] as const).find((place) => takeWords(source, 'NULLS', place));
  return { value, isDescending, nulls };
}

/** What follows OVER. */
export function readOver(source: Source): Window | Name {
  return isSymbol(source, '(') ? readWindow(source) : readName(source, 'a window');
}

const STARTS: ReadonlySet<string> = new Set(['PARTITION', 'ORDER', 'ROWS', 'RANGE', 'GROUPS']);

/** A window in parentheses. */
function readWindow(source: Source): Window {
  expectSymbol(source, '(');
  const base =
    isNameToken(source) && !STARTS.has(peek(source).upper) ? readName(source, 'a window') : undefined;
  const partitionBy = takeWords(source, 'PARTITION', 'BY')
    ? readItems(source, () => readExpression(source))
    : [];
  const orderBy = takeWords(source, 'ORDER', 'BY') ? readOrders(source) : [];
  const frame = readFrame(source);
  expectSymbol(source, ')');
  return {
    base,
    partitionBy,
    orderBy,
    frame,
  };
}

const EXCLUSIONS: readonly (readonly string[])[] = [
  ['CURRENT', 'ROW'],
  ['GROUP'],
  ['TIES'],
  ['NO', 'OTHERS'],
];

/** Keywords and numbers; the bounds of other frames are as they are written. */
function readFrame(source: Source): string | undefined {
  const units = has(source, 'standard clauses') ? ['ROWS', 'RANGE', 'GROUPS'] : ['ROWS', 'RANGE'];
  const unit = units.find((word) => takeWords(source, word));
  if (unit === undefined) return undefined;
  const isBetween = takeWords(source, 'BETWEEN');
  const from = readBound(source);
  if (isBetween) expectWords(source, 'AND');
  const bounds = isBetween ? `BETWEEN ${from} AND ${readBound(source)}` : from;
  if (!has(source, 'standard clauses') || !takeWords(source, 'EXCLUDE')) return `${unit} ${bounds}`;
  const excluded = EXCLUSIONS.find((words) => takeWords(source, ...words));
  return `${unit} ${bounds} EXCLUDE ${excluded?.join(' ') ?? unexpected(source, 'what is excluded')}`;
}

function readBound(source: Source): string {
  if (takeWords(source, 'CURRENT', 'ROW')) return 'CURRENT ROW';
  const count = takeWords(source, 'UNBOUNDED') ? 'UNBOUNDED' : readDistance(source);
  const side = (['PRECEDING', 'FOLLOWING'] as const).find((word) => takeWords(source, word));
  return `${count} ${side ?? unexpected(source, 'PRECEDING or FOLLOWING')}`;
}

/** How many rows, or how far; an expression is as it is written. */
function readDistance(source: Source): string {
  const { start } = peek(source);
  const value = readExpression(source);
  if (value.kind === 'number' && /^\d+(?:\.\d+)?$/.test(value.text)) return value.text;
  if (source.isStrict) unsupported(start, 'The bounds of a frame must be numbers');
  return textFrom(source, start);
}

/** The elements of the clause WINDOW. */
export function readNamedWindows(source: Source): Select['windows'] {
  return readItems(source, () => {
    const name = readName(source, 'the name of a window');
    expectWords(source, 'AS');
    return { name, window: readWindow(source) };
  });
}

export type Groups = Pick<Select, 'groupBy' | 'groupings'>;

/** The elements of GROUP BY, which has been read. */
export function readGroupBy(source: Source): Groups {
  const from = source.at - 2;
  if (isWord(source, 'ALL') && !isSymbol(source, '(', 1)) {
    source.at++;
    written(source, from, '');
    return { groupBy: 'ALL' };
  }
  if (isWord(source, 'DISTINCT')) unexpected(source, 'expressions of GROUP BY');
  const values: Expression[] = [];
  const groupings: Grouping[] = [];
  do {
    const key = leaf(source, () => readGrouping(source) ?? readExpression(source));
    if (isGrouping(key)) groupings.push(key);
    else values.push(key);
  } while (takeSymbol(source, ','));
  const { start: at } = peek(source);
  const index = source.at;
  if (isWord(source, 'WITH')) requires(source, 'standard calls', 'WITH ROLLUP');
  const kind = takeWords(source, 'WITH', 'ROLLUP')
    ? 'rollup'
    : takeWords(source, 'WITH', 'CUBE')
      ? 'cube'
      : undefined;
  if (kind === undefined) return { groupBy: values, ...(groupings.length === 0 ? {} : { groupings }) };
  if (groupings.length > 0)
    unsupported(at, 'WITH ROLLUP and WITH CUBE after other groupings are not supported');
  written(source, index, '');
  return { groupBy: [], groupings: [{ kind, at, sets: values.map((value) => [value]) }] };
}

function isGrouping(key: Expression | Grouping): key is Grouping {
  return key.kind === 'rollup' || key.kind === 'cube' || key.kind === 'sets';
}

function readGrouping(source: Source): Grouping | undefined {
  const { start: at } = peek(source);
  if (isSymbol(source, '(') && isSymbol(source, ')', 1)) {
    source.at += 2;
    return { kind: 'sets', at, sets: [[]] };
  }
  if (takeWords(source, 'GROUPING', 'SETS'))
    return { kind: 'sets', at, sets: readList(source, () => readSet(source)) };
  const kind = isWord(source, 'ROLLUP') ? 'rollup' : isWord(source, 'CUBE') ? 'cube' : undefined;
  if (kind === undefined || !isSymbol(source, '(', 1)) return undefined;
  source.at++;
  return { kind, at, sets: readList(source, () => readSet(source)) };
}

/** `(a, b)`, `a` or `()`. */
function readSet(source: Source): readonly Expression[] {
  if (isSymbol(source, '(') && isSymbol(source, ')', 1)) {
    source.at += 2;
    return [];
  }
  const value = readExpression(source);
  return value.kind === 'row' ? value.items : [value];
}

/** Clauses that begin with these and a parenthesis. */
const UNREAD: ReadonlySet<string> = new Set(
  'PARTITION PIVOT UNPIVOT MATCH_RECOGNIZE CHANGES AT BEFORE SAMPLE'.split(' '),
);

/** Index hints do not change the result; samples, pivots and versions of tables do. */
export function skipHints(source: Source): void {
  const { start, upper, kind } = peek(source);
  if (kind !== 'word') return;
  const isUnread = upper === 'TABLESAMPLE' || (UNREAD.has(upper) && isSymbol(source, '(', 1));
  if (isUnread) unsupported(start, `${upper} is not supported`);
  if (upper === 'FOR' && isWord(source, 'SYSTEM_TIME', 1))
    unsupported(start, 'FOR SYSTEM_TIME is not supported');
  const isHint = skipIndexHint(source) || takeWords(source, 'NOT', 'INDEXED') || skipIndexedBy(source);
  if (!isHint) return;
  leaveOut(source, start);
  skipHints(source);
}

/** MySQL: `USE INDEX FOR JOIN (a, b)`. */
function skipIndexHint(source: Source): boolean {
  const verb =
    has(source, 'extended forms') && ['USE', 'FORCE', 'IGNORE'].find((word) => isWord(source, word));
  if (verb === undefined || verb === false) return false;
  if (!isWord(source, 'INDEX', 1) && !isWord(source, 'KEY', 1)) return false;
  source.at += 2;
  if (takeWords(source, 'FOR') && !takeWords(source, 'JOIN') && !takeWords(source, 'ORDER', 'BY'))
    expectWords(source, 'GROUP', 'BY');
  readList(source, () => readName(source));
  return true;
}

/** SQLite. */
function skipIndexedBy(source: Source): boolean {
  if (!takeWords(source, 'INDEXED', 'BY')) return false;
  readName(source);
  return true;
}

const LOCKS: readonly (readonly string[])[] = [
  ['FOR', 'UPDATE'],
  ['FOR', 'SHARE'],
  ['FOR', 'NO', 'KEY', 'UPDATE'],
  ['FOR', 'KEY', 'SHARE'],
  ['LOCK', 'IN', 'SHARE', 'MODE'],
];

/** FOR UPDATE and FOR SHARE have no meaning for a query that only reads. */
export function skipLocks(source: Source): void {
  const { start } = peek(source);
  const isLock = isWord(source, 'FOR') || (isWord(source, 'LOCK') && has(source, 'extended forms'));
  if (!isLock || !has(source, 'standard clauses')) return;
  if (!LOCKS.some((words) => takeWords(source, ...words))) unexpected(source, 'FOR UPDATE or FOR SHARE');
  if (takeWords(source, 'OF')) readItems(source, () => readParts(source));
  if (!takeWords(source, 'NOWAIT')) takeWords(source, 'SKIP', 'LOCKED');
  leaveOut(source, start);
  skipLocks(source);
}

/** MySQL allows them; they do not change the rows. */
const MODIFIERS: ReadonlySet<string> = new Set(
  'SQL_CALC_FOUND_ROWS STRAIGHT_JOIN SQL_NO_CACHE SQL_CACHE HIGH_PRIORITY SQL_SMALL_RESULT SQL_BIG_RESULT SQL_BUFFER_RESULT'.split(
    ' ',
  ),
);

/** Skips what MySQL allows after SELECT. */
export function skipModifiers(source: Source): void {
  const { start, upper } = peek(source);
  const isModifier = has(source, 'extended forms') && MODIFIERS.has(upper);
  if (!isModifier || isSymbol(source, ',', 1) || isWord(source, 'FROM', 1)) return;
  source.at++;
  leaveOut(source, start);
  skipModifiers(source);
}

type LimitFields = Pick<Query, 'limit' | 'offset' | 'hasTies'>;
type Limits = { -readonly [Key in keyof LimitFields]: LimitFields[Key] };

/** LIMIT, OFFSET and FETCH, each at most once, in any order that the dialect has. */
export function readLimits(source: Source): Limits {
  const limits: Limits = {};
  let count = 0;
  for (; ; count++) {
    const { start } = peek(source);
    const seen = { ...limits };
    if (takeWords(source, 'LIMIT')) readLimit(source, limits);
    else if (isOffset(source, limits)) readOffset(source, limits);
    else if (isWord(source, 'FETCH') && has(source, 'standard clauses')) readFetch(source, limits);
    else break;
    const isTwice = (['limit', 'offset'] as const).some(
      (key) => seen[key] !== undefined && limits[key] !== seen[key],
    );
    if (isTwice || count > 2) syntax(start, 'This clause is written twice');
  }
  return limits;
}

/** In BigQuery, OFFSET follows LIMIT; elsewhere it is an alias. */
function isOffset(source: Source, { limit }: Limits): boolean {
  return isWord(source, 'OFFSET') && (limit !== undefined || has(source, 'standard clauses'));
}

function readLimit(source: Source, limits: Limits): void {
  if (has(source, 'standard clauses') && (takeWords(source, 'ALL') || takeWords(source, 'NULL'))) return; // the default
  const first = readCount(source);
  limits.limit = first;
  if (!has(source, 'standard clauses') || !takeSymbol(source, ',')) return;
  limits.offset = first;
  limits.limit = readCount(source);
}

function readOffset(source: Source, limits: Limits): void {
  source.at++;
  limits.offset = readCount(source);
  if (has(source, 'standard clauses') && !takeWords(source, 'ROWS')) takeWords(source, 'ROW');
}

function readFetch(source: Source, limits: Limits): void {
  source.at++;
  if (!takeWords(source, 'FIRST') && !takeWords(source, 'NEXT')) unexpected(source, 'FIRST or NEXT');
  limits.limit = isWord(source, 'ROW') || isWord(source, 'ROWS') ? '1' : readCount(source);
  if (!takeWords(source, 'ROWS')) takeWords(source, 'ROW');
  if (takeWords(source, 'WITH', 'TIES')) limits.hasTies = true;
  else if (!takeWords(source, 'ONLY')) unexpected(source, 'ONLY or WITH TIES');
}

/** A number or a parameter. */
export function readCount(source: Source): string {
  const isOpen = has(source, 'standard clauses') && takeSymbol(source, '(');
  const { kind, text } = peek(source);
  const isParameter = kind === 'parameter' && !source.isStrict;
  if (!isParameter && !(kind === 'number' && /^\d{1,18}$/.test(text)))
    return unexpected(source, source.isStrict ? 'a whole number' : 'a number or a parameter');
  next(source);
  if (isOpen) expectSymbol(source, ')');
  return isParameter ? `@${text}` : text;
}
