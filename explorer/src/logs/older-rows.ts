// Older rows of a question, page by page.
import type { Answer } from '../service/answer.ts';
import type { Ask } from '../service/client.ts';
import type { Row } from '../service/json.ts';
import { hasPages, rowsOf, type LogQuestion } from './questions.ts';
import { isStuck, unseen } from './row-identity.ts';

/** Rows of a page; smaller ones are shown sooner. */
export const PAGE = 200;

export interface OlderRows {
  /** A page was loaded. */
  got(answer: Answer): void;
  hasMore(): boolean;
  next(known: readonly Row[], run: (ask: Ask) => Promise<Answer>): Promise<readonly Row[]>;
}

/** Pages of a question: by the cursors of the endpoint, or by time without the rows that are known. */
export function createOlderRows(question: LogQuestion, sql: string | undefined): OlderRows {
  const { time } = question.view;
  const isPaged = hasPages(question);
  let cursor: string | undefined;
  let hasMore = true;
  let isStrict = false;
  const got = (answer: Answer): void => {
    cursor = answer.next;
    hasMore = isPaged ? cursor !== undefined : answer.truncated || answer.rows.length >= PAGE;
  };
  return {
    got,
    hasMore: () => hasMore,
    next: async (known, run) => {
      if (isPaged) {
        const answer = await run(rowsOf(question, { limit: PAGE, cursor }, sql));
        got(answer);
        return answer.rows;
      }
      const before = known.at(-1)?.[time];
      if (typeof before !== 'string') {
        hasMore = false;
        return [];
      }
      const answer = await run(rowsOf(question, { limit: PAGE, before, isStrict }, sql));
      got(answer);
      const more = unseen(known, answer.rows, time);
      // A full page of one time: the rows of it that do not fit on a page are left out.
      isStrict = hasMore && more.length === 0 && !isStrict && isStuck(answer.rows, { time, before });
      if (more.length === 0 && !isStrict) hasMore = false;
      return more;
    },
  };
}
