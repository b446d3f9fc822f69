// The embedded engine's process: killed, frozen, or blocked by a statement.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Observation } from '../../../src/sql/base/observation.ts';
import {
  createEmbeddedEngine,
  type EmbeddedOptions,
} from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine, Fatality, Statement } from '../../../src/service/engine/engine.ts';
import { after as realTimer } from '../../../src/sql/base/clock.ts';
import { collect, failureOf, rows, statement } from '../../support/engine-statements.ts';
import { compiledProgram } from '../../support/program-file.ts';
import { eventually } from '../../support/eventually.ts';
import { REACHING_GATES, startGate, type Gate } from '../../support/gate.ts';
import { REAL_TIME } from '../../support/real-time.ts';

/** One block that runs for minutes: neither a time limit nor KILL QUERY ends it. */
const UNINTERRUPTIBLE = 'SELECT arrayLevenshteinDistance(range(400000), range(300000)) AS n';
const ENDLESS = 'SELECT count() AS n FROM numbers(1000000000000) WHERE sipHash64(number) = 1';

/** Waits of the engine, by which its timers are told apart. */
const OVERDUE_GRACE_MS = 3000;
const CHECK_EVERY_MS = 5000;
const CHECK_MS = 15_000;

const folder = await mkdtemp(join(tmpdir(), 'millrace-process-'));
const path = join(folder, 'data');
const observed: Observation[] = [];
/** Whether the engine was up whenever its process had ended or was replaced. */
const up: boolean[] = [];
let engine: Engine;
let gate: Gate;
beforeEach(async () => {
  gate = await startGate();
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  await gate.close();
  await engine.close(0);
});
/** A statement that runs until the gate is opened. */
const gated = (): Statement => statement(`SELECT passed, 'done' AS text FROM ${gate.table}`);

async function open(options: Partial<EmbeddedOptions> = {}): Promise<void> {
  observed.length = 0;
  const observe = (each: Observation): void => {
    observed.push(each);
    if (each.kind.startsWith('engine.process_')) up.push(engine.isUp());
  };
  engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path,
    connections: 3,
    queue: 100,
    memory: 2 ** 30,
    ...REACHING_GATES,
    observe,
    ...options,
  });
}

/** The engine writes its process id into the data directory. */
async function enginePid(): Promise<number> {
  return Number(/^PID: (\d+)$/m.exec(await readFile(join(path, 'status'), 'utf8'))?.[1]);
}

const ends = (): Observation[] => observed.filter(({ kind }) => kind === 'engine.process_ended');
const restarts = (): Observation[] => observed.filter(({ kind }) => kind === 'engine.process_restarted');
const restarted = (): Promise<void> => eventually(() => expect(restarts()).toHaveLength(1));

/** A consumer statement whose ends of the process are collected. */
function consumer(sql: string, limits: Partial<Statement['limits']> = {}) {
  const fatal: Fatality[] = [];
  const what = statement(sql, { origin: 'consumer', limits, onFatal: (each) => fatal.push(each) });
  return { what, fatal };
}

/** The rows of saved statements that run one after another, the last one while the process is replaced. */
async function sleepUntilRestarted(): Promise<unknown[]> {
  const all: unknown[] = [];
  while (restarts().length === 0)
    all.push(await rows(engine, statement("SELECT sleep(2) AS n, 'done' AS text")));
  return all;
}

/** Resolves when so many statements run in the engine. */
const PROCESSES =
  "SELECT count() AS n FROM system.processes WHERE query NOT LIKE '%system.processes%' AND query NOT LIKE 'KILL%'";

/** Resolves when so many statements run, in the engine's own view if there are any. */
const running = (count: number): Promise<void> =>
  eventually(async () => {
    expect(engine.load().running).toBe(count);
    if (count > 0) expect(await rows(engine, statement(PROCESSES))).toEqual([{ n: count }]);
  });

describe('a statement that cannot be interrupted', () => {
  const openWithGrace = (graceMs: number): Promise<void> =>
    open({ after: (ms, action) => realTimer(ms === OVERDUE_GRACE_MS ? graceMs : ms, action) });

  test('is rejected at its time limit, and its process is replaced; a saved statement runs again', async () => {
    await openWithGrace(100);
    const { what, fatal } = consumer(UNINTERRUPTIBLE, { time: 0.2 });
    const stuck = failureOf(collect(engine, what, { comment: 'who asked' }));
    const beside = sleepUntilRestarted();
    expect((await stuck).failure).toBe('timeout');
    expect(fatal).toEqual([]);
    await restarted();
    expect(fatal).toEqual(['overdue']);
    expect(ends()).toMatchObject([{ reason: 'overdue', signal: 'SIGKILL' }]);
    expect(observed).toContainEqual({
      kind: 'engine.statement_fatal',
      origin: 'consumer',
      fatality: 'overdue',
      comment: 'who asked',
    });
    for (const each of await beside) expect(each).toEqual([{ n: 0, text: 'done' }]);
    expect(restarts()).toHaveLength(1);
  });

  test('is distinguished from one that ends late by itself', async () => {
    await openWithGrace(100_000);
    // sleep() looks at no limit before it is over, within the grace after its time limit.
    const { what, fatal } = consumer('SELECT sleep(2) AS n', { time: 0.1 });
    expect((await failureOf(collect(engine, what))).failure).toBe('timeout');
    await running(0);
    expect([fatal, ends()]).toEqual([[], []]);
  });

  test('makes the engine not ready while all connections are held', async () => {
    const overdue = new Set<() => void>();
    const after: typeof realTimer = (ms, action) => {
      if (ms !== OVERDUE_GRACE_MS) return realTimer(ms, action);
      overdue.add(action);
      return () => void overdue.delete(action);
    };
    await open({ after });
    const stuck = [1, 2, 3].map((n) => consumer(`${UNINTERRUPTIBLE}, ${n} AS m`, { time: 0.2 }));
    const runs = stuck.map(({ what }) => failureOf(collect(engine, what)));
    await Promise.all(runs);
    await eventually(async () => {
      expect((await failureOf(engine.ping())).message).toContain('past its time limit');
    });
    for (const end of overdue) end();
    await restarted();
    await engine.ping();
  });

  test('does not prevent closing the engine or reopening the directory', async () => {
    await open();
    const stuck = failureOf(collect(engine, consumer(UNINTERRUPTIBLE).what));
    await running(1);
    await engine.close(0);
    expect((await stuck).failure).toBe('unavailable');
    expect(ends()).toEqual([]);
    await open();
    expect(await rows(engine, statement('SELECT 1 AS n'))).toEqual([{ n: 1 }]);
  });
});

describe('a process that exits', () => {
  beforeEach(() => open());
  const kill = async (): Promise<void> => void process.kill(await enginePid(), 'SIGKILL');

  test('saved statements are retried once; the only consumer statement is considered the cause', async () => {
    const saved = rows(engine, gated());
    const { what, fatal } = consumer(ENDLESS);
    const asked = failureOf(collect(engine, what));
    await running(2);
    await kill();
    expect([(await asked).failure, fatal]).toEqual(['unavailable', ['crash']]);
    await gate.reached(2);
    gate.open();
    expect(await saved).toEqual([{ passed: 1, text: 'done' }]);
    expect(ends()).toMatchObject([{ reason: 'exited', signal: 'SIGKILL' }]);
  });

  test('the engine is down until another has started', async () => {
    up.length = 0;
    expect(engine.isUp()).toBe(true);
    await kill();
    await eventually(() => expect(restarts()).toHaveLength(1));
    expect(up).toEqual([false, true]);
  });

  test('with several consumer statements, each is suspected', async () => {
    const several = [consumer(ENDLESS), consumer(`${ENDLESS} -- another`)];
    const runs = several.map(({ what }) => failureOf(collect(engine, what)));
    await running(2);
    await kill();
    for (const run of runs) expect((await run).failure).toBe('unavailable');
    expect(several.map(({ fatal }) => fatal)).toEqual([['suspected'], ['suspected']]);
  });

  test('a statement that had already finished is not suspected', async () => {
    const { what, fatal } = consumer('SELECT 1 AS n');
    await collect(engine, what);
    const { what: other, fatal: cause } = consumer(ENDLESS);
    const run = failureOf(collect(engine, other));
    await running(1);
    await kill();
    await run;
    expect([fatal, cause]).toEqual([[], ['crash']]);
  });

  test('a command that writes is not retried', async () => {
    await engine.execute('CREATE DATABASE IF NOT EXISTS kept; DROP TABLE IF EXISTS kept.written');
    await engine.execute('CREATE TABLE kept.written (n UInt8) ENGINE = MergeTree ORDER BY n');
    const write = failureOf(engine.execute(`INSERT INTO kept.written SELECT passed FROM ${gate.table}`));
    await running(1);
    await kill();
    expect((await write).failure).toBe('lost');
    await restarted();
    expect(await rows(engine, statement('SELECT count() AS n FROM kept.written'))).toEqual([{ n: 0 }]);
  });

  test('repeatedly: requests sent meanwhile succeed', async () => {
    for (let round = 1; round <= 3; round++) {
      await kill();
      expect(await rows(engine, statement(`SELECT ${round} AS n`))).toEqual([{ n: round }]);
      await eventually(() => expect(restarts()).toHaveLength(round));
    }
  });
});

describe('a process that does not respond', () => {
  test('is replaced after its health check', async () => {
    // The pause between checks is shortened; the time in which a check has to pass ends when the test says so.
    const checks = new Set<() => void>();
    const after = (ms: number, action: () => void): (() => void) => {
      if (ms !== CHECK_MS) return realTimer(ms === CHECK_EVERY_MS ? 50 : ms, action);
      checks.add(action);
      return () => void checks.delete(action);
    };
    await open({ after });
    await eventually(() => expect(engine.memory?.()).toBeGreaterThan(2 ** 26));
    process.kill(await enginePid(), 'SIGSTOP');
    await eventually(() => {
      if (ends().length === 0) for (const expire of checks) expire();
      expect(restarts()).toHaveLength(1);
    });
    expect(ends()).toMatchObject([{ reason: 'unresponsive' }]);
    expect(await rows(engine, statement('SELECT 1 AS n'))).toEqual([{ n: 1 }]);
  });
});

describe('the process', () => {
  test.runIf(process.platform === 'linux')('does not inherit its parent’s secrets', async () => {
    vi.stubEnv('MILLRACE_SECRET', 'not-for-queries');
    await open();
    const environment = await readFile(`/proc/${await enginePid()}/environ`, 'utf8');
    vi.unstubAllEnvs();
    expect(environment).toContain('TZ=UTC');
    expect(environment).not.toContain('not-for-queries');
  });

  test('exits with its parent, whatever runs in it', async () => {
    await open();
    await engine.close(0);
    const parent = spawn(process.execPath, [compiledProgram('engine-parent'), path, UNINTERRUPTIBLE], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(parent.stdout, 'data');
    const pid = await enginePid();
    expect(pid).not.toBe(parent.pid);
    parent.kill('SIGKILL');
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
    await open();
    expect(await rows(engine, statement('SELECT 1 AS n'))).toEqual([{ n: 1 }]);
  });

  test('ignores terminal signals, which its parent handles', async () => {
    await open();
    const asked = rows(engine, gated());
    await running(1);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(await enginePid(), signal);
    gate.open();
    expect(await asked).toEqual([{ passed: 1, text: 'done' }]);
    expect(ends()).toEqual([]);
  });
});
