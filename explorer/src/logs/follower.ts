// New rows while a log view follows: by the live protocol if the endpoint has it, otherwise by asking again.
import { signal, type ReadonlySignal } from '@preact/signals';
import type { Client } from '../service/client.ts';
import type { Row } from '../service/json.ts';
import { CallFailure } from '../service/problem.ts';
import { unseen } from './older-rows.ts';
import { basisOf, rowsNeedSql, rowsOf, type LogQuestion } from './questions.ts';
import { microsOf } from './sql.ts';

export interface FollowerOptions {
  readonly client: Client;
  readonly key: () => string | undefined;
  readonly after: (ms: number, action: () => void) => () => void;
  /** Milliseconds since 1970. */
  readonly epoch: () => number;
  readonly isVisible: () => boolean;
  /** The rows that are known, the newest first. */
  readonly known: () => readonly Row[];
  /** Rows that were not known, the newest first. */
  readonly found: (rows: readonly Row[]) => void;
}

export interface Follower {
  readonly isFollowing: ReadonlySignal<boolean>;
  start(question: LogQuestion): void;
  /** Follows another question, if it follows. */
  restart(question: LogQuestion): void;
  stop(): void;
}

const POLL_MS = 5000;
const RETRY_MS = 10_000;
/** How far in the future a stream's question reaches; it is asked again before. */
const REACH_MS = 3_600_000;
/** A stream that ended is opened again after this, so that one that ends at once is not asked for all the time. */
const REOPEN_MS = 1000;
/** A stream whose results have more rows, and twice as many as its first one, is opened again, from the newest row on. */
const MAX_RESULT = 500;
/** Rows that arrive late are looked for this far back. */
const BACK_MS = 10_000;

export function createFollower(options: FollowerOptions): Follower {
  const isFollowing = signal(false);
  let end: (() => void) | undefined;
  const stop = (): void => {
    end?.();
    end = undefined;
    isFollowing.value = false;
  };
  const start = (question: LogQuestion): void => {
    end?.();
    isFollowing.value = true;
    end = repeat(options, question);
  };
  return {
    isFollowing,
    start,
    stop,
    restart: (question) => {
      if (isFollowing.value) start(question);
    },
  };
}

/** Until the returned function is called. */
function repeat(options: FollowerOptions, question: LogQuestion): () => void {
  const controller = new AbortController();
  let cancel: (() => void) | undefined;
  const next = (ms: number): void => {
    if (!controller.signal.aborted) cancel = options.after(ms, () => void turn());
  };
  const turn = async (): Promise<void> => {
    if (!options.isVisible()) return next(POLL_MS);
    try {
      const isStreamed = await once(options, question, controller.signal);
      next(isStreamed ? REOPEN_MS : POLL_MS);
    } catch (error) {
      if (controller.signal.aborted) return;
      if (!(error instanceof CallFailure)) throw error;
      next(RETRY_MS);
    }
  };
  void turn();
  return () => {
    controller.abort();
    cancel?.();
  };
}

/** One response, or one stream until it has many rows. Resolves to whether it was a stream. */
async function once(options: FollowerOptions, question: LogQuestion, signal: AbortSignal): Promise<boolean> {
  const { client, key, epoch, known, found } = options;
  const { view } = question;
  const isStreamed = question.endpoint.live != null;
  const from = Math.max(question.bounds.from, (newest(known(), view.time) ?? epoch()) - BACK_MS);
  const bounds = { from, to: epoch() + (isStreamed ? REACH_MS : POLL_MS) };
  const asked = { ...question, bounds };
  const sql = rowsNeedSql(asked)
    ? (await client.explain(key() ?? '', basisOf(asked).ask, signal)).sql
    : undefined;
  const ask = rowsOf(asked, {}, sql);
  const take = (rows: readonly Row[]): void => {
    const more = unseen(known(), rows, view.time);
    if (more.length > 0) found(more);
  };
  if (!isStreamed) {
    take((await client.run(key() ?? '', ask, { signal, isFresh: false })).rows);
    return false;
  }
  const own = new AbortController();
  let most: number | undefined;
  const enough = AbortSignal.any([signal, own.signal]);
  const late = options.after(REACH_MS, () => own.abort());
  try {
    await client.live(key() ?? '', ask, {
      signal: enough,
      onRows: (rows) => {
        take(rows);
        most ??= Math.max(MAX_RESULT, 2 * rows.length);
        if (rows.length > most) own.abort();
      },
    });
  } catch (error) {
    if (!own.signal.aborted) throw error;
  } finally {
    late();
  }
  return true;
}

/** Milliseconds since 1970. */
function newest(rows: readonly Row[], time: string): number | undefined {
  const value = rows[0]?.[time];
  const micros = typeof value === 'string' ? microsOf(value) : undefined;
  return micros === undefined ? undefined : Number(micros / 1000n);
}
