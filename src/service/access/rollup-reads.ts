// A caller who may read a table may read its rollups, with the same filters.
import type { RollupInUse } from '../../guard/rollups/model.ts';
import type { EndpointReads } from './stored-tables.ts';

/** Returns what consumer queries read, with the rollups that they may be routed to. */
export function withRollups(
  all: readonly EndpointReads[],
  inUse: readonly RollupInUse[],
): readonly EndpointReads[] {
  if (inUse.length === 0) return all;
  return all.map((each) => {
    const added = each.reads.flatMap((read) =>
      inUse
        .filter(({ rollup: { source } }) => `${source.database}.${source.table}` === read.table)
        .flatMap(({ rollup }) => rollup.tables)
        .map(({ database, table }) => ({ ...read, table: `${database}.${table}` })),
    );
    return added.length === 0 ? each : { ...each, reads: [...each.reads, ...added] };
  });
}
