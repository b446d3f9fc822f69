// The projects of `vitest.config.ts`: a test file that starts something is in a project that provides it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isListed, ON_BOTH_ENGINES, PROJECT_FILES, WAITING } from './support/projects.ts';
import { importsOf, TEST_FILES } from './support/test-files.ts';

const ROOT = join(import.meta.dirname, '..');
const LISTED = Object.values(PROJECT_FILES).flat();

const { redis, service, commands, browser } = PROJECT_FILES;

test.each([
  { starts: 'test/support/browser.ts', allowed: [...browser] },
  { starts: 'test/support/command.ts', allowed: [...commands, ...browser] },
  { starts: 'test/support/redis.ts', allowed: [...redis, ...service, ...commands] },
  { starts: 'test/support/service.ts', allowed: [...service, ...commands] },
])('tests that import $starts are in a project for it', ({ starts, allowed }) => {
  const files = TEST_FILES.filter((file) => importsOf(file).has(starts));
  expect(files).not.toEqual([]);
  expect(files.filter((file) => !isListed(file, allowed))).toEqual([]);
});

test('every listed file and folder exists', () => {
  const absent = [...LISTED, ...ON_BOTH_ENGINES, ...WAITING].filter(
    (each) => !existsSync(join(ROOT, each.endsWith('/') ? each : `${each}.test.ts`)),
  );
  expect(absent).toEqual([]);
});
