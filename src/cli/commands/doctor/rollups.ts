// Says which rollups of a server are not used, and for whom: what a user must not read of a table, its rollup does not show.
import type { Engine } from '../../../service/engine/engine.ts';
import type { PreflightFinding } from '../../../service/preflight/finding.ts';
import { readKnown } from '../../../service/rollups/coverage.ts';
import { readStates } from '../../../service/rollups/state.ts';

/** Resolves to a finding for each rollup that was applied. Rejects with EngineError. */
export async function checkRollups(engine: Engine): Promise<readonly PreflightFinding[]> {
  const newest = new Map((await readStates(engine)).toReversed().map(({ rollup }) => [rollup.name, rollup]));
  const known = await readKnown(engine, [...newest.values()]);
  return known.flatMap(({ name, reason, hidden }) => {
    const { saved, consumer } = hidden;
    const unused = [
      ...(reason === undefined ? [] : [`any query: ${reason}`]),
      ...(saved === undefined ? [] : [`saved queries: ${saved}`]),
      ...(consumer === undefined ? [] : [`consumer queries: ${consumer}`]),
    ];
    if (unused.length === 0)
      return [{ layer: 'server', name: `the rollup ${name} is used`, outcome: 'held' }];
    return unused.map((each): PreflightFinding => {
      return { layer: 'server', name: `the rollup ${name} is not used for ${each}`, outcome: 'advice' };
    });
  });
}
