// Global setup: one parent folder for all temporary files of the tests, the commands and the engines, with the compiled
// program of the engines, and a process that removes it, with whatever was started in it, when the run ends.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { compilePrograms } from './engine-program.ts';
import { endSharedService } from './shared-service.ts';

const SUPERVISOR = join(import.meta.dirname, 'supervisor.ts');

/** Of Linux. Creating and deleting the files of a run on a disk takes 3 % of its processor time. */
const IN_MEMORY = '/dev/shm';
/** In bytes. A run has a tenth of a gigabyte there at once; its processes need three besides. */
const ROOM = { folder: 2 ** 31, memory: 2 ** 33 };

/** A new folder in memory. Rejects if there is too little room, if no program may run there, or if TMPDIR says where to write. */
async function folderIn(memory: string): Promise<string> {
  const { bavail, bsize } = statfsSync(memory);
  const isRoomy = bavail * bsize >= ROOM.folder && freemem() >= ROOM.memory;
  if (process.env['TMPDIR'] !== undefined || !isRoomy) throw new Error(`no room in ${memory}`);
  const folder = await mkdtemp(join(memory, 'millrace-'));
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  try {
    execFileSync(program); // containers often forbid it
  } catch (cause) {
    await rm(folder, { recursive: true });
    throw cause;
  }
  return folder;
}

/** The test processes inherit the variables. Returns the teardown function, which resolves when nothing is left. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await folderIn(IN_MEMORY).catch(() => mkdtemp(join(tmpdir(), 'millrace-')));
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
