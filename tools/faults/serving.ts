// The built service as a child process, with the scenario's files.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, readlink, readdir, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hashKey } from '../../src/service/auth/keyring.ts';
import { start, type Running } from '../../test/support/command.ts';
import { ask, type Asked, type Wish } from './ask.ts';
import type { Context } from './scenario.ts';

export const KEY = 'a-key-for-everything';
const START_MS = 60_000;

export interface Plan {
  /** The file's content after `id` and `name`, by endpoint name. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** Executed once, on an empty embedded engine. */
  readonly seeds?: string;
  /** Entries of the tokens file in addition to the unrestricted key. */
  readonly tokens?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A program that execs the service. */
  readonly through?: readonly string[];
}

/** A folder with everything that a service needs; successive services can use it. */
export interface Site {
  readonly cwd: string;
  readonly endpoints: string;
  readonly env: Readonly<Record<string, string>>;
  readonly through: readonly string[];
}

export interface Serving {
  readonly address: string;
  readonly site: Site;
  readonly pid: number;
  readonly running: Running;
  /** From process start to the first response. */
  readonly startMs: number;
  /** Calls an endpoint, as `name?parameters`. */
  readonly call: (path: string, wish?: Wish) => Promise<Asked>;
  /** The rows of an endpoint; rejects if the response has none. */
  readonly rows: (path: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Sum of a metric's values whose labels include all of `labels`, as `kind="x"`. */
  readonly metric: (name: string, ...labels: string[]) => Promise<number>;
  /** Log events, from level warn unless the plan overrides it. */
  readonly events: () => readonly string[];
  /** Sends SIGTERM; resolves with the exit code. */
  readonly stop: () => Promise<number | null>;
  /** Sends SIGKILL. */
  readonly kill: () => Promise<void>;
}

export function endpointFile(name: string, text: string, index = 0): string {
  return `id: 00000000-0000-4000-8000-${String(index).padStart(12, '0')}\nname: ${name}\n${text}`;
}

export async function prepareSite(context: Context, plan: Plan): Promise<Site> {
  const cwd = await context.folder('site');
  const endpoints = join(cwd, 'endpoints');
  await mkdir(endpoints);
  await mkdir(join(cwd, 'seeds'));
  if (plan.seeds !== undefined) await writeFile(join(cwd, 'seeds', '1.sql'), plan.seeds);
  for (const [index, [name, text]] of Object.entries(plan.endpoints).entries())
    await writeFile(join(endpoints, `${name}.yaml`), endpointFile(name, text, index));
  const everything = `{ name: everything, sha256: ${hashKey(KEY)}, endpoints: ['*'], allow: [sql, lql] }`;
  const tokens = [everything, ...(plan.tokens ?? [])];
  await writeFile(join(cwd, 'tokens.yaml'), `tokens:\n${tokens.map((each) => `  - ${each}\n`).join('')}`);
  const env = { MILLRACE_TOKENS: 'tokens.yaml', MILLRACE_LOG_LEVEL: 'warn', MILLRACE_MEMORY: '2GiB' };
  return { cwd, endpoints, env: { ...env, ...plan.env }, through: plan.through ?? [] };
}

/** Resolves when the service responds; rejects if it exits first. */
export async function startServing(context: Context, site: Site): Promise<Serving> {
  const [port, adminPort] = [await quietPort(), await quietPort()];
  const began = performance.now();
  const args = ['serve', '--port', String(port), '--admin-port', String(adminPort)];
  const running = start(args, { ...site, env: { ...site.env } });
  context.own(running.child);
  const kill = async (): Promise<void> => {
    running.child.kill('SIGCONT');
    running.child.kill('SIGKILL');
    await running.finished;
  };
  context.defer(kill);
  const address = `http://127.0.0.1:${port}`;
  await answering(address, running);
  const startMs = performance.now() - began;
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  context.defer(() => agent.destroy());
  const call = (path: string, wish: Wish = {}): Promise<Asked> =>
    ask(`${address}/api/endpoints/query/${path}`, {
      agent,
      ...wish,
      headers: { 'X-API-KEY': KEY, ...wish.headers },
    });
  return {
    address,
    site,
    pid: running.child.pid ?? 0,
    running,
    startMs,
    call,
    rows: async (path) => rowsOf(await call(path)),
    metric: async (name, ...labels) =>
      sumOf(await ask(`http://127.0.0.1:${adminPort}/metrics`), name, labels),
    events: () => [...running.output().matchAll(/"event":"([^"]+)"/g)].map(([, event = '']) => event),
    stop: async () => {
      running.child.kill('SIGTERM');
      return (await running.finished).code;
    },
    kill,
  };
}

/** Starts a service over a new site. */
export async function serve(context: Context, plan: Plan): Promise<Serving> {
  return startServing(context, await prepareSite(context, plan));
}

export function rowsOf({ status, body }: Asked): readonly Readonly<Record<string, unknown>>[] {
  if (status !== 200) throw new Error(`${status} ${body.toString().slice(0, 500)}`);
  const { result } = JSON.parse(body.toString()) as { result: Record<string, unknown>[] }; // our own envelope
  return result;
}

/** A free port outside the ephemeral range, which the many outgoing connections use. */
async function quietPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    probe.close();
    if (isFree) return port;
  }
}

async function answering(address: string, running: Running): Promise<void> {
  for (const end = performance.now() + START_MS; performance.now() < end;) {
    if ((await ask(`${address}/health/ready`)).status !== 0) return;
    const ended = await Promise.race([running.finished, setTimeout(5)]);
    if (ended !== undefined) throw new Error(`the service ended with ${ended.code}: ${running.output()}`);
  }
  throw new Error(`the service does not answer after ${START_MS / 1000} s: ${running.output()}`);
}

function sumOf({ body }: Asked, name: string, labels: readonly string[]): number {
  const lines = body.toString().split('\n');
  const values = lines.flatMap((line) => {
    const [, metric, rest = '', value] = /^([a-z_]+)(\{.*\})? (\S+)$/.exec(line) ?? [];
    return metric === name && labels.every((label) => rest.includes(label)) ? [Number(value)] : [];
  });
  return values.reduce((sum, value) => sum + value, 0);
}

export interface Footprint {
  /** Resident memory. */
  readonly bytes: number;
  readonly threads: number;
  /** Open files, sockets and other descriptors, except `statistics`. */
  readonly handles: number;
  /** Open files of the kernel's statistics: the engine keeps up to three for each thread that has run a query. */
  readonly statistics: number;
}

/** Resources currently held by a process and its children. Reads Linux's /proc. */
export async function footprint(pid: number): Promise<Footprint> {
  const all = await Promise.all((await family(pid)).map((each) => held(each, each === pid)));
  const sum = (value: (each: Footprint) => number): number =>
    all.reduce((total, each) => total + value(each), 0);
  return {
    bytes: sum((each) => each.bytes),
    threads: sum((each) => each.threads),
    handles: sum((each) => each.handles),
    statistics: sum((each) => each.statistics),
  };
}

/** Counts the open handles of a process and its children by kind, the most frequent first. */
export async function handleKinds(pid: number): Promise<string> {
  const counts = new Map<string, number>();
  for (const each of await family(pid)) {
    const owner = each === pid ? 'service' : 'engine';
    for (const target of await handlesOf(each)) {
      const kind = `${owner}: ${kindOf(target)}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  }
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  return sorted.map(([kind, count]) => `${kind} ${count}`).join(', ');
}

/** A process and its children. */
async function family(pid: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return [pid, ...children.split(' ').map(Number).filter(Boolean)];
}

/** Returns what the open handles of a process refer to; none if it has exited. */
async function handlesOf(pid: number): Promise<readonly string[]> {
  const handles = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(
    handles.map((each) => readlink(`/proc/${pid}/fd/${each}`).catch(() => undefined)),
  );
  return targets.filter((each) => each !== undefined); // the others were closed meanwhile
}

const STATISTICS = 'statistics of the kernel';

function kindOf(target: string): string {
  const [, kernel] = /^(socket|pipe|anon_inode):/.exec(target) ?? [];
  if (kernel === 'anon_inode') return 'events'; // epoll, eventfd, inotify, timers
  if (kernel !== undefined) return `${kernel}s`;
  if (target.startsWith('/dev/')) return 'devices';
  if (/^\/(?:proc|sys)\//.test(target)) return STATISTICS;
  return target.includes('/.millrace/') ? 'files of the data folder' : 'other files';
}

const NOTHING: Footprint = { bytes: 0, threads: 0, handles: 0, statistics: 0 };

/** Rejects if the process does not exist; a child that has exited meanwhile holds nothing. */
async function held(pid: number, isService: boolean): Promise<Footprint> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch((cause: unknown) => {
    if (isService) throw cause;
  });
  if (status === undefined) return NOTHING;
  const kinds = (await handlesOf(pid)).map(kindOf);
  const statistics = kinds.filter((kind) => kind === STATISTICS).length;
  const number = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return {
    bytes: number('VmRSS') * 1024,
    threads: number('Threads'),
    handles: kinds.length - statistics,
    statistics,
  };
}
