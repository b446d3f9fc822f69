// The test files, and what each imports from the tests.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const IMPORT = /^(?:import|export) [^;]*?from '(\.{1,2}\/[^']+)'/gm;

/** All test files, such as `test/sql/clickhouse/lexer.engine.test.ts`. */
export const TEST_FILES = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`);

/** All files of the tests that a file imports, itself included. */
export function importsOf(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file) || !/^(?:test|faults)\//.test(file)) return seen;
  seen.add(file);
  for (const [, target = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT))
    importsOf(relative(ROOT, join(ROOT, dirname(file), target)), seen);
  return seen;
}

/** Whether a file runs a share of its cases unless `FUZZ_CASES` is set, which asks for more or for all. */
export function runsShares(file: string): boolean {
  return (
    importsOf(file).has('test/support/runs.ts') ||
    readFileSync(join(ROOT, file), 'utf8').includes('FUZZ_CASES')
  );
}
