// An embedded engine that contains only tables, for commands that analyse or test endpoint files. Its temporary data
// folder is removed however the command ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { createTables } from '../engine/schema-files.ts';
import { createCallsTable } from '../engine/calls-table.ts';
import { CommandError } from './command-error.ts';
import { openEngineOrExplain } from './serve/serve.ts';
import type { OpenEngine } from './dependencies.ts';

export interface SchemaEngineOptions {
  readonly settings: Settings;
  /** Folder of *.sql files that create the tables. */
  readonly schema: string;
  readonly openEngine: OpenEngine;
}

/** Exits the process, so that the exit handler removes the folder. */
function interrupt(): void {
  process.exit(130);
}

/** Opens the engine, runs `use` with its folder, closes it. Rejects with CommandError if a schema file fails. */
export async function withSchemaEngine<T>(
  { settings, schema, openEngine }: SchemaEngineOptions,
  use: (engine: Engine, folder: string) => Promise<T>,
): Promise<T> {
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt); // registered before there is anything to remove
  const data = mkdtempSync(join(tmpdir(), 'millrace-schema-'));
  // When the process is interrupted, the engine's threads may still be writing into it: hence the retries.
  const remove = (): void => rmSync(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  process.once('exit', remove);
  try {
    const own = { ...settings, data, clickhouse: undefined };
    const engine = await openEngineOrExplain(openEngine, own, () => undefined);
    try {
      await createTables(engine, schema).catch((cause: unknown) => {
        if (!(cause instanceof EngineError)) throw cause;
        throw new CommandError(`Cannot create the tables of ${schema}: ${cause.message}`, { cause });
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
