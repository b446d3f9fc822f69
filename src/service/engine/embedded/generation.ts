// One opening of the data directory in the engine process and what belongs to it: the connection pool, and the control connection
// used to cancel queries and to answer health checks.
import type { Observe } from '../../../sql/base/observation.ts';
import type { After } from '../../../sql/base/clock.ts';
import { confinementFailure, type Confinement } from './confinement/confinement.ts';
import { startEngineProcess, type EngineProcess } from './engine-process.ts';
import { EngineError } from '../engine.ts';
import { watchOutput } from './engine-output.ts';
import { ownerOf } from './open-error.ts';
import { type Generation, type OpeningOptions, openData } from './open-data.ts';

export interface GenerationOptions extends OpeningOptions {
  /** Ends a process that is still being started. */
  readonly stop: AbortSignal;
}

/** Starts a process and opens the data directory in it. Rejects with EngineError; no process is left running then. */
export async function openGeneration(options: GenerationOptions): Promise<Generation> {
  const { path, observe, after, stop } = options;
  const process = startEngineProcess(options); // its channel keeps this process alive while it waits
  const noteOpened = watchOutput(process.errors, observe);
  const cancel = after(START_WITHIN_MS, process.kill);
  stop.addEventListener('abort', process.kill, { once: true });
  try {
    if (stop.aborted) process.kill();
    await untilFree(path, after, stop);
    const confinement = await confinementOf(process, observe);
    const opened = await openData(process, options);
    noteOpened();
    return { ...opened, confinement };
  } catch (cause) {
    process.kill();
    await process.ended;
    throw cause;
  } finally {
    cancel();
    stop.removeEventListener('abort', process.kill);
  }
}

/**
 * Closes every connection and opens the data again in the same process, under the rules as they are now. No statement may be
 * running. Rejects with EngineError.
 */
export async function reopenGeneration(
  { process, confinement, pool, control }: Generation,
  options: OpeningOptions,
): Promise<Generation> {
  await pool.close();
  await control.close();
  return { ...(await openData(process, options)), confinement };
}

/** Rejects with EngineError if the process lacks a layer that it is required to have. */
async function confinementOf(process: EngineProcess, observe: Observe): Promise<Confinement> {
  const confinement = await process.confinement();
  const failure = confinementFailure(confinement);
  if (failure !== undefined) throw new EngineError('unavailable', failure);
  observe({ kind: 'engine.confined', ...confinement });
  return confinement;
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
