// Global setup: ensures that Redis is installed.
import { spawnSync } from 'node:child_process';
import { REDIS_MISSING } from './redis.ts';
import { requireProgram } from './require-program.ts';

export function setup(): void {
  const isThere = (): boolean => spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
  requireProgram({ isThere, package: 'redis-server', missing: REDIS_MISSING });
}
