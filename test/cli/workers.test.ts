// `millrace serve --workers`: several processes behind one port, acting as one service.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { run, scratch } from '../support/command.ts';
import { startFront, type FrontProcess } from '../support/clickhouse-front/process.ts';
import { startGate, type Gate } from '../support/gate.ts';
import { ask, deploy, startServing, type Deployment, type Serving } from '../support/serving.ts';
import { eventually } from '../support/eventually.ts';

const endpoints = (): Record<string, string> => ({
  run: 'query: SELECT generateUUIDv4() AS run\n',
  gated: `query: SELECT passed FROM ${gate.table}\nlimits: { time: 600 }\n`,
});

let gate: Gate;
let front: FrontProcess;
let deployment: Deployment;
let serving: Serving | undefined;

beforeAll(async () => {
  [gate, front] = await Promise.all([startGate(), startFront(scratch())]);
  deployment = deploy(front, endpoints(), { MILLRACE_CONNECTIONS: '8' });
});
afterEach(async () => {
  serving?.running.child.kill('SIGKILL');
  await serving?.running.finished;
  serving = undefined;
});
afterAll(() => Promise.all([gate.close(), front.kill()]));

interface Started {
  readonly address: string;
  readonly admin: string;
}

/** Every worker that said so. */
const started = (): readonly Started[] =>
  [...(serving?.running.output() ?? '').matchAll(/^.*"event":"service\.started".*$/gm)].map(
    ([line]) => JSON.parse(line) as Started, // our own log
  );
const serve = async (count: number): Promise<Serving> => {
  serving = await startServing(deployment, ['--workers', String(count)]);
  await eventually(() => expect(started()).toHaveLength(count));
  return serving;
};
const pidsLost = (): readonly number[] =>
  [...(serving?.running.output() ?? '').matchAll(/"event":"service\.worker_lost","pid":(\d+)/g)].map(
    ([, pid]) => Number(pid),
  );

describe('workers', () => {
  test('share one address, and each has its own metrics', async () => {
    const service = await serve(3);
    expect(new Set(started().map(({ address }) => address)).size).toBe(1);
    expect(new Set(started().map(({ admin }) => admin)).size).toBe(3);
    expect(service.running.output()).toContain('Without REDIS_URL, each worker');
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const response = await ask(service, 'run');
        return (await response.text()).startsWith('{"result":[{"run":') ? response.status : 0;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const counts = await Promise.all(started().map(({ admin }) => answered(admin)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(60);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    const lines = service.running
      .output()
      .split('\n')
      .filter((line) => line.includes('"event":"service.started"'));
    const pids = lines.map((line) => (JSON.parse(line) as { pid: number }).pid);
    expect(new Set(pids)).toEqual(new Set(workersOf(service)));
    expect((await service.stop()).code).toBe(0);
  });

  test('a lost one is replaced, and calls continue', async () => {
    const service = await serve(2);
    const victim = workerOf(service);
    process.kill(victim, 'SIGKILL');
    await eventually(() => expect(started()).toHaveLength(3));
    expect(pidsLost()).toEqual([victim]);
    expect(service.running.output()).toMatch(/"service\.worker_lost","pid":\d+,"code":-1,"signal":"SIGKILL"/);
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await ask(service, 'run')).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await service.stop()).code).toBe(0);
  });

  test('running calls are answered when it is asked to stop', async () => {
    const service = await serve(2);
    const running = Array.from({ length: 6 }, () => ask(service, 'gated'));
    const statuses = Promise.all(running.map(async (each) => (await each).status));
    await eventually(async () => expect(await held()).toBe(6)); // they run, or wait for a connection
    const finished = service.stop();
    await service.running.says(/(?:"event":"service\.stopping"[^]*){2}/); // both workers
    gate.open();
    expect(await statuses).toEqual(running.map(() => 200));
    expect((await finished).code).toBe(0);
  });

  test('they end with the process that started them', async () => {
    const service = await serve(2);
    service.running.child.kill('SIGKILL');
    await eventually(() => expect(ask(service, 'run')).rejects.toThrow('fetch failed'));
  });

  test('an error at startup is reported once', async () => {
    const { cwd, env } = deploy(front, endpoints());
    writeFileSync(join(cwd, 'tokens.yaml'), 'tokens: [{ name: a }]\n');
    const { code, err } = await run(['serve', '--workers', '3', '--port', '0', '--admin-port', '0'], {
      cwd,
      env,
    });
    expect(code).toBe(1);
    expect(err.match(/requires a valid tokens file to start/g)).toHaveLength(1);
  });
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
  const counts = text.matchAll(/^millrace_request_seconds_count\{endpoint="run".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Statements that all workers run, or that wait for a connection. */
async function held(): Promise<number> {
  const texts = await Promise.all(
    started().map(async ({ admin }) => (await fetch(`${admin}/metrics`)).text()),
  );
  const gauges = texts
    .join('\n')
    .matchAll(/^millrace_engine_statements\{state="(?:running|waiting)"\} (\d+)$/gm);
  return [...gauges].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The process id of a worker: a child of the one that was started. */
function workerOf(serving: Serving): number {
  return workersOf(serving)[0] ?? 0;
}

function workersOf({ running }: Serving): readonly number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(running.child.pid)]);
  return stdout.toString().trim().split(/\s+/).map(Number);
}
