// The engine's settings for creating tables: everything that a server may have allowed is accepted.
import type { Engine } from '../../service/engine/engine.ts';
import { readRows } from '../../service/engine/rows.ts';

export interface EngineSettings {
  /** Statements before each one. */
  readonly session: string;
  /** A SETTINGS clause for MergeTree tables, with a space before it. */
  readonly tree: string;
  /** Names of table engines. */
  readonly engines: ReadonlySet<string>;
}

/** Off by default, each in some release; those that this engine does not have are left out. */
const SESSION: readonly string[] = [
  'allow_suspicious_low_cardinality_types',
  'allow_suspicious_fixed_string_types',
  'allow_suspicious_variant_types',
  'allow_suspicious_primary_key',
  'allow_suspicious_types_in_group_by',
  'allow_suspicious_types_in_order_by',
  'allow_experimental_variant_type',
  'allow_experimental_dynamic_type',
  'allow_experimental_json_type',
  'allow_experimental_object_type',
  'allow_experimental_bfloat16_type',
  'allow_experimental_qbit_type',
  'allow_experimental_nullable_tuple_type',
  'allow_experimental_time_series_table',
  'allow_experimental_time_series_aggregate_functions',
  'allow_experimental_alias_table_engine',
  'allow_experimental_funnel_functions',
  'allow_experimental_nlp_functions',
  'allow_experimental_hash_functions',
  'allow_experimental_time_time64_type',
  'enable_time_time64_type',
  'allow_deprecated_syntax_for_merge_tree',
  'allow_deprecated_error_prone_window_functions',
  'allow_deprecated_snowflake_conversion_functions',
  'allow_materialized_view_with_bad_select',
  'allow_create_index_without_type',
];

const TREE: readonly string[] = [
  'allow_nullable_key',
  'allow_floating_point_partition_key',
  'allow_experimental_reverse_key',
  'allow_summing_columns_in_partition_or_order_key',
  'allow_coalescing_columns_in_partition_or_order_key',
];

/** Rejects with EngineError. */
export async function readEngineSettings(engine: Engine): Promise<EngineSettings> {
  const [session, tree] = [await known(engine, 'settings'), await known(engine, 'merge_tree_settings')];
  const allowed = SESSION.filter((name) => session.has(name)).map((name) => `${name} = 1`);
  const keys = TREE.filter((name) => tree.has(name)).map((name) => `${name} = 1`);
  return {
    session: `SET ${[...allowed, 'max_execution_time = 60'].join(', ')};\n`,
    tree: keys.length === 0 ? '' : ` SETTINGS ${keys.join(', ')}`,
    engines: new Set([...(await readNames(engine, 'table_engines')), ...ELSEWHERE]),
  };
}

function known(engine: Engine, table: 'settings' | 'merge_tree_settings'): Promise<ReadonlySet<string>> {
  return readNames(engine, `${table} WHERE startsWith(name, 'allow_') OR startsWith(name, 'enable_')`);
}

/** Reads a system table, or the rows of one that a condition selects. Rejects with EngineError. */
export async function readNames(engine: Engine, table: string): Promise<ReadonlySet<string>> {
  const rows = (await readRows(engine, `SELECT name FROM system.${table}`)) as readonly [string][]; // one column of strings
  return new Set(rows.map(([name]) => name));
}

const KINDS = [
  '',
  ...'Replacing Summing Aggregating Collapsing VersionedCollapsing Graphite Coalescing'.split(' '),
];

/** Engines that other builds have. */
const ELSEWHERE: readonly string[] = [
  ...KINDS.flatMap((kind) => ['', 'Replicated', 'Shared'].map((how) => `${how}${kind}MergeTree`)),
  ...`Distributed Buffer Alias Loop Kafka RabbitMQ NATS FileLog S3 S3Queue GCS OSS COSN AzureBlobStorage AzureQueue URL HDFS File MySQL
    PostgreSQL MaterializedPostgreSQL MongoDB SQLite ODBC JDBC Redis Hive EmbeddedRocksDB KeeperMap Executable ExecutablePool
    ExternalDistributed TimeSeries Iceberg IcebergS3 DeltaLake Hudi Paimon ArrowFlight YTsaurus`.split(/\s+/),
];
