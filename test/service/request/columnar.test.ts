// Column types as columnar file formats represent them.
import { expect, test } from 'vitest';
import { fileType } from '../../../src/service/request/formats/columnar.ts';

test.each<{ type: string; file: string }>([
  { type: 'UInt64', file: 'UInt64' },
  { type: 'Int128', file: 'String' },
  { type: 'Decimal(18, 4)', file: 'Decimal(18, 4)' },
  { type: 'Float64', file: 'Nullable(Float64)' },
  { type: 'Nullable(Float32)', file: 'Nullable(Float32)' },
  { type: 'Array(Float64)', file: 'Array(Nullable(Float64))' },
  { type: 'Map(Float64, Float64)', file: 'Map(Float64, Nullable(Float64))' },
  { type: 'DateTime', file: 'DateTime64(3)' },
  { type: "Nullable(DateTime('Europe/Berlin'))", file: "Nullable(DateTime64(3, 'Europe/Berlin'))" },
  { type: "DateTime64(6, 'UTC')", file: "DateTime64(6, 'UTC')" },
  { type: 'JSON(a.b String, SKIP c)', file: 'String' },
  { type: 'Array(JSON(`a)` UInt8))', file: 'Array(String)' },
  { type: 'Nullable(Dynamic)', file: 'Nullable(String)' },
  {
    type: 'Tuple(JSON UInt8, Time IPv4, `x y` Variant(UInt8, String))',
    file: 'Tuple(`JSON` UInt8, `Time` String, `x y` Nullable(String))',
  },
  { type: 'Dynamic', file: 'Nullable(String)' },
  { type: 'Map(String, Variant(UInt8, String))', file: 'Map(String, Nullable(String))' },
  { type: 'Array(Dynamic)', file: 'Array(Nullable(String))' },
  {
    type: 'Tuple(\n    a DateTime,\n    b Nullable(UUID))',
    file: 'Tuple(`a` DateTime64(3), `b` Nullable(String))',
  },
  { type: "Enum8('Time' = 1, 'a\\'(' = 2)", file: 'String' },
  { type: 'AggregateFunction(groupBitmap, UInt8)', file: 'String' },
  {
    type: "Array(Tuple(s AggregateFunction(quantiles(0.5, 0.9), Float64), `AggregateFunction(` UInt8, e Enum8('AggregateFunction' = 1)))",
    file: 'Array(Tuple(`s` String, `AggregateFunction(` UInt8, `e` String))',
  },
  { type: 'SimpleAggregateFunction(sum, UInt64)', file: 'UInt64' },
  { type: 'Map(String, IPv6)', file: 'Map(String, String)' },
  { type: 'LowCardinality(Nullable(FixedString(3)))', file: 'Nullable(String)' },
  { type: 'Ring', file: 'Array(Tuple(Nullable(Float64), Nullable(Float64)))' },
  { type: 'IntervalDay', file: 'Int64' },
])('the type $type in a file', ({ type, file }) => {
  expect(fileType(type)).toBe(file);
});
