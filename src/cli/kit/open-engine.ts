// Opens the configured engine for a command, and explains why it cannot be opened.
import type { Settings } from '../../service/config/settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { engineFolder, ownerOf } from '../../service/engine/embedded/open-error.ts';
import { EngineError } from '../../service/engine/engine.ts';
import { CommandError } from './command-error.ts';
import type { OpenEngine } from './dependencies.ts';

/**
 * Opens the configured engine. A locked data folder or an unreachable server becomes a CommandError; `whenInUse` is added
 * for a locked one.
 */
export async function openEngineOrExplain(
  openEngine: OpenEngine,
  settings: Settings,
  observe: Observe,
  whenInUse?: string,
): ReturnType<OpenEngine> {
  return openEngine(settings, observe).catch((cause: unknown) => {
    if (cause instanceof EngineError) {
      const isInUse = settings.clickhouse === undefined && ownerOf(engineFolder(settings.data)) !== undefined;
      const details = isInUse && whenInUse !== undefined ? [whenInUse] : [];
      throw new CommandError(cause.message, { cause, details });
    }
    if (cause instanceof Error && 'syscall' in cause) {
      throw new CommandError(
        `Cannot use the data folder ${settings.data}: ${cause.message}; choose another with --data`,
        { cause },
      );
    }
    throw cause;
  });
}
