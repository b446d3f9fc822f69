// Columns of a stored table that a consumer's condition names, as the stored table has them.
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import { namesOf, textOf, type TreeTokens } from '../../../sql/clickhouse/tree/visit.ts';
import { innerType, typeArguments, type ClickHouseType } from '../../../sql/types/type.ts';
import { sourceOfSubcolumns } from '../pass-through.ts';
import type { ReadTable } from '../read-table.ts';
import { subcolumnType } from '../../../sql/types/subcolumn-type.ts';

/** A column, a subcolumn or a value of a map, as SQL over the stored table. */
export interface StoredColumn {
  readonly sql: string;
  readonly type: ClickHouseType;
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
 * Returns what reads `column`, `alias.column`, a subcolumn by its path or a value of a map by its key; undefined for
 * anything else, and if the name could mean something else.
 */
export function storedColumns(
  tree: TreeTokens,
  { table, alias, names }: ColumnNames,
): (node: Node) => StoredColumn | undefined {
  const dotted = [...names].filter((name) => name.includes('.'));
  const isShadowed = (name: string): boolean => dotted.some((other) => other.startsWith(`${name}.`));
  const known = new Map<string, Column | undefined>();
  const columnNamed = (name: string): Column | undefined => {
    if (!known.has(name)) known.set(name, isShadowed(name) ? undefined : readColumn(table, name));
    return known.get(name);
  };
  if (isShadowed(alias)) return () => undefined;
  return (node) => {
    const [base = node] = node.parts;
    if (base.kind !== 'column') return undefined;
    const [first = '', ...rest] = namesOf(tree, base);
    const isQualified = first === alias && rest.length > 0 && table.typeOf(alias) === undefined;
    const [name = '', ...path] = isQualified ? rest : [first, ...rest];
    if (!isQualified && names.has(name)) return undefined;
    const column = columnNamed(name);
    if (column === undefined) return undefined;
    if (node === base) return path.length === 0 ? wholeColumn(column) : readPath(column, path);
    return path.length === 0 ? readElement(tree, node, column) : undefined;
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

function wholeColumn({ source, type, implied }: Column): StoredColumn {
  return { sql: quoteIdentifier(source), type, implied };
}

/** A value of a map by its key, or an element of a tuple by its number. */
function readElement(
  tree: TreeTokens,
  node: Node,
  { source, type, implied }: Column,
): StoredColumn | undefined {
  if (implied !== undefined) return undefined;
  const [, index] = node.parts;
  if (node.kind === 'index') {
    const isKey = hasTextKeys(type) && index?.kind === 'string';
    const sql = `${quoteIdentifier(source)}[${textOf(tree, index ?? node)}]`;
    return isKey ? { sql, type: innerType(type, 1), implied } : undefined;
  }
  const literal = textOf(tree, { from: node.at, to: node.at + 1 });
  if (node.kind !== 'access' || !/^\d+$/.test(literal) || type.name !== 'Tuple') return undefined;
  const element = typeArguments(type)[Number(literal) - 1];
  return element && { sql: `${quoteIdentifier(source)}.${literal}`, type: element.type, implied };
}

function readPath(
  { source, type, hasSubcolumns, implied }: Column,
  path: readonly string[],
): StoredColumn | undefined {
  // Types, subobjects and names that need quotes are spelled by the engine in its own way.
  const isPlain = hasSubcolumns && path.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  const inner = isPlain && implied === undefined ? subcolumnType(type, path.join('.')) : undefined;
  return inner && { sql: quoteIdentifier([source, ...path].join('.')), type: inner, implied };
}

/** Keys of other types are not compared with a string. */
export function hasTextKeys(type: ClickHouseType): boolean {
  const key = innerType(type);
  return type.name === 'Map' && (key.name === 'LowCardinality' ? innerType(key) : key).name === 'String';
}
