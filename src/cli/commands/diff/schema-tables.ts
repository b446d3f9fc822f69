// Opens an embedded engine with the tables of one revision.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Settings } from '../../../service/config/settings.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { monotonic } from '../../../sql/base/clock.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { OpenEngine } from '../../kit/dependencies.ts';
import { withSchemaEngine } from '../../kit/schema-engine.ts';
import type { SchemaChoice } from '../../kit/schema-options.ts';
import { recordOfSchema, type SchemaRecord } from '../analysis/pack.ts';
import { rememberStatements } from '../analysis/remember.ts';
import { boundEngine } from '../validate/bounded-engine.ts';
import { writeFolder, type FolderFile } from './folders.ts';

export type Tables = readonly FolderFile[];

export interface TablesDeps {
  readonly settings: Settings;
  readonly openEngine: OpenEngine;
  /** Messages name the location of the tables like this. */
  readonly schema: SchemaChoice;
}

/** The value was described with these tables. */
export interface WithSchema<T> {
  readonly described: T;
  readonly schema: SchemaRecord;
  /** It is true if every statement had a result or was rejected, so that another run finds the same. */
  readonly isSettled: boolean;
}

/** The limits of a statement are its own. */
const NO_BOUNDS = { statementSeconds: Infinity, fileSeconds: Infinity };

/** Rejects with CommandError if the tables cannot be read. */
export async function withTables<T>(
  tables: Tables,
  { settings, openEngine, schema }: TablesDeps,
  use: (engine: Engine) => Promise<T>,
): Promise<WithSchema<T>> {
  const path = await mkdtemp(join(tmpdir(), 'millrace-tables-'));
  try {
    await writeFolder(path, tables);
    return await withSchemaEngine(
      { settings, schema: { ...schema, path }, openEngine },
      async (opened, _, loaded) => {
        const { engine, isSettled } = boundEngine(opened, NO_BOUNDS, monotonic);
        const described = await use(rememberStatements(engine));
        return { described, schema: recordOfSchema(shownIn(path, loaded)), isSettled: isSettled() };
      },
    );
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(error.message.replaceAll(`${path}/`, ''), { cause: error });
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** Gives the files their names in the repository. */
type LoadedSchema = Parameters<typeof recordOfSchema>[0];

function shownIn(path: string, loaded: LoadedSchema): LoadedSchema {
  const shown = <F extends { readonly file: string }>(finding: F): F => ({
    ...finding,
    file: relative(path, finding.file),
  });
  return {
    ...loaded,
    findings: loaded.findings.map(shown),
    broken: new Map([...loaded.broken].map(([name, finding]) => [name, shown(finding)])),
  };
}
