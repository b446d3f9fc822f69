// Reads the fingerprint of a set of tables through the cache: one question serves all who ask at once.
import { hash } from 'node:crypto';
import { momentOf } from '../../cache/clock.ts';
import type { Payload } from '../../cache/entry.ts';
import type { ReadThrough } from '../../cache/read-through.ts';
import type { Fingerprint } from '../../cache/watch.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { OUTDATED, readFingerprint, type TableSet } from '../../endpoints/fingerprint.ts';
import { resolveTables } from '../../endpoints/table-set.ts';
import type { Clock } from '../../../sql/base/clock.ts';
import type { Observation, Observe } from '../../../sql/base/observation.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { EngineError, type Engine } from '../../engine/engine.ts';
import { missingGrant } from '../../engine/missing-grant.ts';
import { contentTypeOf } from '../../formats/formats.ts';

export interface WatchesDeps {
  readonly engine: Engine;
  /** Fingerprints are cached as responses are: one question serves all who ask at once, in all replicas. */
  readonly readThrough: Pick<ReadThrough, 'read'>;
  readonly clock: Clock;
  readonly observe: Observe;
  /** The engine has this many hosts; several may have different data for a time. */
  readonly hosts: number;
  /** It finds and watches tables; the default is the engine. */
  readonly tables?: WatchedTables;
}

export interface WatchedTables {
  readonly resolve: typeof resolveTables;
  readonly readFingerprint: typeof readFingerprint;
}

export const ON_ENGINE: WatchedTables = { resolve: resolveTables, readFingerprint };

interface SharedRead {
  readonly set: TableSet;
  readonly maxAgeMs: number;
}

/** Reads through the cache: a fingerprint is a cached response of its own. */
export async function readShared(
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

export function checkFailed({ name }: Endpoint, cause: unknown): Observation {
  const fix = cause instanceof EngineError ? missingGrant(cause) : undefined;
  return { kind: 'cache.check_failed', endpoint: name, cause, ...(fix === undefined ? {} : { fix }) };
}

function payloadOf(value: string): Payload {
  return { body: Buffer.from(value), contentType: contentTypeOf('json'), rows: 1, truncated: false };
}

/** No endpoint has such a name, so that no response has the same key. */
function keyOf(set: TableSet): string {
  return `:tables@1/${hash('sha256', JSON.stringify(set), 'base64url')}`;
}
