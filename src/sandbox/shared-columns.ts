// Columns that are stored with something of all rows in their block, whatever the tenant: documents with paths and types, Dynamic with
// types, LowCardinality with a dictionary. Functions are applied to all of it, used or not, and fail if they fail on one; some formats
// write it.
import { quoteIdentifier, quoteString } from '../sql/literal.ts';

interface StoredColumn {
  readonly name: string;
  readonly type: string;
}

/** Whether it is such a column, or has one inside. */
export function isShared({ type }: Pick<StoredColumn, 'type'>): boolean {
  return /\b(?:JSON|Object|Dynamic|LowCardinality)\b/.test(type);
}

/** Whether it has documents: building these again takes longer than reading them. */
export function hasDocuments({ type }: Pick<StoredColumn, 'type'>): boolean {
  return /\b(?:JSON|Object)\b/.test(type);
}

/** All columns of a source, of which these are built again from their values, one by one: they have only what is of its rows. */
export function selectBuiltAgain(columns: readonly StoredColumn[]): string {
  if (columns.length === 0) return '*';
  const built = columns.map((column) => `${builtAgain(column)} AS ${quoteIdentifier(column.name)}`);
  return `* REPLACE (${built.join(', ')})`;
}

/** An aggregate function copies values; in a tuple, it does not skip NULL. Copied values are not LowCardinality. */
function builtAgain({ name, type }: StoredColumn): string {
  const copied = `tupleElement(arrayReduce('groupArray', [tuple(${quoteIdentifier(name)})])[1], 1)`;
  if (type.startsWith('LowCardinality(')) return `toLowCardinality(${copied})`;
  return type.includes('LowCardinality(') && isCastable(type)
    ? `CAST(${copied}, ${quoteString(type)})`
    : copied;
}

/**
 * Whether a cast may name the type whatever the server's settings: it rejects some that tables have, such as LowCardinality of numbers.
 * Otherwise values inside of the column are not LowCardinality any more, which shows in their type only.
 */
function isCastable(type: string): boolean {
  const unquoted = type.replaceAll(/`[^`]*`|'[^']*'/g, '');
  const names = unquoted.match(/\b\w+\b(?! \w)/g) ?? []; // without those of elements
  return (
    names.every((name) => CASTABLE.test(name)) &&
    !/LowCardinality\((?!(?:Nullable\()?String\b)/.test(unquoted)
  );
}

const CASTABLE =
  /^(?:LowCardinality|Array|Map|Tuple|Nested|Nullable|String|Bool|UUID|JSON|Dynamic|U?Int\d+|Float\d+|Date(?:Time(?:64)?)?|Decimal|IPv[46]|\d+)$/;
