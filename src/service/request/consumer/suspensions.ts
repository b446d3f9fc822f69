// Suspends consumer queries that crashed the engine process for a while, and all consumer queries of a key that sends
// several of them. What a query does depends on the rows that its key may read, so keys do not suspend each other's queries.
import { createHash } from 'node:crypto';
import type { Principal } from '../../auth/principal.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import { createLru } from '../../../sql/base/lru.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Fatality } from '../../engine/engine.ts';
import type { ConsumerQuery } from './consumer-query.ts';

export interface Suspensions {
  /**
   * Returns the query, set up to be suspended if it crashes the engine process. Throws Problem `query.suspended` with
   * Retry-After while the query or its key is suspended.
   */
  readonly admit: (consumerQuery: ConsumerQuery, sender: Sender) => ConsumerQuery;
}

/** The sender of a query, and the endpoint it is sent to. */
export interface Sender {
  readonly endpoint: Pick<Endpoint, 'id' | 'name'>;
  readonly principal: Pick<Principal, 'id' | 'name' | 'locked'>;
}

export interface SuspensionsOptions {
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly observe: Observe;
}

const SUSPENDED_MS = 10 * 60_000;
/** A query that was running at two crashes is assumed to be the cause, even if others ran too. */
const MAX_SUSPICIONS = 2;
/** Fatal queries per key within the suspension time, after which all its consumer queries are suspended. */
const MAX_FATAL = 3;
/** Maximum number of queries, and of keys, remembered; the oldest are dropped first. A key adds at most a few until it is suspended. */
const MAX_REMEMBERED = 10_000;

export function createSuspensions({ now, observe }: SuspensionsOptions): Suspensions {
  const suspicions = createTallies(now);
  const queries = createTallies(now);
  const keys = createTallies(now);

  function note(fatality: Fatality, id: string, { endpoint, principal }: Sender): void {
    if (fatality === 'suspected' && suspicions.add(id) < MAX_SUSPICIONS) return;
    queries.add(id);
    const scope = keys.add(principal.id) === MAX_FATAL ? 'key' : 'query';
    observe({ kind: 'query.suspended', endpoint: endpoint.name, principal: principal.name, scope });
  }

  return {
    admit: (consumerQuery, sender) => {
      const { principal } = sender;
      const id = identityOf(consumerQuery, sender);
      const minutes = SUSPENDED_MS / 60_000;
      if (queries.count(id) > 0) {
        const detail = `This query could not be stopped at its time limit, or ended the engine process; it is rejected for ${minutes} minutes`;
        throw new Problem('query.suspended', { detail, retryAfter: queries.secondsLeft(id) });
      }
      if (keys.count(principal.id) >= MAX_FATAL) {
        const detail = `Several queries of the key "${principal.name}" could not be stopped at their time limit; its consumer queries are rejected for ${minutes} minutes`;
        throw new Problem('query.suspended', { detail, retryAfter: keys.secondsLeft(principal.id) });
      }
      return { ...consumerQuery, key: principal.id, onFatal: (fatality) => note(fatality, id, sender) };
    },
  };
}

/**
 * A query of a key with its locked parameters: tokens of one subject may have others, and other rows. A caller that rotates these, or the
 * query, is one key in the count of fatal queries.
 */
function identityOf({ language, text }: ConsumerQuery, { endpoint, principal }: Sender): string {
  const locked = Array.from(principal.locked).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const parts = [principal.id, locked, endpoint.name, language, text.trim()];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

interface Tallies {
  /** Increments the count and returns it. */
  add(id: string): number;
  count(id: string): number;
  /** Seconds until the count resets to 0; at least 1. */
  secondsLeft(id: string): number;
}

/** Counts by id that expire SUSPENDED_MS after their last increment. */
function createTallies(now: () => number): Tallies {
  const tallies = createLru<{ readonly count: number; readonly until: number }>({ entries: MAX_REMEMBERED });
  const find = (id: string): { readonly count: number; readonly until: number } | undefined => {
    const tally = tallies.get(id);
    if (tally === undefined || tally.until > now()) return tally;
    tallies.delete(id);
    return undefined;
  };
  return {
    add: (id) => {
      const count = (find(id)?.count ?? 0) + 1;
      tallies.set(id, { count, until: now() + SUSPENDED_MS });
      return count;
    },
    count: (id) => find(id)?.count ?? 0,
    secondsLeft: (id) => Math.max(1, Math.ceil(((find(id)?.until ?? 0) - now()) / 1000)),
  };
}
