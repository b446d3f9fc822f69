// The endpoint files that a change touches, and those that depend on them: what a hook checks before a commit.
import { realpathSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { readText } from '../../../service/config/read-text.ts';
import { MAX_DOCUMENT_BYTES } from '../../../service/config/yaml-document.ts';
import { isEndpointFile } from '../../../service/endpoints/ignored-files.ts';
import { declaresEndpoint } from '../../../service/endpoints/file-kinds.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { FolderFile } from '../diff/folders.ts';
import { openRepository, type Repository } from '../diff/git.ts';
import { resolveRange } from '../diff/revisions.ts';
import { claims, mayInclude } from '../diff/unchanged.ts';

export interface ChangedFiles {
  /** Changed files, and those that include one of them, directly or not. */
  readonly concerned: ReadonlySet<string>;
  /** These, and those that may have the name or id of one of them. */
  readonly paths: readonly string[];
}

interface ChangeOptions {
  /** A revision; true: the last commit. */
  readonly base: string | true;
  /** Files and folders that all endpoint files depend on: the tables, the settings. */
  readonly inputs: readonly (string | undefined)[];
  readonly env: CommandDeps['env'];
}

/** The files among `listed` that differ from a revision in the work tree. Rejects with CommandError. */
export async function findChanged(
  listed: readonly string[],
  { base, inputs, env }: ChangeOptions,
): Promise<ChangedFiles> {
  const repository = await openRepository(env);
  const changed = await changedPaths(repository, base);
  const all = { concerned: new Set(listed), paths: listed };
  if (changed === undefined) return all;
  const isChanged = (path: string): boolean => changed.has(path) || changed.has(realPath(path));
  const isInput = (path: string): boolean =>
    inputs.some((input) => input !== undefined && !relative(realPath(input), path).startsWith('..'));
  if ([...changed].some(isInput)) return all;
  const files = await Promise.all(listed.map(readFolderFile));
  const own = files.filter(({ path }) => isChanged(resolve(path)));
  // A file that was deleted is not listed, and others may include it.
  const names = [...changed].filter((path) => isEndpointFile(basename(path))).map(partName);
  const concerned = withDependants(files, { own, names });
  const claimed = own.filter(({ path }) => declaresEndpoint(path)).map(claims);
  const isRival = (file: FolderFile): boolean =>
    claimed.some((all) => all === undefined || hasName(file, all));
  const paths = files.filter((file) => concerned.has(file.path) || isRival(file));
  return { concerned, paths: paths.map(({ path }) => path) };
}

/** As absolute paths; undefined: everything, since there is no commit yet. */
async function changedPaths(
  { git, root }: Repository,
  base: string | true,
): Promise<ReadonlySet<string> | undefined> {
  if (base === true && (await git(['rev-parse', '--verify', '--quiet', 'HEAD'])).code !== 0) return undefined;
  const range = await resolveRange(git, base === true ? 'HEAD' : base, undefined);
  const commit = range.base.kind === 'commit' ? range.base.commit : 'HEAD';
  const lists = [
    ['diff', '--name-only', '--no-renames', '--no-ext-diff', '-z', commit, '--'],
    ['ls-files', '--others', '--exclude-standard', '-z'],
  ];
  const found = await Promise.all(lists.map((args) => git(args)));
  const failed = found.find(({ code }) => code !== 0);
  if (failed !== undefined)
    throw new CommandError(`Git does not list what has changed: ${failed.errorText}`, { exitCode: 2 });
  const names = found.flatMap(({ out }) => out.toString('utf8').split('\0').filter(Boolean));
  return new Set(names.map((name) => join(root, name)));
}

/** Git's paths have no links. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

async function readFolderFile(path: string): Promise<FolderFile> {
  const content = await readText(path, MAX_DOCUMENT_BYTES).then(
    (text) => ({ text }),
    (cause: unknown) => ({ unreadable: String(cause) }),
  );
  return { path, content };
}

/** Returns whether a name, in lower case, is written in the file. */
function hasName({ content }: FolderFile, names: readonly string[]): boolean {
  if ('unreadable' in content) return true;
  const words = new Set(content.text.toLowerCase().match(/[\w.-]+/g));
  return names.some((name) => words.has(name));
}

/** As other files include it. */
function partName(path: string): string {
  return basename(path)
    .replace(/(\.shared)?\.ya?ml$/, '')
    .toLowerCase();
}

/** The paths of `own`, and of the files that name one of them, or one of these, in the text and may include it. */
function withDependants(
  files: readonly FolderFile[],
  { own, names }: { readonly own: readonly FolderFile[]; readonly names: readonly string[] },
): ReadonlySet<string> {
  const found = new Set(own.map(({ path }) => path));
  const including = files.filter(mayInclude);
  for (let wanted = names; wanted.length > 0;) {
    const next = including.filter((file) => !found.has(file.path) && hasName(file, wanted));
    for (const { path } of next) found.add(path);
    wanted = next.map(({ path }) => partName(path));
  }
  return found;
}
