// Where the sample service works that the browser tests of a run share: its folder, its output, and its end.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { endProcessesOf } from './owned-processes.ts';

/** Below the folder of the run: that of a file is removed with all that runs in it. */
export const sharedServiceIn = (run: string): { readonly cwd: string; readonly log: string } => ({
  cwd: join(run, 'explorer'),
  log: join(run, 'explorer.log'),
});

/** For a repeated run, which starts another one. */
export async function endSharedService(run: string): Promise<void> {
  const { cwd, log } = sharedServiceIn(run);
  endProcessesOf(cwd);
  await Promise.all([cwd, log].map((path) => rm(path, { recursive: true, force: true })));
}
