// Reads the files of a folder from a commit or the work tree, and writes copies of them.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { leadsOutside, OUTSIDE } from '../../../service/config/leads-outside.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { Git, Repository } from './git.ts';
import type { Revision } from './revisions.ts';

export interface FolderFile {
  /** Relative to the root of the repository, with forward slashes. */
  readonly path: string;
  /** UTF-8 text, or an error message if it cannot be read. */
  readonly content: { readonly text: string } | { readonly unreadable: string };
}

export interface Folder {
  /** Relative to the root of the repository, with forward slashes; '' for the root. */
  readonly path: string;
  /** By the name of a file; with folders below, by its path relative to this one, with forward slashes. */
  readonly isWanted: (name: string) => boolean;
  /** Also the folders below. */
  readonly isDeep?: boolean;
  /** Maximum file size; larger files are not read. */
  readonly maxBytes: number;
}

const MAX_FILES = 20_000;

/** A folder from the command line, relative to the root of the repository; begins with `..` if it is outside. */
export function fromTop({ root }: Repository, cwd: string, folder: string): string {
  if (folder.includes('\n'))
    throw new CommandError('Folder names with line breaks are not supported', { exitCode: 2 });
  return relative(root, resolve(cwd, folder)).split(sep).join(posix.sep);
}

export function isOutside({ path }: Pick<Folder, 'path'>): boolean {
  return path === '..' || path.startsWith('../');
}

/** Sorted by name; undefined if the folder does not exist. Rejects with CommandError. */
export async function readFolder(
  repository: Repository,
  revision: Revision,
  folder: Folder,
): Promise<readonly FolderFile[] | undefined> {
  const names = await (revision.kind === 'commit'
    ? listCommit(repository.git, revision.commit, folder)
    : listDisk(join(repository.root, folder.path), folder.isDeep === true));
  if (names === undefined) return undefined;
  const wanted = names.filter((name) => folder.isWanted(name) && !name.includes('\n')).toSorted();
  if (wanted.length > MAX_FILES) {
    const message = `${folder.path} at ${revision.label} holds ${wanted.length} files; at most ${MAX_FILES} are compared`;
    throw new CommandError(message, { exitCode: 2 });
  }
  const paths = wanted.map((name) => posix.join(folder.path, name));
  if (revision.kind === 'commit') return readCommit(repository.git, revision.commit, paths, folder.maxBytes);
  const files: FolderFile[] = [];
  for (const path of paths)
    files.push({ path, content: await readDisk(join(repository.root, path), folder.maxBytes) });
  return files;
}

const NOT_A_FILE = { unreadable: 'not a regular file' };
const tooLarge = (maxBytes: number): { readonly unreadable: string } => ({
  unreadable: `the file is larger than ${maxBytes / 2 ** 20} MiB`,
});

async function readDisk(path: string, maxBytes: number): Promise<FolderFile['content']> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile() !== true) return NOT_A_FILE;
  if (leadsOutside(path)) return { unreadable: OUTSIDE };
  if (stats.size > maxBytes) return tooLarge(maxBytes);
  return readFile(path, 'utf8').then(
    (text) => ({ text }),
    (cause: Error) => ({ unreadable: cause.message }),
  );
}

function listDisk(path: string, recursive: boolean): Promise<readonly string[] | undefined> {
  return readdir(path, { recursive }).then(
    (names) => names.map((name) => name.split(sep).join(posix.sep)),
    () => undefined,
  );
}

async function listCommit(
  git: Git,
  commit: string,
  { path, isDeep = false }: Folder,
): Promise<readonly string[] | undefined> {
  const deep = isDeep ? ['-r'] : [];
  const { code, out } = await git(['ls-tree', '-z', ...deep, '--name-only', `${commit}:${path}`]);
  return code === 0 ? out.toString('utf8').split('\0').filter(Boolean) : undefined;
}

/** Links inside the repository are followed, as the service does. */
async function readCommit(
  git: Git,
  commit: string,
  paths: readonly string[],
  maxBytes: number,
): Promise<readonly FolderFile[]> {
  if (paths.length === 0) return [];
  const input = paths.map((path) => `${commit}:${path}\n`).join('');
  const { code, out, errorText } = await git(['cat-file', '--batch', '--follow-symlinks'], input);
  if (code !== 0) throw new CommandError(`Git cannot read ${commit}: ${errorText}`, { exitCode: 2 });
  let at = 0;
  return paths.map((path): FolderFile => {
    const lineEnd = out.indexOf(0x0a, at);
    const header = out.subarray(at, lineEnd).toString('utf8');
    const [, kind, digits] = /(?:^| )(\w+) (\d+)$/.exec(header) ?? [];
    const size = Number(digits ?? 0);
    const content = out.subarray(lineEnd + 1, lineEnd + 1 + size);
    at = lineEnd + 1 + (digits === undefined ? 0 : size + 1); // "… missing" has no content after it
    if (kind !== 'blob') return { path, content: NOT_A_FILE };
    if (size > maxBytes) return { path, content: tooLarge(maxBytes) };
    return { path, content: { text: content.toString('utf8') } };
  });
}

/** Writes copies of the files below another folder. Rejects with CommandError if one of them could not be read. */
export async function writeFolder(path: string, files: readonly FolderFile[]): Promise<void> {
  for (const { path: file, content } of files) {
    if ('unreadable' in content) throw new CommandError(`Cannot read ${file}: ${content.unreadable}`);
    const names = file.split('/').filter((part) => part !== '..');
    const copy = join(path, names.join('/'));
    await mkdir(dirname(copy), { recursive: true });
    await writeFile(copy, content.text);
  }
}
