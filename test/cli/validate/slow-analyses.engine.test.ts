// Analyses that take too long, take too much, or end the engine's process: each is a finding at its place, and all other files are reported.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestRuntime } from '../../../src/service/app/test-runtime.ts';
import { createInspect, type InspectedFile } from '../../../src/service/endpoints/compile.ts';
import { modelsOf } from '../../../src/service/endpoints/query-models.ts';
import { rememberStatements } from '../../../src/cli/commands/analysis/remember.ts';
import { boundEngine, boundWork } from '../../../src/cli/commands/validate/bounded-engine.ts';
import { engineFindings } from '../../../src/cli/commands/validate/engine-findings.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import type { Finding } from '../../../src/sql/base/finding.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import { EngineError, type Engine, type Statement } from '../../../src/service/engine/engine.ts';
import { failureOf, statement, text } from '../../support/engine-statements.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const SLOW = 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000)';
/** Neither a time limit nor KILL QUERY ends it. */
const STUCK = "length(extractAll(repeat('a', 900000), '(a?){500}a{500}'))";
const LARGE = 'SELECT length(groupArray(number)) FROM numbers(1000000000)';

let engine: Engine;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-slow-'));
  const limits = { connections: 4, queue: 100, memory: 2 ** 30 };
  const path = join(folder, 'engine');
  engine = await createEmbeddedEngine({ ...REAL_TIME, path, ...limits, observe: () => undefined });
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

const inspect = createInspect({ piiHashKey: undefined });
let names = 0;
/** `«` marks the place of the finding; one second is the longest time of a statement. */
function fileOf(query: string, rest = ''): { readonly file: InspectedFile; readonly place: string } {
  const n = String(++names).padStart(12, '0');
  const head = `id: 00000000-0000-4000-8000-${n}\nname: e${n}\ndescription: x.\nlimits: { time: 1 }\n`;
  const marked = `${head}query: |\n  ${query}\n${rest}`;
  const { inspected, diagnostics } = inspect(`e${n}.yaml`, marked.replace('«', ''));
  if (inspected === undefined) throw new Error(JSON.stringify(diagnostics));
  const before = marked.slice(0, marked.indexOf('«')).split('\n');
  return { file: inspected, place: `${before.length}:${(before.at(-1)?.length ?? 0) + 1}` };
}

const quiet = { isTTY: false, write: () => true };
const findingsOf = async (files: readonly InspectedFile[], by = engine): Promise<readonly Finding[]> => {
  const found = await engineFindings(
    {
      engine: by,
      schema: { findings: [], broken: new Map(), counts: { carriedOut: 0, reduced: 0, rejected: 0 }, reduced: new Set(), indexes: new Map(), skipped: new Map() },
      terminal: createTerminal(quiet, quiet, {}),
      openTestRuntime: async (given) => openTestRuntime(given),
      tenancy: undefined,
      analysed: () => undefined,
    },
    files,
  ); // prettier-ignore
  return found.flat();
};
const shown = ({ file, line, column, severity, code }: Finding): string =>
  `${file}:${line}:${column} ${severity} ${code}`;

const ROWS: readonly (readonly [why: string, query: string, rest?: string])[] = [
  ['a scalar subquery', `SELECT number, «(${SLOW}) AS n FROM numbers(3)`],
  ['a scalar of the WITH clause', `WITH «(${SLOW}) AS n SELECT n, number FROM numbers(3)`],
  ['one in a WITH table', `WITH t AS (SELECT number + «(${SLOW}) AS n FROM numbers(3)) SELECT n FROM t`],
  ['one in a condition', `SELECT number FROM numbers(3) WHERE number > «(${SLOW})`],
  ['a subquery of a list', `SELECT number FROM numbers(3) WHERE number IN (SELECT «(${SLOW}))`],
  ['a constant that cannot be interrupted', `«SELECT number, ${STUCK} AS n FROM numbers(3)`],
  ['memory', `SELECT number, «(${LARGE}) AS n FROM numbers(3)`],
  [
    'a query whose examples are sent by consumers',
    `WITH t AS (SELECT «(${SLOW}) AS n) SELECT n FROM t`,
    'sandbox: { enabled: true }\nexamples: [{ name: a, sql: SELECT n FROM t }]\n',
  ],
  [
    'one variant of several',
    `SELECT number FROM numbers(3) WHERE number > @a /* if @b */ AND number > «(${SLOW}) + @b /* end */`,
    'parameters: { a: { type: UInt8, default: 0 }, b: { type: UInt8 } }\n',
  ],
];

test.each(ROWS.map(([why, query, rest]) => ({ why, query, rest })))(
  '$why is a finding at its place, and the other files have theirs',
  async ({ query, rest }) => {
    const slow = fileOf(query, rest);
    const others = Array.from({ length: 6 }, () => fileOf('SELECT «numbr AS n FROM numbers(3)'));
    const found = (await findingsOf([slow.file, ...others.map(({ file }) => file)])).map(shown);
    expect(found.toSorted()).toEqual(
      [
        `${slow.file.document.file}:${slow.place} error engine.not_analysed`,
        ...others.map(({ file, place }) => `${file.document.file}:${place} error engine.unknown_column`),
      ].toSorted(),
    );
  },
);

test('a file that ends the engine’s process is named, those beside it are analysed again', async () => {
  const fatal = fileOf('SELECT 1 AS victim');
  const others = Array.from({ length: 6 }, () => fileOf('SELECT «numbr AS n FROM numbers(3)'));
  const ending: Engine = {
    ...engine,
    describe: async (given, hooks) => {
      if (!given.sql.includes('victim')) return engine.describe(given, hooks);
      const status = await readFile(join(folder, 'engine', 'status'), 'utf8');
      process.kill(Number(/^PID: (\d+)$/m.exec(status)?.[1]), 'SIGKILL');
      throw new EngineError('lost', 'the process ended');
    },
  };
  const found = await findingsOf([fatal.file, ...others.map(({ file }) => file)], ending);
  expect(found.map(({ code }) => code).toSorted()).toEqual([
    'engine.not_analysed',
    ...others.map(() => 'engine.unknown_column'),
  ]);
  expect(found.find(({ code }) => code === 'engine.not_analysed')?.file).toBe(fatal.file.document.file);
});

test('what a query exposes is not known, and the others are compared', async () => {
  const { engine: bounded, begin } = boundEngine(engine, { statementSeconds: 1, fileSeconds: 60 }, () => 0);
  begin();
  const models = await modelsOf(bounded, fileOf(`SELECT number, (${SLOW}) AS n FROM numbers(3)`).file);
  expect(models.map(({ result }) => result)).toEqual([{ fault: expect.stringContaining('too long') }]);
});

test('a statement is asked once, and again if it failed for a reason that may have gone', async () => {
  const asked: string[] = [];
  let failure: EngineError | undefined;
  const counting: Engine = {
    ...engine,
    describe: async (given, hooks) => {
      asked.push(given.sql);
      if (failure !== undefined) throw failure;
      return engine.describe(given, hooks);
    },
    run: async (given, options) => {
      asked.push(given.sql);
      return engine.run(given, options);
    },
  };
  const remembering = rememberStatements(counting);
  const many = async (what: Statement): Promise<number> => {
    asked.length = 0;
    const all = await Promise.all([1, 2, 3].map(() => remembering.describe(what).catch(String)));
    expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(1);
    return asked.length;
  };
  expect(await many(statement('SELECT 1 AS n'))).toBe(1);
  expect(await many(statement('SELECT 1 AS n', { limits: { time: 3 } }))).toBe(0);
  for (const [why, other] of Object.entries({
    'another value': statement('SELECT {n:UInt8} AS n', { parameters: { n: '1' } }),
    'one more': statement('SELECT {n:UInt8} AS n', { parameters: { n: '2' } }),
    'another way to write integers': statement('SELECT 1 AS n', { int64: 'string' }),
    'less memory': statement('SELECT 1 AS n', { limits: { memory: 2 ** 26 } }),
    'a query that is rejected': statement('SELECT nothing AS n'),
  }))
    expect([why, await many(other)]).toEqual([why, 1]);
  expect(await many(statement('SELECT 1 AS n', { origin: 'consumer' }))).toBe(3);
  failure = new EngineError('timeout', 'too slow');
  expect(await many(statement('SELECT 2 AS n'))).toBe(3);
  failure = undefined;
  expect(await many(statement('SELECT 2 AS n'))).toBe(1);
  asked.length = 0;
  const rows = [
    await text(remembering, statement('SELECT 3 AS n')),
    await text(remembering, statement('SELECT 3 AS n')),
  ];
  expect([rows, asked]).toEqual([['{"n":3}\n', '{"n":3}\n'], ['SELECT 3 AS n']]);
});

test('statements have the time that is left for their file', async () => {
  let now = 0;
  const { engine: bounded, begin } = boundEngine(engine, { statementSeconds: 1, fileSeconds: 5 }, () => now);
  begin();
  await expect(bounded.describe(statement('SELECT 1 AS n'))).resolves.toHaveLength(1);
  const slow = statement(`SELECT (${SLOW}) AS n`);
  expect((await failureOf(bounded.describe(slow))).failure).toBe('timeout');
  now = 5000;
  const [one, run] = [statement('SELECT 1 AS n'), { format: 'JSONEachRow' } as const];
  expect((await failureOf(bounded.describe(one))).failure).toBe('timeout');
  expect((await failureOf(bounded.run(one, run))).failure).toBe('timeout');
  begin();
  await expect(bounded.describe(statement('SELECT 1 AS n'))).resolves.toHaveLength(1);
});

test('bounds of work give a statement more time while the engine gets little of the processor', async () => {
  const asked: number[] = [];
  let [used, share] = [0, 0.1];
  const busy: Engine = {
    ...engine,
    describe: async (given, hooks) => {
      asked.push(given.limits.time);
      used += Math.min(given.limits.time * share, 4);
      if (given.limits.time * share < 4) throw new EngineError('timeout', 'too slow');
      return engine.describe(given, hooks);
    },
  };
  const bounds = { statementSeconds: 5, fileSeconds: 10 };
  const { engine: bounded, begin } = boundWork(busy, async () => used, bounds);
  const ask = async (): Promise<readonly number[]> => {
    asked.length = 0;
    await bounded.describe(statement('SELECT 1 AS n', { limits: { time: 30 } }));
    return [...asked];
  };
  begin();
  expect(await ask()).toEqual([5, 20, 80]);
  share = 1;
  expect(await ask()).toEqual([5]);
  expect((await failureOf(ask())).failure).toBe('timeout');
  begin();
  [used, share] = [0, 0.79];
  expect(await ask()).toEqual([5, 20]);
  // All of the processor, and not enough.
  [used, share] = [0, 0];
  const stuck = boundWork(busy, async () => (used += 5), bounds);
  stuck.begin();
  asked.length = 0;
  expect((await failureOf(stuck.engine.describe(statement('SELECT 1 AS n')))).failure).toBe('timeout');
  expect(asked).toHaveLength(1);
  // The engine counts what its own process uses.
  const before = (await engine.processor?.()) ?? 0;
  await text(engine, statement('SELECT sum(cityHash64(number)) AS n FROM numbers(100000000)'));
  expect((await engine.processor?.()) ?? 0).toBeGreaterThan(before);
});
