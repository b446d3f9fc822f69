// Types of columns that can be keys of pages.
import { expect, test } from 'vitest';
import { pageKeyType } from '../../../src/service/endpoints/page-key-type.ts';

test.each<[type: string, key: string | undefined]>([
  ['UInt64', 'UInt64'],
  ['LowCardinality(String)', 'String'],
  ['LowCardinality(Nullable(String))', undefined],
  ['Nullable(UInt8)', undefined],
  ['Decimal(9, 2)', 'Decimal(9, 2)'],
  ['DateTime', "DateTime('UTC')"],
  ["LowCardinality(DateTime('Asia/Tokyo'))", "DateTime('UTC')"],
  ["DateTime64(6, 'Asia/Tokyo')", "DateTime64(6, 'UTC')"],
  ["SimpleAggregateFunction(max, DateTime64(3, 'UTC'))", "DateTime64(3, 'UTC')"],
  ['SimpleAggregateFunction(max, Nullable(UInt8))', undefined],
  ['IPv6', 'IPv6'],
  ['Float64', undefined],
  ['IntervalDay', undefined],
  ['Array(UInt8)', undefined],
  ["Enum8('String' = 1)", undefined],
])('%s: %s', (type, key) => {
  expect(pageKeyType(type)).toBe(key);
});
