// In development, the tables follow the seeds, the schema and the fixtures while the service runs.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../../service/config/settings.ts';
import { watchPaths } from '../../../service/config/watch.ts';
import { createBell } from '../../kit/folder-changes.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import { readTablesState, signatureOfSources, sourcesOf } from '../../kit/tables-state.ts';

const WATCHING = { settleMs: 150, maxDelayMs: 1000, after: REAL_TIME.after };

/** Calls `change` with the new signature after each change of the files, until the signal aborts. Rejects if that rejects. */
export async function followTables(
  settings: Settings,
  stop: AbortSignal,
  change: (signature: string) => Promise<void>,
): Promise<void> {
  const bell = createBell();
  stop.addEventListener('abort', bell.ring);
  while (!stop.aborted) {
    // The folders are listed again each time, since only the files directly in a folder are watched.
    const watched = await watchPaths(foldersOf(settings), WATCHING, { change: bell.ring, error: bell.ring });
    const signature = await signatureOfSources(settings);
    const state = await readTablesState(settings);
    if (state !== undefined && state.signature !== signature) await change(signature);
    else await bell.heard();
    await watched.close();
  }
}

function foldersOf(settings: Settings): readonly string[] {
  const roots = new Set([
    ...sourcesOf(settings),
    settings.seeds,
    'schema',
    join(settings.endpoints, 'fixtures'),
  ]);
  return [...roots].flatMap((root) => [root, ...below(root)]);
}

/** Folders below one; a migration tool may have many. */
function below(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [join(entry.parentPath, entry.name)] : []));
}
