// Table engines of servers, as one that a single process has: the same columns and the same kinds of reads.
import { quoteString } from '../../sql/clickhouse/literal.ts';
import type { EngineArgument, EngineRecord } from '../../sql/definition/record.ts';
import { printName, type QualifiedName } from '../../sql/definition/qualified-name.ts';

/** What the rows of a table come from, once its engine is that of a single process. */
export type LocalEngine =
  /** A table of its own; `sql` is the engine with its arguments, and its keys are kept if `hasKeys`. */
  | { readonly kind: 'own'; readonly sql: string; readonly hasKeys: boolean }
  /** Another table, to which all reads go: the local table of a Distributed table. */
  | { readonly kind: 'alias'; readonly target: QualifiedName }
  /** A source of rows outside: a table of its own, with the virtual columns of the source. */
  | { readonly kind: 'source'; readonly virtual: readonly string[] };

const MERGE_TREE =
  /^(?:Replicated|Shared)?((?:Replacing|Summing|Aggregating|Collapsing|VersionedCollapsing|Graphite|Coalescing)?MergeTree)$/;
/** Engines that work in a single process as they are. */
const LOCAL = /^(Memory|Log|TinyLog|StripeLog|Null|Set|Join|Merge|Dictionary|GenerateRandom)$/;

/** Says what an engine is here; `database` is the current one. */
export function localEngine(engine: EngineRecord, database: string): LocalEngine {
  const tree = MERGE_TREE.exec(engine.name)?.[1];
  if (tree !== undefined) return { kind: 'own', sql: mergeTree(engine, tree), hasKeys: true };
  const target = targetOf(engine, database);
  if (target !== undefined) return { kind: 'alias', target };
  if (LOCAL.test(engine.name)) return { kind: 'own', sql: engine.sql, hasKeys: false };
  return { kind: 'source', virtual: VIRTUAL.find(([pattern]) => pattern.test(engine.name))?.[1] ?? [] };
}

/** The table behind a Distributed, Buffer or Alias table, whose arguments begin with that table or a cluster. */
function targetOf(
  { name: engine, arguments: listed }: EngineRecord,
  database: string,
): QualifiedName | undefined {
  if (engine !== 'Distributed' && engine !== 'Buffer' && engine !== 'Alias') return undefined;
  const names = (engine === 'Distributed' ? listed.slice(1) : listed).map(({ name }) => name);
  const [first = '', second = ''] = names.length === 1 ? ['', ...names] : names;
  return second === '' ? undefined : { database: first === '' ? database : first, name: second };
}

/** Without the path and the replica name, which are the first arguments of replicated engines. */
function mergeTree({ name: engine, arguments: listed }: EngineRecord, tree: string): string {
  if (tree === 'GraphiteMergeTree') return 'MergeTree'; // its argument names a part of the server's configuration
  const isReplicated = engine !== tree;
  const paths = isReplicated && isPath(listed[0]) ? (isPath(listed[1]) ? 2 : 1) : 0;
  const own = listed.slice(paths).map(({ sql }) => sql);
  return own.length === 0 ? tree : `${tree}(${own.join(', ')})`;
}

function isPath(argument: EngineArgument | undefined): boolean {
  return argument?.isString === true;
}

const FILES = [
  '`_path` LowCardinality(String)',
  '`_file` LowCardinality(String)',
  '`_size` Nullable(UInt64)',
  '`_time` Nullable(DateTime)',
];

/** The columns that queries may name without selecting them by `*`. https://clickhouse.com/docs/engines/table-engines */
const VIRTUAL: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /^Kafka$/,
    [
      '`_topic` LowCardinality(String)',
      '`_key` String',
      '`_offset` UInt64',
      '`_partition` UInt64',
      '`_timestamp` Nullable(DateTime)',
      '`_timestamp_ms` Nullable(DateTime64(3))',
      '`_headers.name` Array(String)',
      '`_headers.value` Array(String)',
      '`_raw_message` String',
      '`_error` String',
    ],
  ],
  [
    /^RabbitMQ$/,
    [
      '`_exchange_name` String',
      '`_channel_id` String',
      '`_delivery_tag` UInt64',
      '`_redelivered` UInt8',
      '`_message_id` String',
      '`_timestamp` UInt64',
      '`_raw_message` String',
      '`_error` String',
    ],
  ],
  [/^NATS$/, ['`_subject` String', '`_raw_message` String', '`_error` String']],
  [
    /^FileLog$/,
    ['`_filename` LowCardinality(String)', '`_offset` UInt64', '`_raw_record` String', '`_error` String'],
  ],
  [/^(S3|GCS|OSS|COSN|URL|HDFS|File|Azure|S3Queue|Iceberg|DeltaLake|Hudi|Paimon)/, FILES],
];

/** In statements that create a table which is another name of a table. */
export const ALIAS = ' ENGINE = Alias(';

/**
 * Creates a table through which another is read and written; fails without that table, although the engine would accept it.
 * `verb` is CREATE TABLE and the like.
 */
export function aliasStatement(verb: string, name: QualifiedName, target: QualifiedName): string {
  const other = [target.database, target.name].map(quoteString).join(', ');
  return `DESCRIBE TABLE ${printName(target)} FORMAT Null;\n${verb} ${printName(name)}${ALIAS}${other})`;
}
