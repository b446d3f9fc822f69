// Freshness arithmetic: the endpoint's cache policy combined with the request's Cache-Control. Ages are milliseconds.

/** The cache policy of an endpoint. All values in seconds. */
export interface CachePolicy {
  readonly ttl: number;
  /**
   * A response is fresh while the data that it was made of is unchanged, which is known for this long after each check; at most
   * `ttl`. Undefined: a response is fresh for `ttl`, whatever happens to the data.
   */
  readonly check?: number | undefined;
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

/** Seconds for which a response is fresh after it was made, or after the last check that found its data unchanged. */
export function freshFor({ ttl, check }: CachePolicy): number {
  return check ?? ttl;
}

/** How old, in milliseconds, a check may be that makes a response fresh for a request. */
export function checkAge(policy: CachePolicy, { noCache, maxAge }: CacheDirectives): number {
  return 1000 * Math.min(freshFor(policy), noCache ? policy.minRefresh : Infinity, maxAge ?? Infinity);
}

/** Returns whether a cached response can be served without a new run. `age` counts from the last check, if there are checks. */
export function isFresh(age: number, policy: CachePolicy, directives: CacheDirectives): boolean {
  const most = freshFor(policy);
  const limit = directives.noCache ? Math.min(policy.minRefresh, most) : most;
  return age < limit * 1000 && isWithin(age, directives.maxAge);
}

/** Which of the two stale periods allow a response to be served. */
export interface StaleRights {
  readonly whileRevalidate: boolean;
  readonly ifError: boolean;
}

/** Returns whether an expired response may still be served. Never if the request asked for a newer one. */
export function staleRights(age: number, policy: CachePolicy, directives: CacheDirectives): StaleRights {
  const over = age - freshFor(policy) * 1000;
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
