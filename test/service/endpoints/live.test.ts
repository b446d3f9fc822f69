// The catalog follows a real folder, however files are written, and never drops an endpoint because of an invalid file.
import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { openLiveCatalog, type LiveCatalog } from '../../../src/service/endpoints/live.ts';
import { serialise } from '../../../src/service/config/serialise.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { eventually } from '../../support/eventually.ts';
import { after, clock } from '../../../src/service/app/clock.ts';

const compile = createCompile({ piiHashKey: undefined });
let folder = '';
let live: LiveCatalog;
let observed: Observation[] = [];

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const text = (name: string, n: number, maxRows = 10): string =>
  `id: ${uuid(n)}\nname: ${name}\nquery: SELECT 1\nmax_rows: ${maxRows}\n`;
const write = (file: string, content: string): Promise<void> => writeFile(join(folder, file), content);
const names = (): string[] => live.current().endpoints.map((endpoint) => endpoint.name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-'));
  observed = [];
  await write('one.yaml', text('one', 1));
  await write('two.yaml', text('two', 2));
  live = await openLiveCatalog({
    folder,
    compile,
    observe: (each) => observed.push(each),
    clock,
    after,
  });
});

afterEach(async () => {
  await live.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the live catalog', () => {
  test('finds endpoints by name and by UUID in any case', () => {
    expect(names()).toEqual(['one', 'two']);
    expect(live.current().find('one')?.id).toBe(uuid(1));
    expect(live.current().find(uuid(2).toUpperCase())?.name).toBe('two');
    expect(live.current().find('three')).toBeUndefined();
  });

  test('follows files written in place, renamed over, added and removed', async () => {
    await write('one.yaml', text('one', 1, 20));
    await eventually(() => expect(live.current().find('one')?.maxRows).toBe(20));
    await write('.one.tmp', text('one', 1, 30));
    await rename(join(folder, '.one.tmp'), join(folder, 'one.yaml'));
    await eventually(() => expect(live.current().find('one')?.maxRows).toBe(30));
    await write('three.yaml', text('three', 3));
    await eventually(() => expect(names()).toEqual(['one', 'three', 'two']));
    await unlink(join(folder, 'two.yaml'));
    await eventually(() => expect(names()).toEqual(['one', 'three']));
  });

  test('only what changed gets a new endpoint', async () => {
    const before = live.current();
    await write('one.yaml', text('one', 1, 20));
    await eventually(() => expect(live.current()).not.toBe(before));
    expect(live.current().find('two')).toBe(before.find('two'));
    expect(live.current().find('one')?.revision).not.toBe(before.find('one')?.revision);
  });

  test('an invalid file keeps its last good version in service and is reported', async () => {
    await write('one.yaml', 'name: [broken');
    await eventually(() => expect(live.diagnostics()).toHaveLength(1));
    expect(live.diagnostics()[0]).toMatchObject({ file: join(folder, 'one.yaml'), line: 1 });
    expect(names()).toEqual(['one', 'two']);
    expect(observed.some((each) => each.kind === 'catalog.rejected')).toBe(true);
    await write('one.yaml', text('one', 1, 50));
    await eventually(() => expect(live.current().find('one')?.maxRows).toBe(50));
    expect(live.diagnostics()).toEqual([]);
  });

  test('of two files with one name or id, the older stays in service, and both are reported', async () => {
    await write('a-copy.yaml', text('one', 3));
    await write('b-copy.yaml', text('three', 2));
    await eventually(() => expect(live.diagnostics()).toHaveLength(2));
    expect(live.current().find('one')?.id).toBe(uuid(1));
    expect(live.current().find(uuid(2))?.name).toBe('two');
    expect(live.diagnostics().map((each) => each.code)).toEqual([
      'endpoint.duplicate_name',
      'endpoint.duplicate_id',
    ]);
    expect(live.diagnostics()[0]?.message).toContain('one.yaml');
  });

  test.each([
    { why: 'the name of a later file', file: 'one.yaml', content: text('two', 1, 20), good: text('one', 1) },
    { why: 'the id of a later file', file: 'one.yaml', content: text('one', 2, 20), good: text('one', 1) },
    {
      why: 'the name of an earlier file',
      file: 'two.yaml',
      content: text('one', 2, 20),
      good: text('two', 2),
    },
    { why: 'the id of an earlier file', file: 'two.yaml', content: text('two', 1, 20), good: text('two', 2) },
    { why: 'both, in a new first file', file: 'a.yaml', content: text('two', 1, 20), good: undefined },
  ])('a version that would take $why changes nothing', async ({ file, content, good }) => {
    const served = (): unknown =>
      live.current().endpoints.map(({ name, id, file, maxRows }) => ({ name, id, file, maxRows }));
    const before = served();
    await write(file, content);
    await live.reload();
    expect(served()).toEqual(before);
    expect(live.diagnostics().map((each) => each.file)).toContain(join(folder, file));
    await (good === undefined ? unlink(join(folder, file)) : write(file, good));
    await live.reload();
    expect([served(), live.diagnostics()]).toEqual([before, []]);
  });

  test('names move between files, at once or in several steps', async () => {
    await write('one.yaml', text('two', 1));
    await live.reload();
    expect(names()).toEqual(['one', 'two']);
    await write('two.yaml', text('one', 2));
    await live.reload();
    expect([live.current().find('one')?.id, live.current().find('two')?.id]).toEqual([uuid(2), uuid(1)]);
    await write('one.yaml', text('one', 1)); // waits for two.yaml, which waits for a third name to come free
    await write('two.yaml', text('three', 2));
    await write('three.yaml', text('three', 3));
    await live.reload();
    expect(names()).toEqual(['one', 'three']);
    await write('three.yaml', text('four', 3));
    await live.reload();
    expect(names()).toEqual(['four', 'one', 'three']);
    expect(live.diagnostics()).toEqual([]);
  });

  test('a folder that disappears and reappears loses nothing', async () => {
    await rm(folder, { recursive: true });
    await eventually(() => expect(observed.some((each) => each.kind === 'catalog.failed')).toBe(true));
    expect(names()).toEqual(['one', 'two']);
    await mkdir(folder);
    await write('one.yaml', text('one', 1, 60));
    await eventually(() => expect(live.current().find('one')?.maxRows).toBe(60));
  });

  test('reload() reads immediately', async () => {
    await write('one.yaml', text('one', 1, 70));
    await live.reload();
    expect(live.current().find('one')?.maxRows).toBe(70);
  });
});

test('a ..data symlink swapped as Kubernetes does is followed', async () => {
  const mount = await mkdtemp(join(tmpdir(), 'millrace-'));
  const publish = async (version: string, maxRows: number): Promise<void> => {
    await mkdir(join(mount, version));
    await writeFile(join(mount, version, 'one.yaml'), text('one', 1, maxRows));
    await symlink(version, join(mount, '..data_tmp'));
    await rename(join(mount, '..data_tmp'), join(mount, '..data'));
  };
  await publish('..v1', 1);
  await symlink('..data/one.yaml', join(mount, 'one.yaml'));
  const mounted = await openLiveCatalog({ folder: mount, compile, observe: () => undefined, clock, after });
  await publish('..v2', 2);
  await rm(join(mount, '..v1'), { recursive: true });
  await eventually(() => expect(mounted.current().find('one')?.maxRows).toBe(2));
  await mounted.close();
  await rm(mount, { recursive: true });
});

test('calls during a run share one further run', async () => {
  let runs = 0;
  let release = (): void => undefined;
  const task = serialise(() => {
    runs++;
    return new Promise((resolve) => (release = resolve));
  });
  const calls = [task(), task(), task()];
  expect(runs).toBe(1);
  release();
  await calls[0];
  await eventually(() => expect(runs).toBe(2));
  release();
  await Promise.all(calls);
  expect(runs).toBe(2);
});
