// Which settings of clients are accepted: the engine's own list, by what each of them does.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../../../src/sql/base/problem.ts';
import { FIXED_SETTINGS, ISOLATION_SETTINGS } from '../../../../src/service/engine/settings.ts';
import { exceptionOf } from '../../../../src/service/fronts/clickhouse/exception-codes.ts';
import { ENGINE_SETTINGS } from '../../../../src/service/fronts/clickhouse/generated/engine-settings.ts';
import { LISTED_SETTINGS, readSettings } from '../../../../src/service/fronts/clickhouse/settings.ts';
import { ENGINE_SETTINGS_BY_NAME } from '../../../../src/service/fronts/clickhouse/setting-kinds.ts';
import { engineSettings } from '../../../support/engine-settings.ts';

/** `accepted`, or ClickHouse's code of the exception. */
function read(name: string, value: string): 'accepted' | number {
  try {
    readSettings([[name, value]]);
    return 'accepted';
  } catch (error) {
    if (error instanceof Problem) return exceptionOf(error).code;
    throw error;
  }
}

const SETTINGS = [...ENGINE_SETTINGS_BY_NAME.values()];
const isGuarded = (name: string): boolean => name in ISOLATION_SETTINGS || /(?:^|_)compile(?:_|$)/.test(name);

test('the list is that of the engine', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-settings-'));
  const session = new Session(folder);
  const rows = engineSettings((sql) => session.query(sql, 'JSONCompactEachRow'));
  session.close();
  await rm(folder, { recursive: true, force: true });
  expect(ENGINE_SETTINGS).toEqual(rows.map((row) => row.join('|')));
  for (const row of rows) for (const part of row) expect(part).not.toContain('|');
});

test('every setting is accepted with its default, unless the service has another value in force', () => {
  const defaults = ENGINE_SETTINGS.flatMap((line) => {
    const [, value = '', , names = ''] = line.split('|');
    return names.split(' ').map((name) => [name, value] as const);
  });
  const rejected = defaults.filter(([name, value]) => read(name, value) !== 'accepted').map(([name]) => name);
  const compiling = Object.entries(FIXED_SETTINGS).filter(([name]) => name.includes('compile'));
  const inForce = {
    ...Object.fromEntries(compiling),
    ...ISOLATION_SETTINGS,
    output_format_native_write_json_as_string: 1,
  };
  const changed = Object.entries(inForce).filter(
    ([name, value]) => defaults.find(([other]) => other === name)?.[1] !== String(value),
  );
  expect(rejected.toSorted()).toEqual(changed.map(([name]) => name).toSorted());
});

test('every setting is accepted with the value that system.settings lists, and with DEFAULT', () => {
  for (const { name, value } of LISTED_SETTINGS) {
    expect([name, read(name, value)]).toEqual([name, 'accepted']);
    expect([name, read(name, 'DEFAULT')]).toEqual([name, 'accepted']);
  }
  expect(new Set(LISTED_SETTINGS.map(({ name }) => name)).size).toBe(LISTED_SETTINGS.length);
});

describe('settings that isolation depends on, and those that compile', () => {
  test.each(SETTINGS.filter(({ name }) => isGuarded(name)))('$name has the value $value only', ({ name, value }) => {
    expect(read(name, value)).toBe('accepted');
    for (const other of ['0', '1', '2', 'true', 'false', 'auto', ''])
      if (other !== value && !(other === 'false' && value === '0') && !(other === 'true' && value === '1'))
        expect([other, read(name, other)]).toEqual([other, 164]);
  }); // prettier-ignore

  test('are none of those without effect', () => {
    const free = LISTED_SETTINGS.filter(({ effect }) => effect === 'ignored' || effect === 'applied');
    expect(free.filter(({ name }) => isGuarded(name))).toEqual([]);
    expect(SETTINGS.filter(({ name }) => isGuarded(name)).length).toBeGreaterThan(12);
  });
});

describe('without effect', () => {
  test.each([
    // limits
    ['max_memory_usage', '1000000000'], ['max_rows_to_read', '10'], ['max_bytes_to_read', '10'], ['max_threads', '64'],
    ['max_columns_to_read', '3'], ['max_rows_in_join', '5'], ['max_bytes_before_external_sort', '1'], ['max_ast_depth', '99999'],
    ['min_execution_speed', '7'], ['join_overflow_mode', 'break'], ['timeout_overflow_mode', 'break'], ['priority', '3'],
    ['group_by_overflow_mode', 'any'], ['max_subquery_depth', '1000'], ['max_network_bandwidth', '1'], ['max_temporary_columns', '1'],
    // times
    ['connect_timeout', '5'], ['receive_timeout', '5.5'], ['queue_max_wait_ms', '10'], ['lock_acquire_timeout', '1'],
    // speed
    ['optimize_read_in_order', '0'], ['optimize_skip_unused_shards', '1'], ['query_plan_filter_push_down', '0'], ['use_uncompressed_cache', '1'],
    ['use_skip_indexes', '0'], ['join_algorithm', 'grace_hash'], ['enable_filesystem_cache', '0'], ['read_in_order_use_buffering', '0'],
    ['group_by_two_level_threshold', '1'], ['enable_software_prefetch_in_join', '0'], ['preferred_block_size_bytes', '100'],
    ['output_format_parquet_parallel_encoding', '0'], ['merge_tree_min_rows_for_concurrent_read', '1'], ['enable_analyzer', '1'],
    // what a query here cannot do, and what judges it otherwise
    ['insert_quorum', '2'], ['async_insert', '1'], ['mutations_sync', '2'], ['input_format_skip_unknown_fields', '0'], ['s3_max_connections', '1'],
    ['distributed_group_by_no_merge', '1'], ['load_balancing', 'in_order'], ['allow_experimental_hash_functions', '1'],
    ['allow_suspicious_low_cardinality_types', '1'], ['log_comment', "it's"], ['send_logs_level', 'trace'], ['opentelemetry_trace_processors', '1'],
    ['allow_experimental_window_functions', '1'], ['allow_experimental_analyzer', '1'], ['query_profiler_real_time_period_ns', '0'],
    ['custom_jdbc_config', 'x'], ['stacktrace', '1'],
  ])('%s = %s', (name, value) => {
    expect(read(name, value)).toBe('accepted');
    expect(readSettings([[name, value]])).toEqual(readSettings([]));
  }); // prettier-ignore
});

describe('that change a query', () => {
  test.each([
    ['transform_null_in', '1'], ['any_join_distinct_right_table_keys', '1'], ['join_any_take_last_row', '1'], ['join_default_strictness', 'ANY'],
    ['count_distinct_implementation', 'uniq'], ['totals_mode', 'before_having'], ['group_by_use_nulls', '1'], ['final', '1'],
    ['empty_result_for_aggregation_by_empty_set', '1'], ['enable_positional_arguments', '0'], ['enable_unaligned_array_join', '1'],
    ['use_legacy_to_time', '1'], ['use_variant_as_common_type', '0'], ['date_time_overflow_behavior', 'throw'], ['short_circuit_function_evaluation', 'disable'],
    ['decimal_check_overflow', '0'], ['function_locate_has_mysql_compatible_argument_order', '0'], ['function_json_value_return_type_allow_nullable', '1'],
    ['optimize_trivial_approximate_count_query', '1'], ['dialect', 'kusto'], ['compatibility', '22.3'], ['additional_result_filter', '1'],
    ['exact_rows_before_limit', '1'], ['apply_deleted_mask', '0'], ['http_response_headers', "{'a':'b'}"], ['format_display_secrets_in_show_and_select', '1'],
    ['enable_named_columns_in_function_tuple', '1'], ['data_type_default_nullable', '1'], ['session_timezone', 'Asia/Tokyo'], ['implicit_table_at_top_level', 't'],
    ['allow_nullable_tuple_in_extracted_subcolumns', '1'], ['workload', 'x'], ['ignore_data_skipping_indices', 'x'], ['memory_tracker_fault_probability', '1'],
    ['output_format_arrow_variant_as_string', '1'], ['errors_output_format', 'JSON'],
  ])('%s = %s is rejected', (name, value) => {
    expect(read(name, value)).toBe(164);
  }); // prettier-ignore

  test.each([
    ['output_format_json_quote_64bit_integers', '2'],
    ['output_format_parquet_row_group_size', '1'],
    ['output_format_native_write_json_as_string', '0'],
    ['output_format_arrow_low_cardinality_as_dictionary', '1'],
  ])('an output setting with an invalid value: %s = %s', (name, value) => {
    expect(read(name, value)).toBe(36);
  });

  test.each(['nothing', 'max_thread', 'allow_experimental_nothing', 'input_format_nothing', 'toString', ''])('%s is unknown', (name) => {
    expect(read(name, '1')).toBe(115);
  }); // prettier-ignore
});

describe('values that are written in other ways', () => {
  test.each([
    ['compile_expressions', 'false'],
    ['enable_positional_arguments', 'TRUE'],
    ['vector_search_postfilter_multiplier', '1.0'],
    ['limit', '0'],
    ['output_format_pretty_color', 'auto'],
    ['output_format_native_write_json_as_string', 'true'],
    ['transform_null_in', 'False'],
  ])('%s = %s is in force', (name, value) => {
    expect(read(name, value)).toBe('accepted');
  });
});
