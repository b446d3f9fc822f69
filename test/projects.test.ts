// The projects of `vitest.config.ts`: a test file that starts something is in a project that provides it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { isListed, ON_BOTH_ENGINES, PROJECT_FILES, WAITING } from './support/projects.ts';

const ROOT = join(import.meta.dirname, '..');
const IMPORT = /^(?:import|export) [^;]*?from '(\.{1,2}\/[^']+)'/gm;
const LISTED = Object.values(PROJECT_FILES).flat();

const testFiles = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`);

/** All files of the tests that a file imports, itself included. */
function reached(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file) || !/^(?:test|faults)\//.test(file)) return seen;
  seen.add(file);
  for (const [, target = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT))
    reached(relative(ROOT, join(ROOT, dirname(file), target)), seen);
  return seen;
}

const { redis, service, commands, browser } = PROJECT_FILES;

test.each([
  { starts: 'test/support/browser.ts', allowed: [...browser] },
  { starts: 'test/support/command.ts', allowed: [...commands, ...browser] },
  { starts: 'test/support/redis.ts', allowed: [...redis, ...service, ...commands] },
  { starts: 'test/support/service.ts', allowed: [...service, ...commands] },
])('tests that import $starts are in a project for it', ({ starts, allowed }) => {
  const files = testFiles.filter((file) => reached(file).has(starts));
  expect(files).not.toEqual([]);
  expect(files.filter((file) => !isListed(file, allowed))).toEqual([]);
});

test('files that run shares of lists are in `test:lists`, which runs them whole', () => {
  const scripts = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  }; // our own file
  const whole = (scripts.scripts['test:lists'] ?? '').split(' ');
  const share = /^import \{[^}]*\b(?:some|someOfEach|sizeOf)\b[^}]*\} from '(?:\.\.\/)+support\/runs\.ts'/m;
  const files = testFiles.filter((file) => share.test(readFileSync(join(ROOT, file), 'utf8')));
  expect(files).not.toEqual([]);
  expect(files.filter((file) => !whole.includes(file))).toEqual([]);
});

test('every listed file and folder exists', () => {
  const absent = [...LISTED, ...ON_BOTH_ENGINES, ...WAITING].filter(
    (each) => !existsSync(join(ROOT, each.endsWith('/') ? each : `${each}.test.ts`)),
  );
  expect(absent).toEqual([]);
});
