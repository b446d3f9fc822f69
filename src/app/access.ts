// Keeps the embedded engine's access rules those of the catalog: what consumer queries may read.
import type { Catalog } from '../catalog/catalog.ts';
import { accessRules } from '../compatibility/access-rules.ts';
import { readStoredTables } from '../compatibility/stored-tables.ts';
import type { DefinedTable } from '../engine/access-rules.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { PROBE_TABLE, probeEndpoints } from '../preflight/isolation-probe.ts';

export interface AccessControl {
  /**
   * Resolves when consumer statements of the catalog's endpoints may read their tables, and no others. If the engine cannot be asked
   * for its tables, the rules stay as they were until `refresh`.
   */
  apply(catalog: Catalog): Promise<void>;
  /** Applies the last catalog again, since tables may have changed. */
  refresh(): Promise<void>;
}

export function createAccessControl(engine: Engine): AccessControl {
  const { restrict } = engine;
  if (restrict === undefined) return { apply: () => Promise.resolve(), refresh: () => Promise.resolve() };
  const probes = probeEndpoints();
  let last: Catalog | undefined;
  const apply = async (catalog: Catalog): Promise<void> => {
    last = catalog;
    const stored = await readStoredTables(engine).catch((cause: unknown) => {
      if (cause instanceof EngineError) return undefined;
      throw cause;
    });
    if (stored !== undefined) await restrict(accessRules([...catalog.all, ...probes], withProbe(stored)));
  };
  return { apply, refresh: () => (last === undefined ? Promise.resolve() : apply(last)) };
}

/** The probe makes its table after the rules. */
function withProbe(stored: readonly DefinedTable[]): readonly DefinedTable[] {
  const { database, table } = PROBE_TABLE;
  const hasProbe = stored.some((each) => each.database === database && each.table === table);
  return hasProbe ? stored : [...stored, PROBE_TABLE];
}
