// Shows what went wrong in loading a log view: one card for all of its parts, beside the previous rows.
import { KeyForm } from '../frame/key-form.tsx';
import { ProblemCard } from '../parts/problem-card.tsx';
import { isRetryable, type Problem } from '../service/problem.ts';
import { isOfFilter } from './log-filter.tsx';
import type { LogStore } from './log-store.ts';
import type { Logs } from './use-logs.ts';

const PARTS = ['rows', 'histogram', 'facets'] as const;

/** Returns the problem of the rows, or else of another part, and the parts that have it. The filter shows its own problem. */
function problemOfParts(store: LogStore): { readonly problem: Problem; readonly parts: string } | undefined {
  const found = PARTS.flatMap((part) => {
    const { problem, isLoading } = store[part].value;
    return problem === undefined || isLoading ? [] : [{ part, problem }];
  });
  const [first] = found;
  if (first === undefined || isOfFilter(first.problem)) return undefined;
  const same = found.filter(({ problem }) => problem.code === first.problem.code).map(({ part }) => part);
  return { problem: first.problem, parts: same.length === PARTS.length ? '' : same.join(' and ') };
}

export function LogProblem({ logs }: { readonly logs: Logs }) {
  const found = problemOfParts(logs.store);
  if (found === undefined) return null;
  const { problem, parts } = found;
  const onRetry = isRetryable(problem) ? logs.reload : undefined;
  return (
    <div class="log-problem" data-over={logs.store.rows.value.value !== undefined}>
      {parts !== '' && <p class="note">Not loaded: {parts}.</p>}
      <ProblemCard problem={problem} onRetry={onRetry} />
      {problem.status === 401 && <KeyForm />}
    </div>
  );
}
