// Resolves a path to the value it names: a column, a JSON subcolumn, a Map key, a tuple element.
import { nearest } from '../base/nearest.ts';
import { quoteIdentifier, quoteString } from '../clickhouse/literal.ts';
import { DYNAMIC, parseColumnType, type ColumnType } from '../types/column-type.ts';
import { findingAt, isFault, suggestion, type Fault, type LqlFinding } from './finding.ts';
import type { FieldPath } from './tree.ts';

/** A column as the engine describes it. */
export interface FieldColumn {
  readonly name: string;
  /** The type as printed by DESCRIBE. */
  readonly type: string;
}

/** A table that a query may read. */
export interface Table {
  readonly name: string;
  readonly columns: readonly FieldColumn[];
  /** The path that terms search, with dots between its segments. */
  readonly message?: string | undefined;
}

/** A per-row value, as SQL. */
export interface FieldExpression {
  readonly type: ColumnType;
  /** The expression to compare and aggregate. */
  readonly sql: string;
  /** A condition that is true if the row has no such value. */
  readonly missing: string;
  /** The expression to return: for a JSON path that holds an object, the object. */
  readonly shown: string;
}

/** Creates a function that resolves paths in `table`, with columns qualified by `qualifier`. */
export function createResolver(
  table: Table,
  qualifier: string,
): (path: FieldPath) => FieldExpression | LqlFinding {
  const types = new Map<FieldColumn, ColumnType>();
  const typeOf = (column: FieldColumn) => {
    const type = types.get(column) ?? parseColumnType(column.type);
    types.set(column, type);
    return type;
  };
  return ({ segments, span }) => {
    const found = findColumn(table, segments);
    if (found === undefined) return findingAt(span, columnUnknown(segments, table));
    const { name } = found.column;
    if (!isNameable(name)) return findingAt(span, notNameable(name));
    const chain = `${quoteIdentifier(qualifier)}.${quoteIdentifier(name)}`;
    const value = descend(plain(typeOf(found.column), chain), found.rest);
    return isFault(value) ? findingAt(span, value) : value;
  };
}

/** The column that a path starts with. Flattened Nested columns have dots in their names. */
function findColumn({ columns }: Table, segments: readonly string[]) {
  for (let count = segments.length; count > 0; count--) {
    const name = segments.slice(0, count).join('.');
    const column = columns.find((candidate) => candidate.name === name);
    if (column !== undefined) return { column, rest: segments.slice(count) };
  }
  return undefined;
}

function columnUnknown(segments: readonly string[], table: Table): Fault {
  const [first = '', ...rest] = segments;
  const names = table.columns.map(({ name }) => name);
  const near = nearest(first, names);
  return {
    code: 'lql.column_unknown',
    message: `${table.name} has no column ${first}`,
    hint: suggestion(near && [near, ...rest].join('.'), names),
  };
}

/** Returns whether consumer queries may write the name: the sandbox accepts none with quotes, backslashes, tabs or line breaks. */
function isNameable(name: string): boolean {
  return !/["'`\\\t\n\r]/.test(name);
}

function notNameable(name: string): Fault {
  return {
    code: 'lql.path_invalid',
    message: `the name ${JSON.stringify(shorten(name))} contains a quote, a backslash, a tab or a line break`,
    hint: 'queries cannot name it; the author of the endpoint can rename it',
  };
}

/** A value whose SQL serves for comparing, aggregating and returning. */
function plain(type: ColumnType, sql: string): FieldExpression {
  return { type, sql, missing: `${sql} IS NULL`, shown: sql };
}

/** The value that the remaining segments name inside `value`; subcolumns are chained with dots up to a Map key. */
function descend(value: FieldExpression, rest: readonly string[]): FieldExpression | Fault {
  const [first, ...others] = rest;
  if (first === undefined) return value;
  const { type } = value;
  const unnameable = type.kind === 'json' ? rest.find((name) => !isNameable(name)) : undefined;
  if (unnameable !== undefined) return notNameable(unnameable);
  if (type.kind === 'json') return jsonPath(value.sql, type.paths, rest);
  if (type.kind === 'map') return mapKey(value, type.value, rest);
  if (type.kind === 'tuple') {
    const element = type.elements.get(first);
    if (element === undefined) return elementUnknown(type.name, first, type.elements.keys());
    if (!isNameable(first)) return notNameable(first);
    return descend(plain(element, `${value.sql}.${quoteIdentifier(first)}`), others);
  }
  const inArray = type.kind === 'array' && type.element.kind === 'tuple' ? type.element : undefined;
  return inArray === undefined ? noPath(type, rest) : arrayOf(descend(plain(inArray, value.sql), rest));
}

/** One element of each tuple in an array, as an array. */
function arrayOf(element: FieldExpression | Fault): FieldExpression | Fault {
  if (isFault(element)) return element;
  return plain({ name: `Array(${element.type.name})`, kind: 'array', element: element.type }, element.sql);
}

function jsonPath(
  chain: string,
  typed: ReadonlyMap<string, ColumnType>,
  rest: readonly string[],
): FieldExpression | Fault {
  for (let count = rest.length; count > 0; count--) {
    const type = typed.get(rest.slice(0, count).join('.'));
    if (type === undefined) continue;
    return descend(plain(type, dotted(chain, rest.slice(0, count))), rest.slice(count));
  }
  const leaf = dotted(chain, rest);
  // A path that holds an object is not a leaf: it reads as null, and the object is a separate subcolumn.
  const [first = '', ...others] = rest;
  const object = dotted(`${chain}.^${quoteIdentifier(first)}`, others);
  return {
    type: DYNAMIC,
    sql: leaf,
    missing: `(${leaf} IS NULL AND empty(${object}))`,
    shown: `if(${leaf} IS NULL AND NOT empty(${object}), CAST(${object}, 'Dynamic'), ${leaf})`,
  };
}

function dotted(chain: string, segments: readonly string[]): string {
  return [chain, ...segments.map((segment) => quoteIdentifier(segment))].join('.');
}

/** The value of one key, which may contain dots; null if the Map has no such key and the type is nullable. */
function mapKey(map: FieldExpression, type: ColumnType, rest: readonly string[]): FieldExpression | Fault {
  if (map.type.kind === 'map' && map.type.key.kind !== 'string') return noPath(map.type, rest);
  const key = quoteString(rest.join('.'));
  const has = `mapContains(${map.sql}, ${key})`;
  const entry = `${map.sql}[${key}]`;
  if (NOT_NULLABLE.has(type.kind)) return { type, sql: entry, missing: `NOT ${has}`, shown: entry };
  return plain(type, `if(${has}, ${entry}, NULL)`);
}

const NOT_NULLABLE: ReadonlySet<string> = new Set(['array', 'map', 'tuple', 'json', 'other']);

function elementUnknown(type: string, name: string, names: Iterable<string>): Fault {
  const all = [...names];
  return {
    code: 'lql.path_invalid',
    message: `${shorten(type)} has no element ${name}`,
    hint: suggestion(nearest(name, all), all),
  };
}

function noPath(type: ColumnType, rest: readonly string[]): Fault {
  return {
    code: 'lql.path_invalid',
    message: `a value of type ${shorten(type.name)} has no fields`,
    hint: `leave .${rest.join('.')} out`,
  };
}

/** A type name, truncated to fit in a message. */
export function shorten(name: string): string {
  return name.length > 60 ? `${name.slice(0, 59)}…` : name;
}
