// Ensures that a program needed by tests is present: installs it if possible, otherwise fails with one line of instructions.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export interface Program {
  /** Whether it is present. */
  readonly isThere: () => boolean;
  /** Its Debian package. */
  readonly package: string;
  readonly missing: string;
}

/** Throws an Error with `missing` if the program is still absent afterwards. */
export function requireProgram(program: Program): void {
  if (program.isThere()) return;
  const mayInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (mayInstall) install(program.package);
  if (!program.isThere()) throw new Error(program.missing);
}

function install(name: string): void {
  // Installing must not start a service: the tests start their own servers.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const apt = (...args: string[]): void =>
    void spawnSync('apt-get', ['-qq', ...args], { stdio: 'ignore', env, timeout: 300_000 });
  apt('update');
  apt('install', '-y', '--no-install-recommends', name);
}
