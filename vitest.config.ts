// Vitest runs each test file in a process of its own: the embedded engine allows one data directory a process.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Read by libuv when a process starts; native engine calls need more threads than the default of four.
process.env['UV_THREADPOOL_SIZE'] ??= '24';
process.env['TZ'] = 'UTC';

// Time-outs end what hangs; no test may depend on how fast the machine is.
const common = { pool: 'forks', testTimeout: 300_000, hookTimeout: 300_000 } as const;

/** Files of the whole service whose answers depend on the engine: they run on both. */
const BOTH = [
  'cache',
  'consumer-queries',
  'formats',
  'http',
  'labels',
  'limits',
  'non-interference',
  'observability',
  'sending',
  'shipped-endpoints',
  'tenants',
];

export default defineConfig({
  test: {
    maxWorkers: availableParallelism() + 1, // two more than by default: files wait for processes and engines much of their time
    globalSetup: [
      'test/support/temporary-folder.ts',
      'test/support/require-redis.ts',
      'test/support/require-chromium.ts',
      'test/support/build.ts',
    ],
    projects: [
      { test: { name: 'embedded', include: ['test/**/*.test.ts'], ...common } },
      {
        test: {
          name: 'http',
          include: BOTH.map((name) => `test/service/${name}.test.ts`),
          env: { MILLRACE_TEST_ENGINE: 'http' },
          ...common,
        },
      },
    ],
  },
});
