// The endpoint files and tables of two revisions, compiled and described: what `diff` and `impact` compare.
import { posix, resolve } from 'node:path';
import { createInspect } from '../../../service/endpoints/compile.ts';
import { isEndpointFile } from '../../../service/endpoints/ignored-files.ts';
import type { Settings } from '../../../service/config/settings.ts';
import { MAX_DOCUMENT_BYTES } from '../../../service/config/yaml-document.ts';
import type { Side } from '../../compare/compare-pair.ts';
import { readContracts, type RevisionTenancy, type SourceFile } from '../../compare/contract.ts';
import { isSchemaFile } from '../../schema/schema-files.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { SchemaChoice } from '../../kit/schema-options.ts';
import type { AnalysisCache } from '../analysis/cache.ts';
import { analysisKey } from '../analysis/keys.ts';
import { openCache } from '../analysis/open.ts';
import {
  haveSameTables,
  reportColumns,
  type ColumnDeps,
  type Described,
  type ReportedColumns,
} from './columns.ts';
import { fromTop, isOutside, readFolder } from './folders.ts';
import type { Folder, FolderFile, Repository } from './folders.ts';
import { createGit, type Git } from './git.ts';
import type { Needed } from './known-pairs.ts';
import { resolveRange, type Revision } from './revisions.ts';
import { readTenancy } from './tenancy-setting.ts';
import { withoutUnchanged } from './unchanged.ts';
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
    ...(await readSide(repository, revision, { endpoints, tables })),
    tenancy: await readTenancy(repository, revision, settings),
  });
  const [old, now] = [await read(base), await read(head)];
  const [before, after] = describedSides(old, now, settings);
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

/** Replaces the hash key: whether the service has one is not a property of the file. */
const ANY_KEY = 'any';

/** The repository of the working directory. Rejects with CommandError. */
export async function openRepository(env: RevisionDeps['env']): Promise<Repository> {
  const { code, out, errorText } = await createGit(process.cwd(), env)(['rev-parse', '--show-toplevel']);
  const root = out.toString('utf8').replace(/\n$/, '');
  if (code !== 0 || root === '') {
    throw new CommandError(`Not a git work tree: ${errorText}`, { exitCode: 2 });
  }
  const git: Git = createGit(root, env);
  return { git, root };
}

const MAX_TABLES_BYTES = 16 * 2 ** 20;

function endpointsFolder(repository: Repository, named: string): Folder {
  const path = fromTop(repository, process.cwd(), named);
  const folder = { path, isWanted: isEndpointFile, maxBytes: MAX_DOCUMENT_BYTES };
  if (!isOutside(folder)) return folder;
  throw new CommandError(`${named} is outside the repository ${repository.root}`, { exitCode: 2 });
}

/** A single file rather than a folder; by its name, since it may exist in one of the revisions only. */
const READABLE = /[^/]\.(sql|ddl|tsv|txt|json|jsonl|ndjson)$/i;

function tablesFolder(repository: Repository, named: string): Folder {
  const path = fromTop(repository, process.cwd(), named);
  if (!READABLE.test(path)) return { path, isWanted: isSchemaFile, maxBytes: MAX_TABLES_BYTES, isDeep: true };
  const [folder, file] = [posix.dirname(path), posix.basename(path)];
  return {
    path: folder === '.' ? '' : folder,
    isWanted: (name) => name === file,
    maxBytes: MAX_TABLES_BYTES,
  };
}

interface SideOptions {
  readonly endpoints: Folder;
  readonly tables: Folder | undefined;
}

/** The files of a revision. */
interface RevisionFiles extends Pick<Described, 'label' | 'tables'> {
  readonly files: readonly FolderFile[];
  readonly tenancy: RevisionTenancy;
}

/** The contracts of both revisions: of all files if their tables or the tenancy of all differ, otherwise of those that differ. */
function describedSides(
  base: RevisionFiles,
  head: RevisionFiles,
  { engineSources }: Settings,
): readonly [Described, Described] {
  const inspect = createInspect({ piiHashKey: ANY_KEY, engineSources });
  const haveSameTenancy = JSON.stringify(base.tenancy.setting) === JSON.stringify(head.tenancy.setting);
  const [before, after] =
    haveSameTables(base, head) && haveSameTenancy
      ? withoutUnchanged(base.files, head.files)
      : [base.files, head.files];
  const described = (side: RevisionFiles, files: readonly FolderFile[]): Described => ({
    ...side,
    contracts: readContracts(files.map(toSource), inspect, side.tenancy, side.files.map(toSource)),
  });
  return [described(base, before), described(head, after)];
}

async function readSide(
  repository: Repository,
  revision: Revision,
  { endpoints, tables }: SideOptions,
): Promise<Omit<RevisionFiles, 'tenancy'>> {
  const files = await readFolder(repository, revision, endpoints);
  if (files === undefined) {
    const folder = endpoints.path === '' ? resolve(repository.root) : endpoints.path;
    throw new CommandError(`Folder ${folder} does not exist in ${revision.label}; set it with --endpoints`, {
      exitCode: 2,
    });
  }
  return {
    label: revision.label,
    files,
    tables: tables === undefined ? undefined : await readTables(repository, revision, tables),
  };
}

/** Tables outside the repository have only one version, used for both sides. */
function readTables(
  repository: Repository,
  revision: Revision,
  folder: Folder,
): Promise<readonly FolderFile[] | undefined> {
  const disk = { kind: 'worktree', label: 'the file system' } as const;
  return readFolder(repository, isOutside(folder) ? disk : revision, folder);
}

function toSource({ path, content }: FolderFile): SourceFile {
  if ('text' in content) return { path, text: content.text };
  const finding = { file: path, line: 1, column: 1, severity: 'error', code: 'file.unreadable' } as const;
  return { path, text: { ...finding, message: content.unreadable } };
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
