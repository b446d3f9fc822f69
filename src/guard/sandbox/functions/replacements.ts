// Functions of other systems, and what to write instead: for names that the engine does not have, or not with that meaning.

const TIME_BUCKET = 'Write toStartOfInterval(timestamp, INTERVAL 5 MINUTE)';
const FORMAT_TIME = "Write formatDateTime(timestamp, '%Y-%m-%d')";
const QUANTILE = 'Write quantile(0.95)(x)';
const JSON_PATH = 'Write the path of a JSON column with dots: metadata.request.path';
const CURRENT_TIME = 'Write now()';

/** By name in lower case: a sentence without a full stop. */
export const REPLACEMENTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // Denied functions of the engine
    multimatchany: "Write match(x, 'a|b')",
    multimatchanyindex: "Write arrayFirstIndex(p -> match(x, p), ['a', 'b'])",
    multimatchallindices: "Write arrayFilter(i -> match(x, ['a', 'b'][i]), [1, 2])",
    // PostgreSQL
    to_char: FORMAT_TIME,
    percentile_cont: QUANTILE,
    percentile_disc: QUANTILE,
    to_timestamp: 'Write fromUnixTimestamp(x), or parseDateTimeBestEffort(x) for a string',
    jsonb_extract_path_text: JSON_PATH,
    json_extract_path_text: JSON_PATH,
    jsonb_object_keys: 'Write JSONAllPaths(metadata)',
    split_part: "Write splitByString(',', x)[1]",
    bool_or: 'Write max(x)',
    bool_and: 'Write min(x)',
    string_to_array: "Write splitByString(',', x)",
    generate_series: 'Write arrayJoin(range(10))',
    // SQLite and MySQL
    strftime: FORMAT_TIME,
    json_extract: JSON_PATH,
    // BigQuery
    timestamp_trunc: 'Write toStartOfHour(timestamp), or toStartOfInterval(timestamp, INTERVAL 15 MINUTE)',
    datetime_trunc: 'Write toStartOfHour(timestamp)',
    timestamp_bucket: TIME_BUCKET,
    format_timestamp: FORMAT_TIME,
    parse_timestamp: 'Write parseDateTimeBestEffort(x)',
    approx_quantiles: QUANTILE,
    approx_count_distinct: 'Write uniq(x)',
    safe_divide: 'Write a / nullIf(b, 0)',
    safe_cast: "Write toFloat64OrNull(x), or accurateCastOrNull(x, 'Int64')",
    json_extract_scalar: JSON_PATH,
    json_query_array: 'Write JSONExtractArrayRaw(x, name) for a string',
    regexp_contains: "Write match(x, 'pattern')",
    regexp_extract_all: "Write extractAll(x, 'pattern')",
    starts_with: "Write startsWith(x, 'beginning')",
    ends_with: "Write endsWith(x, 'end')",
    contains_substr: "Write positionCaseInsensitive(x, 'text') > 0",
    logical_or: 'Write max(x)',
    logical_and: 'Write min(x)',
    // Others
    percentile: QUANTILE,
    approx_percentile: QUANTILE,
    listagg: "Write arrayStringConcat(groupArray(x), ',')",
    getdate: CURRENT_TIME,
    sysdate: CURRENT_TIME,
    iff: 'Write if(condition, a, b)',
    nvl: 'Write ifNull(x, y)',
    charindex: "Write position(x, 'text')",
  }),
);
