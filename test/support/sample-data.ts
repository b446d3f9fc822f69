// The data folder of a service with the sample data loaded: loaded once by a run, with a share of the older minutes, and copied
// for each service.
import { cp, mkdir, mkdtemp, readFile, rename, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedEngine } from '../../src/service/engine/embedded/embedded-engine.ts';
import { loadSeeds } from '../../src/service/engine/seeds.ts';
import { eventually } from './eventually.ts';
import { REAL_TIME } from './real-time.ts';

const SEEDS = join(import.meta.dirname, '../../seeds');
/** The rows are of the time before they were loaded; tests ask for the latest. */
const MAX_AGE_MS = 900_000;
/** Where a service keeps its data, below its working folder; the engine's are in the folder `engine` of it. */
export const DATA = '.millrace';

/** The minutes before the load that have rows. */
export const MINUTES = 'numbers(8 * 24 * 60)';
/** Of the older ones every so many, all of them with `npm run test:all`; those at full tens are among them. */
export const SHARE = process.env['FUZZ_CASES'] === undefined ? 10 : 1;
const RECENT = 120;
const SOME_MINUTES = `(SELECT number FROM ${MINUTES} WHERE number < ${RECENT} OR number % ${SHARE} = ${SHARE - 1})`;

/** Makes `cwd` the working folder of a service that has loaded the sample data; resolves with the time at which that load began. */
export async function copySampleData(cwd: string): Promise<number> {
  const { TEST_RUN_FOLDER: shared } = process.env;
  const loaded = shared === undefined ? await load(tmpdir()) : await loadOnce(shared);
  // Links in it are relative; resolved, they would lead to the original.
  await cp(join(loaded, DATA), join(cwd, DATA), { recursive: true, verbatimSymlinks: true });
  return (await stat(join(loaded, DATA))).birthtimeMs;
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

/** A copy of the seeds with fewer rows. */
async function someSeeds(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, 'seeds-'));
  await cp(SEEDS, folder, { recursive: true });
  const path = join(folder, '02_sample.sql');
  const text = await readFile(path, 'utf8');
  if (!text.includes(MINUTES)) throw new Error(`${path} has no ${MINUTES}`);
  await writeFile(path, text.replace(MINUTES, SOME_MINUTES));
  return folder;
}

async function load(parent: string): Promise<string> {
  const cwd = await mkdtemp(join(parent, 'sample-'));
  const dataFolder = join(cwd, DATA);
  await mkdir(dataFolder, { mode: 0o700 });
  const engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path: join(dataFolder, 'engine'),
    connections: 1,
    queue: 1,
    memory: 2 ** 30,
    observe: () => undefined,
  });
  await loadSeeds(engine, {
    folder: await someSeeds(parent),
    dataFolder,
    engineSources: [],
    again: false,
    onProgress: () => undefined,
  });
  await engine.close(0);
  return cwd;
}
