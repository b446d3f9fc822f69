// Reads the files of a revision: its endpoints, and the definitions of its tables.
import { posix, resolve } from 'node:path';
import { isEndpointFile } from '../../../service/endpoints/ignored-files.ts';
import { MAX_DOCUMENT_BYTES } from '../../../service/config/yaml-document.ts';
import { CommandError } from '../../kit/command-error.ts';
import { isSchemaFile } from '../../schema/schema-files.ts';
import { fromTop, isOutside, readFolder } from './folders.ts';
import type { Folder, FolderFile } from './folders.ts';
import type { Repository } from './git.ts';
import type { Revision } from './revisions.ts';

const MAX_TABLES_BYTES = 16 * 2 ** 20;

/** Rejects a folder outside of the repository with CommandError. */
export function endpointsFolder(repository: Repository, named: string): Folder {
  const path = fromTop(repository, process.cwd(), named);
  const folder = { path, isWanted: isEndpointFile, maxBytes: MAX_DOCUMENT_BYTES };
  if (!isOutside(folder)) return folder;
  throw new CommandError(`${named} is outside the repository ${repository.root}`, { exitCode: 2 });
}

/** Such a path is a file rather than a folder. Its name decides, since it may exist in one of the revisions only. */
const READABLE = /[^/]\.(sql|ddl|tsv|txt|json|jsonl|ndjson)$/i;

export function tablesFolder(repository: Repository, named: string): Folder {
  const path = fromTop(repository, process.cwd(), named);
  if (!READABLE.test(path)) return { path, isWanted: isSchemaFile, maxBytes: MAX_TABLES_BYTES, isDeep: true };
  const [folder, file] = [posix.dirname(path), posix.basename(path)];
  return {
    path: folder === '.' ? '' : folder,
    isWanted: (name) => name === file,
    maxBytes: MAX_TABLES_BYTES,
  };
}

interface RevisionFolders {
  readonly endpoints: Folder;
  readonly tables: Folder | undefined;
}

/** `tables` is undefined if the revision has no such folder. */
export interface FilesOfRevision {
  readonly label: string;
  readonly files: readonly FolderFile[];
  readonly tables: readonly FolderFile[] | undefined;
}

/** Rejects with CommandError if there is no folder of endpoints. */
export async function readFiles(
  repository: Repository,
  revision: Revision,
  { endpoints, tables }: RevisionFolders,
): Promise<FilesOfRevision> {
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
