// Nothing that a test starts outlives the run, however the test or the runner ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratch } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { processesOf } from '../support/owned-processes.ts';
import { some } from '../support/runs.ts';

const ROOT = join(import.meta.dirname, '../..');
const RUNNER = join(ROOT, 'node_modules/vitest/vitest.mjs');
const CONFIG = join(import.meta.dirname, 'nested/vitest.config.ts');

interface Report {
  /** The temporary folder of the nested run. */
  readonly folder: string;
  readonly worker: number;
  readonly pids: readonly number[];
}

type Runner = ReturnType<typeof spawn>;

/** A nested run, once its test has started its processes. */
async function startRun(
  starts: 'everything' | 'some',
  endsBy: string,
): Promise<{ readonly runner: Runner; readonly report: Report }> {
  const path = join(scratch(), 'report.json');
  const { VITEST: _, ...env } = process.env;
  const runner = spawn(process.execPath, [RUNNER, 'run', '--config', CONFIG], {
    cwd: ROOT,
    stdio: 'ignore',
    env: { ...env, STARTS: starts, ENDS_BY: endsBy, REPORT: path },
  });
  onTestFinished(() => void runner.kill('SIGKILL'));
  const report = await eventually(() => JSON.parse(readFileSync(path, 'utf8')) as Report); // written by the nested test
  return { runner, report };
}

/** Empty if the process has ended: browsers start some for a moment only. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

const STARTED = [
  'redis-server',
  'clickhouse-front',
  'engine-program.ts',
  'engine-program.js',
  'millrace.cjs',
  'chrom',
];

/** Resolves when the processes and the folder of the nested run are gone. */
const gone = ({ folder, pids }: Report): Promise<void> =>
  eventually(() => {
    expect(processesOf(folder)).toEqual([]);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

test('a runner that is killed', async () => {
  const { runner, report } = await startRun('everything', 'hanging');
  const names = report.pids.map(commandOf).join('\n');
  expect(STARTED.filter((name) => !names.includes(name))).toEqual([]);
  runner.kill('SIGKILL');
  await once(runner, 'exit');
  await expect(gone(report)).resolves.toBeUndefined();
});

test.each(some(['SIGINT', 'SIGTERM'] as const, 2))('a runner that ends by %s', async (signal) => {
  const { runner, report } = await startRun('some', 'hanging');
  runner.kill(signal);
  await once(runner, 'exit');
  await expect(gone(report)).resolves.toBeUndefined();
});

test.each(some(['time-out', 'failing'], 2))('a test that ends by %s', async (endsBy) => {
  const { runner, report } = await startRun('some', endsBy);
  const [code] = (await once(runner, 'exit')) as [number | null]; // Node's event
  expect(code).toBe(1);
  await expect(gone(report)).resolves.toBeUndefined();
});

test('a worker that is killed', async () => {
  const { runner, report } = await startRun('some', 'hanging');
  process.kill(report.worker, 'SIGKILL');
  await once(runner, 'exit');
  await expect(gone(report)).resolves.toBeUndefined();
});
