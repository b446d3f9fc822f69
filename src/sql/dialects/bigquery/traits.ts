// How BigQuery differs from most dialects, and the functions that it has: at run time, those of other dialects are unknown.
import { STANDARD, type KnownFunctions, type Traits } from '../traits.ts';

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

export const TRAITS: Traits = {
  ...STANDARD,
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
