// The tables of the corpus and of the values of conversions, and their definitions for each database system.
import { readFileSync } from 'node:fs';

/** Type of a column; with a question mark, it can be null. */
type Kind = 'int' | 'float' | 'decimal' | 'text' | 'bool' | 'date' | 'early_date' | 'timestamp' | 'json';
type Cell = string | number | boolean | null;

interface Table {
  readonly columns: readonly (readonly [name: string, type: string])[];
  readonly rows: readonly (readonly Cell[])[];
}

const SYSTEMS = ['postgresql', 'mariadb', 'sqlite', 'clickhouse'] as const;
export type System = (typeof SYSTEMS)[number];

const TYPES: Readonly<Record<System, Readonly<Record<Kind, string>>>> = {
  postgresql: {
    int: 'bigint',
    float: 'double precision',
    decimal: 'numeric(12, 2)',
    text: 'text',
    bool: 'boolean',
    date: 'date',
    early_date: 'date',
    timestamp: 'timestamp',
    json: 'jsonb',
  },
  mariadb: {
    int: 'bigint',
    float: 'double',
    decimal: 'decimal(12, 2)',
    text: 'varchar(200)',
    bool: 'boolean',
    date: 'date',
    early_date: 'date',
    timestamp: 'datetime(3)',
    json: 'json',
  },
  sqlite: {
    int: 'integer',
    float: 'real',
    decimal: 'real',
    text: 'text',
    bool: 'integer',
    date: 'text',
    early_date: 'text',
    timestamp: 'text',
    json: 'text',
  },
  clickhouse: {
    int: 'Int64',
    float: 'Float64',
    decimal: 'Decimal(12, 2)',
    text: 'String',
    bool: 'Bool',
    date: 'Date',
    early_date: 'Date32',
    timestamp: "DateTime64(3, 'UTC')",
    json: 'String',
  },
};

// The file maps names to tables.
const TABLES = JSON.parse(readFileSync(new URL('tables.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Table>
>;

/** Columns of a table as ClickHouse's DESCRIBE prints them; undefined if there is no such table. */
export function columnsOf(name: string): readonly { name: string; type: string }[] | undefined {
  return TABLES[name]?.columns.map(([column, type]) => ({
    name: column,
    type: columnType(type, 'clickhouse'),
  }));
}

/** Statements that create and fill the tables, without semicolons. */
export function statementsFor(system: System): readonly string[] {
  return Object.entries(TABLES).flatMap(([name, { columns, rows }]) => {
    const defined = columns.map(([column, type]) => `${column} ${columnType(type, system)}`);
    const engine = system === 'clickhouse' ? ' ENGINE = Memory' : '';
    const values = rows.map(
      (row) => `(${row.map((cell, index) => literal(cell, columns[index]?.[1] ?? '', system)).join(', ')})`,
    );
    return [
      `DROP TABLE IF EXISTS ${name}`,
      `CREATE TABLE ${name} (${defined.join(', ')})${engine}`,
      ...(values.length === 0 ? [] : [`INSERT INTO ${name} VALUES ${values.join(', ')}`]),
    ];
  });
}

function columnType(type: string, system: System): string {
  const isNullable = type.endsWith('?');
  // The file contains only these types.
  const own = TYPES[system][(isNullable ? type.slice(0, -1) : type) as Kind];
  if (system === 'clickhouse') return isNullable ? `Nullable(${own})` : own;
  return isNullable ? own : `${own} NOT NULL`;
}

function literal(cell: Cell, type: string, system: System): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'boolean' && system === 'sqlite') return cell ? '1' : '0';
  if (typeof cell !== 'string') return String(cell);
  if (type.startsWith('decimal')) return cell;
  const text = type.startsWith('timestamp') ? cell.replace(/\.000$/, '') : cell;
  const escaped = system === 'mariadb' || system === 'clickhouse' ? text.replaceAll('\\', '\\\\') : text;
  return `'${escaped.replaceAll("'", "''")}'`;
}
