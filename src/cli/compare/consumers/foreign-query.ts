// Reads consumer queries in the SQL of other systems, by the names of tables and columns in them: the tables of an endpoint, or the
// endpoint's result under the endpoint's name.
import type { Column } from '../../../service/engine/engine.ts';
import { rejected, type ReadResult } from './query.ts';
import type { PathRead } from './tree-reads.ts';

/** Tables and columns as a query names them. */
export interface NamedReads {
  readonly tables: readonly (readonly string[])[];
  /** `path`: a column and what is read of it, or `*`. Without a table: of any table of the query. */
  readonly columns: readonly { readonly table?: readonly string[]; readonly path: readonly string[] }[];
}

/** The reads of a query in a dialect, or if undefined in one that fits; otherwise a message why it cannot be parsed. */
export type ReadForeign = (text: string, dialect: string | undefined) => Promise<NamedReads | string>;

/** What a query can read under a name. */
export interface NamedTable {
  readonly name: string;
  /** In the reads: the name, or RESULT. */
  readonly table: string;
  readonly columns: readonly Column[];
}

/** The result of an endpoint, which queries read under the endpoint's name. */
export const RESULT = '';

/**
 * The reads of an endpoint's tables and, as the table RESULT, of its result. `isOnly`: whatever the query reads is the one table of
 * the list. Rejected if it reads none of them.
 */
export function readsOfNames(
  { tables, columns }: NamedReads,
  named: readonly NamedTable[],
  isOnly: boolean,
): ReadResult<PathRead> {
  const isRead = (parts: readonly string[], { name }: NamedTable): boolean => isOnly || isName(parts, name);
  const found = named.filter((each) => tables.some((parts) => isRead(parts, each)));
  if (found.length === 0) return rejected('it reads no table of the endpoint, nor its result', 'elsewhere');
  const reads = columns.flatMap(({ table, path }) =>
    found
      .filter((each) => table === undefined || isRead(table, each))
      .flatMap((each) => pathsIn(each, path).map((read) => ({ table: each.table, path: read }))),
  );
  return { kind: 'read', reads: [...found.map(({ table }) => ({ table, path: '' })), ...reads] };
}

/** `a.b.c` names c, b.c and a.b.c, and also an endpoint b.c that is written as b_c. */
function isName(parts: readonly string[], name: string): boolean {
  const wanted = plain(name);
  return parts.some((_, index) => plain(parts.slice(index).join('.')) === wanted);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '_');
}

function pathsIn({ columns }: NamedTable, [first = '', ...rest]: readonly string[]): readonly string[] {
  if (first === '*') return columns.map(({ name }) => name);
  const column = columns.find(({ name }) => name.toLowerCase() === first.toLowerCase());
  return column === undefined ? [] : [[column.name, ...rest].join('.')];
}
