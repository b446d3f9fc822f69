// Runs git for comparisons: read-only, and user input is never interpreted as an option.
import { visible } from '../../../service/observe/visible-text.ts';
import { execFile } from 'node:child_process';
import { CommandError } from '../../kit/command-error.ts';

const TIMEOUT_MS = 60_000;
/** Of output: all endpoint files of a revision, read at once. */
const MAX_BYTES = 256 * 2 ** 20;

export interface GitResult {
  /** 0 for success; the meaning of other codes depends on the command. */
  readonly code: number;
  readonly out: Buffer;
  /** The first line of git's error output. */
  readonly errorText: string;
}

/** Runs git with these arguments; rejects with CommandError if git is not installed or takes too long. */
export type Git = (args: readonly string[], input?: string) => Promise<GitResult>;

/** Runs in `env`, without the variables that make git colour, page, prompt or write. */
export function createGit(cwd: string, env: Readonly<Record<string, string | undefined>>): Git {
  const quiet = { ...env, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_PAGER: 'cat' };
  const options = { cwd, env: quiet, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, encoding: 'buffer' } as const;
  return (args, input) =>
    new Promise((resolve, reject) => {
      const child = execFile('git', [...args], options, (error, out, err) => {
        const errorText = firstLine(err.toString('utf8'));
        if (error === null) resolve({ code: 0, out, errorText });
        else if (typeof error.code === 'number') resolve({ code: error.code, out, errorText });
        else reject(failureOf(error));
      });
      child.stdin?.on('error', () => undefined); // git may exit before reading everything: the exit code decides
      child.stdin?.end(input ?? '');
    });
}

function failureOf(cause: Error & { readonly code?: unknown; readonly killed?: boolean }): CommandError {
  const says = (message: string): CommandError => new CommandError(message, { exitCode: 2, cause });
  if (cause.code === 'ENOENT') return says('Comparing revisions requires git, which is not installed');
  if (cause.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return says(`The output of git is larger than ${MAX_BYTES / 2 ** 20} MiB: too much to compare`);
  }
  if (cause.killed === true) return says(`Git took more than ${TIMEOUT_MS / 1000} s`);
  return says(`Cannot run git: ${cause.message}`);
}

function firstLine(text: string): string {
  return visible((text.split('\n')[0] ?? '').slice(0, 300));
}

export interface Repository {
  readonly git: Git;
  /** It is the path of the work tree. */
  readonly root: string;
}

/** Opens the repository of the working directory. Rejects with CommandError. */
export async function openRepository(env: Readonly<Record<string, string | undefined>>): Promise<Repository> {
  const { code, out, errorText } = await createGit(process.cwd(), env)(['rev-parse', '--show-toplevel']);
  const root = out.toString('utf8').replace(/\n$/, '');
  if (code !== 0 || root === '') {
    throw new CommandError(`Not a git work tree: ${errorText}`, { exitCode: 2 });
  }
  const git: Git = createGit(root, env);
  return { git, root };
}
