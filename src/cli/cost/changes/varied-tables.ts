// Makes tables on which two forms of a query are compared: with values in all columns, NULLs, ties and copies of rows, for each seed.
import type { Engine } from '../../../service/engine/engine.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import { parseType } from '../../../sql/types/type.ts';
import { GRANULE } from '../estimate.ts';
import {
  ASSUMED_ROWS,
  MADE_GRANULE,
  newestIn,
  readStored,
  scaleTable,
  type ScaleOptions,
  type StoredTable,
} from '../scaled-tables.ts';
import type { Statistics, TableStatistics } from '../statistics.ts';
import type { ProposedRollup, ReadTable } from './change.ts';

/** Each made table has this many granules. */
export const VARIED_GRANULES = 256;

export interface VariedTables {
  /** It has what is known about each table by `database.name`. */
  readonly tables: ReadonlyMap<string, ReadTable>;
  /** The newest rows have this time, in seconds since 1970. */
  readonly newest: number;
  /** Returns what makes rows with the texts and numbers that calls compare them with. */
  readonly fillWith: (texts: readonly string[]) => FillTables;
}

/**
 * Makes the rows of a seed in these tables. With a rollup, its table has several rows to a group. Resolves to those that could not be
 * made. Rejects with EngineError.
 */
export type FillTables = (
  names: ReadonlySet<string>,
  seed: number,
  rollup?: ProposedRollup,
) => Promise<ReadonlySet<string>>;

/** The tables of the engine have the rows of fixtures. Rejects with EngineError. */
export async function openVariedTables(
  engine: Engine,
  { sizes, indexes, reduced, now }: Omit<ScaleOptions, 'texts'>,
): Promise<VariedTables> {
  const stored = await readStored(engine, indexes);
  const known = stored.filter(({ database, name }) => !reduced.has(`${database}.${name}`));
  const newest = Math.min(now, (await newestIn(engine, stored)) ?? now);
  const copies = new Map<string, string>();
  const fillTable = async (
    table: StoredTable,
    texts: readonly string[],
    { seed, rollup }: { readonly seed: number; readonly rollup: ProposedRollup | undefined },
  ): Promise<boolean> => {
    const name = nameOf(table);
    const from = copies.get(name) ?? (await copyRows(engine, table));
    copies.set(name, from);
    const varied = { seed, from, granules: VARIED_GRANULES, rollup };
    const size = scaledSize(table, sizes.get(name));
    const making = {
      size: rollup === undefined ? size : withFewGroups(size, rollup),
      newest,
      texts,
      indexes: indexes.get(name) ?? [],
    };
    return (await scaleTable(engine, table, { ...making, varied })) === undefined;
  };
  return {
    tables: tablesOf(known, sizes),
    newest,
    fillWith: (texts) => async (names, seed, rollup) => {
      const failed = new Set<string>();
      for (const table of known) {
        const name = nameOf(table);
        const own = rollup?.table === name ? rollup : undefined;
        if (names.has(name) && !(await fillTable(table, texts, { seed, rollup: own }))) failed.add(name);
      }
      return failed;
    },
  };
}

/** Returns what is known about tables, by `database.name`. */
export function tablesOf(stored: readonly StoredTable[], sizes: Statistics): ReadonlyMap<string, ReadTable> {
  return new Map(stored.map((table) => [nameOf(table), readTableOf(table, sizes)]));
}

function nameOf({ database, name }: StoredTable): string {
  return `${database}.${name}`;
}

/** The values of fixtures, which are lost when the table gets other rows. */
async function copyRows(engine: Engine, { database, name, all }: StoredTable): Promise<string> {
  const own = `${quoteIdentifier(database)}.${quoteIdentifier(name)}`;
  const copy = `${quoteIdentifier(database)}.${quoteIdentifier(`${name} (fixtures)`)}`;
  const columns = all.map((column) => quoteIdentifier(column.name)).join(', ');
  await engine.execute(
    `CREATE TABLE ${copy} ENGINE = Memory AS SELECT ${columns} FROM ${own} LIMIT ${MOST_COPIED}`,
  );
  return copy;
}

const MOST_COPIED = 1_000;

/** At most one of so many rows has another value, so that conditions select several. */
const ROWS_PER_VALUE = 4;

/**
 * A granule of a made table has as many different values of a column without a key as one of the large table, and a value of a key has
 * several rows.
 */
function scaledSize({ columns: keys, all }: StoredTable, size: TableStatistics | undefined): TableStatistics {
  const named = new Set(keys.map(({ name }) => name));
  const most = (VARIED_GRANULES * MADE_GRANULE) / ROWS_PER_VALUE;
  const scaled = all.flatMap(({ name }) => {
    const sizes = size?.columns.get(name);
    const { distinct } = sizes ?? {};
    if (sizes === undefined || distinct === undefined)
      return sizes === undefined ? [] : [[name, sizes] as const];
    const own = named.has(name) ? distinct : Math.ceil((distinct * MADE_GRANULE) / GRANULE);
    return [[name, { ...sizes, distinct: Math.min(own, most) }] as const];
  });
  return { rows: size?.rows ?? ASSUMED_ROWS, columns: new Map(scaled) };
}

/** The rows of a bucket have at most so many groups, and a few of texts that are nearly the same. */
const GROUPS_PER_BUCKET = 16;

function withFewGroups(size: TableStatistics, { dimensions }: ProposedRollup): TableStatistics {
  const most = Math.max(2, Math.floor(GROUPS_PER_BUCKET ** (1 / Math.max(dimensions.length, 1))));
  const few = dimensions.map((name) => {
    const own = size.columns.get(name);
    return [name, { ...own, distinct: Math.min(own?.distinct ?? most, most) }] as const;
  });
  return { ...size, columns: new Map([...size.columns, ...few]) };
}

function readTableOf(table: StoredTable, sizes: Statistics): ReadTable {
  const { sortingKey, partitionKey, all } = table;
  const size = sizes.get(nameOf(table));
  const keys = new Set(`${sortingKey} ${partitionKey}`.match(/\w+/g));
  const distinct = [...(size?.columns ?? [])].flatMap(([name, column]) =>
    column.distinct === undefined ? [] : [[name, column.distinct] as const],
  );
  const seconds = [...(size?.columns ?? [])].flatMap(([name, column]) =>
    column.seconds === undefined ? [] : [[name, column.seconds] as const],
  );
  return {
    name: nameOf(table),
    sortingKey,
    columns: new Map(all.map(({ name, type }) => [name, parseType(type)])),
    keyColumns: new Set(all.flatMap(({ name }) => (keys.has(name) ? [name] : []))),
    indexed: new Set(all.flatMap(({ name, words }) => (words.has(name) ? [name] : []))),
    distinct: new Map(distinct),
    rows: size?.rows ?? ASSUMED_ROWS,
    seconds: new Map(seconds),
  };
}
