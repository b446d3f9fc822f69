// `millrace reconvert` without the process: converted files with their source, and forms of older converters in files without it.
import { mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRollupFile } from '../../../src/service/endpoints/file-kinds.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createGit } from '../../../src/cli/commands/diff/git.ts';
import { diffTexts } from '../../../src/cli/commands/diff/text-diff.ts';
import { EXPORT_TOOLS } from '../../../src/cli/convert/export/foreign-query.ts';
import { importExport } from '../../../src/cli/commands/import/import.ts';
import { convertSql } from '../../../src/cli/commands/new/foreign-sql.ts';
import { readKnownTables } from '../../../src/cli/kit/known-tables.ts';
import { newEndpoint } from '../../../src/cli/commands/new/new.ts';
import { findKnownForms, KNOWN_FORMS } from '../../../src/cli/commands/reconvert/known-forms.ts';
import { printHuman, printJson } from '../../../src/cli/commands/reconvert/print.ts';
import {
  reconvert,
  type ReconvertOptions,
  type ReconvertReport,
} from '../../../src/cli/commands/reconvert/reconvert.ts';
import type { Terminal } from '../../../src/cli/kit/terminal.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import type { Converted } from '../../../src/service/config/generated/endpoint.ts';
import type { ForeignDialect } from '../../../src/sql/dialects/conversion.ts';
import { openImportEngine, type ImportEngine } from '../../support/import-engine.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/import');

function terminalOf(lines: string[] = []): Terminal {
  const print = (line: string): void => void lines.push(line);
  return {
    print,
    write: print,
    note: print,
    progress: () => undefined,
    clear: () => undefined,
    paint: (_, text) => text,
  };
}

const scratch = (): string => mkdtempSync(join(tmpdir(), 'reconvert-'));

let engine: ImportEngine;
beforeAll(async () => {
  engine = await openImportEngine();
});
afterAll(() => engine.close());

async function importTool(tool: string): Promise<string> {
  const folder = scratch();
  const options = {
    path: join(FIXTURES, tool),
    from: undefined,
    dialect: undefined,
    endpoints: join(folder, 'endpoints'),
    schema: join(folder, 'schema'),
    database: 'web',
    isForced: false,
    isDry: false,
    tenancy: undefined,
    engineSources: [],
    ...engine,
    print: async () => undefined,
  };
  await importExport(options, terminalOf());
  return options.endpoints;
}

const conversions = new Map<string, ReturnType<typeof convertSql>>();

async function newFile(sql: string, dialect: ForeignDialect, page?: string): Promise<string> {
  const folder = scratch();
  const conversion =
    conversions.get(sql) ?? convertSql({ sql, file: 'q.sql', dialect, tables: undefined }, terminalOf());
  conversions.set(sql, conversion); // each starts a thread
  const { lifted, source } = await conversion;
  await newEndpoint({ name: 'x', folder, lifted, source, page, isPrinted: false }, terminalOf());
  return join(folder, 'x.yaml');
}

async function check(
  path: string,
  readTables: ReconvertOptions['readTables'] = async () => undefined,
): Promise<{ readonly code: number; readonly report: ReconvertReport }> {
  const reports: ReconvertReport[] = [];
  const code = await reconvert(
    {
      paths: [path],
      readTables,
      diffTexts: (before, after) => diffTexts(createGit(process.cwd(), process.env), before, after),
      print: async (given) => void reports.push(given),
    },
    terminalOf(),
  );
  const [report] = reports;
  if (report === undefined) throw new Error('no report');
  return { code, report };
}

interface File {
  readonly query: string;
  readonly converted?: Converted;
}

const read = (path: string): File => parse(readFileSync(path, 'utf8')) as File; // as the converters write it

describe.each(EXPORT_TOOLS)('an export of %s', (tool) => {
  let endpoints: string;
  beforeAll(async () => {
    endpoints = await importTool(tool);
  });

  test('converted queries have their source, from which the same query is made again', async () => {
    const names = readdirSync(endpoints).filter((name) => !isRollupFile(name));
    const files = names.map((name) => read(join(endpoints, name)));
    const { code, report } = await check(endpoints, () =>
      engine.withEngine((on) => readKnownTables(on.engine)),
    );
    expect([code, report.changed]).toEqual([0, []]);
    expect(report.files).toBe(files.length);
    expect(report.withSource).toBe(files.filter(({ converted }) => converted !== undefined).length);
  });

  test('the files compile with it', () => {
    const compile = createCompile({ piiHashKey: undefined });
    const faults = readdirSync(endpoints).flatMap((name) => {
      const { diagnostics } = compile(name, readFileSync(join(endpoints, name), 'utf8'));
      return diagnostics.filter(({ code }) => code.startsWith('schema.'));
    });
    expect(faults).toEqual([]);
  });
});

const SQL =
  "SELECT status, round(total, 1) AS r FROM orders WHERE id > 5 AND day >= DATE '1950-01-01' ORDER BY r";

test('a new file has its source', async () => {
  const path = await newFile(SQL, 'postgresql');
  expect(read(path).converted).toEqual({
    from: 'postgresql',
    hash: expect.stringMatching(/^[0-9a-f]{16}$/),
    sql: SQL,
  });
  expect(await check(path)).toMatchObject({ code: 0, report: { files: 1, withSource: 1, changed: [] } });
});

test('the source has no effect on the endpoint', async () => {
  const path = await newFile(SQL, 'postgresql');
  const text = readFileSync(path, 'utf8');
  const compile = createCompile({ piiHashKey: undefined });
  const revisions = [text, text.replace(/^converted:[^]*/m, '')].map(
    (each) => compile(path, each).candidate?.endpoint.revision,
  );
  expect(revisions).toEqual([expect.any(String), revisions[0]]);
});

test('with pages, too', async () => {
  const path = await newFile('SELECT id, status FROM orders WHERE id > 5 ORDER BY id', 'sqlite', 'id');
  expect((await check(path)).report.changed).toEqual([]);
});

test('a file with the query of an older converter is listed, with the difference', async () => {
  const path = await newFile(SQL, 'postgresql');
  const text = readFileSync(path, 'utf8');
  const older = text
    .replace(/hash: \S+/, 'hash: 0123456789abcdef')
    .replace('SELECT status,', 'SELECT upper(status) AS status,');
  expect(older.split('\n').filter((line, index) => line !== text.split('\n')[index])).toHaveLength(2);
  writeFileSync(path, older);
  const { code, report } = await check(path);
  expect(code).toBe(1);
  expect(report.changed).toMatchObject([
    { file: path, status: 'differs', isEdited: true, query: (parse(text) as File).query.trim() },
  ]);
  const marked = report.changed[0]?.diff.filter((line) => /^[-+]/.test(line));
  expect(marked).toEqual([
    expect.stringMatching(/^-SELECT upper\(status\) AS status,/),
    expect.stringMatching(/^\+SELECT status,/),
  ]);
  const lines: string[] = [];
  printHuman(report, terminalOf(lines));
  expect(lines.at(-1)).toBe('1 endpoint file, 1 with the source of a conversion, 1 to look at');
  const json: string[] = [];
  printJson(report, terminalOf(json));
  expect(JSON.parse(json.join(''))).toMatchObject({
    files: 1,
    with_source: 1,
    changed: [{ file: path, status: 'differs', edited: true, findings: [] }],
  });
});

test('a query that was edited, or replaced by what is written now, is not listed', async () => {
  const path = await newFile(SQL, 'postgresql');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('ORDER BY', '-- by size\n  ORDER BY'));
  expect((await check(path)).report.changed).toEqual([]);
  writeFileSync(path, text.replace(/hash: \S+/, 'hash: 0123456789abcdef'));
  expect((await check(path)).report.changed).toEqual([]);
});

test.each([
  ['another dialect', /from: postgresql/, 'from: cobol'],
  ['no hash', /^ *hash: .*\n/m, ''],
  ['a hash of another form', /hash: \S+/, 'hash: x'],
  ['declarations of another form', /hash:/, 'declarations: [{ name: 5 }]\n  hash:'],
])('a key with %s is rejected', async (_why, pattern, text) => {
  const path = await newFile(SQL, 'postgresql');
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, before.replace(pattern, text));
  expect(readFileSync(path, 'utf8')).not.toBe(before);
  await expect(check(path)).rejects.toMatchObject({ exitCode: 2 });
});

test('a link out of the folder is not followed', async () => {
  const path = await newFile(SQL, 'postgresql');
  const link = join(scratch(), 'x.yaml');
  symlinkSync(path, link);
  await expect(check(link)).rejects.toMatchObject({ exitCode: 2 });
});

test('a source that is not converted any more is reported at its place', async () => {
  const path = await newFile(SQL, 'postgresql');
  const text = readFileSync(path, 'utf8');
  const broken = text.replace(/^( *sql:) .*$/m, '$1 SELECT 1 FROM (');
  expect(broken).not.toBe(text);
  writeFileSync(path, broken);
  const { code, report } = await check(path);
  const line = broken.split('\n').findIndex((each) => /^ *sql:/.test(each)) + 1;
  expect(code).toBe(1);
  expect(report.changed).toMatchObject([
    {
      status: 'unreadable',
      query: undefined,
      findings: [{ code: expect.stringMatching(/^convert\./), line }],
    },
  ]);
});

/** Each form, `«` before it, and the right form. */
const FORMS: readonly (readonly [code: string, older: string, right: string])[] = [
  ['early_time', "SELECT «toDate('1950-06-15')", "SELECT toDate32('1950-06-15')"],
  ['early_time', "SELECT d = «toDate('2150-01-01')", "SELECT d = toDate('2149-06-06')"],
  [
    'early_time',
    "SELECT «toDateTime('1960-05-06 07:08:09', 'UTC')",
    "SELECT toDateTime64('1960-05-06 07:08:09', 3, 'UTC')",
  ],
  ['early_time', "SELECT CAST(«'1950-06-15' AS Date)", "SELECT CAST('1950-06-15' AS Date32)"],
  ['early_time', "SELECT CAST(«'1950-06-15', 'Date')", "SELECT CAST('1950-06-15', 'Date32')"],
  ['early_time', "SELECT «'1950-06-15'::Date", "SELECT '1950-06-15'::Date32"],
  ['early_time', "SELECT CAST(«'1950-06-15', 'Date') AS x", "SELECT '1950-06-15' AS date"],
  ['early_time', "SELECT «DATE '1900-01-01'", "SELECT DATE '2000-01-01'"],
  [
    'early_bucket',
    "SELECT «toStartOfDay(toDateTime64('1960-05-06 07:08:09', 3, 'UTC'))",
    'SELECT toStartOfDay(ts)',
  ],
  ['early_bucket', "SELECT «toMonday(toDate32('1950-01-01'))", "SELECT toMonday(toDate32('1980-01-01'))"],
  ['null_in_list', 'SELECT 3 NOT «IN (1, 2, NULL)', 'SELECT (3 NOT IN (1, 2)) AND NULL'],
  ['null_in_list', 'SELECT NOT (t.x «IN (1, NULL))', 'SELECT t.x IN (1, NULL)'],
  ['null_in_list', 'SELECT NOT lower(t.x) «IN (1, NULL)', 'SELECT NOT (a AND t.x IN (1, NULL))'],
  [
    'not_of_in',
    'SELECT 1 WHERE NOT (x «IN (SELECT y FROM u))',
    'SELECT 1 WHERE NOT (a AND x IN (SELECT y FROM u))',
  ],
  ['rounding_factor', 'SELECT round(x * «1.000000000000002, 2)', 'SELECT round(x, 2)'],
  [
    'empty_frame',
    'SELECT «first_value(x) RESPECT NULLS OVER (ORDER BY x ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)',
    'SELECT first_value(x) RESPECT NULLS OVER (ORDER BY x ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)',
  ],
  [
    'empty_frame',
    'SELECT «max(x) OVER (ORDER BY x ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING)',
    'SELECT maxOrNull(x) OVER (ORDER BY x ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING)',
  ],
  [
    'empty_group',
    'SELECT «tupleElement(argMax(tuple(a), b), 1)',
    'SELECT tupleElement(argMaxOrNull(tuple(a), b), 1)',
  ],
  ['empty_group', "SELECT «groupConcat(',')(x)", "SELECT groupConcatOrNull(',')(x)"],
  ['negative_index', 'SELECT «arrayElementOrNull([1, 2, 3], -1)', 'SELECT arrayElementOrNull([1, 2, 3], 1)'],
  ['split_into_bytes', "SELECT «splitByString('', a)", "SELECT splitByString(',', a)"],
  ['occurrence_as_offset', "SELECT «positionUTF8(s, 'x', 2)", "SELECT positionUTF8(s, 'x')"],
  [
    'type_of_missing_key',
    "SELECT «transform(toString(JSONType(toString(j), 'a')), ['Object'], ['object'], '')",
    "SELECT nullIf(transform(toString(JSONType(toString(j), 'a')), ['Object'], ['object'], ''), '')",
  ],
  [
    'json_as_text',
    "SELECT «nullIf(JSONExtractRaw(j, 'a'), '') > nullIf(JSONExtractRaw(j, 'b'), '')",
    "SELECT if(JSONType(j, 'a') = 'Int64', 1 < 2, JSONExtractRaw(j, 'a') > JSONExtractRaw(j, 'b'))",
  ],
];

describe('forms of older converters, in a file without a source', () => {
  test.each(FORMS)('%s: %s', (code, older, right) => {
    const found = findKnownForms(older.replace('«', '')).map(({ form, start }) => [form.code, start]);
    expect(found).toEqual([[code, older.indexOf('«')]]);
    expect(findKnownForms(right)).toEqual([]);
  });

  test('each has an example', () => {
    expect(new Set(FORMS.map(([code]) => code))).toEqual(new Set(KNOWN_FORMS.map(({ code }) => code)));
  });

  test('are findings at their place in the file', async () => {
    const path = await newFile(SQL, 'postgresql');
    const text = readFileSync(path, 'utf8').replace(/^converted:[^]*/m, '');
    writeFileSync(
      path,
      text.replace('ORDER BY', "AND d > toDate('1900-01-01')\nORDER BY".replace('\n', '\n  ')),
    );
    const { code, report } = await check(path);
    const lines = readFileSync(path, 'utf8').split('\n');
    const line = lines.findIndex((each) => each.includes("toDate('1900")) + 1;
    expect(code).toBe(1);
    expect(report).toMatchObject({
      withSource: 0,
      changed: [
        {
          status: 'suspect',
          findings: [
            { code: 'convert.saved_early_time', line, column: (lines[line - 1] ?? '').indexOf('toDate') + 1 },
          ],
        },
      ],
    });
  });

  test('a file without any is not listed', async () => {
    const { code, report } = await check(join(import.meta.dirname, '../../../endpoints'));
    expect([code, report.changed]).toEqual([0, []]);
  });
});
