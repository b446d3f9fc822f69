// Spare capacity of the engine: work that no caller waits for runs one after the other, if the engine is idle enough, and ends early if
// callers need it.
import type { After } from '../../../sql/base/clock.ts';
import { EngineError, type Engine } from '../../engine/engine.ts';

export interface SpareDeps {
  readonly engine: Pick<Engine, 'load'>;
  /** The statements that the engine runs at once. */
  readonly connections: number;
  readonly after: After;
}

export interface SpareWork {
  /** Never rejects. The signal is aborted if callers need the engine. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Called instead if other work is running, or the engine is busy for too long. */
  readonly drop: () => void;
}

export interface Spare {
  /** Returns at once and never throws. */
  readonly offer: (work: SpareWork) => void;
}

/** After the response, so that sending it comes first; then as often until the engine is idle enough. */
const WAIT_MS = 50;
const MAX_WAITS = 40;
/** The engine is idle enough if at most this share of its connections is in use; work ends early if more than half are. */
const IDLE_SHARE = 1 / 4;
const BUSY_SHARE = 1 / 2;

/** Work that is offered while other work waits or runs is dropped. */
export function createSpare(deps: SpareDeps): Spare {
  let isTaken = false;
  const begin = (work: SpareWork, waits: number): void => {
    deps.after(WAIT_MS, () => {
      if (!isIdle(deps)) {
        if (waits < MAX_WAITS) return begin(work, waits + 1);
        isTaken = false;
        return work.drop();
      }
      const end = new AbortController();
      const stopWatching = watchLoad(deps, () =>
        end.abort(new EngineError('aborted', 'the service is busy')),
      );
      void work.run(end.signal).finally(() => {
        stopWatching();
        isTaken = false;
      });
    });
  };
  return {
    offer: (work) => {
      if (isTaken) return work.drop();
      isTaken = true;
      begin(work, 0);
    },
  };
}

function isIdle({ engine, connections }: SpareDeps): boolean {
  const { running, waiting } = engine.load();
  return waiting === 0 && running <= (connections - 1) * IDLE_SHARE;
}

const WATCH_MS = 20;

/** Calls `onBusy` once if callers need the engine. */
function watchLoad({ engine, connections, after }: SpareDeps, onBusy: () => void): () => void {
  let cancel: (() => void) | undefined;
  const look = (): void => {
    const { running, waiting } = engine.load();
    if (waiting > 0 || running > Math.max(1, connections * BUSY_SHARE)) return onBusy();
    cancel = after(WATCH_MS, look);
  };
  look();
  return () => cancel?.();
}
