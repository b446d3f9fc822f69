// What rows are prepared with: a folder of their own, processes that end with the run, load.
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import autocannon from 'autocannon';
import type { Figure, Row } from './figures.ts';
import { startProcess, type Process } from './parts/processes.ts';

/** A row that is prepared only when it is to be measured. */
export interface RowSource {
  readonly name: string;
  readonly prepare: (context: Context) => Promise<Omit<Row, 'name'>>;
}

export interface Context {
  /** A new folder under the run's own. */
  readonly folder: (name: string) => Promise<string>;
  /** Sample data, loaded once, in a copy of its own: the engine allows one process a folder. */
  readonly sampleData: (name: string) => Promise<string>;
  /** Started, and ended with the run. */
  readonly start: typeof startProcess;
  /** A service as operators start it. */
  readonly serve: (options: ServeOptions) => Promise<Target>;
  /** Seconds that a contender is measured in a round. */
  readonly seconds: number;
  /** Where a flame graph of a stored answer is to be drawn. */
  readonly picture: string | undefined;
}

export interface ServeOptions {
  readonly endpoints: string;
  readonly data: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What is called. */
export interface Target {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly process: Process;
}

/** Connections that keep a server busy. */
export const MANY = 64;
const LOAD_PER_THREAD = 32;

export function createContext(
  root: string,
  processes: Process[],
  { seconds, picture }: Pick<Context, 'seconds' | 'picture'>,
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
    seconds,
    picture,
  };
}

/** Answers of one URL, asked for again and again. Rejects where any is a refusal. */
export async function load(
  { url, headers }: Omit<Target, 'process'>,
  connections: number,
  seconds: number,
): Promise<Figure> {
  // From threads of its own, where one could not keep the service busy.
  const workers = connections > LOAD_PER_THREAD ? { workers: connections / LOAD_PER_THREAD } : {};
  const result = await autocannon({ url, headers, connections, duration: seconds, ...workers });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return { rate: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

/** A figure that a process of this folder measures. */
export async function ask(asked: Process, what: Readonly<Record<string, string | number>>): Promise<Figure> {
  asked.tell(JSON.stringify(what));
  const [line = ''] = await asked.says(/^\{.*\}$/);
  return JSON.parse(line) as Figure; // of parts/works.ts or parts/raw-pool.ts
}
