// The rollups that queries can read now, and for which times: read from the engine again and again. What is not known, or not for
// some time, is not used.
import { quoteString } from '../../sql/clickhouse/literal.ts';
import type { Rollup, RollupInUse, RollupSize } from '../../guard/rollups/model.ts';
import type { After, Clock } from '../../sql/base/clock.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { askRows } from './ask.ts';
import { readColumns } from './columns.ts';
import { createDistrust } from './distrust.ts';
import { hiddenFrom, readPoliciesOf, type Hidden, type QueryOrigin } from './rights.ts';
import { createStandingOf, type StandingOf } from './standing.ts';
import { readStates, type RollupState } from './state.ts';

type SourceName = Rollup['source'];

export interface KnownRollup {
  readonly name: string;
  readonly source: SourceName;
  /** If it is undefined, all queries read the rows, for the reason. */
  readonly inUse: RollupInUse | undefined;
  readonly reason: string | undefined;
  /** The rollup is not used for these users. */
  readonly hidden: Hidden;
}

export type UnusedRollup = Pick<KnownRollup, 'name'> & { readonly reason: string };

export interface RollupsInUse {
  /** Returns those of a table that may be read by an origin: the newest version of each name that is equal to its rows. */
  of(source: SourceName, origin: QueryOrigin): readonly RollupInUse[];
  /** Returns why the others of a table are not read. */
  unused(source: SourceName, origin: QueryOrigin): readonly UnusedRollup[];
  /** The version is not used from now on, until it is filled again. Never rejects. */
  distrust(rollup: { readonly rollup: string; readonly version: string }, reason: string): Promise<void>;
  /** It returns all that the files declare, as last read. */
  all(): readonly KnownRollup[];
  /** Reads the states now. Never rejects. */
  refresh(): Promise<void>;
  close(): void;
}

export interface RollupsInUseOptions {
  readonly engine: Engine;
  /** It returns what the files declare now. */
  readonly declared: () => readonly DeclaredRollup[];
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly after: After;
  readonly observe: Observe;
  /** Called after a read with other tables than before. */
  readonly onTables?: (() => Promise<void>) | undefined;
}

type DeclaredRollup = Pick<Rollup, 'name' | 'version' | 'source'>;

/** Milliseconds between two reads, and until what was read is not used any more. */
const EVERY_MS = 5000;
export const VALID_MS = 15_000;

export function createRollupsInUse(options: RollupsInUseOptions): RollupsInUse {
  const { engine, declared, clock, after, observe, onTables } = options;
  const distrust = createDistrust(engine);
  const standingOf = distrust.withFailures(createStandingOf(engine));
  let all: readonly KnownRollup[] = [];
  // Queries may read the tables before any of them is routed there.
  let [served, readAt]: [readonly KnownRollup[], number] = [[], -Infinity];
  let cancel: (() => void) | undefined;
  let isClosed = false;
  /** A call may have found meanwhile that it is wrong. */
  const trusted = (each: KnownRollup): KnownRollup => {
    const reason = each.inUse && distrust.reasonOf(each.inUse.rollup);
    return reason === undefined ? each : { ...each, inUse: undefined, reason };
  };
  const read = async (): Promise<void> => {
    const started = clock.monotonic();
    const names = declared();
    const found = names.length === 0 ? [] : await readKnown(engine, names, standingOf);
    const isOther = tablesOf(all) !== tablesOf(found);
    all = found.map(trusted);
    if (isOther) await onTables?.();
    [served, readAt] = [found.map(trusted), started];
  };
  const refresh = (): Promise<void> => read().catch(unknown);
  const schedule = (): void => {
    cancel = after(EVERY_MS, () => void refresh().finally(() => void (isClosed || schedule())));
  };
  schedule();
  const known = ({ database, table }: SourceName): readonly KnownRollup[] =>
    served.filter(({ source }) => source.database === database && source.table === table);
  const isValid = (): boolean => clock.monotonic() - readAt <= VALID_MS;
  return {
    of: (source, origin) =>
      isValid()
        ? known(source).flatMap((each) => (reasonOf(each, origin) === undefined ? (each.inUse ?? []) : []))
        : [],
    unused: (source, origin) =>
      known(source).flatMap((each) => {
        const reason = isValid() ? reasonOf(each, origin) : STALE;
        return reason === undefined ? [] : [{ name: each.name, reason }];
      }),
    distrust: async ({ rollup: name, version }, reason) => {
      const written = distrust.add({ name, version }, reason);
      [all, served] = [all.map(trusted), served.map(trusted)];
      const isWritten = await written;
      observe({ kind: 'rollup.distrusted', rollup: `${name}@${version}`, isWritten });
    },
    all: () => all,
    refresh,
    close: () => {
      isClosed = true;
      cancel?.();
    },
  };
}

const STALE = 'the engine has not reported its state for some time';

function reasonOf({ inUse, reason, hidden }: KnownRollup, origin: QueryOrigin): string | undefined {
  return inUse === undefined ? (reason ?? NOT_APPLIED) : hidden[origin];
}

function tablesOf(all: readonly KnownRollup[]): string {
  const tables = all.flatMap(({ inUse }) => inUse?.rollup.tables ?? []);
  return tables.map(({ database, table }) => `${database}.${table}`).join();
}

function unknown(cause: unknown): undefined {
  if (!(cause instanceof EngineError)) throw cause;
}

const NOT_APPLIED = 'it is not applied: run millrace rollup apply and backfill';

/** Rejects with EngineError. */
export async function readKnown(
  engine: Engine,
  declared: readonly DeclaredRollup[],
  standingOf: StandingOf = createStandingOf(engine),
): Promise<readonly KnownRollup[]> {
  const states = await readStates(engine);
  const [row] = await askRows(engine, 'SELECT toUnixTimestamp64Milli(now64(3))');
  const policies = readPoliciesOf(engine);
  const found: KnownRollup[] = [];
  for (const each of declared) {
    const used = await choose(engine, versionsOf(states, each), (state) =>
      standingOf(state, Number(row?.[0] ?? 0)),
    );
    const { rollup = each } = used.inUse ?? {};
    // The embedded engine has its own filters, which the service makes for both tables.
    const isOfServer = engine.kind === 'http' && used.inUse !== undefined;
    const hidden = isOfServer ? await hiddenFrom(engine, policies, used.inUse.rollup) : {};
    found.push({ name: each.name, source: rollup.source, ...used, hidden });
  }
  return found;
}

/** The newest version comes first: another one stays in use until the declared one is equal to its rows. */
function versionsOf(
  states: readonly RollupState[],
  { name, version }: DeclaredRollup,
): readonly RollupState[] {
  const versions = states.filter(({ rollup }) => rollup.name === name);
  const own = versions.filter(({ rollup }) => rollup.version === version);
  return [...own, ...versions.filter((each) => !own.includes(each))];
}

/** Chooses the first version that can be used; if there is none, the reason of the first. */
async function choose(
  engine: Engine,
  versions: readonly RollupState[],
  standingOf: (state: RollupState) => ReturnType<StandingOf>,
): Promise<Pick<KnownRollup, 'inUse' | 'reason'>> {
  let first: string | undefined;
  for (const state of versions) {
    const standing = await standingOf(state);
    if ('reason' in standing) first ??= standing.reason;
    else {
      const coverage = { from: micros(standing.from), until: micros(standing.until) };
      const columns = await readColumns(engine, state.rollup.source);
      const size = await readSize(engine, state);
      return { inUse: { rollup: state.rollup, coverage, columns, size }, reason: undefined };
    }
  }
  return { inUse: undefined, reason: first ?? NOT_APPLIED };
}

async function readSize(engine: Engine, { rollup, seen }: RollupState): Promise<RollupSize> {
  const names = rollup.tables.map(({ table }) => quoteString(table)).join(', ');
  const database = quoteString(rollup.tables[0]?.database ?? '');
  const rows = await askRows(
    engine,
    `SELECT table, sum(rows) FROM system.parts WHERE active AND database = ${database} AND table IN (${names}) GROUP BY table`,
  );
  return {
    ofSource: Object.values(seen.parts).reduce((sum, each) => sum + each, 0),
    ofTables: new Map(rows.map(([table = '', count]) => [table, Number(count)])),
  };
}

function micros(seconds: number): bigint {
  return BigInt(seconds) * 1_000_000n;
}
