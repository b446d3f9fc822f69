// Has the embedded engine describe and analyse the queries of both revisions, with the tables of each.
import { readDefinitions } from '../../../service/endpoints/definitions.ts';
import type { SchemaRecord } from '../analysis/pack.ts';
import { describeAll, type DescribedQueries, type Wanted } from './describe-queries.ts';
import type { Needed } from './known-pairs.ts';
import { withTables, type Tables, type TablesDeps, type WithSchema } from './schema-tables.ts';

export interface DescribeDeps extends TablesDeps {
  readonly needed: Needed;
}

/** Both revisions, or what was asked about them. */
export type Both<T> = readonly [before: T, after: T];

export interface DescribedSides {
  readonly queries: Both<DescribedQueries>;
  /** There is one for each state of the tables. */
  readonly schemas: readonly SchemaRecord[];
  /** It is true if every statement had a result or was rejected, so that another run finds the same. */
  readonly isSettled: boolean;
}

/** Has one list of tables if both revisions have the same. Rejects with CommandError if they cannot be read. */
export async function describeSides(
  [before, after]: readonly [before: Tables, after?: Tables],
  [old, now]: Both<readonly Wanted[]>,
  deps: DescribeDeps,
): Promise<DescribedSides> {
  if (after === undefined) {
    const { described, schema, isSettled } = await withTables(before, deps, async (engine) => {
      const first = await describeAll(engine, old, deps.needed);
      return [first, await describeAll(engine, now, deps.needed)] as const;
    });
    return { queries: described, schemas: [schema], isSettled };
  }
  const ofSide = (tables: Tables, wanted: readonly Wanted[]): Promise<WithSchema<DescribedQueries>> =>
    withTables(tables, deps, async (engine) => {
      const definitions = await readDefinitions(engine);
      return { ...(await describeAll(engine, wanted, deps.needed)), definitions };
    });
  const [first, second] = [await ofSide(before, old), await ofSide(after, now)];
  return {
    queries: [first.described, second.described],
    schemas: [first.schema, second.schema],
    isSettled: first.isSettled && second.isSettled,
  };
}
