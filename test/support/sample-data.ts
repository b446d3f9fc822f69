// The data folder of a service with the sample data loaded: loaded once by a run, and copied for each service.
import { cp, mkdir, mkdtemp, rename, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './command.ts';
import { eventually } from './eventually.ts';

const SEEDS = join(import.meta.dirname, '../../seeds');
/** The rows are of the time before they were loaded; tests ask for the latest. */
const MAX_AGE_MS = 900_000;
/** Where a service keeps its data, below its working folder. */
const DATA = '.millrace';

/** Makes `cwd` the working folder of a service that has loaded the sample data. */
export async function copySampleData(cwd: string): Promise<void> {
  const { TEST_RUN_FOLDER: shared } = process.env;
  const loaded = shared === undefined ? await load(tmpdir()) : await loadOnce(shared);
  // Links in it are relative; resolved, they would lead to the original.
  await cp(join(loaded, DATA), join(cwd, DATA), { recursive: true, verbatimSymlinks: true });
}

/** Resolves with the working folder in which it was loaded, by this process or by another one of the run. */
async function loadOnce(shared: string): Promise<string> {
  const [folder, lock] = [join(shared, 'sample'), join(shared, 'sample.lock')];
  await eventually(() => mkdir(lock));
  try {
    const age = await stat(join(folder, DATA)).then(
      ({ birthtimeMs }) => Date.now() - birthtimeMs,
      () => Infinity,
    );
    if (age < MAX_AGE_MS) return folder;
    if (age !== Infinity) await rename(folder, await mkdtemp(join(shared, 'outdated-'))); // may be being copied
    await rename(await load(shared), folder);
    return folder;
  } finally {
    await rmdir(lock);
  }
}

async function load(parent: string): Promise<string> {
  const cwd = await mkdtemp(join(parent, 'sample-'));
  const { code, err } = await run(['seed'], { cwd, env: { MILLRACE_SEEDS: SEEDS } });
  if (code !== 0) throw new Error(err);
  return cwd;
}
