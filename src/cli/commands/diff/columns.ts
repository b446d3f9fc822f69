// The columns of endpoints at both revisions, and the analyses of their queries: as the cache knows them, or from the embedded engine.
import { plainComparison, type EndpointComparison } from '../../compare/compare.ts';
import type { ChangesOfPair, ColumnsByEndpoint } from '../../compare/compare-pair.ts';
import { CommandError } from '../../kit/command-error.ts';
import { noTables, noteSchema } from '../../kit/schema-options.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { AnalysisCache } from '../analysis/cache.ts';
import type { SchemaRecord } from '../analysis/pack.ts';
import type { DescribedQueries, Wanted } from './describe-queries.ts';
import { describeSides, type Both, type DescribeDeps, type DescribedSides } from './describe-sides.ts';
import { createKnownPairs, type KnownPairs } from './known-pairs.ts';
import { chooseWanted, haveSameTables, type Described, type WantedSides } from './wanted.ts';

export interface ColumnDeps extends DescribeDeps {
  readonly terminal: Terminal;
  readonly cache: AnalysisCache;
}

/** Undefined: unknown. */
export interface ReportedColumns {
  readonly before?: DescribedQueries;
  readonly after?: DescribedQueries;
  /** Compares two revisions of an endpoint, if they were described. */
  readonly changesOf?: ChangesOfPair;
  /** Notes on what was not compared. */
  readonly notes: readonly string[];
  /** Changes of the tables themselves. */
  readonly comparisons: readonly EndpointComparison[];
  /** Why columns that may differ were not compared. */
  readonly failure?: CommandError;
}

/** Describes only endpoints whose file or tables differ: without any, the tables are not needed. */
export async function reportColumns(
  base: Described,
  head: Described,
  deps: ColumnDeps,
): Promise<ReportedColumns> {
  const [before, after] = [base.tables ?? head.tables, head.tables ?? base.tables];
  const isSame = haveSameTables(base, head);
  const wanted = await chooseWanted(base, head, deps);
  const [old, now] = wanted.sides;
  const hasNew = now.some(({ isNew }) => isNew);
  if (now.length === 0 || (old.length === 0 && !hasNew)) return withNotes([]);
  if (before === undefined || after === undefined)
    return old.length === 0
      ? withNotes(['What new endpoints expose is not known: there are no definitions of tables'])
      : withoutTables([old, now], deps);
  const notes = [base, head]
    .filter(({ tables }) => tables === undefined)
    .map(
      ({ label }) =>
        `${label} has no ${deps.schema.path}: its queries are analysed with the tables of the other revision`,
    );
  try {
    const known = createKnownPairs(wanted.pairs, deps.needed, deps.cache);
    const tables = isSame ? ([before] as const) : ([before, after] as const);
    const { schemas, queries } = await describeUnknown(tables, { known, sides: wanted.sides }, deps);
    return {
      ...withNotes(notes),
      comparisons: newlyBroken(schemas),
      before: withColumns(queries?.[0], known.before),
      after: withColumns(queries?.[1], known.after),
      changesOf: known.changesOf,
    };
  } catch (error) {
    const { message } = rejectionOf(error);
    return withFailure(
      new CommandError(`The columns were not compared: ${message}; pass --no-engine to go without`, {
        exitCode: 2,
        cause: error,
      }),
    );
  }
}

interface Asked extends Pick<WantedSides, 'sides'> {
  readonly known: KnownPairs;
}

/** Opens no engine if the cache has all of it. */
async function describeUnknown(
  tables: Parameters<typeof describeSides>[0],
  { known, sides }: Asked,
  deps: ColumnDeps,
): Promise<Pick<DescribedSides, 'schemas'> & Partial<DescribedSides>> {
  const { cache, terminal } = deps;
  const [old, now] = sides.map((all) => all.filter(({ contract }) => !known.has(contract)));
  const schemas = cache.schemas();
  const isKnown = schemas.length === tables.length && old?.length === 0 && now?.length === 0;
  const found = isKnown ? { schemas } : await describeSides(tables, [old ?? [], now ?? []], deps);
  for (const { findings, skipped } of found.schemas)
    noteSchema({ findings, skipped: new Map(skipped) }, terminal);
  if (!('queries' in found)) return found;
  const [before, after] = found.queries.map(({ columns }) => columns ?? new Map());
  if (found.isSettled) {
    cache.keepSchemas(found.schemas);
    known.described([before ?? new Map(), after ?? new Map()]);
  }
  return found;
}

function withColumns(queries: DescribedQueries | undefined, known: ColumnsByEndpoint): DescribedQueries {
  return { models: new Map(), ...queries, columns: new Map([...known, ...(queries?.columns ?? [])]) };
}

function withNotes(notes: readonly string[]): ReportedColumns {
  return { notes, comparisons: [] };
}

/** Queries that read no tables need none. */
async function withoutTables(
  [old, now]: Both<readonly Wanted[]>,
  deps: ColumnDeps,
): Promise<ReportedColumns> {
  const [before, after] = (await describeSides([[]], [old, now], deps)).queries;
  const isComplete = before.columns?.size === old.length && after.columns?.size === now.length;
  if (!isComplete) return withFailure(noTables(deps.settings, 'The columns were not compared'));
  return { ...withNotes([]), before, after };
}

function withFailure(failure: CommandError): ReportedColumns {
  return { notes: [], comparisons: [], failure };
}

function rejectionOf(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  throw error;
}

/** Tables that could be created before. */
function newlyBroken([before, after]: readonly SchemaRecord[]): readonly EndpointComparison[] {
  const were = new Set(before?.broken.map(([name]) => name));
  return (after?.broken ?? [])
    .filter(([name]) => !were.has(name))
    .map(([, { message, file, line }]) =>
      plainComparison('', { code: 'tables.rejected', message, file, line }),
    );
}
