// Resolves the revisions on the command line to the two states to compare.
import { visible } from '../../../service/observe/visible-text.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { Git } from './git.ts';

/** A commit by its hash, or the work tree. */
export type Revision =
  | { readonly kind: 'commit'; readonly label: string; readonly commit: string }
  | { readonly kind: 'worktree'; readonly label: string };

export interface Range {
  readonly base: Revision;
  readonly head: Revision;
}

const MAX_LENGTH = 1000;
/** Messages show so many characters of a revision. */
const MAX_SHOWN = 100;

/**
 * `BASE`, `BASE HEAD`, `BASE..HEAD`, `BASE...HEAD` (from the merge base), as in git; an empty side of the dots is HEAD.
 * Rejects with CommandError.
 */
export async function resolveRange(git: Git, first: string, second: string | undefined): Promise<Range> {
  const dots = second === undefined ? /^(.*?)(\.\.\.?)(.*)$/s.exec(first) : null;
  if (dots === null) {
    const base = await resolve(git, first);
    if (second === undefined) return { base, head: { kind: 'worktree', label: 'the work tree' } };
    return { base, head: await resolve(git, second) };
  }
  const [, left = '', between, right = ''] = dots;
  const base = await resolve(git, left || 'HEAD');
  const head = await resolve(git, right || 'HEAD');
  return { base: between === '...' ? await mergeBase(git, base, head) : base, head };
}

type Commit = Extract<Revision, { kind: 'commit' }>;

async function resolve(git: Git, text: string): Promise<Commit> {
  const shown = visible(text.slice(0, MAX_SHOWN));
  const unknown = new CommandError(`Unknown git revision ${shown}; in a shallow clone, fetch it first`, {
    exitCode: 2,
  });
  if (text.length > MAX_LENGTH || text === '') throw unknown;
  const { code, out } = await git([
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${text}^{commit}`,
  ]);
  const commit = out.toString('utf8').trim();
  if (code !== 0 || !/^[0-9a-f]{40,64}$/.test(commit)) throw unknown;
  return { kind: 'commit', label: shown, commit };
}

async function mergeBase(git: Git, base: Commit, head: Commit): Promise<Commit> {
  const { code, out } = await git(['merge-base', base.commit, head.commit]);
  const commit = out.toString('utf8').trim();
  if (code === 0 && commit !== '')
    return { ...base, commit, label: `the merge base of ${base.label} and ${head.label}` };
  throw new CommandError(
    `${base.label} and ${head.label} have no common ancestor; in a shallow clone, fetch the history (fetch-depth: 0)`,
    { exitCode: 2 },
  );
}
