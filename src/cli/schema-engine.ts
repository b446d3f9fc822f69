// The embedded engine with nothing but tables in it, for commands that analyse or test endpoint files: in a folder of its
// own that is gone afterwards, however the command ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { createTables } from '../engine/schema-files.ts';
import { createCallsTable } from '../engine/calls-table.ts';
import { CommandError } from './command-error.ts';
import { openEngineOrExplain } from './serve.ts';
import type { OpenEngine } from './wiring.ts';

export interface SchemaEngineOptions {
  readonly settings: Settings;
  /** Folder of *.sql files whose CREATE statements make the tables. */
  readonly schema: string;
  readonly openEngine: OpenEngine;
}

/** Ends the process, which runs what is to be done at its end. */
function interrupt(): void {
  process.exit(130);
}

/** Opens it, runs `use` with its folder, closes it. Rejects with CommandError when a schema file cannot be run. */
export async function withSchemaEngine<T>(
  { settings, schema, openEngine }: SchemaEngineOptions,
  use: (engine: Engine, folder: string) => Promise<T>,
): Promise<T> {
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt); // before there is anything to remove
  const data = mkdtempSync(join(tmpdir(), 'millrace-schema-'));
  // The engine's threads may still be writing into it when the process is interrupted.
  const remove = (): void => rmSync(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  process.once('exit', remove);
  try {
    const own = { ...settings, data, clickhouse: undefined };
    const engine = await openEngineOrExplain(openEngine, own, () => undefined);
    try {
      await createTables(engine, schema).catch((cause: unknown) => {
        if (!(cause instanceof EngineError)) throw cause;
        throw new CommandError(`the tables of ${schema} cannot be made: ${cause.message}`, { cause });
      });
      await createCallsTable(engine);
      return await use(engine, data);
    } finally {
      await engine.close(0);
    }
  } finally {
    process.off('exit', remove).off('SIGINT', interrupt).off('SIGTERM', interrupt);
    remove();
  }
}
