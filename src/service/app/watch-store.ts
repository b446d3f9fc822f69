// Opens the place of the states of watches: Redis, shared by all replicas, or the data folder.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { RedisLink } from '../cache/redis-link.ts';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { createFileStore } from '../watches/file-store.ts';
import { createRedisStore } from '../watches/redis-store.ts';
import type { WatchStore } from '../watches/store.ts';
import { after, clock } from './clock.ts';
import { openEntryKey } from './redis.ts';

export interface WatchStoreOptions {
  readonly settings: Settings;
  readonly link: RedisLink | undefined;
  readonly observe: Observe;
}

export async function openWatchStore({ settings, link, observe }: WatchStoreOptions): Promise<WatchStore> {
  const holder = randomUUID();
  if (link === undefined)
    return createFileStore({ folder: join(settings.data, 'watches'), holder, clock, after, observe });
  const { secret } = await openEntryKey(settings, () => undefined); // the cache has reported what it is derived from
  return createRedisStore({ link, secret, holder, clock, observe });
}
