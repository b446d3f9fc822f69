// Statements waiting for a slot, in fair order and for a bounded time.
import { EngineError } from './engine.ts';
import { createFairOrder, type Belonging, type FairOrder } from './fair-order.ts';
import type { After } from '../../sql/base/clock.ts';
import type { Callers } from './callers.ts';

/** A waiting statement. */
export interface Entry extends Belonging {
  readonly signal?: AbortSignal | undefined;
  /** Low priority: admitted only if no other statement is waiting. */
  readonly isPatient?: boolean | undefined;
  /** It also takes the turns of these, so that none waits longer than it would alone. */
  readonly callers?: Callers | undefined;
}

export interface WaitQueue extends Pick<FairOrder<Belonging>, 'size' | 'beside'> {
  /**
   * Resolves with the result of `admit` when this statement is admitted, as that of the given key. Rejects with EngineError 'busy' after the
   * timeout, 'aborted' by the signal, or with the error of `dismiss`.
   */
  wait<T>(entry: Entry, admit: (as: Entry) => T): Promise<T>;
  /** Admits the next statement for which `mayEnter` is true, low-priority ones last; false if there is none. */
  admitNext(mayEnter: (entry: Entry) => boolean): boolean;
  /** Rejects all with the error. */
  dismiss(error: EngineError): void;
}

interface Waiter extends Entry {
  readonly admit: () => void;
  readonly reject: (error: EngineError) => void;
}

export interface WaitQueueOptions {
  readonly timeoutMs: number;
  readonly after: After;
  /** Called when a statement left without being admitted. */
  readonly onLeft: () => void;
  /** Called when another key waits for a statement, which may be admitted now. */
  readonly onJoined: () => void;
}

export function createWaitQueue({ timeoutMs, after, onLeft, onJoined }: WaitQueueOptions): WaitQueue {
  const order = createFairOrder<Waiter>();
  return {
    wait: (entry, admit) =>
      new Promise((resolve, reject) => {
        const { signal, callers } = entry;
        const places = new Map<string, Waiter>();
        let isOver = false;
        let unfollow: (() => void) | undefined;
        const leave = (admitted?: Waiter): void => {
          isOver = true;
          for (const waiter of places.values()) order.remove(waiter, waiter === admitted);
          cancelTimer();
          unfollow?.();
          signal?.removeEventListener('abort', onAbort);
        };
        const fail = (error: EngineError): void => {
          if (isOver) return;
          leave();
          reject(error);
          onLeft();
        };
        const placeIn = (key: string, own: Entry): void => {
          if (isOver || places.has(key)) return;
          const admitThis = (): void => (leave(waiter), resolve(admit(waiter)));
          const waiter: Waiter = { ...own, admit: admitThis, reject: fail };
          places.set(key, waiter);
          order.add(waiter);
        };
        const onAbort = (): void => fail(abortedWaiting());
        const cancelTimer = after(timeoutMs, () => fail(waitedTooLong(timeoutMs)));
        signal?.addEventListener('abort', onAbort, { once: true });
        placeIn(entry.key ?? '', entry);
        unfollow = callers?.follow((key) => {
          if (isOver || places.has(key)) return;
          placeIn(key, { ...entry, key, isPatient: false, isCopy: true });
          onJoined();
        });
        if (isOver) unfollow?.();
      }),
    admitNext: (mayEnter) => {
      let patient: Waiter | undefined;
      for (const waiter of order.firsts(mayEnter)) {
        if (waiter.isPatient !== true) return (waiter.admit(), true);
        patient ??= waiter;
      }
      patient?.admit();
      return patient !== undefined;
    },
    dismiss: (error) => {
      for (const waiter of order.all()) waiter.reject(error);
    },
    size: order.size,
    beside: order.beside,
  };
}

export const abortedWaiting = (): EngineError =>
  new EngineError('aborted', 'cancelled by its caller while waiting');
const waitedTooLong = (ms: number): EngineError =>
  new EngineError('busy', `no connection became free within ${ms} ms`);
