// A program that tests need: there, or installed where that can be done, or one line that says what to do.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export interface Program {
  /** Whether it is there. */
  readonly isThere: () => boolean;
  /** Debian's name for it. */
  readonly package: string;
  readonly missing: string;
}

/** Throws an Error with `missing` where the program is not there afterwards. */
export function requireProgram(program: Program): void {
  if (program.isThere()) return;
  const mayInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (mayInstall) install(program.package);
  if (!program.isThere()) throw new Error(program.missing);
}

function install(name: string): void {
  // No service is to be started: the tests start their own servers.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const apt = (...args: string[]): void =>
    void spawnSync('apt-get', ['-qq', ...args], { stdio: 'ignore', env, timeout: 300_000 });
  apt('update');
  apt('install', '-y', '--no-install-recommends', name);
}
