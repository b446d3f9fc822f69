// Translated values: their SQL, and as much of their type as affects how they must be written.
import type { ColumnType } from '../sql/column-type.ts';
import { quoteIdentifier, quoteString } from '../sql/literal.ts';
import { sql, type Sql } from './sql.ts';
import { tooLarge, unknown, untranslated } from './translation-error.ts';
import type { Name } from '../sql/syntax-tree.ts';

/** The type of a value, as far as it changes how the value is written. */
export type Type =
  | { readonly kind: ScalarKind }
  /** A JSON object; `paths` are its typed paths, from the root of its column. */
  | { readonly kind: 'record'; readonly paths: Paths }
  | { readonly kind: 'array'; readonly element: Type }
  | { readonly kind: 'tuple'; readonly fields: ReadonlyMap<string, Type> }
  | { readonly kind: 'map'; readonly value: Type };

type Paths = ReadonlyMap<string, ColumnType>;

/** `dynamic`: a JSON path without a declared type. `datetime`: a time without time zone, stored as if it were UTC. */
export type ScalarKind =
  | 'bool'
  | 'int'
  | 'float'
  | 'string'
  | 'timestamp'
  | 'datetime'
  | 'date'
  | 'interval'
  | 'null'
  | 'dynamic'
  | 'unknown';

/** A translated expression. */
export interface Value {
  readonly sql: Sql;
  readonly type: Type;
  /** Its path in a JSON column. */
  readonly json?: { readonly root: Sql; readonly path: readonly string[]; readonly paths: Paths };
  /** For a string form of a dynamically typed value: the original value. */
  readonly loose?: Sql;
  /** A condition: an outer join found no matching row. */
  readonly absent?: Sql;
}

/** A value of a kind without further structure. */
export function value(kind: ScalarKind, text: Sql): Value {
  return { sql: text, type: { kind } };
}

/** A column, given its SQL. */
export function columnValue(column: Sql, type: Type): Value {
  if (type.kind !== 'record') return { sql: column, type };
  return { sql: column, type, json: { root: column, path: [], paths: type.paths } };
}

/** The type for a column type that DESCRIBE has printed; a type without rules of its own becomes `unknown`. */
export function typeOf(type: ColumnType): Type {
  switch (type.kind) {
    case 'string':
      return { kind: 'string' };
    case 'number':
      return { kind: /Int/.test(type.name) ? 'int' : 'float' };
    case 'boolean':
      return { kind: 'bool' };
    case 'time':
      return { kind: /Date(?!Time)/.test(type.name) ? 'date' : 'timestamp' };
    case 'json':
      return { kind: 'record', paths: type.paths };
    case 'map':
      return { kind: 'map', value: typeOf(type.value) };
    case 'tuple':
      return {
        kind: 'tuple',
        fields: new Map([...type.elements].map(([name, each]) => [name, typeOf(each)])),
      };
    case 'array':
      return { kind: 'array', element: typeOf(type.element) };
    case 'dynamic':
      return { kind: 'dynamic' };
    case 'uuid':
    case 'ipv4':
    case 'ipv6':
    case 'other':
      return { kind: 'unknown' };
  }
}

/** Names of a record's declared fields, first level only; undefined if unknown. */
export function fieldNames({ type, json }: Value): readonly string[] {
  if (type.kind === 'tuple') return [...type.fields.keys()];
  if (json === undefined) return [];
  const prefix = json.path.map((part) => `${part}.`).join('');
  const inside = [...json.paths.keys()].filter((path) => path.startsWith(prefix));
  return [...new Set(inside.map((path) => path.slice(prefix.length).split('.')[0] ?? ''))];
}

/** The name of a field as spelled in the type. */
function spelled(names: readonly string[], name: string): string | undefined {
  const folded = name.toLowerCase();
  return names.find((each) => each === name) ?? names.find((each) => each.toLowerCase() === folded);
}

/** Whether the value has fields itself; false for an array of records. */
export function isRecord({ type }: Value): boolean {
  return type.kind === 'record' || type.kind === 'tuple' || type.kind === 'map';
}

/** Whether a field of that name is known to exist. */
export function hasField(record: Value, name: string): boolean {
  return spelled(fieldNames(record), name) !== undefined;
}

/** A field of a record, a tuple or a map. */
export function field(record: Value, { name, at }: Name): Value {
  const { type, json, absent } = record;
  const isAbsent = absent === undefined ? {} : { absent };
  if (json !== undefined)
    return { ...jsonField(json, { name: spelled(fieldNames(record), name) ?? name, at }), ...isAbsent };
  if (type.kind === 'map')
    return { sql: sql`${record.sql}[${quoteString(name)}]`, type: type.value, ...isAbsent };
  if (type.kind === 'tuple') {
    const known = spelled([...type.fields.keys()], name);
    const fieldType = type.fields.get(known ?? '');
    if (known === undefined || fieldType === undefined) {
      unknown(at, `There is no field ${name} here: the fields are ${[...type.fields.keys()].join(', ')}`);
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

function jsonField({ root, path, paths }: NonNullable<Value['json']>, { name, at }: Name): Value {
  if (path.length >= MAX_PATH) tooLarge(at, `A path may have at most ${MAX_PATH} parts`);
  const inside = [...path, name];
  const dotted = inside.join('.');
  const typed = paths.get(dotted);
  const leaf = sql`${root}.${inside.map(quoteName).join('.')}`;
  if (typed !== undefined) return columnValue(leaf, typeOf(typed));
  const json = { root, path: inside, paths };
  const hasInside = [...paths.keys()].some((each) => each.startsWith(`${dotted}.`));
  if (!hasInside) return { sql: leaf, type: { kind: 'dynamic' }, json };
  return { sql: objectOf(json), type: { kind: 'record', paths }, json };
}

/** The value at the same path of another JSON column. */
export function rerooted({ json, type }: Value, root: Sql): Value {
  const { path = [], paths = new Map<string, ColumnType>() } = json ?? {};
  const leaf = path.length === 0 ? root : sql`${root}.${path.map(quoteName).join('.')}`;
  const own = { root, path, paths };
  return { sql: type.kind === 'record' ? objectOf(own) : leaf, type, json: own };
}

function objectOf({ root, path }: Pick<NonNullable<Value['json']>, 'root' | 'path'>): Sql {
  return path.length === 0 ? root : sql`${root}.^${path.map(quoteName).join('.')}`;
}

/** Whether a path has neither a value nor an object. */
export function isMissing(leaf: Sql, json: NonNullable<Value['json']>): Sql {
  return sql`(${leaf} IS NULL AND empty(${objectOf(json)}))`;
}

/**
 * A quoted identifier.
 * @throws RangeError as `quoteIdentifier` does
 */
export function quoteName(name: string): string {
  return quoteIdentifier(name);
}

/** The type of a value as a column of a derived table. */
export function columnType({ type, json }: Value): Type {
  if (type.kind !== 'record' || json === undefined) return type;
  const prefix = json.path.map((part) => `${part}.`).join('');
  const inside = [...json.paths].filter(([path]) => path.startsWith(prefix));
  return { kind: 'record', paths: new Map(inside.map(([path, each]) => [path.slice(prefix.length), each])) };
}

/** Kinds of values that are not nullable in ClickHouse. */
export const NEVER_NULL: ReadonlySet<Type['kind']> = new Set(['record', 'array', 'tuple', 'map', 'dynamic']);

/** The value, null if an outer join found no matching row. */
export function whole({ sql: own, absent, type }: Value): Sql {
  if (absent === undefined || NEVER_NULL.has(type.kind)) return own;
  return sql`if(${absent}, NULL, ${own})`;
}

/** As a string; dynamically typed values are converted. */
export function text(each: Value): Sql {
  if (each.type.kind === 'dynamic') return sql`CAST(${each.sql} AS Nullable(String))`;
  if (each.type.kind === 'record') return sql`toJSONString(${each.sql})`;
  return whole(each);
}

/** As a number; dynamically typed values are converted, or null. */
export function number(each: Value): Sql {
  return each.type.kind === 'dynamic' ? sql`accurateCastOrNull(${each.sql}, 'Float64')` : whole(each);
}

/** As a condition. */
export function condition(each: Value): Sql {
  return each.type.kind === 'dynamic' ? sql`accurateCastOrNull(${each.sql}, 'Bool')` : whole(each);
}

/** In a form that can be grouped, ordered, compared and counted. */
export function key(each: Value): Value {
  if (each.type.kind === 'dynamic') return { ...value('string', text(each)), loose: each.sql };
  if (each.type.kind === 'record') return value('string', text(each));
  const { loose } = each;
  return { sql: whole(each), type: each.type, ...(loose === undefined ? {} : { loose }) };
}

/** In the form returned to the consumer: for a dynamically typed path, the object if it holds one. */
export function shown(each: Value): Sql {
  const { json, type } = each;
  if (type.kind !== 'dynamic' || json === undefined) return whole(each);
  const object = objectOf(json);
  return sql`if(${each.sql} IS NULL AND NOT empty(${object}), CAST(${object}, 'Dynamic'), ${each.sql})`;
}
