// Configuration of the nested run of `left-behind.test.ts`, with the setup of a real one.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: join(import.meta.dirname, '../../..'),
  test: {
    include: ['test/runner/nested/*.case.ts'],
    pool: 'forks',
    experimental: { fsModuleCache: true },
    hookTimeout: 300_000,
    globalSetup: 'test/support/temporary-folder.ts',
    setupFiles: 'test/support/file-folder.ts',
  },
});
