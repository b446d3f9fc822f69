// Builds the cache: memory, Redis and warming.
import { keyPrefix } from '../cache/key.ts';
import { createReadThrough, type ReadThrough } from '../cache/read-through.ts';
import type { EntryKey } from '../cache/entry-key.ts';
import { createRedis } from '../cache/redis.ts';
import type { RedisLink } from '../cache/redis-link.ts';
import { createStore } from '../cache/store.ts';
import { createWarming, type Warming } from '../cache/warming.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { Problem } from '../../sql/base/problem.ts';
import { CONTENT_TYPES } from '../formats/formats.ts';
import { after, clock } from './clock.ts';

export interface Cache {
  readonly readThrough: ReadThrough;
  readonly warming: Warming;
  /** Drops the cached and warm responses of one revision of an endpoint. */
  readonly forget: (name: string, revision: string) => Promise<unknown>;
  close(): Promise<void>;
}

/** `entryBytes`: larger bodies are not cached. `compressOver`: larger bodies are compressed for Redis. */
const STORE_LIMITS = { entryBytes: 8 * 2 ** 20, compressOver: 65_536 };
const LEASE_MS = 3000;
const WARMING_LIMITS = { perEndpoint: 1000, concurrent: 2 };

export interface CacheOptions {
  readonly memoryBytes: number;
  /** Undefined: responses are cached in this process only. */
  readonly shared: { readonly link: RedisLink; readonly entryKey: EntryKey } | undefined;
  readonly observe: Observe;
}

export function createCache({ memoryBytes, shared, observe }: CacheOptions): Cache {
  const given = { clock, after, random: Math.random, observe };
  const remote =
    shared && createRedis({ ...shared, contentTypes: CONTENT_TYPES, leaseMs: LEASE_MS, ...given });
  const store = createStore({ memoryBytes, ...STORE_LIMITS, remote, clock, observe });
  const readThrough = createReadThrough({ store, ...given, excusesStale });
  const warming = createWarming({ refresh: readThrough.refresh, ...WARMING_LIMITS, ...given });
  return {
    readThrough,
    warming,
    forget: (name, revision) => {
      warming.forget(name);
      return readThrough.forget(keyPrefix(name, revision));
    },
    close: () => {
      warming.close();
      return store.close();
    },
  };
}

/** A stale response is better than an engine failure, but must not hide a mistake in the request. */
function excusesStale(cause: unknown): boolean {
  return cause instanceof Problem && cause.code.startsWith('engine.');
}
