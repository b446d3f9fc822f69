// Of other tenants' rows, nothing is in a result, and no query fails because of them: in every format, with every output setting, for
// columns that are stored with a structure of their own (dictionaries, paths and types of documents).
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENGINE_FORMATS } from '../../../../src/service/formats/clickhouse-formats.ts';
import { OUTPUT_SETTINGS } from '../../../../src/service/formats/output-settings.ts';
import { answered } from '../../../support/answered.ts';
import { rotated } from '../../../support/attacked-service.ts';
import { withoutMarker } from '../../../support/avro.ts';
import { familyOf, OTHER_NAMES } from '../../../support/format-names.ts';
import { some, someOfEach } from '../../../support/runs.ts';
import { KEY, startService, type TestService } from '../../../support/service.ts';

/** With `npm run fuzz`, all combinations; otherwise each format, group of columns, setting and expression in some of them. */
const IS_LONG = process.env['FUZZ_CASES'] !== undefined;

/** Of one length, so that names are no difference. */
const DATABASES = ['harmless', 'hostile1'] as const;

/** Columns by name: their type, the value of the caller's rows, and that of others' rows beside hostile tenants. */
const COLUMNS: Readonly<Record<string, readonly [type: string, mine: string, theirs: string]>> = {
  low_variant: [
    'Variant(LowCardinality(String), UInt64)',
    `CAST('a', 'LowCardinality(String)')`,
    `CAST('CANARY' || toString(number), 'LowCardinality(String)')`,
  ],
  doc_order: ['JSON(max_dynamic_paths = 1)', `'{"a":1,"b":2,"c":3}'`, `'{"b":2}'`],
  doc_map: ['Map(String, JSON)', `map('k', '{"a":1}')`, `map('k', '{"a":[1]}')`],
  low: ['LowCardinality(String)', `'a'`, `'CANARY' || toString(number)`],
  low_null: ['LowCardinality(Nullable(String))', `if(number = 2, NULL, 'a')`, `'CANARY'`],
  low_number: ['LowCardinality(UInt8)', '1', '200 + number'],
  low_numbers: ['Array(LowCardinality(UInt8))', '[1]', '[200 + number]'],
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
  'tuple(low_variant, 1)',
  `CAST(tuple(low), 'Variant(Tuple(LowCardinality(String)), UInt8)')`,
  `CAST(lows, 'Variant(Array(LowCardinality(String)), UInt8)')`,
  `CAST(low_map, 'Variant(Map(LowCardinality(String), String), UInt8)')`,
];

/** As many servers have it. */
const ANY_TYPE = 'SET allow_suspicious_low_cardinality_types = 1;';
const tableOf = (database: string): string =>
  `${ANY_TYPE} CREATE TABLE ${database}.wide (tenant String, id UInt32, ${NAMES.map((name) => `${name} ${COLUMNS[name]?.[0] ?? ''}`).join(', ')}) ENGINE = MergeTree ORDER BY id SETTINGS min_bytes_for_wide_part = 0, ratio_of_defaults_for_sparse_serialization = 0.5`;
/** One part, in which every third row is the caller's. */
const rowsOf = (database: string): string => {
  const others = (name: string): string => COLUMNS[name]?.[database === 'hostile1' ? 2 : 1] ?? '';
  const values = (isMine: boolean): string =>
    NAMES.map(
      (name) => `CAST(${isMine ? COLUMNS[name]?.[1] : others(name)}, '${COLUMNS[name]?.[0] ?? ''}')`,
    ).join(', ');
  return `${ANY_TYPE} INSERT INTO ${database}.wide SELECT * FROM (SELECT 'mine', toUInt32(number * 3 + 1), ${values(true)} FROM numbers(4) UNION ALL SELECT 'other', toUInt32(number * 3), ${values(false)} FROM numbers(5))`;
};
/** Beside hostile tenants, every second row of the others' half is theirs. */
const denseOf = (database: string): readonly string[] => [
  `CREATE TABLE ${database}.dense (tenant String, id UInt32) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 64`,
  `INSERT INTO ${database}.dense SELECT if(number % 2 = 0 OR ${database === 'hostile1' ? 0 : 'number % 8 > 1'}, 'mine', 'other') AS owner, intDiv(number, 2) * 2 + (owner = 'other') FROM numbers(4000) WHERE number % 2 = 0 OR owner = 'other'`,
];
const fileOf = (table: string, database: string, index: number): string =>
  `id: 00000000-0000-4000-8000-00000000000${index}
name: ${table}.${database}
query: WITH t AS (SELECT * EXCEPT tenant FROM ${database}.${table} WHERE tenant = @tenant) SELECT * FROM t ORDER BY id
parameters: { tenant: { type: String, required: true } }
sandbox: { enabled: true }
`;

let service: TestService;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-endpoints-'));
  for (const [index, database] of DATABASES.entries()) {
    await writeFile(join(folder, `wide.${database}.yaml`), fileOf('wide', database, index));
    await writeFile(join(folder, `dense.${database}.yaml`), fileOf('dense', database, index + 2));
  }
  service = await startService({
    endpoints: folder,
    sql: DATABASES.flatMap((database) => [
      `CREATE DATABASE ${database}`,
      tableOf(database),
      rowsOf(database),
      `OPTIMIZE TABLE ${database}.wide FINAL`,
      ...denseOf(database),
    ]),
  });
  await rm(folder, { recursive: true });
});
afterAll(() => service.stop());

/** What a query took, in formats that tell, and the id of a request that failed. */
const OWN = /"elapsed(?:_ns)?": ?"?[\d.e-]+|<elapsed>[^<]*|"instance":"[^"]*"/g;

/** Of the ClickHouse interface, or, in a format of the API, of that. */
function requestOf(
  database: string,
  sql: string,
  { table = 'wide', ...fields }: Readonly<Record<string, string>>,
): readonly [string, RequestInit] {
  const format = fields['default_format'] ?? 'JSON';
  if (/^[a-z]/.test(format)) {
    const query = new URLSearchParams({ tenant: 'mine', sql, format });
    return [
      `/api/endpoints/query/${table}.${database}?${query.toString()}`,
      { headers: { 'X-API-KEY': KEY } },
    ];
  }
  const query = new URLSearchParams({ database: `${table}.${database}`, param_tenant: 'mine', ...fields });
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
  return { status: response.status, body: body.replace(OWN, '') };
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
const GROUPS = [
  'low',
  'doc',
  'dynamic',
  'variant',
  'sparse',
  'text',
  'map',
  'tuple(doc',
  'tuple(low',
  'CAST',
].map((start) => ALL.filter((column) => column.startsWith(start)));

/** Those of the API as well, which has no output settings. */
const FORMATS = [
  'json',
  'ndjson',
  'csv',
  'parquet',
  'arrow',
  ...ENGINE_FORMATS.map(({ name }) => name),
].filter((name) => IS_LONG || !OTHER_NAMES.test(name));

/** Every format has the group `text`. */
function groupsOf(format: string): readonly (readonly string[])[] {
  if (!STRUCTURED.has(format)) return [ALL];
  const first = FORMATS.indexOf(format);
  const isWhole = IS_LONG || format === 'Native';
  return GROUPS.filter((group, index) => isWhole || group.includes('text') || (index + first) % 9 === 0);
}

test.each(someOfEach(FORMATS, familyOf, { each: 2, from: 1 }))('columns in %s', async (format) => {
  const statuses = new Set<number>();
  for (const group of groupsOf(format)) {
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
).map(([name, value], index) => [name, value, index] as const);
const COLUMNS_OF_SETTINGS = ['low, low_null, doc', 'dynamic, dynamics'];
/** One with each of the two values of a setting, the other way round for the next setting. */
const isChosen = (n: number, index: number): boolean => IS_LONG || n === (index + Math.floor(index / 2)) % 2;
/** One with each of the two values of a setting, and the other way round for every second setting. */
const formatsOf = (setting: string, index: number): readonly string[] => {
  const all = FORMATS_OF[FAMILY.exec(setting)?.[1] ?? ''] ?? ['Native', 'Arrow'];
  return IS_LONG ? all : [rotated(all, index + Math.floor(index / 4))];
};

test.each(SETTINGS)('columns with %s = %s', async (setting, value, index) => {
  for (const default_format of formatsOf(setting, index))
    for (const columns of COLUMNS_OF_SETTINGS.filter((_, n) => isChosen(n, index))) {
      const fields = { ...UNCOMPRESSED, default_format, [setting]: value };
      expect((await leaksOf(`SELECT ${columns} FROM t ORDER BY id`, fields)).leaks).toEqual([]);
    }
});

/** Each fails on a value, a type or an entry of a dictionary that only others' rows have. */
const FAILING = [
  'toFixedString(low, 1)',
  "toFixedString(replaceRegexpOne(low, '^CANARY1.*$', repeat('x', 60)), 50)",
  "base64Decode(transform(low, ['a'], ['MTIz']))",
  "match('abc', concat(replaceAll(low, 'CANARY', '('), ''))",
  "length(repeat('x', (length(low) - 1) * 10000000))",
  "length(repeat(replaceRegexpOne(low, '^C.*$', repeat('x', 900)), 1000000))",
  'toFixedString(toString(low_number), 1)',
  'toFixedString(toString(low_numbers[1]), 1)',
  'toFixedString(arrayJoin(lows), 1)',
  'toFixedString(mapKeys(low_map)[1], 1)',
  'toFixedString(low_tuple.x, 1)',
  "toFixedString(assumeNotNull(variantElement(low_variant, 'LowCardinality(String)')), 1)",
  'max(toFixedString(low, 1)) OVER ()',
  'toInt64(dynamic)',
  "CAST(dynamic, 'Variant(Int64, String)')",
  'arrayMap(x -> toInt64(x), dynamics)',
  "toInt64(dynamic_map['a'])",
  'toInt64(docs[1].a)',
  "toInt64(doc_map['k'].a)",
  'toInt64(doc.a.b)',
];

/** One of the three queries, in one format. */
const isTried = (query: number, expression: number, format: number): boolean =>
  (query + expression) % 3 === 0 && format === (query + Math.floor(expression / 3)) % 2;

test.each(FAILING)('%s', async (expression) => {
  const queries = [
    `SELECT ${expression} AS v FROM t ORDER BY id`,
    `SELECT id FROM t WHERE toString(${expression}) != 'b' ORDER BY id`,
    `SELECT id, toString(${expression}) AS v FROM t ORDER BY v, id LIMIT 2`,
  ];
  const answers = queries.flatMap((sql, index) =>
    ['JSON', 'json']
      .filter((_, n) => IS_LONG || isTried(index, FAILING.indexOf(expression), n))
      .map((default_format) => leaksOf(sql, { default_format })),
  );
  const all = await Promise.all(answers);
  expect(all.flatMap(({ leaks }) => leaks)).toEqual([]);
  expect(all.map(({ status }) => status)).toContain(200);
});

const LIMITED = [
  'SELECT id FROM t LIMIT 3',
  'SELECT id FROM t ORDER BY id LIMIT 3',
  'SELECT id FROM t ORDER BY id DESC LIMIT 3 OFFSET 100',
  'SELECT id FROM t WHERE id > 100 AND intDiv(id, 2) > 0 LIMIT 3',
  'SELECT intDiv(id, 10) AS k, count() AS n FROM t GROUP BY k ORDER BY k LIMIT 3',
];
const COUNTING = ['JSON', 'JSONCompact', 'XML', 'JSONColumnsWithMetadata', 'JSONEachRowWithProgress'];

test.each(LIMITED)('the number of rows before a limit: %s', async (sql) => {
  const first = LIMITED.indexOf(sql);
  for (const default_format of some([...COUNTING.slice(first), ...COUNTING.slice(0, first)], 3))
    expect(await leaksOf(sql, { table: 'dense', default_format })).toEqual({ leaks: [], status: 200 });
});

test('an expression has the same result however often it has run, whoever ran it', async () => {
  const sql = 'SELECT toDecimal32(exp2(20 - id) * 123457, 4) AS v FROM t WHERE id < 3';
  const statuses = [];
  for (let run = 0; run < 6; run++) statuses.push((await ask('harmless', sql, {})).status);
  expect(new Set(statuses)).toEqual(new Set([400]));
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
