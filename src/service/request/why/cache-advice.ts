// Finds caches that are never hit, and endpoints without one whose queries repeat.
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { CallCount } from '../../observe/call-counts.ts';
import type { RepeatedRuns } from './repeats.ts';

export interface CacheAdvice {
  readonly endpoint: string;
  readonly kind: 'never_hit' | 'warmed_never_hit' | 'would_hit';
  readonly text: string;
}

/** Fewer calls say nothing. */
const LEAST_CALLS = 50;
/** An endpoint whose runs are repeats to this share would have been served from a cache. */
const SHARE = 0.3;
const MAX_ADVICE = 50;

/** `counts` are those of a time, `repeated` those since the process started. */
export function cacheAdvice(
  endpoints: readonly Pick<Endpoint, 'name' | 'cache'>[],
  counts: readonly CallCount[],
  repeated: readonly RepeatedRuns[],
): readonly CacheAdvice[] {
  const unhit = endpoints.flatMap(({ name, cache }) =>
    cache === undefined ? [] : neverHit(name, cache, sumOf(counts, name)),
  );
  const cached = new Set(endpoints.flatMap(({ name, cache }) => (cache === undefined ? [] : [name])));
  const would = repeated.filter(
    ({ endpoint, runs, repeats }) => !cached.has(endpoint) && runs >= LEAST_CALLS && repeats >= SHARE * runs,
  );
  return [
    ...unhit,
    ...would.map(({ endpoint, runs, repeats }): CacheAdvice => {
      const text = `${repeats} of ${runs} runs repeated a query of the minute before: with cache: { ttl: 60 }, or until: data, they would have been cached responses`;
      return { endpoint, kind: 'would_hit', text };
    }),
  ].slice(0, MAX_ADVICE);
}

interface Answered {
  readonly calls: number;
  readonly errors: number;
  readonly runs: number;
}

function neverHit(
  endpoint: string,
  { warmEvery }: Pick<NonNullable<Endpoint['cache']>, 'warmEvery'>,
  { calls, errors, runs }: Answered,
): readonly CacheAdvice[] {
  const answered = calls - errors;
  if (answered < LEAST_CALLS || runs < answered) return [];
  const never = `none of ${answered} calls was served from its cache: their parameters, or the times in them, differ`;
  return warmEvery === undefined
    ? [
        {
          endpoint,
          kind: 'never_hit',
          text: `${never}. Round the times (docs/author/relative-times.md), or remove cache`,
        },
      ]
    : [
        {
          endpoint,
          kind: 'warmed_never_hit',
          text: `${never}. Warming runs queries that nothing asks for: remove warm`,
        },
      ];
}

function sumOf(counts: readonly CallCount[], name: string): Answered {
  const sum = { calls: 0, errors: 0, runs: 0 };
  for (const each of counts)
    if (each.endpoint === name) {
      sum.calls += each.calls;
      sum.errors += each.errors;
      sum.runs += each.runs;
    }
  return sum;
}
