// Engine settings applied to every statement: fixed ones, and those derived from its limits.
import type { EngineFormat } from '../formats/clickhouse-formats.ts';
import type { ResultFormat, RunOptions, Settings, Statement } from './engine.ts';

/**
 * The engine compiles an expression that has run three times, for any caller, and compiled code gives other results: it overlooks some
 * overflows, matches strings that are not UTF-8, and weighs NaN differently. So regular expressions, aggregates and sort keys are
 * compiled at once, and other expressions never: their constants are part of the code, so that each call would compile them again.
 */
const COMPILED_SETTINGS: Settings = {
  compile_expressions: 0,
  min_count_to_compile_aggregate_expression: 0,
  min_count_to_compile_regular_expression: 0,
  min_count_to_compile_sort_description: 0,
};

/**
 * Make the output independent of the defaults of a server or user and of the statements that ran before, and set limits that no
 * endpoint can change.
 * https://clickhouse.com/docs/operations/settings/settings, …/settings/formats, …/settings/query-complexity
 */
export const FIXED_SETTINGS: Settings = {
  ...COMPILED_SETTINGS,
  session_timezone: 'UTC',
  date_time_output_format: 'iso',
  output_format_json_quote_denormals: 0,
  output_format_json_named_tuples_as_objects: 1,
  output_format_json_escape_forward_slashes: 0,
  output_format_json_validate_utf8: 1,
  output_format_json_array_of_rows: 0,
  output_format_csv_crlf_end_of_line: 0,
  format_csv_delimiter: ',',
  format_csv_null_representation: '',
  output_format_parquet_string_as_string: 1,
  output_format_arrow_string_as_string: 1,
  output_format_arrow_compression_method: 'none', // browser Arrow readers have no codecs; HTTP compression applies anyway
  // In the embedded engine, parameters are part of the parsed query; escaping can make them four times as long.
  max_query_size: 8 * 1024 * 1024,
  max_ast_elements: 50_000,
  max_expanded_ast_elements: 50_000,
  max_temporary_columns: 1000,
  timeout_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  result_overflow_mode: 'throw',
};

/**
 * Keep the order of conditions: a consumer's are evaluated after the endpoint's own, and only on rows that pass those. The sandbox's
 * barrier does not depend on them; queries without a barrier do, if an operator fails on a value of type Dynamic.
 */
const ORDER_SETTINGS: Settings = {
  allow_reorder_prewhere_conditions: 0, // no PREWHERE condition is moved before one that was written first
  query_plan_merge_filters: 0, // otherwise conditions of one PREWHERE step on the same column are evaluated together
  enable_join_runtime_filters: 0, // evaluates join keys while the table is read
  optimize_prewhere_after_pushdown: 0, // adds conditions to an existing PREWHERE
  optimize_use_implicit_projections: 0, // counts rows of whole granules by index analysis, which takes NULL for another value
  use_skip_indexes_for_disjunctions: 0, // of OR, a bloom filter excludes rows for a comparison that it cannot read
};

/** What the engine records of one query and uses for later ones, of other callers as well. */
const HISTORY_SETTINGS: Settings = {
  use_query_cache: 0, // off by default, but not in every profile of a server
  use_query_condition_cache: 0, // rows excluded by a consumer's condition would be recorded as excluded by the PREWHERE
  collect_hash_table_stats_during_aggregation: 0, // hash tables of a query have the size that the last one needed: memory, order of rows
  collect_hash_table_stats_during_joins: 0,
  use_hash_table_stats_for_join_reordering: 0, // the sides of a JOIN by the sizes of earlier ones
};

/** What the engine builds before the first row without looking at the time limit, for a minute and more if a query has many of them. */
const UNINTERRUPTIBLE_SETTINGS: Settings = {
  allow_hyperscan: 0, // several patterns in one automaton
  optimize_or_like_chain: 0, // `x LIKE 'a' OR x LIKE 'b'` as one search for all patterns
  compile_aggregate_expressions: 0, // code for all aggregates of a query, and for all its sort keys; regular expressions are compiled one by one
  compile_sort_description: 0,
};

/**
 * For consumer statements, which may not change them. A ClickHouse release that lacks one of them also lacks the behaviour it disables.
 * What each setting of the engine keeps between statements is in `test/service/engine/settings/`.
 */
export const ISOLATION_SETTINGS: Settings = {
  ...ORDER_SETTINGS,
  ...HISTORY_SETTINGS,
  ...UNINTERRUPTIBLE_SETTINGS,
};

/**
 * ClickHouse's defaults of the fixed output settings: an engine format is written as a server with default settings does,
 * whatever the profile of its user.
 */
export const DEFAULT_OUTPUT: Settings = {
  date_time_output_format: 'simple',
  output_format_json_quote_denormals: 0,
  output_format_json_named_tuples_as_objects: 1,
  output_format_json_escape_forward_slashes: 1,
  output_format_json_validate_utf8: 0,
  output_format_json_array_of_rows: 0,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 0,
  output_format_csv_crlf_end_of_line: 0,
  format_csv_delimiter: ',',
  format_csv_null_representation: String.raw`\N`,
  output_format_parquet_string_as_string: 1,
  output_format_arrow_string_as_string: 1,
  output_format_arrow_compression_method: 'lz4_frame',
  output_format_native_encode_types_in_binary_format: 0,
};

/** Not a default, but what ClickHouse chooses where the output is no terminal. */
const NO_TERMINAL: Settings = { output_format_pretty_color: 0 };

/**
 * Of the ways to write a column, those that depend on its values alone. A column of documents has the paths, a dictionary the values
 * of all rows that were stored with it, of other tenants as well.
 */
const VALUES_ALONE: Readonly<Record<string, Settings>> = {
  Native: { output_format_native_write_json_as_string: 1 },
  Arrow: { output_format_arrow_low_cardinality_as_dictionary: 0 },
  ArrowStream: { output_format_arrow_low_cardinality_as_dictionary: 0 },
};

/** Output settings of a format that apply whatever else is set. */
export function requiredOutputOf({ engine, settings }: EngineFormat): Settings {
  return { ...settings, ...VALUES_ALONE[engine] };
}

/** What an engine format changes of a statement's settings. */
export function outputOf(format: ResultFormat | EngineFormat): Settings {
  return typeof format === 'string' ? {} : { ...DEFAULT_OUTPUT, ...NO_TERMINAL, ...requiredOutputOf(format) };
}

/** The name for a FORMAT clause. */
export function formatName(format: RunOptions['format']): string {
  return typeof format === 'string' ? format : format.engine;
}

/** The settings for one statement's limits and output, in a format without output settings of its own. */
export function settingsOf(
  statement: Pick<Statement, 'limits' | 'int64' | 'nonFinite' | 'workload'>,
): Settings {
  const isQuoted = statement.int64 === 'string' ? 1 : 0;
  return {
    ...limitSettingsOf(statement),
    output_format_json_quote_64bit_integers: isQuoted,
    output_format_json_quote_decimals: isQuoted,
    ...(statement.nonFinite === undefined ? {} : { output_format_json_quote_denormals: 1 }),
  };
}

/** The settings for one statement's limits. */
export function limitSettingsOf({ limits, workload }: Pick<Statement, 'limits' | 'workload'>): Settings {
  return {
    max_execution_time: limits.time,
    max_memory_usage: Math.trunc(limits.memory),
    max_rows_to_read: Math.trunc(limits.readRows),
    max_result_bytes: Math.trunc(limits.resultBytes),
    ...(workload === undefined ? {} : { workload }),
  };
}

/**
 * For saved statements: one with an explicit PREWHERE does not use the query condition cache, which could record ranges
 * without rows for one call's WHERE as ranges without rows for the PREWHERE of all calls. Other statements keep it:
 * repeated selective scans are a hundred times faster with it.
 */
export function conditionCacheOf({ sql }: Pick<Statement, 'sql'>): Settings {
  return /\bPREWHERE\b/i.test(sql) ? { use_query_condition_cache: 0 } : {};
}

/** `a = 1, b = 'x'`, for a SETTINGS clause. Names and string values come from this service; strings are plain words. */
export function printSettings(settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${printValue(value)}`)
    .join(', ');
}

function printValue(value: string | number): string {
  if (typeof value === 'string') return `'${value.replace(/[^\w ,.:/-]/g, '')}'`;
  if (!Number.isFinite(value) || value < 0) throw new RangeError(`not a limit: ${value}`);
  return Number.isInteger(value) ? BigInt(value).toString() : value.toFixed(3);
}
