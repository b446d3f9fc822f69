// Global setup: one parent folder for all temporary files of the tests, the commands and the engines, with the compiled
// program of the engines, and a process that removes it, with whatever was started in it, when the run ends.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { compilePrograms } from './engine-program.ts';
import { PROGRAMS } from './program-file.ts';
import { endSharedService } from './shared-service.ts';

const SUPERVISOR = join(import.meta.dirname, 'supervisor.ts');

/** On Linux, a folder in memory. Creating and deleting the files of a run on a disk takes 3 % of its processor time. */
const IN_MEMORY = '/dev/shm';
/** In bytes. A run has a tenth of a gigabyte there at once; its processes need three besides. */
const ROOM = { folder: 2 ** 31, memory: 2 ** 33 };

/** Whether a run fits into a folder, and programs may run there, which containers often forbid. */
export function isFit(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < ROOM.folder || freemem() < ROOM.memory) return false;
    const own = mkdtempSync(join(folder, 'millrace-'));
    try {
      const program = join(own, 'program');
      writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
      execFileSync(program);
      return true;
    } finally {
      rmSync(own, { recursive: true });
    }
  } catch {
    return false;
  }
}

/** The test processes inherit the variables. Returns the teardown function, which resolves when nothing is left. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { TEST_RUN_FOLDER: outer } = process.env;
  const parent = process.env['TMPDIR'] === undefined && isFit(IN_MEMORY) ? IN_MEMORY : tmpdir();
  const folder = await mkdtemp(join(parent, 'millrace-'));
  // Its own temporary folder is the system's: it does not belong to the run.
  const supervisor = spawn(process.execPath, ['--import', 'tsx', SUPERVISOR, folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  process.env['TMPDIR'] = folder;
  process.env['TEST_RUN_FOLDER'] = folder;
  // A run that a test starts has the programs of the run of that test.
  await (outer === undefined
    ? compilePrograms(folder)
    : cp(join(outer, PROGRAMS), join(folder, PROGRAMS), { recursive: true, verbatimSymlinks: true }));
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
