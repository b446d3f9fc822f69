// Columns that are stored with something of all rows in their block, whatever the tenant: documents with paths and types, Dynamic with
// types, LowCardinality with a dictionary. Functions are applied to all of it, used or not, and fail if they fail on one; some formats
// write it.
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';
import { hasType, integerOf, isOpaque, plainType } from '../../sql/types/traits.ts';
import { parseType, type ClickHouseType } from '../../sql/types/type.ts';

interface StoredColumn {
  readonly name: string;
  readonly type: string;
}

/** Returns whether it is such a column, or has one inside. */
export function isShared({ type }: Pick<StoredColumn, 'type'>): boolean {
  return hasType(parseType(type), (inner) => isOpaque(inner) || SHARED.has(inner.name));
}

/** Returns whether it has documents: building these again takes longer than reading them. */
export function hasDocuments({ type }: Pick<StoredColumn, 'type'>): boolean {
  return hasType(parseType(type), ({ name }) => DOCUMENTS.has(name));
}

const DOCUMENTS: ReadonlySet<string> = new Set(['JSON', 'Object']);
const SHARED: ReadonlySet<string> = new Set([...DOCUMENTS, 'Dynamic', 'LowCardinality']);

/** All columns of a source, of which these are built again from their values, one by one: they have only what is of its rows. */
export function selectBuiltAgain(columns: readonly StoredColumn[]): string {
  if (columns.length === 0) return '*';
  const built = columns.map((column) => `${builtAgain(column)} AS ${quoteIdentifier(column.name)}`);
  return `* REPLACE (${built.join(', ')})`;
}

/** An aggregate function copies values; in a tuple, it does not skip NULL. Copied values are not LowCardinality. */
function builtAgain({ name, type }: StoredColumn): string {
  const copied = `tupleElement(arrayReduce('groupArray', [tuple(${quoteIdentifier(name)})])[1], 1)`;
  const parsed = parseType(type);
  if (isDictionary(parsed)) return `toLowCardinality(${copied})`;
  return hasType(parsed, isDictionary) && isCastable(parsed)
    ? `CAST(${copied}, ${quoteString(type)})`
    : copied;
}

function isDictionary({ name }: ClickHouseType): boolean {
  return name === 'LowCardinality';
}

/**
 * Returns whether a cast may name the type whatever the server's settings: it rejects some that tables have, such as LowCardinality of numbers.
 * Otherwise values inside of the column are not LowCardinality any more, which shows in their type only.
 */
function isCastable(type: ClickHouseType): boolean {
  if (isDictionary(type)) return plainType(type).name === 'String';
  const isKnown = CASTABLE.has(type.name) || integerOf(type) !== undefined;
  const list = type.arguments ?? [];
  return (
    isKnown &&
    list.every((each) => each.kind === 'literal' || (each.kind === 'type' && isCastable(each.type)))
  );
}

const CASTABLE: ReadonlySet<string> = new Set(
  'Array Map Tuple Nested Nullable String Bool UUID JSON Dynamic Float32 Float64 Date DateTime DateTime64 Decimal IPv4 IPv6'.split(
    ' ',
  ),
);
