// A query of another dialect as ClickHouse SQL.
import type { Problem } from '../../../sql/base/problem.ts';

/** A consumer query as ClickHouse SQL. */
export interface TranslatedQuery {
  readonly sql: string;
  /** Maps a problem with `sql` to the query as sent. */
  readonly inOriginal: (problem: Problem) => Problem;
}
