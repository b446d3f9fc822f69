// Tables that rows are read into before they go where they belong: with the columns of the target, states as lists of values.
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';
import { stateColumn } from './states.ts';
import { quoteTable } from './tables.ts';

/** A column of a table; `kind` is DEFAULT, MATERIALIZED, ALIAS, EPHEMERAL or ''. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly kind: string;
}

export async function readColumns(engine: Engine, table: string): Promise<readonly TableColumn[]> {
  const at = table.indexOf('.');
  const where = `database = ${quoteString(table.slice(0, at))} AND table = ${quoteString(table.slice(at + 1))}`;
  const sql = `SELECT name, type, default_kind FROM system.columns WHERE ${where} ORDER BY position`;
  const rows = (await readRows(engine, sql)) as readonly [string, string, string][]; // as selected
  return rows.map(([name, type, kind]) => ({ name, type, kind }));
}

export function hasStates(columns: readonly TableColumn[]): boolean {
  return columns.some(({ type }) => stateColumn(type) !== undefined);
}

/** Those that a file may have values for; EPHEMERAL ones go into the defaults of others. */
export function givenColumns(columns: readonly TableColumn[]): string {
  return namesOf(columns.filter(({ kind }) => kind !== 'MATERIALIZED' && kind !== 'ALIAS'));
}

/** A table on the way to another. */
export interface Staging {
  readonly name: string;
  /** The table that the rows are for, and its columns. */
  readonly into: string;
  readonly columns: readonly TableColumn[];
}

/** Creates the table. It merges and removes no rows, whatever the engine and the TTL of the target. */
export async function createStaging(engine: Engine, { name, into, columns }: Staging): Promise<void> {
  const table = quoteTable(name);
  const states = columns.flatMap((column) => {
    const state = stateColumn(column.type);
    return state === undefined ? [] : [{ name: quoteIdentifier(column.name), type: state.type }];
  });
  const change = (parts: readonly string[]): string[] =>
    states.length === 0 ? [] : [`ALTER TABLE ${table} ${parts.join(', ')}`];
  const statements = [
    `CREATE TABLE ${table} AS ${quoteTable(into)} ENGINE = MergeTree ORDER BY tuple() SETTINGS parts_to_delay_insert = 100000, parts_to_throw_insert = 100000`,
    `SYSTEM STOP TTL MERGES ${table}`,
    ...change(states.map((state) => `DROP COLUMN ${state.name}`)),
    ...change(states.map((state) => `ADD COLUMN ${state.name} ${state.type}`)),
  ];
  for (const sql of statements) await engine.execute(sql);
}

/** A file may have rows of any number of partitions; blocks stay small, whatever the size of the rows. */
const INSERTING =
  'insert_allow_materialized_columns = 1, max_partitions_per_insert_block = 0, min_insert_block_size_bytes = 67108864, max_insert_threads = 1';

/** Adds the rows to the target, where they pass through its views; only those for which `where` is true, if given. */
export function insertStaged(
  engine: Engine,
  { name, into, columns }: Staging,
  where = 'true',
): Promise<void> {
  const kept = columns.filter(({ kind }) => kind !== 'ALIAS' && kind !== 'EPHEMERAL');
  const values = kept.map((column) => {
    const quoted = quoteIdentifier(column.name);
    return stateColumn(column.type)?.stateOf(quoted) ?? quoted;
  });
  return engine.execute(
    `INSERT INTO ${quoteTable(into)} (${namesOf(kept)}) SELECT ${values.join(', ')} FROM ${quoteTable(name)} WHERE ${where} SETTINGS ${INSERTING}`,
  );
}

function namesOf(columns: readonly TableColumn[]): string {
  return columns.map(({ name }) => quoteIdentifier(name)).join(', ');
}
