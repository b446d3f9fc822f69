// Lists the endpoints a key may call, as data: parameters, columns and policies.
import { addressOf, dayOf, successorOf } from '../../endpoints/versions.ts';
import { budgetText } from '../../config/budget.ts';
import type { Principal } from '../../auth/principal.ts';
import { isCallable } from '../../endpoints/callable.ts';
import { redactedType } from '../../endpoints/column-rules.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { rowShapes, type RowShapes } from '../../endpoints/row-shapes.ts';
import { toolNames } from '../../endpoints/tool-names.ts';
import type { CollectedViews } from '../../endpoints/shared-views/collect-views.ts';
import type { Describe } from '../../endpoints/describe.ts';
import type { Example } from '../../config/generated/endpoint.ts';
import type { ViewFile } from '../../config/generated/view.ts';
import type { After } from '../../../sql/base/clock.ts';
import type { Column } from '../../engine/engine.ts';
import { parseColumnType } from '../../../sql/types/column-type.ts';
import type { FunctionPolicy } from '../../../guard/sandbox/functions/policy.ts';
import { typescriptOf } from '../../../sql/types/typescript-type.ts';
import { CONSUMER_QUERY_LIMITS } from '../../../guard/sandbox/lexed-query.ts';
import type { Sandboxes } from '../../request/consumer/sandboxes.ts';
import {
  isAlwaysRedacted,
  redactedBy,
  visibleTables,
  type Redacted,
  type VisibleTable,
} from '../../request/consumer/visible-tables.ts';

export interface ListingOptions {
  readonly describe: Describe['lists'];
  readonly sandboxes: Sandboxes;
  /** The key is the id of their endpoint. */
  readonly views: CollectedViews['byEndpoint'];
  /** How long the caller waits for what the engine has not been asked before; default: not noticeably. */
  readonly waitSeconds?: number | undefined;
  readonly after: After;
}

const WAIT_SECONDS = { usual: 0.1, most: 60 };

interface Described {
  readonly rows: RowShapes | undefined;
  readonly tables: readonly VisibleTable[] | undefined;
}

/** The response of `GET /api/endpoints`. */
export interface Listing {
  /** The engine is being asked about columns that are null here: the next list has them. */
  readonly incomplete?: true;
  /** Sorted by name; every version, the newest first. Those that are not the default are called `name@2`. */
  readonly result: readonly unknown[];
  /** The functions that consumer queries may call, by the name that `sandbox.function_set` of an endpoint refers to. */
  readonly function_sets: Readonly<Record<string, FunctionSet>>;
}

interface FunctionSet {
  /** Names by family. */
  readonly functions: FunctionPolicy['families'];
  readonly aggregate_combinators: readonly string[];
}

/** The endpoints a principal may call. */
export async function listEndpoints(
  catalog: Catalog,
  principal: Principal,
  options: ListingOptions,
): Promise<Listing> {
  const { describe, sandboxes } = options;
  const waiting = createWait(options);
  const sets = createFunctionSets(sandboxes);
  const covered = catalog.all.filter((endpoint) => isCallable(endpoint, principal));
  const tools = covered.filter((endpoint) => catalog.find(endpoint.name) === endpoint);
  const names = new Map([...toolNames(tools)].map(([name, endpoint]) => [endpoint, name]));
  const entries = covered.map(async (endpoint) => {
    const [rows, tables] = await Promise.all([
      waiting.forSome(rowShapes(describe, endpoint)),
      endpoint.sandbox.enabled ? waiting.forSome(visibleTables(endpoint, principal, options)) : undefined,
    ]);
    const described = { rows, tables };
    return {
      ...toEntry(endpoint, principal, described),
      ...versionEntry(catalog, covered, endpoint),
      mcp: toolEntry(endpoint, names.get(endpoint)),
      ...sharedViews(options.views.get(endpoint.id), principal),
      sandbox: sandboxEntry(endpoint, principal, {
        described,
        sets,
        isOff: sandboxes.offBecause() !== undefined,
      }),
    };
  });
  const result = await Promise.all(entries);
  waiting.end();
  return { ...(waiting.isOver() ? { incomplete: true } : {}), result, function_sets: sets.used() };
}

/** Waits for the engine for a time that is the same for all entries: what comes later is in the next list. */
function createWait({ waitSeconds = WAIT_SECONDS.usual, after }: ListingOptions) {
  let isOver = false;
  const stops: (() => void)[] = [];
  const end = after(Math.min(waitSeconds, WAIT_SECONDS.most) * 1000, () => {
    for (const stop of stops) stop();
  });
  return {
    forSome: <T>(asked: Promise<T | undefined>): Promise<T | undefined> =>
      new Promise((resolve, reject) => {
        let isKnown = false;
        stops.push(() => {
          isOver ||= !isKnown;
          resolve(undefined);
        });
        asked.then((found) => {
          isKnown = true;
          resolve(found);
        }, reject);
      }),
    isOver: () => isOver,
    end,
  };
}

/** The endpoint as a tool for agents; null: it is none. */
function toolEntry({ mcp }: Endpoint, name: string | undefined): unknown {
  return mcp === undefined || name === undefined ? null : { name, max_rows: mcp.maxRows };
}

/** The name that callers use, the other versions that the key may call, and the deprecation. */
function versionEntry(catalog: Catalog, covered: readonly Endpoint[], endpoint: Endpoint) {
  const { name, version, deprecated } = endpoint;
  const versions = covered.filter((each) => each.name === name && version !== undefined);
  return {
    name: addressOf(catalog, endpoint),
    version: version ?? null,
    versions: versions.map((each) => ({ version: each.version, name: addressOf(catalog, each) })),
    deprecated:
      deprecated === undefined
        ? null
        : {
            since: dayOf(deprecated.since),
            sunset: deprecated.sunset === undefined ? null : dayOf(deprecated.sunset),
            successor: successorOf(catalog, endpoint) ?? null,
            reason: deprecated.reason ?? null,
          },
  };
}

interface FunctionSets {
  /** The name of the set of an endpoint. */
  nameOf(endpoint: Endpoint): string;
  used(): Listing['function_sets'];
}

/** Most endpoints allow the same functions: each set is listed once, and named `default` or by the first endpoint that changes it. */
function createFunctionSets(sandboxes: Sandboxes): FunctionSets {
  const names = new Map<string, string>();
  const sets: Record<string, FunctionSet> = {};
  return {
    nameOf: (endpoint) => {
      const { allow, deny } = endpoint.sandbox;
      const key = JSON.stringify([allow.toSorted(), deny.toSorted()]);
      const known = names.get(key);
      if (known !== undefined) return known;
      const name = allow.length + deny.length === 0 ? 'default' : `of ${endpoint.name}`;
      const { families, combinators } = sandboxes.functions(endpoint);
      sets[name] = { functions: families, aggregate_combinators: combinators };
      names.set(key, name);
      return name;
    },
    used: () => sets,
  };
}

function sandboxEntry(
  endpoint: Endpoint,
  principal: Principal,
  { described, sets, isOff }: { described: Described; sets: FunctionSets; isOff: boolean },
): unknown {
  const { enabled, languages } = endpoint.sandbox;
  if (!enabled || isOff) return { enabled: false };
  return {
    enabled,
    languages: [...languages].filter((language) => principal.languages.has(language)),
    dialects: endpoint.sandbox.dialects,
    default_table: endpoint.outline.defaultTable ?? null,
    tables: described.tables?.map((table) => tableEntry(table, redactedBy(endpoint, principal))) ?? null,
    function_set: sets.nameOf(endpoint),
    limits: CONSUMER_QUERY_LIMITS,
  };
}

/** A table with its columns. JSON columns list their typed paths; other paths have dynamic types. */
function tableEntry({ name, columns, conditional }: VisibleTable, redacted: Redacted): unknown {
  return {
    name,
    ...(conditional === true ? { conditional } : {}),
    columns: columns.map((column) => ({ ...column, ...pathsOf(column), ...redacted(column) })),
  };
}

function pathsOf({ type }: Column): { readonly paths?: readonly Column[] } {
  const parsed = parseColumnType(type);
  if (parsed.kind !== 'json') return {};
  return { paths: [...parsed.paths].map(([name, path]) => ({ name, type: path.name })) };
}

function toEntry(
  endpoint: Endpoint,
  principal: Principal,
  { rows }: Described,
): Readonly<Record<string, unknown>> {
  const { cache, live } = endpoint;
  const resultShape = principal.resultShape ?? endpoint.resultShape;
  const redacted = redactedBy(endpoint, principal);
  const isRedacted = isAlwaysRedacted(endpoint, principal);
  const { minGroup } = endpoint.redaction;
  const columnOf = ({ name, type }: Column): unknown => {
    const shown = isRedacted ? redactedType(endpoint.redaction, name, type) : type;
    const typescript = shown && typescriptOf(shown, endpoint.int64, resultShape); // a dropped column has no values
    return { name, type: shown ?? type, typescript, ...redacted({ name, type }) };
  };
  const [first, ...others] = rows?.shapes ?? [];
  // The values of locked parameters may be names of other tenants.
  const named = (variant: string) => (principal.locked.size > 0 ? {} : { variant });
  return {
    id: endpoint.id,
    name: endpoint.name,
    description: endpoint.description,
    revision: endpoint.revision,
    parameters: Object.entries(endpoint.parameters).map(([name, spec]) => ({
      name,
      ...spec,
      required: spec.required ?? false,
      ...(principal.locked.has(name) ? { locked: true } : {}),
    })),
    tenant: endpoint.tenant ?? null,
    columns: first?.columns.map(columnOf) ?? null,
    ...(others.length === 0
      ? {}
      : {
          variants: rows?.shapes.map(({ variant, columns }) => ({
            ...named(variant),
            columns: columns.map(columnOf),
          })),
        }),
    result_shape: resultShape,
    max_rows: endpoint.maxRows,
    cache: cacheEntry(cache),
    live: live === undefined ? null : { every: live.every, key: live.key ?? null },
    warming: cache?.warmEvery === undefined ? null : { every: cache.warmEvery },
    pii: { redact: isRedacted, ...(isRedacted && minGroup !== undefined ? { min_group: minGroup } : {}) },
    reservation: endpoint.reservation.enabled
      ? { enabled: true, workloads: endpoint.reservation.workloads }
      : { enabled: false },
    limits: {
      time: endpoint.limits.time,
      memory: endpoint.limits.memory,
      read_rows: endpoint.limits.readRows,
      concurrency: endpoint.concurrency?.places ?? null,
      rate: endpoint.rate === undefined ? null : `${endpoint.rate.limit}/${endpoint.rate.window}s`,
      budget: Object.fromEntries(endpoint.budgets.map((each) => [each.resource, budgetText(each)])),
    },
    page: pageEntry(endpoint),
    view: viewEntry(endpoint),
    examples: endpoint.examples.map(({ expect: _expect, ...call }) => withLocks(call, endpoint, principal)),
  };
}

/** An example without the parameters that this caller's key locks. */
function withLocks<Call extends Pick<Example, 'parameters'>>(
  call: Call,
  { parameters }: Endpoint,
  { locked }: Principal,
): Call {
  const own = [...locked].filter(([name]) => name in parameters);
  return own.length === 0
    ? call
    : { ...call, parameters: { ...call.parameters, ...Object.fromEntries(own) } };
}

function sharedViews(views: readonly ViewFile[] | undefined, principal: Principal) {
  return views === undefined ? {} : { shared_views: views.map((view) => viewWithoutLocks(view, principal)) };
}

/** A shared view without the parameters that this caller's key locks. */
function viewWithoutLocks({ endpoint: _endpoint, ...view }: ViewFile, { locked }: Principal) {
  const parameters = Object.entries(view.parameters ?? {}).filter(([name]) => !locked.has(name));
  return {
    ...view,
    parameters: Object.fromEntries(parameters.map(([name, value]) => [name, String(value)])),
  };
}

function pageEntry({ page }: Endpoint) {
  if (page === undefined) return null;
  const { keys, size, max } = page;
  return { by: keys.map(({ name, descending }) => `${name} ${descending ? 'DESC' : 'ASC'}`), size, max };
}

/** As the file declares it. Tables that the key may not read are not in `sandbox.tables`. */
function viewEntry({ logViews }: Endpoint) {
  if (logViews === undefined) return null;
  const logs = logViews.map(({ message, level, from, to, ...view }) => ({
    ...view,
    message: message ?? null,
    level: level ?? null,
    from: from ?? null,
    to: to ?? null,
  }));
  return { logs };
}

/** How responses of an endpoint are cached. */
export function cacheEntry(cache: Endpoint['cache']) {
  if (cache === undefined) return null;
  const { ttl, check, minRefresh, isPublic } = cache;
  return {
    ttl,
    ...(check === undefined ? {} : { until: 'data', check }),
    min_refresh: minRefresh,
    ...(isPublic ? { public: true } : {}),
  };
}
