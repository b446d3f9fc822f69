// How a changed parameter type relates to the old one, by the values that it accepts.
import { expect, test } from 'vitest';
import { compareParameterTypes, type TypeStep } from '../../../src/cli/compare/widening.ts';

test.each<[before: string, after: string, step: TypeStep]>([
  ['UInt8', 'UInt16', 'wider'],
  ['UInt16', 'UInt8', 'narrower'],
  ['UInt8', 'String', 'other'],
  ['String', 'Nullable(String)', 'wider'],
  ['String', 'LowCardinality(String)', 'same'],
  ['LowCardinality(Nullable(String))', 'String', 'narrower'],
  ['FixedString(3)', 'FixedString(4)', 'wider'],
  ['FixedString(3)', 'String', 'wider'],
  ["Enum8('a', 'b')", "Enum8('a', 'b', 'c')", 'wider'],
  ["Enum8('a' = 1)", "Enum16('a' = 2)", 'same'],
  ["Enum8('a', 'b')", "Enum8('a', 'c')", 'other'],
  ["Enum8('a')", 'String', 'wider'],
  ['Decimal64(2)', 'Decimal(18, 2)', 'same'],
  ['DateTime', "DateTime('UTC')", 'same'],
  ['DateTime', "DateTime('Europe/Berlin')", 'other'],
  ["DateTime('Europe/Berlin')", "DateTime64(3, 'Europe/Berlin')", 'wider'],
  ["DateTime64(3, 'Europe/Berlin')", 'DateTime64(6)', 'other'],
  ['Array(UInt8)', 'Array(Nullable(UInt16))', 'wider'],
  ['Array(Array(UInt8))', 'Array(Array(UInt16))', 'wider'],
  ['Map(String, UInt8)', 'Map(String, UInt16)', 'wider'],
  ['Map(UInt16, UInt8)', 'Map(UInt8, UInt8)', 'narrower'],
  ['Tuple(a UInt8, b String)', 'Tuple(a UInt16, b String)', 'wider'],
  ['Tuple(a UInt8)', 'Tuple(b UInt8)', 'other'],
  ['Tuple(UInt8)', 'Tuple(UInt8, UInt8)', 'other'],
])('%s to %s: %s', (before, after, step) => {
  expect(compareParameterTypes(before, after)).toBe(step);
});
