// Opens the engine selected by the settings.
import { makePrivateFolder } from '../config/private-folder.ts';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../core/observation.ts';
import { createEmbeddedEngine } from '../engine/embedded/embedded-engine.ts';
import { engineFolder } from '../engine/embedded/open-error.ts';
import type { Engine } from '../engine/engine.ts';
import { createHttpEngine } from '../engine/http/http-engine.ts';
import { readTls } from '../engine/http/tls.ts';
import { after, clock } from './clock.ts';

/** Rejects with EngineError. */
export async function openEngine(settings: Settings, observe: Observe): Promise<Engine> {
  const { connections, shares, queue, memory, clickhouse } = settings;
  const now = clock.monotonic;
  if (clickhouse !== undefined) {
    const tls = await readTls(clickhouse);
    return createHttpEngine({ ...clickhouse, tls, connections, shares, queue, observe, after, now });
  }
  const path = engineFolder(settings.data);
  for (const folder of [settings.data, path]) {
    const reason = await makePrivateFolder(folder);
    if (reason !== undefined) observe({ kind: 'data.folder_open', reason });
  }
  return createEmbeddedEngine({ path, connections, shares, queue, memory, observe, after, now });
}
