// Vitest runs each test file in a process of its own: the embedded engine allows one data directory a process.
import { defineConfig } from 'vitest/config';

// Read by libuv when a process starts; native engine calls need more threads than the default of four.
process.env['UV_THREADPOOL_SIZE'] ??= '24';
process.env['TZ'] = 'UTC';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: [
      'test/support/require-redis.ts',
      'test/support/require-chromium.ts',
      'test/support/build.ts',
    ],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
