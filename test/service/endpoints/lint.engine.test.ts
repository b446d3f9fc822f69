// Golden files of warnings and of errors that the engine finds, as printed.
import { locateFinding } from '../../../src/service/config/locate-finding.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/sql/base/finding.ts';
import { createInspect } from '../../../src/service/endpoints/compile.ts';
import { checkOnEngine } from '../../../src/cli/checks/engine/engine-check.ts';
import { NO_TABLES } from '../../../src/cli/checks/engine/tables-on-engine.ts';
import { FINDING_CODES } from '../../../src/cli/checks/table.ts';
import { lint, LINTS } from '../../../src/cli/checks/lint.ts';
import { FILE_CHECKS } from '../../../src/service/endpoints/checks/file-checks.ts';
import { findUnbounded, readTimeColumns } from '../../../src/cli/checks/engine/time-bound.ts';
import { findWideIntegers, readWideColumns } from '../../../src/cli/checks/engine/wide-integers.ts';
import { renderFinding } from '../../../src/cli/kit/caret.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { readRows } from '../../../src/service/engine/rows.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import { loadSchema } from '../../../src/cli/schema/load-schema.ts';
import { readSchemaFiles } from '../../../src/cli/schema/schema-files.ts';
import { SHIPPED } from '../../support/folder-sources.ts';

const GOLDEN = join(import.meta.dirname, '../../golden');
const plain = createTerminal(process.stdout, process.stderr, { NO_COLOR: '1' });
const inspect = createInspect({ piiHashKey: undefined });
const filesOf = (folder: string): string[] =>
  readdirSync(join(GOLDEN, folder)).filter((name) => name.endsWith('.yaml'));

function read(folder: string, name: string) {
  const text = readFileSync(join(GOLDEN, folder, name), 'utf8');
  const { inspected, diagnostics } = inspect(name, text);
  if (inspected === undefined) throw new Error(JSON.stringify(diagnostics));
  return { text, inspected };
}
const render = (text: string, findings: readonly Finding[]): string =>
  findings.flatMap((each) => [...renderFinding(each, text, plain), '']).join('\n');

describe('lints', () => {
  const lintsOf = (name: string) => {
    const { text, inspected } = read('lint', name);
    return {
      text,
      findings: lint(inspected.analysis).map((each) => locateFinding(inspected.document, each)),
    };
  };

  test.each(filesOf('lint'))('%s', async (name) => {
    const { text, findings } = lintsOf(name);
    await expect(render(text, findings)).toMatchFileSnapshot(
      join(GOLDEN, 'lint', name.replace('.yaml', '.txt')),
    );
  });

  test('each has a file that it reports, and one that it does not', () => {
    expect(new Set(lintsOf('all.yaml').findings.map(({ code }) => code))).toEqual(
      new Set(Object.keys(LINTS)),
    );
    expect(lintsOf('none.yaml').findings).toEqual([]);
  });
});

describe('the engine', () => {
  let engine: Engine;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-lint-'));
    engine = await createEmbeddedEngine({
      ...REAL_TIME,
      path: join(folder, 'data'),
      connections: 2,
      queue: 10,
      memory: 2 ** 30,
      observe: () => undefined,
    });
    await loadSchema(engine, await readSchemaFiles(join(import.meta.dirname, '../../../seeds')));
  });
  afterAll(async () => {
    await engine.close(0);
    await rm(folder, { recursive: true, force: true });
  });

  test.each(filesOf('engine-findings'))('%s', async (name) => {
    const { text, inspected } = read('engine-findings', name);
    const findings = await checkOnEngine(engine, inspected, NO_TABLES);
    expect(findings.filter(({ code }) => FINDING_CODES[code] === undefined)).toEqual([]);
    await expect(render(text, findings)).toMatchFileSnapshot(
      join(GOLDEN, 'engine-findings', name.replace('.yaml', '.txt')),
    );
  });

  test.each(['logs.all.yaml', 'usage.api-counts.yaml'])(
    'finds nothing in %s, and no warnings either',
    async (name) => {
      const text = readFileSync(join(import.meta.dirname, '../../../endpoints', name), 'utf8');
      const { inspected } = inspect(name, text, SHIPPED);
      if (inspected === undefined) throw new Error('it compiles');
      const unbounded = findUnbounded(inspected.analysis, await readTimeColumns(engine)).filter(
        ({ code }) => code !== 'lint.optional_time_bound', // which the file ignores
      );
      expect([
        await checkOnEngine(engine, inspected, NO_TABLES),
        unbounded,
        lint(inspected.analysis),
      ]).toEqual([[], [], []]);
    },
  );

  test('reports tables that are read without a time bound', async () => {
    const { inspected } = read('engine-findings', 'columns.yaml');
    const found = findUnbounded(inspected.analysis, await readTimeColumns(engine));
    expect(found).toMatchObject([
      {
        code: 'lint.no_time_bound',
        message: 'logs.edge_logs is partitioned or sorted by timestamp, but read without a condition on it',
      },
    ]);
  });

  test.each([
    { why: 'a column', query: 'SELECT id, name FROM app.wide', names: ['id'] },
    { why: 'one with a table', query: 'SELECT w.id FROM app.wide AS w', names: ['id'] },
    { why: 'an alias', query: 'SELECT id AS n, count() AS many FROM app.wide GROUP BY id', names: ['n'] },
    {
      why: 'arrays, and values that may be NULL',
      query: 'SELECT ids, maybe FROM app.wide',
      names: ['ids, maybe'],
    },
    {
      why: 'values that are or contain one',
      query:
        "SELECT max(id) AS last, groupArray(id) AS list, (name, ids) AS pair, [id] AS one, map('id', id) AS m, map(id, name) AS names FROM app.wide GROUP BY ALL",
      names: ['last, list, pair, one, m'],
    },
    { why: 'an optional part', query: 'SELECT name /* if @x */, id /* end */ FROM app.wide', names: ['id'] },
    {
      why: 'numbers that are counted',
      query: 'SELECT sum(id) AS id, count() AS total FROM app.wide',
      names: [],
    },
    { why: 'text', query: 'SELECT toString(id) AS id FROM app.wide', names: [] },
    { why: 'a decision', query: 'SELECT id FROM app.wide', more: 'int64: number\n', names: [] },
    { why: 'strings', query: 'SELECT id FROM app.wide', more: 'int64: string\n', names: [] },
    {
      why: 'typed paths of documents, and types that contain one',
      query:
        'SELECT doc.n, doc AS whole, doc.x.:Int64 AS read, w.doc.x::UInt64 AS cast_, toInt64(any_) AS made, either, either.UInt64 AS one FROM app.wide AS w',
      names: ['doc.n, whole, read, cast_, made'],
    },
    {
      why: 'paths without a type, and small integers',
      query: 'SELECT doc.x AS x, any_, doc.x::Int32 AS small, toInt64(name) AS parsed FROM app.wide',
      names: [],
    },
    { why: 'a column that is not read', query: 'SELECT name FROM app.wide WHERE id > 1', names: [] },
  ])('reports large integers that JavaScript cannot read: $why', async ({ query, more = '', names }) => {
    await engine.execute('CREATE DATABASE IF NOT EXISTS app');
    const columns =
      'id UInt64, ids Array(UInt128), maybe Nullable(Int64), name String, doc JSON(n UInt64), any_ Dynamic, either Variant(UInt64, String)';
    await engine.execute(`CREATE TABLE IF NOT EXISTS app.wide (${columns}) ENGINE = MergeTree ORDER BY id`);
    const parameters = query.includes('@x') ? 'parameters: { x: { type: Bool, default: false } }\n' : '';
    const text = `id: 00000000-0000-4000-8000-000000000001\nname: wide\nquery: ${JSON.stringify(query)}\n${more}${parameters}`;
    const { inspected, diagnostics } = inspect('wide.yaml', text);
    if (inspected === undefined) throw new Error(JSON.stringify(diagnostics));
    const found = await findWideIntegers(engine, inspected, await readWideColumns(engine));
    expect(found.map(({ code, message }) => [code, message.split(':')[0]])).toEqual(
      names.map((name) => ['lint.int64_number', name]),
    );
  });

  test('has no rows in its tables', async () => {
    const sql = "SELECT * FROM (SELECT sum(total_rows) FROM system.tables WHERE database = 'logs') LIMIT 1";
    expect(await readRows(engine, sql)).toEqual([[0]]);
  });
});

test('every code that can be reported is explained', () => {
  const golden = ['findings', 'lint', 'engine-findings'].flatMap((folder) =>
    readdirSync(join(GOLDEN, folder))
      .filter((name) => name.endsWith('.txt'))
      .flatMap(
        (name) =>
          readFileSync(join(GOLDEN, folder, name), 'utf8').match(/^\S+:\d+:\d+ .* ([a-z]+\.[a-z_]+)$/gm) ??
          [],
      ),
  );
  const codes = [
    ...golden.map((line) => line.split(' ').at(-1) ?? ''),
    ...Object.keys(FILE_CHECKS),
    ...Object.keys(LINTS),
  ];
  expect(codes.filter((code) => FINDING_CODES[code] === undefined)).toEqual([]);
});
