// The analysis cache: a run that reads it reports what a run without it does, and nothing that others wrote is trusted.
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { writeLargeFolder } from '../../../tools/bench/parts/large-folder.ts';
import { openTestRuntime } from '../../../src/service/app/test-runtime.ts';
import { listFiles } from '../../../src/service/endpoints/load.ts';
import type { Analyses } from '../../../src/cli/commands/analysis/analyse.ts';
import { openAnalysisCache } from '../../../src/cli/commands/analysis/cache.ts';
import { chooseCacheFolder } from '../../../src/cli/commands/analysis/folder.ts';
import {
  analysisKey,
  type AnalysisContext,
  type ComparisonContext,
} from '../../../src/cli/commands/analysis/keys.ts';
import { reportColumns } from '../../../src/cli/commands/diff/columns.ts';
import type { Described } from '../../../src/cli/commands/diff/wanted.ts';
import type { Needed } from '../../../src/cli/commands/diff/known-pairs.ts';
import { compareContracts } from '../../../src/cli/compare/compare.ts';
import { readContracts } from '../../../src/cli/compare/contract.ts';
import { createInspect } from '../../../src/service/endpoints/compile.ts';
import { resolve } from '../../../src/service/config/effective-settings.ts';
import { settingNames } from '../../../src/service/config/settings.ts';
import { decodePack, encodePack, type Pack } from '../../../src/cli/commands/analysis/pack.ts';
import { validate } from '../../../src/cli/commands/validate/validate.ts';
import type { ValidateOptions } from '../../../src/cli/commands/validate/options.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import type { Finding } from '../../../src/sql/base/finding.ts';
import { createCallsTable } from '../../../src/service/engine/calls-table.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import { EngineError, type Engine } from '../../../src/service/engine/engine.ts';
import { loadSchema, type LoadedSchema } from '../../../src/cli/schema/load-schema.ts';
import { readSchemaFiles, type SchemaFile } from '../../../src/cli/schema/schema-files.ts';
import { REAL_TIME } from '../../../src/cli/kit/real-time.ts';
import { monotonic } from '../../../src/sql/base/clock.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

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
  await writeFile(join(folder, 'small.sql'), 'CREATE DATABASE IF NOT EXISTS app');
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

/** A folder of endpoint files, with its tables. */
interface Checked {
  readonly endpoints: string;
  readonly tables: readonly SchemaFile[];
  readonly schema: LoadedSchema;
}

/** In a folder of its own, with ids. */
async function load(endpoints: string, schema: string): Promise<Checked> {
  const copy = await mkdtemp(join(folder, 'checked-'));
  for (const [index, path] of (await listFiles(endpoints)).entries()) {
    const text = await readFile(path, 'utf8');
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    await writeFile(join(copy, basename(path)), text.replaceAll('{{uuid}}', id));
  }
  return reload(copy, schema);
}

async function reload(endpoints: string, schema: string): Promise<Checked> {
  const tables = await readSchemaFiles(schema);
  return { endpoints, tables, schema: await loadSchema(engine, tables) };
}

const notes: string[] = [];
const output = { isTTY: false, write: (line: string) => notes.push(line) > 0 };
const context: AnalysisContext = {
  tenancy: undefined,
  engineSources: [],
  hasHashKey: false,
  watchNames: { channels: [], keys: undefined },
  database: undefined,
  tables: [],
};

interface Run {
  readonly findings: readonly Finding[];
  /** How many files the engine was asked about. */
  readonly asked: number;
}

/** `ofFiles`: options for the files, such as the tokens file. */
async function analyse(
  { endpoints, tables, schema }: Checked,
  cache: string | undefined,
  by: Engine = engine,
  ofFiles: Partial<ValidateOptions> = {},
): Promise<Run> {
  let asked = 0;
  let found: readonly Finding[] = [];
  const openAnalyses = async (): Promise<Analyses> => {
    const key = analysisKey({ ...context, tables }, 'a program');
    const kept = await openAnalysisCache(cache, key, REAL_TIME.epoch);
    if (kept.isInvalid) notes.push('invalid');
    return { cache: kept, withEngine: (use) => use(by, schema) };
  };
  const options: ValidateOptions = {
    paths: [endpoints],
    changed: undefined,
    print: async ({ findings }) => void (found = findings),
    isStrict: false,
    openAnalyses,
    asksEngine: true,
    routes: undefined,
    findCosts: undefined,
    openTestRuntime: async (given) => openTestRuntime(given),
    tenancy: undefined,
    engineSources: [],
    tokens: undefined,
    endpoints,
    withoutTables: undefined,
    hasHashKey: false,
    watchNames: { channels: [], keys: undefined },
    ...ofFiles,
  };
  await validate(options, {
    ...createTerminal(output, output, {}),
    progress: (line) => void (asked += Number(line !== '')),
  });
  return { findings: found, asked };
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
    expect(without.asked).toBeGreaterThan(0);
    const files = await listFiles(checked.endpoints);
    const texts = await Promise.all(files.map((path) => readFile(path, 'utf8')));
    // The engine is asked about rollups each time.
    const declaring = texts.filter((text) => /^id:/m.test(text) && /^rollups:/m.test(text));
    expect([cold.asked, warm.asked]).toEqual([without.asked, declaring.length]);
    expect(cold.findings).toEqual(without.findings);
    expect(warm.findings).toEqual(without.findings);
    if (paths === undefined) expect(without.findings.length).toBeGreaterThan(1);
  });
});

test('a change of a file, or of one that it includes, has that file analysed, and no other', async () => {
  const { endpoints } = await load(join(folder, 'large/endpoints'), join(folder, 'large/schema'));
  const cache = await mkdtemp(join(folder, 'cache-'));
  const checked = await reload(endpoints, join(folder, 'large/schema'));
  const before = await analyse(checked, cache);
  const edit = async (name: string, from: string, to: string, known?: Run): Promise<number> => {
    const path = join(endpoints, name);
    await writeFile(path, (await readFile(path, 'utf8')).replace(from, to));
    const { asked, findings } = await analyse(checked, cache);
    expect(findings).toEqual((known ?? (await analyse(checked, undefined))).findings);
    return asked;
  };
  expect(await edit('e0.yaml', 'avg(ms)', 'avg(mss)')).toBe(1);
  expect(await edit('e0.yaml', 'avg(mss)', 'avg(ms)', before)).toBe(0); // as it was
  const texts = await Promise.all((await listFiles(endpoints)).map((path) => readFile(path, 'utf8')));
  expect(await edit('part1.shared.yaml', 'ms > 100', 'ms > 200')).toBe(
    texts.filter((text) => text.includes('from: part1\n')).length,
  );
});

const ENDPOINT = (
  id: number,
  name: string,
  more = '',
): string => `id: 00000000-0000-4000-8000-00000000000${id}
name: ${name}
query: SELECT @tenant AS tenant
parameters:
  tenant: { type: UInt8, required: true }
tenancy: { parameter: tenant }
${more}`;

describe('a comparison that reads the cache reports the same', () => {
  const TABLE = (type: string): string =>
    `CREATE DATABASE kept;\nCREATE TABLE kept.t (tenant String, n ${type}, s String) ENGINE = MergeTree ORDER BY tenant;\n`;
  const file = (id: number, query: string, more = ''): string =>
    `id: 00000000-0000-4000-8000-00000000000${id}\nname: e${id}\nquery: ${query}\n${more}`;
  const PARAMETERS = 'parameters: { tenant: { type: String, required: true }, s: { type: String } }\n';
  const optional = (operator: string): string =>
    file(
      2,
      `SELECT n FROM kept.t WHERE tenant = @tenant /* if @s */ AND s ${operator} @s /* end */`,
      PARAMETERS,
    );
  const part = (least: number): string => `tables:\n  rows: SELECT n, s FROM kept.t WHERE n > ${least}\n`;
  const including = file(3, 'SELECT n, s FROM rows', 'include: [{ from: a, tables: [rows] }]\n');
  const TIMED = "parameters: { at: { type: DateTime, default: now, min: '2020-01-01T00:00:00Z' } }\n";
  const timed = (least: number): string =>
    file(4, `SELECT n FROM kept.t WHERE n > ${least} AND @at > 0`, TIMED);
  const BEFORE = {
    'a.shared.yaml': part(1),
    'e1.yaml': file(1, "SELECT n, s FROM kept.t WHERE s = 'a'"),
    'e2.yaml': optional('='),
    'e3.yaml': including,
    'e5.yaml': file(5, 'SELECT n FROM kept.t'),
  };
  const AFTER = {
    'a.shared.yaml': part(0),
    'e1.yaml': file(1, 'SELECT n FROM kept.t'),
    'e2.yaml': optional('!='),
    'e3.yaml': including,
    'e5.yaml': file(5, 'SELECT m FROM kept.t'),
  };
  const inspect = createInspect({ piiHashKey: 'any' });
  const revision = (files: Readonly<Record<string, string>>, type = 'UInt32'): Described => ({
    label: 'a revision',
    contracts: readContracts(
      Object.entries(files).map(([path, text]) => ({ path, text })),
      inspect,
    ),
    tables: [{ path: 'schema/a.sql', content: { text: TABLE(type) } }],
  });

  interface Compared {
    readonly found: unknown;
    /** It counts the engines that were opened. */
    readonly opened: number;
  }

  async function compare(
    [before, after]: readonly [Described, Described],
    cache: string | undefined,
    { needed = 'changes', by = engine }: { readonly needed?: Needed; readonly by?: Engine } = {},
  ): Promise<Compared> {
    let opened = 0;
    const key = hash('sha256', JSON.stringify([before.tables, after.tables]), 'hex');
    const kept = await openAnalysisCache(cache, key, REAL_TIME.epoch);
    const reported = await reportColumns(before, after, {
      settings: { ...resolve({}, settingNames()), shown: {} },
      openEngine: async () => {
        opened++;
        return { ...by, close: async () => engine.execute('DROP DATABASE kept') };
      },
      schema: { path: 'schema', database: undefined, variables: new Map() },
      terminal: createTerminal(output, output, {}),
      cache: kept,
      needed,
    });
    if (reported.failure !== undefined) throw reported.failure;
    const [base, head] = [
      { ...before.contracts, ...reported.before },
      { ...after.contracts, ...reported.after },
    ];
    const changes = needed === 'columns' ? [] : compareContracts(base, head, -Infinity, reported.changesOf);
    await kept.save();
    const columns = [base, head].map((side) =>
      [...(side.columns ?? [])].map(([{ id, query }, each]) => JSON.stringify([id, query, each])).toSorted(),
    );
    return { found: [changes, reported.comparisons, columns], opened };
  }

  const ROWS: readonly (readonly [why: string, sides: readonly [Described, Described], engines: number])[] = [
    ['of files', [revision(BEFORE), revision(AFTER)], 1],
    ['of tables', [revision(BEFORE), revision(BEFORE, 'String')], 2],
    ['of files and tables', [revision(BEFORE), revision(AFTER, 'UInt64')], 2],
  ];
  test.each(ROWS.map(([why, sides, engines]) => ({ why, sides, engines })))(
    '$why',
    async ({ sides, engines }) => {
      const cache = await mkdtemp(join(folder, 'cache-'));
      const { found } = await compare(sides, undefined);
      expect(await compare(sides, cache)).toEqual({ found, opened: engines });
      expect(await compare(sides, cache)).toEqual({ found, opened: 0 });
      const columns = await compare(sides, undefined, { needed: 'columns' });
      expect(await compare(sides, cache, { needed: 'columns' })).toEqual({ ...columns, opened: 0 });
      const [name = ''] = await readdir(cache);
      const text = await readFile(join(cache, name), 'utf8');
      expect(decodePack(basename(name, '.analysis'), text)?.pairs.length).toBeGreaterThan(3);
    },
  );

  test('columns alone are kept, and the changes found when they are needed', async () => {
    const cache = await mkdtemp(join(folder, 'cache-'));
    const sides = [revision(BEFORE), revision(AFTER)] as const;
    const { found } = await compare(sides, undefined);
    const opened: number[] = [];
    for (const needed of ['columns', 'columns', 'changes', 'changes'] as const) {
      const compared = await compare(sides, cache, { needed });
      opened.push(compared.opened);
      if (needed === 'changes') expect(compared.found).toEqual(found);
    }
    expect(opened).toEqual([1, 0, 1, 0]);
  });

  test('another content, one that depends on the time, and what a limit cut off are described again', async () => {
    const cache = await mkdtemp(join(folder, 'cache-'));
    const slow: Engine = {
      ...engine,
      describe: async () => {
        throw new EngineError('timeout', 'too slow');
      },
    };
    const sides = [revision(BEFORE), revision(AFTER)] as const;
    await compare(sides, cache, { by: slow });
    expect((await compare(sides, cache)).opened).toBe(1);
    const changed = [revision(BEFORE), revision({ ...AFTER, 'a.shared.yaml': part(2) })] as const;
    const { found } = await compare(changed, undefined);
    expect(await compare(changed, cache)).toEqual({ found, opened: 1 });
    const late = [
      revision({ ...BEFORE, 'e4.yaml': timed(1) }),
      revision({ ...AFTER, 'e4.yaml': timed(0) }),
    ] as const;
    for (const engines of [1, 1]) expect((await compare(late, cache)).opened).toBe(engines);
  });
});

describe('what is known of a file counts for the others', () => {
  // Each row has a finding that no single file has. The file that is checked first comes second by its name.
  const OTHERS: readonly (readonly [code: string, other: string, tokens?: string])[] = [
    ['endpoint.duplicate_name', ENDPOINT(2, 'one')],
    ['endpoint.duplicate_id', ENDPOINT(1, 'two')],
    ['version.missing', ENDPOINT(2, 'one', 'version: 2\n')],
    ['mcp.duplicate_name', ENDPOINT(2, 'two', 'mcp: { name: one }\n')],
    [
      'deprecated.successor_unknown',
      ENDPOINT(2, 'two', 'deprecated: { since: 2026-01-01, successor: three }\n'),
    ],
    ['tenancy.key_not_locked', ENDPOINT(2, 'two'), 'endpoints: ["*"]'],
    ['tenancy.key_value_rejected', ENDPOINT(2, 'two'), 'endpoints: ["*"], parameters: { tenant: acme }'],
    ['tokens.unknown_endpoint', ENDPOINT(2, 'two'), 'endpoints: [one, three], parameters: { tenant: 1 }'],
    [
      'tokens.unknown_parameter',
      ENDPOINT(2, 'two'),
      'endpoints: [one], parameters: { tennant: 1, tenant: 1 }',
    ],
  ];
  test.each(OTHERS.map(([code, other, tokens]) => ({ code, other, tokens })))(
    '$code',
    async ({ code, other, tokens: grants }) => {
      const root = await mkdtemp(join(folder, 'others-'));
      const [endpoints, cache] = [join(root, 'endpoints'), join(root, 'cache')];
      for (const path of [endpoints, cache]) await mkdir(path);
      const tokens = grants === undefined ? undefined : join(root, 'tokens.yaml');
      const hash = 'a'.repeat(64);
      if (tokens !== undefined)
        await writeFile(tokens, `tokens:\n  - { name: key, sha256: ${hash}, ${grants} }\n`, { mode: 0o600 });
      const checked = await reload(endpoints, join(folder, 'small.sql'));
      const run = async (used: string | undefined): Promise<Run> =>
        analyse(checked, used, engine, { tokens });
      await writeFile(join(endpoints, 'b.yaml'), ENDPOINT(1, 'one'));
      await run(cache);
      await writeFile(join(endpoints, 'a.yaml'), other);
      const without = await run(undefined);
      expect(without.findings.map((each) => each.code)).toContain(code);
      for (const asked of [1, 0]) expect(await run(cache)).toEqual({ ...without, asked });
    },
  );
});

test('a file whose findings depend on the time is checked each time', async () => {
  const root = await mkdtemp(join(folder, 'timed-'));
  const [endpoints, cache] = [join(root, 'endpoints'), join(root, 'cache')];
  for (const path of [endpoints, cache]) await mkdir(path);
  const until = new Date(REAL_TIME.epoch() + 86_400_000 / 2).toISOString().slice(0, 19);
  const declared = `parameters: { at: { type: DateTime, default: now, max: '${until}Z' } }\n`;
  await writeFile(
    join(endpoints, 'a.yaml'),
    `id: 00000000-0000-4000-8000-000000000001\nname: a\nquery: SELECT @at AS at\n${declared}`,
  );
  const checked = await reload(endpoints, join(folder, 'small.sql'));
  const [first] = [await analyse(checked, cache), await analyse(checked, cache)];
  expect(first.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  vi.useFakeTimers({ now: REAL_TIME.epoch() + 86_400_000, toFake: ['Date'] });
  try {
    const after = await analyse(checked, cache);
    expect(after.findings.map(({ code }) => code)).toContain('parameter.default_invalid');
    expect(after.findings).toEqual((await analyse(checked, undefined)).findings);
  } finally {
    vi.useRealTimers();
  }
});

test('a wrong id hides no finding of the engine, also in a second run', async () => {
  const root = await mkdtemp(join(folder, 'identity-'));
  const [endpoints, cache] = [join(root, 'endpoints'), join(root, 'cache')];
  for (const path of [endpoints, cache]) await mkdir(path);
  await writeFile(join(endpoints, 'a.yaml'), 'id: 1-2\nname: a\ndescription: A.\nquery: SELECT b AS c\n');
  const checked = await reload(endpoints, join(folder, 'small.sql'));
  for (const { findings } of [await analyse(checked, cache), await analyse(checked, cache)])
    expect(findings.map(({ code }) => code)).toEqual(['schema.string_invalid', 'engine.unknown_column']);
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
  expect(after.asked).toBe((await listFiles(checked.endpoints)).length);
  expect(after.findings.map(({ code }) => code)).not.toContain('engine.not_analysed');
});

const PLACE = { line: 1, column: 1 };
const FINDING = { file: 'a', ...PLACE, severity: 'error', code: 'a.b', message: 'c' } as const;
const HEAD = {
  id: 'i',
  name: 'n',
  version: undefined,
  isDefault: false,
  deprecated: undefined,
  rollout: undefined,
  file: 'a',
  tenant: 't',
  rate: undefined,
  budgets: [],
  parameters: { t: { type: 'String' } },
  mcp: {},
  sandbox: { enabled: true, languages: ['sql'] },
  query: '',
  redaction: { columns: { email: 'mask' } },
  outline: { elements: [{ name: 'rows' }] },
};
const RECORD = {
  path: 'a',
  hash: 'h',
  sources: [0],
  used: 1,
  compiled: [FINDING],
  own: [],
  ofEngine: [FINDING],
  candidate: { endpoint: HEAD, name: PLACE, id: PLACE, tool: PLACE, places: { version: PLACE } },
};
const VARIANT = {
  variant: '',
  result: [{ name: 'a', type: 'String' }],
  tables: [{ name: 'rows', columns: [], dotted: ['b.c'], hasMapKeys: true }],
};
const PAIR = {
  key: 'k',
  used: 1,
  changes: [{ code: 'query.changed', path: ['query', 1], offset: 3, message: 'm' }],
  before: [VARIANT],
  after: [],
};
const PACK = {
  schemas: [{ findings: [FINDING], skipped: [['GRANT', 2]], broken: [['app.t', FINDING]] }],
  sources: [{ name: 'b', path: 'b', text: 'x' }],
  files: [RECORD],
  pairs: [PAIR],
};

describe('a file of the cache that is not whole is not used', () => {
  const DAMAGE: readonly (readonly [why: string, damage: (path: string) => Promise<void>])[] = [
    ['empty', (path) => writeFile(path, '')],
    ['cut', async (path) => writeFile(path, (await readFile(path, 'utf8')).slice(0, -1))],
    [
      'changed',
      async (path) => writeFile(path, (await readFile(path, 'utf8')).replace('"compiled"', '"compilex"')),
    ],
    [
      'of another key',
      (path) => writeFile(path, encodePack('other', { schemas: [], sources: [], files: [], pairs: [] })),
    ],
    ['a link', async (path) => rename(path, `${path}.other`).then(() => symlink(`${path}.other`, path))],
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
    const [name = ''] = await readdir(cache);
    await damage(join(cache, name));
    notes.length = 0;
    const after = await analyse(checked, cache);
    expect(after).toEqual(before);
    expect(notes).toEqual(['invalid']);
  });

  test('with a shape of its own, although its hash is right', () => {
    const decode = (pack: unknown): Pack | undefined => decodePack('key', encodePack('key', pack as Pack)); // what no run writes
    const record = (change: object): unknown => ({ ...PACK, files: [{ ...RECORD, ...change }] });
    const pair = (change: object): unknown => ({ ...PACK, pairs: [{ ...PAIR, ...change }] });
    const finding = (change: object): unknown => record({ ofEngine: [{ ...FINDING, ...change }] });
    const head = (change: object): unknown =>
      record({ candidate: { ...RECORD.candidate, endpoint: { ...HEAD, ...change } } });
    const wrong = [
      ...[
        { line: -1 },
        { line: '1' },
        { severity: 'none' },
        { hint: 1 },
        { other: true },
        { file: undefined },
      ].map(finding),
      ...[
        { sources: [1] },
        { sources: [-1] },
        { own: null },
        { compiled: undefined },
        { used: 'now' },
        { other: 1 },
      ].map(record),
      ...[
        { id: 1 },
        { tenant: {} },
        { budgets: [1] },
        { sandbox: { enabled: true, languages: ['c'] } },
        { outline: {} },
        { query: 1 },
        { redaction: {} },
        { redaction: { columns: { email: 'kept' } } },
        { other: 1 },
      ].map(head),
      { ...PACK, sources: [{ name: 'b' }] },
      ...[
        { changes: [{ code: 'query.other', path: [], message: 'm' }] },
        { before: undefined },
        { key: 1 },
      ].map(pair),
      ...[{ result: [{ name: 'a' }] }, { tables: [{ name: 'rows' }] }, { variant: 1 }].map((change) =>
        pair({ after: [{ ...VARIANT, ...change }] }),
      ),
      { ...PACK, schemas: [{ findings: [], skipped: [['GRANT']], broken: [] }] },
      { ...PACK, schemas: [{ findings: [], skipped: [], broken: ['app.t'] }] },
      { ...PACK, files: [null] },
      null,
    ];
    for (const each of wrong) expect(decode(each)).toBeUndefined();
    expect(decode(PACK)).toEqual(JSON.parse(JSON.stringify(PACK)));
  });
});

test('files that no run has used for a month are removed', async () => {
  const path = await mkdtemp(join(folder, 'cache-'));
  const today = Math.floor(REAL_TIME.epoch() / 86_400_000);
  const [old, used] = [40, 20].map((days) => ({ ...RECORD, path: `${days}`, used: today - days }));
  const stored = join(path, 'key.analysis');
  const unused = join(path, 'other.analysis');
  await writeFile(stored, encodePack('key', { ...PACK, files: [old, used] } as unknown as Pack)); // as checked above
  await writeFile(unused, '');
  const then = REAL_TIME.epoch() / 1000 - 40 * 86_400;
  await utimes(unused, then, then);
  const usedFile = (name: string) => ({
    file: name,
    hash: 'h',
    stamp: '',
    candidate: undefined,
    diagnostics: [],
    dependencies: [{ name: 'b', path: 'b', text: 'x' }],
  });
  const open = () => openAnalysisCache(path, 'key', REAL_TIME.epoch);
  await (await open()).save(); // nothing was written
  expect(await readdir(path)).toHaveLength(2);
  const cache = await open();
  expect(cache.find(usedFile('20'))).toMatchObject({ path: '20' });
  await cache.save();
  expect(await readdir(path)).toEqual(['key.analysis']);
  const pack = decodePack('key', await readFile(stored, 'utf8'));
  expect(pack?.files.map((each) => [each.path, each.used])).toEqual([['20', today]]);
});

test('everything that the findings depend on is part of the key', () => {
  const of = (changes: Partial<AnalysisContext> = {}, product = 'p'): string =>
    analysisKey({ ...context, ...changes }, product);
  const keys = [
    of(),
    of({}, 'q'),
    of({ tenancy: 'tenant' }),
    of({ engineSources: ['url'] }),
    of({ engineSources: 'any' }),
    of({ hasHashKey: true }),
    of({ database: 'app' }),
    of({ tables: undefined }),
    of({ tables: [{ path: 'a.sql', text: 'SELECT 1' }] }),
    of({ tables: [{ path: 'b.sql', text: 'SELECT 1' }] }),
  ];
  const comparison: ComparisonContext = {
    tenancies: [undefined, undefined],
    engineSources: [],
    database: undefined,
    variables: [],
    tables: [[], []],
  };
  const changes: readonly Partial<ComparisonContext>[] = [
    {},
    { tenancies: [undefined, 'tenant'] },
    { tenancies: ['tenant', undefined] },
    { engineSources: 'any' },
    { database: 'app' },
    { variables: [['A', 'b']] },
    { tables: [[], undefined] },
  ];
  keys.push(...changes.map((change) => analysisKey({ ...comparison, ...change }, 'p')));
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
