// Of other tenants' rows, nothing is in a result: in every format, with every output setting, for columns that are stored with a
// structure of their own (dictionaries, paths and types of documents).
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENGINE_FORMATS } from '../../src/format/clickhouse-formats.ts';
import { OUTPUT_SETTINGS } from '../../src/format/output-settings.ts';
import { answered } from '../support/answered.ts';
import { withoutMarker } from '../support/avro.ts';
import { KEY, startService, type TestService } from '../support/service.ts';

/** Of one length, so that names are no difference. */
const DATABASES = ['harmless', 'hostile1'] as const;

/** Columns by name: their type, the value of the caller's rows, and that of others' rows beside hostile tenants. */
const COLUMNS: Readonly<Record<string, readonly [type: string, mine: string, theirs: string]>> = {
  low: ['LowCardinality(String)', `'a'`, `'CANARY' || toString(number)`],
  low_null: ['LowCardinality(Nullable(String))', `if(number = 2, NULL, 'a')`, `'CANARY'`],
  lows: ['Array(LowCardinality(String))', `['a']`, `['CANARY', 'b']`],
  low_map: ['Map(LowCardinality(String), String)', `map('a', 'b')`, `map('CANARY', 'CANARY')`],
  low_tuple: ['Tuple(x LowCardinality(String), y UInt8)', `('a', 1)`, `('CANARY', 2)`],
  doc: ['JSON', `'{"a":{"b":1}}'`, `'{"CANARY":{"CANARY":[1,2]},"a":{"b":"CANARY"}}'`],
  doc_typed: ['JSON(a UInt8, max_dynamic_paths = 1)', `'{"a":1,"b":2}'`, `'{"a":2,"CANARY":2,"c":"CANARY"}'`],
  docs: ['Array(JSON)', `['{"a":1}']`, `['{"CANARY":1}', '{}']`],
  doc_tuple: ['Tuple(d JSON)', `tuple('{"a":1}')`, `tuple('{"CANARY":"x"}')`],
  dynamic: ['Dynamic', '1::Int64', `CAST(('CANARY', 2), 'Tuple(CANARY String, x UInt8)')`],
  dynamics: ['Array(Dynamic)', `[1::Int64]`, `['CANARY'::LowCardinality(String)]`],
  dynamic_map: ['Map(String, Dynamic)', `map('a', 1::Int64)`, `map('a', [toDate('2024-01-01')])`],
  variant: ['Variant(String, UInt64, Array(String))', `1::UInt64`, `['CANARY']`],
  sparse: ['UInt64', '0', 'number + 1'],
  text: ['String', `'a'`, `repeat('CANARY', 100)`],
};
const NAMES = Object.keys(COLUMNS);
/** Subcolumns, and columns made of others. */
const EXPRESSIONS = [
  'doc.a.b',
  'doc.^a',
  'doc.a.b.:Int64',
  'dynamic.Int64',
  'docs.a',
  `map('k', low)`,
  'tuple(doc, dynamic)',
];

const tableOf = (database: string): string =>
  `CREATE TABLE ${database}.wide (tenant String, id UInt32, ${NAMES.map((name) => `${name} ${COLUMNS[name]?.[0] ?? ''}`).join(', ')}) ENGINE = MergeTree ORDER BY id SETTINGS min_bytes_for_wide_part = 0, ratio_of_defaults_for_sparse_serialization = 0.5`;
/** One part, in which every third row is the caller's. */
const rowsOf = (database: string): string => {
  const others = (name: string): string => COLUMNS[name]?.[database === 'hostile1' ? 2 : 1] ?? '';
  const values = (isMine: boolean): string =>
    NAMES.map(
      (name) => `CAST(${isMine ? COLUMNS[name]?.[1] : others(name)}, '${COLUMNS[name]?.[0] ?? ''}')`,
    ).join(', ');
  return `INSERT INTO ${database}.wide SELECT * FROM (SELECT 'mine', toUInt32(number * 3 + 1), ${values(true)} FROM numbers(4) UNION ALL SELECT 'other', toUInt32(number * 3), ${values(false)} FROM numbers(5))`;
};
const fileOf = (database: string, index: number): string =>
  `id: 00000000-0000-4000-8000-00000000000${index}
name: wide.${database}
query: WITH t AS (SELECT * EXCEPT tenant FROM ${database}.wide WHERE tenant = @tenant) SELECT * FROM t ORDER BY id
parameters: { tenant: { type: String, required: true } }
sandbox: { enabled: true }
`;

let service: TestService;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-endpoints-'));
  for (const [index, database] of DATABASES.entries())
    await writeFile(join(folder, `${database}.yaml`), fileOf(database, index));
  service = await startService({
    endpoints: folder,
    sql: DATABASES.flatMap((database) => [
      `CREATE DATABASE ${database}`,
      tableOf(database),
      rowsOf(database),
      `OPTIMIZE TABLE ${database}.wide FINAL`,
    ]),
  });
  await rm(folder, { recursive: true });
});
afterAll(() => service.stop());

/** What a query took, in formats that tell. */
const TIME = /"elapsed(?:_ns)?": ?"?[\d.e-]+|<elapsed>[^<]*/g;

/** Of the ClickHouse interface, or, in a format of the API, of that. */
function requestOf(
  database: string,
  sql: string,
  fields: Readonly<Record<string, string>>,
): readonly [string, RequestInit] {
  const format = fields['default_format'] ?? 'JSON';
  if (/^[a-z]/.test(format)) {
    const query = new URLSearchParams({ tenant: 'mine', sql, format });
    return [`/api/endpoints/query/wide.${database}?${query.toString()}`, { headers: { 'X-API-KEY': KEY } }];
  }
  const query = new URLSearchParams({ database: `wide.${database}`, param_tenant: 'mine', ...fields });
  return [
    `/clickhouse/?${query.toString()}`,
    { method: 'POST', body: sql, headers: { 'X-ClickHouse-Key': KEY } },
  ];
}

async function ask(database: string, sql: string, fields: Readonly<Record<string, string>>) {
  const [path, init] = requestOf(database, sql, fields);
  const send = () => fetch(`${service.service.address}${path}`, init);
  const response = await answered(send);
  const body = withoutMarker(Buffer.from(await response.arrayBuffer()).toString('latin1'));
  return { status: response.status, body: body.replace(TIME, '') };
}

/** What differs beside hostile tenants, or names theirs. */
async function leaksOf(
  sql: string,
  fields: Readonly<Record<string, string>>,
): Promise<{ readonly leaks: readonly string[]; readonly status: number }> {
  const [calm, hostile] = await Promise.all(DATABASES.map((database) => ask(database, sql, fields)));
  const isSame =
    calm?.status === hostile?.status && calm?.body.replaceAll(DATABASES[0], DATABASES[1]) === hostile?.body;
  const leaks =
    isSame && hostile?.body.includes('CANARY') === false ? [] : [`${sql} ${JSON.stringify(fields)}`];
  return { leaks, status: calm?.status ?? 0 };
}

const UNCOMPRESSED = {
  output_format_parquet_compression_method: 'none',
  output_format_arrow_compression_method: 'none',
  output_format_orc_compression_method: 'none',
  output_format_avro_codec: 'null',
};

/** Formats that have no column of some types: the columns are asked for in groups, such as those of documents. */
const STRUCTURED: ReadonlySet<string> = new Set(
  'Native Arrow ArrowStream Parquet ORC Avro BSONEachRow MsgPack arrow parquet'.split(' '),
);
const ALL = [...NAMES, ...EXPRESSIONS];
const GROUPS = ['low', 'doc', 'dynamic', 'variant', 'sparse', 'text', 'map', 'tuple'].map((start) =>
  ALL.filter((column) => column.startsWith(start)),
);

/** Those of the API as well, which has no output settings. */
const FORMATS = ['json', 'ndjson', 'csv', 'parquet', 'arrow', ...ENGINE_FORMATS.map(({ name }) => name)];

test.each(FORMATS)('columns in %s', async (format) => {
  const statuses = new Set<number>();
  for (const group of STRUCTURED.has(format) ? GROUPS : [ALL]) {
    const fields = { ...UNCOMPRESSED, default_format: format };
    const values = group.map((column, index) => `${column} AS v${index}`).join(', ');
    const { leaks, status } = await leaksOf(`SELECT id, ${values} FROM t ORDER BY id`, fields);
    expect(leaks).toEqual([]);
    statuses.add(status);
  }
  expect(statuses).toContain(200);
});

const FORMATS_OF: Readonly<Record<string, readonly string[]>> = {
  arrow: ['Arrow', 'ArrowStream'],
  avro: ['Avro'],
  binary: ['RowBinaryWithNamesAndTypes'],
  bson: ['BSONEachRow'],
  native: ['Native'],
  orc: ['ORC'],
  parquet: ['Parquet'],
};
const FAMILY = /^output_format_(arrow|avro|binary|bson|native|orc|parquet)_/;
/** Formats of text write value by value. */
const OF_TEXT = /^output_format_(?:csv|json|markdown|pretty|sql_insert|tsv|values)_/;
const SETTINGS = OUTPUT_SETTINGS.flatMap(({ name, values }) =>
  OF_TEXT.test(name)
    ? []
    : (/^(?:0 or )?[01]$/.test(values) ? ['0', '1'] : []).map((value) => [name, value] as const),
);

test.each(SETTINGS)('columns with %s = %s', async (setting, value) => {
  for (const default_format of FORMATS_OF[FAMILY.exec(setting)?.[1] ?? ''] ?? ['Native', 'Arrow'])
    for (const columns of ['low, low_null, doc', 'dynamic, dynamics']) {
      const fields = { ...UNCOMPRESSED, default_format, [setting]: value };
      expect((await leaksOf(`SELECT ${columns} FROM t ORDER BY id`, fields)).leaks).toEqual([]);
    }
});

test('every column is in a group', () => {
  expect(GROUPS.flat().toSorted()).toEqual(ALL.toSorted());
});

test('a Dynamic column in Native has the types of the rows of the result alone', async () => {
  const { body } = await ask('hostile1', 'SELECT dynamic FROM t ORDER BY id', {
    default_format: 'Native',
  });
  expect(body).toContain('Dynamic');
  expect(body).toContain('Int64');
  expect(body).not.toContain('Tuple');
});

test.each([
  ['output_format_arrow_low_cardinality_as_dictionary', '1'],
  ['output_format_native_write_json_as_string', '0'],
])('%s = %s is rejected', async (name, value) => {
  const sql = 'SELECT low FROM t';
  const { status, body } = await ask('harmless', sql, { default_format: 'JSON', [name]: value });
  expect([status, body]).toEqual([400, expect.stringContaining(name)]);
});
