// What a service does without being asked: it keeps rollups, and looks at watches.
import type { LiveKeyring } from '../auth/live-keyring.ts';
import type { RedisLink } from '../cache/redis-link.ts';
import type { Observe } from '../../sql/base/observation.ts';
import type { Watcher } from '../watches/watcher.ts';
import type { Core } from './core.ts';
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
  /** Ends both, while the engine, Redis and the keys are there. */
  close(): Promise<void>;
}

export async function openBackground(
  options: ServiceOptions,
  { core, link, keyring, observe }: BackgroundDeps,
): Promise<Background> {
  const watcher = await openWatches({ ...core, settings: options.settings, link, keyring, observe });
  const keeper = keepRollups(options, core, observe);
  return {
    watcher,
    close: () => {
      keeper?.close();
      return watcher.close();
    },
  };
}
