// Who may run now: so many at once, so many waiting, nobody for too long. Those who wait take turns by lane, so that one
// busy lane does not keep the others waiting. Shared by both engines and by the limits of single endpoints.
import { EngineError, type Load } from './engine.ts';
import type { After } from './timer.ts';
import { abortedWaiting, createWaitingLine, type Entry } from './waiting-line.ts';

export interface QueueOptions {
  /** Places to run in; at least 1. */
  readonly places: number;
  /** Callers that may wait for a place. */
  readonly waiting: number;
  /** How long one may wait. */
  readonly timeoutMs: number;
  readonly after: After;
}

/** A bounded queue: first come, first served within a lane. */
export interface Queue {
  /**
   * Resolves with the function that gives the place back (idempotent). Rejects with EngineError: 'busy' when the
   * queue is full or the wait too long, 'aborted' when the signal ends it, 'unavailable' when closed.
   */
  enter(entry?: Entry): Promise<() => void>;
  /** Changes the bounds; who runs or waits already stays. */
  resize(places: number, waiting: number): void;
  readonly size: () => Load;
  /** Takes nobody new; who waits already still gets a place. */
  close(): void;
  /** Sends away who still waits. */
  dismiss(): void;
  /** Resolves when nobody runs and nobody waits. */
  settled(): Promise<void>;
}

export function createQueue({ timeoutMs, after, ...bounds }: QueueOptions): Queue {
  let { places, waiting } = bounds;
  const settling: (() => void)[] = [];
  let running = 0;
  let closed = false;
  const line = createWaitingLine({ timeoutMs, after, onRefused: settle });

  function settle(): void {
    if (running > 0 || line.size() > 0) return;
    for (const resolve of settling.splice(0)) resolve();
  }

  function place(): () => void {
    let held = true;
    running++;
    return () => {
      if (!held) return;
      held = false;
      running--;
      fill();
      settle();
    };
  }

  function fill(): void {
    for (let free = places - running; free > 0; free--) line.admitNext();
  }

  return {
    enter: async (entry = {}) => {
      if (closed) throw closing();
      if (entry.signal?.aborted === true) throw abortedWaiting();
      if (running < places && line.size() === 0) return place();
      const { lane = '' } = entry;
      const share = lane === '' ? waiting : Math.ceil(waiting / 2);
      if (line.size() >= waiting || line.sizeOf(lane) >= share) throw full(line.size());
      return line.wait(entry, place);
    },
    resize: (newPlaces, newWaiting) => {
      [places, waiting] = [newPlaces, newWaiting];
      fill();
    },
    size: () => ({ running, waiting: line.size() }),
    close: () => {
      closed = true;
    },
    dismiss: () => line.dismiss(closing()),
    settled: () => {
      const done = new Promise<void>((resolve) => settling.push(resolve));
      settle();
      return done;
    },
  };
}

const closing = (): EngineError => new EngineError('unavailable', 'the engine is closing');
const full = (waiting: number): EngineError => new EngineError('busy', `${waiting} statements wait already`);
