// Creates a rollup of a made table, fills it as the service does, and writes the statement that reads it.
import { createRouter, type RollupsOf } from '../../../guard/rollups/route.ts';
import { readRollupsOf } from '../../../service/endpoints/rollups/read-rollups.ts';
import { readColumns } from '../../../service/rollups/columns.ts';
import { dropRollup, keepRollup, type RollupEvent } from '../../../service/rollups/keep.ts';
import type { RollupDeps } from '../../../service/rollups/rebuild.ts';
import { resolveRollup } from '../../../service/rollups/resolve.ts';
import { MADE_GRANULE } from '../scaled-tables.ts';
import type { ProposedRollup } from './change.ts';

/** A granule of a rollup is smaller than one of its table, as it is in the large ones. */
const GRANULE_ROWS = MADE_GRANULE / 8;

/** Passes the statement over the filled rollup to `use`. Resolves to undefined if there is none. Rejects with EngineError. */
export async function withRollup<T>(
  deps: RollupDeps,
  { name, text }: Pick<ProposedRollup, 'name' | 'text'>,
  { sql, use }: { readonly sql: string; readonly use: (sql: string) => Promise<T> },
): Promise<T | undefined> {
  const { engine } = deps;
  const { rollups: [declaration] = [] } = readRollupsOf(`${name}.rollup.yaml`, text);
  const resolved = declaration && (await resolveRollup(engine, declaration));
  if (resolved?.plan === undefined) return undefined;
  const plan = { ...resolved.plan, granularity: GRANULE_ROWS };
  const { rollup } = plan;
  const columns = await readColumns(engine, rollup.source);
  try {
    const coverage = coverageOf(await lastOf(keepRollup(deps, { ...resolved, plan })));
    const rollupsOf: RollupsOf = ({ database, table }) =>
      rollup.source.database === database && rollup.source.table === table
        ? [{ rollup, coverage, columns }]
        : [];
    const route = createRouter({ zone: 'UTC' }).route(sql, rollupsOf);
    return route?.kind === 'rollup' ? await use(route.sql) : undefined;
  } finally {
    await dropRollup(engine, rollup, undefined);
  }
}

async function lastOf(events: AsyncIterable<RollupEvent>): Promise<RollupEvent | undefined> {
  let last: RollupEvent | undefined;
  for await (const event of events) last = event;
  return last;
}

const MICROSECONDS = 1_000_000n;

function coverageOf(event: RollupEvent | undefined): { readonly from: bigint; readonly until: bigint } {
  const { from, until } = event?.kind === 'covered' ? event : { from: 0, until: 0 };
  return { from: BigInt(from) * MICROSECONDS, until: BigInt(until) * MICROSECONDS };
}
