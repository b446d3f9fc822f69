// The endpoint files and tables of two revisions, compiled and described: what `diff` and `impact` compare.
import type { Side } from '../../compare/compare-pair.ts';
import type { ReportedColumns } from './columns.ts';
import { compileSides, type RevisionFiles } from './compile-sides.ts';
import type { FolderFile } from './folders.ts';
import { openRepository, type Repository } from './git.ts';
import type { Needed } from './known-pairs.ts';
import { endpointsFolder, readFiles, tablesFolder } from './revision-files.ts';
import { resolveRange, type Revision } from './revisions.ts';
import { readTenancy } from './tenancy-setting.ts';
import { type RevisionDeps, type RevisionOptions, columnsOf, comparisonCache } from './describe-revisions.ts';

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
