// The sources of the key that authenticates shared cache entries, and the warnings about them.
import { expect, test } from 'vitest';
import { cacheSecrets } from '../../../src/service/config/cache-key.ts';
import type { Settings } from '../../../src/service/config/settings.ts';

type Given = Parameters<typeof cacheSecrets>[0];
const NONE: Given = {
  cacheKey: undefined,
  piiHashKey: undefined,
  clickhouse: undefined,
  redisUrl: 'redis://a',
};
const clickhouse = { password: 'ch' } as NonNullable<Settings['clickhouse']>; // all that is read of it

test.each<{ why: string; given: Partial<Given>; secrets: readonly string[]; warning: RegExp | undefined }>([
  {
    why: 'its own',
    given: { cacheKey: 'x'.repeat(32), clickhouse },
    secrets: ['x'.repeat(32)],
    warning: undefined,
  },
  {
    why: 'the password of the server',
    given: { clickhouse },
    secrets: ['', 'ch', ''],
    warning: /derived from clickhouse_password\./,
  },
  {
    why: 'everything that replicas share',
    given: { clickhouse, piiHashKey: 'p', redisUrl: 'rediss://user:pw@host:1/2' },
    secrets: ['p', 'ch', 'pw'],
    warning: /pii_hash_key and clickhouse_password/,
  },
  {
    why: 'of Redis only',
    given: { redisUrl: 'redis://:pw@host' },
    secrets: ['', '', 'pw'],
    warning: /forge/,
  },
  { why: 'nothing', given: {}, secrets: ['', '', ''], warning: /anyone who can write to Redis can forge/ },
  { why: 'not a URL', given: { redisUrl: 'redis://[' }, secrets: ['', '', ''], warning: /forge/ },
])('$why', ({ given, secrets, warning }) => {
  const found = cacheSecrets({ ...NONE, ...given });
  expect(found.secrets).toEqual(secrets);
  if (warning === undefined) expect(found.warning).toBeUndefined();
  else expect(found.warning).toMatch(warning);
});
