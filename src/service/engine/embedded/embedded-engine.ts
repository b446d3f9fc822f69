// ClickHouse in a separate process (chDB): a queue in front of a pool of native connections to one data directory.
import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import type { Observe } from '../../../sql/base/observation.ts';
import { EngineError, type Engine } from '../engine.ts';
import { createEngineQueue, type EngineCapacity } from '../queue.ts';
import { createAccess, type Access } from './access.ts';
import { writeConfigFile } from './config-file.ts';
import { DEFAULT_CONFINEMENT, type Confinement, type ConfinementOptions } from './confinement/confinement.ts';
import { createDataCheck, type DataCheck } from './data-damage.ts';
import { openGeneration, reopenGeneration } from './generation.ts';
import { openStreams } from './streams.ts';
import { startSupervisor, type Supervisor } from './supervisor.ts';
import type { Runner } from './runner.ts';
import { engineOver } from './run-statements.ts';

export interface EmbeddedOptions extends EngineCapacity {
  /** The data directory, used by one process at a time. Created if missing. */
  readonly path: string;
  /** Memory limit for all queries together, in bytes. */
  readonly memory: number;
  /** Access types of sources outside of the data folder that queries may read, such as URL; default: none. */
  readonly sources?: readonly string[];
  /** Default: what the system has, and no network. */
  readonly confinement?: ConfinementOptions;
  readonly observe: Observe;
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** On close: how long cancelled statements may take to end, and how long the process may take to exit. */
const END_GRACE_MS = 500;
const EXIT_GRACE_MS = 1000;

/** Opens the engine; rejects with EngineError 'unavailable' if the directory is in use or not writable. */
export async function createEmbeddedEngine(options: EmbeddedOptions): Promise<Engine> {
  const { path, connections, sources = [], observe, after, now } = options;
  const { confinement = DEFAULT_CONFINEMENT } = options;
  const configFile = await writeConfigFile({ ...options, hasUsers: true }).catch((cause: unknown) => {
    throw new EngineError('unavailable', `cannot write to the data directory ${path}`, { cause });
  });
  const data = createDataCheck(resolve(path), observe);
  const common = { observe, after, sources, data };
  const opening = { path: resolve(path), configFile, connections, confinement, ...common };
  const rules: Access['rules'] = () => access.rules();
  let confined: Confinement = { ...confinement, layers: [] };
  const queue = createEngineQueue(options);
  const access = createAccess({
    queue,
    reopen: () => supervisor.reopen(),
    endRunning: () => {
      const active = runner.unrepeatable.size > 0 ? undefined : supervisor.active();
      if (active !== undefined) supervisor.restart(active, 'rules');
    },
    endStreams: () => streams.endAll(),
    observe,
    after,
    now,
  });
  const supervisor = await startSupervisor({
    open: async (stop) => {
      const generation = await openGeneration({ ...opening, rules, stop });
      confined = generation.confinement;
      return generation;
    },
    reopen: (generation) => reopenGeneration(generation, { ...opening, rules }),
    after,
    observe,
    now,
  });
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  const works: Pick<Runner, 'overdue' | 'unrepeatable'> = { overdue: new Set(), unrepeatable: new Set() };
  const streams = await openStreams(resolve(path));
  const runner = { queue, supervisor, observe, after, now, closing: end.signal, access, streams, ...works };

  let closed: Promise<void> | undefined;
  return {
    ...engineOver(runner, connections),
    confinement: () => confined,
    damage: data.latest,
    checkData: () => checkAgain(data, supervisor),
    close: (graceMs) => (closed ??= closeEngine(runner, end, graceMs)),
  };
}

async function checkAgain(data: DataCheck, supervisor: Supervisor): Promise<void> {
  const generation = await supervisor.current().catch(() => undefined); // the next process checks its data
  if (generation !== undefined) await data.check(generation.control);
}

async function closeEngine(
  { queue, supervisor, after }: Runner,
  end: AbortController,
  graceMs: number,
): Promise<void> {
  queue.close();
  let cancel = after(graceMs, () => {
    queue.dismiss();
    end.abort(new EngineError('unavailable', 'the engine is closing'));
    cancel = after(END_GRACE_MS, supervisor.kill);
  });
  await queue.settled();
  cancel();
  await supervisor.close(EXIT_GRACE_MS);
}
