// What an endpoint exposes: what its queries read, where their columns come from, and what restricts, redacts and caches them.
import { createPrincipal } from '../../service/auth/principal.ts';
import type { Token } from '../../service/config/generated/tokens.ts';
import type { Engine } from '../../service/engine/engine.ts';
import { FLOW_KINDS } from '../../guard/query/flow/flow-functions.ts';
import type { ColumnFlow } from '../../guard/query/flow/flow.ts';
import type { QueryModel, SourceModel } from '../../guard/query/model.ts';
import type { ModelResult } from '../../guard/query/resolve.ts';
import type { ColumnAction } from '../../guard/redact/columns.ts';
import { DEFAULT_DETECTORS } from '../../guard/redact/detectors.ts';
import { isCallable } from '../../service/endpoints/callable.ts';
import { ruleFor } from '../../service/endpoints/column-rules.ts';
import type { CachePolicy, Endpoint } from '../../service/endpoints/endpoint.ts';
import { modelsOf, type AnalysedEndpoint, type ModelledQuery } from '../../service/endpoints/query-models.ts';
import { tenancyOf, type TenancySetting } from '../../service/endpoints/tenancy.ts';

export interface Exposure {
  readonly endpoint: string;
  readonly description: string;
  readonly file: string;
  /** The parameter that separates tenants. */
  readonly tenant: string | undefined;
  /** The reason of `tenancy: { none }`. */
  readonly noTenants: string | undefined;
  /** Each table of the sandbox, then the saved query. */
  readonly queries: readonly QueryExposure[];
  readonly redaction: RedactionExposure;
  /** In seconds; undefined: no caching. */
  readonly cache:
    | Pick<CachePolicy, 'ttl' | 'check' | 'staleWhileRevalidate' | 'staleIfError' | 'isPublic'>
    | undefined;
  /** Of consumer queries; empty: none are accepted. */
  readonly languages: readonly ('sql' | 'lql')[];
  readonly dialects: readonly string[];
  readonly maxRows: number;
}

/** What an endpoint exposes, and to whom. */
export interface ListedExposure extends Exposure {
  /** Keys of the tokens file that may call it; undefined: there is no tokens file. */
  readonly keys: readonly string[] | undefined;
}

export interface RedactionExposure {
  /** It is true if every response is redacted, and not only those of keys and calls that ask for it. */
  readonly always: boolean;
  /** Where the saved query is redacted: in its result, or in the tables that it reads. */
  readonly at: 'result' | 'source';
  /** The fewest rows of a group that redacted consumer queries may see. */
  readonly minGroup: number | undefined;
  readonly detectors: readonly string[];
  /** Actions by the names and paths of columns. */
  readonly columns: Readonly<Record<string, ColumnAction>>;
}

export interface QueryExposure {
  /** Undefined: the saved query. */
  readonly table: string | undefined;
  /** Why `reads` and `columns` are not known. */
  readonly fault: string | undefined;
  /** Each table, dictionary or function once, in the order of the query. */
  readonly reads: readonly ReadExposure[];
  readonly columns: readonly ColumnExposure[];
}

export interface ReadExposure {
  readonly name: string;
  readonly kind: SourceModel['kind'];
  /** Parameters that confine every read of it: only rows with their values have any influence. */
  readonly confinedBy: readonly string[];
  readonly isShared: boolean;
}

export interface ColumnExposure {
  readonly name: string;
  readonly type: string;
  /** The stored columns that it depends on, each once, with the strongest kind. */
  readonly from: readonly ColumnFlow[];
  readonly rule: ColumnAction | undefined;
}

/** Has the engine resolve the queries. Rejects with EngineError if it could not be asked. */
export async function readExposure(
  engine: Engine,
  inspected: AnalysedEndpoint,
  setting: TenancySetting,
): Promise<Exposure> {
  const tenancy = tenancyOf(inspected.analysis.file, setting);
  const options = tenancy === undefined ? {} : { columns: tenancy.columns, isShared: tenancy.isShared };
  const known = new Map<string, ModelResult>(); // queries that variants have in common
  const endpoints = inspected.candidate.endpoint.variants();
  const models: ModelledQuery[] = [];
  for (const [index, analysis] of inspected.analysis.variants.entries()) {
    const endpoint = endpoints[index] ?? inspected.candidate.endpoint;
    const variant = { analysis, candidate: { endpoint } };
    models.push(...(await modelsOf(engine, variant, { ...options, known })));
  }
  return exposureOf(inspected, models, setting);
}

/** What an endpoint exposes, from the models of its queries. */
function exposureOf(
  { analysis: { file }, candidate: { endpoint } }: AnalysedEndpoint,
  models: readonly ModelledQuery[],
  setting: TenancySetting,
): Exposure {
  const { sandbox, cache } = endpoint;
  const columns = file.pii?.columns ?? {};
  return {
    endpoint: endpoint.name,
    description: endpoint.description,
    file: endpoint.file,
    tenant: tenancyOf(file, setting)?.parameter,
    noTenants: file.tenancy?.none,
    queries: tablesIn(models).map((table) => {
      const results = models.filter(({ query }) => query.table === table).map(({ result }) => result);
      return { table, ...queryExposure(results, file) };
    }),
    redaction: {
      always: endpoint.redaction.always,
      at: endpoint.redaction.at,
      minGroup: endpoint.redaction.minGroup,
      detectors: file.pii?.detectors ?? DEFAULT_DETECTORS,
      columns,
    },
    cache: cache && {
      ttl: cache.ttl,
      check: cache.check,
      staleWhileRevalidate: cache.staleWhileRevalidate,
      staleIfError: cache.staleIfError,
      isPublic: cache.isPublic,
    },
    languages: sandbox.enabled ? [...sandbox.languages] : [],
    dialects: sandbox.enabled && sandbox.languages.has('sql') ? sandbox.dialects : [],
    maxRows: endpoint.maxRows,
  };
}

/** The tables of the sandbox, then the saved query. */
function tablesIn(models: readonly ModelledQuery[]): readonly (string | undefined)[] {
  const names = new Set(models.flatMap(({ query }) => query.table ?? []));
  return [...names, undefined];
}

/** What any variant of a query exposes. */
function queryExposure(
  results: readonly ModelResult[],
  { pii }: AnalysedEndpoint['analysis']['file'],
): Omit<QueryExposure, 'table'> {
  const failed = results.find((result) => 'fault' in result);
  if (failed !== undefined && 'fault' in failed) return { fault: failed.fault, reads: [], columns: [] };
  const models = results.flatMap((result) => ('model' in result ? [result.model] : []));
  const byName = new Map<string, QueryModel['columns']>();
  for (const column of models.flatMap(({ columns }) => columns))
    byName.set(column.name, [...(byName.get(column.name) ?? []), column]);
  return {
    fault: undefined,
    reads: readsOf(models.flatMap(({ sources }) => sources)),
    columns: [...byName].map(([name, columns]) => ({
      name,
      type: [...new Set(columns.map(({ type }) => type))].join(' or '),
      from: strongest(columns.flatMap(({ flow }) => flow)),
      rule: ruleFor(pii, name),
    })),
  };
}

function readsOf(sources: QueryModel['sources']): readonly ReadExposure[] {
  const byName = new Map<string, ReadExposure>();
  for (const { name, kind, confinedBy, isShared } of sources) {
    const known = byName.get(name);
    const both =
      known === undefined ? confinedBy : known.confinedBy.filter((each) => confinedBy.includes(each));
    byName.set(name, { name, kind, confinedBy: both, isShared });
  }
  return [...byName.values()];
}

/** Each stored column once. */
function strongest(flow: readonly ColumnFlow[]): readonly ColumnFlow[] {
  const sorted = flow.toSorted((a, b) => FLOW_KINDS.indexOf(b.kind) - FLOW_KINDS.indexOf(a.kind));
  const byColumn = new Map(sorted.map((each) => [`${each.table}.${each.column}`, each]));
  const order = new Set(flow.map(({ table, column }) => `${table}.${column}`));
  return [...order].flatMap((name) => byColumn.get(name) ?? []);
}

/** Where a column comes from: `app.users.email`, `computed from app.users.name`. */
export function flowText({ table, column, kind }: ColumnFlow): string {
  const name = table === '' ? column : `${table}.${column}`;
  switch (kind) {
    case 'value':
      return name;
    case 'computed':
      return `computed from ${name}`;
    case 'hashed':
      return `hash of ${name}`;
    case 'aggregated':
      return `aggregate of ${name}`;
    case 'condition':
      return `depends on ${name}`;
    case 'unknown':
      return `${name} (cannot be followed)`;
  }
}

/** Names of the keys of a tokens file that may call an endpoint. */
export function keysFor(endpoint: Endpoint, tokens: readonly Token[]): readonly string[] {
  return tokens
    .filter((token) => isCallable(endpoint, createPrincipal(token.name, token.name, token)))
    .map(({ name }) => name);
}
