// What a log view shows, in words: how many rows, and what is wrong with a part of it.
import { counted } from '../parts/words.ts';
import { MAX_ROWS, type Part } from './log-store.ts';
import type { Logs } from './use-logs.ts';

export function LogStatus({ logs: { store } }: { readonly logs: Logs }) {
  const { value, problem, isLoading } = store.rows.value;
  const { value: histogram, isLoading: isCounting } = store.histogram.value;
  const total = isCounting ? undefined : histogram?.buckets.reduce((sum, { rows }) => sum + rows, 0);
  const shown = value?.rows.length ?? 0;
  const isFull = shown >= MAX_ROWS;
  const words = [
    isLoading ? 'Loading' : counted(shown, 'row'),
    // While new rows are followed, the time range moves, and rows that have left it are still shown.
    ...(total === undefined || total < shown || isLoading
      ? []
      : [`of ${total.toLocaleString('en')} in the time range`]),
    ...(store.isLoadingOlder.value ? ['· loading older rows'] : []),
    ...(value?.isIncomplete === true ? ['· some rows of one time are left out'] : []),
    ...(isFull
      ? [`· older rows than these ${MAX_ROWS.toLocaleString('en')} are not kept: choose a shorter time range`]
      : []),
    ...(value !== undefined && problem !== undefined ? [`· older rows failed: ${problem.title}`] : []),
    ...(store.isFollowing.value ? ['· following'] : []),
  ];
  return (
    <p class="log-status" role="status">
      {words.join(' ')}
    </p>
  );
}

/** The filter's own problem is shown at the filter. */
export function PartProblem({ part, what }: { readonly part: Part<unknown>; readonly what: string }) {
  const { problem } = part;
  if (problem === undefined || problem.status === 400) return null; // also that of the rows
  return (
    <p class="note" role="alert">
      {what} failed: {problem.title}. {problem.hint}
    </p>
  );
}
