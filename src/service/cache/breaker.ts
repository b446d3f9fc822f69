// A circuit breaker for a dependency that may be down or unresponsive: every call is bounded in time, and after the
// first failure callers stop waiting until a background probe succeeds.
import { isLate, type After, type Clock } from '../../sql/base/clock.ts';
import { KnownError } from '../../sql/base/observation.ts';

export interface BreakerOptions {
  /** Longest duration of a call, in milliseconds. Ticks are coarse, so a call may time out up to 25% later. */
  readonly timeoutMs: number;
  /** Milliseconds between probes while open; each pause is drawn from 50% to 150% of it. */
  readonly retryMs: number;
  readonly probe: () => Promise<unknown>;
  readonly clock: Clock;
  readonly after: After;
  readonly random: () => number;
  readonly on: {
    readonly opened: (cause: unknown) => void;
    /** `ms`: how long the breaker was open. */
    readonly closed: (ms: number) => void;
    /** `times`: consecutive failed probes. */
    readonly probeFailed: (times: number) => void;
  };
}

export interface Breaker {
  /** The result of `call`, or `otherwise` if it fails, times out, or the breaker is open. Never rejects. */
  attempt<T>(call: () => Promise<T>, otherwise: T, timeoutMs?: number): Promise<T>;
  readonly isOpen: () => boolean;
  /** Stops probing; the breaker keeps its state. */
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
    calls.failAll(cause); // pending calls that started slightly later need not wait for their own timeout
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

/** Calls that are guaranteed to settle: on their own, by timeout, or all at once through `failAll`. */
interface BoundedCalls {
  call<T>(call: () => Promise<T>, timeoutMs: number): Promise<CallOutcome<T>>;
  failAll(cause: unknown): void;
}

type CallOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly cause: unknown };

/** Timeouts are counted in ticks of one shared timer: a timer per call would cost as much as the call itself. */
const TICKS_PER_TIMEOUT = 4;

/**
 * A tick that is late counts for less, because the process itself was too busy to read replies, or to send all calls: thousands of new
 * connections at once hold it up for longer than a call may take. Not for nothing, so that each call settles.
 */
const LATE_TICK = 0.1;

function createBoundedCalls({
  timeoutMs,
  after,
  clock,
}: Pick<BreakerOptions, 'timeoutMs' | 'after' | 'clock'>): BoundedCalls {
  const tickMs = timeoutMs / TICKS_PER_TIMEOUT;
  const pending = new Map<(cause: unknown) => void, number>(); // fails the call → the tick after which it is overdue
  let tick = 0;
  let isTicking = false;

  /** Ticks only while calls are pending. */
  function startTicking(): void {
    if (isTicking || pending.size === 0) return;
    isTicking = true;
    const due = clock.monotonic() + tickMs;
    after(tickMs, () => {
      isTicking = false;
      tick += isLate(due, clock.monotonic()) ? LATE_TICK : 1;
      for (const [fail, due] of pending) if (tick > due) fail(new KnownError('no reply in time'));
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
