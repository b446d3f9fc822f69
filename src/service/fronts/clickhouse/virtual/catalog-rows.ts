// Rows about databases, tables and columns, in system and in the information schema.
import type { Column } from '../../../engine/engine.ts';
import { quoteIdentifier, quoteString } from '../../../../sql/clickhouse/literal.ts';
import type { VirtualName } from '../databases.ts';
import { databaseNames, tablesSeen, type RowSource, type Seen, type SeenTable } from './seen.ts';
import { typeFacts } from './type-facts.ts';

const NIL = '00000000-0000-0000-0000-000000000000';

/** A statement that would create the table: what tools show as its definition. */
export function createStatement({ database, name, engine, columns, comment }: SeenTable): string {
  const lines = columns.map((column) => `    ${quoteIdentifier(column.name)} ${column.type}`);
  const note = comment === '' ? '' : `\nCOMMENT ${quoteString(comment)}`;
  return `CREATE TABLE ${quoteIdentifier(database)}.${quoteIdentifier(name)}\n(\n${lines.join(',\n')}\n) ENGINE = ${engine}${note}`;
}

async function columnRows<Out>(
  seen: Seen,
  row: (table: SeenTable, column: Column, position: number) => Out,
): Promise<readonly Out[]> {
  const tables = await tablesSeen(seen, true);
  return tables.flatMap((table) => table.columns.map((column, index) => row(table, column, index + 1)));
}

const systemRows: Readonly<Record<string, RowSource>> = {
  databases: {
    columns: ['name', 'database', 'engine', 'engine_full', 'uuid', 'comment'],
    rows: (seen) =>
      databaseNames(seen).map(([name, comment]) => {
        const engine = name === 'system' ? 'Atomic' : 'Memory';
        return [name, name, engine, engine, NIL, comment];
      }),
  },
  tables: {
    columns: ['database', 'name', 'table', 'uuid', 'engine', 'engine_full', 'create_table_query', 'comment'],
    rows: async (seen) =>
      (await tablesSeen(seen, false)).map(({ database, name, engine, comment }) => {
        const create = `CREATE TABLE ${quoteIdentifier(database)}.${quoteIdentifier(name)} () ENGINE = ${engine}`;
        return [database, name, name, NIL, engine, engine, create, comment];
      }),
  },
  columns: {
    columns: [
      'database', 'table', 'name', 'column', 'type', 'position', 'numeric_precision', 'numeric_precision_radix',
      'numeric_scale', 'datetime_precision',
    ], // prettier-ignore
    rows: (seen) =>
      columnRows(seen, ({ database, name: table }, { name, type }, position) => [
        database,
        table,
        name,
        name,
        type,
        position,
        ...typeFacts(type).digits,
        typeFacts(type).timeDigits,
      ]),
  },
};

const informationRows: Readonly<Record<string, RowSource>> = {
  schemata: {
    columns: ['catalog_name', 'schema_name', 'schema_owner'],
    rows: (seen) => databaseNames(seen).map(([name]) => [name, name, 'default']),
  },
  tables: {
    columns: ['table_catalog', 'table_schema', 'table_name', 'table_type', 'table_comment'],
    rows: async (seen) =>
      (await tablesSeen(seen, false)).map(({ database, name, engine, comment }) => {
        const type = engine === 'View' ? 'VIEW' : 'SYSTEM VIEW';
        return [database, database, name, type, comment];
      }),
  },
  views: {
    columns: ['table_catalog', 'table_schema', 'table_name', 'check_option'],
    rows: async (seen) =>
      (await tablesSeen(seen, false))
        .filter(({ engine }) => engine === 'View')
        .map(({ database, name }) => [database, database, name, 'NONE']),
  },
  columns: {
    columns: [
      'table_catalog', 'table_schema', 'table_name', 'column_name', 'ordinal_position', 'is_nullable', 'data_type',
      'column_type', 'extra', 'numeric_precision', 'numeric_precision_radix', 'numeric_scale', 'datetime_precision',
    ], // prettier-ignore
    rows: (seen) =>
      columnRows(seen, ({ database, name: table }, { name, type }, position) => [
        database,
        database,
        table,
        name,
        position,
        typeFacts(type).isNullable ? 'YES' : 'NO',
        type,
        type,
        '',
        ...typeFacts(type).digits,
        typeFacts(type).timeDigits,
      ]),
  },
};

export const describedRows: Readonly<Record<VirtualName, Readonly<Record<string, RowSource>>>> = {
  system: systemRows,
  information_schema: informationRows,
};
