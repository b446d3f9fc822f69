// Changes of response size, caching, limits, reservations, labels and tools for agents.
import type { CachePolicy, Endpoint, PagePolicy } from '../../service/endpoints/endpoint.ts';
import { preferredToolName } from '../../service/endpoints/tool-names.ts';
import { budgetText, type BudgetResource } from '../../service/config/budget.ts';
import type { Rate } from '../../service/config/rate.ts';
import type { Contract, ContractChange } from './contract.ts';
import type { PolicyCode } from './policy-changes.ts';

export function* comparePolicies(
  { endpoint: base }: Contract,
  { endpoint: head }: Contract,
): Generator<ContractChange<PolicyCode>> {
  yield* compareAnswers(base, head);
  yield* comparePages(base, head);
  yield* compareCaches(base, head);
  yield* compareLive(base, head);
  yield* compareLimits(base, head);
  yield* compareReservations(base, head);
  const [before, after] = [base, head].map(({ labels }) =>
    JSON.stringify(labels.toSorted((a, b) => (a.name < b.name ? -1 : 1))),
  );
  if (before !== after) yield { code: 'labels.changed', message: 'labels changed', path: ['labels'] };
  yield* compareTools(base, head);
  if (base.readsRollups && !head.readsRollups)
    yield { code: 'rollups.off', message: 'calls no longer read rollups', path: ['rollups'] };
  if (!base.readsRollups && head.readsRollups)
    yield { code: 'rollups.on', message: 'calls read rollups', path: ['rollups'] };
  if (JSON.stringify(base.logViews) !== JSON.stringify(head.logViews))
    yield { code: 'view.changed', message: 'the explorer shows log rows in another way', path: ['view'] };
}

/** A tool that is renamed with its endpoint is reported as that. */
function* compareTools(base: Endpoint, head: Endpoint): Generator<ContractChange<PolicyCode>> {
  const [old, now] = [base.mcp, head.mcp];
  if (old === undefined && now === undefined) return;
  if (old === undefined) yield { code: 'mcp.added', message: 'is a tool for agents', path: ['mcp'] };
  else if (now === undefined)
    yield { code: 'mcp.removed', message: 'is no longer a tool for agents', path: ['mcp'] };
  else {
    const [was, is] = [preferredToolName(base), preferredToolName(head)];
    const isDerived = old.name === undefined && now.name === undefined;
    if (was !== is && !isDerived)
      yield { code: 'mcp.renamed', message: `the tool is called ${is}, was ${was}`, path: ['mcp', 'name'] };
    if (old.maxRows === now.maxRows) return;
    const code = now.maxRows < old.maxRows ? 'mcp.max_rows_lowered' : 'mcp.max_rows_raised';
    const message = `agents get at most ${now.maxRows} rows, was ${old.maxRows}`;
    yield { code, message, path: ['mcp', 'max_rows'] };
  }
}

function* compareAnswers(base: Endpoint, head: Endpoint): Generator<ContractChange<PolicyCode>> {
  if (base.int64 !== head.int64) {
    yield {
      code: 'int64.changed',
      message: `64-bit integers are written as ${head.int64}s in JSON`,
      path: ['int64'],
    };
  }
  if (base.resultShape !== head.resultShape) {
    yield {
      code: 'result_shape.changed',
      message: `rows have the shape ${head.resultShape} in JSON, was ${base.resultShape}`,
      path: ['result_shape'],
    };
  }
  if (base.maxRows === head.maxRows) return;
  const code = head.maxRows < base.maxRows ? 'max_rows.lowered' : 'max_rows.raised';
  yield { code, message: `at most ${head.maxRows} rows, was ${base.maxRows}`, path: ['max_rows'] };
}

function* comparePages(
  { page: base }: Endpoint,
  { page: head }: Endpoint,
): Generator<ContractChange<PolicyCode>> {
  const path = ['page'];
  if (base === undefined && head === undefined) return;
  if (base === undefined)
    yield { code: 'page.added', message: `the rows come in pages of ${head?.size}`, path };
  else if (head === undefined)
    yield { code: 'page.removed', message: `all rows come at once, were in pages of ${base.size}`, path };
  else {
    const [was, is] = [keysOf(base), keysOf(head)];
    if (was !== is)
      yield {
        code: 'page.keys_changed',
        message: `pages are by ${is}, were by ${was}`,
        path: ['page', 'by'],
      };
    if (base.size !== head.size) {
      const message = `pages have ${head.size} rows by default, had ${base.size}`;
      yield { code: 'page.size_changed', message, path: ['page', 'size'] };
    }
    if (base.max === head.max) return;
    const code = head.max < base.max ? 'page.max_lowered' : 'page.max_raised';
    yield { code, message: `pages have at most ${head.max} rows, had ${base.max}`, path: ['page', 'max'] };
  }
}

function keysOf({ keys }: PagePolicy): string {
  return keys.map(({ name, descending }) => (descending ? `${name} DESC` : name)).join(', ');
}

function* compareLive(
  { live: base }: Endpoint,
  { live: head }: Endpoint,
): Generator<ContractChange<PolicyCode>> {
  const path = ['live'];
  if (base === undefined && head === undefined) return;
  if (base === undefined)
    yield { code: 'live.added', message: `live calls get changes every ${head?.every} s`, path };
  else if (head === undefined)
    yield { code: 'live.removed', message: 'live calls are no longer possible', path };
  else {
    const [was, is] = [base, head].map(({ key }) => key?.join(', ') ?? 'none');
    if (was !== is)
      yield {
        code: 'live.key_changed',
        message: `the key of rows is ${is}, was ${was}`,
        path: ['live', 'key'],
      };
    if (base.every === head.every) return;
    const code = head.every < base.every ? 'live.every_lowered' : 'live.every_raised';
    const message = `changes are looked for every ${head.every} s, was ${base.every} s`;
    yield { code, message, path: ['live', 'every'] };
  }
}

function* compareCaches(
  { cache: base }: Endpoint,
  { cache: head }: Endpoint,
): Generator<ContractChange<PolicyCode>> {
  const path = ['cache'];
  if (base === undefined && head === undefined) return;
  if (base === undefined)
    yield { code: 'cache.enabled', message: `responses are cached for ${head?.ttl} s`, path };
  else if (head === undefined)
    yield { code: 'cache.disabled', message: `responses are not cached, were for ${base.ttl} s`, path };
  else {
    if (base.ttl !== head.ttl) {
      const code = head.ttl > base.ttl ? 'cache.ttl_raised' : 'cache.ttl_lowered';
      yield {
        code,
        message: `responses are cached for ${head.ttl} s, was ${base.ttl} s`,
        path: ['cache', 'ttl'],
      };
    }
    yield* compareChecks(base, head);
    if (base.minRefresh !== head.minRefresh) {
      const message = `a response can be refreshed every ${head.minRefresh} s, was ${base.minRefresh} s`;
      const code =
        head.minRefresh < base.minRefresh ? 'cache.min_refresh_lowered' : 'cache.min_refresh_raised';
      yield { code, message, path: ['cache', 'min_refresh'] };
    }
    for (const [key, old, now] of [
      ['stale_while_revalidate', base.staleWhileRevalidate, head.staleWhileRevalidate],
      ['stale_if_error', base.staleIfError, head.staleIfError],
    ] as const) {
      if (old === now) continue;
      yield {
        code: 'cache.stale_changed',
        message: `${key} is ${now} s, was ${old} s`,
        path: ['cache', key],
      };
    }
  }
  yield* compareSharing(base, head);
  yield* compareWarming(base, head);
}

/** Which caches may store responses. */
function* compareSharing(
  base: Endpoint['cache'],
  head: Endpoint['cache'],
): Generator<ContractChange<PolicyCode>> {
  const [was, is] = [base?.isPublic ?? false, head?.isPublic ?? false];
  if (was === is) return;
  yield {
    code: is ? 'cache.public_added' : 'cache.public_removed',
    message: `shared caches may ${is ? 'now' : 'no longer'} store responses`,
    path: is ? ['cache', 'public'] : ['cache'],
  };
}

/** How old responses may be after the data has changed. */
function* compareChecks(base: CachePolicy, head: CachePolicy): Generator<ContractChange<PolicyCode>> {
  if (base.check === head.check) return;
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

function* compareWarming(
  base: Endpoint['cache'],
  head: Endpoint['cache'],
): Generator<ContractChange<PolicyCode>> {
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

function* compareLimits(base: Endpoint, head: Endpoint): Generator<ContractChange<PolicyCode>> {
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

function* compareBudgets(
  resource: BudgetResource,
  base: Endpoint,
  head: Endpoint,
): Generator<ContractChange<PolicyCode>> {
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
): Generator<ContractChange<PolicyCode>> {
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
): Generator<ContractChange<PolicyCode>> {
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
