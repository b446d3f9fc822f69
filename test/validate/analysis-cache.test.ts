// The analysis cache: a run that reads it reports what a run without it does, and nothing that others wrote is trusted.
import { execFileSync } from 'node:child_process';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeLargeFolder } from '../../tools/bench/parts/large-folder.ts';
import { openTestRuntime } from '../../src/app/test-runtime.ts';
import { createInspect, type CompileFile, type InspectedFile } from '../../src/catalog/compile.ts';
import { listFiles, loadFiles } from '../../src/catalog/load.ts';
import { analyseFiles, type Analyses } from '../../src/cli/analysis/analyse.ts';
import { openAnalysisCache } from '../../src/cli/analysis/cache.ts';
import { chooseCacheFolder } from '../../src/cli/analysis/folder.ts';
import { analysisKeys, type AnalysisContext } from '../../src/cli/analysis/keys.ts';
import { createTerminal } from '../../src/cli/terminal.ts';
import type { Finding } from '../../src/core/finding.ts';
import { createCallsTable } from '../../src/engine/calls-table.ts';
import { createEmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import { EngineError, type Engine } from '../../src/engine/engine.ts';
import { loadSchema, type LoadedSchema } from '../../src/schema/load-schema.ts';
import { readSchemaFiles, type SchemaFile } from '../../src/schema/schema-files.ts';
import { REAL_TIME } from '../../src/cli/real-time.ts';
import { monotonic } from '../../src/core/clock.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let engine: Engine;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-analyses-'));
  const options = {
    connections: 4,
    queue: 100,
    memory: 2 ** 30,
    observe: () => undefined,
    now: monotonic,
    ...REAL_TIME,
  };
  engine = await createEmbeddedEngine({ path: join(folder, 'engine'), ...options });
  await createCallsTable(engine);
  await writeLargeFolder(join(folder, 'large'), 12);
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

/** A folder of endpoint files, with its tables. */
interface Checked {
  readonly files: readonly InspectedFile[];
  readonly loaded: Awaited<ReturnType<typeof loadFiles>>['files'];
  readonly tables: readonly SchemaFile[];
  readonly schema: LoadedSchema;
}

async function load(endpoints: string, schema: string): Promise<Checked> {
  const inspect = createInspect({ piiHashKey: 'any' });
  const files: InspectedFile[] = [];
  const compile: CompileFile = (path, text, sources) => {
    const id = `00000000-0000-4000-8000-${String(files.length).padStart(12, '0')}`;
    const { inspected, ...rest } = inspect(path, text.replaceAll('{{uuid}}', id), sources);
    if (inspected !== undefined) files.push(inspected);
    return { candidate: inspected?.candidate, ...rest };
  };
  const { files: loaded } = await loadFiles(await listFiles(endpoints), new Map(), { compile, ...REAL_TIME });
  const tables = await readSchemaFiles(schema);
  return { files, loaded, tables, schema: await loadSchema(engine, tables) };
}

const notes: string[] = [];
const output = { isTTY: false, write: (line: string) => notes.push(line) > 0 };
const context: AnalysisContext = { tenancy: undefined, engineSources: [], database: undefined, tables: [] };

interface Run {
  readonly findings: readonly Finding[];
  /** How many files the engine was asked about. */
  readonly asked: number;
}

async function analyse(
  { files, loaded, tables, schema }: Checked,
  cache: string | undefined,
  by: Engine = engine,
): Promise<Run> {
  let asked = 0;
  const analyses: Analyses = {
    cache: openAnalysisCache(cache, REAL_TIME.epoch),
    keys: analysisKeys({ ...context, tables }, 'a program'),
    withEngine: (use) => use(by, schema),
  };
  const findings = await analyseFiles(analyses, files, {
    loaded,
    tenancy: undefined,
    openTestRuntime: async (given) => openTestRuntime(given),
    terminal: {
      ...createTerminal(output, output, {}),
      progress: (line) => void (asked += Number(line !== '')),
    },
  });
  return { findings, asked };
}

const TEMPLATE = [join(ROOT, 'samples/events/endpoints'), join(ROOT, 'samples/events/seeds')] as const;
const FOLDERS: readonly (readonly [name: string, endpoints: string, tables: string])[] = [
  ['the shipped endpoints', 'endpoints', 'seeds/01_tables.sql'],
  ...['blank', 'events', 'otel'].map(
    (name) => [`the template ${name}`, `samples/${name}/endpoints`, `samples/${name}/seeds`] as const,
  ),
];

describe('a run that reads the cache reports the same', () => {
  const rows = [
    ...FOLDERS.map(([name, ...paths]) => ({ name, paths: paths.map((path) => join(ROOT, path)) })),
    { name: 'a generated folder with mistakes', paths: undefined },
  ];
  test.each(rows)('$name', async ({ paths }) => {
    const [endpoints = '', schema = ''] = paths ?? [
      join(folder, 'large/endpoints'),
      join(folder, 'large/schema'),
    ];
    const checked = await load(endpoints, schema);
    const cache = await mkdtemp(join(folder, 'cache-'));
    const without = await analyse(checked, undefined);
    const [cold, warm] = [await analyse(checked, cache), await analyse(checked, cache)];
    expect(checked.files).not.toEqual([]);
    expect([cold.asked, warm.asked]).toEqual([checked.files.length, 0]);
    expect(cold.findings).toEqual(without.findings);
    expect(warm.findings).toEqual(without.findings);
    if (paths === undefined) expect(without.findings.length).toBeGreaterThan(1);
  });
});

test('a change of a file, or of one that it includes, has that file analysed, and no other', async () => {
  const copy = join(folder, 'changed');
  await cp(join(folder, 'large'), copy, { recursive: true });
  const [endpoints, schema, cache] = [join(copy, 'endpoints'), join(copy, 'schema'), join(copy, 'cache')];
  await mkdir(cache);
  await analyse(await load(endpoints, schema), cache);
  const edit = async (name: string, from: string, to: string): Promise<number> => {
    const path = join(endpoints, name);
    await writeFile(path, (await readFile(path, 'utf8')).replace(from, to));
    return (await analyse(await load(endpoints, schema), cache)).asked;
  };
  expect(await edit('e0.yaml', 'avg(ms)', 'avg(mss)')).toBe(1);
  const users = (await load(endpoints, schema)).files.filter(({ analysis }) =>
    JSON.stringify(analysis.file).includes('app.t1 '),
  );
  expect(await edit('part1.shared.yaml', 'ms > 100', 'ms > 200')).toBe(
    users.filter(({ document }) => document.wholeText.includes('part1')).length,
  );
  expect(await edit('e0.yaml', 'avg(mss)', 'avg(ms)')).toBe(0); // as it was
});

test('what others may find differently is not kept', async () => {
  const checked = await load(...TEMPLATE);
  const cache = await mkdtemp(join(folder, 'cache-'));
  const busy: Engine = {
    ...engine,
    describe: async () => {
      throw new EngineError('timeout', 'too slow');
    },
  };
  const { findings } = await analyse(checked, cache, busy);
  expect(findings.map(({ code }) => code)).toContain('engine.not_analysed');
  const after = await analyse(checked, cache);
  expect(after.asked).toBe(checked.files.length);
  expect(after.findings.map(({ code }) => code)).not.toContain('engine.not_analysed');
});

describe('an entry that is not whole is not used', () => {
  const DAMAGE: readonly (readonly [why: string, damage: (path: string, other: string) => Promise<void>])[] =
    [
      ['empty', (path) => writeFile(path, '')],
      ['cut', async (path) => writeFile(path, (await readFile(path, 'utf8')).slice(0, -1))],
      [
        'changed',
        async (path) => writeFile(path, (await readFile(path, 'utf8')).replace('"findings"', '"findingz"')),
      ],
      ['of another key', (path, other) => rename(other, path)],
      ['too large', async (path) => writeFile(path, (await readFile(path, 'utf8')) + ' '.repeat(2 ** 20))],
      ['a link', async (path, other) => rm(path).then(() => symlink(other, path))],
      ['a folder', async (path) => (await rm(path), await mkdir(path))],
    ];
  let checked: Checked;
  let whole: string;
  let before: Run;
  beforeAll(async () => {
    checked = await load(...TEMPLATE);
    whole = await mkdtemp(join(folder, 'cache-'));
    before = await analyse(checked, whole);
  });

  test.each(DAMAGE.map(([why, damage]) => ({ why, damage })))('$why', async ({ damage }) => {
    const cache = await mkdtemp(join(folder, 'cache-'));
    await cp(whole, cache, { recursive: true, preserveTimestamps: true });
    const [first = '', second = ''] = (await readdir(cache)).map((name) => join(cache, name));
    await damage(first, second);
    notes.length = 0;
    expect((await analyse(checked, cache)).findings).toEqual(before.findings);
    expect(notes.join('')).toMatch(/invalid entries .*: 1/);
  });

  test('with a shape of its own, although its hash is right', async () => {
    const cache = openAnalysisCache(await mkdtemp(join(folder, 'cache-')), REAL_TIME.epoch);
    const finding = { file: 'a', line: 1, column: 1, severity: 'error', code: 'a.b', message: 'c' } as const;
    const wrong = [
      { ...finding, line: -1 },
      { ...finding, line: '1' },
      { ...finding, severity: 'none' },
      { ...finding, hint: 1 },
      { ...finding, other: true },
      { file: 'a' },
      null,
    ];
    for (const [index, each] of wrong.entries()) {
      await cache.keep(`k${index}`, { findings: [each as unknown as Finding], skipped: [] }); // what no run writes
      expect(await cache.find(`k${index}`)).toBeUndefined();
    }
    await cache.keep('right', { findings: [finding], skipped: [['GRANT', 2]] });
    expect(await cache.find('right')).toEqual({ findings: [finding], skipped: [['GRANT', 2]] });
    expect(cache.invalid()).toBe(wrong.length);
  });
});

test('entries that no run has used for a month are removed', async () => {
  const path = await mkdtemp(join(folder, 'cache-'));
  const none = { findings: [], skipped: [] };
  const cache = openAnalysisCache(path, REAL_TIME.epoch);
  for (const [key, days] of Object.entries({ old: 40, used: 20, both: 40 })) {
    await cache.keep(key, none);
    const then = (REAL_TIME.epoch() - days * 86_400_000) / 1000;
    await utimes(join(path, `${key}.analysis`), then, then);
  }
  for (const key of ['used', 'both']) expect(await cache.find(key)).toEqual(none);
  const unchanged = openAnalysisCache(path, REAL_TIME.epoch);
  await unchanged.prune(); // nothing was written
  expect(await readdir(path)).toHaveLength(3);
  await cache.prune();
  expect((await readdir(path)).toSorted()).toEqual(['both.analysis', 'used.analysis']);
  expect((await stat(join(path, 'used.analysis'))).mtimeMs).toBeGreaterThan(REAL_TIME.epoch() - 86_400_000);
});

test('everything that the findings depend on is part of the key', () => {
  const file = { file: 'a.yaml', hash: 'h', dependencies: [{ name: 'b', path: 'b', text: 'x' }] };
  const of = (
    changes: Partial<AnalysisContext> = {},
    product = 'p',
    changed: Partial<typeof file> = {},
  ): string => analysisKeys({ ...context, ...changes }, product).of({ ...file, ...changed });
  const keys = [
    of(),
    of({}, 'q'),
    of({ tenancy: 'tenant' }),
    of({ engineSources: ['url'] }),
    of({ engineSources: 'any' }),
    of({ database: 'app' }),
    of({ tables: undefined }),
    of({ tables: [{ path: 'a.sql', text: 'SELECT 1' }] }),
    of({ tables: [{ path: 'b.sql', text: 'SELECT 1' }] }),
    of({}, 'p', { file: 'b.yaml' }),
    of({}, 'p', { hash: 'i' }),
    of({}, 'p', { dependencies: [] }),
    of({}, 'p', { dependencies: [{ name: 'b', path: 'b', text: 'y' }] }),
    analysisKeys(context, 'p').ofSchema,
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(of()).toBe(of());
});

describe('the folder', () => {
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' };
  const reasonOf = async (path: string): Promise<string | undefined> => {
    const chosen = await chooseCacheFolder(path, env);
    return chosen.path === undefined ? (chosen.reason ?? 'none') : undefined;
  };
  async function repository(): Promise<string> {
    const root = await mkdtemp(join(folder, 'repository-'));
    execFileSync('git', ['init', '-q', root], { env });
    return root;
  }

  test('is used outside of a repository, and in one that has none of its files', async () => {
    const root = await repository();
    await writeFile(join(root, '.gitignore'), 'ignored/\n');
    expect(await reasonOf(join(folder, 'plain'))).toBeUndefined();
    for (const name of ['ignored', 'new', '.git/analyses'])
      expect(await reasonOf(join(root, name))).toBeUndefined();
  });

  test.each(['cache', '.cache/a', ':(top)cache', 'with space'])(
    'is rejected if %s is in the repository',
    async (name) => {
      const root = await repository();
      await mkdir(join(root, name), { recursive: true });
      await writeFile(join(root, name, 'a.analysis'), '');
      execFileSync('git', ['--literal-pathspecs', '-C', root, 'add', '-f', '--', name], { env });
      expect(await reasonOf(join(root, name))).toContain('in the repository');
      await symlink(join(root, name), join(folder, `link-${name.replaceAll('/', '-')}`));
      expect(await reasonOf(join(folder, `link-${name.replaceAll('/', '-')}`))).not.toBeUndefined();
    },
  );

  test('is rejected if others can write it, and if it is no folder', async () => {
    const open = await mkdtemp(join(folder, 'open-'));
    await chmod(open, 0o777);
    expect(await reasonOf(open)).toContain('other users');
    await writeFile(join(folder, 'file'), '');
    expect(await reasonOf(join(folder, 'file'))).toContain('cannot be used');
  });

  test('without one that can be created there is no cache, and that is no warning', async () => {
    const home = join(folder, 'file');
    await writeFile(home, '');
    expect(await chooseCacheFolder(undefined, { ...env, HOME: home })).toEqual({ path: undefined });
    expect(await chooseCacheFolder(false, env)).toEqual({ path: undefined });
    const own = join(folder, 'own');
    expect(await chooseCacheFolder(undefined, { ...env, MILLRACE_ANALYSIS_CACHE: own })).toEqual({
      path: own,
    });
    expect(await chooseCacheFolder(undefined, { ...env, XDG_CACHE_HOME: own })).toEqual({
      path: join(own, 'millrace/analysis'),
    });
  });
});
