// Freshness arithmetic: the endpoint's cache policy combined with the request's Cache-Control. Ages are milliseconds.

/** The cache policy of an endpoint. All values in seconds. */
export interface CachePolicy {
  readonly ttl: number;
  /** `no-cache` accepts a response younger than this, so that it cannot be used to flood the engine. */
  readonly minRefresh: number;
  /** How long after `ttl` the stale response is served while revalidating in the background. */
  readonly staleWhileRevalidate: number;
  /** How long after `ttl` the stale response is served if a new run fails. */
  readonly staleIfError: number;
}

/** Request directives from Cache-Control (RFC 9111, 5.2.1). */
export interface CacheDirectives {
  readonly noCache: boolean;
  /** Seconds; an older response is not accepted, fresh or not. */
  readonly maxAge: number | undefined;
  readonly onlyIfCached: boolean;
}

export const NO_DIRECTIVES: CacheDirectives = { noCache: false, maxAge: undefined, onlyIfCached: false };

/** Whether a cached response can be served without a new run. */
export function isFresh(age: number, policy: CachePolicy, directives: CacheDirectives): boolean {
  const limit = directives.noCache ? Math.min(policy.minRefresh, policy.ttl) : policy.ttl;
  return age < limit * 1000 && isWithin(age, directives.maxAge);
}

/** Which of the two stale periods allow a response to be served. */
export interface StaleRights {
  readonly whileRevalidate: boolean;
  readonly ifError: boolean;
}

/** Whether an expired response may still be served. Never if the request asked for a newer one. */
export function staleRights(age: number, policy: CachePolicy, directives: CacheDirectives): StaleRights {
  const over = age - policy.ttl * 1000;
  const permitted = !directives.noCache && isWithin(age, directives.maxAge);
  return {
    whileRevalidate: permitted && over < policy.staleWhileRevalidate * 1000,
    ifError: permitted && over < policy.staleIfError * 1000,
  };
}

/** Milliseconds during which an entry can be served at all, stale periods included. */
export function retentionMsOf({ ttl, staleWhileRevalidate, staleIfError }: CachePolicy): number {
  return (ttl + Math.max(staleWhileRevalidate, staleIfError)) * 1000;
}

function isWithin(age: number, maxAge: number | undefined): boolean {
  return maxAge === undefined || age <= maxAge * 1000;
}
