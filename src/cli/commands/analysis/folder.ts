// Chooses the folder of the analysis cache. Entries decide what a check reports, so that a folder which others can write, such as one in a
// commit, is not used.
import { mkdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { leadsOutside, repositoryRoot } from '../../../service/config/leads-outside.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { createGit } from '../diff/git.ts';

/** A folder, or why there is none; without a reason, none is wanted. */
export type CacheFolder = { readonly path: string } | { readonly path: undefined; readonly reason?: string };

/** `named` is the flag; false: no cache. The default is outside of every repository. Never rejects. */
export async function chooseCacheFolder(
  named: string | false | undefined,
  env: CommandDeps['env'],
): Promise<CacheFolder> {
  if (named === false) return { path: undefined };
  const chosen = named ?? (env['MILLRACE_ANALYSIS_CACHE'] || undefined);
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  try {
    return await checked(resolve(chosen ?? join(base, 'millrace', 'analysis')), env);
  } catch (cause) {
    // Without a home that can be written, as in many containers, there is no default.
    if (chosen === undefined) return { path: undefined };
    const why = cause instanceof Error ? cause.message : String(cause);
    return { path: undefined, reason: `${chosen} cannot be used: ${why}` };
  }
}

const WRITE_OF_OTHERS = 0o022;

async function checked(path: string, env: CommandDeps['env']): Promise<CacheFolder> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const rejected = (reason: string): CacheFolder => ({ path: undefined, reason: `${path} ${reason}` });
  if (leadsOutside(path)) return rejected('leads out of its repository by a link');
  const real = await realpath(path);
  const { mode, uid } = await stat(real);
  const own = process.getuid?.();
  if (own !== undefined && (uid !== own || (mode & WRITE_OF_OTHERS) !== 0))
    return rejected('can be written by other users');
  const root = repositoryRoot(real);
  if (root === undefined) return { path: real };
  const git = createGit(root, env);
  const { code, out } = await git([
    '--literal-pathspecs',
    'ls-files',
    '-z',
    '--',
    relative(root, real) || '.',
  ]);
  if (code !== 0) return rejected('is in a repository whose files git does not list');
  return out.length > 0 ? rejected('has files that are in the repository') : { path: real };
}
