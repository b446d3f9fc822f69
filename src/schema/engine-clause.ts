// Table engines of servers, as one that a single process has: the same columns and the same kinds of reads.
import type { Cursor } from '../sql/cursor.ts';
import { quoteString } from '../sql/literal.ts';
import { splitList } from './columns.ts';
import { printName, type QualifiedName } from './name.ts';

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

/** The engine that a clause names; `database` is the current one. */
export function localEngine(
  cursor: Cursor,
  { from, to }: { readonly from: number; readonly to: number },
  database: string,
): LocalEngine {
  const engine = cursor.text(from);
  const listed =
    cursor.kind(from + 1) === '(' ? splitList(cursor, from + 2, Math.min(to, cursor.closing(from + 1))) : [];
  const tree = MERGE_TREE.exec(engine)?.[1];
  if (tree !== undefined) return { kind: 'own', sql: mergeTree(cursor, engine, tree, listed), hasKeys: true };
  const target = targetOf(cursor, engine, listed, database);
  if (target !== undefined) return { kind: 'alias', target };
  if (LOCAL.test(engine))
    return {
      kind: 'own',
      sql: cursor.slice(from, listed.length === 0 ? from + 1 : cursor.after(from + 1)),
      hasKeys: false,
    };
  return { kind: 'source', virtual: VIRTUAL.find(([pattern]) => pattern.test(engine))?.[1] ?? [] };
}

type Items = readonly (readonly [number, number])[];

/** The table behind a Distributed, Buffer or Alias table, whose arguments begin with that table or a cluster. */
function targetOf(
  cursor: Cursor,
  engine: string,
  listed: Items,
  database: string,
): QualifiedName | undefined {
  if (engine !== 'Distributed' && engine !== 'Buffer' && engine !== 'Alias') return undefined;
  const names = (engine === 'Distributed' ? listed.slice(1) : listed).map((item) => argument(cursor, item));
  const [first = '', second = ''] = names.length === 1 ? ['', ...names] : names;
  return second === '' ? undefined : { database: first === '' ? database : first, name: second };
}

/** Without the path and the replica name, which are the first arguments of replicated engines. */
function mergeTree(cursor: Cursor, engine: string, tree: string, listed: Items): string {
  if (tree === 'GraphiteMergeTree') return 'MergeTree'; // its argument names a part of the server's configuration
  const isReplicated = engine !== tree;
  const paths = isReplicated && isPath(cursor, listed[0]) ? (isPath(cursor, listed[1]) ? 2 : 1) : 0;
  const own = listed.slice(paths).map(([from, to]) => cursor.slice(from, to));
  return own.length === 0 ? tree : `${tree}(${own.join(', ')})`;
}

function isPath(cursor: Cursor, item: readonly [number, number] | undefined): boolean {
  return item !== undefined && cursor.kind(item[0]) === 'string';
}

/** A name given as an identifier, a string, or currentDatabase(); '' for anything else. */
function argument(cursor: Cursor, [from, to]: readonly [number, number]): string {
  if (to - from > 1) return '';
  if (cursor.kind(from) === 'string') return cursor.text(from).slice(1, -1);
  return cursor.name(from) ?? '';
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
