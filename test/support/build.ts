// Global setup: builds the commands under test. Types are checked separately (`npm run types`).
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export function setup(): void {
  const root = join(import.meta.dirname, '../..');
  const builds = [
    ['npx', '--no-install', 'tsc', '-p', 'tsconfig.build.json', '--noCheck'],
    ['npm', 'run', '--silent', 'build:explorer'],
  ] as const;
  for (const [command, ...args] of builds) {
    const { error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
    if (error !== undefined) throw error;
  }
}
