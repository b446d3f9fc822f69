// Qualified names of tables, views, dictionaries and functions.
import { quoteIdentifier } from '../literal.ts';

export interface QualifiedName {
  readonly database: string;
  readonly name: string;
}

/** As SQL. */
export function printName({ database, name }: QualifiedName): string {
  return `${quoteIdentifier(database)}.${quoteIdentifier(name)}`;
}

/** As endpoints, messages and maps write it: `database.table`. */
export function keyOf({ database, name }: QualifiedName): string {
  return `${database}.${name}`;
}
