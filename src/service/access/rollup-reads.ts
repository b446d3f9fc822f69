// A caller who may read a table may read its rollups, with the same filters.
import type { Rollup } from '../../guard/rollups/model.ts';
import { plainDimensions } from '../../guard/rollups/plain-dimensions.ts';
import type { EndpointReads } from './stored-tables.ts';

/** Returns what consumer queries read, with the rollups that they may be routed to: those that have the columns of the filters. */
export function withRollups(
  all: readonly EndpointReads[],
  rollups: readonly Rollup[],
): readonly EndpointReads[] {
  if (rollups.length === 0) return all;
  const columns = new Map(rollups.map((rollup) => [rollup, plainDimensions(rollup)]));
  return all.map((each) => {
    const added = each.reads.flatMap((read) =>
      rollups
        .filter(({ source }) => `${source.database}.${source.table}` === read.table)
        .filter((rollup) => read.filters.every(({ column }) => columns.get(rollup)?.has(column)))
        .flatMap(({ tables }) => tables)
        .map(({ database, table }) => ({ ...read, table: `${database}.${table}` })),
    );
    return added.length === 0 ? each : { ...each, reads: [...each.reads, ...added] };
  });
}
