// Budgets: allowances of what runs cost, counted after each run over fixed windows that start with the first one.
import { budgetText, type Budget } from '../config/budget.ts';
import { stateOf, type Count, type Counters, type Limit, type LimitState } from './rate-limits.ts';

/** A budget that applies to a run. */
export interface BudgetLimit extends Limit {
  readonly budget: Budget;
}

/** What a run has cost so far. */
export interface Cost {
  /** Bytes read from tables. */
  readonly read: number;
  /** Milliseconds of the engine. */
  readonly time: number;
}

export interface BudgetCheck {
  readonly states: readonly LimitState[];
  /** The first budget that is used up; undefined: a run may start. */
  readonly exceeded: BudgetLimit | undefined;
}

export interface Budgets {
  /** Never rejects. 'unavailable' if the counters are, and `failure` is `closed`. */
  check(limits: readonly BudgetLimit[]): Promise<BudgetCheck | 'unavailable'>;
  /** Counts a cost against all budgets and returns their states. Never rejects. */
  charge(limits: readonly BudgetLimit[], cost: Cost): Promise<readonly LimitState[]>;
}

export interface BudgetsOptions {
  readonly memory: Counters;
  /** Undefined: each process counts on its own. */
  readonly shared: Counters | undefined;
  /** While the shared counters are unavailable; as for rate limits. */
  readonly failure: 'open' | 'closed';
}

export function createBudgets({ memory, shared, failure }: BudgetsOptions): Budgets {
  /**
   * Counts costs and returns what is used. What the shared counters do not accept is counted here, and added to what they have:
   * a Redis that is full or read-only can still be read.
   */
  const count = async (costs: Parameters<Counters['add']>[0]) => {
    const counted = await shared?.add(costs);
    const rest = counted === undefined ? costs : costs.map(({ limit }) => ({ limit, amount: 0 }));
    const own = (await memory.add(rest)) ?? [];
    return {
      isShared: counted !== undefined,
      counts: costs.map((_, index) => sum(own[index], counted?.[index])),
    };
  };
  return {
    check: async (limits) => {
      const { isShared, counts } = await count(limits.map((limit) => ({ limit, amount: 0 })));
      if (!isShared && shared !== undefined && failure === 'closed') return 'unavailable';
      const exceeded = limits.find(({ rate }, index) => (counts[index]?.used ?? 0) >= rate.limit);
      return { states: limits.map((limit, index) => stateOf(limit, counts[index])), exceeded };
    },
    charge: async (limits, cost) => {
      const costs = limits.map((limit) => ({ limit, amount: Math.round(cost[limit.budget.resource]) }));
      const { counts } = await count(costs);
      return limits.map((limit, index) => stateOf(limit, counts[index]));
    },
  };
}

function sum(own: Count | undefined, shared: Count | undefined): Count | undefined {
  if (own === undefined || shared === undefined) return own ?? shared;
  return { used: own.used + shared.used, resetMs: Math.max(own.resetMs, shared.resetMs) };
}

/** The budgets of a key, and those of an endpoint for this key. Versions of an endpoint share their counters. */
export function budgetLimits(
  principal: { readonly id: string; readonly budgets: readonly Budget[] },
  endpoint: { readonly name: string; readonly budgets: readonly Budget[] },
): readonly BudgetLimit[] {
  return [
    ...principal.budgets.map((each) => limitOf('key', `key|${principal.id}`, each)),
    ...endpoint.budgets.map((each) => limitOf('endpoint', `endpoint|${endpoint.name}|${principal.id}`, each)),
  ];
}

function limitOf(scope: 'key' | 'endpoint', counter: string, budget: Budget): BudgetLimit {
  const { resource, limit, window } = budget;
  const unit = resource === 'read' ? BYTES : SECONDS;
  const name = `${counter}|${resource}|${window}`;
  return { policy: `${scope}-${resource}`, counter: name, rate: { limit, window }, unit, budget };
}

const BYTES = { name: 'read-bytes', size: 1, isCoarse: true } as const;
const SECONDS = { name: 'engine-seconds', size: 1000, isCoarse: false } as const;

/** For the problem: what is used up, and whose. */
export function exceededText({ policy, budget }: BudgetLimit): string {
  const whose = policy.startsWith('key') ? 'of the key' : 'of the key on this endpoint';
  return `The budget ${whose} for ${budget.resource === 'read' ? 'reading' : 'time'}, ${budgetText(budget)}, is used up`;
}
