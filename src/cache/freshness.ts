// What age is good enough: the endpoint's promise and the caller's wish, as arithmetic. Ages are milliseconds.

/** What an endpoint promises about its stored answers. All in seconds. */
export interface CachePolicy {
  readonly ttl: number;
  /** `no-cache` is content with an answer younger than this, so that it cannot be used to flood the engine. */
  readonly minRefresh: number;
  /** So long after `ttl` an old answer is given while a new one is made. */
  readonly staleWhileRevalidate: number;
  /** So long after `ttl` an old answer is given when no new one can be made. */
  readonly staleIfError: number;
}

/** What a caller asked for in Cache-Control (RFC 9111, 5.2.1). */
export interface CacheWish {
  readonly noCache: boolean;
  /** Seconds; nothing older is taken, fresh or not. */
  readonly maxAge: number | undefined;
  readonly onlyIfCached: boolean;
}

export const NO_WISH: CacheWish = { noCache: false, maxAge: undefined, onlyIfCached: false };

/** Whether a stored answer will do as it is. */
export function isFresh(age: number, policy: CachePolicy, wish: CacheWish): boolean {
  const limit = wish.noCache ? Math.min(policy.minRefresh, policy.ttl) : policy.ttl;
  return age < limit * 1000 && isWithin(age, wish.maxAge);
}

/** On what grounds an old answer may be given. */
export interface StaleRights {
  readonly whileRevalidate: boolean;
  readonly ifError: boolean;
}

/** Whether a stored answer may be given although it is over its time: never to who asked for a new one. */
export function staleRights(age: number, policy: CachePolicy, wish: CacheWish): StaleRights {
  const over = age - policy.ttl * 1000;
  const permitted = !wish.noCache && isWithin(age, wish.maxAge);
  return {
    whileRevalidate: permitted && over < policy.staleWhileRevalidate * 1000,
    ifError: permitted && over < policy.staleIfError * 1000,
  };
}

/** How long an answer can be of use to anybody. */
export function keepMsOf({ ttl, staleWhileRevalidate, staleIfError }: CachePolicy): number {
  return (ttl + Math.max(staleWhileRevalidate, staleIfError)) * 1000;
}

function isWithin(age: number, maxAge: number | undefined): boolean {
  return maxAge === undefined || age <= maxAge * 1000;
}
