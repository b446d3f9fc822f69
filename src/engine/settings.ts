// The engine's settings that stand around every statement: fixed ones, and those that its limits become.
import type { Settings, Statement } from './engine.ts';

/**
 * Output that never depends on a server's or a user's defaults, and walls that no endpoint can move.
 * https://clickhouse.com/docs/operations/settings/settings, …/settings/formats, …/settings/query-complexity
 */
export const FIXED_SETTINGS: Settings = {
  session_timezone: 'UTC',
  date_time_output_format: 'iso',
  output_format_json_quote_denormals: 0,
  output_format_json_quote_decimals: 0,
  output_format_json_named_tuples_as_objects: 1,
  output_format_json_escape_forward_slashes: 0,
  output_format_json_validate_utf8: 1,
  output_format_json_array_of_rows: 0,
  output_format_csv_crlf_end_of_line: 0,
  format_csv_delimiter: ',',
  format_csv_null_representation: '',
  output_format_parquet_string_as_string: 1,
  output_format_arrow_string_as_string: 1,
  output_format_arrow_compression_method: 'none', // readers for browsers have no codecs; over the wire it is compressed anyway
  // Parameters are part of the text that the embedded engine parses; escaped, they may be four times as long.
  max_query_size: 8 * 1024 * 1024,
  max_ast_elements: 50_000,
  max_expanded_ast_elements: 50_000,
  max_temporary_columns: 1000,
  timeout_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  result_overflow_mode: 'throw',
};

/**
 * Consumers' statements: what they ask of a row is asked after the endpoint's own conditions, and of no other row. The
 * sandbox's barrier does not need them; queries without a barrier do, where an operator fails on a value of type Dynamic.
 * None may be changed by a statement. A release without one of them does not do what it switches off.
 */
export const ISOLATION_SETTINGS: Settings = {
  allow_reorder_prewhere_conditions: 0, // no condition of PREWHERE before one that was written first
  query_plan_merge_filters: 0, // conditions of one PREWHERE step that read one column are evaluated together
  enable_join_runtime_filters: 0, // computes the keys of a join while its table is read
  optimize_prewhere_after_pushdown: 0, // adds conditions to a PREWHERE that there is
  use_query_condition_cache: 0, // shared: what a consumer's condition left of a PREWHERE is remembered as what that one finds
};

/** The settings that one statement's limits and printing become. */
export function settingsOf({
  limits,
  int64,
  workload,
}: Pick<Statement, 'limits' | 'int64' | 'workload'>): Settings {
  return {
    max_execution_time: limits.time,
    max_memory_usage: Math.trunc(limits.memory),
    max_rows_to_read: Math.trunc(limits.readRows),
    max_result_bytes: Math.trunc(limits.resultBytes),
    output_format_json_quote_64bit_integers: int64 === 'string' ? 1 : 0,
    ...(workload === undefined ? {} : { workload }),
  };
}

/** `a = 1, b = 'x'`, for a SETTINGS clause. Names are ours; values are numbers, or plain words of ours. */
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
