// Reads once what the checks of all files need to know of an engine: its tables and settings.
import type { Engine } from '../../../service/engine/engine.ts';
import { readSettingNames } from './known-settings.ts';
import { readTables, type TablesOnEngine } from './tables-on-engine.ts';
import { readTimeColumns, type TimeColumns } from './time-bound.ts';
import { readWideColumns } from './wide-integers.ts';

export interface KnownOnEngine {
  readonly tables: TablesOnEngine;
  readonly timeColumns: TimeColumns;
  readonly wide: Awaited<ReturnType<typeof readWideColumns>>;
  readonly settingNames: ReadonlySet<string>;
}

/** Rejects with EngineError. */
export async function readKnown(engine: Engine): Promise<KnownOnEngine> {
  return {
    timeColumns: await readTimeColumns(engine),
    wide: await readWideColumns(engine),
    settingNames: await readSettingNames(engine),
    tables: await readTables(engine),
  };
}
