// New rows while a log view follows: by the live protocol if the endpoint has it, otherwise by asking again.
import { signal, type ReadonlySignal } from '@preact/signals';
import type { Ask, Client } from '../service/client.ts';
import type { Row } from '../service/json.ts';
import { CallFailure, isRetryable, UNREACHABLE, type Problem } from '../service/problem.ts';
import { unseen } from './older-rows.ts';
import { basisOf, rowsNeedSql, rowsOf, type LogQuestion } from './questions.ts';
import { millisOf } from './row-values.ts';

export interface FollowerOptions {
  readonly client: Client;
  readonly key: () => string | undefined;
  readonly after: (ms: number, action: () => void) => () => void;
  /** Milliseconds since 1970. */
  readonly epoch: () => number;
  readonly isVisible: () => boolean;
  /** The rows that are known, the newest first. */
  readonly known: () => readonly Row[];
  /** Rows that were not known, the newest first. `hasGap`: there may be others between them and those that were. */
  readonly found: (rows: readonly Row[], hasGap: boolean) => void;
}

export type Following =
  /** Following ended at `since`, in milliseconds since 1970; undefined if it did not begin. */
  | { readonly kind: 'paused'; readonly since?: number }
  /** Nothing has arrived yet. */
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** Rows since then are not known, in milliseconds since 1970. */
  | { readonly kind: 'reconnecting'; readonly since: number; readonly problem: Problem }
  /** Asking again is pointless, as with a key that was rejected. */
  | { readonly kind: 'failed'; readonly since: number; readonly problem: Problem };

export interface Follower {
  readonly following: ReadonlySignal<Following>;
  start(question: LogQuestion): void;
  stop(): void;
}

const POLL_MS = 5000;
/** Waits before another attempt: twice as long each time. */
const [FIRST_RETRY_MS, MAX_RETRY_MS] = [1000, 10_000];
/** How far in the future a stream's question reaches; it is asked again before. */
const REACH_MS = 3_600_000;
/** A stream that ended is opened again after this, so that one that ends at once is not asked for all the time. */
const REOPEN_MS = 1000;
/** A stream without three heartbeats is broken, although the browser does not know it. */
const SILENCE_MS = 46_000;
/** A stream whose results have more rows, and twice as many as its first one, is opened again, from the newest row on. */
const MAX_RESULT = 500;
/** Rows that arrive late are looked for this far back. */
const BACK_MS = 10_000;

export function isFollowing({ kind }: Following): boolean {
  return kind === 'connecting' || kind === 'live' || kind === 'reconnecting';
}

/**
 * Returns the time after which rows are not known, in milliseconds since 1970. It is undefined while they arrive, before any were followed,
 * and for a range that has ended. A pause does not keep rows from being asked for again.
 */
export function endOf(
  following: Following,
  { bounds, isOpen }: Pick<LogQuestion, 'bounds' | 'isOpen'>,
): number | undefined {
  const since = 'since' in following ? following.since : undefined;
  if (since === undefined || !isOpen) return undefined;
  return following.kind === 'paused' ? Math.max(since, bounds.to) : since;
}

export function createFollower(options: FollowerOptions): Follower {
  const following = signal<Following>({ kind: 'paused' });
  let end: (() => void) | undefined;
  return {
    following,
    start: (question) => {
      end?.();
      following.value = { kind: 'connecting' };
      end = repeat(options, question, (next) => (following.value = next));
    },
    stop: () => {
      end?.();
      end = undefined;
      if (following.value.kind !== 'paused') following.value = { kind: 'paused', since: options.epoch() };
    },
  };
}

/** Repeats calls until the returned function is called or a problem is not retryable. */
function repeat(
  options: FollowerOptions,
  question: LogQuestion,
  onChange: (following: Following) => void,
): () => void {
  const controller = new AbortController();
  const { signal: aborted } = controller;
  let cancel: (() => void) | undefined;
  let heard = options.epoch();
  let retry = FIRST_RETRY_MS;
  const onArrival = (): void => {
    heard = options.epoch();
    retry = FIRST_RETRY_MS;
    if (!aborted.aborted) onChange({ kind: 'live' });
  };
  const next = (ms: number): void => {
    if (!aborted.aborted) cancel = options.after(ms, () => void turn());
  };
  const fail = (problem: Problem): void => {
    if (!isRetryable(problem)) return onChange({ kind: 'failed', since: heard, problem });
    onChange({ kind: 'reconnecting', since: heard, problem });
    next(retry);
    retry = Math.min(2 * retry, MAX_RETRY_MS);
  };
  const turn = async (): Promise<void> => {
    if (!options.isVisible()) return next(POLL_MS);
    try {
      const isStreamed = await once(options, question, { aborted, onArrival });
      next(isStreamed ? REOPEN_MS : POLL_MS);
    } catch (error) {
      if (aborted.aborted) return;
      if (!(error instanceof CallFailure)) throw error;
      fail(error.problem);
    }
  };
  void turn();
  return () => {
    controller.abort();
    cancel?.();
  };
}

interface Turn {
  readonly aborted: AbortSignal;
  readonly onArrival: () => void;
}

/** One response, or one stream until it has many rows. Resolves to whether it was a stream. */
async function once(options: FollowerOptions, question: LogQuestion, turn: Turn): Promise<boolean> {
  const { client, key, epoch, known, found } = options;
  const { view, endpoint } = question;
  const isStreamed = endpoint.live != null;
  const from = Math.max(question.bounds.from, (millisOf(known()[0], view.time) ?? epoch()) - BACK_MS);
  const bounds = { from, to: epoch() + (isStreamed ? REACH_MS : POLL_MS) };
  const asked = { ...question, bounds };
  const take = (rows: readonly Row[]): void => {
    const before = known();
    const more = unseen(before, rows, view.time);
    const isCut = rows.length >= endpoint.max_rows && more.length === rows.length;
    if (more.length > 0) found(more, isCut && before.length > 0);
  };
  await untilSilent(options, turn, async ({ aborted, onArrival }) => {
    const sql = rowsNeedSql(asked)
      ? (await client.explain(key() ?? '', basisOf(asked).ask, aborted)).sql
      : undefined;
    const ask = rowsOf(asked, {}, sql);
    if (isStreamed) return stream(options, ask, { aborted, onArrival, take });
    take((await client.run(key() ?? '', ask, { signal: aborted, isFresh: false })).rows);
    return onArrival();
  });
  return isStreamed;
}

/** Rejects as if the service did not respond if nothing arrives for a while: the browser does not notice that a connection is broken. */
async function untilSilent(
  { after }: Pick<FollowerOptions, 'after'>,
  { aborted, onArrival }: Turn,
  run: (turn: Turn) => Promise<void>,
): Promise<void> {
  const own = new AbortController();
  const wait = (): (() => void) => after(SILENCE_MS, () => own.abort());
  let cancel = wait();
  try {
    await run({
      aborted: AbortSignal.any([aborted, own.signal]),
      onArrival: () => {
        cancel();
        cancel = wait();
        onArrival();
      },
    });
  } catch (error) {
    throw own.signal.aborted ? new CallFailure(UNREACHABLE, { cause: error }) : error;
  } finally {
    cancel();
  }
}

/** Resolves when the stream ends, has many rows, or is older than `REACH_MS`. */
async function stream(
  { client, key, after }: FollowerOptions,
  ask: Ask,
  { aborted, onArrival, take }: Turn & { readonly take: (rows: readonly Row[]) => void },
): Promise<void> {
  const own = new AbortController();
  let most: number | undefined;
  const cancel = after(REACH_MS, () => own.abort());
  try {
    await client.live(key() ?? '', ask, {
      signal: AbortSignal.any([aborted, own.signal]),
      onArrival,
      onRows: (rows) => {
        take(rows);
        most ??= Math.max(MAX_RESULT, 2 * rows.length);
        if (rows.length > most) own.abort();
      },
    });
  } catch (error) {
    if (!own.signal.aborted) throw error;
  } finally {
    cancel();
  }
}
