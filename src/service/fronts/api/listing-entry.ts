// Builds the entry of an endpoint in the list: what its file declares, and its columns.
import { addressOf, dayOf, successorOf } from '../../endpoints/versions.ts';
import { budgetText } from '../../config/budget.ts';
import type { Principal } from '../../auth/principal.ts';
import { redactedType } from '../../endpoints/column-rules.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { RowShapes } from '../../endpoints/row-shapes.ts';
import type { Example } from '../../config/generated/endpoint.ts';
import type { ViewFile } from '../../config/generated/view.ts';
import type { Column } from '../../engine/engine.ts';
import { typescriptOf } from '../../../sql/types/typescript-type.ts';
import { isAlwaysRedacted, redactedBy, type VisibleTable } from '../../request/consumer/visible-tables.ts';

export interface Described {
  readonly rows: RowShapes | undefined;
  readonly tables: readonly VisibleTable[] | undefined;
}

/** Returns the endpoint as a tool for agents, or null if it is none. */
export function toolEntry({ mcp }: Endpoint, name: string | undefined): unknown {
  return mcp === undefined || name === undefined ? null : { name, max_rows: mcp.maxRows };
}

/** Returns the name that callers use, the other versions that the key may call, and the deprecation. */
export function versionEntry(catalog: Catalog, covered: readonly Endpoint[], endpoint: Endpoint) {
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

export function toEntry(
  endpoint: Endpoint,
  principal: Principal,
  { rows }: Described,
): Readonly<Record<string, unknown>> {
  const { cache } = endpoint;
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
    ...followingEntry(endpoint),
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
    ...moreRowsEntry(endpoint),
    view: viewEntry(endpoint),
    examples: endpoint.examples.map(({ expect: _expect, ...call }) => withLocks(call, endpoint, principal)),
  };
}

/** Returns how results are followed, and how old their data may be. */
function followingEntry({ live, fresh }: Endpoint) {
  return {
    live: live === undefined ? null : { every: live.every, key: live.key ?? null },
    fresh: fresh ?? null,
  };
}

/** Returns an example without the parameters that this caller's key locks. */
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

export function sharedViews(views: readonly ViewFile[] | undefined, principal: Principal) {
  return views === undefined ? {} : { shared_views: views.map((view) => viewWithoutLocks(view, principal)) };
}

/** Returns a shared view without the parameters that this caller's key locks. */
function viewWithoutLocks({ endpoint: _endpoint, ...view }: ViewFile, { locked }: Principal) {
  const parameters = Object.entries(view.parameters ?? {}).filter(([name]) => !locked.has(name));
  return {
    ...view,
    parameters: Object.fromEntries(parameters.map(([name, value]) => [name, String(value)])),
  };
}

/** Returns how a caller gets more rows than a response has: in pages, and by exports if there are some. */
function moreRowsEntry(endpoint: Endpoint) {
  const { export: policy } = endpoint;
  const page = pageEntry(endpoint);
  return policy === undefined
    ? { page }
    : { page, export: { max_rows: policy.maxRows, formats: policy.formats } };
}

function pageEntry({ page }: Endpoint) {
  if (page === undefined) return null;
  const { keys, size, max } = page;
  return { by: keys.map(({ name, descending }) => `${name} ${descending ? 'DESC' : 'ASC'}`), size, max };
}

/** Returns the log views as the file declares them. Tables that the key may not read are not in `sandbox.tables`. */
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

/** Returns how responses of an endpoint are cached. */
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
