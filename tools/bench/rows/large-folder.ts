// A folder of 1,000 endpoint files: its checks with and without the analysis cache, and the first list of some of them after a start.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context, RowSource } from '../context.ts';
import { within, type Figure } from '../figures.ts';
import { writeLargeFolder } from '../parts/large-folder.ts';

const [FILES, LISTED] = [1000, 300];

export const largeFolder: RowSource = {
  name: 'a folder of 1,000 endpoint files',
  prepare: async (context) => {
    const root = await context.folder('large');
    await writeLargeFolder(root, FILES);
    const [endpoints, cache] = [join(root, 'endpoints'), await context.folder('analyses')];
    const flags = ['--schema', join(root, 'schema'), '--format', 'markdown'];
    const validate = (path: string, ...more: readonly string[]): Promise<Figure> =>
      timed(() => context.start('bin/millrace.cjs', ['validate', path, ...flags, ...more]).ended());
    await validate(endpoints, '--cache', cache);
    let changes = 0;
    return {
      contenders: [
        { name: 'validate, cold', measure: () => validate(endpoints, '--no-cache'), bar: within(40_000) },
        { name: 'unchanged', measure: () => validate(endpoints, '--cache', cache), bar: within(3000) },
        {
          name: 'one file that changed',
          measure: async () => {
            const path = join(endpoints, 'e0.yaml');
            await writeFile(path, `${await readFile(path, 'utf8')}# ${++changes}\n`);
            return validate(endpoints, '--cache', cache);
          },
          bar: within(1500),
        },
        {
          name: 'first list of 300 after a start',
          measure: await firstList(context, root),
          bar: within(300),
        },
      ],
    };
  },
};

/** Starts a service for each measurement, with data that has the tables. */
async function firstList(context: Context, root: string): Promise<() => Promise<Figure>> {
  const [some, data] = [join(root, 'some'), await context.folder('tables')];
  await mkdir(some);
  const names = await readdir(join(root, 'endpoints'));
  const chosen = names.filter((name) => !name.startsWith('e') || Number(/\d+/.exec(name)?.[0]) < LISTED);
  for (const name of chosen) await cp(join(root, 'endpoints', name), join(some, name));
  const seed = ['seed', '--data', data, '--seeds', join(root, 'schema')];
  await context.start('bin/millrace.cjs', seed).ended();
  return async () => {
    const { url, headers, process } = await context.serve({ endpoints: some, data });
    const figure = await timed(async () => {
      const response = await fetch(`${url}/api/endpoints`, { headers });
      const { result } = (await response.json()) as { result: readonly unknown[] }; // the service's envelope
      if (result.length < LISTED / 2) throw new Error(`${result.length} endpoints are listed`);
    });
    await process.stop();
    return figure;
  };
}

async function timed(work: () => Promise<void>): Promise<Figure> {
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  return { rate: 1000 / ms, p50: ms, p99: ms };
}
