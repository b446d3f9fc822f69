// Compares response size, caching, limits, reservations, labels and tools for agents, by a table of fields.
import type { Endpoint, PagePolicy } from '../../service/endpoints/endpoint.ts';
import { preferredToolName } from '../../service/endpoints/tool-names.ts';
import { budgetText, type BudgetResource } from '../../service/config/budget.ts';
import type { Rate } from '../../service/config/rate.ts';
import { compareExports } from './export-changes.ts';
import type { Contract, ContractChange } from './contract.ts';
import type { PolicyCode } from './policy-changes.ts';
import { compareWatches } from './watches.ts';

type PolicyChange = ContractChange<PolicyCode>;

/** It returns the changes of one field or policy between two revisions of a file. */
type CompareField = (base: Endpoint, head: Endpoint) => Iterable<PolicyChange>;

/** It is the code and message of a change, and its path if that is not the path of the field. */
type Reported = readonly [code: PolicyCode, message: string, path?: PolicyChange['path']];

/** Compares a field that both revisions have. `of` returns undefined for a policy without it. */
function field<Value extends string | number | boolean>(
  path: readonly string[],
  of: (endpoint: Endpoint) => Value | undefined,
  change: (was: Value, is: Value) => Reported,
): CompareField {
  return (base, head) => {
    const [was, is] = [of(base), of(head)];
    return was === undefined || is === undefined || was === is ? [] : [changeAt(path, change(was, is))];
  };
}

interface Presence<Policy> {
  readonly added: (is: Policy) => Reported;
  readonly removed: (was: Policy) => Reported;
}

/** Compares a policy that only one of the revisions has. */
function presence<Policy>(
  path: readonly string[],
  of: (endpoint: Endpoint) => Policy | undefined,
  { added, removed }: Presence<Policy>,
): CompareField {
  return (base, head) => {
    const [was, is] = [of(base), of(head)];
    if (was === undefined) return is === undefined ? [] : [changeAt(path, added(is))];
    return is === undefined ? [changeAt(path, removed(was))] : [];
  };
}

function changeAt(path: PolicyChange['path'], [code, message, own]: Reported): PolicyChange {
  return { code, message, path: own ?? path };
}

/** Changes are reported in the order of these fields. */
const FIELDS: readonly CompareField[] = [
  field(
    ['int64'],
    ({ int64 }) => int64,
    (_, is) => ['int64.changed', `64-bit integers are written as ${is}s in JSON`],
  ),
  field(
    ['result_shape'],
    ({ resultShape }) => resultShape,
    (was, is) => ['result_shape.changed', `rows have the shape ${is} in JSON, was ${was}`],
  ),
  field(
    ['max_rows'],
    ({ maxRows }) => maxRows,
    (was, is) => [is < was ? 'max_rows.lowered' : 'max_rows.raised', `at most ${is} rows, was ${was}`],
  ),
  presence(['page'], ({ page }) => page, {
    added: ({ size }) => ['page.added', `the rows come in pages of ${size}`],
    removed: ({ size }) => ['page.removed', `all rows come at once, were in pages of ${size}`],
  }),
  field(
    ['page', 'by'],
    ({ page }) => page && keysOf(page),
    (was, is) => ['page.keys_changed', `pages are by ${is}, were by ${was}`],
  ),
  field(
    ['page', 'size'],
    ({ page }) => page?.size,
    (was, is) => ['page.size_changed', `pages have ${is} rows by default, had ${was}`],
  ),
  field(
    ['page', 'max'],
    ({ page }) => page?.max,
    (was, is) => [
      is < was ? 'page.max_lowered' : 'page.max_raised',
      `pages have at most ${is} rows, had ${was}`,
    ],
  ),
  presence(['cache'], ({ cache }) => cache, {
    added: ({ ttl }) => ['cache.enabled', `responses are cached for ${ttl} s`],
    removed: ({ ttl }) => ['cache.disabled', `responses are not cached, were for ${ttl} s`],
  }),
  field(
    ['cache', 'ttl'],
    ({ cache }) => cache?.ttl,
    (was, is) => [
      is > was ? 'cache.ttl_raised' : 'cache.ttl_lowered',
      `responses are cached for ${is} s, was ${was} s`,
    ],
  ),
  compareChecks,
  field(
    ['cache', 'min_refresh'],
    ({ cache }) => cache?.minRefresh,
    (was, is) => [
      is < was ? 'cache.min_refresh_lowered' : 'cache.min_refresh_raised',
      `a response can be refreshed every ${is} s, was ${was} s`,
    ],
  ),
  field(
    ['cache', 'stale_while_revalidate'],
    ({ cache }) => cache?.staleWhileRevalidate,
    (was, is) => ['cache.stale_changed', `stale_while_revalidate is ${is} s, was ${was} s`],
  ),
  field(
    ['cache', 'stale_if_error'],
    ({ cache }) => cache?.staleIfError,
    (was, is) => ['cache.stale_changed', `stale_if_error is ${is} s, was ${was} s`],
  ),
  field(
    ['cache'],
    ({ cache }) => cache?.isPublic ?? false,
    (_, is) =>
      is
        ? ['cache.public_added', 'shared caches may now store responses', ['cache', 'public']]
        : ['cache.public_removed', 'shared caches may no longer store responses'],
  ),
  compareWarming,
  compareWatches,
  presence(['live'], ({ live }) => live, {
    added: ({ every }) => ['live.added', `live calls get changes every ${every} s`],
    removed: () => ['live.removed', 'live calls are no longer possible'],
  }),
  field(
    ['live', 'key'],
    ({ live }) => live && (live.key?.join(', ') ?? 'none'),
    (was, is) => ['live.key_changed', `the key of rows is ${is}, was ${was}`],
  ),
  field(
    ['live', 'every'],
    ({ live }) => live?.every,
    (was, is) => [
      is < was ? 'live.every_lowered' : 'live.every_raised',
      `changes are looked for every ${is} s, was ${was} s`,
    ],
  ),
  compareExports,
  presence(['fresh'], ({ fresh }) => fresh, {
    added: ({ within, otherwise }) => [
      otherwise === 'error' ? 'fresh.error_added' : 'fresh.added',
      `data older than ${within} s is ${otherwise === 'error' ? 'an error' : 'marked as stale'}`,
    ],
    removed: () => ['fresh.removed', 'responses no longer say how old their data is'],
  }),
  field(
    ['fresh', 'column'],
    ({ fresh }) => fresh?.column,
    (was, is) => ['fresh.column_changed', `the age of the data is that of ${is}, was that of ${was}`],
  ),
  field(
    ['fresh', 'within'],
    ({ fresh }) => fresh?.within,
    (was, is) => [
      is < was ? 'fresh.within_lowered' : 'fresh.within_raised',
      `data is stale after ${is} s, was after ${was} s`,
    ],
  ),
  field(
    ['fresh', 'otherwise'],
    ({ fresh }) => fresh?.otherwise,
    (_, is) =>
      is === 'error'
        ? ['fresh.error_added', 'stale data is an error', ['fresh', 'otherwise']]
        : ['fresh.error_removed', 'stale data is marked, and no longer an error', ['fresh', 'otherwise']],
  ),
  compareLimits,
  compareReservations,
  field(
    ['labels'],
    ({ labels }) => JSON.stringify(labels.toSorted((a, b) => (a.name < b.name ? -1 : 1))),
    () => ['labels.changed', 'labels changed'],
  ),
  presence(['mcp'], ({ mcp }) => mcp, {
    added: () => ['mcp.added', 'is a tool for agents'],
    removed: () => ['mcp.removed', 'is no longer a tool for agents'],
  }),
  compareToolNames,
  field(
    ['mcp', 'max_rows'],
    ({ mcp }) => mcp?.maxRows,
    (was, is) => [
      is < was ? 'mcp.max_rows_lowered' : 'mcp.max_rows_raised',
      `agents get at most ${is} rows, was ${was}`,
    ],
  ),
  field(
    ['rollups'],
    ({ readsRollups }) => readsRollups,
    (_, is) => (is ? ['rollups.on', 'calls read rollups'] : ['rollups.off', 'calls no longer read rollups']),
  ),
  field(
    ['view'],
    ({ logViews }) => JSON.stringify(logViews ?? null),
    () => ['view.changed', 'the explorer shows log rows in another way'],
  ),
];

export function* comparePolicies(
  { endpoint: base }: Contract,
  { endpoint: head }: Contract,
): Generator<PolicyChange> {
  for (const compare of FIELDS) yield* compare(base, head);
}

/** A tool that is renamed with its endpoint is reported as that. */
function* compareToolNames(base: Endpoint, head: Endpoint): Generator<PolicyChange> {
  const [old, now] = [base.mcp, head.mcp];
  if (old === undefined || now === undefined) return;
  const [was, is] = [preferredToolName(base), preferredToolName(head)];
  const isDerived = old.name === undefined && now.name === undefined;
  if (was !== is && !isDerived)
    yield { code: 'mcp.renamed', message: `the tool is called ${is}, was ${was}`, path: ['mcp', 'name'] };
}

function keysOf({ keys }: PagePolicy): string {
  return keys.map(({ name, descending }) => (descending ? `${name} DESC` : name)).join(', ');
}

/** How old responses may be after the data has changed. */
function* compareChecks({ cache: base }: Endpoint, { cache: head }: Endpoint): Generator<PolicyChange> {
  if (base === undefined || head === undefined || base.check === head.check) return;
  if (base.check === undefined || head.check === undefined) {
    const isAdded = base.check === undefined;
    yield {
      code: isAdded ? 'cache.until_added' : 'cache.until_removed',
      message: `responses ${isAdded ? 'now' : 'no longer'} end when the data changes`,
      path: isAdded ? ['cache', 'until'] : ['cache'],
    };
    return;
  }
  yield {
    code: head.check > base.check ? 'cache.check_raised' : 'cache.check_lowered',
    message: `changes of the data are seen after at most ${head.check} s, was ${base.check} s`,
    path: ['cache', 'check'],
  };
}

function* compareWarming({ cache: base }: Endpoint, { cache: head }: Endpoint): Generator<PolicyChange> {
  const [old, now] = [base, head].map((cache) => ({
    perSecond: cache?.warmEvery === undefined ? 0 : 1 / cache.warmEvery,
    examples: cache?.warmEvery !== undefined && cache.warmExamples,
  }));
  if (old === undefined || now === undefined) return;
  if (old.perSecond === now.perSecond && old.examples === now.examples) return;
  const isMore = now.perSecond > old.perSecond || (now.examples && !old.examples);
  const every = `every ${head?.warmEvery} s${now.examples ? ', with the examples' : ''}`;
  const says = now.perSecond === 0 ? 'off' : every;
  const code = isMore ? 'warming.raised' : 'warming.lowered';
  yield { code, message: `warming is ${says}`, path: ['warming'] };
}

/** Calls per second; 0 means no limit. */
function perSecond(rate: Rate | undefined): number {
  return rate === undefined ? 0 : rate.limit / rate.window;
}

function* compareLimits(base: Endpoint, head: Endpoint): Generator<PolicyChange> {
  const limits = [
    { key: 'time', old: base.limits.time, now: head.limits.time, unit: ' s' },
    { key: 'memory', old: base.limits.memory, now: head.limits.memory, unit: ' bytes' },
    { key: 'read_rows', old: base.limits.readRows, now: head.limits.readRows, unit: '' },
    { key: 'rate', old: perSecond(base.rate), now: perSecond(head.rate), unit: ' calls per second' },
  ];
  for (const { key, old, now, unit } of limits) {
    if (old === now) continue;
    const shown = (value: number): string =>
      value === 0 ? 'none' : `${Number(value.toPrecision(6))}${unit}`;
    yield {
      code: limitCode(old, now),
      message: `${key} is ${shown(now)}, was ${shown(old)}`,
      path: ['limits', key],
    };
  }
  const [windowBefore, windowNow] = [base.rate?.window, head.rate?.window];
  if (perSecond(base.rate) === perSecond(head.rate) && windowBefore !== windowNow) {
    const code = (windowNow ?? 0) > (windowBefore ?? 0) ? 'limits.raised' : 'limits.lowered';
    yield {
      code,
      message: 'the same rate over a different window: the size of bursts changes',
      path: ['limits', 'rate'],
    };
  }
  yield* compareConcurrency(base, head);
  for (const resource of ['read', 'time'] as const) yield* compareBudgets(resource, base, head);
}

function* compareBudgets(resource: BudgetResource, base: Endpoint, head: Endpoint): Generator<PolicyChange> {
  const [old, now] = [base, head].map(({ budgets }) => budgets.find((each) => each.resource === resource));
  if (old?.limit === now?.limit && old?.window === now?.window) return;
  const code = limitCode(perSecond(old), perSecond(now));
  const isSame = perSecond(old) === perSecond(now);
  yield {
    code: isSame && (now?.window ?? 0) < (old?.window ?? 0) ? 'limits.lowered' : code,
    message: `the budget for ${resource} is ${budgetText(now)}, was ${budgetText(old)}`,
    path: ['budget', resource],
  };
}

/** 0 means no limit. */
function limitCode(old: number, now: number): PolicyCode {
  if (now === 0) return 'limits.removed';
  return old === 0 || now < old ? 'limits.lowered' : 'limits.raised';
}

function* compareConcurrency(
  { concurrency: old }: Endpoint,
  { concurrency: now }: Endpoint,
): Generator<PolicyChange> {
  const path = ['limits', 'concurrency'];
  if (JSON.stringify(old) === JSON.stringify(now)) return;
  if (now === undefined) {
    yield { code: 'limits.removed', message: `no limit on concurrent queries, was ${old?.places}`, path };
    return;
  }
  const was = old === undefined ? 'unlimited' : `${old.places} and ${old.waiting} queued`;
  const message = `${now.places} concurrent queries and ${now.waiting} queued, was ${was}`;
  const isMore = old !== undefined && (now.places > old.places || now.waiting > old.waiting);
  yield { code: isMore ? 'limits.concurrency_raised' : 'limits.concurrency_lowered', message, path };
}

function* compareReservations(
  { reservation: base }: Endpoint,
  { reservation: head }: Endpoint,
): Generator<PolicyChange> {
  const path = ['reservation', 'enabled'];
  if (head.enabled && !base.enabled) {
    yield { code: 'reservation.enabled', message: `callers may request ${head.workloads.join(', ')}`, path };
  }
  if (base.enabled && !head.enabled) {
    yield { code: 'reservation.disabled', message: 'callers may not request workloads', path };
  }
  if (base.warming !== head.warming) {
    const message = `warming runs in ${head.warming ?? 'the workload of the user'}`;
    yield { code: 'warming.workload_changed', message, path: ['reservation', 'warming'] };
  }
  if (!base.enabled || !head.enabled) return;
  const workloads = ['reservation', 'workloads'];
  for (const name of head.workloads.filter((each) => !base.workloads.includes(each))) {
    yield { code: 'reservation.workload_added', message: `callers may request ${name}`, path: workloads };
  }
  for (const name of base.workloads.filter((each) => !head.workloads.includes(each))) {
    yield {
      code: 'reservation.workload_removed',
      message: `callers may not request ${name}`,
      path: workloads,
    };
  }
}
