// The columns of endpoints at both revisions, and the analyses of their queries: as the cache knows them, or from the embedded engine.
import { plainComparison, type EndpointComparison } from '../../compare/compare.ts';
import type { ChangesOfPair, ColumnsByEndpoint } from '../../compare/compare-pair.ts';
import type { Contract, Contracts } from '../../compare/contract.ts';
import { pairUp } from '../../compare/pairing.ts';
import { comparedVariants, variantContracts } from '../../compare/variants.ts';
import { CommandError } from '../../kit/command-error.ts';
import { noTables, noteSchema } from '../../kit/schema-options.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { AnalysisCache } from '../analysis/cache.ts';
import type { SchemaRecord } from '../analysis/pack.ts';
import { readKeys } from '../exposure/exposure.ts';
import type { DescribedQueries, Wanted } from './describe-queries.ts';
import { describeSides, type Both, type DescribeDeps, type DescribedSides } from './describe-sides.ts';
import type { FolderFile } from './folders.ts';
import { createKnownPairs, type KnownPairs } from './known-pairs.ts';

/** The endpoints of one revision, and the *.sql files that create its tables; undefined if it has no such folder. */
export interface Described {
  readonly label: string;
  readonly contracts: Contracts;
  readonly tables: readonly FolderFile[] | undefined;
}

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

interface WantedSides {
  readonly sides: Both<readonly Wanted[]>;
  /** Both revisions have the endpoints of these pairs. */
  readonly pairs: Parameters<typeof createKnownPairs>[0];
}

/** The endpoints of both revisions that have to be described. */
async function chooseWanted(
  base: Described,
  head: Described,
  { settings }: Pick<ColumnDeps, 'settings'>,
): Promise<WantedSides> {
  const isSame = haveSameTables(base, head);
  const names = new Set(base.contracts.served.flatMap(({ endpoint: { id, name } }) => [id, name]));
  const keys = await readKeys(settings.tokens);
  const pairs = pairUp(base.contracts, head.contracts).filter((each) => each.kind === 'both');
  const pairOf = new Map(pairs.flatMap((pair) => [pair.old, pair.now].map((each) => [each, pair] as const)));
  const wanted = (contract: Contract): Wanted => {
    const { id, name } = contract.endpoint;
    const pair = pairOf.get(contract);
    const variants =
      pair === undefined
        ? variantContracts(contract)
        : comparedVariants(pair.old, pair.now)[pair.old === contract ? 0 : 1];
    return { contract, variants, isNew: !names.has(id) && !names.has(name), keys };
  };
  const [old, now] = [changed(base, isSame ? head : undefined), changed(head, isSame ? base : undefined)];
  const [inOld, inNow] = [new Set(old), new Set(now)];
  return {
    sides: [old.map(wanted), now.map(wanted)],
    pairs: pairs.filter((pair) => inOld.has(pair.old) && inNow.has(pair.now)),
  };
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

type Tables = Pick<Described, 'tables'>;

/** Whether the endpoints of both revisions are analysed with the same tables. */
export function haveSameTables(base: Tables, head: Tables): boolean {
  const [before, after] = [base.tables ?? head.tables, head.tables ?? base.tables];
  return JSON.stringify(before) === JSON.stringify(after);
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

/** Endpoints of files whose text does not occur on the other side. */
function changed({ contracts }: Described, other: Described | undefined): readonly Contract[] {
  const texts = new Set(other?.contracts.served.map(({ analysis }) => analysis.document.wholeText));
  return contracts.served.filter(({ analysis }) => !texts.has(analysis.document.wholeText));
}
