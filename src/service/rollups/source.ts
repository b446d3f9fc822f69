// The source of a rollup: its table as the engine has it, and why it can have none.
import type { RollupDefinition } from '../../guard/rollups/model.ts';
import { readDefinition } from '../../sql/definition/read-statement.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';
import { parseList } from '../../sql/clickhouse/tree/parse-part.ts';
import { firstToken, tokensOf } from '../../sql/clickhouse/tree/tokens.ts';
import { namesIn, sourceOf } from '../../sql/clickhouse/tree/visit.ts';
import type { Engine } from '../engine/engine.ts';
import { askRows } from './ask.ts';

/** Databases that are not Atomic, such as `default` of the embedded engine, have tables with this one. */
export const NO_UUID = '00000000-0000-0000-0000-000000000000';

export interface RollupSource {
  readonly engine: string;
  /** Identifies the table: one that was created again is another one. `NO_UUID` if its database gives none. */
  readonly uuid: string;
  /** Names of the sorting key. */
  readonly sortedBy: readonly string[];
  /** Its rows expire; SQL of when. */
  readonly ttl: string | undefined;
  /** It leaves out an insert that is equal to one of so many before; undefined: none, or as replicated tables do. */
  readonly deduplicationWindow: string | undefined;
  /** The statement that creates it. */
  readonly create: string;
}

/** Undefined: there is no such table. Rejects with EngineError. */
export async function readSource(
  engine: Engine,
  { database, table }: RollupDefinition['source'],
): Promise<RollupSource | undefined> {
  const [row] = await askRows(
    engine,
    `SELECT engine, toString(uuid), sorting_key, create_table_query FROM system.tables WHERE database = ${quoteString(database)} AND name = ${quoteString(table)}`,
  );
  if (row === undefined) return undefined;
  const [kind = '', uuid = '', key = '', create = ''] = row;
  const tree = parseList(key);
  const sortedBy = tree.root.parts.map((item) => sourceOf(tree, item));
  const record = readDefinition(create, database);
  const { clauses = new Map<string, string>() } = record ?? {};
  const [, deduplicationWindow] =
    /\bnon_replicated_deduplication_window = ([1-9]\d*)/.exec(clauses.get('settings') ?? '') ?? [];
  return { engine: kind, uuid, sortedBy, ttl: clauses.get('ttl'), deduplicationWindow, create };
}

interface SourceFault {
  readonly message: string;
  readonly hint?: string;
}

const KEEPS_ROWS = /^(?:Replicated)?MergeTree$/;
const CHANGES_ROWS = /(?:Replacing|Summing|Aggregating|Collapsing|Graphite|Coalescing)/;

/** Finds why its rows cannot be aggregated as they are inserted. */
export function sourceFaults(
  source: RollupSource | undefined,
  { source: { database, table }, time }: Pick<RollupDefinition, 'source' | 'time'>,
  cluster: string | undefined,
): readonly SourceFault[] {
  const name = `${database}.${table}`;
  if (source === undefined) return [{ message: `the table ${name} does not exist` }];
  const { engine, ttl, uuid } = source;
  if (engine === 'Distributed')
    return [{ message: `${name} is distributed`, hint: 'Name the local table that it reads' }];
  if (CHANGES_ROWS.test(engine))
    return [{ message: `${name} has the engine ${engine}, which changes rows when it merges them` }];
  if (!KEEPS_ROWS.test(engine)) return [{ message: `${name} has the engine ${engine}, not MergeTree` }];
  return [
    ...(uuid === NO_UUID
      ? [
          {
            message: `${name} has no UUID: another table that takes over its name would not be noticed`,
            hint: 'Create it in another database: those of CREATE DATABASE NAME have the engine Atomic',
          },
        ]
      : []),
    ...(ttl === undefined || isPlainTtl(ttl, time)
      ? []
      : [
          {
            message: `rows of ${name} expire by ${ttl}`,
            hint: `A rollup follows a TTL of ${time} and an interval, for all rows`,
          },
        ]),
    ...(hasColumnTtl(source.create)
      ? [{ message: `a column of ${name} has a TTL: its values change without an insert` }]
      : []),
    ...(engine.startsWith('Replicated') && cluster === undefined
      ? [
          {
            message: `${name} is replicated`,
            hint: 'Name the cluster that its tables are on: --cluster NAME',
          },
        ]
      : []),
  ];
}

function hasColumnTtl(create: string): boolean {
  const [head = ''] = create.split(/\) ENGINE = /);
  return firstToken(tokensOf(head), ({ text }) => text === 'TTL') !== undefined;
}

/** Returns whether rows expire by the time column and a constant alone. Rows that are moved or compressed again stay. */
function isPlainTtl(ttl: string, time: string): boolean {
  const tree = parseList(ttl);
  const items = tree.root.parts;
  return (items.length === 0 ? [tree.root] : items).every((item) => {
    const text = sourceOf(tree, item);
    if (/\b(?:TO (?:DISK|VOLUME)|RECOMPRESS)\b/i.test(text)) return true;
    const plain =
      /^(?:[\w`]+|toDateTime\([\w`]+\)|toDate\([\w`]+\)) \+ (?:toInterval\w+\(\d+\)|INTERVAL \d+ \w+)(?: DELETE)?$/i;
    const names = namesIn(tree, item).map(({ name }) => name);
    return plain.test(text) && names.includes(time);
  });
}
