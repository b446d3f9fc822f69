// The data folder of a service with the sample data loaded: loaded once by a run of the tests, without its oldest days, and copied for each
// service.
import { cp, mkdir, mkdtemp, readFile, rename, rmdir, stat, writeFile } from 'node:fs/promises';
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
  const loaded = shared === undefined ? await load(tmpdir(), SEEDS) : await loadOnce(shared);
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
    await rename(await load(shared, await seedsOfThreeDays(shared)), folder);
    return folder;
  } finally {
    await rmdir(lock);
  }
}

const EIGHT_DAYS = 'numbers(8 * 24 * 60)';
/** Enough for more buckets of a day than of the last hour. */
const THREE_DAYS = 'numbers(3 * 24 * 60)';

/** A copy of the seeds that takes a fraction of the time to load. */
async function seedsOfThreeDays(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, 'seeds-'));
  await cp(SEEDS, folder, { recursive: true });
  const path = join(folder, '02_sample.sql');
  const text = await readFile(path, 'utf8');
  if (!text.includes(EIGHT_DAYS)) throw new Error(`${path} has no ${EIGHT_DAYS}`);
  await writeFile(path, text.replace(EIGHT_DAYS, THREE_DAYS));
  return folder;
}

async function load(parent: string, seeds: string): Promise<string> {
  const cwd = await mkdtemp(join(parent, 'sample-'));
  const { code, err } = await run(['seed'], { cwd, env: { MILLRACE_SEEDS: seeds } });
  if (code !== 0) throw new Error(err);
  return cwd;
}
