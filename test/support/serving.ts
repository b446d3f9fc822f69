// `millrace serve` processes over a front, for tests of several processes and of engine faults.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashKey } from '../../src/service/auth/keyring.ts';
import { scratch, start, type Finished, type Running } from './command.ts';
import type { FrontProcess } from './clickhouse-front/process.ts';

export const SERVING_KEY = 'a-key-for-everything';
/** Each key allows 20 requests per hour. */
export const RATED_KEY = 'a-key-with-a-rate';
/** A second of the engine per hour. */
export const BUDGET_KEY = 'a-key-with-a-budget';

/** What all processes serve, and how. */
export interface Deployment {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The text of the tokens file. */
  readonly tokens: string;
}

export interface Serving {
  readonly address: string;
  /** The admin listener's address. */
  readonly admin: string;
  readonly running: Running;
  /** Sends SIGTERM; resolves after the exit. */
  stop(): Promise<Finished>;
}

/** Endpoint files by name, and the keys. */
export function deploy(
  front: Pick<FrontProcess, 'env'>,
  endpoints: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Deployment {
  const cwd = scratch();
  mkdirSync(join(cwd, 'endpoints'));
  for (const [index, [name, text]] of Object.entries(endpoints).entries()) {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    writeFileSync(join(cwd, 'endpoints', `${name}.yaml`), `id: ${id}\nname: ${name}\n${text}`);
  }
  const keys = [
    `{ name: everything, sha256: ${hashKey(SERVING_KEY)}, endpoints: ['*'] }`,
    `{ name: rated, sha256: ${hashKey(RATED_KEY)}, endpoints: ['*'], rate: 20/h }`,
    `{ name: budgeted, sha256: ${hashKey(BUDGET_KEY)}, endpoints: ['*'], budget: { time: 1s/hour } }`,
  ];
  const tokens = `tokens:\n${keys.map((key) => `  - ${key}\n`).join('')}`;
  writeFileSync(join(cwd, 'tokens.yaml'), tokens);
  const patient = { MILLRACE_DRAIN_TIMEOUT: '600' };
  const own = { MILLRACE_TOKENS: 'tokens.yaml', MILLRACE_LOG_LEVEL: 'debug' };
  return { cwd, env: { ...front.env, ...patient, ...own, ...env }, tokens };
}

/** Resolves when it listens, on free ports. */
export async function startServing(
  { cwd, env }: Deployment,
  args: readonly string[] = [],
  bin?: string,
): Promise<Serving> {
  const options = { cwd, env, ...(bin === undefined ? {} : { bin }) };
  const running = start(['serve', '--port', '0', '--admin-port', '0', ...args], options);
  const [line] = await running.says(/^.*"event":"service\.started".*$/m);
  const { address, admin } = JSON.parse(line) as { address: string; admin: string }; // our own log
  return {
    address,
    admin,
    running,
    stop: () => {
      running.child.kill('SIGTERM');
      return running.finished;
    },
  };
}

/** Calls an endpoint, as `name?parameters`. */
export function ask(
  { address }: Pick<Serving, 'address'>,
  path: string,
  key = SERVING_KEY,
): Promise<Response> {
  return fetch(`${address}/api/endpoints/query/${path}`, { headers: { 'X-API-KEY': key } });
}
