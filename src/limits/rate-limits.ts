// How many calls a principal may make: counted in windows that begin with the first call, here or in the Redis that replicas share.
import type { Rate } from '../config/rate.ts';

/** One limit that holds for a call. */
export interface Limit {
  /** What it is called in the answer's header fields. */
  readonly policy: 'key' | 'endpoint';
  /** Calls with the same one are counted together. */
  readonly counter: string;
  readonly rate: Rate;
}

/** Where a limit stands after a call. */
export interface LimitState {
  readonly policy: Limit['policy'];
  readonly rate: Rate;
  readonly remaining: number;
  /** Seconds, whole, until all calls are allowed again. */
  readonly reset: number;
}

export interface Taken {
  /** Whether every limit had a call left; when not, none was used up. */
  readonly isAllowed: boolean;
  readonly states: readonly LimitState[];
}

/** A counter as it stands; `resetMs` is 0 where nothing is counted. */
export interface Count {
  readonly used: number;
  readonly resetMs: number;
}

export interface Counters {
  /** Counts one call on every limit, or on none when one of them is used up. Undefined: nobody there to count. */
  take(
    limits: readonly Limit[],
  ): Promise<{ readonly isAllowed: boolean; readonly counts: readonly Count[] } | undefined>;
}

export interface RateLimits {
  /** Rejects with nothing; `isAllowed` is false too where counting is impossible and `closed` was chosen. */
  take(limits: readonly Limit[]): Promise<Taken | 'unavailable'>;
}

export interface RateLimitsOptions {
  readonly memory: Counters;
  /** Undefined: each process counts for itself. */
  readonly shared: Counters | undefined;
  /** What holds while the shared counters are away: the counters of each process, or no calls at all. */
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
  const states = limits.map(({ policy, rate }, index): LimitState => {
    const { used = 0, resetMs = 0 } = counts[index] ?? {};
    return { policy, rate, remaining: Math.max(0, rate.limit - used), reset: Math.ceil(resetMs / 1000) };
  });
  return { isAllowed, states };
}

/** Seconds until a refused call can be tried again: when the last limit that is used up begins anew. */
export function retryAfter({ states }: Taken): number {
  return Math.max(1, ...states.filter(({ remaining }) => remaining === 0).map(({ reset }) => reset));
}

/**
 * `RateLimit-Policy: "key";q=600;w=60` and `RateLimit: "key";r=599;t=60`, one item a limit
 * (draft-ietf-httpapi-ratelimit-headers-10).
 */
export function rateLimitFields(states: readonly LimitState[] | undefined): Readonly<Record<string, string>> {
  if (states === undefined) return {};
  const join = (item: (state: LimitState) => string): string =>
    states.map((state) => `"${state.policy}";${item(state)}`).join(', ');
  return {
    'RateLimit-Policy': join(({ rate }) => `q=${rate.limit};w=${rate.window}`),
    RateLimit: join(({ remaining, reset }) => `r=${remaining};t=${reset}`),
  };
}
