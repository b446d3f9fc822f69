// Before all tests: one folder for everything that they, the commands and the engines put into the temporary folder.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The processes of the tests inherit the variable. Returns what takes the folder away after the last of them. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-tests-'));
  process.env['TMPDIR'] = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
