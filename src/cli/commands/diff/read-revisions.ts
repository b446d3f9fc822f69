// The endpoint files and tables of two revisions, compiled and described: what `diff` and `impact` compare.
import type { Settings } from '../../../service/config/settings.ts';
import type { Side } from '../../compare/compare-pair.ts';
import type { SchemaChoice } from '../../kit/schema-options.ts';
import type { AnalysisCache } from '../analysis/cache.ts';
import { analysisKey } from '../analysis/keys.ts';
import { openCache } from '../analysis/open.ts';
import { reportColumns, type ColumnDeps, type ReportedColumns } from './columns.ts';
import { compileSides, type RevisionFiles } from './compile-sides.ts';
import type { FolderFile } from './folders.ts';
import { openRepository, type Repository } from './git.ts';
import type { Needed } from './known-pairs.ts';
import { endpointsFolder, readFiles, tablesFolder } from './revision-files.ts';
import { resolveRange, type Revision } from './revisions.ts';
import { readTenancy } from './tenancy-setting.ts';
import type { Described } from './wanted.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { OpenEngine } from '../../kit/dependencies.ts';

export interface RevisionOptions {
  /** A revision, or a range of two. */
  readonly base: string;
  /** Undefined: the other side of the range, or the work tree. */
  readonly head: string | undefined;
  readonly settings: Settings;
  /** The definitions of the tables; undefined: columns are not compared. */
  readonly schema: SchemaChoice | undefined;
  /** The folder of the analysis cache, as the flag has it. */
  readonly cache: string | false | undefined;
}

export interface RevisionDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly openEngine: OpenEngine;
}

/** One of the two revisions, without the files that are the same in both. */
export interface ComparedRevision {
  readonly label: string;
  readonly side: Side;
  /** All of them. */
  readonly files: readonly FolderFile[];
}

export interface ComparedRevisions {
  readonly repository: Repository;
  readonly base: ComparedRevision;
  readonly head: ComparedRevision;
  readonly reported: ReportedColumns;
  /** Keeps what was found in the analysis cache. Never rejects. */
  readonly save: () => Promise<void>;
}

/** Rejects with CommandError; columns that cannot be compared are a failure in `reported`. */
export async function readRevisions(
  options: RevisionOptions,
  deps: RevisionDeps,
  needed: Needed,
): Promise<ComparedRevisions> {
  const { settings, schema } = options;
  const repository = await openRepository(deps.env);
  const { base, head } = await resolveRange(repository.git, options.base, options.head);
  const endpoints = endpointsFolder(repository, settings.endpoints);
  const tables = schema === undefined ? undefined : tablesFolder(repository, schema.path);
  const read = async (revision: Revision): Promise<RevisionFiles> => ({
    ...(await readFiles(repository, revision, { endpoints, tables })),
    tenancy: await readTenancy(repository, revision, settings),
  });
  const [old, now] = [await read(base), await read(head)];
  const [before, after] = compileSides(old, now, settings);
  const cache = await comparisonCache([old, now], options, deps);
  const reported = await columnsOf([before, after], options, { ...deps, cache, needed });
  return {
    save: cache.save,
    repository,
    base: { ...old, side: { ...before.contracts, ...reported.before } },
    head: { ...now, side: { ...after.contracts, ...reported.after } },
    reported,
  };
}

/** The analysis cache of these two states of the tables and of the setting. */
function comparisonCache(
  sides: readonly RevisionFiles[],
  { settings: { engineSources }, schema, cache }: RevisionOptions,
  deps: RevisionDeps,
): Promise<AnalysisCache> {
  const key = analysisKey({
    tenancies: sides.map(({ tenancy }) => tenancy.setting),
    engineSources,
    database: schema?.database,
    variables: [...(schema?.variables ?? [])],
    tables: sides.map(({ tables }) => tables),
  });
  return openCache(key, schema === undefined ? false : cache, deps);
}

async function columnsOf(
  [before, after]: readonly [Described, Described],
  { settings, schema }: RevisionOptions,
  { terminal, ...deps }: RevisionDeps & Pick<ColumnDeps, 'cache' | 'needed'>,
): Promise<ReportedColumns> {
  if (schema === undefined) return { notes: ['Columns are not compared (--no-engine)'], comparisons: [] };
  terminal.progress('Describing columns');
  const reported = await reportColumns(before, after, { ...deps, settings, schema, terminal });
  terminal.progress('');
  return reported;
}
