// Before all tests: Redis is there, or is installed where that can be done, or the run ends with one line that says what to do.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { REDIS_MISSING } from './redis.ts';

export function setup(): void {
  if (isThere()) return;
  const mayInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (mayInstall) install();
  if (!isThere()) throw new Error(REDIS_MISSING);
}

function isThere(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
}

function install(): void {
  // No service is to be started: the tests start their own servers.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const apt = (...args: string[]): void =>
    void spawnSync('apt-get', ['-qq', ...args], { stdio: 'ignore', env, timeout: 300_000 });
  apt('update');
  apt('install', '-y', '--no-install-recommends', 'redis-server');
}
