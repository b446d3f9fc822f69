// The files of one folder, as a commit or the work tree has them.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, posix, relative, resolve, sep } from 'node:path';
import { CommandError } from '../command-error.ts';
import type { Git } from './git.ts';
import type { Revision } from './revisions.ts';

export interface FolderFile {
  /** From the top of the repository, with forward slashes. */
  readonly path: string;
  /** UTF-8. An error's message instead where it cannot be read. */
  readonly content: { readonly text: string } | { readonly unreadable: string };
}

export interface Repository {
  readonly git: Git;
  /** Where its work tree is. */
  readonly root: string;
}

export interface Folder {
  /** From the top of the repository, with forward slashes; '' for the top. */
  readonly path: string;
  readonly isWanted: (name: string) => boolean;
  /** Of one file; larger ones are not read. */
  readonly maxBytes: number;
}

const MAX_FILES = 20_000;

/** A folder named on the command line, from the top of the repository; begins with `..` where it lies outside. */
export function fromTop({ root }: Repository, cwd: string, folder: string): string {
  if (folder.includes('\n'))
    throw new CommandError('A folder whose name has two lines is not read', { exitCode: 2 });
  return relative(root, resolve(cwd, folder)).split(sep).join(posix.sep);
}

export function isOutside({ path }: Pick<Folder, 'path'>): boolean {
  return path === '..' || path.startsWith('../');
}

/** In the order of names; undefined where there is no such folder. Rejects with CommandError. */
export async function readFolder(
  repository: Repository,
  revision: Revision,
  folder: Folder,
): Promise<readonly FolderFile[] | undefined> {
  const names = await (revision.kind === 'commit'
    ? listCommit(repository.git, revision.commit, folder.path)
    : readdir(join(repository.root, folder.path)).catch(() => undefined));
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

const NOT_A_FILE = { unreadable: 'this is not a file' };
const tooLarge = (maxBytes: number): { readonly unreadable: string } => ({
  unreadable: `the file is larger than ${maxBytes / 2 ** 20} MiB`,
});

async function readDisk(path: string, maxBytes: number): Promise<FolderFile['content']> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile() !== true) return NOT_A_FILE;
  if (stats.size > maxBytes) return tooLarge(maxBytes);
  return readFile(path, 'utf8').then(
    (text) => ({ text }),
    (cause: Error) => ({ unreadable: cause.message }),
  );
}

async function listCommit(git: Git, commit: string, path: string): Promise<readonly string[] | undefined> {
  const { code, out } = await git(['ls-tree', '-z', '--name-only', `${commit}:${path}`]);
  return code === 0 ? out.toString('utf8').split('\0').filter(Boolean) : undefined;
}

/** Links inside the repository are followed, as the service follows them. */
async function readCommit(
  git: Git,
  commit: string,
  paths: readonly string[],
  maxBytes: number,
): Promise<readonly FolderFile[]> {
  if (paths.length === 0) return [];
  const input = paths.map((path) => `${commit}:${path}\n`).join('');
  const { code, out, complaint } = await git(['cat-file', '--batch', '--follow-symlinks'], input);
  if (code !== 0) throw new CommandError(`git cannot read ${commit}: ${complaint}`, { exitCode: 2 });
  let at = 0;
  return paths.map((path): FolderFile => {
    const lineEnd = out.indexOf(0x0a, at);
    const header = out.subarray(at, lineEnd).toString('utf8');
    const [, kind, digits] = /(?:^| )(\w+) (\d+)$/.exec(header) ?? [];
    const size = Number(digits ?? 0);
    const content = out.subarray(lineEnd + 1, lineEnd + 1 + size);
    at = lineEnd + 1 + (digits === undefined ? 0 : size + 1); // "… missing" has nothing behind it
    if (kind !== 'blob') return { path, content: NOT_A_FILE };
    if (size > maxBytes) return { path, content: tooLarge(maxBytes) };
    return { path, content: { text: content.toString('utf8') } };
  });
}
