// The engine rejects some queries only when it plans them, after it has accepted names and types: for the conditions of a JOIN, for example.
import type { Finding } from '../../../sql/base/finding.ts';
import { EngineError, type Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';
import type { DescribeSql } from '../../../service/endpoints/analyse-query.ts';
import { variantsOf, type InspectedFile } from '../../../service/endpoints/compile.ts';
import { isTooCostly } from '../../../service/endpoints/not-analysed.ts';
import { mergeFindings } from '../../../service/endpoints/variant-findings.ts';
import { findingOf } from './engine-finding.ts';
import { placeOfFailure } from './failure-place.ts';
import { partsOf } from './query-parts.ts';
import type { TablesOnEngine } from './tables-on-engine.ts';

/** Codes of rejections that no value and no row changes: numbers of columns, what is not implemented, types and conditions of joins. */
const OF_PLANS: ReadonlySet<number | undefined> = new Set([20, 48, 53, 403]);

/** Findings about all variants of a query whose analysis has found nothing; at most one for each. */
export async function checkPlans(
  engine: Engine,
  inspected: InspectedFile,
  tables: TablesOnEngine,
): Promise<readonly Finding[]> {
  const all = [];
  for (const variant of variantsOf(inspected))
    all.push({ analysis: variant.analysis, findings: await planFindings(engine, variant, tables) });
  return mergeFindings(all);
}

async function planFindings(
  engine: Engine,
  inspected: InspectedFile,
  tables: TablesOnEngine,
): Promise<readonly Finding[]> {
  const { samples, limits } = inspected.candidate.endpoint;
  const main = partsOf(inspected).at(-1);
  if (main === undefined) return [];
  const plan: DescribeSql = async (sql, parameters) => {
    await readRows(engine, `EXPLAIN ${sql}`, { parameters, limits, origin: 'saved' });
    return [];
  };
  for (const values of samples()) {
    const failure = await plan(main.sql, values).then(() => undefined, rejection);
    if (failure === undefined) return [];
    if (!OF_PLANS.has(failure.engineCode)) continue;
    const part = { ...main, start: 0 }; // tables of the WITH clause are planned with the query
    const failed = { kind: 'rejected', failure } as const;
    const offset = await placeOfFailure(plan, { tree: inspected.analysis.tree, part, values }, failed);
    return [findingOf({ inspected, part, tables }, failed, offset)];
  }
  return [];
}

/** Throws what does not come from the engine; a plan that needs too much is none of its findings. */
function rejection(error: unknown): EngineError | undefined {
  if (!(error instanceof EngineError)) throw error;
  return isTooCostly(error) ? undefined : error;
}
