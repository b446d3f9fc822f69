// Reports to a key what it has called, and what is left of its budgets.
import type { Principal } from '../auth/principal.ts';
import { isCallable } from '../endpoints/callable.ts';
import type { Catalog } from '../endpoints/catalog.ts';
import { budgetLimits, type BudgetLimit, type Budgets } from '../limits/budgets.ts';
import type { KeyUsage } from '../limits/key-usage.ts';
import { shownRemaining, type LimitState } from '../limits/rate-limits.ts';
import { NO_USAGE, sumOf, type DayUsage, type UsageCount } from '../limits/usage-counts.ts';
import { Problem } from '../../sql/base/problem.ts';
import { admitKey, type KeyDeps } from './admission/keys.ts';
import type { CallRecord } from './call.ts';

export interface UsageDeps extends KeyDeps {
  readonly catalog: () => Catalog;
  readonly budgets: Budgets;
  readonly keyUsage: Pick<KeyUsage, 'read'>;
}

/** A request for the usage of its key. */
interface UsageRequest {
  readonly key: string | undefined;
  readonly record: CallRecord;
  /** Read after the key is accepted. Throws Problem. */
  readonly days: () => number;
}

/** The calls of a day to an endpoint. */
interface UsageEntry extends UsageCount {
  /** In UTC, as `2026-01-31`. */
  readonly day: string;
  /** Null: the endpoints that have no entry of their own, together. */
  readonly endpoint: string | null;
}

interface BudgetEntry {
  /** Null: the budget of the key, for all endpoints. */
  readonly endpoint: string | null;
  readonly resource: 'read' | 'time';
  readonly unit: string;
  readonly limit: number;
  /** Seconds. */
  readonly window: number;
  readonly remaining: number;
  /** Seconds until the window ends; 0 if nothing is counted. */
  readonly reset: number;
}

/** The response of `GET /api/usage`. */
export interface UsageReport {
  /** Calls before this time may be missing; absent: the days are whole. */
  readonly since?: string;
  /** The newest day first, then by name. */
  readonly result: readonly UsageEntry[];
  readonly total: UsageCount;
  readonly budgets: readonly BudgetEntry[];
}

/** Endpoints with entries of their own: those with the most calls. */
const MAX_ENDPOINTS = 200;
const DAY_MS = 86_400_000;

/**
 * Counts as a check against the rate limit of the key, and shows nothing of another one. Endpoints that the key may not call, any more or with
 * this token, are not named. Throws Problem.
 */
export async function usage(deps: UsageDeps, { key, record, days }: UsageRequest): Promise<UsageReport> {
  const principal = await admitKey(deps, key, record, 'check');
  const asked = days();
  const callable = callableNames(deps.catalog(), principal);
  const [{ since, usages }, budgets] = await Promise.all([
    deps.keyUsage.read(principal.usageId, asked),
    budgetsLeft(deps, principal, callable),
  ]);
  return {
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
    result: entriesOf(usages, callable),
    total: usages.reduce<UsageCount>(sumOf, NO_USAGE),
    budgets,
  };
}

/** The names that the key may call, with their default versions, whose budgets all versions share. */
function callableNames(catalog: Catalog, principal: Principal) {
  const callable = catalog.all.filter((endpoint) => isCallable(endpoint, principal));
  return new Map(callable.map((endpoint) => [endpoint.name, catalog.find(endpoint.name) ?? endpoint]));
}

type Callable = ReturnType<typeof callableNames>;

function entriesOf(usages: readonly DayUsage[], callable: Callable): readonly UsageEntry[] {
  const calls = new Map<string, number>();
  for (const each of usages) calls.set(each.endpoint, (calls.get(each.endpoint) ?? 0) + each.calls);
  const ordered = [...calls].filter(([name]) => callable.has(name)).toSorted(([, a], [, b]) => b - a);
  const named = new Set(ordered.slice(0, MAX_ENDPOINTS).map(([name]) => name));
  const entries = new Map<string, UsageEntry>();
  for (const { day, endpoint: name, ...count } of usages) {
    const endpoint = named.has(name) ? name : null;
    const id = `${day} ${endpoint ?? ''}`;
    const written = new Date(day * DAY_MS).toISOString().slice(0, 10);
    entries.set(id, { day: written, endpoint, ...sumOf(entries.get(id) ?? NO_USAGE, count) });
  }
  return [...entries.values()].toSorted(
    (a, b) => b.day.localeCompare(a.day) || (a.endpoint ?? '~').localeCompare(b.endpoint ?? '~'),
  );
}

/** Throws Problem `rate.unavailable` if it is not known. */
async function budgetsLeft(
  { budgets }: UsageDeps,
  principal: Principal,
  callable: Callable,
): Promise<readonly BudgetEntry[]> {
  const own = budgetLimits(principal, { name: '', budgets: [] }).map((limit) => ({ limit, endpoint: null }));
  const ofEndpoints = [...callable.values()]
    .filter((endpoint) => endpoint.budgets.length > 0)
    .slice(0, MAX_ENDPOINTS)
    .flatMap((endpoint) =>
      budgetLimits({ id: principal.id, budgets: [] }, endpoint).map((limit) => ({
        limit,
        endpoint: endpoint.name,
      })),
    );
  const all: readonly { readonly limit: BudgetLimit; readonly endpoint: string | null }[] = [
    ...own,
    ...ofEndpoints,
  ];
  if (all.length === 0) return [];
  const checked = await budgets.check(all.map(({ limit }) => limit));
  if (checked === 'unavailable') throw new Problem('rate.unavailable', { retryAfter: 1 });
  return all.flatMap(({ limit, endpoint }, index) => {
    const state = checked.states[index];
    return state === undefined ? [] : [budgetEntry(limit, endpoint, state)];
  });
}

function budgetEntry({ budget, unit }: BudgetLimit, endpoint: string | null, state: LimitState): BudgetEntry {
  return {
    endpoint,
    resource: budget.resource,
    unit: unit?.name ?? '',
    limit: budget.limit / (unit?.size ?? 1),
    window: budget.window,
    remaining: shownRemaining(state),
    reset: state.reset,
  };
}
