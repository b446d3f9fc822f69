// Estimates what the calls of examples read on made tables or those of a server, and finds changes with which they read less.
import type { Finding } from '../../../sql/base/finding.ts';
import { rowsOf } from '../../cost/estimate.ts';
import type { ReadTable } from '../../cost/changes/change.ts';
import { tablesOf } from '../../cost/changes/varied-tables.ts';
import { MADE_GRANULE, storedSizes } from '../../cost/scaled-tables.ts';
import type { OpenEngine } from '../../kit/dependencies.ts';
import { openEngineOrExplain } from '../../kit/open-engine.ts';
import { estimateCases, type ChosenCases, type EstimatingDeps } from './estimate-cases.ts';
import { findChanges } from './find-changes.ts';
import type { MadeTables } from './fixture-tables.ts';
import { withMadeTables } from './made-tables.ts';
import type { OutcomeStore } from './outcome-store.ts';
import { mayReadLess } from './propose-changes.ts';
import type { CaseCost } from './report.ts';

/** The tables that calls read. */
export interface CostSource extends Pick<MadeTables, 'settings' | 'fixtures'> {
  /** It is undefined if the tables of the server are read. */
  readonly made: Pick<MadeTables, 'schema' | 'statistics'> | undefined;
}

export interface CostDeps extends EstimatingDeps {
  /** Keeps which changes were proven; undefined: nothing is kept. */
  readonly outcomes?: OutcomeStore | undefined;
  readonly openEngine: OpenEngine;
  /** It returns milliseconds since 1970. */
  readonly epoch: () => number;
}

export interface ExampleCosts {
  readonly costs: readonly CaseCost[];
  /** The sizes of these tables, which are read, are assumed. */
  readonly assumed: readonly string[];
  /** They are changes with which calls read less. */
  readonly changes: readonly Finding[];
}

/** Rejects with CommandError if the schema cannot be read. */
export async function costsOf(
  chosen: ChosenCases,
  options: CostSource,
  deps: CostDeps,
): Promise<ExampleCosts> {
  const { made, settings } = options;
  if (made === undefined) return { costs: await onServer(chosen, settings, deps), assumed: [], changes: [] };
  const { tables, ...costs } = await costsOnMadeTables(chosen, { ...options, ...made }, deps);
  const cases = chosen.cases.filter(({ file }) => mayReadLess(file, tables));
  if (cases.length === 0) return { ...costs, changes: [] };
  const rows = new Map(
    costs.costs.map(({ estimate }, at) => [
      chosen.cases[at],
      typeof estimate === 'string' ? 0 : rowsOf(estimate),
    ]),
  );
  const changing = { files: chosen.files, rollups: { declared: chosen.rollups, rows } };
  return { ...costs, changes: await findChanges(changing, { ...options, ...made, cases }, deps) };
}

/** Rejects with CommandError if the schema cannot be read. */
export async function costsOnMadeTables(
  chosen: Pick<ChosenCases, 'files' | 'cases'>,
  made: Omit<MadeTables, 'cases'>,
  deps: CostDeps,
): Promise<Omit<ExampleCosts, 'changes'> & { readonly tables: ReadonlyMap<string, ReadTable> }> {
  return withMadeTables({ ...made, cases: chosen.cases }, deps, async (engine, scaled) => {
    const now = scaled.newest * 1000;
    const hasUnmade = scaled.unmade.size > 0;
    const estimating = { engine, ...scaled, madeGranule: MADE_GRANULE, hasUnmade, now };
    const costs = await estimateCases(chosen, estimating, deps);
    const read = costs.flatMap(({ estimate }) => (typeof estimate === 'string' ? [] : estimate.reads));
    const assumed = [...scaled.assumed].filter((name) => read.some(({ table }) => table === name));
    return { costs, assumed, tables: tablesOf(scaled.stored, made.statistics) };
  });
}

async function onServer(
  chosen: ChosenCases,
  settings: CostSource['settings'],
  deps: CostDeps,
): Promise<readonly CaseCost[]> {
  const engine = await openEngineOrExplain(deps.openEngine, settings, () => undefined);
  try {
    const sizes = await storedSizes(engine);
    return await estimateCases(chosen, { engine, ...sizes, madeGranule: undefined, now: undefined }, deps);
  } finally {
    await engine.close(0);
  }
}
