// Tables with the same rows: one without indexes, and others with skip indexes and sort keys on one column.
import type { Engine } from '../../../src/service/engine/engine.ts';
import { some } from '../../support/runs.ts';
import type { IndexedColumn } from './index-columns.ts';

export interface TableNames {
  readonly plain: string;
  /** The same with one row, of the first value. */
  readonly first: string;
  readonly indexed: readonly string[];
}

/** Most values of a column. */
const VALUES = 26;

/** By position, so that each pair of values is in rows `2n` and `2n + 1`. */
const PAIRS: readonly number[] = Array.from({ length: VALUES }, (_, a) => a).flatMap((a) =>
  Array.from({ length: VALUES - a }, (_, b) => [a, a + b]).flat(),
);

const SKIP: Readonly<Record<IndexedColumn['kind'], readonly string[]>> = {
  text: ['minmax', 'set(0)', 'bloom_filter', 'ngrambf_v1(3, 256, 2, 0)', 'tokenbf_v1(256, 2, 0)'],
  list: ['minmax', 'set(0)', 'bloom_filter', 'ngrambf_v1(3, 256, 2, 0)', 'tokenbf_v1(256, 2, 0)'],
  map: ['minmax', 'set(0)', 'bloom_filter', 'ngrambf_v1(3, 256, 2, 0)', 'tokenbf_v1(256, 2, 0)'],
  number: ['minmax', 'set(0)', 'bloom_filter'],
  time: ['minmax', 'set(0)', 'bloom_filter'],
  other: ['minmax', 'set(0)', 'bloom_filter'],
};

const TOKENIZERS = ['array', 'splitByNonAlpha', 'ngrams(3)', 'sparseGrams(3, 5)'];

/** Statistics are otherwise written when parts are merged. */
const SETTINGS =
  'SET allow_suspicious_low_cardinality_types = 1, max_partitions_per_insert_block = 0, materialize_statistics_on_insert = 1';
const TABLE_SETTINGS =
  'index_granularity = 2, allow_nullable_key = 1, allow_experimental_reverse_key = 1, allow_floating_point_partition_key = 1';

interface IndexedTable {
  readonly suffix: string;
  readonly indexes: readonly string[];
  readonly order: string;
  readonly partition?: string;
}

/** Sorted and partitioned by an expression, and with indexes on it. */
function tablesBy(on: string, at: number): readonly IndexedTable[] {
  const indexes = ['minmax', 'set(0)', 'bloom_filter'].map((each) => `${on} TYPE ${each} GRANULARITY 1`);
  return [
    { suffix: `sort${at}`, indexes: [], order: on, partition: 'intDiv(id, 2) % 16' },
    { suffix: `part${at}`, indexes: [], order: 'id', partition: on },
    { suffix: `skip${at}`, indexes, order: 'id' },
  ];
}

/** With statistics of each part, which the engine prunes parts by; and in descending order. */
const more = (on: string): readonly IndexedTable[] => [
  { suffix: 'statistics', indexes: [], order: 'id', partition: 'intDiv(id, 2)' },
  { suffix: 'back', indexes: [], order: `${on} DESC`, partition: 'id % 5' },
];

/** A failure in one does not hide that of another. */
function tablesOf({
  kind,
  indexed = ['v'],
  skip = SKIP[kind],
  type,
  keys,
}: IndexedColumn): readonly IndexedTable[] {
  if (keys !== undefined) return some(keys, 6).flatMap(tablesBy);
  const onAll = (types: readonly string[]): readonly string[] =>
    indexed.flatMap((on) => types.map((each) => `${on} TYPE ${each} GRANULARITY 1`));
  const isMany = process.env['FUZZ_CASES'] !== undefined;
  const isKey = !/JSONAllPaths|JSON\(t String, n Int64, r/.test(indexed[0] ?? '');
  const hasTexts =
    indexed.every((on) => !on.startsWith('JSONAll')) &&
    (kind === 'text' || /Array\(.*String|Map\(.*String\)?\)$/.test(type)) &&
    !indexed.includes('length(v)');
  return [
    { suffix: 'skip', indexes: onAll(skip), order: 'id' },
    ...(isKey
      ? indexed.flatMap((on, at) => [
          { suffix: `key${at}`, indexes: [], order: on, partition: 'id % 5' },
          ...(isMany && at === 0 ? more(on) : []),
        ])
      : []),
    ...(hasTexts
      ? TOKENIZERS.map((each, at) => ({
          suffix: `text${at}`,
          indexes: onAll([`text(tokenizer = ${each})`]),
          order: 'id',
        }))
      : []),
  ];
}

/** The tables of each column, by its name. */
export async function createTables(
  engine: Pick<Engine, 'execute'>,
  columns: readonly (readonly [string, IndexedColumn])[],
): Promise<ReadonlyMap<string, TableNames>> {
  const found = new Map<string, TableNames>();
  await engine.execute('CREATE DATABASE stored');
  for (const [name, column] of columns) {
    const plain = `stored.${name}`;
    const values = column.values.map((value) =>
      column.type.startsWith('JSON') ? value : `CAST(${value}, '${column.type.replaceAll("'", "\\'")}')`,
    );
    const rows = column.type.startsWith('JSON')
      ? `CAST([${values.join(', ')}][pair % ${values.length} + 1], '${column.type}')`
      : `[${values.join(', ')}][pair % ${values.length} + 1]`;
    const pairs = PAIRS.filter(
      (_, at) => Math.max(PAIRS[at - (at % 2)] ?? 0, PAIRS[at - (at % 2) + 1] ?? 0) < values.length,
    );
    const statements = [
      `CREATE TABLE ${plain} (id UInt32, v ${column.type}) ENGINE = Memory`,
      `INSERT INTO ${plain} SELECT number AS id, ${rows} FROM (SELECT number, [${pairs.join(', ')}][number + 1] AS pair FROM numbers(${pairs.length}))`,
      `CREATE TABLE ${plain}_first (id UInt32, v ${column.type}) ENGINE = Memory`,
      `INSERT INTO ${plain}_first SELECT * FROM ${plain} WHERE id = 0`,
    ];
    const indexed: string[] = [];
    const all = tablesOf(column);
    for (const { suffix, indexes, order, partition = 'tuple()' } of all) {
      const definition = [
        `id UInt32`,
        `v ${column.type}`,
        ...indexes.map((index, at) => `INDEX i${at} ${index}`),
      ].join(', ');
      const table = `${plain}_${suffix}`;
      statements.push(
        `CREATE TABLE ${table} (${definition}) ENGINE = MergeTree ORDER BY ${order} PARTITION BY ${partition} SETTINGS ${TABLE_SETTINGS}`,
        `INSERT INTO ${table} SELECT * FROM ${plain}`,
      );
      indexed.push(table);
    }
    found.set(name, { plain, first: `${plain}_first`, indexed });
    await engine.execute(`${SETTINGS}; ${statements.join('; ')}`);
  }
  return found;
}
