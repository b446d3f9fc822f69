// What a test file needs is its suffix: `lexer.test.ts` runs in one process and starts nothing, `rows.engine.test.ts` starts an engine.
import { TEST_FILES } from './test-files.ts';

/** The suffixes of `npm test`, in the order in which a run begins with them. */
export const NEEDS = [
  /** Long lists of cases, in one process with engines: minutes. */
  'corpus',
  /** Generated cases, likewise. */
  'fuzz',
  /** A browser, and the built page. */
  'browser',
  /** The built commands. */
  'command',
  /** Redis servers. */
  'redis',
  /** Whole services, in the process of the test. */
  'service',
  /** Services whose responses depend on the engine: `npm test` runs each on one engine, `npm run check -- engines` on the other one. */
  'engines',
  /** An engine, in the process of the test. */
  'engine',
] as const;

export type Need = (typeof NEEDS)[number] | 'unit';

/** The paths of the files with a suffix. */
export const globOf = (need: (typeof NEEDS)[number]): string => `test/**/*.${need}.test.ts`;

/** What a file needs, such as `test/sql/clickhouse/lexer.test.ts`: nothing, it is `unit`. */
export const needOf = (file: string): Need =>
  NEEDS.find((need) => file.endsWith(`.${need}.test.ts`)) ?? 'unit';

const ON_BOTH = TEST_FILES.filter((file) => needOf(file) === 'engines').toSorted();

/** Whether a file runs on ClickHouse's HTTP interface, and not on the embedded engine: `half` of those for both, the `other` half, or `none`. */
export function isOnHttp(file: string, half: string): boolean {
  const index = ON_BOTH.indexOf(file);
  return index >= 0 && ['half', 'other'][index % 2] === half;
}
