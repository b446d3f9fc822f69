// Settings that clients send, in the URL, in SETTINGS and by SET: a closed table. Sessions hold none of them.
import { didYouMean, nearest } from '../../core/nearest.ts';
import { Problem } from '../../core/problem.ts';
import { engineFormatNamed, type EngineFormat } from '../../format/clickhouse-formats.ts';
import {
  isOutputSetting,
  OUTPUT_SETTINGS,
  outputSettingFault,
  withOutputSettings,
} from '../../format/output-settings.ts';

/** Why a setting may have a value: it changes nothing that a caller could see, or only what they agree to. */
type Accepted =
  | { readonly kind: 'ignored' }
  | { readonly kind: 'applied' }
  | { readonly kind: 'only'; readonly values: readonly string[] };

interface Known {
  readonly accepted: Accepted;
  /** As system.settings shows it. */
  readonly value: string;
  readonly type: string;
  readonly description: string;
}

const IGNORED: Accepted = { kind: 'ignored' };
const APPLIED: Accepted = { kind: 'applied' };
const only = (...values: readonly string[]): Accepted => ({ kind: 'only', values });

const NO_EFFECT = 'Accepted, without effect.';

/** Settings of connections, logs, optimizers, threads and limits, which the service has of its own. */
const WITHOUT_EFFECT = `
readonly connect_timeout connect_timeout_with_failover_ms receive_timeout send_timeout tcp_keep_alive_timeout
http_connection_timeout http_send_timeout http_receive_timeout keep_alive_timeout idle_connection_timeout
http_headers_progress_interval_ms http_max_uri_size http_write_exception_in_output_format http_wait_end_of_query
http_response_buffer_size cancel_http_readonly_queries_on_client_close wait_end_of_query send_progress_in_http_headers
enable_http_compression http_zlib_compression_level network_compression_method network_zstd_compression_level
log_queries log_comment log_query_settings log_query_threads log_profile_events log_formatted_queries log_queries_probability
send_logs_level send_logs_source_regexp calculate_text_stack_trace stacktrace
max_threads max_final_threads max_block_size preferred_block_size_bytes max_insert_block_size max_read_buffer_size
max_parallel_replicas max_distributed_connections max_query_size max_parser_depth max_ast_depth max_ast_elements
max_memory_usage max_memory_usage_for_user max_bytes_before_external_group_by max_bytes_before_external_sort
max_rows_to_group_by max_columns_to_read priority load_balancing prefer_localhost_replica
max_estimated_execution_time timeout_before_checking_execution_speed min_execution_speed max_execution_speed
use_uncompressed_cache use_query_cache enable_writes_to_query_cache enable_reads_from_query_cache query_cache_ttl
optimize_read_in_order optimize_aggregation_in_order optimize_move_to_prewhere optimize_skip_unused_shards
optimize_use_projections optimize_trivial_count_query optimize_distributed_group_by_sharding_key
query_plan_optimize_lazy_materialization enable_optimize_predicate_expression compile_expressions join_algorithm
distributed_product_mode allow_simdjson enable_analyzer allow_experimental_analyzer allow_experimental_object_type
allow_experimental_json_type allow_experimental_variant_type allow_experimental_dynamic_type allow_experimental_window_functions
allow_experimental_geo_types allow_experimental_map_type allow_experimental_query_deduplication enable_json_type enable_time_time64_type
allow_suspicious_low_cardinality_types allow_suspicious_types_in_group_by allow_suspicious_types_in_order_by
allow_suspicious_variant_types allow_introspection_functions
use_client_time_zone date_time_input_format cast_string_to_dynamic_use_inference input_format_parquet_max_block_size
input_format_skip_unknown_fields input_format_null_as_default input_format_import_nested_json
input_format_json_use_string_type_for_ambiguous_paths_in_named_tuples_inference_from_objects
async_insert wait_for_async_insert insert_quorum insert_deduplicate insert_distributed_sync mutations_sync alter_sync
allow_ddl final_or_default implicit_transaction wait_changes_become_visible_after_commit_mode
throw_on_unsupported_query_inside_transaction custom_jdbc_config allow_experimental_lightweight_delete enable_lightweight_delete
output_format_parallel_formatting output_format_enable_streaming schema_inference_make_columns_nullable
async_query_sending_for_remote allow_experimental_parallel_reading_from_replicas enable_parallel_replicas cloud_mode
`;

/** What system.settings shows, which some clients read as numbers. */
const VALUES: ReadonlyMap<string, string> = new Map([
  ['date_time_input_format', 'best_effort'],
  ['distributed_product_mode', 'deny'],
  ['join_algorithm', 'direct,parallel_hash,hash'],
  ['load_balancing', 'random'],
  ['max_block_size', '65409'],
  ['max_insert_block_size', '1048449'],
  ['network_compression_method', 'LZ4'],
  ['send_logs_level', 'none'],
  ...['custom_jdbc_config', 'log_comment'].map((name) => [name, ''] as const),
]);

const TABLE: ReadonlyMap<string, Known> = new Map([
  ...WITHOUT_EFFECT.trim()
    .split(/\s+/)
    .map(
      (name) =>
        [
          name,
          {
            accepted: IGNORED,
            value: VALUES.get(name) ?? '0',
            type: 'String',
            description: NO_EFFECT,
          },
        ] as const,
    ),
  ...OUTPUT_SETTINGS.map(
    ({ name, values }) =>
      [
        name,
        { accepted: APPLIED, value: '', type: 'String', description: `Applied; must be ${values}.` },
      ] as const,
  ),
  known('max_result_rows', APPLIED, 'At most the rows of the database.', ['0', 'UInt64']),
  known('result_overflow_mode', APPLIED, 'What happens beyond max_result_rows: throw or break.', [
    'throw',
    'OverflowMode',
  ]),
  known('limit', APPLIED, 'As max_result_rows with break.', ['0', 'UInt64']),
  known('default_format', APPLIED, 'The format of queries without FORMAT.', ['TabSeparated', 'String']),
  known('max_execution_time', APPLIED, 'Seconds; at most those of the database.', ['0', 'Seconds']),
  known('describe_compact_output', APPLIED, 'With 1, DESCRIBE has names and types only.', ['0', 'Bool']),
  known('describe_include_subcolumns', only('0'), 'DESCRIBE has columns only.', ['0', 'Bool']),
  known('session_timezone', only('', 'UTC', 'Etc/UTC'), 'Times are in UTC: convert them with toTimeZone.', [
    '',
    'Timezone',
  ]),
  known('timezone', only('', 'UTC', 'Etc/UTC'), 'Times are in UTC: convert them with toTimeZone.', [
    '',
    'Timezone',
  ]),
  known('offset', only('0'), 'Write OFFSET in the query.', ['0', 'UInt64']),
  known(
    'join_use_nulls',
    only('0'),
    'Without effect in queries without JOIN; in others, write LEFT JOIN with toNullable of the columns.',
    ['0', 'Bool'],
  ),
  known('union_default_mode', only('', 'ALL', 'DISTINCT'), 'Write UNION ALL or UNION DISTINCT.', [
    '',
    'SetOperationMode',
  ]),
  known('final', only('0'), 'Tables of databases have no duplicates to merge.', ['0', 'Bool']),
  known('group_by_use_nulls', only('0'), NO_EFFECT, ['0', 'Bool']),
  known('cast_keep_nullable', only('0'), 'Write CAST to a Nullable type.', ['0', 'Bool']),
  known('prefer_column_name_to_alias', only('0'), 'Give aliases names that no column has.', ['0', 'Bool']),
  known('aggregate_functions_null_for_empty', only('0'), 'Write the combinator OrNull.', ['0', 'Bool']),
  known('data_type_default_nullable', only('0'), NO_EFFECT, ['0', 'Bool']),
  known('additional_table_filters', only('', '{}'), 'Write the condition as WHERE.', ['{}', 'Map']),
  known('additional_result_filter', only(''), 'Write the condition as WHERE.', ['', 'String']),
  ...[
    'max_rows_to_read',
    'max_bytes_to_read',
    'max_result_bytes',
    'timeout_overflow_mode',
    'read_overflow_mode',
  ].map((name) =>
    known(name, IGNORED, 'Accepted, without effect: the limits of the database apply.', ['0', 'String']),
  ),
]);

function known(
  name: string,
  accepted: Accepted,
  description: string,
  [value, type]: readonly [value: string, type: string],
): readonly [string, Known] {
  return [name, { accepted, description, value, type }];
}

export interface ListedSetting {
  readonly name: string;
  readonly value: string;
  readonly type: string;
  readonly description: string;
  /** `applied`, `ignored`, or the values that are accepted. */
  readonly effect: string;
}

/** All settings that are accepted, in order of their names: the rows of system.settings. */
export const LISTED_SETTINGS: readonly ListedSetting[] = [...TABLE]
  .map(([name, { accepted, ...rest }]) => ({
    name,
    ...rest,
    effect:
      accepted.kind === 'only' ? accepted.values.map((value) => value || "''").join(', ') : accepted.kind,
  }))
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Settings as sent, checked. */
export interface ReadSettings {
  readonly output: readonly (readonly [name: string, value: string])[];
  readonly resultRows: EngineFormat['resultRows'];
  /** Seconds. */
  readonly time: number | undefined;
  readonly defaultFormat: string | undefined;
  /** DESCRIBE has names and types only. */
  readonly isCompact: boolean;
}

/** `allow_experimental_…` and the like switch features on that the sandbox judges by itself. */
const HARMLESS_PREFIXES = [
  'allow_experimental_',
  'allow_suspicious_',
  'input_format_',
  'distributed_',
  's3_',
  'log_',
];

/**
 * Reads settings; of one sent twice, the later counts. Throws Problem `clickhouse.setting_unknown`, `clickhouse.setting_read_only` or
 * `clickhouse.setting_invalid`.
 */
export function readSettings(sent: Iterable<readonly [name: string, value: string]>): ReadSettings {
  const values = new Map([...sent].filter(([name, value]) => !isDefault(name, value)));
  for (const [name, value] of values) checkSetting(name, value);
  const applied = (name: string): string | undefined => values.get(name);
  const most = [countOf('max_result_rows', applied('max_result_rows')), countOf('limit', applied('limit'))];
  const max = Math.min(...most.map((each) => (each === undefined || each === 0 ? Infinity : each)));
  const overflow = applied('result_overflow_mode') ?? 'throw';
  if (overflow !== 'throw' && overflow !== 'break')
    throw invalid('result_overflow_mode', 'must be throw or break');
  const isBreak = overflow === 'break' || (most[1] ?? 0) > 0;
  const time = secondsOf(applied('max_execution_time'));
  return {
    output: [...values].filter(([name]) => isOutputSetting(name)),
    resultRows: max === Infinity ? undefined : { max, overflow: isBreak ? 'break' : 'throw' },
    time: time === undefined || time === 0 ? undefined : time,
    defaultFormat: applied('default_format'),
    isCompact: ['1', 'true'].includes(applied('describe_compact_output') ?? ''),
  };
}

/** As system.settings lists output settings: some clients send back what it lists. */
function isDefault(name: string, value: string): boolean {
  return value === '' && isOutputSetting(name) && outputSettingFault(name, value) !== undefined;
}

function checkSetting(name: string, value: string): void {
  const setting = TABLE.get(name);
  const shown = name.slice(0, 100);
  if (setting === undefined) {
    if (HARMLESS_PREFIXES.some((prefix) => name.startsWith(prefix))) return;
    throw new Problem('clickhouse.setting_unknown', {
      detail: `Setting ${shown} is not supported`,
      hint: [
        didYouMean(nearest(shown, TABLE.keys())),
        'The table system.settings lists the settings that are accepted.',
      ]
        .filter((each) => each !== undefined)
        .join(' '),
    });
  }
  const { accepted, description } = setting;
  if (accepted.kind === 'only' && !accepted.values.includes(normal(value))) {
    throw new Problem('clickhouse.setting_read_only', {
      detail: `Setting ${shown} cannot be changed to ${value.slice(0, 60)}`,
      hint: description,
    });
  }
  const fault = isOutputSetting(name) ? outputSettingFault(name, value) : undefined;
  if (fault !== undefined) throw invalid(name, fault);
}

function normal(value: string): string {
  return value === 'false' ? '0' : value;
}

const INTEGER = /^\d{1,20}$/;

function countOf(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!INTEGER.test(value)) throw invalid(name, 'must be a number of rows');
  return Number(value);
}

function secondsOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(seconds)) throw invalid('max_execution_time', 'must be a number of seconds');
  return seconds;
}

function invalid(name: string, fault: string): Problem {
  return new Problem('clickhouse.setting_invalid', { detail: `Setting ${name} ${fault}` });
}

/** The format of a result, and its Content-Type. Throws Problem `format.not_acceptable`. */
export function formatOf(
  name: string,
  { output, resultRows }: Pick<ReadSettings, 'output' | 'resultRows'>,
): { readonly format: EngineFormat; readonly contentType: string } {
  const named = engineFormatNamed(name);
  if (named === undefined) {
    throw new Problem('format.not_acceptable', { detail: `Format ${name.slice(0, 100)} is not supported` });
  }
  const limited = resultRows === undefined ? {} : { resultRows };
  return {
    format: withOutputSettings({ engine: named.name, ...limited }, output),
    contentType: named.contentType,
  };
}
