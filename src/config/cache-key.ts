// What the key of shared cache entries is derived from, and who could forge entries because of it.
import type { Settings } from './settings.ts';

export interface CacheSecrets {
  /** Equal in all replicas that are to share entries; empty where the service has none at all. */
  readonly secrets: readonly string[];
  /** What to do about a key that others may know; undefined where the service has one of its own. */
  readonly warning: string | undefined;
}

const ADVICE = 'Set MILLRACE_CACHE_KEY to the same secret in every replica (openssl rand -hex 32).';

/**
 * `cache_key`, or else every secret that replicas have in common. A password in `redis_url` protects against other users of
 * that Redis alone, and is all there is in a deployment without the others.
 */
export function cacheSecrets(
  settings: Pick<Settings, 'cacheKey' | 'piiHashKey' | 'clickhouse' | 'redisUrl'>,
): CacheSecrets {
  const { cacheKey, piiHashKey, clickhouse, redisUrl } = settings;
  if (cacheKey !== undefined) return { secrets: [cacheKey], warning: undefined };
  const own = [piiHashKey ?? '', clickhouse?.password ?? ''];
  const redisPassword = passwordIn(redisUrl);
  return { secrets: [...own, redisPassword], warning: warningOf(own, redisPassword) };
}

function warningOf(own: readonly string[], redisPassword: string): string {
  const names = ['pii_hash_key', 'clickhouse_password'].filter((_, index) => own[index] !== '');
  if (names.length > 0)
    return `No cache_key is set: cached responses in Redis are authenticated with a key derived from ${names.join(' and ')}. ${ADVICE}`;
  if (redisPassword !== '')
    return `No cache_key is set: cached responses in Redis are authenticated with a key derived from the password in redis_url, so whoever has that password can forge them. ${ADVICE}`;
  return `No cache_key is set and no secret to derive one from: whoever can write to Redis can forge cached responses. ${ADVICE}`;
}

function passwordIn(url: string | undefined): string {
  return url === undefined || !URL.canParse(url) ? '' : new URL(url).password;
}
