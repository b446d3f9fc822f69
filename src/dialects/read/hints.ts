// Reads what may follow a table, a query or SELECT: hints and locks, which change no rows, and clauses that are not supported.
import { unsupported } from '../context.ts';
import {
  expectWords, has, isSymbol, isWord, leaveOut, peek, readItems, readList, readName, readParts, takeWords, unexpected, type Source,
} from './source.ts'; // prettier-ignore

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

/** Of MySQL; they do not change the rows. */
const MODIFIERS: ReadonlySet<string> = new Set(
  'SQL_CALC_FOUND_ROWS STRAIGHT_JOIN SQL_NO_CACHE SQL_CACHE HIGH_PRIORITY SQL_SMALL_RESULT SQL_BIG_RESULT SQL_BUFFER_RESULT'.split(
    ' ',
  ),
);

/** What MySQL allows after SELECT. */
export function skipModifiers(source: Source): void {
  const { start, upper } = peek(source);
  const isModifier = has(source, 'extended forms') && MODIFIERS.has(upper);
  if (!isModifier || isSymbol(source, ',', 1) || isWord(source, 'FROM', 1)) return;
  source.at++;
  leaveOut(source, start);
  skipModifiers(source);
}
