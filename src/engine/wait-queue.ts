// Statements waiting for a slot, in fair order and for a bounded time.
import { EngineError } from './engine.ts';
import { createFairOrder, type Belonging, type FairOrder } from './fair-order.ts';
import type { After } from '../core/clock.ts';

/** A waiting statement. */
export interface Entry extends Belonging {
  readonly signal?: AbortSignal | undefined;
  /** Low priority: admitted only if no other statement is waiting. */
  readonly isPatient?: boolean | undefined;
}

export interface WaitQueue extends Pick<FairOrder<Belonging>, 'size' | 'beside'> {
  /**
   * Resolves with the result of `admit` when this statement is admitted. Rejects with EngineError 'busy' after the
   * timeout, 'aborted' by the signal, or with the error of `dismiss`.
   */
  wait<T>(entry: Entry, admit: () => T): Promise<T>;
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
}

export function createWaitQueue({ timeoutMs, after, onLeft }: WaitQueueOptions): WaitQueue {
  const order = createFairOrder<Waiter>();
  return {
    wait: (entry, admit) =>
      new Promise((resolve, reject) => {
        const { signal } = entry;
        const onAbort = (): void => waiter.reject(abortedWaiting());
        const cancelTimer = after(timeoutMs, () => waiter.reject(waitedTooLong(timeoutMs)));
        const leave = (): void => {
          order.remove(waiter);
          cancelTimer();
          signal?.removeEventListener('abort', onAbort);
        };
        const waiter: Waiter = {
          ...entry,
          admit: () => (leave(), resolve(admit())),
          reject: (error) => (leave(), reject(error), onLeft()),
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        order.add(waiter);
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
