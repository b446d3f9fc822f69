// The last line of a log view: whether new rows arrive, and how many rows there are.
import { useEffect, useState } from 'preact/hooks';
import { KeyForm } from '../frame/key-form.tsx';
import { counted } from '../parts/words.ts';
import { hintOf, sentence } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';
import type { Following } from './follower.ts';
import { MAX_ROWS } from './log-store.ts';
import { zonedTime } from './times.ts';
import type { Logs } from './use-logs.ts';

interface LogStatusProps {
  readonly logs: Logs;
}

export function LogStatus({ logs }: LogStatusProps) {
  const { store } = logs;
  const following = store.following.value;
  return (
    <div class="log-foot" data-following={following.kind}>
      <div class="log-following" role="status">
        <FollowingWords
          following={following}
          asOf={logs.question.isOpen ? logs.question.bounds.to : undefined}
        />
      </div>
      {following.kind === 'reconnecting' && (
        <button type="button" class="button small" onClick={store.follow}>
          Retry now
        </button>
      )}
      {following.kind === 'failed' && following.problem.status === 401 && <KeyForm />}
      <p class="log-status" role="status">
        {countWords(logs).join(' ')}
      </p>
    </div>
  );
}

interface FollowingProps {
  readonly following: Following;
  /** The rows were asked for at this time; it is undefined if the time range has ended. */
  readonly asOf: number | undefined;
}

function FollowingWords({ following, asOf }: FollowingProps) {
  const { zone } = useExplorer();
  switch (following.kind) {
    case 'paused': {
      const [words, at] = following.since === undefined ? ['As of', asOf] : ['Paused at', following.since];
      return at === undefined ? null : (
        <span>
          {words} {zonedTime(at, zone.value)}
        </span>
      );
    }
    case 'connecting':
      return <span>Connecting</span>;
    case 'live':
      return <span>Live</span>;
    case 'reconnecting':
      return (
        <>
          <strong>
            Reconnecting for <Seconds since={following.since} /> s
          </strong>
          <span>
            {following.problem.title}. Rows after {zonedTime(following.since, zone.value)} are not shown.
          </span>
        </>
      );
    case 'failed':
      return (
        <>
          <strong>{following.problem.status === 401 ? 'Key rejected' : following.problem.title}</strong>
          <span>
            Rows after {zonedTime(following.since, zone.value)} are not shown.{' '}
            {following.problem.status === 401
              ? sentence(following.problem.detail)
              : hintOf(following.problem)}
          </span>
        </>
      );
  }
}

/** Screen readers do not announce each second: they read out only the text around it. */
function Seconds({ since }: { readonly since: number }) {
  const { page } = useExplorer();
  const passed = (): number => Math.max(0, Math.round((page.epoch() - since) / 1000));
  const [seconds, setSeconds] = useState(passed);
  useEffect(() => {
    setSeconds(passed());
    const timer = setInterval(() => setSeconds(passed()), 1000);
    return () => clearInterval(timer);
  }, [since]);
  return <span aria-hidden="true">{seconds.toLocaleString('en')}</span>;
}

/** All rows of the filter and the time range, as the histogram counts them; undefined while they are counted. */
export function totalOf({ store }: Logs): number | undefined {
  const { value, isLoading, problem } = store.histogram.value;
  const isCounted = !isLoading && problem === undefined;
  return isCounted ? value?.buckets.reduce((sum, { rows }) => sum + rows, 0) : undefined;
}

function countWords(logs: Logs): readonly string[] {
  const { store } = logs;
  const { value, problem, isLoading } = store.rows.value;
  const total = totalOf(logs);
  const shown = value?.rows.length ?? 0;
  const { isLoading: isLoadingOlder, problem: older } = store.older.value;
  if (isLoading) return ['Loading'];
  return [
    counted(shown, 'row'),
    ...(problem === undefined ? [] : ['of before the change']),
    // While new rows are followed, the time range moves, and rows that have left it are still shown.
    ...(total === undefined || total < shown || problem !== undefined
      ? []
      : [`of ${total.toLocaleString('en')} in the time range`]),
    ...(isLoadingOlder ? ['· loading older rows'] : []),
    ...(value?.isIncomplete === true ? ['· some rows of one time are left out'] : []),
    ...(value?.hasGap === true ? ['· rows came faster than they could be followed: refresh'] : []),
    ...(shown >= MAX_ROWS
      ? [`· older rows than these ${MAX_ROWS.toLocaleString('en')} are not kept: choose a shorter time range`]
      : []),
    ...(older === undefined ? [] : [`· older rows failed: ${older.title}`]),
  ];
}
