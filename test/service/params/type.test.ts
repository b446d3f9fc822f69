import { expect, test } from 'vitest';
import { isFailure, parseParameterType, placeholderType } from '../../../src/service/params/type.ts';

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
  ['BIGINT', 'Int64', 'Nullable(Int64)'],
  ['double precision', 'Float64', 'Nullable(Float64)'],
  ['numeric(10, 2)', 'Decimal(10, 2)', 'Nullable(Decimal(10, 2))'],
  ["enum('a')", "Enum8('a' = 1)", "Nullable(Enum8('a' = 1))"],
  ['Array(int unsigned)', 'Array(UInt32)', 'Array(UInt32)'],
  ['Tuple(text TEXT, set BIGINT)', 'Tuple(text String, set Int64)', 'Tuple(text String, set Int64)'],
  ['timestamp', 'DateTime', "Nullable(DateTime('UTC'))"],
  ['Map(String,Array(Date))', 'Map(String, Array(Date))', 'Map(String, Array(Date))'],
])('%s', (text, name, placeholder) => {
  const type = parseParameterType(text);
  if (isFailure(type)) throw new Error(type.message);
  expect([type.name, placeholderType(type, true)]).toEqual([name, placeholder]);
});

test.each([
  ['string', 'string is not a supported parameter type. Did you mean String?'],
  ['VARCHAR(255)', 'ClickHouse ignores the length of VARCHAR(255). Write String, and max_length: 255'],
  ['INT(11)', 'INT(11) is not a supported parameter type. Did you mean Int32?'],
  ['NUMERIC', 'Decimal is not a supported parameter type. Did you mean Decimal(P, S)?'],
  ['String[]', 'String[] is not a supported parameter type. Did you mean Array(String)?'],
  ['List(UInt8)', 'List(UInt8) is not a supported parameter type. Did you mean Array(UInt8)?'],
  ['timestamptz', 'timestamptz is not a supported parameter type. Did you mean DateTime?'],
  ['Uint8', 'Uint8 is not a supported parameter type. Did you mean UInt8?'],
  ['DateTime64', 'DateTime64 is not a supported parameter type. Did you mean DateTime64(S)?'],
  ['Decimal', 'Decimal is not a supported parameter type. Did you mean Decimal(P, S)?'],
  [
    'Decimal(77, 1)',
    'a Decimal has 1 to 76 digits, and a scale of at most that number. Write, for example, Decimal(10, 2)',
  ],
  [
    'Decimal(2, 3)',
    'a Decimal has 1 to 76 digits, and a scale of at most that number. Write, for example, Decimal(10, 2)',
  ],
  ['DateTime64(10)', 'a DateTime64 has at most 9 fractional digits. Write, for example, DateTime64(6)'],
  ["DateTime('Europe/Berln')", 'there is no time zone Europe/Berln. Did you mean Europe/Berlin?'],
  ["DateTime('europe/berlin')", 'there is no time zone europe/berlin. Did you mean Europe/Berlin?'],
  ["DateTime('+02:00')", "there is no time zone +02:00. Write a name such as 'Europe/Berlin'"],
  [
    "DateTime64('UTC', 3)",
    "DateTime64('UTC', 3) is not a supported parameter type. Did you mean DateTime64(S)?",
  ],
  [
    'Decimal32(10)',
    'a Decimal has 1 to 76 digits, and a scale of at most that number. Write, for example, Decimal(10, 2)',
  ],
  ['FixedString(0)', 'a FixedString has 1 to 8192 bytes. Write, for example, FixedString(16)'],
  ['FixedString', 'FixedString is not a supported parameter type. Did you mean FixedString(N)?'],
  ["Enum8('a','a')", "the Enum has the name a twice. Write, for example, Enum8('view', 'click')"],
  ["Enum8('a'=1,'b'=1)", "the Enum has the number 1 twice. Write, for example, Enum8('view', 'click')"],
  [
    "Enum8('a'=128)",
    "the numbers of an Enum8 are from -128 to 127. Write, for example, Enum8('view', 'click')",
  ],
  [
    'Enum8(a)',
    "an Enum has names in single quotes, optionally with numbers. Write, for example, Enum8('view', 'click')",
  ],
  ['Enum8', "Enum8 is not a supported parameter type. Did you mean Enum8('a', 'b')?"],
  ['Nullable(Array(String))', 'Array(String) cannot be inside Nullable. Remove Nullable'],
  [
    'Nullable(LowCardinality(String))',
    'LowCardinality(String) cannot be inside Nullable. Write LowCardinality(Nullable(…))',
  ],
  [
    'LowCardinality(Decimal(10, 2))',
    'Decimal(10, 2) cannot be inside LowCardinality. Remove LowCardinality: it changes no value',
  ],
  ['Map(String)', 'Map(String) is not a supported parameter type. Did you mean Map(K, V)?'],
  [
    'Map(Nullable(String), String)',
    'Nullable(String) cannot be the key of a Map. Write, for example, Map(String, UInt64)',
  ],
  [
    'Map(Array(String), String)',
    'Array(String) cannot be the key of a Map. Write, for example, Map(String, UInt64)',
  ],
  ['Tuple()', 'Tuple() is not a supported parameter type. Did you mean Tuple(T, …)?'],
  ['Tuple(a String, UInt8)', 'a Tuple has different names for all its elements, or for none. Rename them'],
  ['Tuple(a String, a UInt8)', 'a Tuple has different names for all its elements, or for none. Rename them'],
  [
    'Array(String, String)',
    'Array(String, String) is not a supported parameter type. Did you mean Array(T)?',
  ],
  [
    'Array(Array(Array(Array(Array(String)))))',
    'the type is nested deeper than 5 levels. Use a simpler type',
  ],
  [
    'Identifier',
    'Identifier is not allowed: it would insert caller input into the query itself. Name each table or column in the query, and select one by a String parameter',
  ],
  [
    'identifier',
    'Identifier is not allowed: it would insert caller input into the query itself. Name each table or column in the query, and select one by a String parameter',
  ],
  ['String)', 'String) is not a supported parameter type. Did you mean String?'],
  ['', ' is not a supported parameter type. The types are String, FixedString(N), Bool, Int8'],
])('%s is rejected: %s', (text, reason) => {
  const type = parseParameterType(text);
  expect(isFailure(type) ? `${type.message}. ${type.hint}` : 'accepted').toContain(reason);
});
