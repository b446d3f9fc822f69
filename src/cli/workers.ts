// `millrace serve --workers N`: several processes behind one port, started, replaced and stopped together.
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../core/observation.ts';
import { CommandError } from './command-error.ts';
import type { ServeDeps } from './serve.ts';

/** One process that serves. */
export interface Worker {
  readonly pid: number;
  /** Resolves when it listens; never, when it ends before. */
  readonly listening: Promise<void>;
  /** Resolves with its exit code, or -1 when a signal ended it. */
  readonly exited: Promise<number>;
  signal(name: 'SIGTERM' | 'SIGHUP'): void;
}

/** Processes of the same command line that share its port. */
export interface Workers {
  /** Which of them this process is, from 0; undefined when it is none. */
  readonly index: number | undefined;
  fork(index: number): Worker;
}

export interface SupervisorDeps {
  readonly workers: Workers;
  readonly onSignal: ServeDeps['onSignal'];
  readonly observe: Observe;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
}

const MOST = 64;
/** Between the end of a worker and the start of the next one in its place. */
const PAUSE_MS = 1000;

/** Reads `--workers`; undefined when it was not given. Throws CommandError. */
export function workerCount(
  text: string | undefined,
  { clickhouse }: Pick<Settings, 'clickhouse'>,
  isDevelopment: boolean,
): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST) {
    throw new CommandError(`--workers takes a number from 1 to ${MOST}, not ${text}`, { exitCode: 2 });
  }
  if (isDevelopment)
    throw new CommandError('--workers does not go with --dev, whose key is made for one process');
  if (clickhouse === undefined) {
    throw new CommandError(
      '--workers needs a ClickHouse server (CLICKHOUSE_URL): the embedded engine belongs to one process, and uses all cores by itself',
    );
  }
  return count;
}

/** Each worker has an admin listener of its own, on the ports that follow `admin_port`. */
export function settingsOfWorker(settings: Settings, index: number | undefined): Settings {
  const { adminPort } = settings;
  return adminPort === 0 ? settings : { ...settings, adminPort: adminPort + (index ?? 0) };
}

/** Resolves with the exit code when a signal has ended all of them, or the first one could not start. */
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
      const code = await worker.exited;
      if (state.isStopping) return code;
      observe({ kind: 'service.worker_lost', pid: worker.pid, code });
      await pause(PAUSE_MS);
      if (state.isStopping) return 0;
    }
  };
  const tell = (signal: 'SIGTERM' | 'SIGHUP'): void => {
    for (const worker of running) worker.signal(signal);
  };
  onSignal({
    stop: () => {
      state.isStopping = true;
      tell('SIGTERM');
    },
    reload: () => tell('SIGHUP'),
  });
  const first = start(0);
  // Whatever is wrong with files, keys or ports is wrong for all: it is told once.
  const failed = await Promise.race([first.listening, first.exited]);
  if (failed !== undefined) return failed;
  const others = Array.from({ length: state.isStopping ? 0 : count - 1 }, (_, n) => start(n + 1));
  const codes = await Promise.all([first, ...others].map(keep));
  return Math.max(0, ...codes.map((code) => (code === 0 ? 0 : 1)));
}
