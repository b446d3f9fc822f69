// Runs `millrace cost`: estimates what the calls of examples read from tables as large as those of a server.
import { isRejectionExpected } from '../../../service/endpoints/expectation.ts';
import { referenceOf } from '../../../service/endpoints/endpoint.ts';
import { MADE_GRANULE, storedSizes } from '../../cost/scaled-tables.ts';
import { createTextOf } from '../../findings/source-text.ts';
import type { OpenEngine } from '../../kit/dependencies.ts';
import { openEngineOrExplain } from '../../kit/open-engine.ts';
import { chosenCases } from '../test/choose.ts';
import { createReadFiles, shortPath } from '../test/endpoint-files.ts';
import { estimateCases, type EstimatingDeps } from './estimate-cases.ts';
import { findCostly, type CostLimits } from './limits.ts';
import { withMadeTables, type MadeTables } from './made-tables.ts';
import type { CaseCost, CostReport, PrintCost } from './report.ts';

export interface CostOptions extends Pick<MadeTables, 'settings' | 'fixtures'> {
  readonly endpoints: string;
  /** It lists names of endpoints, or globs; empty means all. */
  readonly names: readonly string[];
  /** It is undefined if the tables of the server are read. */
  readonly made: Pick<MadeTables, 'schema' | 'statistics'> | undefined;
  readonly limits: CostLimits;
  readonly print: PrintCost;
}

export interface CostDeps extends EstimatingDeps {
  readonly openEngine: OpenEngine;
  /** It returns milliseconds since 1970. */
  readonly epoch: () => number;
}

/** Resolves to the exit code: 1 if a file has an error, or a call reads more than the limits allow. */
export async function cost(options: CostOptions, deps: CostDeps): Promise<0 | 1> {
  const { endpoints, names, settings, limits } = options;
  const { files, findings: faults } = await createReadFiles(endpoints, settings.engineSources)();
  const chosen = chosenCases({ files, findings: faults }, { names, part: undefined });
  const cases = chosen.filter(({ example }) => !isRejectionExpected(example.expect));
  const { costs, assumed } = await costsOf({ files, cases }, options, deps);
  const findings = [...faults, ...findCostly(cases, costs, limits)].map((each) => ({
    ...each,
    file: shortPath(each.file),
  }));
  const wanted = names.length > 0 ? chosen.map(({ file }) => file) : files;
  const report: CostReport = {
    cases: costs,
    without: withoutEstimate(
      wanted.map(({ candidate }) => referenceOf(candidate.endpoint)),
      costs,
    ),
    assumed,
    findings,
    textOf: createTextOf(files.map(({ document }) => [shortPath(document.file), document.text])),
  };
  await options.print(report, deps.terminal);
  return findings.some(({ severity }) => severity === 'error') ? 1 : 0;
}

function withoutEstimate(names: readonly string[], costs: readonly CaseCost[]): readonly string[] {
  const estimated = new Set(
    costs.flatMap(({ endpoint, estimate }) => (typeof estimate === 'string' ? [] : [endpoint])),
  );
  return [...new Set(names)].filter((name) => !estimated.has(name));
}

type Chosen = Parameters<typeof estimateCases>[0];

interface Costs {
  readonly costs: readonly CaseCost[];
  /** The sizes of these tables, which are read, are assumed. */
  readonly assumed: readonly string[];
}

async function costsOf(chosen: Chosen, options: CostOptions, deps: CostDeps): Promise<Costs> {
  const { made, settings } = options;
  if (made === undefined) return { costs: await onServer(chosen, settings, deps), assumed: [] };
  return withMadeTables({ ...options, ...made, cases: chosen.cases }, deps, async (engine, scaled) => {
    const now = scaled.newest * 1000;
    const hasUnmade = scaled.unmade.size > 0;
    const estimating = { engine, ...scaled, madeGranule: MADE_GRANULE, hasUnmade, now };
    const costs = await estimateCases(chosen, estimating, deps);
    const read = costs.flatMap(({ estimate }) => (typeof estimate === 'string' ? [] : estimate.reads));
    return { costs, assumed: [...scaled.assumed].filter((name) => read.some(({ table }) => table === name)) };
  });
}

async function onServer(
  chosen: Chosen,
  settings: CostOptions['settings'],
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
