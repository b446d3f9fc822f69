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
  /** Services whose responses depend on the engine: `npm run check -- engines` runs them on both engines, `npm test` on one of them. */
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

const ON_HTTP: ReadonlySet<string> = new Set(
  TEST_FILES.filter((file) => needOf(file) === 'engines')
    .toSorted()
    .filter((_, index) => index % 2 === 0),
);

/** Whether `npm test` runs a file on ClickHouse's HTTP interface, and not on the embedded engine. */
export const isOnHttp = (file: string): boolean => ON_HTTP.has(file);
