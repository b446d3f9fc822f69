// The report of a conformance run, independent of the output format.
import type { Finding } from '../../../sql/base/finding.ts';
import type { ConformanceOutcome } from './outcome.ts';

export interface ConformanceReport {
  readonly endpoint: string;
  readonly queries: number;
  readonly passed: number;
  readonly failed: number;
  /** By status and code, in their order. */
  readonly answers: readonly AnswerCount[];
  readonly failures: readonly Failure[];
}

export interface AnswerCount {
  /** 0: no response. */
  readonly status: number;
  readonly code: string | null;
  readonly count: number;
}

/** A property that a response does not have is null in JSON. */
type ProblemFields = {
  readonly [Name in 'code' | 'line' | 'column' | 'hint']: NonNullable<Finding[Name]> | null;
};

/** Line and column are those in the query. */
export interface Failure extends ProblemFields, Pick<Finding, 'message'> {
  readonly name: string;
  readonly source: string;
  readonly status: number;
  readonly dialect: string | null;
  readonly language: string;
  readonly query: string;
}

export function reportOf(endpoint: string, outcomes: readonly ConformanceOutcome[]): ConformanceReport {
  const failures = outcomes.flatMap((outcome) => failureOf(outcome) ?? []);
  const passed = outcomes.length - failures.length;
  const answers = answersOf(outcomes);
  return { endpoint, queries: outcomes.length, passed, failed: failures.length, answers, failures };
}

function answersOf(outcomes: readonly ConformanceOutcome[]): readonly AnswerCount[] {
  const counts = new Map<string, AnswerCount>();
  for (const { answered } of outcomes) {
    const { status, code = null } = answered;
    const key = `${status} ${code ?? ''}`;
    counts.set(key, { status, code, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].toSorted(
    (a, b) => a.status - b.status || ((a.code ?? '') < (b.code ?? '') ? -1 : 1),
  );
}

function failureOf({ query, answered, failure }: ConformanceOutcome): Failure | undefined {
  if (failure === undefined) return undefined;
  const { status, code = null, location, hint = null, dialect = null } = answered;
  return {
    name: query.name,
    source: query.source,
    status,
    code,
    message: failure,
    line: location?.line ?? null,
    column: location?.column ?? null,
    hint,
    dialect,
    language: query.language,
    query: query.text,
  };
}
