// Change events for files and folders, on a real file system.
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchPaths } from '../../../src/service/config/watch.ts';
import { eventually } from '../../support/eventually.ts';
import { after } from '../../../src/service/app/clock.ts';

let root = '';
let reports: ReadonlySet<string>[] = [];
let close: () => Promise<void>;
const at = (...names: string[]): string => join(root, ...names);
const write = (path: string, text: string): Promise<void> => writeFile(path, text);
const reported = (): Set<string> => new Set(reports.flatMap((each) => [...each]));
const tellsOf = (path: string): Promise<boolean> =>
  vi.waitUntil(() => reported().has(path), { timeout: 240_000, interval: 10 });

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-watch-'));
  await Promise.all(['folder', 'away', 'data-1', 'data-2'].map((name) => mkdir(at(name))));
  await write(at('folder', 'a.yaml'), '1');
  await write(at('file.yaml'), '1');
  await write(at('data-1', 'mounted.yaml'), '1');
  await write(at('data-2', 'mounted.yaml'), '2');
  await symlink('data-1', at('..data'));
  await symlink('..data/mounted.yaml', at('mounted.yaml'));
  await symlink('data-1', at('linked'));
  reports = [];
  const paths = ['folder', 'file.yaml', 'mounted.yaml', 'linked', 'later'].map((name) => at(name));
  const watcher = await watchPaths(
    paths,
    { settleMs: 20, maxDelayMs: 100, after },
    {
      change: (changed) => reports.push(changed),
      error: (cause) => expect.fail(String(cause)),
    },
  );
  close = watcher.close;
});

afterEach(async () => {
  await close();
  await rm(root, { recursive: true, force: true });
});

test.each<{ what: string; change: () => Promise<unknown>; reports: string[] }>([
  {
    what: 'a file in a folder, in place',
    change: () => write(at('folder', 'a.yaml'), '2'),
    reports: ['folder', 'a.yaml'],
  },
  {
    what: 'a file in a folder, renamed over',
    change: async () => {
      await write(at('away', 'a.yaml'), '2');
      await rename(at('away', 'a.yaml'), at('folder', 'a.yaml'));
    },
    reports: ['folder', 'a.yaml'],
  },
  { what: 'a new file', change: () => write(at('folder', 'b.yaml'), '1'), reports: ['folder', 'b.yaml'] },
  { what: 'a file that goes', change: () => unlink(at('folder', 'a.yaml')), reports: ['folder', 'a.yaml'] },
  { what: 'a watched file, in place', change: () => write(at('file.yaml'), '2'), reports: ['file.yaml'] },
  {
    what: 'a watched file, renamed over',
    change: async () => {
      await write(at('other'), '2');
      await rename(at('other'), at('file.yaml'));
    },
    reports: ['file.yaml'],
  },
  { what: 'a watched file that goes', change: () => unlink(at('file.yaml')), reports: ['file.yaml'] },
  {
    what: 'the folder behind ..data, as Kubernetes swaps it',
    change: async () => {
      await symlink('data-2', at('..data_tmp'));
      await rename(at('..data_tmp'), at('..data'));
    },
    reports: ['mounted.yaml'],
  },
  {
    what: 'a symlink to another folder',
    change: async () => {
      await unlink(at('linked'));
      await symlink('data-2', at('linked'));
    },
    reports: ['linked'],
  },
  {
    what: 'a folder that goes',
    change: () => rm(at('folder'), { recursive: true }),
    reports: ['folder'],
  },
  { what: 'a folder that comes', change: () => mkdir(at('later')), reports: ['later'] },
])('$what is reported', async ({ change, reports: path }) => {
  await change();
  expect(await tellsOf(at(...path))).toBe(true);
});

test.each([
  { what: 'a file', at: 'file.yaml', make: (path: string) => write(path, 'again'), file: 'file.yaml' },
  { what: 'a folder', at: 'folder', make: (path: string) => mkdir(path), file: 'folder/a.yaml' },
])('$what that goes and comes back is followed on', async ({ at: name, make, file }) => {
  await rm(at(name), { recursive: true });
  await tellsOf(at(name));
  reports = [];
  await make(at(name));
  await tellsOf(at(name));
  reports = [];
  await write(at(file), 'changed');
  expect(await tellsOf(at(file))).toBe(true);
});

test('a burst is reported in few batches, each file once; nothing is reported once closed', async () => {
  const files = Array.from({ length: 1000 }, (_, n) => at('folder', `${n}.yaml`));
  for (const file of files) writeFileSync(file, 'x'); // a burst, however slow the machine is
  await eventually(() => expect(reported()).toEqual(new Set(files)));
  expect(reports.length).toBeLessThan(100);
  await close();
  reports = [];
  await write(at('folder', 'a.yaml'), '2');
  await write(at('file.yaml'), '2');
  await setTimeout(1500); // longer than it takes to look again
  expect(reports).toEqual([]);
});
