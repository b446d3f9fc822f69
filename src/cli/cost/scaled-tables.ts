// Makes tables for which the engine plans reads as for the large ones of a server: with the same keys, partitions, indexes and projections,
// with small granules, and with rows made for their keys.
import { EngineError, type Engine } from '../../service/engine/engine.ts';
import { engineSentence } from '../../service/engine/engine-sentence.ts';
import { readRows } from '../../service/engine/rows.ts';
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';
import { GRANULE } from './estimate.ts';
import { isTime, valueOf, type KeyColumn, type ValueSource } from './key-values.ts';
import type { Statistics, TableStatistics } from './statistics.ts';

/** A granule of the made tables has this many rows. */
export const MADE_GRANULE = 16;
/** This many granules are enough for some in each partition, and are made in a short time. */
const MOST_GRANULES = 1024;

/** One of so many varied rows has a copy. */
const ROWS_BESIDE_COPIES = 15;

/** A table without statistics has this many rows. */
export const ASSUMED_ROWS = 10_000_000;

export interface ScaledTables {
  /** It has the sizes of all stored tables; those that the file does not have are assumed to have ASSUMED_ROWS rows. */
  readonly statistics: Statistics;
  /** The sizes of these tables are assumed. */
  readonly assumed: ReadonlySet<string>;
  /** These tables could not be made, for these reasons: nothing is known about what is read from them. */
  readonly unmade: ReadonlyMap<string, string>;
  /** It has the table of each projection by the projection's name. */
  readonly projections: ReadonlyMap<string, string>;
  /** The newest rows have this time, in seconds since 1970. */
  readonly newest: number;
  readonly stored: readonly StoredTable[];
}

/** Resolves to the sizes of the stored tables of a server. Rejects with EngineError. */
export async function storedSizes(engine: Engine): Promise<Pick<ScaledTables, 'statistics' | 'projections'>> {
  const tables = (await readRows(engine, SIZES)) as readonly (readonly [string, number])[]; // as selected below
  const columns = (await readRows(engine, COLUMN_SIZES)) as readonly (readonly [string, string, number])[];
  const statistics = tables.map(([name, rows]) => {
    const own = columns
      .filter(([table]) => table === name)
      .map(([, column, bytes]) => [column, { bytes }] as const);
    return [name, { rows, columns: new Map(own) }] as const;
  });
  return { statistics: new Map(statistics), projections: await readProjections(engine) };
}

const SIZES = `SELECT database || '.' || name, ifNull(total_rows, 0) FROM system.tables WHERE engine LIKE '%MergeTree' AND lower(database) NOT IN ('system', 'information_schema') ORDER BY database, name`;
const COLUMN_SIZES = `SELECT database || '.' || table, name, data_compressed_bytes FROM system.columns WHERE data_compressed_bytes > 0 AND lower(database) NOT IN ('system', 'information_schema') ORDER BY database, table, position`;

const REDUCED = 'the engine rejects a part of its definition';

export interface ScaleOptions {
  readonly sizes: Statistics;
  /** These ALTER commands add the indexes and projections of tables, by `database.name`. */
  readonly indexes: ReadonlyMap<string, readonly string[]>;
  /** These tables, by `database.name`, do not have the keys of the schema. */
  readonly reduced: ReadonlySet<string>;
  /** Calls may compare columns with these texts. */
  readonly texts: readonly string[];
  /** The unit is seconds since 1970. */
  readonly now: number;
}

export interface StoredTable {
  readonly database: string;
  readonly name: string;
  readonly engine: string;
  readonly partitionKey: string;
  readonly sortingKey: string;
  readonly primaryKey: string;
  readonly samplingKey: string;
  /** Its keys need these settings, which are written as in its definition. */
  readonly settings: readonly string[];
  /** Keys and indexes are computed from these. */
  readonly columns: readonly KeyColumn[];
  /** It has every column whose values are inserted. */
  readonly all: readonly KeyColumn[];
}

const TABLES = `SELECT t.database, t.name, t.engine_full, t.engine, t.partition_key, t.sorting_key, t.primary_key, t.sampling_key,
  arrayStringConcat(arrayConcat(groupUniqArray(i.expr), groupUniqArray(p.query), groupUniqArray(c.default_expression)), ' ')
FROM system.tables AS t
LEFT JOIN system.data_skipping_indices AS i ON i.database = t.database AND i.table = t.name
LEFT JOIN system.projections AS p ON p.database = t.database AND p.table = t.name
LEFT JOIN (SELECT * FROM system.columns WHERE default_kind = 'MATERIALIZED') AS c ON c.database = t.database AND c.table = t.name
WHERE t.engine LIKE '%MergeTree' AND lower(t.database) NOT IN ('system', 'information_schema', 'millrace') AND NOT startsWith(t.name, '.inner')
GROUP BY ALL ORDER BY t.database, t.name`;

const COLUMNS = `SELECT database, table, name, type FROM system.columns WHERE default_kind IN ('', 'DEFAULT') ORDER BY database, table, position`;

/**
 * Replaces the stored tables of an engine, which have the rows of fixtures, with made ones. Their newest rows have the time of the newest
 * fixture, and at most `now`. Rejects with EngineError.
 */
export async function scaleTables(
  engine: Engine,
  { sizes, indexes, reduced, texts, now }: ScaleOptions,
): Promise<ScaledTables> {
  const tables = await readStored(engine, indexes);
  const newest = Math.min(now, (await newestIn(engine, tables)) ?? now);
  const statistics = new Map<string, TableStatistics>();
  const assumed = new Set<string>();
  const unmade = new Map<string, string>();
  for (const table of tables) {
    const name = `${table.database}.${table.name}`;
    const known = sizes.get(name);
    const size = known ?? { rows: ASSUMED_ROWS, columns: new Map() };
    const making = { size, newest, texts, indexes: indexes.get(name) ?? [] };
    const reason = reduced.has(name) ? REDUCED : await scaleTable(engine, table, making);
    if (reason !== undefined) {
      unmade.set(name, reason);
      continue;
    }
    statistics.set(name, size);
    if (known === undefined) assumed.add(name);
  }
  return { statistics, assumed, unmade, projections: await readProjections(engine), newest, stored: tables };
}

/** Resolves to the tables that store rows, with the columns of their keys and indexes. Rejects with EngineError. */
export async function readStored(
  engine: Engine,
  indexes: ScaleOptions['indexes'] = new Map(),
): Promise<readonly StoredTable[]> {
  const columns = (await readRows(engine, COLUMNS)) as readonly (readonly string[])[]; // columns of text
  const tables = (await readRows(engine, TABLES)) as readonly (readonly string[])[]; // columns of text
  return tables.map(
    ([
      database = '',
      name = '',
      written = '',
      family = '',
      partition = '',
      sorting = '',
      primary = '',
      sampling = '',
      others = '',
    ]) => {
      const own = indexes.get(`${database}.${name}`) ?? [];
      const words = new Set([partition, sorting, sampling, others, ...own].join(' ').match(/\w+/g));
      const all = nestedIn(
        columns.flatMap(([of, table, column = '', type = '']) =>
          of === database && table === name ? [{ name: column, type, words }] : [],
        ),
      );
      const named = withNested(
        all.filter((column) => words.has(column.name)),
        all,
      );
      return {
        database,
        name,
        engine: engineOf(written, family),
        partitionKey: partition,
        sortingKey: sorting,
        primaryKey: primary,
        samplingKey: sampling,
        settings: settingsOf(written),
        columns: named.length > 0 ? named : all.slice(0, 1), // rows have at least one column
        all,
      };
    },
  );
}

/** The arrays of a nested structure have the same length, so one is made with all others. */
function withNested(columns: readonly KeyColumn[], all: readonly KeyColumn[]): readonly KeyColumn[] {
  const made = new Set(columns.flatMap(({ name, nested = [] }) => [name, ...nested]));
  return all.filter(({ name }) => made.has(name));
}

function nestedIn(columns: readonly KeyColumn[]): readonly KeyColumn[] {
  return columns.map((column) => {
    const structure = structureOf(column);
    if (structure === undefined) return column;
    const nested = columns.flatMap((each) => (structureOf(each) === structure ? [each.name] : []));
    return { ...column, nested };
  });
}

function structureOf({ name, type }: KeyColumn): string | undefined {
  return type.startsWith('Array(') && name.includes('.') ? name.slice(0, name.indexOf('.')) : undefined;
}

/** Returns the engine with its arguments, which say how rows are merged. */
function engineOf(written: string, family: string): string {
  let depth = 0;
  for (let at = family.length; at < written.length; at++) {
    const char = written[at];
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (depth === 0) return char === ')' ? written.slice(0, at + 1) : family;
  }
  return family;
}

/** Resolves to the newest time of a key in the rows of fixtures; undefined if there is none. */
export async function newestIn(engine: Engine, tables: readonly StoredTable[]): Promise<number | undefined> {
  const selects = tables.flatMap(({ database, name, columns }) =>
    columns
      .filter(isTime)
      .map(
        (column) =>
          `SELECT toUInt32(ifNull(max(toUnixTimestamp(${quoteIdentifier(column.name)})), 0)) AS newest FROM ${quoteIdentifier(database)}.${quoteIdentifier(name)}`,
      ),
  );
  if (selects.length === 0) return undefined;
  const [row] = await readRows(engine, `SELECT max(newest) FROM (${selects.join(' UNION ALL ')})`);
  const [newest] = row as readonly [number]; // one number
  return newest === 0 ? undefined : newest;
}

async function readProjections(engine: Engine): Promise<ReadonlyMap<string, string>> {
  const rows = await readRows(engine, "SELECT name, database || '.' || table FROM system.projections");
  return new Map(rows as readonly (readonly [string, string])[]); // columns of text
}

export interface Making extends Pick<ScaledTables, 'newest'>, Pick<ScaleOptions, 'texts'> {
  readonly size: TableStatistics;
  /** They are commands of ALTER. */
  readonly indexes: readonly string[];
  /** All columns have values, NULLs and ties among them, and some rows are there twice. */
  readonly varied?: VariedRows;
}

export interface VariedRows {
  readonly seed: number;
  /** It is the quoted name of a table with the rows of fixtures. */
  readonly from: string;
  readonly granules: number;
  /** The table has a rollup with such buckets, each of many rows. */
  readonly rollup: ValueSource['buckets'];
}

const CONSTRAINTS = `SELECT arrayJoin(extractAll(create_table_query, 'CONSTRAINT (\`[^\`]+\`|[^ \`]+) (?:CHECK|ASSUME)'))
FROM system.tables WHERE`;

/** The names of what INSERT checks in a table, as written in SQL: rows that are made need not satisfy it. */
async function constraintsOf(engine: Engine, { database, name }: StoredTable): Promise<readonly string[]> {
  const sql = `${CONSTRAINTS} database = ${quoteString(database)} AND name = ${quoteString(name)}`;
  const rows = (await readRows(engine, `SELECT * FROM (\n${sql}\n)`)) as readonly [string][]; // as selected
  return rows.map(([each]) => each);
}

/**
 * Fills the made table from the one with the rows of fixtures, and gives it the name of that one. Resolves to the reason if it cannot be
 * made.
 */
export async function scaleTable(
  engine: Engine,
  table: StoredTable,
  { size, newest, texts, indexes, varied }: Making,
): Promise<string | undefined> {
  const { database, name } = table;
  const own = `${quoteIdentifier(database)}.${quoteIdentifier(name)}`;
  const made = `${quoteIdentifier(database)}.${quoteIdentifier(`${name} (made)`)}`;
  const granules = varied?.granules ?? Math.min(MOST_GRANULES, Math.ceil(size.rows / GRANULE));
  const rows = granules * MADE_GRANULE;
  const columns = varied === undefined ? table.columns : table.all;
  const different =
    varied === undefined ? rows : Math.ceil((rows * ROWS_BESIDE_COPIES) / (ROWS_BESIDE_COPIES + 1));
  const source = { from: varied?.from ?? own, rows: different, newest, texts, statistics: size.columns };
  const values = columns.map((column) =>
    valueOf(column, { ...source, seed: varied?.seed, buckets: varied?.rollup }),
  );
  const names = columns.map((column) => quoteIdentifier(column.name));
  const numbers =
    varied === undefined
      ? `numbers(${rows})`
      : `(SELECT intDiv(number * ${ROWS_BESIDE_COPIES}, ${ROWS_BESIDE_COPIES + 1}) AS number FROM numbers(${rows}))`;
  const insert = `INSERT INTO ${made} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${numbers} SETTINGS max_partitions_per_insert_block = 0, optimize_on_insert = 0`;
  const statements = [
    `CREATE TABLE ${made} AS ${own} ENGINE = ${definitionOf(table)}`,
    ...(await constraintsOf(engine, table)).map(
      (each) => `ALTER TABLE ${made} DROP CONSTRAINT IF EXISTS ${each}`,
    ),
    ...indexes.map((each) => `ALTER TABLE ${made} ${unlessThere(each)}`),
    ...(names.length > 0 && rows > 0 ? [insert] : []),
    `EXCHANGE TABLES ${made} AND ${own}`,
  ];
  try {
    for (const each of statements) await engine.execute(each);
    return undefined;
  } catch (cause) {
    if (cause instanceof EngineError && cause.failure === 'rejected') return engineSentence(cause.message);
    throw cause;
  } finally {
    await engine.execute(`DROP TABLE IF EXISTS ${made} SYNC`);
  }
}

/** A table that takes the place of a made one has its indexes and projections already. */
function unlessThere(command: string): string {
  return command.replace(/^\s*(ADD\s+(?:INDEX|PROJECTION))\s+(?!IF\s)/i, '$1 IF NOT EXISTS ');
}

/** A made table has no TTL, so that it has as many rows as were made. */
function definitionOf(table: StoredTable): string {
  const { engine, partitionKey, sortingKey, primaryKey, samplingKey, settings } = table;
  return [
    engine,
    ...(partitionKey === '' ? [] : [`PARTITION BY ${partitionKey}`]),
    `ORDER BY ${sortingKey === '' ? 'tuple()' : `(${sortingKey})`}`,
    ...(primaryKey === '' ? [] : [`PRIMARY KEY (${primaryKey})`]),
    ...(samplingKey === '' ? [] : [`SAMPLE BY ${samplingKey}`]),
    `SETTINGS ${[...settings, `index_granularity = ${MADE_GRANULE}`, "deduplicate_merge_projection_mode = 'rebuild'"].join(', ')}`,
  ].join(' ');
}

/** Keys need settings of this form. */
function settingsOf(written: string): readonly string[] {
  return (written.split(' SETTINGS ').at(1) ?? '')
    .split(', ')
    .filter((each) => /^allow_\w+ = \d+$/.test(each));
}
