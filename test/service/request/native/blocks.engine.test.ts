// Blocks of the format Native, as the engine writes them, for clients with a protocol version.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withBlockInfo, withDeclaredTypes } from '../../../../src/service/request/formats/native/blocks.ts';
import { readNative } from '../../../support/native-reader.ts';
import { countTurns } from '../../../support/loop-turns.ts';

let folder: string;
let session: Session;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-native-'));
  session = new Session(join(folder, 'data'));
});
afterAll(() => {
  session.close();
  rmSync(folder, { recursive: true, force: true });
});

async function native(sql: string): Promise<Buffer> {
  const settings = `max_block_size = 100, output_format_native_write_json_as_string = 1, allow_suspicious_low_cardinality_types = 1,
    allow_suspicious_variant_types = 1, enable_time_time64_type = 1`;
  const result = await session.queryAsync(`${sql} SETTINGS ${settings}`, { format: 'Native' });
  return Buffer.from(result.bytes());
}

test('as the official clients expect it', async () => {
  const body = await native('SELECT 1 AS check');
  expect(await withBlockInfo(body, 0)).toBe(body);
  expect((await withBlockInfo(body, 54_405)).toString('hex')).toBe(
    '010002ffffffff00010105636865636b0555496e743801',
  );
  expect((await withBlockInfo(body, 54_460)).toString('hex')).toBe(
    '010002ffffffff00010105636865636b0555496e74380001',
  );
});

const VALUES: readonly string[] = [
  'toInt8(n)', 'toUInt256(n)', 'toFloat32(n)', 'toBFloat16(n)', 'toDecimal32(n, 2)', 'toDecimal64(n, 2)', 'toDecimal128(n, 2)', 'toDecimal256(n, 2)',
  "CAST(n, 'Decimal(9, 1)')", "CAST(n, 'Decimal(38, 1)')", 'toString(n)', "repeat('é', n * 3)", 'toFixedString(toString(n), 7)', 'toDate(n)', 'toDate32(n)',
  "toDateTime(n, 'Asia/Tokyo')", "toDateTime64(n, 6, 'UTC')", 'toIPv4(n)', 'toIPv6(toString(toIPv4(n)))', 'generateUUIDv4(n)', 'n % 2 = 0', "CAST(n % 2 + 1, 'Enum8(''a'' = 1, ''b'' = 2)')",
  "CAST(n % 2 + 1, 'Enum16(''a'' = 1, ''b'' = 2)')", 'if(n % 3 = 0, NULL, toString(n))', 'NULL', '[]', 'range(n % 5)', "arrayMap(x -> repeat('x', x), range(n % 4))", 'if(n % 2, [[1, 2], []], [])',
  "map('a', n, 'b', n)", 'CAST(map(), \'Map(String, Array(UInt8))\')', "tuple(n, toString(n), [n])", 'tuple()', 'toIntervalDay(n)', 'toLowCardinality(toString(n % 7))', "[toLowCardinality('y')]",
  "CAST(if(n % 2, NULL, 'x'), 'LowCardinality(Nullable(String))')", "CAST([], 'Array(LowCardinality(String))')", "map(toLowCardinality('k'), toLowCardinality(toString(n)))", 'toLowCardinality(toUInt16(n * 300))',
  "CAST([(1, 'a')], 'Nested(x UInt8, y String)')", "multiIf(n % 3 = 0, n::Variant(UInt64, String), n % 3 = 1, 'v'::Variant(UInt64, String), NULL)", "if(n % 2, n::Dynamic, [n]::Dynamic)", '[n::Dynamic, NULL::Dynamic]',
  "multiIf(n % 4 = 0, n::Dynamic, n % 4 = 1, 'x'::Dynamic, n % 4 = 2, toLowCardinality('x')::Dynamic, NULL)",
  `concat('{"a":', toString(n), '}')::JSON`, `concat('{"a":', toString(n), '}')::JSON(a UInt32)`, `concat('{"a":', toString(n), '}')::JSON.a`, '(1., 2.)::Point', '[[(1., 2.)]]::Polygon',
  "CAST(n, 'SimpleAggregateFunction(sum, UInt64)')", "toTime('12:00:00')", "(n, (toLowCardinality('q'), NULL))",
]; // prettier-ignore

test.each(VALUES)('%s', async (value) => {
  const query = (end: string) => `SELECT 'before', ${value} AS v, 'after' FROM (SELECT number AS n FROM numbers(250)) ${end}`;
  for (const end of ['', 'LIMIT 1', 'WHERE n > 1000']) {
    const body = await native(query(end));
    const declared = await withDeclaredTypes(body, []);
    const framed = await withBlockInfo(declared, 54_460);
    // Every block has its header, and every column its byte.
    const blocks = (framed.length - declared.length) / 11;
    expect(Number.isInteger(blocks)).toBe(true);
    expect(blocks === 0).toBe(body.length === 0);
    expect(framed.indexOf('after')).toBeGreaterThan(body.length === 0 ? -2 : 0);
    expect(readNative(framed, 54_460).length).toBe(blocks);
    expect(readNative(declared, 0)).toEqual(readNative(framed, 54_460));
    if (!value.includes('JSON')) expect(declared).toBe(body);
  }
}); // prettier-ignore

test.each([
  ["CAST(if(n % 2, (1., 2.)::Point, [(1., 2.)]::Ring), 'Geometry')", 'Geometry'],
  ['arrayResize([n::Float32], 10)::QBit(Float32, 10)', 'QBit(Float32, 10)'],
  ['arrayResize([n::Float64], 16)::QBit(Float64, 16)', 'QBit(Float64, 16)'],
])('%s, which the reader of the tests does not know', async (value, type) => {
  const body = await native(
    `SELECT ${value} AS v, 'JSON' AS after FROM (SELECT number AS n FROM numbers(250))`,
  );
  expect(body.toString('latin1')).toContain(type);
  expect(await withDeclaredTypes(body, [])).toBe(body);
  const framed = await withBlockInfo(body, 54_460);
  expect((framed.length - body.length) / (8 + 2)).toBe(framed.toString('latin1').split('after').length - 1);
});

test('a body without documents is the same buffer', async () => {
  const named = `CAST(1, 'Enum8(''JSON'' = 1)') AS e, CAST((1, 2), 'Tuple(JSON UInt8, b UInt8)') AS t`;
  const body = await native(`SELECT 'JSON' AS JSON, ${named}`);
  expect(await withDeclaredTypes(body, ['String', "DateTime('UTC')", 'x'])).toBe(body);
});

test('aggregate states, which no result has, are rejected', async () => {
  const body = await native('SELECT uniqState(number) AS s FROM numbers(3)');
  await expect(withBlockInfo(body, 54_460)).rejects.toThrow(/AggregateFunction/);
});

test('other work goes on while many values are read', async () => {
  for (const values of ["arrayResize([''], 300000)", 'arrayResize([1::Variant(String, UInt8)], 300000)']) {
    const body = await native(`SELECT ${values} AS v`);
    expect((await countTurns(() => withBlockInfo(body, 54_460))).turns).toBeGreaterThan(2);
  }
});
