// Which test files belong to which project of `vitest.config.ts`. Files that are not listed are `unit`: they run in one
// process each, with at most an engine, and need neither a build nor a program that is not a dependency.

/** Folders and files, without the suffix `.test.ts`. `test/projects.test.ts` holds them against the files' imports. */
export const PROJECT_FILES = {
  /** Need no more than `unit`, and minutes: probes of the engine, many engines, many generated cases, large inputs. */
  long: [
    'test/bigquery/pairs',
    'test/bigquery/values',
    'test/cache/model',
    'test/cache/until-data',
    'test/catalog/large-files',
    'test/catalog/shards',
    'test/catalog/table-changes',
    'test/catalog/table-set',
    'test/compatibility/changes',
    'test/compatibility/consumers',
    'test/compatibility/model-changes',
    'test/compatibility/mutants',
    'test/compatibility/pairs',
    'test/compatibility/query',
    'test/compatibility/shipped-conditions',
    'test/convert/corpus',
    'test/convert/limits',
    'test/convert/values',
    'test/endpoints/seeds',
    'test/engine/data-damage',
    'test/engine/embedded-engine',
    'test/engine/engine-process',
    'test/engine/hosts',
    'test/engine/http-engine',
    'test/engine/logged-errors',
    'test/import/import',
    'test/lql/rows',
    'test/lql/types',
    'test/query-model/confinement',
    'test/query-model/mutants',
    'test/redact/linear',
    'test/sandbox/apart-fuzz',
    'test/sandbox/corpus',
    'test/sandbox/equality',
    'test/sandbox/function-references',
    'test/sandbox/fuzz',
    'test/sandbox/hidden-tables',
    'test/sandbox/index-analysis',
    'test/sandbox/min-group',
    'test/sandbox/nested-rules',
    'test/sandbox/non-interference',
    'test/sandbox/page-interference',
    'test/sandbox/plans',
    'test/sandbox/redacted-saved',
    'test/sandbox/redaction',
    'test/sandbox/repeated-runs',
    'test/sandbox/shape',
    'test/sandbox/small-groups',
    'test/sandbox/statement',
    'test/sandbox/string-arguments',
    'test/sandbox/subcolumns',
    'test/sandbox/times',
    'test/sandbox/variants',
  ],
  /** Start Redis servers. */
  redis: [
    'test/auth/use-stores',
    'test/cache/hostile-redis',
    'test/cache/redis-faults',
    'test/cache/redis-modes',
    'test/cache/replicas',
    'test/cache/store',
    'test/cache/until-data-replicas',
    'test/rate-limits/',
  ],
  /** Run whole services, in the process of the test. */
  service: [
    'test/clickhouse-clients/',
    'test/engine/loop-lag',
    'test/explorer/log-questions',
    'test/mcp/',
    'test/redact/laundering',
    'test/request/broken-plan',
    'test/request/clickhouse/',
    'test/request/engine-formats',
    'test/request/prepare',
    'test/service/',
  ],
  /** Run the built commands, or read the built page. */
  commands: [
    'test/cli/',
    'test/mcp/stdio',
    'test/mcp/stdio-client',
    'test/cache/connection-flood',
    'test/explorer/built-files',
    'test/explorer/code',
    'test/explorer/row-type',
    'test/packaging/',
    'test/service/engine-faults',
    'test/service/explorer',
    'test/service/keys',
    'test/service/openapi',
    'test/service/replicas',
  ],
  /** Start a browser. */
  browser: [
    'test/explorer/care',
    'test/explorer/editor',
    'test/explorer/first-run',
    'test/explorer/frame',
    'test/explorer/logs',
    'test/explorer/many-endpoints',
    'test/explorer/own-queries',
    'test/explorer/results',
    'test/explorer/work-kept',
    'test/runner/',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Services whose answers depend on the engine: they also run on the other engine, as project `http`. `npm test` runs every second one there. */
export const ON_BOTH_ENGINES = [
  'test/service/cache',
  'test/service/clickhouse-interface',
  'test/service/consumer-queries',
  'test/service/formats',
  'test/service/http',
  'test/service/labels',
  'test/service/limits',
  'test/service/logged-values',
  'test/service/non-interference',
  'test/service/observability',
  'test/service/sending',
  'test/service/shipped-endpoints',
  'test/service/tenants',
] as const;

/** Files that mostly wait: for processes, connections and time-outs. Kept apart in a run of all files. */
export const WAITING = [
  'test/cache/replicas',
  'test/cache/until-data',
  'test/cli/continuous-integration',
  'test/cli/query-live',
  'test/cli/serve',
  'test/engine/engine-process',
  'test/engine/hosts',
  'test/engine/http-engine',
  'test/explorer/care',
  'test/explorer/editor',
  'test/explorer/logs',
  'test/mcp/conformance',
  'test/mcp/stdio',
  'test/packaging/alerts',
  'test/rate-limits/',
  'test/service/engine-faults',
  'test/service/live',
  'test/service/typed-live',
  'test/service/until-data',
] as const;

export type Kind = keyof typeof PROJECT_FILES | 'unit';

/** The glob of a listed folder or file. */
export const globOf = (listed: string): string =>
  listed.endsWith('/') ? `${listed}**/*.test.ts` : `${listed}.test.ts`;

/** Whether a file, such as `test/sql/lexer.test.ts`, is one of the listed files or in one of the listed folders. */
export const isListed = (file: string, listed: readonly string[]): boolean =>
  listed.some((each) => (each.endsWith('/') ? file.startsWith(each) : file === `${each}.test.ts`));

/** The project of a file on the embedded engine. `service` lists folders, some files of which are in `commands`. */
export function kindOf(file: string): Kind {
  const { long, redis, commands, browser, service } = PROJECT_FILES;
  if (isListed(file, commands)) return 'commands';
  if (isListed(file, browser)) return 'browser';
  if (isListed(file, redis)) return 'redis';
  if (isListed(file, service)) return 'service';
  return isListed(file, long) ? 'long' : 'unit';
}

/** Whether `npm test` runs a file on ClickHouse's HTTP interface, and not on the embedded engine. */
export const isOnHttp = (file: string): boolean =>
  isListed(
    file,
    ON_BOTH_ENGINES.filter((_, index) => index % 2 === 0),
  );
