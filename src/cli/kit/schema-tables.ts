// The tables of the schema folder on the service's own embedded engine, for folders without seeds: with the rows of the
// fixtures, so that endpoints can be tried in development.
import { mkdtemp, rm } from 'node:fs/promises';
import { resolve, join } from 'node:path';
import type { Settings } from '../../service/config/settings.ts';
import { engineFolder } from '../../service/engine/embedded/open-error.ts';
import type { Engine } from '../../service/engine/engine.ts';
import { loadSchema } from '../schema/load-schema.ts';
import { readSchemaFiles } from '../schema/schema-files.ts';
import { existingSchema, explainSchema, noteSchema } from './schema-options.ts';
import type { Terminal } from './terminal.ts';
import { readTables } from '../../service/loading/tables.ts';
import { openStage } from './stage.ts';
import { fixturesOf } from './tables-state.ts';
import { describeFinding } from '../../service/observe/describe.ts';

/**
 * Creates them if the engine has no tables yet; resolves to whether all tables and rows could be created, or undefined if nothing
 * was. Rejects with CommandError or EngineError.
 */
export async function createSchemaTables(
  engine: Engine,
  settings: Settings,
  terminal: Terminal,
): Promise<boolean | undefined> {
  const choice = existingSchema({}, settings, { env: {} });
  if (choice === undefined || (await hasTables(engine))) return undefined;
  const files = await readSchemaFiles(choice.path).catch(explainSchema);
  if (files.length === 0) return undefined;
  const { engineSources } = settings;
  const schema = await loadSchema(engine, files, { engineSources }).catch(explainSchema);
  noteSchema(schema, terminal);
  const fixtures = fixturesOf(settings);
  let isWhole = schema.broken.size === 0;
  const scratch = await mkdtemp(join(resolve(engineFolder(settings.data)), 'rows-')); // which the engine can read
  try {
    const { findings } = await openStage({ engine, scratch, fixtures, schema, engineSources });
    for (const finding of findings) terminal.note(describeFinding(finding));
    isWhole &&= findings.length === 0;
  } finally {
    await rm(scratch, { recursive: true });
  }
  terminal.note(
    `Created the tables of ${choice.path}/ with the rows of ${fixtures}/. After a change, serve --dev and millrace seed create them again`,
  );
  return isWhole;
}

/** Besides those of the service itself. */
async function hasTables(engine: Engine): Promise<boolean> {
  const { engines } = await readTables(engine);
  return [...engines.keys()].some((name) => !name.startsWith('millrace.'));
}
