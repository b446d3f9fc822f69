// Strings that name types and functions: attempts to smuggle a type, function or state past the sandbox, and legitimate queries
// of the same forms. `«` precedes the token at which the rejection must be located.

export interface StringAttack {
  readonly why: string;
  readonly sql: string;
  readonly code: 'type_denied' | 'function_denied' | 'syntax_unsupported' | 'query_invalid';
}

/** The beginning of a serialized bitmap whose sizes are a lie. */
const BYTES = "unhex('010f3b300000')";

function type(why: string, sql: string): StringAttack {
  return { why, sql, code: 'type_denied' };
}

function aggregate(why: string, sql: string): StringAttack {
  return { why, sql, code: 'function_denied' };
}

const bitmap = (typeArgument: string) => `SELECT bitmapToArray(CAST(${BYTES}, ${typeArgument}))`;

const TYPES_IN_STRINGS: readonly StringAttack[] = [
  type('an escaped bracket', bitmap(String.raw`«'AggregateFunction\x28groupBitmap, UInt8)'`)),
  type('an escaped letter', bitmap(String.raw`«'Aggregate\x46unction(groupBitmap, UInt8)'`)),
  type('all letters escaped', bitmap(String.raw`«'\x41\x67\x67regateFunction(groupBitmap, UInt8)'`)),
  type('a space before the bracket', bitmap("«'AggregateFunction (groupBitmap, UInt8)'")),
  type('a line break before the bracket', bitmap(String.raw`«'AggregateFunction\n(groupBitmap, UInt8)'`)),
  type('a comment inside', bitmap("«'Aggregate/**/Function(groupBitmap, UInt8)'")),
  type('a comment before the bracket', bitmap("«'AggregateFunction/**/(groupBitmap, UInt8)'")),
  type('a comment before an allowed type', "SELECT CAST(1, «'/* */UInt8')"),
  type('a quoted type name', bitmap("«'`AggregateFunction`(groupBitmap, UInt8)'")),
  type(
    'a quoted type name with an escape',
    bitmap(String.raw`«'\`Aggregate\\x46unction\`(groupBitmap, UInt8)'`),
  ),
  type('a type name in double quotes', bitmap(`«'"AggregateFunction"(groupBitmap, UInt8)'`)),
  type('an allowed type in quotes', "SELECT CAST(1, «'`UInt8`')"),
  type('NUL behind the type', String.raw`SELECT CAST(1, «'UInt8\0')`),
  type('a concatenation by ||', bitmap("«'AggregateFunct' || 'ion(groupBitmap, UInt8)'")),
  type('a concatenation of an allowed type', "SELECT CAST(1, «'UInt' || '8')"),
  type('concat', bitmap("«concat('AggregateFunction', '(groupBitmap, UInt8)')")),
  type('reverse', bitmap("«reverse(')8tnIU ,pamtiBpuorg(noitcnuFetagerggA')")),
  type('unhex', bitmap("«unhex('416767')")),
  type('upper', "SELECT CAST(1, «upper('UInt8'))"),
  type('char', 'SELECT CAST(1, «char(85))'),
  type('replaceAll', bitmap("«replaceAll('XFunction(groupBitmap, UInt8)', 'X', 'Aggregate')")),
  type('base64Decode', bitmap("«base64Decode('QWdncmVnYXRl')")),
  type('toTypeName of a state', "SELECT CAST('x', «toTypeName(groupBitmapState(1)))"),
  type(
    'the type of another value',
    "SELECT CAST(tuple('x'), «concat('Tuple(', '`a` ', toTypeName(upper('x')), ')'))",
  ),
  type(
    'the type of another element',
    "SELECT CAST(tuple('x', id), «concat('Tuple(', '`a` ', toTypeName(id), ', `b` ', toTypeName('x'), ')')) FROM edge_logs",
  ),
  type(
    'a type in the name of an element',
    "SELECT CAST(tuple('x'), «concat('Tuple(', '`a` UInt8, `b` ', toTypeName('x'), ')'))",
  ),
  type(
    'a type behind the elements',
    "SELECT CAST(tuple('x'), «concat('Tuple(', '`a` ', toTypeName('x'), ', b UInt8)'))",
  ),
  type(
    'a backslash in the name of an element',
    String.raw`SELECT CAST(tuple('x'), «concat('Tuple(', '"a\\" ', toTypeName('x'), ')'))`,
  ),
  type(
    'another container than a tuple',
    "SELECT CAST(array('x'), «concat('Tuple(', '`a` ', toTypeName('x'), ')'))",
  ),
  type(
    'a tuple that goes on',
    "SELECT CAST(tuple('x') || tuple(1), «concat('Tuple(', '`a` ', toTypeName('x'), ')'))",
  ),
  type(
    'a tuple by another function',
    "SELECT accurateCast(tuple('x'), «concat('Tuple(', '`a` ', toTypeName('x'), ')'))",
  ),
  type('a choice', "SELECT CAST(1, «if(1, 'UInt8', 'UInt16'))"),
  type('a choice by ?', "SELECT CAST(1, «1 ? 'UInt8' : 'UInt16')"),
  type('brackets', "SELECT CAST(1, «('UInt8'))"),
  type('a tuple of one', "SELECT CAST(1, «('UInt8',))"),
  type('an array of one', "SELECT CAST(1, «['UInt8'])"),
  type('an element of an array', "SELECT CAST(1, «['UInt8'][1])"),
  type('a cast of the type', "SELECT CAST(1, «'UInt8'::String)"),
  type('an alias on the type', "SELECT accurateCast(1, «'UInt8' AS t)"),
  type('an alias', "SELECT 'UInt8' AS t, CAST(1, «t)"),
  type('a WITH scalar', "WITH 'UInt8' AS t SELECT CAST(1, «t)"),
  type('a column of a WITH table', "WITH x AS (SELECT 'UInt8' AS t) SELECT CAST(1, «t) FROM x"),
  type('a quoted identifier', 'SELECT CAST(1, «"UInt8")'),
  type('a subquery', "SELECT CAST(1, «(SELECT 'UInt8'))"),
  type('a number', 'SELECT CAST(1, «1)'),
  type('NULL', 'SELECT CAST(1, «NULL)'),
  type('an empty string', "SELECT CAST(1, «'')"),
  type('spaces alone', "SELECT CAST(1, «' ')"),
  type('more behind the type', "SELECT CAST(1, «'UInt8 UInt8')"),
  type('a column definition', "SELECT CAST(1, «'a UInt8')"),
  type(
    'a quoted function CAST',
    bitmap("«'Aggregate' || 'Function(groupBitmap, UInt8)'").replace('CAST', '"CAST"'),
  ),
  type('CAST in lower case', bitmap("«concat('a')").replace('CAST', 'cast')),
];

const STATE = 'AggregateFunction(groupBitmap, UInt8)';

const FORBIDDEN_TYPES: readonly StringAttack[] = [
  `Array(${STATE})`,
  `Array(Array(${STATE}))`,
  `Nullable(${STATE})`,
  `LowCardinality(${STATE})`,
  `Variant(UInt8, ${STATE})`,
  `Tuple(UInt8, ${STATE})`,
  `Tuple(a UInt8, b ${STATE})`,
  'Tuple(`a` UInt8, `AggregateFunction`(groupBitmap, UInt8))',
  `Nested(a ${STATE})`,
  `Map(String, ${STATE})`,
  `JSON(a.b ${STATE})`,
  `JSON(a Array(${STATE}))`,
  'AggregateFunction',
  'aggregatefunction(sum, UInt8)',
  'SimpleAggregateFunction(sum, UInt64)',
  `SimpleAggregateFunction(anyLast, ${STATE})`,
  "Object('json')",
  'Nothing',
  'Set',
  'QBit(Float32, 8)',
  'Dynamic(max_types=254)',
  'Dynamic(max_types=-1)',
  'Dynamic(anything=1)',
  'JSON(max_dynamic_paths=100000)',
  'JSON(max_dynamic_types=255)',
  'FixedString(10000000)',
  `${'Array('.repeat(16)}UInt8${')'.repeat(16)}`,
  `Tuple(${Array.from({ length: 256 }, () => 'UInt8').join(',')})`,
  `Enum8(''${'a'.repeat(5_000)}'')`,
  "DateTime(''/etc/passwd'')",
  "DateTime(''file:/etc/passwd'')",
  "DateTime64(3, ''../x'')",
  'UInt8 DEFAULT 1',
  'UInt8; SELECT 1',
  'UInt8)',
  'Array(UInt8',
  'Array(UInt8) String',
  'Tuple(a.b UInt8)',
  "Enum8(x''61'' = 1)",
  'Decimal(10, 2 + 1)',
  '{t:Identifier}',
  '$$UInt8$$',
].map((name) =>
  type(
    `the type ${name.slice(0, 60)}`,
    `SELECT CAST('x', «'${name.includes("''") ? name : name.replaceAll("'", "''")}')`,
  ),
);

const AS_SYNTAX: readonly StringAttack[] = [
  type('CAST … AS', `SELECT CAST(${BYTES} AS «AggregateFunction(groupBitmap, UInt8))`),
  type('CAST … AS, in an array', `SELECT CAST([${BYTES}] AS Array(«AggregateFunction(groupBitmap, UInt8)))`),
  type(
    'CAST … AS, in a tuple with names',
    `SELECT CAST((1, 'x') AS Tuple(a UInt8, b «AggregateFunction(sum, UInt8)))`,
  ),
  type('CAST … AS, quoted', 'SELECT CAST(1 AS «`AggregateFunction`(sum, UInt8))'),
  type('::', `SELECT ${BYTES}::«AggregateFunction(groupBitmap, UInt8)`),
  type(':: in a container', `SELECT 'x'::Variant(UInt8, «AggregateFunction(sum, UInt8))`),
  type(':: quoted', 'SELECT 1::«`UInt8`'),
  type(':: with a string', "SELECT 1::«'UInt8'"),
  type(':: SimpleAggregateFunction', 'SELECT 1::«SimpleAggregateFunction(sum, UInt64)'),
  type(':: too deep', `SELECT 1::${'Array('.repeat(16)}«UInt8${')'.repeat(16)}`),
  type(':: Dynamic with too many types', 'SELECT 1::Dynamic(max_types=«254)'),
  type('a JSON path', 'SELECT metadata.a.:«`AggregateFunction(sum, UInt8)` FROM edge_logs'),
  type(
    'a JSON path to an array',
    'SELECT metadata.a.:«`Array(AggregateFunction(sum, UInt8))` FROM edge_logs',
  ),
  type('a JSON path, bare', 'SELECT metadata.a.:«AggregateFunction FROM edge_logs'),
  type('a subcolumn of Dynamic', "SELECT d.«`AggregateFunction(sum, UInt8)` FROM (SELECT 'x'::Dynamic AS d)"),
  type(
    'a subcolumn of Dynamic in one name',
    "SELECT «`d.AggregateFunction(sum, UInt8)` FROM (SELECT 'x'::Dynamic AS d)",
  ),
  type(
    'a subcolumn by name',
    "SELECT tupleElement(metadata, «'a.:`AggregateFunction(sum, UInt8)`') FROM edge_logs",
  ),
  type(
    'a subcolumn by name, escaped',
    String.raw`SELECT tupleElement(metadata, «'a.:\`Aggregate\\x46unction(sum, UInt8)\`') FROM edge_logs`,
  ),
  type(
    'a subcolumn by a name that is computed',
    "SELECT tupleElement(metadata, «concat('a', '.:x')) FROM edge_logs",
  ),
];

/** Every function that reads a type, with one that is no literal and with one that is forbidden. */
const READERS: readonly StringAttack[] = (
  [
    ['accurateCast', "'x', "],
    ['ACCURATECAST', "'x', "],
    ['accurateCastOrNull', "'x', "],
    ['accurateCastOrDefault', "'x', "],
    ['reinterpret', "'x', "],
    ['dynamicElement', "'x'::Dynamic, "],
    ['variantElement', "'x'::Variant(UInt8, String), "],
    ['JSONExtract', "'{}', "],
    ['JSONExtract', "'{}', 'a', 1, "],
    ['JSONExtractCaseInsensitive', "'{}', 'a', "],
    ['JSONExtractKeysAndValues', "'{}', "],
    ['JSONExtractKeysAndValuesCaseInsensitive', "'{}', 'a', "],
    ['defaultValueOfTypeName', ''],
  ] as const
).flatMap(([name, before]) => [
  type(`${name} of a state`, `SELECT ${name}(${before}«'${STATE}')`),
  type(
    `${name} of an escaped state`,
    String.raw`SELECT ${name}(${before}«'Array(Aggregate\x46unction(sum, UInt8))')`,
  ),
  type(`${name} of an expression`, `SELECT ${name}(${before}«upper('String'))`),
]);

const PLACES: readonly StringAttack[] = [
  type('in a WITH table', "WITH x AS (SELECT CAST('x', «upper('UInt8')) AS s) SELECT s FROM x"),
  type('in a subquery', "SELECT (SELECT CAST('x', «upper('UInt8')))"),
  type('in a lambda', "SELECT arrayMap(x -> CAST(x, «concat('UInt', '8')), [1])"),
  type('by an argument of a lambda', "SELECT arrayMap(t -> CAST(1, «t), ['UInt8'])"),
  type('in APPLY', "SELECT * APPLY(x -> CAST(x, «upper('String'))) FROM edge_logs"),
  type('APPLY by name', "SELECT * APPLY(«defaultValueOfTypeName) FROM (SELECT 'x' AS a)"),
  type('APPLY by name, without brackets', "SELECT * APPLY «defaultValueOfTypeName FROM (SELECT 'x' AS a)"),
  type('APPLY with parameters', "SELECT * APPLY(«CAST('UInt8')) FROM edge_logs"),
  type('in REPLACE', "SELECT * REPLACE (CAST(id, «upper('String')) AS id) FROM edge_logs"),
  type('in IN', "SELECT id FROM edge_logs WHERE id IN (CAST('x', «upper('String')))"),
  type('in ORDER BY', "SELECT id FROM edge_logs ORDER BY CAST(id, «upper('String'))"),
  type('in a window', "SELECT count() OVER (ORDER BY CAST(id, «upper('String'))) FROM edge_logs"),
  type('in LIMIT', "SELECT id FROM edge_logs LIMIT CAST(1, «upper('UInt8'))"),
  type('in parameters', "SELECT quantile(CAST(0.5, «upper('Float64')))(ms) FROM edge_logs"),
  type('in ARRAY JOIN', "SELECT t FROM edge_logs ARRAY JOIN CAST(tags, «upper('x')) AS t"),
  {
    why: 'as parameters of the function',
    sql: "SELECT defaultValueOfTypeName('UInt8')«('UInt8')",
    code: 'syntax_unsupported',
  },
];

const reduce = (name: string) => `SELECT arrayReduce(«${name}, [1, 2])`;

const FUNCTIONS_IN_STRINGS: readonly StringAttack[] = [
  aggregate('a function that fails on purpose', reduce("'aggThrow'")),
  aggregate('the same with a parameter', reduce("'aggThrow(0.5)'")),
  aggregate('the same with a combinator', reduce("'aggThrowIf'")),
  aggregate('machine learning', reduce("'stochasticLinearRegression'")),
  aggregate(
    'machine learning with parameters',
    reduce("'stochasticLogisticRegression(1.0, 1.0, 10, ''SGD'')'"),
  ),
  aggregate('in another case', reduce("'AGGTHROW'")),
  aggregate('escaped', reduce(String.raw`'agg\x54hrow'`)),
  aggregate('a function of a format', reduce("'groupFormat(''JSONEachRow'')'")),
  aggregate('an unknown one', reduce("'sumX'")),
  aggregate('a plain function', reduce("'plus'")),
  aggregate('a function that reads files', reduce("'file'")),
  aggregate('nothing', reduce("''")),
  aggregate('a space', reduce("'sum '")),
  aggregate('quotes', reduce("'`sum`'")),
  aggregate('a comment', reduce("'sum/**/'")),
  aggregate('a parameter that is an expression', reduce("'quantiles(0.5, 0.4 + 0.5)'")),
  aggregate('a parameter that is a call', reduce("'quantiles(rand())'")),
  aggregate('a parameter that is a subquery', reduce("'quantiles((SELECT 1))'")),
  aggregate('a concatenation', reduce("'su' || 'm'")),
  aggregate('concat', reduce("concat('su', 'm')")),
  aggregate('lower', reduce("lower('SUM')")),
  aggregate('an alias', "SELECT 'sum' AS f, arrayReduce(«f, [1])"),
  aggregate('a WITH scalar', "WITH 'sum' AS f SELECT arrayReduce(«f, [1])"),
  aggregate('a subquery', "SELECT arrayReduce(«(SELECT 'sum'), [1])"),
  aggregate('an argument of a lambda', "SELECT arrayMap(f -> arrayReduce(«f, [1]), ['sum'])"),
  aggregate('ranges', "SELECT arrayReduceInRanges(«'aggThrow', [(1, 2)], [1, 2])"),
  aggregate('ranges, an expression', "SELECT arrayReduceInRanges(«concat('sum'), [(1, 2)], [1, 2])"),
  aggregate('a state', "SELECT initializeAggregation(«'stochasticLinearRegressionState', 1, 2)"),
  aggregate('a state, an expression', "SELECT initializeAggregation(«lower('SUM'), 1)"),
  type('a type in place of a function', reduce("'AggregateFunction(sum, UInt8)'")),
];

/** States anywhere but where states belong: the engine itself converts text to their type in many of these places. */
const STATES: readonly StringAttack[] = [
  type('IN a subquery with a state', `SELECT ${BYTES} IN «(SELECT groupBitmapState(1))`),
  type('in() of a subquery with a state', `SELECT in(${BYTES}, «(SELECT groupBitmapState(1)))`),
  type('IN a WITH table with a state', `WITH x AS (SELECT bitmapBuild([1]) AS s) SELECT ${BYTES} IN «x`),
  type('IN a WITH table in brackets', `WITH x AS (SELECT bitmapBuild([1]) AS s) SELECT ${BYTES} IN ((«x))`),
  type('IN, an array of states', `SELECT [${BYTES}] IN «(SELECT [sumState(1)])`),
  type('IN, a tuple', `SELECT (1, ${BYTES}) NOT IN «(SELECT 1, sumStateIf(1, 1))`),
  type('IN, the state in a WITH scalar', `WITH uniqState(1) AS s SELECT ${BYTES} IN «(SELECT s)`),
  type('IN, the state by a function name', `SELECT 'x' IN «(SELECT arrayReduce('groupBitmapState', [1]))`),
  type('IN a list', `SELECT «sumState(1) IN (${BYTES}, 'x')`),
  type(
    'IN, a map of states',
    String.raw`SELECT map(1, «s) IN ('{1:\'x\'}') FROM (SELECT groupBitmapState(1) AS s)`,
  ),
  type(
    'IN, a state or a number',
    "SELECT if(id = '', «s, 5) IN ('x') FROM (SELECT groupBitmapState(1) AS s, '' AS id)",
  ),
  type('= ANY', `SELECT ${BYTES} = «ANY (SELECT sumState(1))`),
  type(
    'CASE',
    String.raw`SELECT CASE [«s] WHEN '[\'x\']' THEN 1 ELSE 2 END FROM (SELECT groupBitmapState(1) AS s)`,
  ),
  type('CASE, a state itself', "SELECT CASE «groupBitmapState(1) WHEN 'x' THEN 1 ELSE 2 END"),
  type(
    'transform',
    String.raw`SELECT transform([«s], ['[\'x\']'], [1], 2) FROM (SELECT bitmapBuild([1]) AS s)`,
  ),
  type('transform of a bitmap', String.raw`SELECT transform([«bitmapBuild([1])], ['[\'x\']'], [1], 2)`),
  type('=', String.raw`SELECT [if(1, «s, 5)] = '[\'x\']' FROM (SELECT groupBitmapState(1) AS s)`),
  type(
    'INTERPOLATE',
    `SELECT n, s FROM (SELECT 1 AS n, groupBitmapState(1) AS s) ORDER BY n WITH FILL TO 3 INTERPOLATE (s «AS 'x')`,
  ),
  type(
    'a name for a name',
    'SELECT [«u] FROM (SELECT t AS u FROM (SELECT s AS t FROM (SELECT sumState(1) AS s)))',
  ),
  type(
    'a name for a name, in an order that hides it',
    'SELECT [«u], 1 AS s FROM (SELECT s AS u FROM (SELECT sumState(1) AS s))',
  ),
  type('a name without AS', 'SELECT [«t] FROM (SELECT sumState(1) t)'),
  type('a name with a table', 'SELECT [x.«s] FROM (SELECT sumState(1) AS s) AS x'),
  type(
    'the name that a join gives',
    'SELECT [«`b.s`] FROM (SELECT * FROM (SELECT sumState(1) AS s, 1 AS k) AS a JOIN (SELECT sumState(1) AS s, 1 AS k) AS b ON a.k = b.k)',
  ),
  type('no name', 'SELECT «sumState(1)'),
  type('no name, by its text', 'SELECT [`sumState(1)`] FROM (SELECT «sumState(1))'),
  type('a name inside a call', 'SELECT identity(«sumState(1) AS s)'),
  type('a call of a name', 'SELECT identity(«s) FROM (SELECT sumState(1) AS s)'),
  type('a scalar subquery', 'SELECT «(SELECT sumState(1) AS s) AS t'),
  type('a scalar subquery in WITH', 'WITH «(SELECT sumState(1) AS s) AS t SELECT [t]'),
  type('a union that renames', 'SELECT [t] FROM (SELECT 1 AS t «UNION ALL SELECT sumState(1) AS s)'),
  type('* in a tuple', 'SELECT tuple(«*) FROM (SELECT sumState(1) AS s)'),
  type('* of a table in an array', 'SELECT [x.«*] FROM (SELECT sumState(1) AS s) AS x'),
  type('* with APPLY', 'SELECT «* APPLY(x -> [x]) FROM (SELECT sumState(1) AS s)'),
  type('* with REPLACE', 'SELECT «* REPLACE (1 AS k) FROM (SELECT sumState(1) AS s, 1 AS k)'),
  type('COLUMNS', "SELECT «COLUMNS('s') FROM (SELECT sumState(1) AS s)"),
  type('APPLY', 'SELECT * APPLY(«sumState) FROM edge_logs'),
  type('a lambda', 'SELECT arrayMap(x -> «bitmapBuild([x]), [1])'),
  type(
    'USING',
    'SELECT 1 FROM (SELECT sumState(1) AS s) AS a JOIN (SELECT id AS s FROM edge_logs) AS b USING («s)',
  ),
  type('ON', 'SELECT 1 FROM (SELECT sumState(1) AS s) AS a JOIN edge_logs AS b ON a.«s = b.id'),
  type('GROUP BY', 'SELECT 1 FROM (SELECT sumState(1) AS s) GROUP BY «s'),
  type('an aggregate function', 'SELECT groupArray(«s) FROM (SELECT sumState(1) AS s)'),
  type('an argument of Merge that is more', 'SELECT sumMerge([«s][1]) FROM (SELECT sumState(1) AS s)'),
  type('parameters', 'SELECT bitmapCardinality(«bitmapBuild([1]))(bitmapBuild([1]))'),
  type('initializeAggregation', "SELECT [«initializeAggregation('sumState', 1)]"),
];

export const STRING_ATTACKS: readonly StringAttack[] = [
  ...TYPES_IN_STRINGS,
  ...FORBIDDEN_TYPES,
  ...AS_SYNTAX,
  ...READERS,
  ...PLACES,
  ...FUNCTIONS_IN_STRINGS,
  ...STATES,
];

/** Honest queries of the same forms: taken by the sandbox, and run by the engine. */
export const HONEST_STRINGS: readonly string[] = [
  "SELECT CAST(tuple(ms + 1, concat(id, ',')), concat('Tuple(', '`a` ', toTypeName(ms + 1), ', `b c` ', toTypeName(concat(id, ',')), ')')) FROM edge_logs",
  "SELECT CAST(status, 'String'), CAST(ms AS Nullable(Float64)), status::LowCardinality(String), accurateCastOrNull('5', 'UInt8') FROM edge_logs",
  "SELECT CAST('a', 'Enum8(\\'a\\' = 1, \\'b\\' = -2)'), CAST('a' AS Enum('a', 'b')), CAST('a', 'Enum(''a'' = 1)')",
  "SELECT CAST('2024-01-01 00:00:00', 'DateTime64(3, \\'Europe/Berlin\\')'), '2024-01-01'::DateTime('UTC'), toDateTime('2024-01-01', 'Etc/GMT+1')",
  "SELECT CAST((1, 'a'), 'Tuple(a UInt8, `b c` String)'), CAST([(1, 'a')], 'Nested(a UInt8, b String)'), CAST(map('a', 1), 'Map(String, UInt64)')",
  "SELECT CAST('1.5' AS Decimal(10, 2)), '1'::DOUBLE PRECISION, '1'::INT UNSIGNED, CAST('x', 'VARCHAR(10)'), CAST('x' AS FixedString(3))",
  `SELECT CAST('{"a":{"b":1}}', 'JSON(max_dynamic_paths=16, max_dynamic_types=8, a.b UInt8, SKIP c, SKIP d.e, SKIP REGEXP \\'^x\\')')`,
  `SELECT '{"a":1}'::JSON.a.:Int64, CAST(1, 'Dynamic(max_types=8)'), dynamicElement(1::Dynamic, 'UInt8'), variantElement(1::Variant(UInt8, String), 'UInt8')`.replace(
    '::JSON.a.:Int64',
    '::JSON',
  ),
  `SELECT JSONExtract('{"a":[1]}', 'a', 'Array(Nullable(UInt8))'), JSONExtract('{"a":{"b":"x"}}', 'Tuple(a Tuple(b String))'), JSONExtractKeysAndValues('{"a":"1"}', 'String'), JSONExtract('[1]', 1, 'Int64')`,
  "SELECT JSONExtract(toString(metadata), 'request', 'path', 'Nullable(String)') FROM edge_logs",
  "SELECT reinterpret('abcd', 'UInt32'), defaultValueOfTypeName('Array(UInt8)'), reinterpretAsUInt8('a')",
  "SELECT arrayReduce('max', [1, 2]), arrayReduce('quantiles(0.5, 0.9)', [1, 2]), arrayReduce('sumIf', [1, 2], [1, 0]), arrayReduce('groupConcat(\\',\\')', ['a', 'b']), arrayReduce('SUM', [1])",
  "SELECT arrayReduceInRanges('sum', [(1, 2)], [1, 2, 3]), initializeAggregation('uniq', 1)",
  "SELECT tupleElement((1, 2), 2), (1, 2).1, tupleElement(CAST((1, 2), 'Tuple(a UInt8, b UInt8)'), 'b'), metadata.request.path.:String FROM edge_logs",
  "SELECT uniqMerge(s) FROM (SELECT toStartOfHour(timestamp) AS h, uniqState(user_id) AS s FROM edge_logs WHERE status IN (200, 404) AND method IN ('GET') GROUP BY h)",
  'SELECT h, uniqMerge(s) OVER (ORDER BY h ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) FROM (SELECT toStartOfHour(timestamp) AS h, uniqState(user_id) AS s FROM edge_logs GROUP BY h)',
  'SELECT bitmapCardinality(bitmapBuild([1, 2, 3])), bitmapToArray(bitmapAnd(bitmapBuild([1, 2]), bitmapBuild([2, 3])))',
  "SELECT finalizeAggregation(initializeAggregation('sumState', 5)), sumMerge(s) FROM (SELECT sumState(ms) AS s FROM edge_logs)",
  'SELECT id FROM edge_logs WHERE user_id IN (SELECT user_id FROM auth_logs) AND status IN (toUInt16(200), 404)',
  'SELECT toDate(timestamp) AS d, count() AS c FROM edge_logs GROUP BY d ORDER BY d WITH FILL STEP 1 INTERPOLATE (c AS c + 1)',
];
