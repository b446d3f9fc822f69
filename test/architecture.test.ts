// The rules of the house, held against the code: floors, containment of libraries, sizes, first lines.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src');

interface Room {
  readonly floor: number;
  readonly libraries: ReadonlySet<string>;
}

/** The table of ARCHITECTURE.md: rooms by name, with their floor and the libraries named for them. */
function readFloors(): ReadonlyMap<string, Room> {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const rooms = new Map<string, Room>();
  for (const row of text.matchAll(/^\| (\d) \|([^|]+)\|([^|]*)\|/gm)) {
    const libraries = new Map<string, string[]>();
    let pending: string[] = [];
    for (const [, name, owner] of (row[3] ?? '').matchAll(/`([^`]+)`|\(([a-z]+)\)/g)) {
      if (name !== undefined) pending.push(name);
      if (owner === undefined) continue;
      libraries.set(owner, pending);
      pending = [];
    }
    for (const [, room = ''] of (row[2] ?? '').matchAll(/`([a-z]+)(?:\/|\.ts)`/g)) {
      rooms.set(room, { floor: Number(row[1]), libraries: new Set(libraries.get(room)) });
    }
  }
  return rooms;
}

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => {
    const path = join(SOURCE, name);
    const text = readFileSync(path, 'utf8');
    const imports = [...text.matchAll(/(?:from|import)\s+'([^']+)'|import\('([^']+)'\)/g)].map(
      ([, a, b]) => a ?? b ?? '',
    );
    return { name, path, text, imports, room: name.split('/')[0]?.replace(/\.ts$/, '') ?? '' };
  });
const rooms = readFloors();

describe('the house', () => {
  test('has every room in the table of ARCHITECTURE.md, and no other', () => {
    expect(new Set(files.map((file) => file.room))).toEqual(new Set(rooms.keys()));
  });

  test.each(files)(
    '$name imports only down, and only the libraries of its room',
    ({ path, imports, room }) => {
      const here = rooms.get(room);
      for (const target of imports.filter((each) => each.startsWith('.'))) {
        const other =
          relative(SOURCE, join(dirname(path), target))
            .split('/')[0]
            ?.replace(/\.ts$/, '') ?? '';
        if (other === room) continue;
        const there = rooms.get(other);
        const mayImport = there !== undefined && here !== undefined && there.floor < here.floor;
        expect(mayImport || (room === 'main' && other === 'app'), `${room} imports ${target}`).toBe(true);
      }
      const libraries = imports.filter((each) => !each.startsWith('.') && !isBuiltin(each)).map(packageOf);
      expect([...(here?.libraries ?? [])]).toEqual(expect.arrayContaining(libraries));
    },
  );

  test.each(files.filter((file) => !file.name.includes('generated/')))(
    '$name is of a readable size',
    ({ text }) => {
      expect(text.split('\n').length).toBeLessThanOrEqual(401);
      expect(text, 'the first line says what the file is for').toMatch(/^\/\/ \S/);
    },
  );

  test.each(files)('$name has named exports only, and no barrel', ({ text }) => {
    expect(text).not.toMatch(/^export default/m);
    expect(text).not.toMatch(/^export \* from/m);
  });

  test('the vocabulary stays small', () => {
    expect(files.filter((file) => file.room === 'core').length).toBeLessThanOrEqual(6);
  });

  test('data files are known to no code', () => {
    const names = readdirSync(join(ROOT, 'endpoints'))
      .filter((name) => /\.ya?ml$/.test(name))
      .map((name) => name.replace(/\.ya?ml$/, ''));
    expect(names.length).toBeGreaterThan(0);
    for (const { name, text } of files) {
      for (const endpoint of names) expect(text.includes(endpoint), `${name} names ${endpoint}`).toBe(false);
    }
  });
});

function isBuiltin(specifier: string): boolean {
  return specifier.startsWith('node:') || builtinModules.includes(specifier);
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}
