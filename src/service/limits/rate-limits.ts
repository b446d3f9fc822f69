// Rate limits: fixed windows that start with the first call, counted in this process or in the Redis shared by the
// replicas.
import type { BudgetResource } from '../config/budget.ts';
import type { Rate } from '../config/rate.ts';

/** A limit that applies to a call. */
export interface Limit {
  /** Policy name in the RateLimit header fields. */
  readonly policy: 'key' | 'endpoint' | `${'key' | 'endpoint'}-${BudgetResource}`;
  /** Calls with the same counter are counted together. */
  readonly counter: string;
  readonly rate: Rate;
  /** What the limit counts, and how much of it is one unit in the header fields; undefined: calls. */
  readonly unit?: { readonly name: string; readonly size: number; readonly isCoarse: boolean } | undefined;
}

/** The state of a limit after a call. */
export interface LimitState {
  readonly policy: Limit['policy'];
  readonly rate: Rate;
  readonly unit?: Limit['unit'];
  readonly remaining: number;
  /** Whole seconds until the window resets. */
  readonly reset: number;
}

export interface Taken {
  /** It is true if every limit had a call left. If not, the call was not counted against any. */
  readonly isAllowed: boolean;
  readonly states: readonly LimitState[];
}

/** The state of a counter; `resetMs` is 0 if nothing is counted. */
export interface Count {
  readonly used: number;
  readonly resetMs: number;
}

export interface Counters {
  /**
   * Counts one call against all limits, or against none if one is exhausted. Undefined if the counters are unavailable.
   */
  take(
    limits: readonly Limit[],
  ): Promise<{ readonly isAllowed: boolean; readonly counts: readonly Count[] } | undefined>;
  /** Counts amounts, whether or not they exceed the limits; 0 reads a counter. Undefined if the counters are unavailable. */
  add(
    costs: readonly { readonly limit: Limit; readonly amount: number }[],
  ): Promise<readonly Count[] | undefined>;
}

export interface RateLimits {
  /** Never rejects. 'unavailable' if counting is impossible and `failure` is `closed`. */
  take(limits: readonly Limit[]): Promise<Taken | 'unavailable'>;
}

export interface RateLimitsOptions {
  readonly memory: Counters;
  /** Undefined: each process counts on its own. */
  readonly shared: Counters | undefined;
  /**
   * While the shared counters are unavailable: `open` uses the counters of each process, `closed` rejects all calls.
   */
  readonly failure: 'open' | 'closed';
}

export function createRateLimits({ memory, shared, failure }: RateLimitsOptions): RateLimits {
  return {
    take: async (limits) => {
      const counted = await (shared ?? memory).take(limits);
      if (counted !== undefined) return takenOf(limits, counted);
      if (failure === 'closed') return 'unavailable';
      const own = await memory.take(limits);
      return own === undefined ? 'unavailable' : takenOf(limits, own);
    },
  };
}

function takenOf(
  limits: readonly Limit[],
  { isAllowed, counts }: { readonly isAllowed: boolean; readonly counts: readonly Count[] },
): Taken {
  return { isAllowed, states: limits.map((limit, index) => stateOf(limit, counts[index])) };
}

/** The state of a limit with this count. */
export function stateOf(
  { policy, rate, unit }: Limit,
  { used, resetMs }: Count = { used: 0, resetMs: 0 },
): LimitState {
  const remaining = Math.max(0, rate.limit - used);
  // At most the window: with rounding, the time until its end can be slightly longer.
  return { policy, rate, unit, remaining, reset: Math.min(rate.window, Math.ceil(resetMs / 1000)) };
}

/** Seconds until a rejected call can be retried: when the last of the exhausted limits resets. */
export function retryAfter({
  states,
}: {
  readonly states: readonly LimitState[];
  readonly isAllowed?: boolean;
}): number {
  return Math.max(1, ...states.filter(({ remaining }) => remaining === 0).map(({ reset }) => reset));
}

/**
 * `RateLimit-Policy: "key";q=600;w=60`, with the unit `qu` of a budget, and `RateLimit: "key";r=599;t=60`, one item per limit
 * (draft-ietf-httpapi-ratelimit-headers-10).
 */
export function rateLimitFields(states: readonly LimitState[] | undefined): Readonly<Record<string, string>> {
  if (states === undefined) return {};
  const join = (item: (state: LimitState) => string): string =>
    states.map((state) => `"${state.policy}";${item(state)}`).join(', ');
  return {
    'RateLimit-Policy': join(
      ({ rate, unit }) =>
        `q=${rate.limit / (unit?.size ?? 1)};w=${rate.window}${unit === undefined ? '' : `;qu="${unit.name}"`}`,
    ),
    RateLimit: join((state) => `r=${shownRemaining(state)};t=${state.reset}`),
  };
}

/** What is left, in units. What a query reads also counts rows that its caller may not see: only whole percents are shown, rounded up. */
export function shownRemaining({ rate, remaining, unit }: LimitState): number {
  if (unit === undefined) return remaining;
  const step = unit.isCoarse ? Math.max(1, Math.floor(rate.limit / 100)) : 1;
  return Math.ceil(Math.min(rate.limit, Math.ceil(remaining / step) * step) / unit.size);
}
