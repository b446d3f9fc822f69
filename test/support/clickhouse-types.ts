// ClickHouse types, a value of each, and the TypeScript type of its JSON.

export interface TypeRow {
  /** SQL. */
  readonly value: string;
  /** As toTypeName prints it, on one line. */
  readonly type: string;
  readonly typescript: string;
  /** The TypeScript type where the endpoint writes 64-bit integers as strings, if it differs. */
  readonly quoted?: string;
}

export const TYPE_ROWS: readonly TypeRow[] = [
  { value: 'true', type: 'Bool', typescript: 'boolean' },
  { value: 'toInt8(-1)', type: 'Int8', typescript: 'number' },
  { value: 'toUInt32(1)', type: 'UInt32', typescript: 'number' },
  { value: 'toUInt64(1)', type: 'UInt64', typescript: 'number', quoted: 'string' },
  { value: 'toInt128(-1)', type: 'Int128', typescript: 'number', quoted: 'string' },
  { value: 'toUInt256(1)', type: 'UInt256', typescript: 'number', quoted: 'string' },
  { value: "CAST(1, 'Nullable(Int8)')", type: 'Nullable(Int8)', typescript: 'number | null' },
  { value: 'NULL', type: 'Nullable(Nothing)', typescript: 'null' },
  { value: 'toFloat32(1.5)', type: 'Float32', typescript: 'number | null' },
  { value: 'nan', type: 'Float64', typescript: 'number | null' },
  { value: "CAST(1.5, 'Nullable(Float64)')", type: 'Nullable(Float64)', typescript: 'number | null' },
  { value: "CAST(1.5, 'BFloat16')", type: 'BFloat16', typescript: 'number | null' },
  { value: "CAST(1.5, 'Decimal(10, 2)')", type: 'Decimal(10, 2)', typescript: 'number', quoted: 'string' },
  { value: "CAST(1.5, 'Decimal256(4)')", type: 'Decimal(76, 4)', typescript: 'number', quoted: 'string' },
  { value: "'a'", type: 'String', typescript: 'string' },
  { value: "CAST('ab', 'FixedString(5)')", type: 'FixedString(5)', typescript: 'string' },
  { value: "toLowCardinality('a')", type: 'LowCardinality(String)', typescript: 'string' },
  {
    value: "CAST('a', 'LowCardinality(Nullable(String))')",
    type: 'LowCardinality(Nullable(String))',
    typescript: 'string | null',
  },
  {
    value: String.raw`CAST('a', 'Enum8(\'a\' = 1, \'b, c)\' = -2)')`,
    type: "Enum8('b, c)' = -2, 'a' = 1)",
    typescript: '"b, c)" | "a"',
  },
  {
    value: String.raw`CAST('it\'s', 'Enum16(\'it\\\'s\' = 1000)')`,
    type: String.raw`Enum16('it\'s' = 1000)`,
    typescript: '"it\'s"',
  },
  {
    value: String.raw`CAST('a', 'Nullable(Enum8(\'a\' = 1))')`,
    type: "Nullable(Enum8('a' = 1))",
    typescript: '"a" | null',
  },
  { value: "toDate('2024-01-01')", type: 'Date', typescript: 'string' },
  { value: "toDate32('2024-01-01')", type: 'Date32', typescript: 'string' },
  { value: "toDateTime('2024-01-01 00:00:00', 'UTC')", type: "DateTime('UTC')", typescript: 'string' },
  {
    value: "toDateTime64('2024-01-01 00:00:00', 6, 'America/New_York')",
    type: "DateTime64(6, 'America/New_York')",
    typescript: 'string',
  },
  { value: "CAST('12:00:00', 'Time')", type: 'Time', typescript: 'string' },
  { value: "CAST('12:00:00.123', 'Time64(3)')", type: 'Time64(3)', typescript: 'string' },
  { value: 'toIntervalDay(3)', type: 'IntervalDay', typescript: 'number', quoted: 'string' },
  {
    value: "toUUID('61ec5096-2e89-446c-81f4-b402c4fb501e')",
    type: 'UUID',
    typescript: 'string',
  },
  { value: "toIPv4('1.2.3.4')", type: 'IPv4', typescript: 'string' },
  { value: "toIPv6('::1')", type: 'IPv6', typescript: 'string' },
  { value: '[1, NULL]', type: 'Array(Nullable(UInt8))', typescript: '(number | null)[]' },
  { value: '[[toUInt64(1)]]', type: 'Array(Array(UInt64))', typescript: 'number[][]', quoted: 'string[][]' },
  { value: '[]', type: 'Array(Nothing)', typescript: 'null[]' },
  { value: "(1, 'a')", type: 'Tuple(UInt8, String)', typescript: '[number, string]' },
  { value: 'tuple()', type: 'Tuple()', typescript: '[]' },
  {
    value: "CAST((1, 'a'), 'Tuple(a UInt8, `b c` Nullable(String))')",
    type: 'Tuple(a UInt8, `b c` Nullable(String))',
    typescript: '{ "a": number; "b c": string | null }',
  },
  {
    value: "CAST((1, (2, 'x')), 'Tuple(SKIP UInt8, `x``y` Tuple(`a.b` UInt8, String String))')",
    type: 'Tuple(SKIP UInt8, `x\\`y` Tuple(`a.b` UInt8, String String))',
    typescript: '{ "SKIP": number; "x`y": { "a.b": number; "String": string } }',
  },
  {
    value: "CAST([(1, 'a')], 'Nested(a UInt8, b String)')",
    type: 'Nested(a UInt8, b String)',
    typescript: '{ "a": number; "b": string }[]',
  },
  {
    value: "map('a', [1.5])",
    type: 'Map(String, Array(Float64))',
    typescript: 'Record<string, (number | null)[]>',
  },
  { value: "CAST('{\"a\":1}', 'JSON')", type: 'JSON', typescript: 'Record<string, unknown>' },
  {
    value: String.raw`CAST('{"a":{"b":1}}', 'JSON(max_dynamic_paths=16, a.b UInt32, \`c d\` Nullable(String), SKIP x.y, SKIP REGEXP \'z, .\')')`,
    type: "JSON(max_dynamic_paths=16, `a.b` UInt32, `c d` Nullable(String), SKIP `x.y`, SKIP REGEXP 'z, .')",
    typescript: 'Record<string, unknown>',
  },
  { value: "CAST(1, 'Variant(String, UInt8)')", type: 'Variant(String, UInt8)', typescript: 'unknown' },
  { value: "CAST(1, 'Dynamic')", type: 'Dynamic', typescript: 'unknown' },
  { value: "CAST(1, 'Dynamic(max_types=8)')", type: 'Dynamic(max_types=8)', typescript: 'unknown' },
  { value: "CAST((1, 2), 'Point')", type: 'Point', typescript: '[number | null, number | null]' },
  { value: "CAST([(1, 2)], 'Ring')", type: 'Ring', typescript: '[number | null, number | null][]' },
  { value: "CAST([[(1, 2)]], 'Polygon')", type: 'Polygon', typescript: '[number | null, number | null][][]' },
  {
    value: "CAST([[[(1, 2)]]], 'MultiPolygon')",
    type: 'MultiPolygon',
    typescript: '[number | null, number | null][][][]',
  },
  {
    value: "CAST(1, 'SimpleAggregateFunction(sum, UInt64)')",
    type: 'SimpleAggregateFunction(sum, UInt64)',
    typescript: 'number',
    quoted: 'string',
  },
  {
    value: 'quantilesState(0.5, 0.9)(1.5)',
    type: 'AggregateFunction(quantiles(0.5, 0.9), Float64)',
    typescript: 'unknown',
  },
  {
    value: 'sumMapState([1], [2])',
    type: 'AggregateFunction(1, sumMap, Array(UInt8), Array(UInt8))',
    typescript: 'unknown',
  },
];
