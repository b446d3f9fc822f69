// The same values in all five formats, read by readers that are not ClickHouse: 64-bit numbers, decimals, enums, addresses,
// UUIDs, times, nested values and nulls.
import { tableFromIPC, type Table } from 'apache-arrow';
import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects, type SchemaElement } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

/** One column: its expression, its JSON values in the rows with and without a value, and its types in the files. */
interface Sample {
  readonly name: string;
  readonly sql: string;
  readonly value: unknown;
  /** Default: null. */
  readonly none?: unknown;
  readonly arrow: string;
  /** Annotations of the Parquet elements, from the column down to its leaves. */
  readonly parquet: string;
}

const nullable = (expression: string, type: string): string =>
  `if(number = 0, ${expression}, NULL)::Nullable(${type})`;
const ENUM = "Enum8('one' = 1, 'two''s' = 2)";

const SAMPLES: readonly Sample[] = [
  {
    name: 'u64',
    sql: nullable('18446744073709551615', 'UInt64'),
    value: '18446744073709551615',
    arrow: 'Uint64',
    parquet: 'UINT_64',
  },
  {
    name: 'i64',
    sql: nullable('-9223372036854775808', 'Int64'),
    value: '-9223372036854775808',
    arrow: 'Int64',
    parquet: 'INT64',
  },
  {
    name: 'i128',
    sql: nullable("'170141183460469231731687303715884105727'", 'Int128'),
    value: '170141183460469231731687303715884105727',
    arrow: 'Utf8',
    parquet: 'UTF8',
  },
  {
    name: 'd18',
    sql: nullable("'12345678901234.5678'", 'Decimal(18, 4)'),
    value: '12345678901234.5678',
    arrow: 'Decimal[18e+4]',
    parquet: 'DECIMAL(18,4)',
  },
  {
    name: 'd38',
    sql: nullable("'-12345678901234567890.123'", 'Decimal(38, 3)'),
    value: '-12345678901234567890.123',
    arrow: 'Decimal[38e+3]',
    parquet: 'DECIMAL(38,3)',
  },
  { name: 'kind', sql: nullable("'two\\'s'", ENUM), value: "two's", arrow: 'Utf8', parquet: 'UTF8' },
  {
    name: 'v4',
    sql: nullable("'203.0.113.9'", 'IPv4'),
    value: '203.0.113.9',
    arrow: 'Utf8',
    parquet: 'UTF8',
  },
  {
    name: 'v6',
    sql: nullable("'2001:db8::1'", 'IPv6'),
    value: '2001:db8::1',
    arrow: 'Utf8',
    parquet: 'UTF8',
  },
  {
    name: 'uuid',
    sql: nullable("'61f0c404-5cb3-11e7-907b-a6006ad3dba0'", 'UUID'),
    value: '61f0c404-5cb3-11e7-907b-a6006ad3dba0',
    arrow: 'Utf8',
    parquet: 'UTF8',
  },
  { name: 'fixed', sql: nullable("'abc'", 'FixedString(3)'), value: 'abc', arrow: 'Utf8', parquet: 'UTF8' },
  {
    name: 'at',
    sql: nullable("'2024-03-01 12:00:00'", "DateTime('UTC')"),
    value: '2024-03-01T12:00:00Z',
    arrow: 'Timestamp<MILLISECOND, UTC>',
    parquet: 'TIMESTAMP_MILLIS',
  },
  {
    name: 'berlin',
    sql: nullable("'2024-03-01 12:00:00'", "DateTime('Europe/Berlin')"),
    value: '2024-03-01T11:00:00Z',
    arrow: 'Timestamp<MILLISECOND, Europe/Berlin>',
    parquet: 'TIMESTAMP_MILLIS',
  },
  {
    name: 'micros',
    sql: nullable("'2024-03-01 12:00:00.123456'", "DateTime64(6, 'UTC')"),
    value: '2024-03-01T12:00:00.123456Z',
    arrow: 'Timestamp<MICROSECOND, UTC>',
    parquet: 'TIMESTAMP_MICROS',
  },
  {
    name: 'day',
    sql: nullable("'2024-02-29'", 'Date'),
    value: '2024-02-29',
    arrow: 'Date32<DAY>',
    parquet: 'DATE',
  },
  { name: 'yes', sql: nullable('true', 'Bool'), value: true, arrow: 'Bool', parquet: 'BOOLEAN' },
  { name: 'half', sql: 'if(number = 0, 0.5, nan)', value: 0.5, arrow: 'Float64', parquet: 'DOUBLE' },
  {
    name: 'low',
    sql: nullable("'é,\"'", 'String').replace('Nullable(String)', 'LowCardinality(Nullable(String))'),
    value: 'é,"',
    arrow: 'Utf8',
    parquet: 'UTF8',
  },
  {
    name: 'dynamic',
    sql: "if(number = 0, 'x'::Dynamic, NULL::Dynamic)",
    value: 'x',
    arrow: 'Utf8',
    parquet: 'UTF8',
  },
  {
    name: 'path',
    sql: `if(number = 0, '{"a":"x"}', '{"b":1}')::JSON.a`,
    value: 'x',
    arrow: 'Utf8',
    parquet: 'UTF8',
  },
  {
    name: 'variant',
    sql: "if(number = 0, 'x', NULL)::Variant(UInt8, String)",
    value: 'x',
    arrow: 'Utf8',
    parquet: 'UTF8',
  },
  {
    name: 'kinds',
    sql: `if(number = 0, ['one', 'two\\'s'], [])::Array(${ENUM})`,
    value: ['one', "two's"],
    none: [],
    arrow: 'List<Utf8>',
    parquet: 'LIST > UTF8',
  },
  {
    name: 'numbers',
    sql: 'if(number = 0, [1, NULL, 18446744073709551615], [])::Array(Nullable(UInt64))',
    value: ['1', null, '18446744073709551615'],
    none: [],
    arrow: 'List<Uint64>',
    parquet: 'LIST > UINT_64',
  },
  {
    name: 'pairs',
    sql: "map('a', toIPv4('1.2.3.4'))",
    value: { a: '1.2.3.4' },
    none: { a: '1.2.3.4' },
    arrow: 'Map<{key:Utf8, value:Utf8}>',
    parquet: 'MAP > UTF8 > UTF8',
  },
  {
    name: 'both',
    sql: `(if(number = 0, 18446744073709551615, 0), ${nullable("'one'", ENUM)})::Tuple(n UInt64, kind Nullable(${ENUM}))`,
    value: { n: '18446744073709551615', kind: 'one' },
    none: { n: '0', kind: null },
    arrow: 'Struct<{n:Uint64, kind:Utf8}>',
    parquet: 'UINT_64 > UTF8',
  },
];

const EXPECTED = [
  Object.fromEntries(SAMPLES.map(({ name, value }) => [name, value])),
  Object.fromEntries(SAMPLES.map(({ name, none = null }) => [name, none])),
];

let service: TestService;

beforeAll(async () => {
  service = await startService();
  const columns = SAMPLES.map(({ name, sql }) => `    ${sql} AS ${name}`).join(',\n');
  await writeEndpoint(
    service,
    'samples',
    `id: 00000000-0000-4000-8000-000000000097\nname: samples\nint64: string\nquery: |\n  SELECT\n${columns}\n  FROM numbers(2) ORDER BY number\n`,
  );
  await service.service.reload();
});
afterAll(() => service.stop());

async function bytes(format: string): Promise<Buffer> {
  const response = await service.call(`/api/endpoints/query/samples?format=${format}`);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

test('JSON and NDJSON', async () => {
  const { result } = JSON.parse((await bytes('json')).toString()) as { result: unknown };
  expect(result).toEqual(EXPECTED);
  const lines = (await bytes('ndjson')).toString().trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(EXPECTED);
});

test('CSV', async () => {
  const records = parse<Record<string, string>>(await bytes('csv'), { columns: true });
  const cell = (value: unknown): string => {
    if (value === null) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  const expected = EXPECTED.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(value)])),
  );
  expect(records).toEqual(expected);
});

test('Arrow, with its types', async () => {
  const table = tableFromIPC(await bytes('arrow'));
  expect(table.schema.fields.map(({ name, type }) => `${name} ${String(type)}`)).toEqual(
    SAMPLES.map(({ name, arrow }) => `${name} ${arrow}`),
  );
  expect([0, 1].map((row) => arrowRow(table, row))).toEqual(EXPECTED);
});

test('Parquet, with the same types', async () => {
  const body = await bytes('parquet');
  const file = body.buffer.slice(body.byteOffset, body.byteOffset + body.length) as ArrayBuffer; // a Buffer of its own
  const metadata = parquetMetadata(file);
  const types = Object.fromEntries(columnsOf(metadata.schema));
  expect(types).toEqual(Object.fromEntries(SAMPLES.map(({ name, parquet }) => [name, parquet])));
  // The reader rounds decimals to doubles: without their annotation they are bytes.
  const scales = new Map(metadata.schema.map(({ name, scale }) => [name, scale]));
  for (const element of metadata.schema) {
    if (element.converted_type !== 'DECIMAL') continue;
    delete element.converted_type;
    delete element.logical_type;
  }
  const rows = await parquetReadObjects({ file, metadata, compressors, parsers: PARSERS });
  expect(rows.map((row) => plain(row, (name) => scales.get(name)))).toEqual(EXPECTED);
});

const DIGITS: Readonly<Record<string, number>> = { MILLISECOND: 3, MICROSECOND: 6 };

function arrowRow(table: Table, row: number): Record<string, unknown> {
  const cells = table.schema.fields.map(({ name, type }): [string, unknown] => {
    const vector = table.getChild(name);
    const value: unknown = vector?.get(row);
    const [, unit = ''] = /^Timestamp<(\w+)/.exec(String(type)) ?? [];
    const [, scale] = /^Decimal\[\d+e\+(\d+)\]/.exec(String(type)) ?? [];
    if (value === null) return [name, null];
    // The reader converts timestamps to milliseconds: the column itself is exact.
    if (unit !== '')
      return [
        name,
        iso((vector?.data[0]?.values as BigInt64Array | undefined)?.[row] ?? 0n, DIGITS[unit] ?? 0),
      ];
    if (scale !== undefined) return [name, decimal(littleEndian(value as Uint32Array), Number(scale))];
    if (String(type).startsWith('Date')) return [name, new Date(Number(value)).toISOString().slice(0, 10)];
    return [name, plain(value)];
  });
  return Object.fromEntries(cells);
}

function littleEndian(words: Uint32Array): bigint {
  return BigInt.asIntN(
    128,
    words.reduceRight((sum, word) => sum * 2n ** 32n + BigInt(word), 0n),
  );
}

function decimal(digits: bigint, scale: number): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  return `${digits < 0n ? '-' : ''}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

/** A time as in JSON: without a fraction if it is zero. */
function iso(ticks: bigint, digits: number): string {
  const second = 10n ** BigInt(digits);
  const fraction = String(ticks % second).padStart(digits, '0');
  const text = new Date(Number(ticks / second) * 1000).toISOString().slice(0, 19);
  return Number(fraction) === 0 ? `${text}Z` : `${text}.${fraction}Z`;
}

const PARSERS = {
  timestampFromMilliseconds: (ticks: bigint) => iso(ticks, 3),
  timestampFromMicroseconds: (ticks: bigint) => iso(ticks, 6),
  dateFromDays: (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10),
} as object; // the reader's types want its own results of dates

/** Values of a reader as JSON with 64-bit integers as strings. */
function plain(value: unknown, scaleOf?: (name: string) => number | undefined): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item));
  if ('toJSON' in value && typeof value.toJSON === 'function') return plain(value.toJSON() as unknown);
  const entries = Object.entries(value).map(([name, item]: [string, unknown]) => {
    const scale = scaleOf?.(name);
    if (!(item instanceof Uint8Array) || scale === undefined) return [name, plain(item)];
    const hex = Buffer.from(item).toString('hex');
    return [name, decimal(BigInt.asIntN(item.length * 8, BigInt(`0x${hex}`)), scale)];
  });
  return Object.fromEntries(entries);
}

/** By column: the annotations of its elements, or the physical type of those without one. */
function columnsOf(schema: readonly SchemaElement[]): [string, string][] {
  let at = 1;
  const read = (): string[] => {
    const element = schema[at++];
    if (element === undefined) return [];
    const { converted_type: annotation, type, precision, scale, num_children: children = 0 } = element;
    const own = annotation === 'DECIMAL' ? `DECIMAL(${precision},${scale})` : (annotation ?? type);
    const below = Array.from({ length: children }, read).flat();
    return own === undefined || own === 'MAP_KEY_VALUE' ? below : [own, ...below];
  };
  const columns: [string, string][] = [];
  while (at < schema.length) {
    const { name = '' } = schema[at] ?? {};
    columns.push([name, read().join(' > ')]);
  }
  return columns;
}
