// Runs queries against an endpoint, a few at a time.
import { outcomeOf, type Answered, type ConformanceOutcome } from './outcome.ts';
import type { ConsumerQuery } from '../../kit/consumer-queries.ts';

/** Answers one query; never rejects for what the query or the endpoint does wrong. */
export type AnswerQuery = (query: ConsumerQuery) => Promise<Answered>;

export interface RunOptions {
  readonly ask: AnswerQuery;
  /** Queries at a time. */
  readonly concurrency: number;
  readonly onProgress: (done: number) => void;
}

/** The outcomes of all queries, in their order. */
export async function runQueries(
  queries: readonly ConsumerQuery[],
  { ask, concurrency, onProgress }: RunOptions,
): Promise<readonly ConformanceOutcome[]> {
  const outcomes: ConformanceOutcome[] = [];
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < queries.length; index = next++) {
      const query = queries[index];
      if (query === undefined) return;
      outcomes[index] = outcomeOf(query, await ask(query));
      onProgress(++done);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, queries.length) }, work));
  return outcomes;
}
