// The secrets from which the shared cache's key is derived, and a warning if others may know them.
import type { Settings } from './settings.ts';

/** Input of the key that authenticates cached responses. */
export interface CacheSecrets {
  /** Identical in all replicas that share entries; empty strings if the service has no secrets. */
  readonly secrets: readonly string[];
  /** What to do if others may know the key; undefined if `cache_key` is set. */
  readonly warning: string | undefined;
}

const ADVICE = 'Set MILLRACE_CACHE_KEY to the same secret in every replica (openssl rand -hex 32).';

/**
 * `cache_key`, or else all secrets that replicas have in common. The password in `redis_url` does not protect against
 * other users of the same Redis, but may be the only secret of a deployment.
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
    return `No cache_key is set: cached responses in Redis are authenticated with a key derived from the password in redis_url, so anyone with that password can forge them. ${ADVICE}`;
  return `No cache_key is set and no secret to derive one from: anyone who can write to Redis can forge cached responses. ${ADVICE}`;
}

function passwordIn(url: string | undefined): string {
  return url === undefined || !URL.canParse(url) ? '' : new URL(url).password;
}
