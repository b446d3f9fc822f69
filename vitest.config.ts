// The tests in projects, by what they need: a run of one file builds nothing and starts nothing that it does not use.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { ENGINE_PROGRAM_ALIAS } from './test/support/engine-program.ts';
import { globOf, ON_BOTH_ENGINES, PROJECT_FILES } from './test/support/projects.ts';
import { Sequencer } from './test/support/sequencer.ts';

// Read by libuv when a process starts; native engine calls need more threads than the default of four.
process.env['UV_THREADPOOL_SIZE'] ??= '24';
process.env['TZ'] = 'UTC';

const cores = availableParallelism();
// Time-outs end what hangs; no test may depend on how fast the machine is.
const common = {
  pool: 'forks',
  testTimeout: 300_000,
  hookTimeout: 300_000,
  setupFiles: 'test/support/file-folder.ts',
  alias: [ENGINE_PROGRAM_ALIAS],
  // One more than cores: many of them wait for processes and engines. Each further one loads the service once more.
  maxWorkers: cores + 1,
  maxConcurrency: Math.min(cores + 1, 5),
  expect: { poll: { timeout: 120_000, interval: 25 } },
} as const;
/** Each process runs many files: loading the service takes longer than most files do. */
const shared = { isolate: false } as const;
const { long, redis, service, commands, browser } = PROJECT_FILES;
const include = {
  unit: ['test/**/*.test.ts'],
  long: long.map(globOf),
  redis: redis.map(globOf),
  service: service.map(globOf),
  http: ON_BOTH_ENGINES.map(globOf),
  commands: commands.map(globOf),
  browser: browser.map(globOf),
};
const others = Object.values(PROJECT_FILES).flatMap((files) => files.map(globOf));
const globalSetup = 'test/support/build.ts';

export default defineConfig({
  test: {
    globalSetup: 'test/support/temporary-folder.ts',
    sequence: { sequencer: Sequencer },
    // Transformed modules of the last run, by content: a quarter of the processor time of the unit tests.
    experimental: { fsModuleCache: true },
    projects: [
      { test: { ...common, ...shared, name: 'unit', include: include.unit, exclude: others } },
      { test: { ...common, ...shared, name: 'long', include: include.long } },
      { test: { ...common, ...shared, name: 'redis', include: include.redis } },
      {
        test: { ...common, ...shared, name: 'service', include: include.service, exclude: include.commands },
      },
      {
        test: {
          ...common,
          ...shared,
          name: 'http',
          include: include.http,
          env: { MILLRACE_TEST_ENGINE: 'http' },
        },
      },
      { test: { ...common, ...shared, name: 'commands', include: include.commands, globalSetup } },
      { test: { ...common, ...shared, name: 'browser', include: include.browser, globalSetup } },
    ],
  },
});
