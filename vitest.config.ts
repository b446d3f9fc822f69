// The tests in projects, by what they need: a run of one file builds nothing and starts nothing that it does not use.
// `npm test` runs them by `vitest.whole.config.ts`.
import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { ENGINE_PROGRAM_ALIAS } from './test/support/engine-program.ts';
import { globOf, NEEDS } from './test/support/projects.ts';
import { Sequencer } from './test/support/sequencer.ts';

// Read by libuv when a process starts; native engine calls need more threads than the default of four.
process.env['UV_THREADPOOL_SIZE'] ??= '24';
process.env['TZ'] = 'UTC';

const cores = availableParallelism();
// Time-outs end what hangs; no test may depend on how fast the machine is.
const common = {
  pool: 'forks',
  // Each process runs many files: loading the service takes longer than most files do.
  isolate: false,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  setupFiles: 'test/support/file-folder.ts',
  alias: [ENGINE_PROGRAM_ALIAS],
  // More than cores: many of them wait for processes and engines. Each further one loads the service once more, and slows the
  // others: on two cores, five of them took 5 % longer than four.
  maxWorkers: cores + 2,
  maxConcurrency: Math.min(cores + 1, 5),
  expect: { poll: { timeout: 120_000, interval: 50 } },
} as const;

/**
 * V8 optimizes what has run eight times as long as by default: most code of the tests runs a few times only. New objects have twice the
 * room, so that fewer of those that a test still needs are copied: 3 to 5 % of the processor time.
 */
const EXEC_ARGV = ['--interrupt-budget=1000000', '--max-semi-space-size=32'];

/** A project of the test files at these paths. */
export function project(
  name: string,
  files: { readonly include: readonly string[]; readonly exclude?: readonly string[] },
  own: { readonly globalSetup?: string; readonly env?: Readonly<Record<string, string>> } = {},
) {
  const { include, exclude = [] } = files;
  return {
    test: { ...common, execArgv: EXEC_ARGV, name, include: [...include], exclude: [...exclude], ...own },
  };
}

/** Service tests on ClickHouse's HTTP interface. */
const HTTP = project('http', { include: [globOf('engines')] }, { env: { MILLRACE_TEST_ENGINE: 'http' } });
export const ALL_FILES = ['test/**/*.test.ts'];
export const BUILT = { globalSetup: 'test/support/build.ts' };

/** All runs, whatever their projects. */
export function runOf(projects: readonly ReturnType<typeof project>[]): ViteUserConfig {
  return defineConfig({
    test: {
      globalSetup: 'test/support/temporary-folder.ts',
      sequence: { sequencer: Sequencer },
      // Transformed modules of the last run, by content: a quarter of the processor time of the unit tests.
      experimental: { fsModuleCache: true },
      projects: [...projects],
    },
  });
}

export default runOf([
  project('unit', { include: ALL_FILES, exclude: NEEDS.map(globOf) }),
  project('engine', { include: [globOf('engine')] }),
  project('corpus', { include: [globOf('corpus')] }),
  project('fuzz', { include: [globOf('fuzz')] }),
  project('redis', { include: [globOf('redis')] }),
  project('service', { include: [globOf('service'), globOf('engines')] }),
  HTTP,
  project('command', { include: [globOf('command')] }, BUILT),
  project('browser', { include: [globOf('browser')] }, BUILT),
]);
