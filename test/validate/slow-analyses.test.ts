// Analyses that take too long, take too much, or end the engine's process: each is a finding at its place, and all other files are reported.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestRuntime } from '../../src/app/test-runtime.ts';
import { createInspect, type InspectedFile } from '../../src/catalog/compile.ts';
import { modelsOf } from '../../src/catalog/query-models.ts';
import { boundEngine } from '../../src/cli/validate/bounded-engine.ts';
import { engineFindings } from '../../src/cli/validate/engine-findings.ts';
import { createTerminal } from '../../src/cli/terminal.ts';
import type { Finding } from '../../src/core/finding.ts';
import { createEmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import { EngineError, type Engine } from '../../src/engine/engine.ts';
import { failureOf, statement } from '../support/engine-statements.ts';
import { REAL_TIME } from '../support/real-time.ts';

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
      schema: { findings: [], broken: new Map(), counts: { carriedOut: 0, reduced: 0, rejected: 0 }, skipped: new Map() },
      terminal: createTerminal(quiet, quiet, {}),
      openTestRuntime: async (given) => openTestRuntime(given),
      tenancy: undefined,
      analysed: async () => undefined,
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
