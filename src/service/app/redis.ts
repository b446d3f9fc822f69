// Opens the Redis link shared by the cache, the rate limits and the key-use counters, and derives the key that
// authenticates cache entries.
import { deriveEntryKey, type EntryKey } from '../cache/entry-key.ts';
import { openRedisLink, type RedisLink } from '../cache/redis-link.ts';
import { cacheSecrets } from '../config/cache-key.ts';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { after, clock } from './clock.ts';

const RETRY_MS = 1000;

/** Undefined if the settings name no Redis. */
export async function openRedis(settings: Settings, observe: Observe): Promise<RedisLink | undefined> {
  const { redisUrl: url, redisTimeout: timeoutMs, cacheNamespace: namespace } = settings;
  if (url === undefined) return undefined;
  const limits = { timeoutMs, retryMs: RETRY_MS };
  return openRedisLink({ url, namespace, ...limits, clock, after, random: Math.random, observe });
}

/** Reports a warning if no dedicated key is configured. */
export function openEntryKey(settings: Settings, observe: Observe): Promise<EntryKey> {
  const { secrets, warning } = cacheSecrets(settings);
  if (warning !== undefined) observe({ kind: 'cache.key_derived', reason: warning });
  return deriveEntryKey(secrets, settings.cacheNamespace);
}
