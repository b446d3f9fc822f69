// Calls to something that may be dead or, worse, silent: each is bounded in time, and after the first failure nobody
// waits any more until a probe in the background has been answered.
import type { After, Clock } from './clock.ts';

export interface BreakerOptions {
  /** How long, in milliseconds, a call may take; up to a quarter more passes before it is given up. */
  readonly timeoutMs: number;
  /** Between probes while open; each pause is drawn from half to one and a half of it. */
  readonly retryMs: number;
  readonly probe: () => Promise<unknown>;
  readonly clock: Clock;
  readonly after: After;
  readonly random: () => number;
  readonly on: {
    readonly opened: (cause: unknown) => void;
    /** `ms`: how long it was open. */
    readonly closed: (ms: number) => void;
    /** A probe failed for the `times`th time in a row. */
    readonly probeFailed: (times: number) => void;
  };
}

export interface Breaker {
  /** What `call` resolves to; `otherwise` when it fails, takes too long, or the breaker is open. Never rejects. */
  attempt<T>(call: () => Promise<T>, otherwise: T, timeoutMs?: number): Promise<T>;
  readonly isOpen: () => boolean;
  /** Ends the probes; it stays as it is. */
  stop(): void;
}

export function createBreaker(options: BreakerOptions): Breaker {
  const { clock, after, on } = options;
  const calls = createBoundedCalls(options);
  let openedAt: number | undefined;
  let stopped = false;
  let cancelProbe: (() => void) | undefined;

  function open(cause: unknown): void {
    if (openedAt !== undefined) return;
    openedAt = clock.monotonic();
    calls.failAll(cause); // who came a little later need not wait as long
    on.opened(cause);
    probeLater(1);
  }

  function probeLater(times: number): void {
    if (stopped) return;
    cancelProbe = after(options.retryMs * (0.5 + options.random()), () => void probe(times));
  }

  async function probe(times: number): Promise<void> {
    const result = await calls.call(options.probe, options.timeoutMs);
    if (result.ok) return close();
    on.probeFailed(times);
    probeLater(times + 1);
  }

  function close(): void {
    const ms = clock.monotonic() - (openedAt ?? clock.monotonic());
    openedAt = undefined;
    on.closed(ms);
  }

  return {
    attempt: async (call, otherwise, timeoutMs = options.timeoutMs) => {
      if (openedAt !== undefined) return otherwise;
      const result = await calls.call(call, timeoutMs);
      if (result.ok) return result.value;
      open(result.cause);
      return otherwise;
    },
    isOpen: () => openedAt !== undefined,
    stop: () => {
      stopped = true;
      cancelProbe?.();
    },
  };
}

/** Calls that all end: by themselves, late, or together. */
interface BoundedCalls {
  call<T>(call: () => Promise<T>, timeoutMs: number): Promise<Result<T>>;
  failAll(cause: unknown): void;
}

type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly cause: unknown };

/** Waiting is counted in ticks of one timer for all: a timer for each call would cost as much as the call. */
const TICKS_PER_TIMEOUT = 4;

function createBoundedCalls({ timeoutMs, after }: Pick<BreakerOptions, 'timeoutMs' | 'after'>): BoundedCalls {
  const tickMs = timeoutMs / TICKS_PER_TIMEOUT;
  const pending = new Map<(cause: unknown) => void, number>(); // by what ends it: the tick after which it is late
  let tick = 0;
  let isTicking = false;

  /** While anything is pending. A process too busy to read replies is too busy to tick, and does not count them late. */
  function startTicking(): void {
    if (isTicking || pending.size === 0) return;
    isTicking = true;
    after(tickMs, () => {
      isTicking = false;
      tick++;
      for (const [fail, due] of pending) if (tick > due) fail(new Error('no reply in time'));
      startTicking();
    });
  }

  return {
    call: (call, timeoutMs) =>
      new Promise((resolve) => {
        const fail = (cause: unknown): void => {
          pending.delete(fail);
          resolve({ ok: false, cause });
        };
        pending.set(fail, tick + Math.ceil(timeoutMs / tickMs));
        startTicking();
        call().then((value) => {
          pending.delete(fail);
          resolve({ ok: true, value });
        }, fail);
      }),
    failAll: (cause) => {
      for (const fail of pending.keys()) fail(cause);
    },
  };
}
