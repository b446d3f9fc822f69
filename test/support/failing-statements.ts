// Statements that fail, in as many ways as the engine has words for, with planted words and numbers that no output for
// operators may have.

/** Words and a number of callers and of stored rows; lowercase, because messages change the case of some. */
export const PLANTED: readonly string[] = ['kanarienvogel', 'zeisig', '4711471147', 'wellensittich'];

/** What of the planted words occurs in a text. */
export const plantedIn = (text: string): readonly string[] =>
  PLANTED.filter((each) => text.toLowerCase().includes(each));

/** A table with planted rows. */
export const BIRDS = [
  'CREATE DATABASE IF NOT EXISTS aviary',
  `CREATE OR REPLACE TABLE aviary.birds (id UInt64, name String, day String, doc String, tags Array(String),
     kind Enum8('zeisig' = 1), maybe Nullable(String), fixed FixedString(13), number Int64)
   ENGINE = MergeTree ORDER BY id`,
  `INSERT INTO aviary.birds SELECT number, 'Kanarienvogel', 'Zeisig-13-45', '{"a":Wellensittich', ['Zeisig', 'Kanarienvogel'],
     'zeisig', 'Wellensittich', 'Kanarienvogel', 4711471147 FROM numbers(3)`,
];

const CASTS = [
  'Int8 Int16 Int32 Int64 Int128 Int256 UInt8 UInt64 UInt256 Float32 Float64 Date Date32 DateTime DateTime64(3)',
  "UUID IPv4 IPv6 Bool Decimal(9,2) Decimal(40,3) Enum8('a'=1) Array(Int32) Tuple(Int32,Date) Map(String,UInt8)",
  'FixedString(3) Nullable(Int32) LowCardinality(Date) Array(Array(Date)) JSON Variant(Int32,Date) Point',
]
  .join(' ')
  .split(' ');

/** Values of rows, literals and pieces of both. */
const VALUES = [
  'name',
  'day',
  'doc',
  'maybe',
  'toString(tags)',
  "'Kanarienvogel'",
  "concat(name, '4711471147')",
];

/** `{from}` is the table, under whatever name the entry point has it. */
export const FAILING: readonly string[] = [
  ...CASTS.flatMap((type) => VALUES.map((value) => `SELECT CAST(${value} AS ${type}) AS x FROM {from}`)),
  ...[
    'toInt32',
    'toDate',
    'toDateTime',
    'toUUID',
    'toFloat64',
    'toIPv4',
    'toDecimal64',
    'parseDateTimeBestEffort',
  ].flatMap((name) =>
    VALUES.map((value) => `SELECT ${name}(${value}${name === 'toDecimal64' ? ', 3' : ''}) AS x FROM {from}`),
  ),
  // Names
  'SELECT kanarienvogel FROM {from}',
  'SELECT b.kanarienvogel FROM {from} AS b',
  'SELECT `Kanarienvogel ` FROM {from}',
  'SELECT kanarienvogel(id) FROM {from}',
  'SELECT kanarienvogelIf(id, 1) FROM {from}',
  'SELECT * FROM kanarienvogel',
  'SELECT * FROM zeisig.kanarienvogel',
  'SELECT * FROM kanarienvogel(4711471147)',
  'SELECT id FROM {from} WHERE kanarienvogel = 4711471147',
  'SELECT name AS kanarienvogel, id AS kanarienvogel FROM {from}',
  'SELECT {zeisig:String} FROM {from}',
  'WITH kanarienvogel AS (SELECT kanarienvogel) SELECT * FROM kanarienvogel',
  // Syntax
  "SELECT 'Kanarienvogel FROM {from}",
  'SELECT `Kanarienvogel FROM {from}',
  'SELECT (kanarienvogel FROM {from}',
  'SELECT kanarienvogel zeisig wellensittich FROM {from}',
  "SELECT 1 'Kanarienvogel' FROM {from}",
  'SELECT id FROM {from} WHERE name = = Kanarienvogel',
  "SELECT id FROM {from}; SELECT 'Kanarienvogel'",
  'SELECT 4711471147kanarienvogel FROM {from}',
  "SELECT x'Kanarienvogel' FROM {from}",
  'KANARIENVOGEL ZEISIG',
  // Types
  "SELECT name + 'Kanarienvogel' FROM {from}",
  "SELECT ['Kanarienvogel', 4711471147] FROM {from}",
  "SELECT if(id = 1, 'Kanarienvogel', 4711471147) FROM {from}",
  "SELECT id FROM {from} WHERE name IN (4711471147, 'Zeisig', [1])",
  "SELECT id FROM {from} WHERE kind = 'Kanarienvogel'",
  "SELECT id FROM {from} WHERE kind IN ('Kanarienvogel')",
  "SELECT id FROM {from} WHERE fixed = 'Kanarienvogel Zeisig Wellensittich'",
  "SELECT id FROM {from} WHERE id = 'Kanarienvogel'",
  "SELECT id FROM {from} WHERE toDate(id) > 'Zeisig'",
  "SELECT id FROM {from} WHERE (name, id) = ('Kanarienvogel')",
  "SELECT length(4711471147, 'Kanarienvogel') FROM {from}",
  "SELECT substring(name, 'Kanarienvogel') FROM {from}",
  'SELECT arrayMap(x -> kanarienvogel(x), tags) FROM {from}',
  'SELECT arrayMap(x -> toInt32(x), tags) FROM {from}',
  "SELECT arrayJoin('Kanarienvogel') FROM {from}",
  "SELECT map('Kanarienvogel', 1, 'Zeisig') FROM {from}",
  "SELECT tupleElement((1, 2), 'kanarienvogel') FROM {from}",
  'SELECT CAST(id AS Kanarienvogel) FROM {from}',
  "SELECT CAST(name AS Enum8('Kanarienvogel' = 4711471147)) FROM {from}",
  "SELECT toTypeName(CAST(1 AS DateTime('Kanarienvogel'))) FROM {from}",
  "SELECT toDateTime(id, 'Kanarienvogel') FROM {from}",
  "SELECT toTimeZone(now(), 'Kanarienvogel/Zeisig') FROM {from}",
  "SELECT dateDiff('kanarienvogel', now(), now()) FROM {from}",
  "SELECT toStartOfInterval(now(), INTERVAL 'Kanarienvogel' DAY) FROM {from}",
  "SELECT formatDateTime(now(), '%Kanarienvogel') FROM {from}",
  "SELECT parseDateTime(day, '%Y-%m-%d') FROM {from}",
  "SELECT parseDateTimeInJodaSyntax(day, 'yyyy') FROM {from}",
  // Values
  "SELECT throwIf(id = 1, 'Kanarienvogel') FROM {from}",
  "SELECT throwIf(1, 'Syntax error: failed at position 4711471147 (line 4711471147, col 1)') FROM {from}",
  'SELECT intDiv(4711471147, id - id) FROM {from}',
  "SELECT match(name, '(Kanarienvogel') FROM {from}",
  "SELECT match(name, concat('(', name)) FROM {from}",
  "SELECT replaceRegexpAll(name, '[Kanarienvogel', 'Zeisig') FROM {from}",
  "SELECT extractAll(name, '*Kanarienvogel') FROM {from}",
  "SELECT name LIKE 'Kanarienvogel\\\\' FROM {from}",
  "SELECT multiMatchAny(name, ['(Kanarienvogel']) FROM {from}",
  "SELECT JSONExtract(doc, 'a', 'Kanarienvogel') FROM {from}",
  "SELECT JSON_VALUE(doc, '$.[Kanarienvogel') FROM {from}",
  'SELECT CAST(doc AS JSON) FROM {from}',
  'SELECT \'{"a":Kanarienvogel}\'::JSON FROM {from}',
  "SELECT unhex('Kanarienvogel')::FixedString(2) FROM {from}",
  'SELECT base64Decode(name) FROM {from}',
  'SELECT base58Decode(name) FROM {from}',
  'SELECT toFixedString(name, 4) FROM {from}',
  'SELECT char(name) FROM {from}',
  'SELECT arrayElement(tags, name) FROM {from}',
  'SELECT repeat(name, 4711471147) FROM {from}',
  'SELECT range(4711471147) FROM {from}',
  'SELECT toDecimal32(number, 5) FROM {from}',
  'SELECT toDecimal128(number, 30) * toDecimal128(number, 30) FROM {from}',
  'SELECT bitShiftLeft(name, 4711471147) FROM {from}',
  'SELECT geohashDecode(name), h3ToGeo(number) FROM {from}',
  'SELECT readWKTPoint(name) FROM {from}',
  "SELECT transform(name, ['Kanarienvogel'], [4711471147, 1], 'Zeisig') FROM {from}",
  "SELECT dictGet('kanarienvogel', 'zeisig', id) FROM {from}",
  "SELECT joinGet('kanarienvogel', 'zeisig', id) FROM {from}",
  // Aggregation
  'SELECT name, count() FROM {from} GROUP BY id',
  'SELECT sum(name) FROM {from}',
  "SELECT quantile('Kanarienvogel')(number) FROM {from}",
  'SELECT topK(4711471147)(name) FROM {from}',
  "SELECT groupArray('Kanarienvogel')(name) FROM {from}",
  'SELECT id FROM {from} HAVING kanarienvogel > 1',
  'SELECT id FROM {from} WHERE count() = 4711471147',
  'SELECT sum(sum(number)) AS zeisig FROM {from}',
  'SELECT (SELECT name FROM {from}) AS x',
  'SELECT toInt32((SELECT any(name) FROM {from})) AS x',
  'SELECT id FROM {from} ORDER BY kanarienvogel',
  "SELECT id FROM {from} LIMIT 'Kanarienvogel'",
  'SELECT id FROM {from} LIMIT -4711471147 BY kanarienvogel',
  'SELECT id, row_number() OVER kanarienvogel FROM {from}',
  'SELECT id FROM {from} AS a JOIN {from} AS b ON a.kanarienvogel = b.zeisig',
  "SELECT id FROM {from} UNION ALL SELECT 'Kanarienvogel', 2",
  'SELECT * FROM {from} INTERSECT SELECT 4711471147',
  'SELECT id FROM {from} WHERE id IN (SELECT name, number FROM {from})',
];
