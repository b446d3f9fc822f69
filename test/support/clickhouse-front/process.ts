// A ClickHouse front in a separate process, which tests kill, freeze and restart over the same data.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PROGRAMS } from '../program-file.ts';
import { freePort } from '../redis.ts';

export interface FrontProcess {
  readonly url: string;
  /** Environment for the processes that use it. */
  readonly env: Readonly<Record<string, string>>;
  /** Stops responding without closing anything (SIGSTOP). */
  freeze(): void;
  thaw(): void;
  /** Exits at once; its connections break. */
  kill(): Promise<void>;
  /** Listens again on the same port, over the same data. */
  start(): Promise<void>;
}

/** Compiled in a run of the tests (`../engine-program.ts`), else compiled when it starts. */
const { TEST_RUN_FOLDER } = process.env;
const PROGRAM =
  TEST_RUN_FOLDER === undefined
    ? ['--import', 'tsx', join(import.meta.dirname, 'main.ts')]
    : [join(TEST_RUN_FOLDER, PROGRAMS, 'clickhouse-front.mjs')];

/** `folder` holds its data; the user is `millrace`, the password `secret`. */
export async function startFront(folder: string): Promise<FrontProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let server = await run(folder, port);
  return {
    url,
    env: { CLICKHOUSE_URL: url, CLICKHOUSE_USER: 'millrace', CLICKHOUSE_PASSWORD: 'secret' },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    kill: async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
    },
    start: async () => {
      server = await run(folder, port);
    },
  };
}

async function run(folder: string, port: number): Promise<ChildProcess> {
  const args = [...PROGRAM, join(folder, 'front'), String(port)];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = (): void => void server.kill('SIGKILL');
  process.once('exit', end);
  server.once('exit', () => process.removeListener('exit', end));
  const failed = once(server, 'exit').then(([code]) => {
    throw new Error(`the front ended with ${String(code)}`);
  });
  await Promise.race([failed, once(server.stdout, 'data')]);
  failed.catch(() => undefined);
  return server;
}
