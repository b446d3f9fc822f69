// Keeps the embedded engine's access rules those of the catalog: what consumer queries may read.
import { setImmediate } from 'node:timers/promises';
import type { Catalog } from '../endpoints/catalog.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { Rollup } from '../../guard/rollups/model.ts';
import { accessRules } from '../access/access-rules.ts';
import { withRollups } from '../access/rollup-reads.ts';
import { readEndpoint, readStoredTables, type EndpointReads } from '../access/stored-tables.ts';
import type { After } from '../../sql/base/clock.ts';
import type { AccessRules, DefinedTable } from '../engine/access-rules.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { PROBE_TABLE, probeEndpoints } from '../preflight/isolation-probe.ts';

export interface AccessControl {
  /**
   * Resolves when consumer statements of the catalog's endpoints may read their tables, and no others. If the engine cannot be asked
   * for its tables, the rules stay as they were until it can: at first, none may be read.
   */
  apply(catalog: Catalog): Promise<void>;
  /** Applies the last catalog again, since tables may have changed. */
  refresh(): Promise<void>;
  /** Stops asking again. */
  close(): void;
}

/** Milliseconds until the engine is asked for its tables again. */
const AGAIN_MS = 1000;

export function createAccessControl(
  engine: Engine,
  after: After,
  rollups: () => readonly Rollup[] = none,
): AccessControl {
  const { restrict } = engine;
  if (restrict === undefined) return NO_CONTROL;
  const probes = probeEndpoints();
  const readsOf = createReadsOf();
  let last: Catalog | undefined;
  let cancel = NO_CONTROL.close;
  let isClosed = false;
  let before = Promise.resolve();
  const refresh = (): Promise<void> => (last === undefined ? Promise.resolve() : apply(last));
  // One after another: rules of an earlier catalog must not replace those of a later one.
  const apply = (catalog: Catalog): Promise<void> => {
    const isFirst = last === undefined;
    last = catalog;
    cancel();
    const applied = before.then(() => applyLast(isFirst));
    before = applied.catch(() => undefined);
    return applied;
  };
  const applyLast = async (isFirst: boolean): Promise<void> => {
    const stored = await readStoredTables(engine).catch((cause: unknown) => {
      if (cause instanceof EngineError) return undefined;
      throw cause;
    });
    if (stored === undefined) {
      if (!isClosed) cancel = after(AGAIN_MS, () => void refresh());
      return isFirst ? restrict(NOTHING) : undefined;
    }
    const reads = withRollups(await readsOf([...(last?.all ?? []), ...probes]), rollups());
    await restrict(accessRules(reads, withProbe(stored)));
  };
  const close = (): void => {
    isClosed = true;
    cancel();
  };
  return { apply, refresh, close };
}

const none = (): readonly Rollup[] => [];

/** A server has its own grants. */
const NO_CONTROL: AccessControl = {
  apply: () => Promise.resolve(),
  refresh: () => Promise.resolve(),
  close: () => undefined,
};

const NOTHING: AccessRules = { tables: [], dictionaries: [], hidden: [], revisions: new Map() };

/** Endpoints that are read before other work has its turn. */
const AT_ONCE = 20;

/** Reads what consumer queries of each endpoint name, once, in slices. */
function createReadsOf(): (endpoints: readonly Endpoint[]) => Promise<readonly EndpointReads[]> {
  const known = new WeakMap<Endpoint, EndpointReads>();
  return async (endpoints) => {
    const all: EndpointReads[] = [];
    let read = 0;
    for (const endpoint of endpoints.filter(({ sandbox }) => sandbox.enabled)) {
      const reads = known.get(endpoint) ?? readEndpoint(endpoint);
      if (!known.has(endpoint) && ++read % AT_ONCE === 0) await setImmediate();
      known.set(endpoint, reads);
      all.push(reads);
    }
    return all;
  };
}

/** The probe makes its table after the rules. */
function withProbe(stored: readonly DefinedTable[]): readonly DefinedTable[] {
  const { database, table } = PROBE_TABLE;
  const hasProbe = stored.some((each) => each.database === database && each.table === table);
  return hasProbe ? stored : [...stored, PROBE_TABLE];
}
