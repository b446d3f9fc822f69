// Failures of runs that several callers wait for. Keys share a run of a query that they may have laid out in different ways: no
// caller is shown locations in the query of another one.
import { Problem } from '../../../sql/base/problem.ts';
import { EngineError } from '../../engine/engine.ts';
import { runProblem } from '../engine-problems.ts';
import type { PlannedQuery } from '../planned-query.ts';

export interface SharedFailures {
  /** Remembers the query of a run that has failed. */
  readonly note: (cause: unknown, query: PlannedQuery) => void;
  /** The failure of a run, perhaps of another caller, with locations in the query of this caller, or with none. */
  readonly inOwnQuery: <Cause>(cause: Cause, query: PlannedQuery) => Cause | Problem;
}

export function createSharedFailures(): SharedFailures {
  const queries = new WeakMap<Problem, string>();
  const note = (cause: unknown, { consumerQuery }: PlannedQuery): void => {
    if (cause instanceof Problem && consumerQuery !== undefined) queries.set(cause, consumerQuery.sent);
  };
  return {
    note,
    inOwnQuery: (cause, query) => {
      const noted = cause instanceof Problem ? queries.get(cause) : undefined;
      if (!(cause instanceof Problem) || noted === undefined || noted === query.consumerQuery?.sent)
        return cause;
      const own = located(cause, query);
      note(own, query);
      return own;
    },
  };
}

/** The signal is not that of the run: the engine's failure is the problem. */
const NOT_ABORTED = new AbortController().signal;

function located(problem: Problem, query: PlannedQuery): Problem {
  const { code, cause, errors, retryAfter } = problem;
  if (errors.every(({ line }) => line === undefined)) return problem;
  const isRejected = cause instanceof EngineError && cause.failure === 'rejected';
  const own = isRejected ? runProblem(cause, query, NOT_ABORTED) : undefined;
  if (own instanceof Problem) return own;
  return new Problem(code, { cause, ...(retryAfter === undefined ? {} : { retryAfter }) });
}
