// Column types as columnar file formats represent them.
import { expect, test } from 'vitest';
import { fileType } from '../../src/request/columnar.ts';

test.each<{ type: string; plain: string; redacted?: string }>([
  { type: 'UInt64', plain: 'UInt64' },
  { type: 'Float64', plain: 'Nullable(Float64)' },
  { type: 'Nullable(Float32)', plain: 'Nullable(Float32)' },
  { type: 'Array(Float64)', plain: 'Array(Nullable(Float64))' },
  { type: "DateTime64(6, 'UTC')", plain: "DateTime64(6, 'UTC')" },
  { type: 'JSON(a.b String, SKIP c)', plain: 'String' },
  { type: 'Array(JSON(`a)` UInt8))', plain: 'Array(String)' },
  { type: 'Nullable(Dynamic)', plain: 'Nullable(String)' },
  {
    type: 'Tuple(JSON UInt8, Time IPv4, `x y` Variant(UInt8, String))',
    plain: 'Tuple(JSON UInt8, Time IPv4, `x y` String)',
    redacted: 'Tuple(JSON UInt8, Time String, `x y` String)',
  },
  { type: "Enum8('Time' = 1, 'a\\'(' = 2)", plain: "Enum8('Time' = 1, 'a\\'(' = 2)", redacted: 'String' },
  { type: 'AggregateFunction(groupBitmap, UInt8)', plain: 'String' },
  {
    type: "Array(Tuple(s AggregateFunction(quantiles(0.5, 0.9), Float64), `AggregateFunction(` UInt8, e Enum8('AggregateFunction' = 1)))",
    plain: "Array(Tuple(s String, `AggregateFunction(` UInt8, e Enum8('AggregateFunction' = 1)))",
    redacted: 'Array(Tuple(s String, `AggregateFunction(` UInt8, e String))',
  },
  {
    type: 'SimpleAggregateFunction(sum, UInt64)',
    plain: 'SimpleAggregateFunction(sum, UInt64)',
  },
  { type: 'Map(String, IPv6)', plain: 'Map(String, IPv6)', redacted: 'Map(String, String)' },
  {
    type: 'LowCardinality(FixedString(3))',
    plain: 'LowCardinality(FixedString(3))',
    redacted: 'LowCardinality(String)',
  },
])('the type $type in a file', ({ type, plain, redacted = plain }) => {
  expect([fileType(type, { isRedacted: false }), fileType(type, { isRedacted: true })]).toEqual([
    plain,
    redacted,
  ]);
});
