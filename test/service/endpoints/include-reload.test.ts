// The live catalog with files that include others: a change of one reloads those that include it, and nothing else.
import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { after, clock } from '../../../src/service/app/clock.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { openLiveCatalog, type LiveCatalog } from '../../../src/service/endpoints/live.ts';
import { loadFolder, loadSome } from '../../../src/service/endpoints/load.ts';
import { eventually } from '../../support/eventually.ts';

const compile = createCompile({ piiHashKey: undefined });
let folder = '';
let live: LiveCatalog;

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const text = (name: string, n: number, include: string, query: string): string =>
  `id: ${uuid(n)}\nname: ${name}\ninclude: [${include}]\nquery: ${query}\n`;
const shared = (limit: number): string =>
  `tables: { t: SELECT number AS n FROM system.numbers LIMIT ${limit} }\n`;
const write = (file: string, content: string): Promise<void> => writeFile(join(folder, file), content);
const queryOf = (name: string): string | undefined => live.current().find(name)?.query;
const codes = (): string[] =>
  live.diagnostics().map(({ file, code }) => `${file.slice(folder.length + 1)} ${code}`);

const BASE = text('base', 1, '{ from: parts, tables: all }', 'SELECT n FROM t');
const TOP = text('top', 2, '{ endpoint: base, result: r }', 'SELECT n FROM r');
const ALONE = `id: ${uuid(3)}\nname: alone\nquery: SELECT 1\n`;

async function open(): Promise<void> {
  live = await openLiveCatalog({ folder, compile, observe: () => undefined, clock, after });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-include-'));
  await write('base.yaml', BASE);
  await write('top.yaml', TOP);
  await write('alone.yaml', ALONE);
  await write('parts.shared.yaml', shared(1));
  await open();
});

afterEach(async () => {
  await live.close();
  await rm(folder, { recursive: true, force: true });
});

test('a change reaches every endpoint over it, directly or not, and no other', async () => {
  const [alone, revision] = [live.current().find('alone'), live.current().find('top')?.revision];
  await write('parts.shared.yaml', shared(2));
  await eventually(() =>
    expect([queryOf('base'), queryOf('top')]).toEqual(Array(2).fill(expect.stringContaining('LIMIT 2'))),
  );
  expect(live.current().find('top')?.revision).not.toBe(revision);
  expect(live.current().find('alone')).toBe(alone);
  await write('base.yaml', BASE.replace('SELECT n FROM t', 'SELECT n + 1 AS n FROM t'));
  await eventually(() => expect(queryOf('top')).toContain('n + 1'));
});

test('with an invalid shared file, the last good version of all is served, with one finding', async () => {
  await write('parts.shared.yaml', 'tables: { t: DROP TABLE x }\n');
  await eventually(() => expect(codes()).toEqual(['parts.shared.yaml query.not_select']));
  expect([queryOf('base'), queryOf('top')]).toEqual(Array(2).fill(expect.stringContaining('LIMIT 1')));
  await write('parts.shared.yaml', shared(3));
  await eventually(() => expect(queryOf('top')).toContain('LIMIT 3'));
  expect(codes()).toEqual([]);
});

test('a shared file that is removed, renamed or replaced', async () => {
  await unlink(join(folder, 'parts.shared.yaml'));
  await eventually(() => expect(codes()).toEqual(['base.yaml include.missing']));
  expect(queryOf('top')).toContain('LIMIT 1');
  await write('other', shared(4));
  await rename(join(folder, 'other'), join(folder, 'parts.shared.yml')); // the other ending
  await eventually(() => expect(queryOf('top')).toContain('LIMIT 4'));
  await write('parts.shared.yaml', shared(5)); // preferred, when it appears
  await eventually(() => expect(queryOf('top')).toContain('LIMIT 5'));
});

test('a file that appears completes those that include it', async () => {
  await write('late.yaml', text('late', 4, '{ from: late, tables: all }', 'SELECT x FROM l'));
  await eventually(() => expect(codes()).toEqual(['late.yaml include.missing']));
  expect(queryOf('late')).toBeUndefined();
  await write('late.shared.yaml', 'tables: { l: SELECT 1 AS x }\n');
  await eventually(() => expect(queryOf('late')).toContain('SELECT 1 AS x'));
});

test('a cycle is reported in both files, and ends', async () => {
  await write('a.shared.yaml', 'include: [{ from: b, tables: all }]\ntables: { a: SELECT 1 AS x }\n');
  await write('b.shared.yaml', 'include: [{ from: a, tables: all }]\ntables: { b: SELECT 2 AS x }\n');
  await eventually(() =>
    expect(codes()).toEqual(['a.shared.yaml include.cycle', 'b.shared.yaml include.cycle']),
  );
  await write('b.shared.yaml', 'tables: { b: SELECT 2 AS x }\n');
  await eventually(() => expect(codes()).toEqual([]));
});

test('all files are replaced at once, as Kubernetes does', async () => {
  await live.close();
  await rm(folder, { recursive: true });
  for (const n of [6, 7]) {
    await mkdir(join(folder, `..version${n}`), { recursive: true });
    await write(`..version${n}/base.yaml`, BASE);
    await write(`..version${n}/parts.shared.yaml`, shared(n));
  }
  await symlink('..version6', join(folder, '..data'));
  for (const name of ['base.yaml', 'parts.shared.yaml']) await symlink(`..data/${name}`, join(folder, name));
  await open();
  expect(queryOf('base')).toContain('LIMIT 6');
  await symlink('..version7', join(folder, '..new'));
  await rename(join(folder, '..new'), join(folder, '..data'));
  await eventually(() => expect(queryOf('base')).toContain('LIMIT 7'));
});

test('a load compiles only what changed; a watched change of a shared file, only what includes it', async () => {
  const compiled: string[] = [];
  const deps = {
    epoch: Date.now,
    compile: (path: string, ...rest: [string, Parameters<typeof compile>[2]]) => {
      const result = compile(path, ...rest);
      if (result.unread.length === 0) compiled.push(path.slice(folder.length + 1));
      return result;
    },
  };
  const { files } = await loadFolder(folder, new Map(), deps);
  expect(compiled.splice(0).toSorted()).toEqual(['alone.yaml', 'base.yaml', 'parts.shared.yaml', 'top.yaml']);
  const { files: same, changed } = await loadFolder(folder, files, deps);
  expect([compiled, changed]).toEqual([[], 0]);
  await write('parts.shared.yaml', shared(8));
  const some = await loadSome([join(folder, 'parts.shared.yaml')], same, deps);
  expect(compiled.splice(0).toSorted()).toEqual(['base.yaml', 'parts.shared.yaml', 'top.yaml']);
  expect([some.changed, some.files.size]).toEqual([3, 4]);
});

test('200 endpoints over one shared file are served again after it changes', async () => {
  const names = Array.from({ length: 200 }, (_, n) => `many${n}`);
  for (const [n, name] of names.entries())
    await write(`${name}.yaml`, text(name, 100 + n, '{ from: parts, tables: all }', 'SELECT n FROM t'));
  await eventually(() => expect(live.current().endpoints).toHaveLength(203));
  await write('parts.shared.yaml', 'tables: { t: SELECT }\nx: 1\n');
  await eventually(() => expect(codes()).toEqual(['parts.shared.yaml schema.unknown_key']));
  await write('parts.shared.yaml', shared(9));
  await eventually(() =>
    expect(names.filter((name) => queryOf(name)?.includes('LIMIT 9') !== true)).toEqual([]),
  );
});
