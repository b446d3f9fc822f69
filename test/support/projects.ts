// Which test files belong to which project of `vitest.config.ts`. Files that are not listed are `unit`: they run in one
// process each, with at most an engine, and need neither a build nor a program that is not a dependency.

/** Folders and files, without the suffix `.test.ts`. `test/projects.test.ts` holds them against the files' imports. */
export const PROJECT_FILES = {
  /** Need no more than `unit`, and minutes: probes of the engine, many engines, many generated cases, large inputs. */
  long: [
    'test/sql/bigquery/pairs',
    'test/sql/bigquery/values',
    'test/service/cache/model',
    'test/service/cache/until-data',
    'test/service/endpoints/large-files',
    'test/service/endpoints/shards',
    'test/service/endpoints/table-changes',
    'test/service/endpoints/table-set',
    'test/cli/compare/changes',
    'test/cli/compare/consumers',
    'test/cli/compare/model-changes',
    'test/cli/compare/mutants',
    'test/cli/compare/pairs',
    'test/cli/compare/query',
    'test/cli/compare/shipped-conditions',
    'test/cli/convert/convert',
    'test/cli/convert/limits',
    'test/cli/convert/values',
    'test/endpoints/seeds',
    'test/service/engine/data-damage',
    'test/service/engine/embedded-engine',
    'test/service/engine/engine-process',
    'test/service/engine/hosts',
    'test/service/engine/http-engine',
    'test/service/engine/logged-errors',
    'test/cli/import/import',
    'test/sql/lql/rows',
    'test/sql/lql/types',
    'test/guard/query/confinement',
    'test/guard/query/mutants',
    'test/guard/redact/linear',
    'test/guard/sandbox/apart',
    'test/guard/sandbox/sandbox',
    'test/guard/sandbox/equality',
    'test/guard/sandbox/function-references',
    'test/guard/sandbox/sandbox',
    'test/guard/sandbox/hidden-tables',
    'test/guard/sandbox/index-analysis',
    'test/guard/sandbox/min-group',
    'test/guard/sandbox/nested-rules',
    'test/guard/sandbox/non-interference',
    'test/guard/sandbox/page-interference',
    'test/guard/sandbox/plans',
    'test/guard/sandbox/redacted-saved',
    'test/guard/sandbox/redaction',
    'test/guard/sandbox/repeated-runs',
    'test/guard/sandbox/shape',
    'test/guard/sandbox/small-groups',
    'test/guard/sandbox/statement',
    'test/guard/sandbox/string-arguments',
    'test/guard/sandbox/subcolumns',
    'test/guard/sandbox/times',
    'test/guard/sandbox/variants',
  ],
  /** Start Redis servers. */
  redis: [
    'test/service/auth/use-stores',
    'test/service/cache/hostile',
    'test/service/cache/redis-faults',
    'test/service/cache/redis-modes',
    'test/service/cache/replicas',
    'test/service/cache/store',
    'test/service/cache/until-data-replicas',
    'test/service/limits/',
  ],
  /** Run whole services, in the process of the test. */
  service: [
    'test/service/fronts/clickhouse-clients/',
    'test/service/engine/loop-lag',
    'test/explorer/log-questions',
    'test/service/fronts/mcp/',
    'test/guard/redact/laundering',
    'test/service/request/broken-plan',
    'test/service/fronts/clickhouse/',
    'test/service/request/engine-formats',
    'test/service/request/prepare',
    'test/service/app/',
  ],
  /** Run the built commands, or read the built page. */
  commands: [
    'test/cli/commands/',
    'test/service/fronts/mcp/stdio',
    'test/service/fronts/mcp/stdio-client',
    'test/service/cache/connection-flood',
    'test/explorer/built-files',
    'test/explorer/code',
    'test/explorer/row-type',
    'test/packaging/',
    'test/service/app/engine-faults',
    'test/service/app/explorer',
    'test/service/app/keys',
    'test/service/app/openapi',
    'test/service/app/replicas',
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
  'test/service/app/cache',
  'test/service/app/clickhouse-interface',
  'test/service/app/consumer-queries',
  'test/service/app/formats',
  'test/service/app/http',
  'test/service/app/labels',
  'test/service/app/limits',
  'test/service/app/logged-values',
  'test/service/app/non-interference',
  'test/service/app/observability',
  'test/service/app/sending',
  'test/service/app/shipped-endpoints',
  'test/service/app/tenants',
] as const;

/** Files that mostly wait: for processes, connections and time-outs. Kept apart in a run of all files. */
export const WAITING = [
  'test/service/cache/replicas',
  'test/service/cache/until-data',
  'test/cli/commands/continuous-integration',
  'test/cli/commands/query-live',
  'test/cli/commands/serve',
  'test/service/engine/engine-process',
  'test/service/engine/hosts',
  'test/service/engine/http-engine',
  'test/explorer/care',
  'test/explorer/editor',
  'test/explorer/logs',
  'test/service/fronts/mcp/conformance',
  'test/service/fronts/mcp/stdio',
  'test/packaging/alerts',
  'test/service/limits/',
  'test/service/app/engine-faults',
  'test/service/app/live',
  'test/service/app/typed-live',
  'test/service/app/until-data',
] as const;

export type Kind = keyof typeof PROJECT_FILES | 'unit';

/** The glob of a listed folder or file. */
export const globOf = (listed: string): string =>
  listed.endsWith('/') ? `${listed}**/*.test.ts` : `${listed}.test.ts`;

/** Whether a file, such as `test/sql/clickhouse/lexer.engine.test.ts`, is one of the listed files or in one of the listed folders. */
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
