// Columns of a stored table that a consumer's condition names, as the stored table has them.
import type { Cursor } from '../../sql/cursor.ts';
import { quoteIdentifier } from '../../sql/literal.ts';
import { innerType, typeArguments, type ClickHouseType } from '../../sql/type.ts';
import { sourceOfSubcolumns, type ReadTable } from '../read-table.ts';
import { subcolumnType } from '../subcolumn-type.ts';

/** A column, a subcolumn or a value of a map, as SQL over the stored table. */
export interface StoredColumn {
  readonly sql: string;
  readonly type: ClickHouseType;
  /** Index of the token after it. */
  readonly next: number;
  /** For a redacted column: an RE2 expression that stored values match if the redacted ones match a pattern of LIKE. */
  readonly implied: ((pattern: string) => string | undefined) | undefined;
}

export interface ColumnNames {
  readonly table: ReadTable;
  /** The name that may qualify the table's columns. */
  readonly alias: string;
  /** Names that the query defines. */
  readonly names: ReadonlySet<string>;
}

/**
 * Returns what reads `column`, `alias.column`, a subcolumn by its path or a value of a map by its key at a token; undefined for
 * anything else, and if the name could mean something else.
 */
export function storedColumns(
  cursor: Cursor,
  { table, alias, names }: ColumnNames,
): (at: number) => StoredColumn | undefined {
  const dotted = [...names].filter((name) => name.includes('.'));
  const isShadowed = (name: string): boolean => dotted.some((other) => other.startsWith(`${name}.`));
  const known = new Map<string, Column | undefined>();
  const columnNamed = (name: string): Column | undefined => {
    if (!known.has(name)) known.set(name, isShadowed(name) ? undefined : readColumn(table, name));
    return known.get(name);
  };
  if (isShadowed(alias)) return () => undefined;
  return (start) => {
    const first = cursor.name(start) ?? '';
    const isQualified =
      first === alias && cursor.kind(start + 1) === '.' && table.typeOf(alias) === undefined;
    const at = isQualified ? start + 2 : start;
    const name = cursor.name(at) ?? '';
    if (!isQualified && names.has(name)) return undefined;
    const column = columnNamed(name);
    return column && readElement(cursor, at + 1, column);
  };
}

interface Column {
  /** In the stored table. */
  readonly source: string;
  readonly type: ClickHouseType;
  readonly hasSubcolumns: boolean;
  readonly implied: StoredColumn['implied'];
}

function readColumn(table: ReadTable, name: string): Column | undefined {
  const type = table.typeOf(name);
  const source = type && table.passes?.sourceOf(name);
  if (type === undefined || source === undefined) return undefined;
  const hasSubcolumns = sourceOfSubcolumns(table, name) !== undefined;
  const { redaction } = table;
  if (redaction === undefined || redaction.isUnchanged(name))
    return { source, type, hasSubcolumns, implied: undefined };
  // The stored table has the values before redaction.
  const implied = (pattern: string): string | undefined => redaction.impliedPattern(name, pattern);
  return { source, type, hasSubcolumns: false, implied };
}

function readElement(
  cursor: Cursor,
  at: number,
  { source, type, hasSubcolumns, implied }: Column,
): StoredColumn | undefined {
  if (cursor.kind(at) !== '.' && cursor.kind(at) !== '[')
    return { sql: quoteIdentifier(source), type, next: at, implied };
  if (implied !== undefined) return undefined;
  if (cursor.kind(at) === '[') {
    const isKey = hasTextKeys(type) && cursor.kind(at + 1) === 'string' && cursor.kind(at + 2) === ']';
    const sql = `${quoteIdentifier(source)}[${cursor.text(at + 1)}]`;
    return isKey ? { sql, type: innerType(type, 1), next: at + 3, implied } : undefined;
  }
  if (cursor.kind(at + 1) === 'number') {
    const element = type.name === 'Tuple' ? typeArguments(type)[Number(cursor.text(at + 1)) - 1] : undefined;
    const sql = `${quoteIdentifier(source)}.${cursor.text(at + 1)}`;
    return element && cursor.kind(at + 2) !== '.'
      ? { sql, type: element.type, next: at + 2, implied }
      : undefined;
  }
  const path: string[] = [];
  let next = at;
  for (; cursor.kind(next) === '.'; next += 2) path.push(cursor.name(next + 1) ?? '');
  // Types, subobjects and names that need quotes are spelled by the engine in its own way.
  if (!hasSubcolumns || !path.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name))) return undefined;
  const inner = subcolumnType(type, path.join('.'));
  return inner && { sql: quoteIdentifier([source, ...path].join('.')), type: inner, next, implied };
}

/** Keys of other types are not compared with a string. */
export function hasTextKeys(type: ClickHouseType): boolean {
  const key = innerType(type);
  return type.name === 'Map' && (key.name === 'LowCardinality' ? innerType(key) : key).name === 'String';
}
