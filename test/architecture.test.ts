// Enforces the code rules: layers, allowed library imports per module, file sizes, first-line comments.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DIALECTS } from '../src/sql/dialects/conversion.ts';
import { WIRING } from '../tools/scripts/wiring.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src');
const EXPLORER = join(ROOT, 'explorer/src');

interface Module {
  readonly layer: number;
  readonly libraries: ReadonlySet<string>;
}

/** The tables of layers in ARCHITECTURE.md: modules by name, such as `sql/lql`, with their layer and the libraries they may use. */
function readLayers(): ReadonlyMap<string, Module> {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const modules = new Map<string, Module>();
  for (const [, layer, own = '', libraries = ''] of text.matchAll(/^\| (\d) \|([^|]+)\|([^|]*)\|/gm)) {
    const used = new Map<string, string[]>();
    let pending: string[] = [];
    for (const [, name, owner] of libraries.matchAll(/`([^`]+)`|\(([a-z-]+)\)/g)) {
      if (name !== undefined) pending.push(name);
      if (owner === undefined) continue;
      used.set(owner, pending);
      pending = [];
    }
    for (const [, name = ''] of own.matchAll(/`([a-z/-]+?)(?:\/|\.ts)`/g))
      modules.set(name, { layer: Number(layer), libraries: new Set(used.get(name.split('/')[1] ?? '')) });
  }
  return modules;
}

/** A file imports, types included, only its own package and those before it. */
const PACKAGES = ['sql', 'guard', 'service', 'cli'];

const packageIndex = (name: string): number => PACKAGES.indexOf(name.split('/')[0] ?? '');

/** `sql/lql` for `sql/lql/parse.ts`, and `cli/main` for `cli/main.ts`. */
const moduleOf = (name: string): string => name.split('/').slice(0, 2).join('/').replace(/\.ts$/, '');

function readSource(path: string): { readonly text: string; readonly imports: readonly string[] } {
  const text = readFileSync(path, 'utf8');
  const written = text.matchAll(/(?:from|import)\s+'([^']+)'|import\('([^']+)'\)/g);
  return { text, imports: Array.from(written, ([, a, b]) => a ?? b ?? '') };
}

/** The files that a file imports, by their paths below `root`. */
function ownImports(name: string, imports: readonly string[], root = SOURCE): readonly string[] {
  const own = imports.filter((each) => each.startsWith('.'));
  return own.map((each) => relative(root, join(root, dirname(name), each)));
}

/** These are global in Node.js only. */
const NODE_GLOBALS = /(?<!['.\w])(?:Buffer|process|require|__dirname|setImmediate)\b(?=[.(<[])/;

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => {
    const path = join(SOURCE, name);
    return { name, path, ...readSource(path), module: moduleOf(name) };
  });
const modules = readLayers();

const ROOT_FOLDERS = [
  'bin', 'deploy', 'docs', 'endpoints', 'explorer', 'samples', 'schemas', 'seeds', 'src', 'test', 'tools',
]; // prettier-ignore

describe('architecture', () => {
  test('the root has these folders only', () => {
    const ignored = readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n');
    const folders = readdirSync(ROOT, { withFileTypes: true })
      .filter(
        (each) => each.isDirectory() && !each.name.startsWith('.') && !ignored.includes(`${each.name}/`),
      )
      .map((each) => each.name);
    expect(folders.toSorted()).toEqual(ROOT_FOLDERS);
  });

  test('ARCHITECTURE.md lists exactly the modules of src', () => {
    expect(new Set(files.map((file) => file.module))).toEqual(new Set(modules.keys()));
  });

  test.each(files)(
    '$name imports only lower layers of its package, and only the libraries of its module',
    ({ name, imports, module }) => {
      const here = modules.get(module);
      for (const target of ownImports(name, imports)) {
        const other = moduleOf(target);
        if (other === module || packageIndex(other) < packageIndex(module)) continue;
        const there = modules.get(other);
        const isLower = there !== undefined && here !== undefined && there.layer < here.layer;
        expect(isLower, `${module} imports ${target}`).toBe(true);
      }
      const libraries = imports.filter((each) => !each.startsWith('.') && !isBuiltin(each)).map(packageOf);
      expect([...(here?.libraries ?? [])]).toEqual(expect.arrayContaining(libraries));
    },
  );

  test('a file imports only its own package and those before it, types included', () => {
    expect(files.filter(({ name }) => packageIndex(name) < 0).map(({ name }) => name)).toEqual([]);
    const upward = files.flatMap(({ name, imports }) =>
      ownImports(name, imports)
        .filter((target) => packageIndex(target) > packageIndex(name))
        .map((target) => `${name} imports ${target}`),
    );
    expect(upward).toEqual([]);
  });

  test('the explorer imports its own files, libraries, and the first package only', () => {
    const pages = readdirSync(EXPLORER, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.tsx?$/.test(name),
    );
    expect(pages.length).toBeGreaterThan(100);
    const others = pages.flatMap((name) => {
      const { imports } = readSource(join(EXPLORER, name));
      const outside = ownImports(name, imports, EXPLORER).filter((target) => target.startsWith('..'));
      const inSource = outside.map((target) => relative(SOURCE, join(EXPLORER, target)));
      return [
        ...inSource
          .filter((target) => packageIndex(target) !== 0)
          .map((target) => `${name} imports ${target}`),
        ...imports.filter(isBuiltin).map((target) => `${name} imports ${target}`),
      ];
    });
    expect(others).toEqual([]);
  });

  test('the first package runs in a browser: it uses nothing of Node.js', () => {
    const pure = files.filter(({ name }) => packageIndex(name) === 0);
    const used = pure.flatMap(({ name, text, imports }) =>
      [...imports.filter(isBuiltin), ...(NODE_GLOBALS.exec(withoutComments(text)) ?? [])].map(
        (each) => `${name} uses ${each}`,
      ),
    );
    expect(used).toEqual([]);
  });

  test.each(files.filter((file) => !file.name.includes('generated/')))(
    '$name is at most 400 lines long and starts with a comment',
    ({ text }) => {
      expect(text.split('\n').length).toBeLessThanOrEqual(401);
      expect(text, 'the first line states the purpose of the file').toMatch(/^\/\/ \S/);
    },
  );

  test('a file imports fewer than 15 modules, but for the few that wire', () => {
    const modulesOf = (text: string): number =>
      new Set(Array.from(text.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'/gm), ([, to]) => to)).size;
    const wide = files.filter(({ name, text }) => !name.includes('generated/') && modulesOf(text) >= 15);
    expect(wide.map(({ name }) => name).toSorted()).toEqual([...WIRING.keys()].toSorted());
    expect(WIRING.size).toBeLessThanOrEqual(5);
  });

  test.each(files)('$name has named exports only, and no barrel', ({ text }) => {
    expect(text).not.toMatch(/^export default/m);
    expect(text).not.toMatch(/^export \* from/m);
  });

  /** The clocks and the timer of the process are passed on from `service/app/`; a command may use them itself. */
  const MAY_READ_TIME = /^(?:service\/app|cli)\/|^sql\/base\/clock\.ts$/;
  const TIME =
    /\b(?:Date\.now|performance\.now|process\.hrtime|setTimeout|setInterval|AbortSignal\.timeout)\b|\bnew Date\(\)/;

  test.each(files.filter(({ name }) => !MAY_READ_TIME.test(name)))(
    '$name reads no clock and starts no timer itself',
    ({ text }) => {
      expect(TIME.exec(text)?.[0]).toBeUndefined();
    },
  );

  test('only commands convert the SQL of other systems: its parser takes exponential time', () => {
    const users = files.filter(({ imports }) => imports.some((each) => each.includes('/convert/')));
    expect(new Set(users.map(({ module }) => module.split('/')[0]))).toEqual(new Set(['cli']));
  });

  test('the service loads neither the import of other tools nor the dialects that are read offline', () => {
    const loaded = loadedBy(['cli/main.ts', 'cli/commands/serve/command.ts']);
    expect(loaded.has('service/app/service.ts') && loaded.has('sql/dialects/bigquery/translate.ts')).toBe(
      true,
    );
    const offline =
      /^cli\/(convert|commands\/(import|new|reconvert))\/|^sql\/dialects\/(dialects\.ts$|(?!bigquery\/)\w+\/dialect\.ts$)/;
    const parts = files.filter(({ name }) => loaded.has(name));
    expect(parts.map(({ name }) => name).filter((name) => offline.test(name))).toEqual([]);
    const libraries = parts.flatMap(({ text }) => importsOf(text)).filter((each) => !each.startsWith('.'));
    expect(libraries.filter((each) => each === 'node-sql-parser' || each === 'yauzl')).toEqual([]);
  });

  test('a dialect is a folder with files of the same names, and no other file of the translator is about one', () => {
    for (const dialect of DIALECTS)
      expect(readdirSync(join(SOURCE, 'sql/dialects', dialect))).toEqual(
        expect.arrayContaining(['dialect.ts', 'functions.ts']),
      );
    const folders = new RegExp(
      `^sql/dialects/(?:(?:${DIALECTS.join('|')})/|dialects\\.ts$|conversion\\.ts$)`,
    );
    const named = new RegExp(DIALECTS.join('|'), 'i');
    const shared = files.filter(({ name }) => name.startsWith('sql/dialects/') && !folders.test(name));
    expect(shared.length).toBeGreaterThan(50);
    const code = shared.map(({ name, text }) => ({ name, found: named.exec(withoutComments(text))?.[0] }));
    expect(code.filter(({ found }) => found !== undefined)).toEqual([]);
  });

  test('a tool is a folder with files of the same names', () => {
    const tools = readdirSync(join(SOURCE, 'cli/convert/tools')).toSorted();
    expect(tools).toEqual(['dbt', 'driver', 'grafana', 'metabase', 'redash', 'superset', 'tinybird']);
    for (const tool of tools)
      expect(readdirSync(join(SOURCE, 'cli/convert/tools', tool))).toEqual(
        expect.arrayContaining(['placeholders.ts', ...(tool === 'driver' ? [] : ['export.ts'])]),
      );
  });

  test('the base has at most eight files', () => {
    expect(files.filter((file) => file.module === 'sql/base').length).toBeLessThanOrEqual(8);
  });

  test('no code contains the name of an endpoint', () => {
    const names = readdirSync(join(ROOT, 'endpoints'))
      .filter((name) => /\.ya?ml$/.test(name))
      .map((name) => name.replace(/\.ya?ml$/, ''));
    expect(names.length).toBeGreaterThan(0);
    for (const { name, text } of files) {
      for (const endpoint of names) expect(text.includes(endpoint), `${name} names ${endpoint}`).toBe(false);
    }
  });
});

/** Comments may name what a rule is an example of. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|\/\/ .*/g, '');
}

/** What the running code imports: types are erased. */
function importsOf(text: string): readonly string[] {
  const written =
    /^(?:import|export) (?!type\b)[^'"]*?from '([^']+)'|^import '([^']+)'|import\('([^']+)'\)/gm;
  return [...text.matchAll(written)].map(([, a, b, c]) => a ?? b ?? c ?? '');
}

/** The files that are loaded sooner or later, without those of commands that are not run. */
function loadedBy(entries: readonly string[]): ReadonlySet<string> {
  const texts = new Map(files.map(({ name, text }) => [name, text]));
  const loaded = new Set<string>();
  const open = [...entries];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (loaded.has(name)) continue;
    loaded.add(name);
    const text = texts.get(name) ?? '';
    const imports = importsOf(name === 'cli/program.ts' ? text.replaceAll('import(', '') : text);
    for (const target of imports.filter((each) => each.startsWith('.')))
      open.push(relative(SOURCE, join(SOURCE, dirname(name), target)));
  }
  return loaded;
}

function isBuiltin(specifier: string): boolean {
  return specifier.startsWith('node:') || builtinModules.includes(specifier);
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}
