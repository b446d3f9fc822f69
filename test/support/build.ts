// Before all tests: the commands under test are the built ones. Types are a check of their own (`npm run types`).
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export function setup(): void {
  const root = join(import.meta.dirname, '../..');
  const { error } = spawnSync('npm', ['run', '--silent', 'build', '--', '--noCheck'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (error !== undefined) throw error;
}
