// The rollups that queries can read now, and for which times: read from the engine again and again. What is not known, or not for
// some time, is not used.
import type { RollupInUse } from '../../guard/rollups/model.ts';
import type { After, Clock } from '../../sql/base/clock.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { askRows } from './ask.ts';
import { readColumns } from './columns.ts';
import { hasChanged, readStates, seeSource, type RollupState } from './state.ts';
import { viewOf } from './statements.ts';

export interface RollupsInUse {
  /** Returns those of a table: the newest version of each name that is equal to its rows. */
  of(source: { readonly database: string; readonly table: string }): readonly RollupInUse[];
  /** All of them. */
  all(): readonly RollupInUse[];
  /** Reads the states now. Never rejects. */
  refresh(): Promise<void>;
  close(): void;
}

export interface RollupsInUseOptions {
  readonly engine: Engine;
  /** The names and versions that the files declare now. */
  readonly declared: () => readonly { readonly name: string; readonly version: string }[];
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly after: After;
  /** Called after a read with other tables than before. */
  readonly onTables?: (() => Promise<void>) | undefined;
}

/** Milliseconds between two reads, and until what was read is not used any more. */
const EVERY_MS = 5000;
const VALID_MS = 15_000;
/** A state that was compared longer ago is not used. */
const CHECKED_MS = 26 * 3_600_000;

export function createRollupsInUse(options: RollupsInUseOptions): RollupsInUse {
  const { engine, declared, clock, after, onTables } = options;
  let [inUse, readAt] = [new Map<string, readonly RollupInUse[]>(), -Infinity];
  let cancel: (() => void) | undefined;
  let all: readonly RollupInUse[] = [];
  let isClosed = false;
  const read = async (): Promise<void> => {
    const started = clock.monotonic();
    const names = declared();
    const found = names.length === 0 ? [] : await readInUse(engine, names);
    const before = tablesOf(inUse);
    const next = bySource(found);
    // Queries may read the tables before any of them is routed there.
    if (tablesOf(next) !== before) {
      all = found;
      await onTables?.();
    }
    [inUse, readAt, all] = [next, started, found];
  };
  const refresh = (): Promise<void> => read().catch(unknown);
  const schedule = (): void => {
    cancel = after(EVERY_MS, () => void refresh().finally(() => void (isClosed || schedule())));
  };
  schedule();
  const isValid = (): boolean => clock.monotonic() - readAt <= VALID_MS;
  return {
    of: ({ database, table }) => (isValid() ? (inUse.get(`${database}.${table}`) ?? []) : []),
    all: () => all,
    refresh,
    close: () => {
      isClosed = true;
      cancel?.();
    },
  };
}

function tablesOf(inUse: ReadonlyMap<string, readonly RollupInUse[]>): string {
  const tables = [...inUse.values()].flatMap((all) => all.flatMap(({ rollup }) => rollup.tables));
  return tables.map(({ database, table }) => `${database}.${table}`).join();
}

function unknown(cause: unknown): undefined {
  if (!(cause instanceof EngineError)) throw cause;
}

function bySource(all: readonly RollupInUse[]): Map<string, readonly RollupInUse[]> {
  const found = new Map<string, RollupInUse[]>();
  for (const each of all) {
    const { database, table } = each.rollup.source;
    const key = `${database}.${table}`;
    found.set(key, [...(found.get(key) ?? []), each]);
  }
  return found;
}

async function readInUse(
  engine: Engine,
  declared: readonly { readonly name: string; readonly version: string }[],
): Promise<readonly RollupInUse[]> {
  const states = await readStates(engine);
  const [row] = await askRows(engine, 'SELECT toUnixTimestamp64Milli(now64(3))');
  const now = Number(row?.[0] ?? 0);
  const found: RollupInUse[] = [];
  for (const { name, version } of declared) {
    const versions = states.filter(({ rollup }) => rollup.name === name);
    const own = versions.filter(({ rollup }) => rollup.version === version);
    // The newest first: another version stays in use until the declared one is equal to its rows.
    for (const state of [...own, ...versions.filter((each) => !own.includes(each))]) {
      if (!(await isUsable(engine, state, now))) continue;
      const { rollup, from, until } = state;
      const columns = await readColumns(engine, rollup.source);
      found.push({ rollup, coverage: { from: micros(from), until: micros(until) }, columns });
      break;
    }
  }
  return found;
}

function micros(seconds: number): bigint {
  return BigInt(seconds) * 1_000_000n;
}

async function isUsable(engine: Engine, state: RollupState, now: number): Promise<boolean> {
  const { rollup, from, until, checked, failure, seen } = state;
  if (until <= from || failure !== undefined || now - checked > CHECKED_MS) return false;
  const source = await seeSource(engine, rollup);
  if (source === undefined || source.isChanging || hasChanged(seen, source)) return false;
  const views = rollup.tables.map((table) => quoteString(viewOf(table).table));
  const [row] = await askRows(
    engine,
    `SELECT count() FROM system.tables WHERE database = ${quoteString(rollup.tables[0]?.database ?? '')} AND name IN (${views.join(', ')})`,
  );
  return Number(row?.[0]) === views.length;
}
