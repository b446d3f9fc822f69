// Setup of each test file: a temporary folder of its own, removed after its last test with whatever was started in it. A test that fails says what its pages show.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import { openPages } from './open-pages.ts';
import { endProcessesOf } from './owned-processes.ts';
import { isOnHttp } from './projects.ts';

// Of the run, not `tmpdir()`: Vitest runs no hook of a file whose tests are all skipped, such as by `-t`, so that its folder stays.
const above = process.env['TEST_RUN_FOLDER'] ?? tmpdir();
// Short names: some programs put a socket here, whose path has at most 107 characters.
const folder = mkdtempSync(join(above, 'f-'));
process.env['TMPDIR'] = folder;

const { TEST_ON_HTTP: half } = process.env;
if (half !== undefined) {
  const file = relative(process.cwd(), expect.getState().testPath ?? '');
  if (isOnHttp(file, half)) process.env['MILLRACE_TEST_ENGINE'] = 'http';
  else delete process.env['MILLRACE_TEST_ENGINE'];
}

// Registered before the hooks of the file, so it runs after them.
afterAll(async () => {
  process.env['TMPDIR'] = above;
  endProcessesOf(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

afterEach(async ({ task }) => {
  const [error] = task.result?.errors ?? [];
  if (error !== undefined) error.stack = `${error.stack ?? error.message}${await openPages()}`; // which reports show
});
