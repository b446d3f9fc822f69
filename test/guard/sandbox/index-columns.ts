// Columns of many types with the values at which index analysis may go wrong, and the tables that have indexes on them: every pair of values
// of a column shares a granule.

export type ColumnKind = 'text' | 'number' | 'time' | 'list' | 'map' | 'other';

export interface IndexedColumn {
  readonly type: string;
  readonly kind: ColumnKind;
  /** As SQL; the first is harmless. */
  readonly values: readonly string[];
  /** What conditions read, with `v` for the column; default: the column itself. */
  readonly reads?: readonly string[];
  /** What indexes are on; default: the column itself. */
  readonly indexed?: readonly string[];
  /** Types of skip indexes; default: those of the kind. */
  readonly skip?: readonly string[];
  /** Expressions that its tables are sorted and partitioned by, instead of tables with indexes on the column. */
  readonly keys?: readonly string[];
}

const whole = (...values: readonly string[]): readonly string[] => ['5', '0', '1', '-1', '9', '10', '99', '100', ...values]; // prettier-ignore
const unsigned = (...values: readonly string[]): readonly string[] => ['5', '0', '1', '9', '10', '99', '100', ...values]; // prettier-ignore
const FLOATS = ['5', 'nan', '0', '-0.0', 'inf', '-inf', '1', '0.1', '5.5', '-1', '1e18', '3e38', '16777217', '10', '100', '1e-30']; // prettier-ignore
const TEXTS = [
  "'a'", "''", "'az'", "'ab'", "'abc'", "'b'", "'xyz'", "'5'", "'10'", "'9'", "'aé'", "'\\xff'", "'a\\xff\\xff'", "'a_b'", "'a%b'", "'A'", "'a\\\\b'", "'\\0'", "'abc\\0'", "' a '",
  "'hello big World'", "'https://ex.org/p?k=a'", "'nan'", "'{\"a\":1}'",
]; // prettier-ignore
const SHORT = ["'a'", "''", "'az'", "'ab'", "'abcd'", "'b'", "'5'", "'10'", "'aé'", "'\\xff'", "'A'", "'a\\0'", "' a'"]; // prettier-ignore
const DAYS = ["'2000-01-01'", "'1970-01-01'", "'1970-01-02'", "'2149-06-06'", "'2024-02-29'", "'2024-03-01'", "'2106-02-07'", "'2024-11-03'"]; // prettier-ignore
const SECONDS = ['1000000000', '0', '1', '3599', '3600', '86399', '86400', '4294967295', '4294967294', '1730612940', '1730613600', '1730613300', '1730616000', '1730617200', '1711846800', '1709164800', '2147483648', '949363200']; // prettier-ignore
const MOMENTS = ["'2000-01-01 15:00:00'", "'1900-01-01 00:00:00'", "'1900-01-02 00:00:00'", "'1969-12-31 23:59:59.999'", "'1970-01-01 00:00:00'", "'1970-01-01 00:30:00'", "'2106-02-07 06:28:15'", "'2106-02-07 06:28:16'", "'2149-06-06 12:00:00'", "'2149-06-07 12:00:00'", "'2178-06-08 12:00:00'", "'2024-11-03 05:50:00'", "'2024-11-03 06:05:00'", "'2024-11-03 06:10:00'", "'2262-04-11 23:47:16.854'", "'2299-12-31 23:59:59'", "'1999-12-31 23:59:59.9'", "'1970-01-01 00:00:00.1'"]; // prettier-ignore
const moments = (type: string): readonly string[] => MOMENTS.map((moment) => `CAST(${moment}, '${type.replaceAll("'", "\\'")}')`); // prettier-ignore
const nullable = (values: readonly string[]): readonly string[] => [...values.slice(0, 1), 'NULL', ...values.slice(1)]; // prettier-ignore

const time = (type: string): IndexedColumn => ({ type, kind: 'time', values: moments(type) });
const INT32 = whole('255', '256', '65535', '65536', '2147483647', '-2147483648', '-128', '-1000000');
const INT64 = whole('255', '256', '4294967296', '9223372036854775807', '-9223372036854775808', '999999999999999999', '1000000000000000001', '9007199254740993', '-9007199254740993', '1704067200'); // prettier-ignore
const NO_TOKENS = ['minmax', 'set(0)', 'bloom_filter'];
const KEYED_TEXTS = ['mapKeys(v)', 'mapValues(v)'];

const TIME_KEYS = ['toStartOfHour(v)', 'toDate(v)', '(toYYYYMM(v), -toInt64(toUnixTimestamp(v)))', 'toMonday(v)', 'toStartOfInterval(v, INTERVAL 15 MINUTE)', "toDate(v, 'America/New_York')", 'cityHash64(v)', 'toHour(v)', 'toStartOfMonth(v)', 'toString(v)', '(toDate(v), toHour(v))', '-toUnixTimestamp(v)', 'toYearWeek(v)', "toStartOfHour(v, 'Asia/Kolkata')", 'toDayOfWeek(v)', 'toLastDayOfMonth(v)', 'v + INTERVAL 1 DAY', "formatDateTime(v, '%Y-%m')"]; // prettier-ignore
const NUMBER_KEYS = ['intDiv(v, 10)', '-v', 'v % 10', 'cityHash64(v)', '(v % 10, -v)', 'toString(v)', 'abs(v)', 'v + 1', '10 - v', 'v > 5', 'toInt8(v)', 'toUInt16(v)', 'intDiv(v, -10)', 'toFloat32(v)', 'positiveModulo(v, 4)']; // prettier-ignore
const TEXT_KEYS = ['lower(v)', 'cityHash64(v)', 'left(v, 2)', 'length(v)', '(empty(v), v)', "v = 'a'", "v LIKE 'a%'", 'reverse(v)', 'toInt64OrZero(toString(v))', "concat(v, 'z')", 'substring(v, 2)', 'domain(toString(v))']; // prettier-ignore
/** In the range of the types that the expressions above have: the engine itself overlooks a row whose key wraps around. */
const WITHIN = ["'2000-01-01 15:00:00'", "'1970-01-03 00:30:00'", "'1999-12-31 23:59:59.9'", "'2024-02-29 12:00:00'", "'2024-03-31 00:59:59.999'", "'2024-03-31 01:00:00'", "'2024-11-03 05:50:00'", "'2024-11-03 06:05:00'", "'2024-11-03 06:10:00'", "'2100-06-15 12:00:00'"]; // prettier-ignore

export const INDEXED_COLUMNS: Readonly<Record<string, IndexedColumn>> = {
  text: { type: 'String', kind: 'text', values: TEXTS },
  text_low: { type: 'LowCardinality(String)', kind: 'text', values: TEXTS },
  text_null: { type: 'Nullable(String)', kind: 'text', values: nullable(TEXTS), skip: NO_TOKENS },
  text_low_null: { type: 'LowCardinality(Nullable(String))', kind: 'text', values: nullable(TEXTS), skip: NO_TOKENS },
  text_folded: { type: 'String', kind: 'text', values: TEXTS, indexed: ['lower(v)', 'upper(v)'] },
  text_part: { type: 'String', kind: 'text', values: TEXTS, indexed: ['substring(v, 1, 2)', 'length(v)'], skip: NO_TOKENS },
  fixed: { type: 'FixedString(4)', kind: 'text', values: SHORT },
  fixed_null: { type: 'Nullable(FixedString(4))', kind: 'text', values: nullable(SHORT), skip: NO_TOKENS },
  fixed_low: { type: 'LowCardinality(FixedString(4))', kind: 'text', values: SHORT },
  int8: { type: 'Int8', kind: 'number', values: whole('127', '-128', '-100') },
  int16: { type: 'Int16', kind: 'number', values: whole('255', '256', '32767', '-32768') },
  int32: { type: 'Int32', kind: 'number', values: INT32 },
  int64: { type: 'Int64', kind: 'number', values: INT64 },
  uint8: { type: 'UInt8', kind: 'number', values: unsigned('127', '128', '255') },
  uint16: { type: 'UInt16', kind: 'number', values: unsigned('255', '256', '32768', '65535') },
  uint32: { type: 'UInt32', kind: 'number', values: unsigned('255', '256', '4294967295', '2147483648', '1704067200') },
  uint64: { type: 'UInt64', kind: 'number', values: unsigned('18446744073709551615', '9223372036854775808', '9007199254740993', '999999999999999999', '1000000000000000001') },
  int64_null: { type: 'Nullable(Int64)', kind: 'number', values: nullable(INT64) },
  uint8_null: { type: 'Nullable(UInt8)', kind: 'number', values: nullable(unsigned('255', '128')) },
  int32_low: { type: 'LowCardinality(Int32)', kind: 'number', values: INT32 },
  int32_low_null: { type: 'LowCardinality(Nullable(Int32))', kind: 'number', values: nullable(INT32) },
  float32: { type: 'Float32', kind: 'number', values: FLOATS },
  float64: { type: 'Float64', kind: 'number', values: [...FLOATS, '1e300'] },
  float64_null: { type: 'Nullable(Float64)', kind: 'number', values: nullable(FLOATS) },
  float32_low: { type: 'LowCardinality(Float32)', kind: 'number', values: FLOATS },
  flag: { type: 'Bool', kind: 'number', values: ['true', 'false'] },
  flag_null: { type: 'Nullable(Bool)', kind: 'number', values: ['true', 'NULL', 'false'] },
  day: { type: 'Date', kind: 'time', values: DAYS },
  day_null: { type: 'Nullable(Date)', kind: 'time', values: nullable(DAYS) },
  day_low: { type: 'LowCardinality(Date)', kind: 'time', values: DAYS },
  day32: { type: 'Date32', kind: 'time', values: [...DAYS, "'1900-01-01'", "'1969-12-31'", "'2299-12-31'", "'2149-06-07'", "'2178-06-07'", "'1999-01-01'"], skip: ['minmax', 'set(0)'] },
  seconds: { type: 'DateTime', kind: 'time', values: SECONDS },
  seconds_utc: { type: "DateTime('UTC')", kind: 'time', values: SECONDS },
  seconds_new_york: { type: "DateTime('America/New_York')", kind: 'time', values: SECONDS },
  seconds_kolkata: { type: "DateTime('Asia/Kolkata')", kind: 'time', values: SECONDS },
  seconds_null: { type: 'Nullable(DateTime)', kind: 'time', values: nullable(SECONDS) },
  millis: time("DateTime64(3, 'UTC')"),
  micros: time('DateTime64(6)'),
  micros_zone: time("DateTime64(6, 'America/New_York')"),
  tenths_null: { ...time('Nullable(DateTime64(1))'), values: nullable(moments('DateTime64(1)')) },
  nanos: { ...time("DateTime64(9, 'UTC')"), values: moments("DateTime64(9, 'UTC')").filter((moment) => !/'(?:2299|1900)/.test(moment)) },
  uuid: { type: 'UUID', kind: 'other', values: ["'61f0c404-5cb3-11e7-907b-a6006ad3dba0'", "'00000000-0000-0000-0000-000000000000'", "'00000000-0000-0000-0000-000000000001'", "'00000001-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "'0000ffff-0000-0000-f000-000000000000'"] },
  ipv4: { type: 'IPv4', kind: 'other', values: ["'10.0.0.1'", "'9.0.0.1'", "'100.1.1.1'", "'255.255.255.255'", "'0.0.0.0'", "'10.0.0.10'"] },
  ipv6: { type: 'IPv6', kind: 'other', values: ["'::1'", "'::'", "'::ffff:10.0.0.1'", "'fe80::1'", "'ffff::'", "'2001:db8::9'", "'2001:db8::10'"] },
  enum: { type: "Enum8('a' = 2, 'z' = 1, 'm' = 3, '' = 0, '10' = -5, '9' = 7)", kind: 'other', values: ["'a'", "'z'", "'m'", "''", "'10'", "'9'"] },
  enum_null: { type: "Nullable(Enum16('a' = 2, 'z' = 1, 'm' = 300))", kind: 'other', values: ["'a'", 'NULL', "'z'", "'m'"] },
  texts: { type: 'Array(String)', kind: 'list', values: ["['a']", '[]', "['']", "['az', 'b']", "['xyz', '']", "['aé']", "['b', 'a', 'a']", "['\\xff']", "['abc']", "['hello big World', 'x']", "['A']"] },
  numbers: { type: 'Array(UInt8)', kind: 'list', values: ['[5]', '[]', '[0]', '[1, 2]', '[255, 0]', '[1]', '[2, 1, 1]', '[5, 5]'], skip: NO_TOKENS },
  floats: { type: 'Array(Float64)', kind: 'list', values: ['[5]', '[]', '[nan]', '[nan, 5]', '[5, nan]', '[-0.0]', '[0]', '[inf]'], skip: NO_TOKENS },
  texts_null: { type: 'Array(Nullable(String))', kind: 'list', values: ["['a']", '[]', '[NULL]', "[NULL, 'a']", "['a', NULL]", "['b']", "['']"], skip: ['minmax', 'set(0)'] },
  pairs: { type: 'Map(String, String)', kind: 'map', values: ["map('k', 'a')", 'map()', "map('k', '')", "map('y', 'az', 'k', 'b')", "map('', '')", "map('y', 'a')", "map('a', 'k')", "map('k', 'aé')", "map('k', 'hello big World')", "map('k', 'A', 'é', 'b')"], reads: ['v', "v['k']", "v['k']", "v['y']", "v['']"], indexed: KEYED_TEXTS },
  pairs_low: { type: 'Map(LowCardinality(String), Nullable(String))', kind: 'map', values: ["map('k', 'a')", 'map()', "map('k', NULL)", "map('y', 'az', 'k', 'b')", "map('y', 'a')", "map('k', '')"], reads: ['v', "v['k']", "v['k']"], indexed: ['mapKeys(v)'] },
  ratios: { type: 'Map(String, Float64)', kind: 'map', values: ["map('k', 5)", 'map()', "map('k', nan)", "map('k', 0)", "map('k', -0.0)", "map('y', 5)", "map('y', nan, 'k', 1)", "map('k', inf)"], reads: ['v', "v['k']", "v['k']"], indexed: KEYED_TEXTS, skip: NO_TOKENS },
  counts: { type: 'Map(String, UInt64)', kind: 'map', values: ["map('k', 5)", 'map()', "map('k', 0)", "map('y', 5)", "map('y', 10, 'k', 1)", "map('k', 18446744073709551615)"], reads: ['v', "v['k']", "v['k']"], indexed: KEYED_TEXTS, skip: NO_TOKENS },
  element: { type: 'Map(String, String)', kind: 'text', values: ["map('k', 'a')", 'map()', "map('k', '')", "map('y', 'az', 'k', 'b')", "map('k', 'xyz')", "map('k', 'aé')"], reads: ["v['k']"], indexed: ["v['k']"] },
  doc: { type: 'JSON(t String, n Int64, r Float64, at DateTime64(3), o Nullable(String))', kind: 'other', values: ['\'{"t":"a","n":5,"r":5}\'', "'{}'", '\'{"t":"az","n":9}\'', '\'{"n":10,"a":"az"}\'', '\'{"t":"xyz","a":5}\'', '\'{"o":"a","a":""}\'', '\'{"r":5.5,"o":""}\'', '\'{"n":-1,"a":["a"]}\'', '\'{"b":{"c":"xyz"}}\'', '\'{"at":"2299-12-31 00:00:00","a":null}\'', '\'{"at":"1900-01-01 00:00:00"}\''], reads: ['v.t', 'v.t', 'v.n', 'v.r', 'v.at', 'v.o', 'v.a', 'v.b.c', 'v.a.:String', 'v.a.:Int64', 'v.zz'], indexed: ['v.t', 'v.n', 'v.r', 'v.at', 'v.o', 'v.a.:String', 'v.a.:Int64', 'toString(v.a)'], skip: NO_TOKENS },
  doc_paths: { type: 'JSON(t String, n Int64)', kind: 'other', values: ['\'{"t":"a","n":5}\'', "'{}'", '\'{"a":"az"}\'', '\'{"a":5}\'', '\'{"b":{"c":"xyz"}}\'', '\'{"a":null}\'', '\'{"t":""}\'', '\'{"a":""}\'', '\'{"a":0}\''], reads: ['v.t', 'v.n', 'v.a', 'v.b.c', 'v.a.:String', 'v.a.:Int64', 'v.zz', 'v.zz.:String', 'v.b.c.:String'], indexed: ['JSONAllPaths(v)'], skip: ['bloom_filter', 'tokenbf_v1(256, 2, 0)', 'ngrambf_v1(3, 256, 2, 0)'] },
  tuple: { type: 'Tuple(x String, y Int64, z Float64)', kind: 'other', values: ["('a', 5, 5)", "('', 0, 0)", "('az', 9, nan)", "('xyz', 10, -0.0)", "('b', -1, inf)", "('aé', 9223372036854775807, 1)"], reads: ['v.x', 'v.y', 'v.z', 'v.1', 'v.2', 'v.3', 'v'], indexed: ['v.x', 'v.y', 'v.z'], skip: NO_TOKENS },
  text_keys: { type: 'String', kind: 'text', values: TEXTS, keys: TEXT_KEYS },
  text_null_keys: { type: 'Nullable(String)', kind: 'text', values: nullable(TEXTS), keys: ["ifNull(v, '')", 'assumeNotNull(v)', 'isNull(v)', 'lower(v)', 'cityHash64(v)', 'length(v)'] },
  fixed_keys: { type: 'FixedString(4)', kind: 'text', values: SHORT, keys: TEXT_KEYS },
  int64_keys: { type: 'Int64', kind: 'number', values: INT64, keys: NUMBER_KEYS },
  uint8_keys: { type: 'UInt8', kind: 'number', values: unsigned('127', '128', '255'), keys: NUMBER_KEYS },
  int64_null_keys: { type: 'Nullable(Int64)', kind: 'number', values: nullable(INT64), keys: ['ifNull(v, 0)', 'assumeNotNull(v)', 'isNull(v)', ...NUMBER_KEYS] },
  float64_keys: { type: 'Float64', kind: 'number', values: FLOATS, keys: ['-v', 'floor(v)', 'abs(v)', 'cityHash64(v)', 'toString(v)', 'v > 5', 'v + 1', 'toFloat32(v)', 'v * 2', 'sign(v)'] },
  millis_keys: { type: "DateTime64(3, 'UTC')", kind: 'time', values: WITHIN, keys: TIME_KEYS },
  micros_zone_keys: { type: "DateTime64(6, 'America/New_York')", kind: 'time', values: WITHIN, keys: TIME_KEYS },
  seconds_keys: { type: "DateTime('America/New_York')", kind: 'time', values: WITHIN, keys: TIME_KEYS },
}; // prettier-ignore
