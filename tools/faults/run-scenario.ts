// Runs one scenario with a time limit, and cleans up everything it started, whatever the outcome.
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createRandom } from './random.ts';
import type { Check, Context, Scenario } from './scenario.ts';

export interface Result {
  readonly name: string;
  readonly pass: string;
  readonly seed: number;
  readonly seconds: number;
  readonly checks: readonly Check[];
  /** Why there are no checks: the error thrown, or a timeout. */
  readonly failure?: string;
  readonly passed: boolean;
}

export type RunOptions = Pick<Context, 'seed' | 'isShort' | 'minutes' | 'note'>;

const CLEANING_MS = 20_000;

export async function runScenario(scenario: Scenario, options: RunOptions): Promise<Result> {
  const started = performance.now();
  const ends: (() => unknown)[] = [];
  const children = new Set<ChildProcess>();
  const killAll = (): void => {
    for (const child of children) child.kill('SIGKILL');
  };
  process.once('exit', killAll);
  const summary = { name: scenario.name, pass: scenario.pass, seed: options.seed };
  const seconds = (): number => (performance.now() - started) / 1000;
  try {
    const checks = await bounded(scenario, openContext(options, ends, children));
    const passed = checks.every((each) => each.passed || (options.isShort && each.dependsOnMachine));
    return { ...summary, seconds: seconds(), checks, passed };
  } catch (cause) {
    const failure = cause instanceof Error ? cause.message : String(cause);
    options.note(cause instanceof Error ? (cause.stack ?? failure) : failure);
    return { ...summary, seconds: seconds(), checks: [], failure, passed: false };
  } finally {
    await endAll(ends);
    killAll();
    process.removeListener('exit', killAll);
  }
}

function openContext(options: RunOptions, ends: (() => unknown)[], children: Set<ChildProcess>): Context {
  const defer = (end: () => unknown): void => void ends.push(end);
  return {
    ...options,
    random: createRandom(options.seed),
    folder: async (name) => {
      const folder = await mkdtemp(join(tmpdir(), `millrace-faults-${name}-`));
      defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
      return folder;
    },
    defer,
    own: (child) => {
      children.add(child);
      child.once('exit', () => children.delete(child));
    },
  };
}

/** Short forms run beside all other tests, on machines of any speed. */
const SHORT_SLACK = 5;

async function bounded(scenario: Scenario, context: Context): Promise<readonly Check[]> {
  const seconds = context.isShort
    ? scenario.seconds.short * SHORT_SLACK
    : scenario.seconds.long + (scenario.name === 'soak' ? context.minutes * 60 : 0);
  const over = new AbortController();
  const late = setTimeout(seconds * 1000, undefined, { signal: over.signal }).then(() => {
    throw new Error(`not over after ${seconds} s`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([scenario.run(context), late]);
  } finally {
    over.abort();
  }
}

/** Cleans up in reverse order; a step that fails or hangs does not prevent the others. */
async function endAll(ends: readonly (() => unknown)[]): Promise<void> {
  const patience = new AbortController();
  const late = setTimeout(CLEANING_MS, undefined, { signal: patience.signal }).catch(() => undefined);
  for (const end of ends.toReversed()) {
    const ended = (async () => end())().catch(() => undefined);
    await Promise.race([ended, late]);
  }
  patience.abort();
}
