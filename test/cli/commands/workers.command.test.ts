// `millrace serve --workers`: several processes behind one port, acting as one service.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, scratch } from '../../support/command.ts';
import { startFront, type FrontProcess } from '../../support/clickhouse-front/process.ts';
import { startGate, type Gate } from '../../support/gate.ts';
import { ask, deploy, startServing, type Deployment, type Serving } from '../../support/serving.ts';
import { eventually } from '../../support/eventually.ts';

const endpoints = (): Record<string, string> => ({
  run: 'query: SELECT generateUUIDv4() AS run\n',
  gated: `query: SELECT passed FROM ${gate.table}\nlimits: { time: 600 }\n`,
});

let gate: Gate;
let front: FrontProcess;
let deployment: Deployment;
let serving: Serving;

beforeAll(async () => {
  [gate, front] = await Promise.all([startGate(), startFront(scratch())]);
  deployment = deploy(front, endpoints(), { MILLRACE_CONNECTIONS: '8' });
  serving = await serve();
});
afterAll(async () => {
  serving.running.child.kill('SIGKILL');
  await serving.running.finished;
  await Promise.all([gate.close(), front.kill()]);
});

interface Started {
  readonly pid: number;
  readonly address: string;
  readonly admin: string;
}

/** Every worker that said so, those that have ended included. */
const startedBy = ({ running }: Serving): readonly Started[] =>
  [...running.output().matchAll(/^.*"event":"service\.started".*$/gm)].map(
    ([line]) => JSON.parse(line) as Started, // our own log
  );
const lost = (): readonly number[] =>
  [...serving.running.output().matchAll(/"event":"service\.worker_lost","pid":(\d+)/g)].map(([, pid]) =>
    Number(pid),
  );
const serve = async (): Promise<Serving> => {
  const service = await startServing(deployment, ['--workers', '2']);
  await eventually(() => expect(startedBy(service)).toHaveLength(2));
  return service;
};

/** Of one service, in this order. */
describe('workers', () => {
  test('share one address, and each has its own metrics', async () => {
    const started = startedBy(serving);
    expect(new Set(started.map(({ address }) => address)).size).toBe(1);
    expect(new Set(started.map(({ admin }) => admin)).size).toBe(2);
    expect(serving.running.output()).toContain('Without REDIS_URL, each worker');
    const statuses: number[] = [];
    const one = async (): Promise<void> => {
      const response = await ask(serving, 'run');
      const isWhole = (await response.text()).startsWith('{"result":[{"run":');
      statuses.push(response.status === 503 || isWhole ? response.status : 0); // a busy machine's queue is full
    };
    // A worker that the machine does not let run takes no connection.
    await eventually(async () => {
      await Promise.all(Array.from({ length: 12 }, one));
      const counts = await Promise.all(started.map(({ admin }) => answered(admin)));
      expect(Math.min(...counts)).toBeGreaterThan(0);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(statuses.length);
    });
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => ![200, 503].includes(status))).toEqual([]);
    expect(new Set(started.map(({ pid }) => pid))).toEqual(new Set(workersOf(serving)));
  });

  test('a lost one is replaced, and calls continue', async () => {
    const [victim = 0] = workersOf(serving);
    process.kill(victim, 'SIGKILL');
    await eventually(() => expect(startedBy(serving)).toHaveLength(3));
    expect(lost()).toEqual([victim]);
    expect(serving.running.output()).toMatch(/"service\.worker_lost","pid":\d+,"code":-1,"signal":"SIGKILL"/);
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await ask(serving, 'run')).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('running calls are answered when it is asked to stop', async () => {
    const running = Array.from({ length: 6 }, () => ask(serving, 'gated'));
    const statuses = Promise.all(running.map(async (each) => (await each).status));
    await eventually(async () => expect(await held()).toBe(6)); // they run, or wait for a connection
    const finished = serving.stop();
    await serving.running.says(/(?:"event":"service\.stopping"[^]*){2}/); // both workers
    gate.open();
    expect(await statuses).toEqual(running.map(() => 200));
    expect((await finished).code).toBe(0);
  });
});

test('workers end with the process that started them', async () => {
  const service = await serve();
  service.running.child.kill('SIGKILL');
  await eventually(() => expect(ask(service, 'run')).rejects.toThrow('fetch failed'));
});

test('an error at startup is reported once', async () => {
  const { cwd, env } = deploy(front, endpoints());
  writeFileSync(join(cwd, 'tokens.yaml'), 'tokens: [{ name: a }]\n');
  const { code, err } = await run(['serve', '--workers', '2', '--port', '0', '--admin-port', '0'], {
    cwd,
    env,
  });
  expect(code).toBe(1);
  expect(err.match(/requires a valid tokens file to start/g)).toHaveLength(1);
});

test.each([
  {
    args: ['--workers', '2'],
    env: {},
    code: 1,
    says: /requires a ClickHouse server/,
    why: 'with the embedded engine',
  },
  { args: ['--workers', '0'], code: 2, says: /from 1 to 64/, why: 'with zero workers' },
  { args: ['--workers', 'many'], code: 2, says: /from 1 to 64/, why: 'without a number' },
  { args: ['--workers', '2', '--dev'], code: 1, says: /--dev/, why: 'in development' },
])('are rejected $why', async ({ args, env, code, says }) => {
  const { cwd } = deployment;
  const finished = await run(['serve', ...args], { cwd, env: env ?? deployment.env });
  expect(finished.code).toBe(code);
  expect(finished.err).toMatch(says);
});

/** Calls that one worker has answered. */
async function answered(admin: string): Promise<number> {
  const text = await (await fetch(`${admin}/metrics`)).text();
  const counts = text.matchAll(/^millrace_requests_total\{endpoint="run".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Statements that all workers run, or that wait for a connection. */
async function held(): Promise<number> {
  const alive = startedBy(serving).filter(({ pid }) => !lost().includes(pid));
  const texts = await Promise.all(alive.map(async ({ admin }) => (await fetch(`${admin}/metrics`)).text()));
  const gauges = texts
    .join('\n')
    .matchAll(/^millrace_engine_statements\{state="(?:running|waiting)"\} (\d+)$/gm);
  return [...gauges].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Process ids: children of the one that was started. */
function workersOf({ running }: Serving): readonly number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(running.child.pid)]);
  return stdout.toString().trim().split(/\s+/).map(Number);
}
