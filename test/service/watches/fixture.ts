// Watches of a folder of endpoint files on an engine, with a clock that a test moves and a server that gets the messages.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocalCore } from '../../../src/service/app/local.ts';
import { createKeyring } from '../../../src/service/auth/keyring.ts';
import { openChannels } from '../../../src/service/channels/open-channels.ts';
import type { ChannelSettings } from '../../../src/service/config/channel-settings.ts';
import type { Token } from '../../../src/service/config/generated/tokens.ts';
import { loadSettings } from '../../../src/service/config/load-settings.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { createFileStore } from '../../../src/service/watches/file-store.ts';
import type { WatchStore } from '../../../src/service/watches/store.ts';
import { createWatcher, type Watcher } from '../../../src/service/watches/watcher.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { openHttpSink, type HttpSink } from '../../support/http-sink.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import { createVirtualTime, type VirtualTime } from '../../support/virtual-time.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export interface Watched {
  readonly watcher: Watcher;
  readonly time: VirtualTime;
  readonly sink: HttpSink;
  readonly observed: Observation[];
  readonly folder: string;
  /** Writes an endpoint file and loads it. */
  write(name: string, text: string): Promise<void>;
  /** Moves the clock by seconds, with what is due in each. */
  pass(seconds: number): Promise<void>;
  /** Another process with the same state. The first one stops at once, as after kill -9, unless it goes on beside it. */
  restart(options?: { readonly isBeside?: boolean }): Watcher;
  close(): Promise<void>;
}

export interface WatchedOptions {
  readonly engine: Engine;
  readonly tokens: readonly Token[];
  readonly store?: ((time: VirtualTime) => WatchStore) | undefined;
}

export async function openWatched({ engine, tokens, store }: WatchedOptions): Promise<Watched> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-watches-'));
  const endpoints = join(folder, 'endpoints');
  await mkdir(endpoints);
  const loaded = await loadSettings({ flags: {}, env: {}, file: { path: '', required: false } });
  if (!('settings' in loaded)) throw new Error('the defaults are valid');
  const observed: Observation[] = [];
  const observe = (each: Observation): void => void observed.push(each);
  const core = await openLocalCore({ settings: { ...loaded.settings, endpoints }, engine, observe });
  const sink = await openHttpSink();
  const time = createVirtualTime();
  const hook: ChannelSettings = {
    name: 'hook',
    kind: 'webhook',
    url: sink.url,
    secret: SECRET,
    inside: true,
  };
  const channels = openChannels(new Map([['hook', hook]]), {
    after: REAL_TIME.after,
    lookUp: () => Promise.reject(new Error('no names are looked up')),
  });
  const { byName } = createKeyring(tokens);
  let started = 0;
  const open = (): Watcher =>
    createWatcher({
      path: core.path,
      keyring: () => byName,
      watchOf: (endpoint, query) => {
        const watch = core.path.watches.live(endpoint, query);
        return { ...watch, read: () => watch.read(0) }; // the clock of the test is not that of the fingerprints
      },
      newId: () => crypto.randomUUID(),
      catalog: core.catalog.current,
      channels: () => channels,
      store:
        store?.(time) ??
        createFileStore({ folder: join(folder, 'watches'), holder: `process ${started++}`, ...time, after: REAL_TIME.after, observe }),
      ...time,
      observe,
      random: () => 0,
      looks: 4,
    }); // prettier-ignore
  let watcher = open();
  return {
    get watcher() {
      return watcher;
    },
    time,
    sink,
    observed,
    folder,
    write: async (name, text) => {
      await writeFile(join(endpoints, `${name}.yaml`), text);
      await core.catalog.reload();
    },
    pass: async (seconds) => {
      for (let second = 0; second < seconds; second++) {
        await time.advance(1000);
        await watcher.tick();
        await watcher.idle();
      }
    },
    restart: ({ isBeside = false } = {}) => {
      const next = open();
      if (!isBeside) watcher = next;
      return next;
    },
    close: async () => {
      await core.close();
      await sink.close();
      await rm(folder, { recursive: true });
    },
  };
}
