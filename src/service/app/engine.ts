// Opens the engine selected by the settings.
import { makePrivateFolder } from '../config/private-folder.ts';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { engineFolder } from '../engine/embedded/open-error.ts';
import type { Engine } from '../engine/engine.ts';
import { accessTypes, needsNetwork } from '../../sql/clickhouse/outside-sources.ts';
import { clock, patientAfter as after } from './clock.ts';

/** Only the modules of the selected engine are loaded. Rejects with EngineError. */
export async function openEngine(settings: Settings, observe: Observe): Promise<Engine> {
  const { connections, shares, queue, memory, clickhouse } = settings;
  const now = clock.monotonic;
  if (clickhouse !== undefined) {
    const { createHttpEngine } = await import('../engine/http/http-engine.ts');
    const { readTls } = await import('../engine/http/tls.ts');
    const tls = await readTls(clickhouse);
    return createHttpEngine({ ...clickhouse, tls, connections, shares, queue, observe, after, now });
  }
  const { createEmbeddedEngine } = await import('../engine/embedded/embedded-engine.ts');
  const path = engineFolder(settings.data);
  for (const folder of [settings.data, path]) {
    const reason = await makePrivateFolder(folder);
    if (reason !== undefined) observe({ kind: 'data.folder_open', reason });
  }
  const { mode, files } = settings.engineConfinement;
  const network = needsNetwork(settings.engineSources);
  const confinement = { mode, read: files, write: [], network };
  return createEmbeddedEngine({
    path,
    connections,
    shares,
    queue,
    memory,
    confinement,
    sources: accessTypes(settings.engineSources),
    observe,
    after,
    now,
  });
}
