// An embedded engine for the tests of `millrace import`, with the tables of its fixtures, which the runs of a file share.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestRuntime } from '../../src/service/app/test-runtime.ts';
import type { ImportOptions } from '../../src/cli/commands/import/options.ts';
import { createEmbeddedEngine } from '../../src/service/engine/embedded/embedded-engine.ts';
import { readRows } from '../../src/service/engine/rows.ts';
import { loadSchema } from '../../src/cli/schema/load-schema.ts';
import { REAL_TIME } from './real-time.ts';

const TABLES = join(import.meta.dirname, '../fixtures/import/schema/tables.sql');

export interface ImportEngine extends Pick<ImportOptions, 'withEngine' | 'openTestRuntime'> {
  readonly close: () => Promise<void>;
}

/** The databases that a run creates are dropped after it. */
export async function openImportEngine(): Promise<ImportEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'import-engine-'));
  const path = join(folder, 'data');
  const options = { connections: 2, queue: 10, memory: 2 ** 30, observe: () => undefined, ...REAL_TIME };
  const engine = await createEmbeddedEngine({ path, ...options });
  const files = [{ path: TABLES, text: readFileSync(TABLES, 'utf8') }];
  const schema = await loadSchema(engine, files);
  return {
    openTestRuntime: async (given) => openTestRuntime(given),
    withEngine: async (use) => {
      try {
        return await use({ engine, scratch: path, schema });
      } finally {
        const own = "('system', 'default', 'public', 'information_schema')";
        const sql = `SELECT name FROM system.databases WHERE lower(name) NOT IN ${own} AND name NOT LIKE 'millrace%'`;
        for (const [name] of (await readRows(engine, sql)) as readonly [string][])
          // as selected
          await engine.execute(`DROP DATABASE ${name} SYNC`);
      }
    },
    close: async () => {
      await engine.close(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
