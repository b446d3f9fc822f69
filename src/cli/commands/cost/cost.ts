// Runs `millrace cost`: estimates what the calls of examples read from tables as large as those of a server.
import { isRejectionExpected } from '../../../service/endpoints/expectation.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import type { Finding } from '../../../sql/base/finding.ts';
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
  /** Examples of other files are left out; default: none is. */
  readonly isChosen?: (file: string) => boolean;
  readonly limits: CostLimits;
}

interface FoundCosts {
  /** They are about files that do not compile. */
  readonly faults: readonly Finding[];
  /** They are about what calls read. */
  readonly findings: readonly Finding[];
  readonly costs: Awaited<ReturnType<typeof costsOf>>;
  readonly files: readonly InspectedFile[];
  readonly chosen: readonly InspectedFile[];
}

/** Estimates the calls of the examples of a folder. Rejects with CommandError. */
export async function findCosts(options: CostOptions, deps: CostDeps): Promise<FoundCosts> {
  const { endpoints, names, settings, limits, isChosen = () => true } = options;
  const { files, rollups, findings: faults } = await createReadFiles(endpoints, settings.engineSources)();
  const { cases: named } = chosenCases({ files, findings: faults }, { names, part: undefined });
  const chosen = named.filter(({ file }) => isChosen(file.document.file));
  const cases = chosen.filter(({ example }) => !isRejectionExpected(example.expect));
  const costs = await costsOf({ files, rollups, cases }, options, deps);
  const findings = [...findCostly(cases, costs.costs, limits), ...costs.changes];
  return { faults, findings, costs, files, chosen: chosen.map(({ file }) => file) };
}

/** Resolves to the exit code: 1 if a file has an error, or a call reads more than the limits allow. */
export async function cost(
  options: CostOptions & { readonly print: PrintCost },
  deps: CostDeps,
): Promise<0 | 1> {
  const { faults, findings: found, costs, files, chosen } = await findCosts(options, deps);
  const findings = [...faults, ...found].map((each) => ({ ...each, file: shortPath(each.file) }));
  const wanted = options.names.length > 0 ? chosen : files;
  const report: CostReport = {
    cases: costs.costs,
    without: withoutEstimate(
      wanted.map(({ candidate }) => referenceOf(candidate.endpoint)),
      costs.costs,
    ),
    assumed: costs.assumed,
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
