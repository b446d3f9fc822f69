// Who waits for a place, by lane: lanes take turns, and nobody waits for too long.
import { EngineError } from './engine.ts';
import type { After } from './timer.ts';

/** How one waits. */
export interface Entry {
  readonly signal?: AbortSignal | undefined;
  /** Who wait under different names take turns. One lane may fill at most half of the waiting line. */
  readonly lane?: string | undefined;
  /** Waits until nobody else does. */
  readonly isPatient?: boolean | undefined;
}

export interface WaitingLine {
  /**
   * Resolves with what `admit` gives when it is this one's turn. Rejects with EngineError 'busy' after the time is up,
   * 'aborted' by the signal, or with what `dismiss` says.
   */
  wait<T>(entry: Entry, admit: () => T): Promise<T>;
  /** Admits the first of the lane whose turn it is, the patient ones when there is nobody else. */
  admitNext(): void;
  /** Sends everybody away. */
  dismiss(error: EngineError): void;
  readonly size: () => number;
  readonly sizeOf: (lane: string) => number;
}

interface Waiter {
  readonly isPatient: boolean;
  readonly admit: () => void;
  readonly refuse: (error: EngineError) => void;
}

export interface WaitingLineOptions {
  readonly timeoutMs: number;
  readonly after: After;
  /** Somebody left without having been admitted. */
  readonly onRefused: () => void;
}

export function createWaitingLine({ timeoutMs, after, onRefused }: WaitingLineOptions): WaitingLine {
  const lanes = new Map<string, Set<Waiter>>(); // in the order of their turns
  let size = 0;

  const add = (name: string, waiter: Waiter): void => {
    lanes.set(name, (lanes.get(name) ?? new Set()).add(waiter));
    size++;
  };
  const remove = (name: string, waiter: Waiter): void => {
    const lane = lanes.get(name);
    if (lane?.delete(waiter) !== true) return;
    size--;
    lanes.delete(name);
    if (lane.size > 0) lanes.set(name, lane); // its next turn comes after everybody else's
  };

  return {
    wait: ({ signal, lane = '', isPatient = false }, admit) =>
      new Promise((resolve, reject) => {
        const onAbort = (): void => waiter.refuse(abortedWaiting());
        const cancelTimer = after(timeoutMs, () => waiter.refuse(waitedTooLong(timeoutMs)));
        const leave = (): void => {
          remove(lane, waiter);
          cancelTimer();
          signal?.removeEventListener('abort', onAbort);
        };
        const waiter: Waiter = {
          isPatient,
          admit: () => (leave(), resolve(admit())),
          refuse: (error) => (leave(), reject(error), onRefused()),
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        add(lane, waiter);
      }),
    admitNext: () => {
      const firsts = [...lanes.values()].flatMap(([first]) => first ?? []);
      (firsts.find(({ isPatient }) => !isPatient) ?? firsts[0])?.admit();
    },
    dismiss: (error) => {
      for (const waiter of [...lanes.values()].flatMap((lane) => [...lane])) waiter.refuse(error);
    },
    size: () => size,
    sizeOf: (lane) => lanes.get(lane)?.size ?? 0,
  };
}

export const abortedWaiting = (): EngineError =>
  new EngineError('aborted', 'ended by its caller while it waited');
const waitedTooLong = (ms: number): EngineError =>
  new EngineError('busy', `no connection became free within ${ms} ms`);
