// The git program, as far as comparing needs it: it only reads, and what users type is never taken for an option.
import { execFile } from 'node:child_process';
import { CommandError } from '../command-error.ts';

const TIMEOUT_MS = 60_000;
/** All endpoint files of one revision, read at once. */
const MAX_BYTES = 256 * 2 ** 20;

export interface GitResult {
  /** 0 where all went well; what other codes mean depends on the command. */
  readonly code: number;
  readonly out: Buffer;
  /** The first line of what git said is wrong. */
  readonly complaint: string;
}

/** Runs git with these arguments; rejects with CommandError when there is no git, or when it takes too long. */
export type Git = (args: readonly string[], input?: string) => Promise<GitResult>;

/** `env` without the variables that would colour, page, ask or write. */
export function createGit(cwd: string, env: Readonly<Record<string, string | undefined>>): Git {
  const quiet = { ...env, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_PAGER: 'cat' };
  const options = { cwd, env: quiet, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, encoding: 'buffer' } as const;
  return (args, input) =>
    new Promise((resolve, reject) => {
      const child = execFile('git', [...args], options, (error, out, err) => {
        const complaint = firstLine(err.toString('utf8'));
        if (error === null) resolve({ code: 0, out, complaint });
        else if (typeof error.code === 'number') resolve({ code: error.code, out, complaint });
        else reject(failureOf(error));
      });
      child.stdin?.on('error', () => undefined); // git may end before it has read all: its exit code tells
      child.stdin?.end(input ?? '');
    });
}

function failureOf(cause: Error & { readonly code?: unknown; readonly killed?: boolean }): CommandError {
  const says = (message: string): CommandError => new CommandError(message, { exitCode: 2, cause });
  if (cause.code === 'ENOENT') return says('There is no git program here, and comparing revisions needs one');
  if (cause.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return says(`git gave more than ${MAX_BYTES / 2 ** 20} MiB: too much to compare`);
  }
  if (cause.killed === true) return says(`git took more than ${TIMEOUT_MS / 1000} s`);
  return says(`git cannot be run: ${cause.message}`);
}

function firstLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- names in a repository must not steer the terminal
  return (text.split('\n')[0] ?? '').replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ').slice(0, 300);
}
