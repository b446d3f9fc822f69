// Values of JSON columns and records, and values that outer joins may have lost.
import { quoteIdentifier, quoteString } from '../sql/literal.ts';
import type { Name } from '../sql/syntax-tree.ts';
import { sql, type Sql } from '../dialects/sql.ts';
import { emptyArray } from '../dialects/functions/array-value.ts';
import {
  arrayOfType,
  float,
  TEXT,
  text as textOf,
  typeOf,
  UNKNOWN,
  value,
  type Subcolumn,
  type Type,
  type Value,
} from '../dialects/value.ts';
import { tooLarge, unknown, untranslated } from './translation-error.ts';

/** A column, given its SQL. */
export function columnValue(column: Sql, type: Type): Value {
  if (type.kind !== 'object') return { sql: column, type };
  return { sql: column, type, subcolumn: { root: column, path: [], paths: type.paths ?? new Map() } };
}

/** Names of a record's declared fields, first level only; undefined if unknown. */
export function fieldNames({ type, subcolumn }: Value): readonly string[] {
  if (type.kind === 'tuple') return [...(type.fields?.keys() ?? [])];
  if (subcolumn === undefined) return [];
  const prefix = subcolumn.path.map((part) => `${part}.`).join('');
  const inside = [...subcolumn.paths.keys()].filter((path) => path.startsWith(prefix));
  return [...new Set(inside.map((path) => path.slice(prefix.length).split('.')[0] ?? ''))];
}

/** The name of a field as spelled in the type. */
function spelled(names: readonly string[], name: string): string | undefined {
  const folded = name.toLowerCase();
  return names.find((each) => each === name) ?? names.find((each) => each.toLowerCase() === folded);
}

/** Whether the value has fields itself; false for an array of records. */
export function isRecord({ type }: Value): boolean {
  return type.kind === 'object' || type.kind === 'tuple' || type.kind === 'map';
}

/** Whether a field of that name is known to exist. */
export function hasField(record: Value, name: string): boolean {
  return spelled(fieldNames(record), name) !== undefined;
}

/** A field of a record, a tuple or a map. */
export function field(record: Value, { name, at }: Name): Value {
  const { type, subcolumn, absent } = record;
  const isAbsent = absent === undefined ? {} : { absent };
  if (subcolumn !== undefined)
    return { ...pathField(subcolumn, { name: spelled(fieldNames(record), name) ?? name, at }), ...isAbsent };
  if (type.kind === 'map')
    return { sql: sql`${record.sql}[${quoteString(name)}]`, type: type.element ?? UNKNOWN, ...isAbsent };
  if (type.kind === 'tuple') {
    const known = spelled(fieldNames(record), name);
    const fieldType = type.fields?.get(known ?? '');
    if (known === undefined || fieldType === undefined) {
      unknown(at, `There is no field ${name} here: the fields are ${fieldNames(record).join(', ')}`);
    }
    return {
      ...columnValue(sql`tupleElement(${record.sql}, ${quoteString(known)})`, fieldType),
      ...isAbsent,
    };
  }
  return untranslated(
    at,
    `${name} cannot be read: the value has no fields`,
    'Only records, such as metadata, have fields.',
  );
}

const MAX_PATH = 16;

function pathField({ root, path, paths }: Subcolumn, { name, at }: Name): Value {
  if (path.length >= MAX_PATH) tooLarge(at, `A path may have at most ${MAX_PATH} parts`);
  const inside = [...path, name];
  const dotted = inside.join('.');
  const typed = paths.get(dotted);
  const leaf = sql`${root}.${inside.map(quoteName).join('.')}`;
  if (typed !== undefined) return columnValue(leaf, { ...typeOf(typed), isNullable: true });
  const subcolumn = { root, path: inside, paths };
  const hasInside = [...paths.keys()].some((each) => each.startsWith(`${dotted}.`));
  if (!hasInside) return { sql: leaf, type: { kind: 'dynamic', isNullable: true }, subcolumn };
  return { sql: objectOf(subcolumn), type: { kind: 'object', isNullable: true, paths }, subcolumn };
}

/** The value at the same path of another JSON column. */
export function rerooted({ subcolumn, type }: Value, root: Sql): Value {
  const { path, paths } = subcolumn ?? { path: [], paths: new Map() };
  const leaf = path.length === 0 ? root : sql`${root}.${path.map(quoteName).join('.')}`;
  const own = { root, path, paths };
  return { sql: type.kind === 'object' ? objectOf(own) : leaf, type, subcolumn: own };
}

function objectOf({ root, path }: Pick<Subcolumn, 'root' | 'path'>): Sql {
  return path.length === 0 ? root : sql`${root}.^${path.map(quoteName).join('.')}`;
}

/** Whether a path has neither a value nor an object. */
export function isMissing(leaf: Sql, subcolumn: Subcolumn): Sql {
  return sql`(${leaf} IS NULL AND empty(${objectOf(subcolumn)}))`;
}

/**
 * A quoted identifier.
 * @throws RangeError as `quoteIdentifier` does
 */
export function quoteName(name: string): string {
  return quoteIdentifier(name);
}

/** The type of a value as a column of a derived table. */
export function columnType({ type: own, subcolumn, absent }: Value): Type {
  const type = absent === undefined || NEVER_NULL.has(own.kind) ? own : { ...own, isNullable: true };
  if (type.kind !== 'object' || subcolumn === undefined) return type;
  const prefix = subcolumn.path.map((part) => `${part}.`).join('');
  const inside = [...subcolumn.paths].filter(([path]) => path.startsWith(prefix));
  return {
    kind: 'object',
    isNullable: type.isNullable,
    paths: new Map(inside.map(([path, each]) => [path.slice(prefix.length), each])),
  };
}

/** Kinds of values that are not nullable in ClickHouse. */
export const NEVER_NULL: ReadonlySet<Type['kind']> = new Set(['object', 'array', 'tuple', 'map', 'dynamic']);

/** The value, null if an outer join found no matching row. */
export function whole({ sql: own, absent, type }: Value): Sql {
  if (absent === undefined || NEVER_NULL.has(type.kind)) return own;
  return sql`if(${absent}, NULL, ${own})`;
}

/** The value as an argument of a function: what an outer join has lost is NULL. */
export function settled(each: Value): Value {
  if (each.absent === undefined || NEVER_NULL.has(each.type.kind)) return each;
  const { absent: _, isLoose: __, ...rest } = each;
  return { ...rest, sql: whole(each), type: { ...each.type, isNullable: true } };
}

/** As a string; dynamically typed values are converted. */
export function text(each: Value): Sql {
  return each.type.kind === 'dynamic' || each.type.kind === 'object' ? textOf(each) : whole(each);
}

/** As a number; dynamically typed values are converted, or null. */
export function number(each: Value): Sql {
  return each.type.kind === 'dynamic' ? float(each) : whole(each);
}

/** As a condition. */
export function condition(each: Value): Sql {
  return each.type.kind === 'dynamic' ? sql`accurateCastOrNull(${each.sql}, 'Bool')` : whole(each);
}

/** A value as an array; a dynamically typed JSON path is read as an array of strings. */
export function elementsOf(each: Value): Value {
  if (each.type.kind === 'array') return each;
  if (each.type.kind === 'null') return emptyArray();
  if (each.type.kind !== 'dynamic') return { sql: each.sql, type: arrayOfType(UNKNOWN) };
  return { sql: sql`CAST(${each.sql} AS Array(Nullable(String)))`, type: arrayOfType(TEXT) };
}

/** In a form that can be grouped, ordered, compared and counted. */
export function key(each: Value): Value {
  if (each.type.kind === 'dynamic') return { ...value('text', text(each)), original: each.sql };
  if (each.type.kind === 'object') return value('text', text(each));
  const { original } = each;
  return { sql: whole(each), type: each.type, ...(original === undefined ? {} : { original }) };
}

/** In the form returned to the consumer: for a dynamically typed path, the object if it holds one. */
export function shown(each: Value): Sql {
  const { subcolumn, type } = each;
  if (type.kind !== 'dynamic' || subcolumn === undefined) return whole(each);
  const object = objectOf(subcolumn);
  return sql`if(${each.sql} IS NULL AND NOT empty(${object}), CAST(${object}, 'Dynamic'), ${each.sql})`;
}
