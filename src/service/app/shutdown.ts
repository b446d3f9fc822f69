// The end of a service: it stops being ready, goes on for a while, drains, and closes.
import { setTimeout } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import type { Engine } from '../engine/engine.ts';
import { clock } from './clock.ts';

export interface ShutdownOptions {
  readonly settings: Pick<Settings, 'shutdownDelay' | 'drainTimeout'>;
  /** Read by the readiness of the service. */
  readonly state: { stopping: boolean };
  readonly engine: Pick<Engine, 'close'>;
  /** Writes the rows of the table of calls that wait. */
  readonly flush: () => Promise<void>;
  /** Stops listening; resolves after the last request, once everything but the engine is closed. */
  readonly stop: () => Promise<void>;
  readonly closeConnections: () => void;
  readonly observe: Observe;
}

/** Rows of the table of calls that wait may take so long to be written before the engine is closed. */
const FLUSH_MS = 2000;

/** Returns a function that ends the service. Called again, it ends the delay. */
export function createShutdown(options: ShutdownOptions): (reason: string) => Promise<void> {
  const { settings, state, engine, flush, stop, closeConnections, observe } = options;
  const delay = new AbortController();
  const end = async (reason: string): Promise<void> => {
    const started = clock.monotonic();
    state.stopping = true;
    observe({ kind: 'service.stopping', reason });
    // A load balancer learns of it only by the next health check, and sends requests until then.
    if (reason === 'SIGTERM')
      await setTimeout(settings.shutdownDelay * 1000, undefined, { signal: delay.signal }).catch(ignore);
    const stopped = stop();
    await Promise.race([stopped, wait(settings.drainTimeout * 1000)]);
    await Promise.race([flush(), wait(FLUSH_MS)]);
    await engine.close(0); // cancels statements that outlived the drain period, so that their requests get a response
    closeConnections();
    await stopped;
    observe({ kind: 'service.stopped', ms: clock.monotonic() - started });
  };
  let ended: Promise<void> | undefined;
  return (reason) => {
    if (ended !== undefined) delay.abort();
    return (ended ??= end(reason));
  };
}

const wait = (ms: number): Promise<void> => setTimeout(ms, undefined, { ref: false });

function ignore(): void {}
