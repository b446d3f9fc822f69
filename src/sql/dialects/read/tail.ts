// Reads what follows the clauses of a query: LIMIT, OFFSET and FETCH, hints and locks, which change no rows, and clauses that are not supported.
import { syntax, unsupported } from '../context.ts';
import type { Query } from '../tree.ts';
import { expectSymbol, expectWords, has, isSymbol, isWord, leaveOut, next, peek, readItems, readList, readName, readParts, type Source, takeSymbol, takeWords, unexpected } from './source.ts'; // prettier-ignore

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
