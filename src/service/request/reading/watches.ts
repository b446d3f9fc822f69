// Watches the tables that responses are made of, for cache policies with `until: data`.
import { hash } from 'node:crypto';
import { momentOf } from '../../cache/clock.ts';
import type { Payload } from '../../cache/entry.ts';
import type { ReadThrough } from '../../cache/read-through.ts';
import { createWatch, type Fingerprint, type Watch } from '../../cache/watch.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { OUTDATED, readFingerprint, type TableSet } from '../../endpoints/fingerprint.ts';
import { resolveTables, type ResolvedSet } from '../../endpoints/table-set.ts';
import { readingStatements } from '../../endpoints/reading-statements.ts';
import type { Clock } from '../../../sql/base/clock.ts';
import { createLru, type Lru } from '../../../sql/base/lru.ts';
import type { Observation, Observe } from '../../../sql/base/observation.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { EngineError, type Engine } from '../../engine/engine.ts';
import { missingGrant } from '../../engine/missing-grant.ts';
import { contentTypeOf } from '../../formats/formats.ts';
import { clockReads, commonEvery, functionCalls } from '../../../sql/clickhouse/clock-reads.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import { tableNames } from '../../../sql/clickhouse/tree/visit.ts';
import type { PlannedQuery } from '../planned-query.ts';

export interface WatchesDeps {
  readonly engine: Engine;
  /** Fingerprints are cached as responses are: one question for all who ask at once, shared by all replicas. */
  readonly readThrough: Pick<ReadThrough, 'read'>;
  readonly clock: Clock;
  readonly observe: Observe;
  /** Of the engine. Those of several may have different data for a time. */
  readonly hosts: number;
  /** How tables are found and watched; on the engine by default. */
  readonly tables?: WatchedTables;
}

export interface WatchedTables {
  readonly resolve: typeof resolveTables;
  readonly readFingerprint: typeof readFingerprint;
}

const ON_ENGINE: WatchedTables = { resolve: resolveTables, readFingerprint };

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

/** What one watch of an endpoint is about. */
interface Subject {
  /** The WITH tables that a consumer query names; undefined: the saved query. */
  readonly tables: readonly string[] | undefined;
  /** How the consumer query itself reads the clock, as in TableSet. */
  readonly every: number | undefined;
  /** Whether the consumer query reads the clock in another way, or is random. */
  readonly isMoving: boolean;
  /** Why it cannot be watched. */
  readonly reason: string | undefined;
}

interface EndpointWatches {
  readonly bySubject: Lru<Watch>;
  readonly byQuery: Lru<Watch>;
}

/** What it is for. */
type Purpose = 'cache' | 'live';

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

/** A set that cannot be watched is resolved again after this time. */
const UNWATCHED_MS = 60_000;
const MAX_ATTEMPTS = 3;

function watchTables(
  deps: WatchesDeps,
  endpoint: Endpoint,
  subject: Subject & { readonly purpose: Purpose },
): Watch {
  const { engine, clock, observe, hosts, tables = ON_ENGINE } = deps;
  let resolved: { readonly set: Promise<ResolvedSet>; readonly at: number } | undefined;
  let reported = '';

  const resolve = (): Promise<ResolvedSet> => {
    if (resolved !== undefined) return resolved.set;
    const set = tables.resolve(engine, readingStatements(endpoint, subject.tables));
    const own = { set, at: clock.monotonic() };
    resolved = own;
    set.catch((cause: unknown) => {
      if (resolved === own) resolved = undefined;
      observe(checkFailed(endpoint, cause));
    });
    return set;
  };

  const reasonsOf = ({ unwatched, clock }: ResolvedSet): readonly string[] => {
    if (hosts > 1) return ['the engine has several hosts, whose data may differ for a time'];
    const own = subject.reason === undefined ? [] : [subject.reason];
    const isMoving = subject.isMoving || clock.some(({ every }) => every === undefined);
    const moving = isMoving && subject.purpose === 'live' ? ['the query reads the clock, or is random'] : [];
    return [...new Set([...own, ...moving, ...unwatched.map(({ reason }) => reason)])];
  };

  const readOnce = async (maxAgeMs: number): Promise<Fingerprint | typeof OUTDATED | undefined> => {
    const found = await resolve();
    const reasons = reasonsOf(found);
    const set = { ...found.set, every: everyOf(found.set, subject) };
    if (reasons.length === 0) return readShared(deps, endpoint, { set, maxAgeMs });
    if (resolved !== undefined && clock.monotonic() - resolved.at > UNWATCHED_MS) resolved = undefined;
    const kind = subject.purpose === 'live' ? 'live.unwatched' : 'cache.unwatched';
    if (reported !== reasons.join()) observe({ kind, endpoint: endpoint.name, reasons });
    reported = reasons.join();
    return undefined;
  };

  const ask = async (maxAgeMs: number): Promise<Fingerprint | undefined> => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      // Another process may have found the same set outdated, before it became what it is now.
      const found = await readOnce(attempt === 1 ? maxAgeMs : 0);
      if (found !== OUTDATED) return found;
      resolved = undefined;
    }
    return undefined; // definitions change faster than they are read
  };
  return createWatch({ ask, clock });
}

function everyOf({ every }: TableSet, subject: Subject): number | undefined {
  if (every === undefined || subject.every === undefined) return every ?? subject.every;
  return commonEvery([{ every }, subject]);
}

interface SharedRead {
  readonly set: TableSet;
  readonly maxAgeMs: number;
}

/** Through the cache: a fingerprint is a cached response of its own. */
async function readShared(
  { engine, readThrough, clock, observe, tables = ON_ENGINE }: WatchesDeps,
  endpoint: Endpoint,
  { set, maxAgeMs }: SharedRead,
): Promise<Fingerprint | typeof OUTDATED | undefined> {
  const run = async (): Promise<Payload> => {
    const { monotonic } = momentOf(clock);
    try {
      const value = await tables.readFingerprint(engine, set);
      observe({ kind: 'cache.checked', endpoint: endpoint.name, ms: clock.monotonic() - monotonic });
      return payloadOf(value);
    } catch (cause) {
      observe(checkFailed(endpoint, cause));
      throw cause;
    }
  };
  const ttl = endpoint.cache?.check ?? 1;
  const found = await readThrough.read({
    key: keyOf(set),
    policy: { ttl, minRefresh: 0, staleWhileRevalidate: 0, staleIfError: 0 },
    directives: { noCache: false, maxAge: maxAgeMs / 1000, onlyIfCached: false },
    run,
    signal: () => new AbortController().signal, // others wait for it as well; the engine bounds its time
  });
  if (found.kind === 'absent') throw new Problem('cache.miss'); // only for only-if-cached
  const value = found.entry.body.toString();
  return value === OUTDATED ? OUTDATED : { value, at: found.entry.born };
}

function checkFailed({ name }: Endpoint, cause: unknown): Observation {
  const fix = cause instanceof EngineError ? missingGrant(cause) : undefined;
  return { kind: 'cache.check_failed', endpoint: name, cause, ...(fix === undefined ? {} : { fix }) };
}

function payloadOf(value: string): Payload {
  return { body: Buffer.from(value), contentType: contentTypeOf('json'), rows: 1, truncated: false };
}

/** No endpoint has such a name. */
function keyOf(set: TableSet): string {
  return `:tables@1/${hash('sha256', JSON.stringify(set), 'base64url')}`;
}
