// Qualified names of tables, views, dictionaries and functions.
import type { Cursor } from '../sql/cursor.ts';
import { quoteIdentifier } from '../sql/literal.ts';

export interface QualifiedName {
  readonly database: string;
  readonly name: string;
}

/** The name at a token, and the index after it; undefined if there is none, or one with a backslash. */
export function readName(
  cursor: Cursor,
  at: number,
  database: string,
): { readonly name: QualifiedName; readonly next: number } | undefined {
  const first = cursor.name(at);
  if (first === undefined || first === '') return undefined;
  if (cursor.kind(at + 1) !== '.') return { name: { database, name: first }, next: at + 1 };
  const second = cursor.name(at + 2);
  if (second === undefined || second === '') return undefined;
  return { name: { database: first, name: second }, next: at + 3 };
}

/** As SQL. */
export function printName({ database, name }: QualifiedName): string {
  return `${quoteIdentifier(database)}.${quoteIdentifier(name)}`;
}

/** As endpoints, messages and maps write it: `database.table`. */
export function keyOf({ database, name }: QualifiedName): string {
  return `${database}.${name}`;
}
