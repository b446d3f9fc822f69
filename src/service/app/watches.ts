// Opens the watches of a service: their state in Redis or in the data folder, their channels, and the keys that they run as.
import { randomUUID } from 'node:crypto';
import type { LiveKeyring } from '../auth/live-keyring.ts';
import type { RedisLink } from '../cache/redis-link.ts';
import { systemLookUp } from '../channels/address.ts';
import { openChannels } from '../channels/open-channels.ts';
import type { Settings } from '../config/settings.ts';
import type { LiveCatalog } from '../endpoints/live.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { createWatcher, type Watcher } from '../watches/watcher.ts';
import { after, clock } from './clock.ts';
import { openWatchStore } from './watch-store.ts';
import type { OpenRequestPath } from './request-path.ts';

export interface WatchesOptions {
  readonly settings: Settings;
  readonly link: RedisLink | undefined;
  readonly keyring: Pick<LiveKeyring, 'named'>;
  readonly catalog: Pick<LiveCatalog, 'current'>;
  readonly path: OpenRequestPath;
  readonly observe: Observe;
}

/** Looks use at most this share of the connections to the engine. */
const CONNECTIONS_SHARE = 2;

export async function openWatches(options: WatchesOptions): Promise<Watcher> {
  const { settings, keyring, catalog, path, observe } = options;
  const channels = openChannels(settings.channels, { after, lookUp: systemLookUp });
  const watcher = createWatcher({
    path,
    keyring: keyring.named,
    watchOf: path.watches.live,
    newId: randomUUID,
    catalog: catalog.current,
    channels: () => channels,
    store: await openWatchStore(options),
    clock,
    after,
    observe,
    random: Math.random,
    looks: Math.max(1, Math.floor(settings.connections / CONNECTIONS_SHARE)),
  });
  watcher.start();
  return watcher;
}
