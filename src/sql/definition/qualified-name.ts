// Qualified names of tables, views, dictionaries and functions.
import { quoteIdentifier } from '../clickhouse/literal.ts';

export interface QualifiedName {
  readonly database: string;
  readonly name: string;
}

/** Writes it as SQL. */
export function printName({ database, name }: QualifiedName): string {
  return `${quoteIdentifier(database)}.${quoteIdentifier(name)}`;
}

/** Writes it as endpoints, messages and maps do: `database.table`. */
export function keyOf({ database, name }: QualifiedName): string {
  return `${database}.${name}`;
}
