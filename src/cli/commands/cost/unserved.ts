// Decides which rollups are proposed: those of calls that read many rows, and that no rollup of the files serves.
import { createRouter } from '../../../guard/rollups/route.ts';
import type { RollupDeclaration } from '../../../service/endpoints/rollups/read-rollups.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { readFilled } from '../../checks/engine/rollup-routes.ts';
import type { Case } from '../test/call-example.ts';
import type { ChangedExample } from './propose-changes.ts';

export interface ServingRollups {
  /** Nothing is proposed for calls that read one of these. */
  readonly declared: readonly RollupDeclaration[];
  /** It has the rows that the calls of cases read. */
  readonly rows: ReadonlyMap<Case | undefined, number>;
}

/** A call that reads fewer rows is fast enough without a rollup, which each insert fills. */
const MANY_ROWS = 10_000_000;

/** Resolves to what returns true for changes of queries, and for a rollup that the call needs. Rejects with EngineError. */
export async function createIsUnserved(
  engine: Engine,
  rollups: ServingRollups | undefined,
): Promise<(candidate: ChangedExample) => boolean> {
  const rollupsOf = await readFilled(engine, rollups?.declared ?? []);
  const { route } = createRouter({ zone: 'UTC' });
  return ({ proposal, example, call }) => {
    if (proposal.rollup === undefined) return true;
    if (!example.file.candidate.endpoint.readsRollups) return false;
    if ((rollups?.rows.get(example) ?? 0) < MANY_ROWS) return false;
    return route(call.before.sql, rollupsOf)?.kind !== 'rollup';
  };
}
