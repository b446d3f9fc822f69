// Watches the tables that responses are made of, for cache policies with `until: data`.
import type { Watch } from '../../cache/watch.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { createLru, type Lru } from '../../../sql/base/lru.ts';
import { clockReads, commonEvery, functionCalls } from '../../../sql/clickhouse/clock-reads.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import { tableNames } from '../../../sql/clickhouse/tree/visit.ts';
import type { PlannedQuery } from '../planned-query.ts';
import { type Purpose, type Subject, watchTables } from './watch-tables.ts';
import type { WatchesDeps } from './shared-fingerprint.ts';

export interface Watches {
  /** The tables that a plan reads; undefined for an endpoint whose responses expire with time only. */
  readonly of: (endpoint: Endpoint, query: Pick<PlannedQuery, 'consumerQuery'>) => Watch | undefined;
  /**
   * The same for any endpoint, for those who compare fingerprints themselves: it has none for plans whose result changes with
   * time alone.
   */
  readonly live: (endpoint: Endpoint, query: Pick<PlannedQuery, 'consumerQuery'>) => Watch;
}

/** Consumer queries, and sets of tables, that are remembered for an endpoint. */
const MAX_REMEMBERED = 500;

interface EndpointWatches {
  readonly bySubject: Lru<Watch>;
  readonly byQuery: Lru<Watch>;
}

export function createWatches(deps: WatchesDeps): Watches {
  const known = {
    cache: new WeakMap<Endpoint, EndpointWatches>(),
    live: new WeakMap<Endpoint, EndpointWatches>(),
  };
  const watchesOf = (endpoint: Endpoint, purpose: Purpose): EndpointWatches => {
    const found = known[purpose].get(endpoint) ?? {
      bySubject: createLru<Watch>({ entries: MAX_REMEMBERED }),
      byQuery: createLru<Watch>({ entries: MAX_REMEMBERED }),
    };
    known[purpose].set(endpoint, found);
    return found;
  };
  const watchOf = (
    endpoint: Endpoint,
    { consumerQuery }: Pick<PlannedQuery, 'consumerQuery'>,
    purpose: Purpose,
  ): Watch => {
    const { bySubject, byQuery } = watchesOf(endpoint, purpose);
    const query = consumerQuery?.canonicalSql ?? '';
    const found = byQuery.get(query);
    if (found !== undefined) return found;
    const subject = subjectOf(endpoint, consumerQuery?.canonicalSql);
    const key = JSON.stringify([subject.tables, subject.every, subject.isMoving, subject.reason]);
    const watch = bySubject.get(key) ?? watchTables(deps, endpoint, { ...subject, purpose });
    bySubject.set(key, watch);
    byQuery.set(query, watch);
    return watch;
  };
  return {
    of: (endpoint, query) =>
      endpoint.cache?.check === undefined ? undefined : watchOf(endpoint, query, 'cache'),
    live: (endpoint, query) => watchOf(endpoint, query, 'live'),
  };
}

function subjectOf({ outline, sandbox }: Endpoint, query: string | undefined): Subject {
  if (query === undefined) return { tables: undefined, every: undefined, isMoving: false, reason: undefined };
  const names = tableNames(parseSavedText(query));
  const tables = outline.elements.flatMap(({ kind, name }) =>
    kind === 'table' && names.has(name) ? [name] : [],
  );
  const reads = clockReads(query);
  const allowed = new Set(sandbox.allow.map((name) => name.toLowerCase()));
  const other = functionCalls(query).find((name) => allowed.has(name) || /^dict|^joinget|^file$/.test(name));
  const reason = other && `what the function ${other} reads is not known`;
  const every = reads.length === 0 ? undefined : commonEvery(reads);
  return { tables, every, isMoving: reads.length > 0 && every === undefined, reason };
}
