// What the models of a file's queries show, over all variants: results that depend on rows of other tenants, and columns that are
// made of redacted ones.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { ModelResult } from '../../../guard/query/resolve.ts';
import { variantsOf, type InspectedFile } from '../../../service/endpoints/compile.ts';
import { findNotFollowed, findUnredacted, PII_FLOW_CODES } from '../../../service/endpoints/pii-flow.ts';
import { modelsOf, type ModelledQuery } from '../../../service/endpoints/query-models.ts';
import { CONFINEMENT_CODES, findUnconfined } from '../../../service/endpoints/tenancy-check.ts';
import { tenancyOf, type TenancySetting } from '../../../service/endpoints/tenancy.ts';
import { mergeFindings } from '../../../service/endpoints/variant-findings.ts';

export const MODEL_CODES: Codes = { ...CONFINEMENT_CODES, ...PII_FLOW_CODES };

/** Findings about a file whose queries the engine accepts. Rejects with EngineError if it could not be asked. */
export async function checkModels(
  engine: Engine,
  file: InspectedFile,
  setting: TenancySetting,
): Promise<readonly PathFinding[]> {
  const tenancy = tenancyOf(file.analysis.file, setting);
  const hasRules = file.analysis.file.pii?.columns !== undefined;
  if (tenancy === undefined && !hasRules) return [];
  const known = new Map<string, ModelResult>(); // queries that variants have in common
  const modelled: { readonly variant: InspectedFile; readonly models: readonly ModelledQuery[] }[] = [];
  for (const variant of variantsOf(file))
    modelled.push({ variant, models: await modelsOf(engine, variant, { ...tenancy, known }) });
  // A column that one variant redacts needs a rule under its name in each other one.
  const distinct = new Map(modelled.flatMap(({ models }) => models).map((each) => [each.result, each]));
  const all = { inspected: file, models: [...distinct.values()] };
  return mergeFindings(
    modelled.map(({ variant, models }) => ({
      analysis: variant.analysis,
      findings: [
        ...(tenancy === undefined ? [] : findUnconfined(variant, models, tenancy)),
        ...(hasRules ? findUnredacted(variant, models, all).map(({ finding }) => finding) : []),
        ...(hasRules ? findNotFollowed(variant, models) : []),
      ],
    })),
  );
}
