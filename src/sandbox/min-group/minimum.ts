// Adds the smallest group to the text of a consumer query: a condition in each SELECT over a table, and a LIMIT, below which the
// engine moves no condition of the queries around it.
import type { LexedQuery } from '../lexed-query.ts';
import type { ScanResult } from '../scan/scanner.ts';
import type { SelectFinding } from '../scan/selects.ts';

const LIMITING: ReadonlySet<string | undefined> = new Set(['LIMIT', 'OFFSET', 'FETCH']);
const AFTER_HAVING: ReadonlySet<string | undefined> = new Set(['WINDOW', 'QUALIFY', 'ORDER', ...LIMITING]);

/** Above any possible number of groups. */
const ALL_GROUPS = 10n ** 18n;

/** The query with `HAVING count() >= minimum` and a LIMIT in every SELECT over a table. `scanned` is the scan of `text`. */
export function withMinimum(
  { cursor }: LexedQuery,
  { selects }: Pick<ScanResult, 'selects'>,
  minimum: number,
): string {
  const condition = `count() >= ${minimum}`;
  const insertions = selects.flatMap((select) => {
    if (!select.sources.some(({ table }) => table !== undefined)) return [];
    const { having, end, isLimited } = clausesOf(cursor, select);
    const limit = isLimited ? [] : [{ at: select.end, text: ` LIMIT ${ALL_GROUPS} ` }];
    if (having === undefined) return [{ at: end, text: ` HAVING ${condition} ` }, ...limit];
    return [{ at: having + 1, text: ` ${condition} AND (` }, { at: end, text: ') ' }, ...limit];
  });
  const { sql } = cursor;
  let text = '';
  let copied = 0;
  for (const insertion of insertions.toSorted((a, b) => a.at - b.at)) {
    const offset = cursor.end(insertion.at - 1);
    text += sql.slice(copied, offset) + insertion.text;
    copied = offset;
  }
  return text + sql.slice(copied);
}

interface Clauses {
  /** Token index of HAVING, and of the clause after it. */
  readonly having: number | undefined;
  readonly end: number;
  readonly isLimited: boolean;
}

function clausesOf(cursor: LexedQuery['cursor'], { start, end }: SelectFinding): Clauses {
  let having: number | undefined;
  let after: number | undefined;
  let isRead = false;
  for (let at = start; at < end; at = cursor.after(at)) {
    const word = cursor.word(at);
    if (word === 'FROM') isRead = true;
    if (!isRead || cursor.kind(at - 1) === '.') continue;
    if (word === 'HAVING') having = at;
    if (AFTER_HAVING.has(word)) after ??= at;
    if (LIMITING.has(word)) return { having, end: after ?? at, isLimited: true };
  }
  return { having, end: after ?? end, isLimited: false };
}
