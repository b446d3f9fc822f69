// Compares what the calls of examples read before and after a change, by the estimate of `millrace cost`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix, relative, sep } from 'node:path';
import { plainComparison, type EndpointComparison } from '../../compare/compare.ts';
import { rowsOf } from '../../cost/estimate.ts';
import { costsOnMadeTables, type CostDeps } from '../cost/costs-of.ts';
import { findChanges } from '../cost/find-changes.ts';
import type { MadeTables } from '../cost/fixture-tables.ts';
import { FEW_ROWS, largestRead } from '../cost/limits.ts';
import { caseName, grouped, type CaseCost } from '../cost/report.ts';
import type { Case } from '../test/call-example.ts';
import { differingPaths, readSide } from './cost-sides.ts';
import type { FolderFile } from './folders.ts';

export interface CostComparison {
  /** They have the files of endpoints, by their paths in the repository. */
  readonly base: readonly FolderFile[];
  readonly head: readonly FolderFile[];
  readonly made: Omit<MadeTables, 'cases'>;
  /** A call that reads so many times the rows of before is a change. */
  readonly growth: number;
}

/** Both revisions run on the tables of now. Rejects with CommandError if the schema cannot be read. */
export async function compareCosts(
  { base, head, made, growth }: CostComparison,
  deps: CostDeps,
): Promise<readonly EndpointComparison[]> {
  const differing = differingPaths(base, head);
  if (differing.size === 0) return [];
  const folder = await mkdtemp(join(tmpdir(), 'millrace-costs-'));
  try {
    const before = await readSide(join(folder, 'base'), base, { made, differing });
    const after = await readSide(join(folder, 'head'), head, { made, differing });
    if (before.cases.length === 0 || after.cases.length === 0) return [];
    const earlier = await costsOnMadeTables(before, made, deps);
    const { costs } = await costsOnMadeTables(after, made, deps);
    const known = new Map(earlier.costs.map((each) => [caseName(each), each]));
    const grown = costs.flatMap((now, at): readonly Growth[] => {
      const own = after.cases[at];
      const was = known.get(caseName(now));
      return own === undefined || was === undefined || !isGrown(was, now, growth) ? [] : [{ own, was, now }];
    });
    if (grown.length === 0) return [];
    const cases = grown.map(({ own }) => own);
    const changes = await findChanges({ files: after.files }, { ...made, cases }, deps);
    return grown.map((each) => {
      const { file } = each.own.file.document;
      const path = relative(join(folder, 'head'), file).split(sep).join(posix.sep);
      const cause = changes.find((change) => change.file === file)?.message;
      return comparisonOf(each, { path, cause });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Growth {
  readonly own: Case;
  readonly was: CaseCost;
  readonly now: CaseCost;
}

function isGrown(was: CaseCost, now: CaseCost, growth: number): boolean {
  if (typeof was.estimate === 'string' || typeof now.estimate === 'string') return false;
  const [before, after] = [rowsOf(was.estimate), rowsOf(now.estimate)];
  return after > FEW_ROWS && after > before * growth;
}

function comparisonOf(
  { own, was, now }: Growth,
  { path, cause }: { readonly path: string; readonly cause: string | undefined },
): EndpointComparison {
  const { line } = own.file.document.locate(['examples', own.index, 'name']);
  const why = cause === undefined ? '' : `: ${cause}`;
  const message = `"${now.example}" reads ${readsOf(was)} → ${readsOf(now)}${why}`;
  return plainComparison(now.endpoint, { code: 'cost.reads_more', message, file: path, line });
}

function readsOf({ estimate }: CaseCost): string {
  if (typeof estimate === 'string') return estimate;
  return `${grouped(rowsOf(estimate))} rows (${largestRead(estimate) ?? 'no tables'})`;
}
