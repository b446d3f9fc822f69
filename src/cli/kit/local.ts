// Runs endpoints in the command's own process: opens the engine, does the work, closes everything.
import type { Catalog } from '../../service/endpoints/catalog.ts';
import type { Settings } from '../../service/config/settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import type { Engine } from '../../service/engine/engine.ts';
import { hashKeyNote, withHashKey } from './hash-key.ts';
import { seed } from './seed.ts';
import { openEngineOrExplain } from './open-engine.ts';
import { noEndpoints } from './endpoint-files.ts';
import type { Terminal } from './terminal.ts';
import type { OpenEngine, OpenLocal } from './dependencies.ts';

export interface LocalDeps<Local extends Closable = Awaited<ReturnType<OpenLocal>>> {
  readonly openEngine: OpenEngine;
  readonly openLocal: (options: Parameters<OpenLocal>[0]) => Promise<Local>;
  readonly terminal: Terminal;
}

interface Closable {
  close(): Promise<void>;
  readonly catalog?: () => Catalog;
}

export interface LocalOptions {
  readonly settings: Settings;
  readonly observe: Observe;
  /** What to do if another process has the data folder. */
  readonly whenInUse: string;
  /** It is true if columns are hashed with a key of this run if none is set. */
  readonly isAuthoring: boolean;
}

/**
 * Passes the request path over the configured engine to `use`; loads the seeds first if the embedded database is empty.
 */
export async function withLocal<T, Local extends Closable>(
  { settings: given, observe, whenInUse, isAuthoring }: LocalOptions,
  deps: LocalDeps<Local>,
  use: (local: Local, engine: Engine) => Promise<T>,
): Promise<T> {
  const settings = isAuthoring ? withHashKey(given) : given;
  const engine = await openEngineOrExplain(deps.openEngine, settings, observe, whenInUse);
  try {
    if (engine.kind === 'embedded') await seed(engine, settings, deps.terminal);
    const local = await deps.openLocal({ settings, engine, observe }).catch((cause: unknown) => {
      const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
      throw isMissing ? noEndpoints(settings, cause) : cause;
    });
    const note = isAuthoring && local.catalog && hashKeyNote(given, local.catalog());
    if (note) deps.terminal.note(note);
    try {
      return await use(local, engine);
    } finally {
      await local.close();
    }
  } finally {
    await engine.close(0);
  }
}
