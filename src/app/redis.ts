// The link to Redis that the cache, the limits and the counts of keys share.
import { openRedisLink, type RedisLink } from '../cache/redis-link.ts';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../core/observation.ts';
import { after, clock } from './clock.ts';

const RETRY_MS = 1000;

/** Undefined where the settings name no Redis. */
export async function openRedis(settings: Settings, observe: Observe): Promise<RedisLink | undefined> {
  const { redisUrl: url, redisTimeout: timeoutMs, cacheNamespace: namespace } = settings;
  if (url === undefined) return undefined;
  const limits = { timeoutMs, retryMs: RETRY_MS };
  return openRedisLink({ url, namespace, ...limits, clock, after, random: Math.random, observe });
}
