// The format Native as clients of the native protocol's versions read it: the bytes against the types that they declare.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readNative } from '../../../support/native-reader.ts';
import { someOfEach } from '../../../support/runs.ts';
import { ANALYST, DATABASE, startClickHouseWorld, type ClickHouseWorld } from './world.ts';

let world: ClickHouseWorld;
beforeAll(async () => {
  world = await startClickHouseWorld();
});
afterAll(() => world.stop());

/** None; before types have zones; from there on; clickhouse-connect's; with custom serializations; with sparse ones; newer than any. */
const VERSIONS = [0, 54_336, 54_337, 54_405, 54_454, 54_465, 54_473, 54_513, 999_999_999];

async function body(sql: string, fields: Readonly<Record<string, string>>, init: RequestInit = {}): Promise<Buffer> {
  const response = await world.ask(sql, fields, init);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(bytes.toString());
  return bytes;
} // prettier-ignore

const versionField = (version: number): Record<string, string> =>
  version === 0 ? {} : { client_protocol_version: `${version}` };

async function native(sql: string, version: number, fields: Readonly<Record<string, string>> = {}) {
  const blocks = readNative(
    await body(sql, { default_format: 'Native', ...versionField(version), ...fields }),
    version,
  );
  const types = blocks[0]?.columns.map(({ type }) => type) ?? [];
  const values = types.map((_, at) => blocks.flatMap(({ columns }) => columns[at]?.values ?? []));
  return { types, rows: (values[0] ?? []).map((_, row) => values.map((column) => column[row])) };
}

/** The same rows and types in JSON, with 64 bits as strings. */
async function json(sql: string): Promise<{ types: string[]; rows: unknown[][] }> {
  const fields = { default_format: 'JSONCompact', output_format_json_quote_64bit_integers: '1' };
  const { meta, data } = JSON.parse((await body(sql, fields)).toString()) as { meta: { type: string }[]; data: unknown[][] }; // as ClickHouse writes it
  return { types: meta.map(({ type }) => type), rows: data };
} // prettier-ignore

/** Types as a client of the version gets them: without zones at the top before they have them, documents as strings. */
function declared(type: string, version: number): string {
  if (version < 54_337 && type.startsWith('DateTime(')) return 'DateTime';
  return type.replaceAll(/(?<!')JSON(?:\((?:[^()]|\([^()]*\))*\))?/g, 'String');
}

const N = 'FROM (SELECT number AS n FROM numbers(7)) ORDER BY n';
const TABLES: readonly (readonly [why: string, sql: string])[] = [
  ['a table of an endpoint', 'SELECT * FROM orders ORDER BY id'],
  ['numbers', `SELECT toInt8(n) - 3, toUInt16(n), toInt32(n), toUInt64(n), toInt128(n) - 9, toUInt256(n), toFloat32(n), toFloat64(n) / 4, n % 2 = 0, toDecimal32(n, 2), toDecimal64(n, 3), toDecimal128(n, 1) ${N}`],
  ['strings', `SELECT toString(n), repeat('é', n * 50), toFixedString(toString(n), 1), CAST(n % 2 + 1, 'Enum8(''a'' = 1, ''JSON'' = 2)'), CAST(n % 2 + 1, 'Enum16(''a'' = 1, ''b'' = 2)') ${N}`],
  ['addresses', `SELECT toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), toIPv4(n), toIPv6('2001:db8:1:1:1:1:1:1') ${N}`],
  ['times', `SELECT toDate(n), toDate32(n), toDateTime(n * 1e8), toDateTime(n * 1e8, 'UTC'), toDateTime(n * 1e8, 'Europe/Berlin'), toDateTime64(n, 3, 'Asia/Tokyo'), toDateTime64(n, 0), toDateTime('2024-07-01 12:00:00', 'America/New_York') ${N}`],
  ['times inside of others', `SELECT if(n = 1, NULL, toDateTime(n, 'Europe/Berlin')), [toDateTime(n, 'Asia/Tokyo')], (toDateTime(n, 'Europe/Paris'), 1), map('a', toDateTime(n, 'Asia/Tokyo')) ${N}`],
  ['nullable', `SELECT NULL, if(n % 2 = 0, NULL, n), if(n > 3, NULL, 'x'), if(n % 2 = 0, NULL, (toDate(n))) ${N}`],
  ['arrays, maps and tuples', `SELECT range(n), arrayMap(x -> range(x), range(n)), [], map('a', n, 'b', 0), (n, 'x'), CAST((n, 'x'), 'Tuple(a UInt8, b String)'), CAST(map(), 'Map(String, Array(UInt8))'), tuple() ${N}`],
  ['dictionaries', `SELECT toLowCardinality(toString(n % 3)), CAST(if(n % 2, NULL, 'x'), 'LowCardinality(Nullable(String))'), [toLowCardinality('y'), toLowCardinality(toString(n))], map(toLowCardinality('k'), n) ${N}`],
  ['variants', `SELECT multiIf(n % 3 = 0, n::Variant(UInt64, String), n % 3 = 1, 'v'::Variant(UInt64, String), NULL), [n::Variant(UInt64, Array(String))] ${N}`],
  ['dynamic', `SELECT multiIf(n % 4 = 0, n::Dynamic, n % 4 = 1, 'x'::Dynamic, n % 4 = 2, [n]::Dynamic, NULL) AS d, [n::Dynamic, NULL::Dynamic] AS e ${N}`],
  ['rows of the virtual tables', "SELECT database, name, metadata_modification_time, toDateTime(0, 'Asia/Tokyo') AS t FROM system.tables WHERE database = 'shop.orders' ORDER BY name"],
]; // prettier-ignore

describe.each(VERSIONS)('with the protocol version %s', (version) => {
  const tables = someOfEach(TABLES, () => '', { each: 3, from: VERSIONS.indexOf(version) });

  test.each(tables)('%s', async (_, sql) => {
    const expected = await json(sql);
    const read = await native(sql, version);
    expect(read.types).toEqual(expected.types.map((type) => declared(type, version)));
    const isSame = expected.types.map((type) => version >= 54_337 || !type.startsWith('DateTime('));
    const shown = (rows: readonly unknown[][]) => rows.map((row) => row.filter((_value, at) => isSame[at]));
    expect(shown(read.rows)).toEqual(shown(expected.rows));
  });

  test('no rows are no blocks', async () => {
    const sql =
      "SELECT toDateTime(number, 'Asia/Tokyo') AS t, '{}'::JSON AS j FROM numbers(3) WHERE number > 5";
    const bytes = await body(sql, { default_format: 'Native', ...versionField(version) });
    expect(bytes.length).toBe(0);
  });

  test('blocks in compression', async () => {
    const sql = "SELECT '{\"a\":1}'::JSON AS j, toDateTime(0, 'Asia/Tokyo') AS t";
    const fields = { default_format: 'Native', ...versionField(version), enable_http_compression: '1' };
    const bytes = await body(sql, fields, { headers: { 'X-ClickHouse-Key': ANALYST, 'Accept-Encoding': 'gzip' } });
    expect(readNative(bytes, version)[0]?.columns.map(({ values }) => values)).toEqual([['{"a":1}'], [version < 54_337 ? '1970-01-01 00:00:00' : '1970-01-01 09:00:00']]);
  }); // prettier-ignore
});

const DOCUMENTS: readonly (readonly [sql: string, type: string, values: readonly unknown[]])[] = [
  ["SELECT '{\"a\":1}'::JSON AS j", 'String', ['{"a":1}']],
  ["SELECT '{\"a\":1,\"b\":[{\"c\":2}]}'::JSON(a UInt8, max_dynamic_paths=2) AS j", 'String', ['{"a":1,"b":[{"c":2}]}']],
  ["SELECT ['{\"a\":1}'::JSON, '{}'::JSON] AS j", 'Array(String)', [['{"a":1}', '{}']]],
  ["SELECT map('k', '{\"a\":1}'::JSON) AS j", 'Map(String, String)', [{ k: '{"a":1}' }]],
  ["SELECT ('{\"a\":1}'::JSON, 2) AS j", 'Tuple(String, UInt8)', [['{"a":1}', 2]]],
  ["SELECT CAST(('{\"a\":1}', 2), 'Tuple(JSON JSON, b UInt8)') AS j", 'Tuple(JSON String, b UInt8)', [{ JSON: '{"a":1}', b: 2 }]],
  ["SELECT if(number = 0, NULL, CAST('{\"a\":1}', 'Nullable(JSON)')) AS j FROM numbers(2)", 'Nullable(String)', [null, '{"a":1}']],
  ["SELECT '{\"a\":1}'::JSON::Variant(JSON, UInt8) AS j", 'Variant(String, UInt8)', ['{"a":1}']],
  ["SELECT multiIf(number = 0, '{\"a\":1}'::JSON::Variant(JSON, String, UInt8), number = 1, 'x'::Variant(JSON, String, UInt8), number = 2, 7::UInt8::Variant(JSON, String, UInt8), number = 3, '{}'::JSON::Variant(JSON, String, UInt8), NULL) AS j FROM numbers(5)", 'Variant(String, UInt8)', ['{"a":1}', 'x', 7, '{}', null]],
  ["SELECT multiIf(number = 0, '{\"a\":1}'::JSON::Variant(Array(UInt8), Int8, JSON), number = 1, [1]::Array(UInt8)::Variant(Array(UInt8), Int8, JSON), 5::Int8::Variant(Array(UInt8), Int8, JSON)) AS j FROM numbers(3)", 'Variant(Array(UInt8), Int8, String)', ['{"a":1}', [1], 5]],
  ["SELECT '{\"a\":[{\"b\":1}]}'::JSON.a AS j", 'Dynamic', [['{"b":1}']]],
  ["SELECT multiIf(number = 0, '{\"a\":1}'::JSON::Dynamic, number = 1, 'x'::Dynamic, number = 2, 7::UInt8::Dynamic, NULL) AS j FROM numbers(4)", 'Dynamic', ['{"a":1}', 'x', 7, null]],
  ["SELECT [multiIf(number = 0, '{\"a\":1}'::JSON::Dynamic, 'x'::Dynamic)] AS j FROM numbers(2)", 'Array(Dynamic)', [['{"a":1}'], ['x']]],
  ["SELECT 'JSON' AS j", 'String', ['JSON']],
]; // prettier-ignore

describe('documents are declared as the strings that they are', () => {
  describe.each(DOCUMENTS.map((row, index) => [index, ...row] as const))(
    '%i %s',
    (index, sql, type, values) => {
      test.each(someOfEach(VERSIONS, () => '', { each: 3, from: index }))('with the protocol version %s', async (version) => {
      for (const settings of [{}, { output_format_native_write_json_as_string: '1' }]) {
        const { types, rows } = await native(sql, version, settings);
        expect([types, rows.map(([value]) => value)]).toEqual([[type], values]);
      }
    }); // prettier-ignore
    },
  );

  test('beside other columns', async () => {
    const sql = "SELECT id, '{\"a\":1}'::JSON AS j, placed, toDateTime(placed, 'Asia/Tokyo') AS t, kind FROM orders ORDER BY id LIMIT 2";
    const { types, rows } = await native(sql, 54_405);
    expect(types).toEqual(['UInt64', 'String', "DateTime64(3, 'UTC')", "DateTime('Asia/Tokyo')", 'LowCardinality(String)']);
    expect(rows).toEqual([
      ['0', '{"a":1}', '2024-01-01 00:00:00.000', '2024-01-01 09:00:00', 'retail'],
      ['2', '{"a":1}', '2024-01-01 02:00:00.000', '2024-01-01 11:00:00', 'retail'],
    ]);
  }); // prettier-ignore

  test('types that would be the same twice are rejected', async () => {
    const sql = 'SELECT [CAST(\'{}\', \'JSON\')]::Variant(Array(JSON), Array(String)) AS j';
    const response = await world.ask(sql, { default_format: 'Native' });
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('(UNKNOWN_FORMAT)')]);
  }); // prettier-ignore
});

describe('a response', () => {
  const SQL = "SELECT toDateTime(n, 'Asia/Tokyo') AS t, concat('{\"a\":', toString(n), ',\"mail\":\"ann@example.com\"}')::JSON AS j, n FROM";

  test('from the cache is that of the version', async () => {
    const sql = `${SQL} visits ORDER BY n LIMIT 1`;
    const fields = { database: 'shop.visits' };
    for (let round = 0; round < 2; round += 1)
      for (const version of VERSIONS) {
        const { types, rows } = await native(sql, version, fields);
        expect(types).toEqual([version < 54_337 ? 'DateTime' : "DateTime('Asia/Tokyo')", 'String', 'UInt32']);
        expect(rows).toEqual([[`1970-01-01 0${version < 54_337 ? 0 : 9}:00:00`, '{"a":0,"mail":"ann@example.com"}', 0]]);
      }
  });

  test.each(VERSIONS)('that is redacted, with the protocol version %s', async (version) => {
    const sql = `${SQL} (SELECT toUInt32(id) AS n FROM orders) ORDER BY n LIMIT 2`;
    const init = { headers: { 'SVC-ENDPOINT-REDACT-PII': 'true' } };
    const blocks = readNative(await body(sql, { default_format: 'Native', ...versionField(version) }, init), version);
    const columns = blocks.flatMap((block) => block.columns);
    expect(columns.map(({ type }) => type)).toEqual([version < 54_337 ? 'DateTime' : "DateTime('Asia/Tokyo')", 'String', 'UInt32']);
    expect(columns[1]?.values.map((value) => JSON.parse(String(value)) as unknown)).toEqual([
      { a: 0, mail: 'REDACTED' },
      { a: 2, mail: 'REDACTED' },
    ]);
    expect(columns[2]?.values).toEqual([0, 2]);
  });

  test.each(VERSIONS)('that is cut, with the protocol version %s', async (version) => {
    const sql = `${SQL} (SELECT toUInt32(x) AS n FROM orders ARRAY JOIN range(200) AS x) ORDER BY n`;
    const { types, rows } = await native(sql, version);
    expect([types.at(1), rows.length]).toEqual(['String', 1000]);
    expect(rows.at(-1)?.[2]).toBe(49);
  });
}); // prettier-ignore

describe('types in binary', () => {
  const fields = { default_format: 'Native', output_format_native_encode_types_in_binary_format: '1' };

  test('are left as the engine writes them', async () => {
    const bytes = await body('SELECT 1 AS a', fields);
    expect(bytes.toString('hex')).toBe('010101610101');
  });

  test.each(["SELECT 1 AS a, 'x' AS b", "SELECT '{}'::JSON AS j"])('%s: not with a protocol version', async (sql) => {
    const response = await world.ask(sql, { ...fields, client_protocol_version: '54454' });
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('(UNKNOWN_FORMAT)')]);
  }); // prettier-ignore
});

test('the first request of clickhouse-connect', async () => {
  const bytes = await body('SELECT 1 AS check FORMAT Native', { client_protocol_version: '54405' });
  expect(bytes.subarray(8, 16).toString('latin1')).toBe('\x01\x01\x05check');
  expect(DATABASE).toBe('shop.orders');
});
