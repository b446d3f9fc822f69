// The package as npm builds it: its content, and that it runs in an empty folder outside the checkout.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, scratch, start, type Running } from '../support/command.ts';
import { VALIDATED } from '../../tools/scripts/compiled-schemas.ts';

const ROOT = join(import.meta.dirname, '../..');
const NOT_COPIED = new Set(['.git', '.millrace', 'coverage', 'node_modules', 'dist']);
/** Beside `dist/`. */
const PACKED =
  /^(bin\/millrace\.cjs|(docs|endpoints|schemas|seeds|deploy|samples)\/.+|[A-Z]+(\.md)?|package\.json)$/;

/** Pictures, and what builds an image, for which a checkout is needed. */
const NOT_PACKED = /^(?:docs\/pictures\/|deploy\/(?:Dockerfile|compose))/;
/** Bytes of the package's file, and of its content. */
const MOST = { packed: 2_000_000, unpacked: 8_000_000 };

/** The sample rows, whose whole period `test/endpoints/seeds.corpus.test.ts` loads. */
const EIGHT_DAYS = 'numbers(8 * 24 * 60)';
const TWO_HOURS = 'numbers(2 * 60)';

const BUILT = 'dist/commands';
/** Node.js starts with these; the others are imported. */
const STARTED = [
  'confined-process.js',
  'engine-program.js',
  'main.js',
  'parser-program.js',
  'transform-program.js',
];

/** A copy to be packed: packing empties `dist/`, which other tests run from. */
function copyCheckout(): string {
  const copy = scratch();
  cpSync(ROOT, copy, { recursive: true, filter: (source) => !NOT_COPIED.has(basename(source)) });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, BUILT), { recursive: true });
  writeFileSync(join(copy, BUILT, 'removed-long-ago.js'), '');
  return copy;
}

interface Installed {
  /** A folder with nothing but node_modules. */
  readonly folder: string;
  readonly bin: string;
  readonly files: readonly string[];
  readonly sizes: { readonly packed: number; readonly unpacked: number };
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly size: number;
  readonly unpackedSize: number;
}

/** Packs, and installs the package with the libraries that it names, and no others, beside it; with fewer sample rows. */
function install(): Installed {
  const folder = scratch();
  const modules = join(folder, 'node_modules');
  const home = join(modules, 'millrace');
  mkdirSync(home, { recursive: true });
  const packed: unknown = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], {
      cwd: copyCheckout(),
      encoding: 'utf8',
    }),
  );
  const [{ filename, files, size, unpackedSize }] = packed as [Packed]; // npm's own report
  execFileSync('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', home]);
  const manifest: unknown = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const { bin, dependencies } = manifest as { bin: { millrace: string }; dependencies: object }; // our own manifest
  for (const name of Object.keys(dependencies)) {
    mkdirSync(join(modules, name, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  const sample = join(home, 'seeds/02_sample.sql');
  const text = readFileSync(sample, 'utf8');
  writeFileSync(sample, text.replace(EIGHT_DAYS, TWO_HOURS));
  mkdirSync(join(modules, '.bin'));
  symlinkSync(join(home, bin.millrace), join(modules, '.bin/millrace'));
  return {
    folder,
    bin: join(modules, '.bin/millrace'),
    files: files.map(({ path }) => path),
    sizes: { packed: size, unpacked: unpackedSize },
  };
}

let installed: Installed;
let running: Running | undefined;
beforeAll(() => {
  installed = install();
});
afterAll(async () => {
  running?.child.kill('SIGKILL');
  await running?.finished;
});

describe('package contents', () => {
  test('are the complete build, and nothing from earlier builds', () => {
    const built = installed.files.filter((path) => path.startsWith('dist/'));
    const page = built.filter((path) => path.startsWith('dist/explorer/'));
    const commands = built.filter((path) => path.startsWith(`${BUILT}/`));
    expect([...commands, ...page].toSorted()).toEqual(built.toSorted());
    const texts = commands.map((path) =>
      readFileSync(join(installed.folder, 'node_modules/millrace', path), 'utf8'),
    );
    const isUsed = (name: string) =>
      STARTED.includes(name) ||
      texts.some((text) => text.includes(`"./${name}"`) || text.includes(`\`./${name}\``));
    // Their names are computed: one for each schema that is checked.
    const schemas = commands.filter((path) => path.startsWith(`${BUILT}/schemas/`));
    expect(schemas.map((path) => basename(path, '.cjs')).toSorted()).toEqual(VALIDATED.toSorted());
    const names = commands.filter((path) => !schemas.includes(path)).map((path) => basename(path));
    expect(names).toEqual(expect.arrayContaining(STARTED));
    expect(names.filter((name) => !isUsed(name))).toEqual([]);
    expect(page).toContain('dist/explorer/index.html');
  });

  test('and the files that users run, read or start from', () => {
    const others = installed.files.filter((path) => !path.startsWith('dist/'));
    expect(others.filter((path) => !PACKED.test(path))).toEqual([]);
    expect(others).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'bin/millrace.cjs',
        'schemas/endpoint.schema.json',
        'seeds/01_tables.sql',
        'samples/otel/endpoints/otel.logs.yaml',
        'samples/otel/seeds/01_tables.sql',
        'samples/repository/gitignore',
      ]),
    );
  });

  test('without pictures, and without what needs a checkout, in the documented size', () => {
    expect(installed.files.filter((path) => NOT_PACKED.test(path))).toEqual([]);
    expect(installed.sizes.packed).toBeLessThan(MOST.packed);
    expect(installed.sizes.unpacked).toBeLessThan(MOST.unpacked);
    const deploy = readFileSync(join(ROOT, 'docs/operate/deploy.md'), 'utf8');
    expect(deploy).toContain(`\`millrace-<version>.tgz\` (less than ${MOST.packed / 1_000_000} MB)`);
  });

  test('contain every page and file that the README links to', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => path);
    expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const isPacked = (path: string): boolean =>
      NOT_PACKED.test(path) || installed.files.some((file) => file.startsWith(path));
    expect(links.filter((path) => !isPacked(path))).toEqual([]);
  });
});

describe('in an otherwise empty folder', () => {
  test('serve --dev serves the samples, reports it, and writes only to its data folder', async () => {
    const { folder, bin } = installed;
    running = start(['serve', '--dev', '--port', '0', '--admin-port', '0'], { cwd: folder, bin });
    await running.says(/These are sample endpoints/);
    const [, header = '', url = ''] = await running.says(/curl -H '([^']+)' '([^']+)'/);
    const [name = '', key = ''] = header.split(': ');
    const answer = await fetch(url, { headers: { [name]: key } });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toHaveProperty(['result', 0]);
    running.child.kill('SIGTERM');
    expect((await running.finished).code).toBe(0);
    const made = readdirSync(folder).filter((each) => !each.endsWith('.tgz') && each !== 'node_modules');
    expect(made).toEqual(['.millrace']);
  });

  test.each([
    { args: ['--version'], code: 0, says: /^\d+\.\d+\.\d+/, why: 'it reads its own manifest' },
    {
      args: ['serve', '--dev', '--endpoints', 'mine'],
      code: 1,
      says: /Folder mine does not exist;.*millrace new NAME/,
      why: 'an explicit folder is not replaced by samples',
    },
    {
      args: ['query', 'x'],
      code: 1,
      says: /Folder endpoints does not exist;/,
      why: 'other commands have no samples',
    },
  ])('$args: $why', async ({ args, code, says }) => {
    const finished = await run(args, { cwd: scratch(), bin: installed.bin });
    expect([finished.code, finished.out + finished.err]).toEqual([code, expect.stringMatching(says)]);
  });

  test('SQL of other systems needs an optional dependency, and a sentence says so', async () => {
    const cwd = scratch();
    mkdirSync(join(cwd, 'endpoints'));
    writeFileSync(join(cwd, 'query.sql'), 'SELECT 1 AS n');
    const { code, err } = await run(['new', 'x', '--from-sql', 'query.sql', '--dialect', 'mysql'], {
      cwd,
      bin: installed.bin,
    });
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^millrace: .*node-sql-parser.*not installed.*\n$/),
    ]);
  });

  test('new refers to the schema where editors find it', async () => {
    const { folder, bin } = installed;
    const { code, out } = await run(['new', 'x', '--stdout'], { cwd: folder, bin });
    expect(code).toBe(0);
    const [, schema = ''] = /\$schema=(\S+)/.exec(out) ?? [];
    expect(schema).toBe('../node_modules/millrace/schemas/endpoint.schema.json');
    expect(existsSync(join(folder, 'endpoints', schema))).toBe(true);
  });
});
