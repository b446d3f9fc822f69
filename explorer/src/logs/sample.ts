// A sample of the rows of a question, for what is too much to compute over all of them: at most so many, evenly chosen.
import { outerWhere, type LogQuestion } from './questions.ts';

/** Rows that patterns and differences are computed of. */
const MAX_SAMPLED = 100_000;

interface SampleOptions {
  /** The explained basis. */
  readonly sql: string;
  /** Expressions over its columns that differ from row to row. */
  readonly key: string;
  /** Rows of the question; undefined: not known. */
  readonly total: number | undefined;
}

/** The lines of a SELECT from FROM on. A row is chosen by its hash, so that the same rows are in every sample. */
export function sampleLines(
  question: LogQuestion,
  { sql, key, total = 0 }: SampleOptions,
): readonly string[] {
  const each = Math.ceil(total / MAX_SAMPLED);
  const isChosen = each > 1 ? [`cityHash64(${key}) % ${each} = 0`] : [];
  return [`FROM (\n${sql}\n)`, ...outerWhere(question, isChosen), `LIMIT ${MAX_SAMPLED}`];
}
