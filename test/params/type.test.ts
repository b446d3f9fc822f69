import { expect, test } from 'vitest';
import { isFailure, parseParameterType, placeholderType } from '../../src/params/type.ts';

test.each([
  ['String', 'String', 'Nullable(String)'],
  ['Bool', 'Bool', 'Nullable(Bool)'],
  ['UInt8', 'UInt8', 'Nullable(UInt8)'],
  ['Int256', 'Int256', 'Nullable(Int256)'],
  ['Float32', 'Float32', 'Nullable(Float32)'],
  ['Decimal(10,2)', 'Decimal(10, 2)', 'Nullable(Decimal(10, 2))'],
  ['Decimal( 76 , 76 )', 'Decimal(76, 76)', 'Nullable(Decimal(76, 76))'],
  ['Date32', 'Date32', 'Nullable(Date32)'],
  ['DateTime', 'DateTime', "Nullable(DateTime('UTC'))"],
  ['DateTime64(6)', 'DateTime64(6)', "Nullable(DateTime64(6, 'UTC'))"],
  ['IPv6', 'IPv6', 'Nullable(IPv6)'],
  ['Array(String)', 'Array(String)', 'Array(String)'],
  [' Array ( DateTime64( 3 ) ) ', 'Array(DateTime64(3))', "Array(DateTime64(3, 'UTC'))"],
  ["DateTime('UTC')", 'DateTime', "Nullable(DateTime('UTC'))"],
  ["DateTime('Europe/Berlin')", "DateTime('Europe/Berlin')", "Nullable(DateTime('Europe/Berlin'))"],
  [
    "DateTime64(3,'Asia/Kolkata')",
    "DateTime64(3, 'Asia/Kolkata')",
    "Nullable(DateTime64(3, 'Asia/Kolkata'))",
  ],
  ['Decimal(10)', 'Decimal(10, 0)', 'Nullable(Decimal(10, 0))'],
  ['Decimal64(4)', 'Decimal(18, 4)', 'Nullable(Decimal(18, 4))'],
  ['FixedString( 3 )', 'FixedString(3)', 'Nullable(FixedString(3))'],
  ["Enum8('a','b')", "Enum8('a' = 1, 'b' = 2)", "Nullable(Enum8('a' = 1, 'b' = 2))"],
  ["Enum('a' = 5, 'b')", "Enum8('a' = 5, 'b' = 6)", "Nullable(Enum8('a' = 5, 'b' = 6))"],
  ["Enum('a' = -1, 'b' = 1000)", "Enum16('a' = -1, 'b' = 1000)", "Nullable(Enum16('a' = -1, 'b' = 1000))"],
  ["Enum8('it''s' = 1)", "Enum8('it\\'s' = 1)", "Nullable(Enum8('it\\'s' = 1))"],
  ['Nullable(UInt8)', 'Nullable(UInt8)', 'Nullable(UInt8)'],
  ['LowCardinality(String)', 'LowCardinality(String)', 'LowCardinality(Nullable(String))'],
  [
    'LowCardinality(Nullable(String))',
    'LowCardinality(Nullable(String))',
    'LowCardinality(Nullable(String))',
  ],
  ['Array(Nullable(UInt8))', 'Array(Nullable(UInt8))', 'Array(Nullable(UInt8))'],
  ['Array(Array(String))', 'Array(Array(String))', 'Array(Array(String))'],
  ['Tuple(String,UInt8)', 'Tuple(String, UInt8)', 'Tuple(String, UInt8)'],
  ['Tuple(at DateTime, n UInt8)', 'Tuple(at DateTime, n UInt8)', "Tuple(at DateTime('UTC'), n UInt8)"],
  ['Map(String,Array(Date))', 'Map(String, Array(Date))', 'Map(String, Array(Date))'],
])('%s', (text, name, placeholder) => {
  const type = parseParameterType(text);
  if (isFailure(type)) throw new Error(type.message);
  expect([type.name, placeholderType(type, true)]).toEqual([name, placeholder]);
});

test.each([
  ['string', 'String', 'names are case-sensitive'],
  ['Uint8', 'UInt8', 'a typo'],
  ['DateTime64', 'DateTime64(S)', 'its scale is needed'],
  ['Decimal', 'Decimal(P, S)', 'its digits are needed'],
  ['Decimal(77, 1)', 'Decimal(10, 2)', 'too many digits'],
  ['Decimal(2, 3)', 'Decimal(10, 2)', 'more digits behind the point than there are'],
  ['DateTime64(10)', 'DateTime64(6)', 'too fine'],
  ["DateTime('Europe/Berln')", 'Europe/Berlin', 'no such zone'],
  ["DateTime('europe/berlin')", 'Europe/Berlin', 'zones are case-sensitive'],
  ["DateTime('+02:00')", 'Europe/Berlin', 'an offset is no zone'],
  ["DateTime64('UTC', 3)", 'DateTime64(S)', 'the scale comes first'],
  ['Decimal32(10)', 'Decimal(10, 2)', 'more digits behind the point than there are'],
  ['FixedString(0)', 'FixedString(16)', 'no bytes'],
  ['FixedString', 'FixedString(N)', 'its length is needed'],
  ["Enum8('a','a')", 'Enum8', 'a name twice'],
  ["Enum8('a'=1,'b'=1)", 'Enum8', 'a number twice'],
  ["Enum8('a'=128)", 'Enum8', 'a number that does not fit'],
  ['Enum8(a)', 'Enum8', 'a name without quotes'],
  ['Enum8', 'Enum8', 'no names'],
  ['Nullable(Array(String))', 'Nullable', 'arrays are never NULL'],
  ['Nullable(LowCardinality(String))', 'LowCardinality(Nullable', 'in the other order'],
  ['LowCardinality(Decimal(10, 2))', 'LowCardinality', 'the engine has none of it'],
  ['Map(String)', 'Map(K, V)', 'no type of values'],
  ['Map(Nullable(String), String)', 'Map(String', 'keys are never NULL'],
  ['Map(Array(String), String)', 'Map(String', 'keys are single values'],
  ['Tuple()', 'Tuple(T, …)', 'no elements'],
  ['Tuple(a String, UInt8)', 'Rename', 'names for some elements only'],
  ['Tuple(a String, a UInt8)', 'Rename', 'a name twice'],
  ['Array(String, String)', 'Array(T)', 'two types'],
  ['Array(Array(Array(Array(Array(String)))))', 'simpler', 'too deep'],
  ['Identifier', 'String parameter', 'would paste the value into the query'],
  ['identifier', 'String parameter', 'in any case'],
  ['', 'String', 'nothing'],
  ['String)', 'String', 'text after the type'],
])('%s is rejected: hint %s, because %s', (text, hint) => {
  const type = parseParameterType(text);
  expect(isFailure(type) && type.hint).toContain(hint);
});
