// Reports what the engine finds about rollups: the columns of their sources, and the types of dimensions and measures.
import type { EndpointHead } from '../../../service/endpoints/endpoint.ts';
import type { LoadedFiles } from '../../../service/endpoints/load.ts';
import type { RollupDeclaration } from '../../../service/endpoints/rollups/read-rollups.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { RESOLVE_CODES, resolveRollup } from '../../../service/rollups/resolve.ts';
import type { Finding } from '../../../sql/base/finding.ts';

export const ROLLUP_ENGINE_CODES = RESOLVE_CODES;

/** The rollups of these files. */
export function declaredIn(
  files: LoadedFiles<EndpointHead>,
  concerned: ReadonlySet<string>,
): readonly RollupDeclaration[] {
  return [...files.values()].flatMap(({ file, rollups = [] }) => (concerned.has(file) ? rollups : []));
}

/** `withEngine` opens one that has the tables, if there are rollups. Rejects with EngineError. */
export async function rollupFindings(
  declared: readonly RollupDeclaration[],
  withEngine: <T>(use: (engine: Engine) => Promise<T>) => Promise<T>,
): Promise<readonly Finding[]> {
  if (declared.length === 0) return [];
  return withEngine(async (engine) => {
    const findings: Finding[] = [];
    for (const each of declared) findings.push(...(await resolveRollup(engine, each)).findings);
    return findings;
  });
}
