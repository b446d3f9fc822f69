// Global setup: one parent folder for all temporary files of the tests, the commands and the engines, with the compiled
// program of the engines, and a process that removes it, with whatever was started in it, when the run ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { compilePrograms } from './engine-program.ts';
import { endSharedService } from './shared-service.ts';

const SUPERVISOR = join(import.meta.dirname, 'supervisor.ts');

/** The test processes inherit the variables. Returns the teardown function, which resolves when nothing is left. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'));
  // Its own temporary folder is the system's: it does not belong to the run.
  const supervisor = spawn(process.execPath, ['--import', 'tsx', SUPERVISOR, folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  process.env['TMPDIR'] = folder;
  process.env['TEST_RUN_FOLDER'] = folder;
  await compilePrograms(folder);
  project.onTestsRerun(async () => {
    await endSharedService(folder);
    await compilePrograms(folder);
  });
  return async () => {
    const ended = once(supervisor, 'exit');
    supervisor.stdin.end();
    await ended;
  };
}
