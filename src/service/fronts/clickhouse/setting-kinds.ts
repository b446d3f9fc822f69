// What a setting of the engine does to a query over the tables of an endpoint, by its type and name: nothing that a result shows, or
// something that only its default leaves as it is.
import { FIXED_SETTINGS, ISOLATION_SETTINGS, requiredOutputOf } from '../../engine/settings.ts';
import { ENGINE_SETTINGS } from './generated/engine-settings.ts';

/** Why a setting may have any value: the service limits and plans queries by itself, and writes nothing. */
export type WithoutEffect =
  | 'obsolete'
  | 'limit'
  | 'time'
  | 'speed'
  | 'write'
  | 'input'
  | 'storage'
  | 'switch'
  | 'observation';

export interface EngineSetting {
  readonly name: string;
  readonly type: string;
  /** The value that a query has without it: the engine's default, or that of the service for settings of isolation. */
  readonly value: string;
  /** Undefined: only that value is accepted. */
  readonly withoutEffect: WithoutEffect | undefined;
}

/** Compiled code is shared by all callers. */
const COMPILES = /(?:^|_)compile(?:_|$)/;

/** Settings that isolation depends on, of queries and of what formats write. */
const IN_FORCE: ReadonlyMap<string, string> = new Map(
  [
    ...Object.entries(FIXED_SETTINGS).filter(([name]) => COMPILES.test(name)),
    ...Object.entries(ISOLATION_SETTINGS),
    ...['Native', 'Arrow'].flatMap((engine) => Object.entries(requiredOutputOf({ engine, settings: {} }))),
  ].map(([name, value]) => [name, String(value)]),
);

/** Names that match one of the rules below, but change what a query returns, or break it on purpose. */
const CHANGING = new RegExp(
  `^(?:${[
    'allow_special_bool_values_inside_variant',
    'allow_nullable_tuple_in_extracted_subcolumns',
    '(?:allow_experimental|enable)_nullable_tuple_type',
    'optimize_(?:trivial_approximate_count_query|respect_aliases)',
    'http_response_headers',
    '.*(?:fault_injection|fault_probability|injection_probability|_sleep_ms).*',
  ].join('|')})$`,
);

type Rule = readonly [kind: WithoutEffect, type: RegExp, name: RegExp];

const NUMBER = /^(?:(?:NonZero)?U?Int\d+(?:Auto)?|Float(?:Auto)?|Double|MaxThreads)$/;
const SWITCH = /^(?:Bool(?:Auto)?|UInt64)$/;
const ANY = /./;

/** Names that begin with one of these words. */
const begins = (words: string): RegExp => new RegExp(`^(?:${words.trim().split(/\s+/).join('|')})`);
/** Names that end in one of these words. */
const ends = (words: string): RegExp => new RegExp(`(?:${words.trim().split(/\s+/).join('|')})$`);

/** In order; the first that matches counts. */
const RULES: readonly Rule[] = [
  ['time', /^(?:Seconds|Milliseconds)$/, ANY],
  ['limit', /^OverflowMode/, ANY],
  ['limit', NUMBER, /^(?:max|min)_|_max_|_limit(?:s|$)/],
  ['limit', NUMBER, begins('priority read_priority readonly memory_ os_thread queue_ default_max_ glob_')],
  [
    'write',
    ANY,
    begins(`async_insert wait_for_async_insert insert_ alter_ mutations?_ lightweight_ update_ materialize deduplicate_
      parts_to_ number_of_mutations dead_blobs database_replicated replication_ create_ flatten_nested fsync throw_
      default_(?:table|temporary|view|normal_view|materialized) enable_lightweight quorum implicit_transaction wait_changes
      optimize_(?:on_insert|throw_if_noop|trivial_insert|dry_run) keeper_ check_(?:table|referential|named)`),
  ],
  ['write', ANY, ends(String.raw`_on_insert _insert_block_\w+ _insert_blocks? _insert`)],
  ['input', ANY, begins('input_format_ date_time_input_format$ schema_inference_ column_names_for_schema engine_(?:file|url)_')],
  [
    'storage',
    ANY,
    begins(`s3 azure_ hdfs_ iceberg_ delta_lake_ paimon_ hudi_ kafka_ rabbitmq_ nats_ postgresql_ mysql_ mongodb_ odbc_
      external_storage_ backup_ restore_ rocksdb_ stream_ streaming_ window_view_ storage_ distributed_ remote_ cluster_
      hedged_ skip_unavailable_ load_balancing prefer_localhost_replica fallback_to_stale parallel_replica
      automatic_parallel_replicas async_query async_socket cloud_mode local_filesystem_ filesystem_ page_cache_ merge_tree_
      shared_merge_tree_ temporary_ table_function_remote dictionary_`),
  ],
  [
    'speed',
    ANY,
    begins(`optimize_ query_plan_ read_in_order_ read_backoff_ read_from_ read_through_ reader_executor_ join_algorithm
      join_runtime_ join_on_disk_ join_to_sort_ join_output_ group_by_two_level_ grace_hash_ partial_merge_ cross_join_
      cross_to_ text_index_ collect_hash_ aggregation_ prefetch_ preferred_ prefer_(?:external|warmed)_ remerge_ move_
      convert_query_to_cnf parallel short_circuit_function_evaluation_for_nulls count_distinct_optimization rewrite_
      load_marks_ low_cardinality_(?:max|use)_ secondary_indices_ split_ defer_ analyze_index_ query_cache_
      use_(?!legacy|variant|with_fill|client|structure|strict)`),
  ],
  [
    'speed',
    ANY,
    ends(`cache prefetch _threads _buffer_size _buffering _buffer_bytes _block_size _block_size_bytes parallel_\\w+ _pool
      _bandwidth _backoff_ms _retries _batch_size _page_size _dictionary_size _group_size_bytes _glue_chunks _squash_\\w+
      native_writer _compression_level _window_log _sync_interval _row_index_stride _size_threshold write_checksums
      _flush_threshold_bytes _bits_per_value network_compression_method output_format_enable_streaming`),
  ],
  [
    'speed',
    SWITCH,
    begins(`enable_analyzer enable_optimize enable_multiple_prewhere enable_join_ enable_memory_bound enable_vertical_final
      enable_producing enable_shar enable_lazy enable_automatic enable_adaptive enable_early enable_scalar enable_software
      enable_parallel enable_identifier enable_filesystem_cache`),
  ],
  [
    'switch',
    SWITCH,
    begins(`allow_ enable_time_time64 enable_json_type enable_full_text enable_positional_arguments_for enable_url_encoding
      enable_hdfs enable_http_compression`),
  ],
  [
    'switch',
    ANY,
    begins(`add_http http_ send_ network_ hsts tcp_ apply_settings cancel_http idle_ interactive_delay poll_interval
      use_client_time_zone distributed_product_mode cast_string_to_dynamic_use_inference`),
  ],
  [
    'observation',
    ANY,
    begins(`log_ query_profiler query_metric opentelemetry trace_ metrics_perf jemalloc calculate_text system_ per_part
      enable_(?:blob|job|s3_requests|filesystem) show_(?:processlist|remote|data_lake) predicate_statistics print_pretty
      explain ignore_format_null`),
  ],
]; // prettier-ignore

function kindOf(name: string, type: string, tier: string): WithoutEffect | undefined {
  if (IN_FORCE.has(name) || COMPILES.test(name)) return undefined;
  if (tier === 'Obsolete') return 'obsolete';
  if (CHANGING.test(name)) return undefined;
  return RULES.find(([, ofType, ofName]) => ofType.test(type) && ofName.test(name))?.[0];
}

/** All settings of the engine. */
export const ENGINE_SETTINGS_BY_NAME: ReadonlyMap<string, EngineSetting> = new Map(
  ENGINE_SETTINGS.flatMap((line) => {
    const [type = '', value = '', tier = '', names = ''] = line.split('|');
    return names.split(' ').map((name) => {
      const withoutEffect = kindOf(name, type, tier);
      return [name, { name, type, value: IN_FORCE.get(name) ?? value, withoutEffect }] as const;
    });
  }),
);
