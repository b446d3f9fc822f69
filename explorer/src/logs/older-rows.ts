// Appends older rows, and tells known rows from new ones: by all of their values, and how often they occur.
import type { Answer } from '../service/answer.ts';
import type { Row } from '../service/json.ts';
import { hasPages, type LogQuestion, type RowsPage } from './questions.ts';
import { hashOf } from './row-key.ts';

/** The rows of a response that are not among the known ones; equal rows are counted. Order stays. */
export function unseen(known: readonly Row[], answer: readonly Row[], time: string): readonly Row[] {
  const times = answer.map((row) => row[time]).filter((value) => typeof value === 'string');
  const [first, last] = [minimum(times), maximum(times)];
  const left = new Map<string, number>();
  for (const row of known) {
    const at = row[time];
    if (typeof at === 'string' && first !== undefined && last !== undefined && (at < first || at > last))
      continue;
    left.set(hashOf(row), (left.get(hashOf(row)) ?? 0) + 1);
  }
  return answer.filter((row) => {
    const count = left.get(hashOf(row)) ?? 0;
    if (count > 0) left.set(hashOf(row), count - 1);
    return count === 0;
  });
}

export interface OlderRows {
  /** The rows that were not known, to append. */
  readonly rows: readonly Row[];
  /** The page to ask for next; undefined: there are no older rows. */
  readonly next: RowsPage | undefined;
  /** More rows than a response holds have the time of the last one: some of them may be left out. */
  readonly isIncomplete: boolean;
}

/** What a page of rows adds to the known ones, newest first. Of the first page, too: then none are known. */
export function olderRows(
  question: LogQuestion,
  known: readonly Row[],
  answer: Pick<Answer, 'rows' | 'truncated' | 'next'>,
): OlderRows {
  const { time } = question.view;
  if (hasPages(question))
    return {
      rows: answer.rows,
      next: answer.next === undefined ? undefined : { cursor: answer.next },
      isIncomplete: false,
    };
  const rows = unseen(known, answer.rows, time);
  const isFull = answer.truncated || answer.rows.length >= question.endpoint.max_rows;
  const last = (rows.at(-1) ?? answer.rows.at(-1))?.[time];
  if (!isFull || typeof last !== 'string') return { rows, next: undefined, isIncomplete: false };
  // A full page without a new row would be the same again: go on before its time.
  const isStuck = rows.length === 0;
  return { rows, next: { before: last, ...(isStuck ? { isStrict: true } : {}) }, isIncomplete: isStuck };
}

// Times of one column have the same number of digits, so they compare as strings.
function minimum(times: readonly string[]): string | undefined {
  return times.reduce<string | undefined>(
    (least, each) => (least === undefined || each < least ? each : least),
    undefined,
  );
}

function maximum(times: readonly string[]): string | undefined {
  return times.reduce<string | undefined>(
    (most, each) => (most === undefined || each > most ? each : most),
    undefined,
  );
}
