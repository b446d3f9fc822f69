// Ensures that a program needed by a test is present: installs it if possible, otherwise fails with one line of instructions.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

/** Under a lock: several test processes may find it missing at once. For a package that is installed, it does nothing. */
function install(name: string): void {
  // Installing must not start a service: the tests start their own servers.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', PACKAGE: name };
  const script =
    'dpkg -s "$PACKAGE" || { apt-get -qq update; apt-get -qq install -y --no-install-recommends "$PACKAGE"; }';
  const lock = join(tmpdir(), '..', 'millrace-install.lock');
  spawnSync('flock', [lock, 'sh', '-c', script], { stdio: 'ignore', env, timeout: 600_000 });
}
