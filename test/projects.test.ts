// The projects of `vitest.config.ts`: a test file that starts something has the suffix of a project that provides it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NEEDS, needOf, type Need } from './support/projects.ts';
import { importsOf, TEST_FILES } from './support/test-files.ts';

const ROOT = join(import.meta.dirname, '..');
const SERVICES: readonly Need[] = ['service', 'engines', 'command', 'browser'];
const ENGINES: readonly Need[] = ['engine', 'corpus', 'fuzz', 'redis', ...SERVICES];

test.each<{ readonly starts: string; readonly allowed: readonly Need[] }>([
  { starts: 'test/support/browser.ts', allowed: ['browser'] },
  { starts: 'test/support/command.ts', allowed: ['command', 'browser'] },
  { starts: 'test/support/redis.ts', allowed: ['redis', ...SERVICES] },
  { starts: 'test/support/service.ts', allowed: SERVICES },
  { starts: 'test/support/test-engine.ts', allowed: ENGINES },
  { starts: 'test/sql/clickhouse/oracle.ts', allowed: ENGINES },
])('tests that import $starts have a suffix for it', ({ starts, allowed }) => {
  const files = TEST_FILES.filter((file) => importsOf(file).has(starts));
  expect(files).not.toEqual([]);
  expect(files.filter((file) => !allowed.includes(needOf(file)))).toEqual([]);
});

test('a file that starts an embedded engine itself has a suffix for it', () => {
  const starts = /\bimport \{[^}]*\bcreateEmbeddedEngine\b/;
  const files = TEST_FILES.filter((file) => starts.test(readFileSync(join(ROOT, file), 'utf8')));
  expect(files).not.toEqual([]);
  expect(files.filter((file) => !ENGINES.includes(needOf(file)))).toEqual([]);
});

test('every suffix is of a project', () => {
  const suffixes = TEST_FILES.flatMap((file) => file.split('/').at(-1)?.split('.').slice(1, -2));
  expect(suffixes.filter((each) => !NEEDS.some((need) => need === each))).toEqual([]);
});
