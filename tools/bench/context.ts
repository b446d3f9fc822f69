// Prepares a benchmark row: a temporary folder, processes that end with the run, and load generation.
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import autocannon from 'autocannon';
import type { Figure, Row } from './figures.ts';
import { startProcess, type Process } from './parts/processes.ts';

/** A row, prepared only when it is selected. */
export interface RowSource {
  readonly name: string;
  readonly prepare: (context: Context) => Promise<Omit<Row, 'name'> | { readonly rows: readonly Row[] }>;
}

export interface Context {
  /** Creates a folder inside the run's folder. */
  readonly folder: (name: string) => Promise<string>;
  /** Returns a private copy of the sample data, loaded once per run: the engine allows one process per data folder. */
  readonly sampleData: (name: string) => Promise<string>;
  /** Starts a process that ends with the run. */
  readonly start: typeof startProcess;
  /** Called when the run ends. */
  readonly onEnd: (stop: () => Promise<void>) => void;
  /** Starts the service the way operators do. */
  readonly serve: (options: ServeOptions) => Promise<Target>;
  /** Seconds that each contender is measured per round. */
  readonly seconds: number;
  /** Rows of a large table, where a benchmark generates one. */
  readonly tableRows: number;
  /** Path of the flame graph to draw of cached responses. */
  readonly picture: string | undefined;
}

export interface ServeOptions {
  readonly endpoints: string;
  readonly data: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The request to send. */
export interface Target {
  readonly url: string;
  readonly headers: Record<string, string>;
  /** Sent by POST; undefined: a GET. */
  readonly body?: string;
  readonly process: Process;
}

/** Number of concurrent connections, enough to saturate a server. */
export const MANY = 64;
const LOAD_PER_THREAD = 32;

export function createContext(
  root: string,
  processes: Pick<Process, 'stop'>[],
  settings: Pick<Context, 'seconds' | 'tableRows' | 'picture'>,
): Context {
  const start: typeof startProcess = (...args) => {
    const started = startProcess(...args);
    processes.push(started);
    return started;
  };
  let seeded: Promise<string> | undefined;
  const seed = async (): Promise<string> => {
    const data = join(root, 'samples');
    await start('bin/millrace.cjs', ['seed', '--data', data]).ended();
    return data;
  };
  return {
    folder: async (name) => {
      await mkdir(join(root, name), { recursive: true });
      return join(root, name);
    },
    sampleData: async (name) => {
      seeded ??= seed();
      await cp(await seeded, join(root, name), { recursive: true });
      return join(root, name);
    },
    start,
    onEnd: (stop) => void processes.push({ stop }),
    serve: async ({ endpoints, data, env = {} }) => {
      const flags = { port: '0', 'admin-port': '0', endpoints, seeds: endpoints, data };
      const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
      const silent = { MILLRACE_LOG_LEVEL: 'silent', MILLRACE_USAGE: 'false', ...env };
      const process = start('bin/millrace.cjs', ['serve', '--dev', ...args], silent);
      const [, url = '', key = ''] = await process.says(
        /listening on (\S+) with a temporary key for this run: (\S+)/,
      );
      return { url, headers: { 'X-API-KEY': key }, process };
    },
    ...settings,
  };
}

/** Load-tests one URL. Rejects if any response is not a success. */
export async function load(
  { url, headers, body }: Omit<Target, 'process'>,
  connections: number,
  seconds: number,
): Promise<Figure> {
  // The load generator uses several threads where one could not saturate the server.
  const workers = connections > LOAD_PER_THREAD ? { workers: connections / LOAD_PER_THREAD } : {};
  const post = body === undefined ? {} : { method: 'POST' as const, body };
  const result = await autocannon({ url, headers, ...post, connections, duration: seconds, ...workers });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} rejections, ${result.errors} errors`);
  return { rate: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

/** A figure measured by a child process (`parts/`). */
export async function ask(asked: Process, what: Readonly<Record<string, string | number>>): Promise<Figure> {
  asked.send(JSON.stringify(what));
  const [line = ''] = await asked.says(/^\{.*\}$/);
  return JSON.parse(line) as Figure; // written by parts/measurements.ts or parts/raw-pool.ts
}
