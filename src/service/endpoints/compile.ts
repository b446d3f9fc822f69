// Compiles the text of a file to an endpoint: parse, validate, compose, check, build. Reports all findings at once.
import { locateAll } from '../config/locate-finding.ts';
import { hash } from 'node:crypto';
import { epoch } from '../../sql/base/clock.ts';
import type { Finding } from '../../sql/base/finding.ts';
import type { EngineSources } from '../../sql/clickhouse/outside-sources.ts';
import { parseBytes } from '../config/bytes.ts';
import { parseBudgets } from '../config/budget.ts';
import { parseRate } from '../config/rate.ts';
import type { EndpointFile } from '../config/generated/endpoint.ts';
import type { YamlDocument } from '../config/yaml-document.ts';
import { createBinder } from '../params/binder.ts';
import { listedValues } from '../params/type.ts';
import type { RedactionPolicy } from '../../guard/redact/demand.ts';
import { createRedactor } from '../../guard/redact/redactor.ts';
import { withoutUnused } from '../../sql/clickhouse/clause.ts';
import { tokensOf } from '../../sql/clickhouse/tree/tokens.ts';
import type { Outline } from '../../sql/clickhouse/outline.ts';
import { analyse, type Analysis } from './analysis.ts';
import type { Candidate } from './catalog.ts';
import type {
  CachePolicy,
  Endpoint,
  Label,
  McpPolicy,
  PagePolicy,
  ReservationPolicy,
  SandboxPolicy,
} from './endpoint.ts';
import { isShown } from './expectation.ts';
import { createCompose } from './include/compose.ts';
import { isSharedFile, NO_SOURCES, type SourceFile, type Sources } from './include/sources.ts';
import { createEndpoint } from './endpoint-variants.ts';
import { livePolicy } from './checks/live.ts';
import { pageKey, pageSizes } from './checks/pages.ts';
import { checkFile } from './checks/file-checks.ts';
import { sampleCombinations } from './samples.ts';
import { tenancyOf, type TenancySetting } from './tenancy.ts';
import { deprecationOf, rolloutOf } from './versions.ts';
import { logViewPolicies } from './checks/views.ts';
import { overVariants } from './variant-findings.ts';

/** The result for one file: an endpoint, or findings, or an endpoint with warnings. */
export interface CompiledFile {
  /** Undefined if any finding is an error. */
  readonly candidate: Candidate | undefined;
  readonly diagnostics: readonly Finding[];
  /** The files that it includes, those that are missing among them, and those that they include. */
  readonly dependencies: readonly SourceFile[];
  /** Names of files to read before the file can be compiled; not empty: there is no other result yet. */
  readonly unread: readonly string[];
}

/**
 * Compiles one file; never throws for its contents. `sources` are the other files of its folder; default: there are none. Shared
 * files have findings, but no candidate.
 */
export type CompileFile = (path: string, text: string, sources?: Sources) => CompiledFile;

/** The same, with the intermediate results of a file. */
export type InspectFile = (path: string, text: string, sources?: Sources) => Inspection;

/** The result of `InspectFile`. */
export interface Inspection extends Omit<CompiledFile, 'candidate'> {
  readonly inspected: InspectedFile | undefined;
}

/** A file without errors, as it is with all that it includes, with the intermediate results that further checks need. */
export interface InspectedFile {
  readonly document: YamlDocument;
  readonly analysis: Analysis;
  readonly candidate: Candidate;
}

/** Maximum size of a result in the engine's memory, in bytes. */
const RESULT_BYTES = 128 * 2 ** 20;

/** What compilation needs besides the file. */
export interface CompileOptions {
  /** The secret for hashing columns; undefined: a file with hashed columns does not compile. */
  readonly piiHashKey: string | undefined;
  /** The setting; default: none. */
  readonly tenancy?: TenancySetting;
  /** The sources that queries may reach outside of the tables; by default they may reach none. */
  readonly engineSources?: EngineSources;
  /** Milliseconds since 1970; default: the clock of the process. */
  readonly now?: () => number;
}

/** Compiles the schema once; the function it returns compiles files and has no other state. */
export function createCompile(options: CompileOptions): CompileFile {
  const inspect = createInspect(options);
  return (path, text, sources) => {
    const { inspected, ...rest } = inspect(path, text, sources);
    return { candidate: inspected?.candidate, ...rest };
  };
}

/** Compiles the schemas once, as `createCompile` does. */
export function createInspect(options: CompileOptions): InspectFile {
  const compose = createCompose();
  return (path, text, sources = NO_SOURCES) => {
    const { composed, ...rest } = compose(path, text, sources);
    if (composed === undefined) return { inspected: undefined, ...rest };
    const { file, document } = composed;
    const analysis = analyse(file, document);
    const ofVariants = overVariants(analysis, (variant) => variant.findings);
    const context = { now: epoch, engineSources: [], ...options };
    const findings = [...ofVariants, ...checkFile(analysis, context, isSharedFile(path))];
    const diagnostics = [...rest.diagnostics, ...locateAll(document, findings)];
    const isBroken = diagnostics.some((each) => each.severity === 'error');
    if (analysis.outline === undefined || isBroken || isSharedFile(path))
      return { ...rest, inspected: undefined, diagnostics };
    const endpoint = build(analysis, analysis.outline, options);
    const [name, id] = [document.locate(['name']), document.locate(['id'])];
    const tool = endpoint.mcp?.name === undefined ? name : document.locate(['mcp', 'name']);
    const candidate = { endpoint, name, id, tool, places: placesOf(document, analysis.file) };
    return { ...rest, inspected: { document, analysis, candidate }, diagnostics };
  };
}

/** The file once for each variant of its query that is analysed; the file itself is the first one. */
export function variantsOf(inspected: InspectedFile): readonly InspectedFile[] {
  const { document, analysis, candidate } = inspected;
  if (analysis.variants.length === 1) return [inspected];
  const endpoints = candidate.endpoint.variants();
  return analysis.variants.map((variant, index) => ({
    document,
    analysis: variant,
    candidate: { ...candidate, endpoint: endpoints[index] ?? candidate.endpoint },
  }));
}

/** Of keys that other files matter for. */
function placesOf(document: YamlDocument, file: EndpointFile): NonNullable<Candidate['places']> {
  const at = (value: unknown, ...path: string[]) => (value === undefined ? undefined : document.locate(path));
  return {
    version: at(file.version, 'version'),
    default: at(file.default, 'default'),
    deprecated: at(file.deprecated?.successor, 'deprecated', 'successor'),
    rollout: at(file.rollout, 'rollout'),
    rate: at(file.limits?.rate, 'limits', 'rate'),
  };
}

function build(analysis: Analysis, outline: Outline, { piiHashKey, tenancy }: CompileOptions): Endpoint {
  const { file, document, parameters, source, dimensions, hasEveryVariant } = analysis;
  const selections = analysis.variants.map(({ selection }) => selection);
  const limits = {
    time: file.limits?.time ?? 30,
    memory: parseBytes(file.limits?.memory ?? '2GiB'),
    readRows: file.limits?.read_rows ?? 0,
    resultBytes: RESULT_BYTES,
  };
  const maxRows = file.max_rows ?? 1000;
  const common = {
    id: file.id.toLowerCase(),
    name: file.name,
    version: file.version,
    isDefault: file.default ?? false,
    deprecated: deprecationOf(file),
    rollout: rolloutOf(file),
    description: file.description ?? '',
    file: document.file,
    revision: revisionOf(file, dimensions.length === 0 ? analysis.bound.sql : file.query),
    parameters: declaredParameters(analysis),
    tenant: tenancyOf(file, tenancy)?.parameter,
    binder: createBinder([...parameters.values()], { unknown: file.unknown_parameters ?? 'reject' }),
    maxRows,
    page: pagePolicy(file, dimensions.length === 0 ? analysis.bound.sql : file.query),
    int64: file.int64 ?? 'number',
    resultShape: file.result_shape ?? 'standard',
    limits: Object.freeze(limits),
    cache: cachePolicy(file),
    live: livePolicy(file),
    sandbox: sandboxPolicy(file),
    redaction: redactionPolicy(file, piiHashKey),
    concurrency: concurrencyOf(file),
    rate: file.limits?.rate === undefined ? undefined : parseRate(file.limits.rate),
    budgets: parseBudgets(file.budget),
    labels: Object.entries(file.labels ?? {}).map(toLabel),
    reservation: reservationPolicy(file),
    mcp: mcpPolicy(file),
    logViews: logViewPolicies(file),
    examples: (file.examples ?? []).filter(isShown),
  };
  return createEndpoint(
    { ...analysis, outline },
    { source, dimensions, selections, hasEveryVariant },
    ({ variant, selection, bound, outline }, variants) => {
      const unlimited = withoutUnused(tokensOf(bound.sql, bound.tokens), outline);
      return Object.freeze({
        ...common,
        ...variants,
        variant,
        samples: () => sampleCombinations({ file, parameters, bound, selection }),
        query: bound.sql,
        statement: `SELECT * FROM (\n${unlimited}\n) LIMIT ${maxRows + 1}`,
        unlimited,
        outline,
      });
    },
  );
}

/**
 * With the names of Enum types as `enum`, for everything that lists the values of a parameter; without the fragments of choices,
 * which are no business of callers.
 */
function declaredParameters({ file, parameters }: Analysis): Endpoint['parameters'] {
  const entries = Object.entries(file.parameters ?? {}).map(([name, { choices: _choices, ...spec }]) => {
    const type = parameters.get(name)?.type;
    const names = spec.enum ?? (type && listedValues(type));
    return [name, names === undefined ? spec : { ...spec, enum: [...names] }] as const;
  });
  return Object.fromEntries(entries);
}

function cachePolicy({ cache, warming }: EndpointFile): CachePolicy | undefined {
  if (cache === undefined || cache === 'disabled') return undefined;
  return Object.freeze({
    ttl: cache.ttl,
    check: cache.until === undefined ? undefined : (cache.check ?? Math.min(2, cache.ttl)),
    minRefresh: cache.min_refresh ?? Math.min(10, cache.ttl),
    staleWhileRevalidate: cache.stale_while_revalidate ?? 0,
    staleIfError: cache.stale_if_error ?? 0,
    isPublic: cache.public ?? false,
    warmEvery: warming?.every,
    warmExamples: warming?.examples ?? false,
  });
}

/** The secret covers what the revision does, so that all processes with the file accept each other's cursors, also after a change of its description. */
function pagePolicy(file: EndpointFile, sql: string): PagePolicy | undefined {
  if (file.page === undefined) return undefined;
  const secret = hash(
    'sha256',
    JSON.stringify(['page cursors', canonical({ ...resultRelevant(file), sql })]),
    'buffer',
  );
  return Object.freeze({ keys: file.page.by.map(pageKey), ...pageSizes(file), secret });
}

function sandboxPolicy({ sandbox }: EndpointFile): SandboxPolicy {
  return Object.freeze({
    enabled: sandbox?.enabled ?? false,
    languages: new Set(sandbox?.languages ?? (['sql', 'lql'] as const)),
    dialects: Object.freeze(sandbox?.dialects ?? (['clickhouse'] as const)),
    allow: sandbox?.functions?.allow ?? [],
    deny: sandbox?.functions?.deny ?? [],
  });
}

function concurrencyOf({ limits }: EndpointFile): Endpoint['concurrency'] {
  if (limits?.concurrency === undefined) return undefined;
  return Object.freeze({ places: limits.concurrency, waiting: limits.queue ?? 100 });
}

function toLabel([name, source]: readonly [name: string, source: string]): Label {
  if (source === '@header') return { name, from: { kind: 'header' } };
  if (source.startsWith('@')) return { name, from: { kind: 'parameter', name: source.slice(1) } };
  return { name, from: { kind: 'text', text: source } };
}

function reservationPolicy({ reservation }: EndpointFile): ReservationPolicy {
  const { enabled = false, workloads = [], warming } = reservation ?? {};
  return Object.freeze({ enabled, workloads, warming });
}

function mcpPolicy({ mcp = {}, description = '' }: EndpointFile): McpPolicy | undefined {
  if (mcp === false) return undefined;
  const { name, hint, max_rows: maxRows = 100 } = mcp;
  return Object.freeze({ name, description: mcp.description ?? description, hint, maxRows });
}

function redactionPolicy({ pii }: EndpointFile, hashKey: string | undefined): RedactionPolicy {
  const { redact = false, at = 'result', min_group: minGroup, ...how } = pii ?? {};
  const redactor = createRedactor({ ...how, ...(hashKey === undefined ? {} : { hashKey }) });
  return Object.freeze({ always: redact, columns: pii?.columns ?? {}, at, minGroup, redactor });
}

function revisionOf(file: EndpointFile, sql: string): string {
  return hash('sha256', JSON.stringify(canonical({ ...resultRelevant(file), sql })), 'hex').slice(0, 12);
}

/**
 * Excludes what cannot change a result: the query, which callers of this add as it is bound, which version is the default, documentation (deprecation, descriptions, examples and their rows, labels, reasons, the source of a conversion), what
 * agents and people see, how results are followed, and scheduling.
 */
function resultRelevant(file: EndpointFile): object {
  const {
    description: _description,
    default: _default,
    deprecated: _deprecated,
    rollout: _rollout,
    examples: _examples,
    fixtures: _fixtures,
    converted: _converted,
    allow: _allow,
    allow_security: _allowSecurity,
    allow_breaking: _reason,
    tenancy: _tenancy,
    labels: _labels,
    reservation: _reservation,
    mcp: _mcp,
    view: _view,
    live: _live,
    budget: _budget,
    query: _query,
    ...rest
  } = file;
  return rest;
}

/** The same data with sorted keys: the order of keys in a file has no meaning. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]: [string, unknown]) => [key, canonical(item)]));
}
