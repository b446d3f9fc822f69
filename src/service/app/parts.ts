// Names the parts of a service that its listeners serve.
import type { RedisLink } from '../cache/redis-link.ts';
import type { LiveKeyring } from '../auth/live-keyring.ts';
import type { Settings } from '../config/settings.ts';
import type { Engine } from '../engine/engine.ts';
import type { Exports } from '../exports/exports.ts';
import type { Compression } from '../http/compression.ts';
import type { SlowClients } from '../http/slow-clients.ts';
import type { Watcher } from '../watches/watcher.ts';
import type { LoadRouteOptions } from '../fronts/admin/load.ts';
import type { Calls } from './call-counting.ts';
import type { Core } from './core.ts';
import type { Observing } from './observing.ts';

export interface Parts extends Core {
  readonly settings: Settings;
  readonly engine: Engine;
  readonly link: RedisLink | undefined;
  readonly keyring: LiveKeyring;
  readonly observing: Observing;
  readonly calls: Calls;
  readonly exports: Exports;
  readonly compression: Compression;
  readonly slowClients: SlowClients;
  readonly watcher: Watcher;
  readonly state: { readonly stopping: boolean };
  /** It loads rows into the embedded engine, and is undefined for a server. */
  readonly loading: LoadRouteOptions | undefined;
  /** In development, the document of the API needs no key, and problems have the engine's messages. */
  readonly isDevelopment: boolean;
}
