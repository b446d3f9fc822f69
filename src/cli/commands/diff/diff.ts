// `millrace diff`: how changes of endpoint files affect callers and security.
import { REAL_TIME } from '../../kit/real-time.ts';
import { existsSync } from 'node:fs';
import type { Change } from '../../compare/changes.ts';
import { compareContracts, plainComparison, type EndpointComparison } from '../../compare/compare.ts';
import { viewChanges } from '../../compare/view-changes.ts';
import type { QueryImpact } from '../../compare/consumers/impact.ts';
import { CommandError } from '../../kit/command-error.ts';
import { CONSUMERS_FOLDER, impactsOf, readConsumers } from '../impact/impact.ts';
import type { CostDeps } from '../cost/costs-of.ts';
import { compareCosts, type CostComparison } from './compare-costs.ts';
import { readRevisions, type ComparedRevision, type ComparedRevisions } from './read-revisions.ts';
import type { RevisionDeps, RevisionOptions } from './describe-revisions.ts';
import { openChanges, type PrintReport, type Report } from './report.ts';
import { diffTexts } from './text-diff.ts';

export interface DiffOptions extends RevisionOptions {
  /** Undefined means that what calls read is not compared. */
  readonly cost: Pick<CostComparison, 'made' | 'growth'> | undefined;
  readonly print: PrintReport;
}

/**
 * Prints the changes; resolves to 1 if a breaking or security change is not allowed by its file, otherwise 0. Rejects
 * with CommandError, after printing the other changes if columns could not be compared.
 */
export async function diff(options: DiffOptions, deps: RevisionDeps & CostDeps): Promise<0 | 1> {
  const revisions = await readRevisions(options, deps, 'changes');
  const { repository, base, head, reported } = revisions;
  const changes = compareContracts(base.side, head.side, REAL_TIME.epoch(), reported.changesOf);
  await revisions.save();
  const views = viewChanges(textsOf(base), textsOf(head)).map((each) => plainComparison(each.endpoint, each));
  const { cost } = options;
  const costs =
    cost === undefined || reported.failure !== undefined
      ? []
      : await compareCosts({ base: base.files, head: head.files, ...cost }, deps);
  const comparisons = withCosts([...reported.comparisons, ...changes, ...views], costs);
  const report: Report = {
    base: base.label,
    head: head.label,
    comparisons,
    impacts: comparisons.length === 0 ? undefined : await impactsIn(revisions, options, deps),
    notes: reported.notes,
    diffTexts: (from, to) => diffTexts(repository.git, from, to),
  };
  await options.print(report, deps.terminal);
  for (const note of reported.notes) deps.terminal.note(note);
  if (reported.failure !== undefined) throw reported.failure;
  return openChanges(report).length > 0 ? 1 : 0;
}

/** Adds the changes to those of their endpoints. */
function withCosts(
  comparisons: readonly EndpointComparison[],
  costs: readonly EndpointComparison[],
): readonly EndpointComparison[] {
  const first = new Map(comparisons.toReversed().map((each) => [each.endpoint, each]));
  const own = (endpoint: string): readonly Change[] =>
    costs.flatMap((each) => (each.endpoint === endpoint ? each.changes : []));
  return [
    ...comparisons.map((each) =>
      first.get(each.endpoint) === each
        ? { ...each, changes: [...each.changes, ...own(each.endpoint)] }
        : each,
    ),
    ...costs.filter(({ endpoint }) => !first.has(endpoint)),
  ];
}

function textsOf({ files }: ComparedRevision): ReadonlyMap<string, string | undefined> {
  return new Map(files.map(({ path, content }) => [path, 'text' in content ? content.text : undefined]));
}

/** Of the queries in the folder of consumers. Undefined: there are none, or they cannot be judged. */
async function impactsIn(
  revisions: ComparedRevisions,
  { settings, schema }: DiffOptions,
  deps: RevisionDeps,
): Promise<readonly QueryImpact[] | undefined> {
  if (schema === undefined || revisions.reported.failure !== undefined || !existsSync(CONSUMERS_FOLDER))
    return undefined;
  try {
    const queries = await readConsumers({ paths: [], endpoint: undefined, dialect: undefined });
    return await impactsOf(queries, revisions, { settings, ...deps });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    deps.terminal.note(`The queries in ${CONSUMERS_FOLDER} were not checked: ${error.message}`);
    return undefined;
  }
}
