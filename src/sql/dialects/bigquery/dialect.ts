// BigQuery: how it is read, and how it differs from most dialects.
import {
  operatorsOf,
  setOf,
  type Grammar,
  commentsOf,
  STANDARD_LEXICAL,
  type Escapes,
  type StringForm,
} from '../read/grammar.ts';
import { STANDARD_TRAITS, type KnownFunctions, type Traits } from '../traits.ts';
import type { Dialect } from '../context.ts';
import { FUNCTIONS } from './functions.ts';

/** Source: BigQuery, "Escape sequences". */
const ESCAPES: Escapes = {
  characters: {
    a: '\x07',
    b: '\b',
    f: '\f',
    n: '\n',
    r: '\r',
    t: '\t',
    v: '\v',
    '\\': '\\',
    '?': '?',
    '"': '"',
    "'": "'",
    '`': '`',
  },
  hexadecimal: /[xX]([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})/y,
  octal: /[0-3][0-7]{2}/y,
  others: 'error',
};
const TEXT: StringForm = { content: 'text', escapes: ESCAPES };
const RAW: StringForm = { content: 'text', isRaw: true };
const RAW_BYTES: StringForm = { content: 'bytes', isRaw: true };

/** Source: BigQuery, "Reserved keywords". */
const RESERVED = setOf(
  `ALL AND ANY ARRAY AS ASC ASSERT_ROWS_MODIFIED AT BETWEEN BY CASE CAST COLLATE CONTAINS CREATE CROSS CUBE CURRENT
   DEFAULT DEFINE DESC DISTINCT ELSE END ENUM ESCAPE EXCEPT EXCLUDE EXISTS EXTRACT FALSE FETCH FOLLOWING FOR FROM FULL
   GROUP GROUPING GROUPS HASH HAVING IF IGNORE IN INNER INTERSECT INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT LOOKUP
   MERGE NATURAL NEW NO NOT NULL NULLS OF ON OR ORDER OUTER OVER PARTITION PRECEDING PROTO QUALIFY RANGE RECURSIVE
   RESPECT RIGHT ROLLUP ROWS SELECT SET SOME STRUCT TABLESAMPLE THEN TO TREAT TRUE UNBOUNDED UNION UNNEST USING WHEN
   WHERE WINDOW WITH WITHIN`,
);

/** PostgreSQL's operators for patterns. */
const MATCH_HINT = "Write REGEXP_CONTAINS(x, r'pattern'), with (?i) at its start to ignore case.";

export const GRAMMAR: Grammar = {
  // Source: BigQuery, "Lexical structure and syntax".
  lexical: {
    ...STANDARD_LEXICAL,
    names: '`',
    notInNames: /[\\'"\p{Cc}]/u,
    strings: `'"`,
    plain: TEXT,
    prefixes: { r: RAW, b: { content: 'bytes', escapes: ESCAPES }, rb: RAW_BYTES, br: RAW_BYTES },
    hasDoubledQuotes: false,
    hasTripleQuotes: true,
    isOneLine: true,
    ...commentsOf('--', '#'),
    word: /[A-Za-z_][A-Za-z0-9_]*/y,
    number: /0[xX][\da-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y,
    isWordAfterNumber: false,
    symbols: ['<=', '>=', '<>', '!=', '||', '<<', '>>', '=>', '->', '::', '@@'],
  },
  // Source: GoogleSQL, "Operator precedence".
  operators: operatorsOf(
    [
      ['OR'],
      ['AND'],
      ['(not)'],
      ['=', '<>', '!=', '<', '>', '<=', '>=', '(is)', '(predicate)'],
      ['|'],
      ['^'],
      ['&'],
      ['<<', '>>'],
      ['+', '-'],
      ['*', '/', '||', '%'],
    ],
    {
      signs: new Set(['-', '+', '~']),
      likes: [
        [['LIKE'], 'LIKE'],
        [['ILIKE'], 'ILIKE'],
      ],
      unread: [
        { tokens: ['SIMILAR', 'TO'], hint: MATCH_HINT },
        { tokens: ['~'], hint: MATCH_HINT },
        { tokens: ['%'], hint: 'Write MOD(a, b).' },
      ],
    },
  ),
  features: new Set([
    'lambdas',
    'based indexes',
    'structs',
    'trailing commas',
    'safe calls',
    'interval expressions',
    'like lists',
    'dashed tables',
    'select as',
    'exact set operations',
  ]),
  reserved: RESERVED,
  notValues: RESERVED,
  notAliases: RESERVED,
  callable: setOf('IF LEFT RIGHT ANY HASH GROUPING UNNEST'),
  bare: setOf('CURRENT_TIMESTAMP CURRENT_DATE CURRENT_DATETIME CURRENT_TIME'),
  specialCalls: setOf('CAST SAFE_CAST EXTRACT STRUCT'),
  typedLiterals: {
    TIMESTAMP: 'timestamp',
    DATETIME: 'datetime',
    DATE: 'date',
    TIME: 'cast',
    NUMERIC: 'cast',
    BIGNUMERIC: 'cast',
    DECIMAL: 'cast',
    BIGDECIMAL: 'cast',
    JSON: 'cast',
  },
  indexBase: 0,
};

/** Names of those that are translated. */
const NAMES: ReadonlySet<string> = new Set(
  `abs acos acosh any_value approx_count_distinct approx_quantiles array_agg array_concat array_concat_agg array_distinct
  array_first array_last array_length array_reverse array_to_string ascii asin asinh atan atan2 atanh avg bit_and bit_count
  bit_or bit_xor bool byte_length cbrt ceil ceiling char_length character_length chr coalesce concat contains_substr corr cos
  cosh count countif covar_pop covar_samp cume_dist current_date current_datetime current_timestamp date date_add date_diff
  date_from_unix_date date_sub date_trunc datetime datetime_add datetime_diff datetime_sub datetime_trunc dense_rank div
  ends_with exp farm_fingerprint first_value float64 floor format format_date format_datetime format_timestamp from_base64
  from_hex generate_array generate_date_array generate_timestamp_array greatest grouping ieee_divide if ifnull initcap instr int64
  is_inf is_nan json_array json_extract json_extract_array json_extract_scalar json_extract_string_array json_object
  json_query json_query_array json_type json_value json_value_array lag last_day last_value lead least left length ln log
  log10 logical_and logical_or lower lpad ltrim max max_by md5 min min_by mod now nth_value ntile nullif octet_length
  parse_date parse_datetime parse_json parse_timestamp percent_rank pow power rank regexp_contains regexp_extract
  regexp_extract_all regexp_replace regexp_substr repeat replace reverse right round row_number rpad rtrim safe_add
  safe_divide safe_multiply safe_subtract sha1 sha256 sha512 sign sin sinh split sqrt starts_with stddev stddev_pop
  stddev_samp string string_agg strpos substr substring sum tan tanh timestamp timestamp_add timestamp_diff timestamp_micros
  timestamp_millis timestamp_seconds timestamp_sub timestamp_trunc to_base64 to_hex to_json to_json_string translate trim
  trunc unix_date unix_micros unix_millis unix_seconds upper var_pop var_samp variance`.split(/\s+/),
);

/** The keys are functions, the values what to write in their place. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    approx_top_count: 'Write GROUP BY with ORDER BY COUNT(*) DESC and LIMIT; in ClickHouse: topK(5)(x).',
    approx_top_sum:
      'Write GROUP BY with ORDER BY SUM(x) DESC and LIMIT; in ClickHouse: topKWeighted(5)(x, weight).',
    percentile_cont: 'Write APPROX_QUANTILES(x, 100)[OFFSET(95)]; in ClickHouse: quantile(0.95)(x).',
    percentile_disc: 'Write APPROX_QUANTILES(x, 100)[OFFSET(95)]; in ClickHouse: quantileExact(0.95)(x).',
    generate_uuid: 'In ClickHouse: generateUUIDv4().',
    rand: 'In ClickHouse: rand().',
    'net.host': 'In ClickHouse: domain(url).',
    'net.reg_domain': 'In ClickHouse: cutToFirstSignificantSubdomain(url).',
    'net.public_suffix': 'In ClickHouse: topLevelDomain(url).',
    'net.ip_from_string': 'In ClickHouse: toIPv6(x).',
    'net.safe_ip_from_string': 'In ClickHouse: toIPv6OrNull(x).',
    'net.ip_to_string': 'In ClickHouse: IPv6NumToString(x).',
    'hll_count.init': 'In ClickHouse: uniqState(x).',
    'hll_count.merge': 'In ClickHouse: uniqMerge(x).',
    regexp_instr: 'In ClickHouse: position(x, extract(x, pattern)).',
    soundex: 'In ClickHouse: soundex(x).',
    edit_distance: 'In ClickHouse: editDistance(a, b).',
    normalize: 'In ClickHouse: normalizeUTF8NFC(x).',
    time: "In ClickHouse: formatDateTime(x, '%T').",
    time_trunc: 'In ClickHouse: toStartOfInterval(x, INTERVAL 1 HOUR).',
    timestamp_bucket: 'In ClickHouse: toStartOfInterval(x, INTERVAL 5 MINUTE).',
    range_bucket: 'In ClickHouse: arrayFirstIndex(b -> x < b, bounds) - 1.',
    session_user: 'The identity of the caller is not available to queries.',
    error: 'ClickHouse SQL has no allowed equivalent.',
  }),
);

/** Source: conversion rules, CAST. */
const CASTS: Readonly<Record<string, string>> = {
  int: 'bool int float decimal text',
  decimal: 'int float decimal text',
  numeric: 'int float decimal text',
  float: 'int float decimal text',
  bool: 'bool int text',
  bytes: 'bytes text',
  date: 'text date datetime timestamp',
  datetime: 'text date datetime timestamp time',
  timestamp: 'text date datetime timestamp time',
  time: 'text time',
  seconds: 'text',
  interval: 'text',
  json: 'json',
  array: 'array',
  tuple: '',
};

/** The functions that are translated at run time. */
export const KNOWN_FUNCTIONS: KnownFunctions = { names: NAMES, replacements: REPLACEMENTS };

const TRAITS: Traits = {
  ...STANDARD_TRAITS,
  functions: KNOWN_FUNCTIONS,
  prefersAliases: true,
  nulls: 'low',
  rowsAreRecords: true,
  separator: ',',
  emptyArrayIsNull: true,
  convertsStrings: false,
  castsToBool: 'integers',
  booleanWords: 'true|false',
  casts: CASTS,
  hasExactTypes: true,
  hasIntegerDivision: false,
  hasFloatNumbers: true,
  numericScale: 9,
  hasSizedIntegers: false,
  readsHexadecimal: true,
  overflowsToInfinity: true,
  shiftsLogically: true,
  hasOpenDomains: true,
  sumsIntegers: true,
  averageOfIntegers: 'float',
  correlationCanBeNan: true,
  nanIsFirst: true,
  extremeOfNanIsNan: true,
  casesEachLetter: false,
  skipsEmptyMatches: true,
  // Source: Unicode, White_Space.
  spaces: '\\t-\\r\\x{85}\\p{Z}',
  hasBytes: true,
  hasExactTimes: true,
  hasDatetime: true,
  weeksStartOnSunday: true,
  hasIsoWeeks: false,
  weekdays: '3',
  hasIntervals: true,
  addsDays: true,
  dateDifference: 'interval',
  isJsonOpaque: true,
  hasJsonPaths: true,
  sortsNames: true,
  hasJsonTimes: true,
};

export const BIGQUERY: Dialect = { grammar: GRAMMAR, traits: TRAITS, functions: FUNCTIONS };
