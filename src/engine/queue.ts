// Who may run now: so many at once, so many waiting in order, nobody for too long. Shared by both engines.
import { EngineError } from './engine.ts';
import type { After } from './timer.ts';

export interface QueueOptions {
  /** Places to run in; at least 1. */
  readonly places: number;
  /** Callers that may wait for a place. */
  readonly waiting: number;
  /** How long one may wait. */
  readonly timeoutMs: number;
  readonly after: After;
}

/** A bounded first-come first-served queue. */
export interface Queue {
  /**
   * Resolves with the function that gives the place back (idempotent). Rejects with EngineError: 'busy' when the
   * queue is full or the wait too long, 'aborted' when `signal` ends it, 'unavailable' when closed.
   */
  enter(signal?: AbortSignal): Promise<() => void>;
  /** Takes nobody new; who waits already still gets a place. */
  close(): void;
  /** Sends away who still waits. */
  dismiss(): void;
  /** Resolves when nobody runs and nobody waits. */
  settled(): Promise<void>;
}

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: EngineError) => void;
}

export function createQueue({ places, waiting, timeoutMs, after }: QueueOptions): Queue {
  const waiters = new Set<Waiter>();
  const settling: (() => void)[] = [];
  let running = 0;
  let closed = false;

  function settle(): void {
    if (running > 0 || waiters.size > 0) return;
    for (const resolve of settling.splice(0)) resolve();
  }

  function place(): () => void {
    let held = true;
    running++;
    return () => {
      if (!held) return;
      held = false;
      running--;
      const [next] = waiters;
      next?.admit();
      settle();
    };
  }

  /** Stands in line; `admit` and `refuse` each leave it. */
  function wait(waiter: Waiter, signal: AbortSignal | undefined): Waiter {
    const onAbort = (): void => inLine.refuse(abortedWaiting());
    const cancelTimer = after(timeoutMs, () => inLine.refuse(waitedTooLong(timeoutMs)));
    const leave = (): void => {
      waiters.delete(inLine);
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
    };
    const inLine: Waiter = {
      admit: () => (leave(), waiter.admit()),
      refuse: (error) => (leave(), waiter.refuse(error), settle()),
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    return inLine;
  }

  return {
    enter: async (signal) => {
      if (closed) throw closing();
      if (signal?.aborted === true) throw abortedWaiting();
      if (running < places) return place();
      if (waiters.size >= waiting) throw full(waiters.size);
      return new Promise((resolve, reject) => {
        waiters.add(wait({ admit: () => resolve(place()), refuse: reject }, signal));
      });
    },
    close: () => {
      closed = true;
    },
    dismiss: () => {
      for (const waiter of waiters) waiter.refuse(closing());
    },
    settled: () => {
      const done = new Promise<void>((resolve) => settling.push(resolve));
      settle();
      return done;
    },
  };
}

const closing = (): EngineError => new EngineError('unavailable', 'the engine is closing');
const abortedWaiting = (): EngineError => new EngineError('aborted', 'ended by its caller while it waited');
const full = (waiting: number): EngineError => new EngineError('busy', `${waiting} statements wait already`);
const waitedTooLong = (ms: number): EngineError =>
  new EngineError('busy', `no connection became free within ${ms} ms`);
