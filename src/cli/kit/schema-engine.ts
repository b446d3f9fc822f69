// An embedded engine that contains only tables, for commands that analyse or test endpoint files. Its temporary data
// folder is removed however the command ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../../service/config/settings.ts';
import type { Engine } from '../../service/engine/engine.ts';
import { engineFolder } from '../../service/engine/embedded/open-error.ts';
import { createCallsTable } from '../../service/engine/calls-table.ts';
import { loadSchema, type LoadedSchema } from '../schema/load-schema.ts';
import { readSchemaFiles, type SchemaFile } from '../schema/schema-files.ts';
import { openEngineOrExplain } from './open-engine.ts';
import type { CommandDeps } from './command.ts';
import type { OpenEngine } from './dependencies.ts';
import {
  existingSchema,
  explainSchema,
  noteSchema,
  type SchemaChoice,
  type SchemaFlags,
} from './schema-options.ts';

export interface SchemaEngineOptions {
  readonly settings: Settings;
  /** Undefined: no tables. */
  readonly schema: SchemaChoice | undefined;
  /** The files of the schema are given if they have been read. */
  readonly files?: readonly SchemaFile[] | undefined;
  readonly openEngine: OpenEngine;
}

/** Exits the process, so that the exit handler removes the folder. */
function interrupt(): void {
  process.exit(130);
}

/** Opens the engine, runs `use` with its folder, which the engine can read and write, closes it. Rejects with CommandError if the schema cannot be read. */
export async function withSchemaEngine<T>(
  { settings, schema, files: read, openEngine }: SchemaEngineOptions,
  use: (engine: Engine, folder: string, loaded: LoadedSchema) => Promise<T>,
): Promise<T> {
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt); // registered before there is anything to remove
  const data = mkdtempSync(join(tmpdir(), 'millrace-schema-'));
  // When the process is interrupted, the engine's threads may still be writing into it: hence the retries.
  const removal = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 };
  const remove = (): void => rmSync(data, removal);
  process.once('exit', remove);
  try {
    const files = read ?? (schema === undefined ? [] : await readTables(schema));
    const own = { ...settings, data, clickhouse: undefined };
    const engine = await openEngineOrExplain(openEngine, own, () => undefined);
    try {
      const loaded = await loadSchema(engine, files, {
        database: schema?.database,
        engineSources: settings.engineSources,
      }).catch(explainSchema);
      await createCallsTable(engine);
      return await use(engine, engineFolder(data), loaded);
    } finally {
      await engine.close(0);
    }
  } finally {
    await rm(data, removal); // removes many files at once
    process.off('exit', remove).off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** Rejects with CommandError. */
export function readTables({ path, variables }: SchemaChoice): Promise<readonly SchemaFile[]> {
  return readSchemaFiles(path, variables).catch(explainSchema);
}

/** Passes an engine that has the tables to `use`. */
export type WithTables = <T>(use: (engine: Engine, loaded: LoadedSchema) => Promise<T>) => Promise<T>;

/**
 * Opens an engine with the tables of the flags or the default when called, and notes what could not be created; undefined
 * if no tables are known. Throws CommandError if a flag names a path that does not exist.
 */
export function knownTables(
  flags: SchemaFlags,
  settings: Settings,
  { env, openEngine, terminal }: Pick<CommandDeps, 'env' | 'openEngine' | 'terminal'>,
): WithTables | undefined {
  const schema = existingSchema(flags, settings, { env });
  if (schema === undefined) return undefined;
  return (use) =>
    withSchemaEngine({ settings, schema, openEngine }, (engine, _, loaded) => {
      noteSchema(loaded, terminal);
      return use(engine, loaded);
    });
}
