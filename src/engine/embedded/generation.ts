// One run of the engine process and what belongs to it: the connection pool, and the control connection used to cancel
// queries and to answer health checks.
import type { Observe } from '../../core/observation.ts';
import type { After } from '../../core/clock.ts';
import { startEngineProcess, type EngineProcess, type EngineProcessOptions } from './engine-process.ts';
import { watchOutput } from './engine-output.ts';
import { createKiller, type Killer } from './killer.ts';
import { ownerOf } from './open-error.ts';
import { createPool, type Pool } from './pool.ts';
import { openControlConnection, type ControlConnection } from './control-connection.ts';

export interface Generation {
  readonly process: EngineProcess;
  readonly pool: Pool;
  readonly control: ControlConnection;
  readonly killer: Killer;
  /** Consumer statements that are running, or were running when the process ended. */
  consumers: number;
}

export interface GenerationOptions extends EngineProcessOptions {
  readonly observe: Observe;
  readonly after: After;
  /** Ends a process that is still being started. */
  readonly stop: AbortSignal;
}

/** Starts a process and opens the data directory in it. Rejects with EngineError; no process is left running then. */
export async function openGeneration(options: GenerationOptions): Promise<Generation> {
  const { path, connections, observe, after, stop } = options;
  const process = startEngineProcess(options); // its channel keeps this process alive while it waits
  const noteOpened = watchOutput(process.errors, observe);
  const cancel = after(START_WITHIN_MS, process.kill);
  stop.addEventListener('abort', process.kill, { once: true });
  try {
    if (stop.aborted) process.kill();
    await untilFree(path, after, stop);
    const control = await openControlConnection(process);
    noteOpened();
    const killer = createKiller({ control, after, observe });
    const pool = createPool({ connections: process, limit: connections * 2, observe });
    return { process, pool, control, killer, consumers: 0 };
  } catch (cause) {
    process.kill();
    await process.ended;
    throw cause;
  } finally {
    cancel();
    stop.removeEventListener('abort', process.kill);
  }
}

/** A process that has not opened its data after this long hangs: large folders take seconds. */
const START_WITHIN_MS = 120_000;

/**
 * After a service is killed, its engine process exits slightly later, and only then releases the lock on the directory.
 */
const FREE_WITHIN_MS = 2000;
const LOOK_EVERY_MS = 50;

async function untilFree(path: string, after: After, stop: AbortSignal): Promise<void> {
  for (let waited = 0; waited < FREE_WITHIN_MS && ownerOf(path) !== undefined; waited += LOOK_EVERY_MS) {
    if (stop.aborted) return;
    await new Promise<void>((resolve) => after(LOOK_EVERY_MS, resolve));
  }
}
