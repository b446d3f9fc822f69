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

/** With one commit of these files, on the branch main. */
export function repository(files: Readonly<Record<string, string>>): Repository {
  const cwd = scratch();
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' };
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'init.defaultBranch=main'];
  const git = (...args: string[]): string =>
    execFileSync('git', [...who, ...args], { cwd, env, encoding: 'utf8' });
  const write = (name: string, text: string): void => {
    mkdirSync(join(cwd, name, '..'), { recursive: true });
    writeFileSync(join(cwd, name), text);
  };
  const commit = (message: string): void => {
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', message);
  };
  git('init', '--quiet');
  for (const [name, text] of Object.entries(files)) write(name, text);
  commit('first');
  const millrace = (...args: string[]): Promise<Finished> => run(args, { cwd, env: { HOME: cwd } });
  return { cwd, git, write, commit, millrace, diff: (...args) => millrace('diff', ...args) };
}
