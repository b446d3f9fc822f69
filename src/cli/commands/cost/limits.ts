// Finds the calls that read more than is allowed.
import { locateFinding } from '../../../service/config/locate-finding.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { Estimate, EstimatedRead } from '../../cost/estimate.ts';
import type { Case } from '../test/call-example.ts';
import { caseName, grouped, rowsByCase, type CaseCost } from './report.ts';

export interface CostLimits {
  /** One call may read this many rows; undefined means any number. */
  readonly rows: number | undefined;
  /** A call may read this many times the rows that it read in an earlier report. */
  readonly earlier: { readonly rows: ReadonlyMap<string, number>; readonly growth: number } | undefined;
}

/** Growth below this many rows does not count: a granule more or less is no change of the query. */
export const FEW_ROWS = 100_000;

/** Returns one finding for each case that exceeds a limit, at the name of the example. `costs` are those of the cases, in their order. */
export function findCostly(
  cases: readonly Case[],
  costs: readonly CaseCost[],
  { rows: most, earlier }: CostLimits,
): readonly Finding[] {
  const estimated = rowsByCase(costs);
  return cases.flatMap(({ file, index }, at) => {
    const own = costs[at];
    const rows = own && estimated.get(caseName(own));
    if (own === undefined || rows === undefined) return [];
    const found = (code: string, message: string): Finding =>
      locateFinding(file.document, { code, path: ['examples', index, 'name'], message, ...hintOf(own) });
    if (most !== undefined && rows > most)
      return [
        found('cost.rows', `the call reads ${grouped(rows)} rows, at most ${grouped(most)} are allowed`),
      ];
    const before = earlier?.rows.get(caseName(own));
    if (earlier === undefined || before === undefined || rows <= FEW_ROWS || rows <= before * earlier.growth)
      return [];
    return [found('cost.growth', `the call reads ${grouped(rows)} rows, and ${grouped(before)} before`)];
  });
}

function hintOf({ estimate }: CaseCost): { readonly hint?: string } {
  const hint = typeof estimate === 'string' ? undefined : largestRead(estimate);
  return hint === undefined ? {} : { hint };
}

/** Names the largest read, and what selects its rows. */
export function largestRead({ reads }: Pick<Estimate, 'reads'>): string | undefined {
  const [largest] = reads.toSorted((a: EstimatedRead, b: EstimatedRead) => b.rows - a.rows);
  if (largest === undefined) return undefined;
  const { table, granules, used } = largest;
  const how = used.length === 0 ? 'no key or index selects among them' : `selected by ${used.join(', ')}`;
  return `${grouped(granules.selected)} of ${grouped(granules.total)} granules of ${table}, ${how}`;
}
