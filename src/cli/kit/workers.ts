// `millrace serve --workers N`: several processes behind one port, started, replaced and stopped together.
import type { Settings } from '../../service/config/settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { CommandError } from './command-error.ts';
import type { ServeDeps } from './dependencies.ts';

/** A worker process. */
export interface Worker {
  readonly pid: number;
  /** Resolves when it listens; never resolves if it exits before. */
  readonly listening: Promise<void>;
  readonly exited: Promise<WorkerExit>;
  signal(name: 'SIGTERM' | 'SIGHUP'): void;
}

/** How a worker ended. */
export interface WorkerExit {
  /** The exit code; -1 if a signal ended it. */
  readonly code: number;
  /** The signal that ended it. */
  readonly signal: string | undefined;
}

/** Worker processes with the same command line, sharing its port. */
export interface Workers {
  /** The index of this worker, from 0; undefined in the supervisor. */
  readonly index: number | undefined;
  fork(index: number): Worker;
}

export interface SupervisorDeps {
  readonly workers: Workers;
  readonly onSignal: ServeDeps['onSignal'];
  readonly observe: Observe;
  /** Resolves after this many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
}

const MOST = 64;
/** Delay between the exit of a worker and the start of its replacement. */
const PAUSE_MS = 1000;

/** Parses `--workers`; undefined if it was not given. Throws CommandError. */
export function workerCount(
  text: string | undefined,
  { clickhouse }: Pick<Settings, 'clickhouse'>,
  isDevelopment: boolean,
): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST) {
    throw new CommandError(`Invalid --workers ${text}: use a number from 1 to ${MOST}`, { exitCode: 2 });
  }
  if (isDevelopment)
    throw new CommandError('--workers cannot be combined with --dev, whose key exists in one process only');
  if (clickhouse === undefined) {
    throw new CommandError(
      '--workers requires a ClickHouse server (CLICKHOUSE_URL): the embedded engine runs in one process, and uses all cores already',
    );
  }
  return count;
}

/** Each worker has its own admin listener, on consecutive ports starting at `admin_port`. */
export function settingsOfWorker(settings: Settings, index: number | undefined): Settings {
  const { adminPort } = settings;
  return adminPort === 0 ? settings : { ...settings, adminPort: adminPort + (index ?? 0) };
}

/** Resolves with the exit code once a signal has ended all workers, or the first one failed to start. */
export async function supervise(count: number, deps: SupervisorDeps): Promise<number> {
  const { workers, onSignal, observe, pause } = deps;
  const running = new Set<Worker>();
  const state = { isStopping: false };
  const start = (index: number): Worker => {
    const worker = workers.fork(index);
    running.add(worker);
    void worker.exited.then(() => running.delete(worker));
    return worker;
  };
  const keep = async (first: Worker, index: number): Promise<number> => {
    for (let worker = first; ; worker = start(index)) {
      const { code, signal } = await worker.exited;
      // One that was still starting does not handle signals yet.
      if (state.isStopping) return signal === 'SIGTERM' ? 0 : code;
      observe({
        kind: 'service.worker_lost',
        pid: worker.pid,
        code,
        ...(signal === undefined ? {} : { signal }),
      });
      await pause(PAUSE_MS);
      if (state.isStopping) return 0;
    }
  };
  const signalAll = (signal: 'SIGTERM' | 'SIGHUP'): void => {
    for (const worker of running) worker.signal(signal);
  };
  onSignal({
    stop: () => {
      state.isStopping = true;
      signalAll('SIGTERM');
    },
    reload: () => signalAll('SIGHUP'),
  });
  const first = start(0);
  // Starts one worker first: errors in files, keys or ports affect all, and are reported once.
  const failed = await Promise.race([first.listening, first.exited]);
  if (failed !== undefined) return failed.code;
  const others = Array.from({ length: state.isStopping ? 0 : count - 1 }, (_, n) => start(n + 1));
  const codes = await Promise.all([first, ...others].map(keep));
  return Math.max(0, ...codes.map((code) => (code === 0 ? 0 : 1)));
}
