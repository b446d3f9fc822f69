// A git repository of endpoint files in a temporary folder, and commands run in it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, scratch, type Finished } from './command.ts';

export interface Repository {
  readonly cwd: string;
  readonly git: (...args: string[]) => string;
  readonly write: (name: string, text: string) => void;
  readonly commit: (message: string) => void;
  /** Runs a command in it. */
  readonly millrace: (...args: string[]) => Promise<Finished>;
  readonly diff: (...args: string[]) => Promise<Finished>;
}

const PERSON = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};
/** In one shell: starting a process from one with much memory, as that of the tests, takes longer than git does. */
const COMMIT = 'git add --all && git commit --quiet --allow-empty --message "$1"';

/** With one commit of these files, on the branch main. */
export function repository(files: Readonly<Record<string, string>>): Repository {
  const cwd = scratch();
  const git = (...args: string[]): string => execFileSync('git', args, { cwd, env, encoding: 'utf8' });
  const write = (name: string, text: string): void => {
    mkdirSync(join(cwd, name, '..'), { recursive: true });
    writeFileSync(join(cwd, name), text);
  };
  const shell = (script: string, message: string): void =>
    void execFileSync('sh', ['-c', script, 'sh', message], { cwd, env });
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1', ...PERSON };
  for (const [name, text] of Object.entries(files)) write(name, text);
  shell(`git init --quiet --initial-branch main && ${COMMIT}`, 'first');
  const commit = (message: string): void => shell(COMMIT, message);
  const millrace = (...args: string[]): Promise<Finished> => run(args, { cwd, env: { HOME: cwd } });
  return { cwd, git, write, commit, millrace, diff: (...args) => millrace('diff', ...args) };
}
