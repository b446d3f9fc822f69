// Runs `millrace cost`: estimates what the calls of examples read from tables as large as those of a server.
import { isRejectionExpected } from '../../../service/endpoints/expectation.ts';
import { referenceOf } from '../../../service/endpoints/endpoint.ts';
import { createTextOf } from '../../findings/source-text.ts';
import { chosenCases } from '../test/choose.ts';
import { createReadFiles, shortPath } from '../test/endpoint-files.ts';
import { costsOf, type CostDeps, type CostSource } from './costs-of.ts';
import { findCostly, type CostLimits } from './limits.ts';
import type { CaseCost, CostReport, PrintCost } from './report.ts';

export interface CostOptions extends CostSource {
  readonly endpoints: string;
  /** It lists names of endpoints, or globs; empty means all. */
  readonly names: readonly string[];
  readonly limits: CostLimits;
  readonly print: PrintCost;
}

/** Resolves to the exit code: 1 if a file has an error, or a call reads more than the limits allow. */
export async function cost(options: CostOptions, deps: CostDeps): Promise<0 | 1> {
  const { endpoints, names, settings, limits } = options;
  const { files, rollups, findings: faults } = await createReadFiles(endpoints, settings.engineSources)();
  const { cases: chosen } = chosenCases({ files, findings: faults }, { names, part: undefined });
  const cases = chosen.filter(({ example }) => !isRejectionExpected(example.expect));
  const { costs, assumed, changes } = await costsOf({ files, rollups, cases }, options, deps);
  const findings = [...faults, ...findCostly(cases, costs, limits), ...changes].map((each) => ({
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
