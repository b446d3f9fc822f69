// The statements of files, in the formats in which tables are handed over, and the order of the files.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { readStatements } from '../../../src/cli/schema/dump.ts';
import { readSchemaFiles, SchemaError } from '../../../src/cli/schema/schema-files.ts';
import { fillTemplates } from '../../../src/cli/schema/templates.ts';

const FORMATS: readonly { why: string; path?: string; text: string; statements: readonly string[] }[] = [
  {
    why: 'a script; semicolons in strings and comments',
    text: "-- a;b\nCREATE TABLE a (x String DEFAULT ';'); /* ; */ CREATE VIEW b AS SELECT 1",
    statements: ["2:1 CREATE TABLE a (x String DEFAULT ';')", '2:48 CREATE VIEW b AS SELECT 1'],
  },
  {
    why: 'goose, in both directions, and again',
    text: '-- +goose Up\n-- +goose StatementBegin\nCREATE TABLE a;\n-- +goose StatementEnd\n-- +goose Down\nDROP TABLE a;\n-- +goose Up\nCREATE TABLE b;',
    statements: ['3:1 CREATE TABLE a', '8:1 CREATE TABLE b'],
  },
  {
    why: 'dbmate',
    text: '-- migrate:up\nCREATE TABLE a\n\n-- migrate:down\nDROP TABLE a',
    statements: ['2:1 CREATE TABLE a'],
  },
  {
    why: 'the output of several SHOW CREATE, without semicolons, and with those of the client',
    text: 'CREATE TABLE d.a\n(\n    `x` UInt8\n)\nENGINE = Log\nCREATE MATERIALIZED VIEW d.b TO d.c\nAS SELECT 1\\G\nDELIMITER //\nATTACH TABLE d.e',
    statements: [
      '1:1 CREATE TABLE d.a\n(\n    `x` UInt8\n)\nENGINE = Log',
      '6:1 CREATE MATERIALIZED VIEW d.b TO d.c\nAS SELECT 1',
      '9:1 ATTACH TABLE d.e',
    ],
  },
  {
    why: 'SHOW CREATE in the format TSV, with escaped line breaks and quotes',
    text: String.raw`CREATE TABLE d.a\n(\n    ${'`x`'} String DEFAULT \'it\\\'s\'\n)\nENGINE = Log`,
    statements: ["1:1 CREATE TABLE d.a\n(\n    `x` String DEFAULT 'it\\'s'\n)\nENGINE = Log"],
  },
  {
    why: 'system.tables in the format TSV',
    path: 'tables.tsv',
    text: 'd\ta\tLog\tCREATE TABLE d.a (`x` UInt8) ENGINE = Log\nd\tb\tView\tCREATE VIEW d.b AS SELECT 1\n',
    statements: ['1:1 CREATE TABLE d.a (`x` UInt8) ENGINE = Log', '2:1 CREATE VIEW d.b AS SELECT 1'],
  },
  {
    why: 'system.tables in the format JSONEachRow; rows without a definition',
    path: 'tables.jsonl',
    text: '{"name":"a","create_table_query":"CREATE TABLE d.a (`x` UInt8) ENGINE = Log"}\n{"name":"b","create_table_query":""}\nnot JSON\n',
    statements: ['1:1 CREATE TABLE d.a (`x` UInt8) ENGINE = Log'],
  },
  {
    why: 'SHOW CREATE in the format JSON',
    path: 'a.json',
    text: '{"meta":[{"name":"statement"}],"data":[{"statement":"CREATE TABLE d.a (x UInt8)\\nENGINE = Log"}],"rows":1}',
    statements: ['1:1 CREATE TABLE d.a (x UInt8)\nENGINE = Log'],
  },
  { why: 'data that is no schema', path: 'a.json', text: '{"a": 1}', statements: [] },
  { why: 'data in a text file', path: 'a.txt', text: 'SELECT nothing; of interest', statements: [] },
  {
    why: 'a script with tabs, on one line each',
    text: "CREATE TABLE\ta\t(x String DEFAULT '\\n') ENGINE = Log;\nCREATE TABLE b (y UInt8)\tENGINE = Log;",
    statements: [
      "1:1 CREATE TABLE\ta\t(x String DEFAULT '\\n') ENGINE = Log",
      '2:1 CREATE TABLE b (y UInt8)\tENGINE = Log',
    ],
  },
];

test.each(FORMATS)('$why', ({ path = 'a.sql', text, statements }) => {
  const found = readStatements({ path, text }).statements;
  expect(found.map(({ line, column, sql }) => `${line}:${column} ${sql}`)).toEqual(statements);
});

test('files apply in the order of the numbers in their names; what undoes a migration is not read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'));
  const order = [
    '0002_b.up.sql',
    '10_c.sql',
    '2024_d/migration.sql',
    'V2__e.sql',
    'V10__f.sql',
    'V10.1__g.sql',
    'R__views.sql',
  ];
  const others = [
    '0002_b.down.sql',
    'U2__e.sql',
    'down/a.sql',
    '.git/a.sql',
    'node_modules/x/a.sql',
    'README.md',
    '.hidden.sql',
  ];
  for (const name of [...order.toReversed(), ...others]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), '\uFEFFCREATE TABLE ${NAME}');
  }
  const files = await readSchemaFiles(folder, new Map([['NAME', 'a']]));
  expect(files.map(({ path }) => relative(folder, path))).toEqual(order);
  expect(files[0]?.text).toBe('CREATE TABLE a');
  expect(await readSchemaFiles(join(folder, '10_c.sql'))).toHaveLength(1);
  await expect(readSchemaFiles(join(folder, 'nothing'))).rejects.toBeInstanceOf(SchemaError);
});

test('placeholders of migration tools are replaced by variables that are words', () => {
  const text = '${DB}.t {{ .DB }}.t {{.NONE}} ${UNSAFE} ${lower}';
  const variables = new Map([
    ['DB', 'logs'],
    ['UNSAFE', 'a; DROP'],
    ['lower', 'x'],
  ]);
  expect(fillTemplates(text, variables)).toBe('logs.t logs.t {{.NONE}} ${UNSAFE} ${lower}');
});
