// What a service does beside calls: it keeps rollups, looks at watches, and makes exports.
import type { LiveKeyring } from '../auth/live-keyring.ts';
import type { RedisLink } from '../cache/redis-link.ts';
import type { Observe } from '../../sql/base/observation.ts';
import type { Exports } from '../exports/exports.ts';
import type { Watcher } from '../watches/watcher.ts';
import type { Core } from './core.ts';
import { openExports } from './exports.ts';
import { keepRollups } from './rollups.ts';
import type { ServiceOptions } from './service-options.ts';
import { openWatches } from './watches.ts';

export interface BackgroundDeps {
  readonly core: Core;
  readonly link: RedisLink | undefined;
  readonly keyring: Pick<LiveKeyring, 'named'>;
  readonly observe: Observe;
}

export interface Background {
  readonly watcher: Watcher;
  readonly exports: Exports;
  /** Ends all, while the engine, Redis and the keys are there. */
  close(): Promise<void>;
}

export async function openBackground(
  options: ServiceOptions,
  { core, link, keyring, observe }: BackgroundDeps,
): Promise<Background> {
  const exports = await openExports(options.settings, core.path, observe);
  const watcher = await openWatches({ ...core, settings: options.settings, link, keyring, observe });
  const keeper = keepRollups(options, core, observe);
  return {
    watcher,
    exports,
    close: async () => {
      keeper?.close();
      await Promise.all([watcher.close(), exports.close()]);
    },
  };
}
