// Makes the tables of a data folder again after a change of the seeds, the schema or the fixtures: beside the old ones, which stay
// until the new ones are whole.
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../../service/config/settings.ts';
import { engineFolder, ownerOf } from '../../../service/engine/embedded/open-error.ts';
import { readJournal } from '../../../service/loading/journal.ts';
import { CommandError, noteError } from '../../kit/command-error.ts';
import type { OpenEngine } from '../../kit/dependencies.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { openEngineOrExplain } from '../../kit/open-engine.ts';
import { seed } from '../../kit/seed.ts';
import { readTablesState, STATE_FILE, writeTablesState } from '../../kit/tables-state.ts';

interface RebuildDeps {
  readonly openEngine: OpenEngine;
  readonly terminal: Terminal;
}

/** Puts the new tables in the place of the old ones, whose engine must be closed. */
export type PutInPlace = () => Promise<void>;

/**
 * Resolves to undefined, after a note that says why, if the tables cannot be made or would lack some that the old ones have. The same
 * files are then not tried again.
 */
export async function rebuildTables(
  settings: Settings,
  signature: string,
  deps: RebuildDeps,
): Promise<PutInPlace | undefined> {
  const next = { ...settings, data: join(settings.data, 'next') };
  await rm(next.data, { recursive: true, force: true });
  const before = await readTablesState(settings);
  const failure = await make(next, settings.data, deps).then(() => undefined, expected);
  const after = await readTablesState(next);
  const isWorse = after === undefined || (!after.isWhole && before?.isWhole === true);
  if (failure !== undefined) noteError(failure, deps.terminal, 'Cannot make the tables again: ');
  if (failure === undefined && !isWorse) return () => putInPlace(settings, next, deps.terminal);
  await rm(next.data, { recursive: true, force: true });
  await writeTablesState(settings, { signature, isWhole: before?.isWhole ?? true });
  deps.terminal.note(
    'The tables stay as they were, until the next change: the new ones would not be complete.',
  );
  return undefined;
}

async function make(next: Settings, folder: string, { openEngine, terminal }: RebuildDeps): Promise<void> {
  const engine = await openEngineOrExplain(openEngine, next, () => undefined);
  try {
    await seed(engine, next, {
      ...terminal,
      note: (text) => terminal.note(text.replaceAll(`${next.data}/`, `${folder}/`)),
    });
  } finally {
    await engine.close(0);
  }
}

function expected(cause: unknown): CommandError {
  if (cause instanceof CommandError) return cause;
  throw cause;
}

async function putInPlace(settings: Settings, next: Settings, terminal: Terminal): Promise<void> {
  const owner = ownerOf(engineFolder(settings.data));
  if (owner !== undefined)
    throw new CommandError(`The data folder ${settings.data} is in use by process ${owner}`, {
      details: ['Stop it, and run the command again; a service in development follows changes by itself'],
    });
  const { loaded, ...journal } = await readJournal(settings.data);
  await rm(engineFolder(settings.data), { recursive: true, force: true });
  await rename(engineFolder(next.data), engineFolder(settings.data));
  for (const name of [STATE_FILE, 'seeds-state'])
    await rename(join(next.data, name), join(settings.data, name)).catch(unlessMissing);
  await rm(next.data, { recursive: true, force: true });
  if (loaded.length === 0 && journal.pending === undefined) return;
  const files = [...new Set(loaded.map(({ name, table }) => `${name} into ${table}`))];
  const shown = files.slice(-5).join(', ');
  terminal.note(`Rows that millrace load had put into the tables are gone. Load them again: ${shown}`);
}

function unlessMissing(cause: NodeJS.ErrnoException): void {
  if (cause.code !== 'ENOENT') throw cause;
}
