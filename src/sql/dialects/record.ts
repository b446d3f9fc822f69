// Records: JSON columns, tuples and maps, their fields, and records that a query makes; the types of columns.
import { parseColumnType, type ColumnType } from '../types/column-type.ts';
import type { SourceColumn } from './conversion.ts';
import {
  decimalOf,
  holdsNull,
  integerOf,
  isDate,
  timeScale,
  timeZone,
  type IntegerType,
} from '../types/traits.ts';
import { parseType, type ClickHouseType } from '../types/type.ts';
import { UNKNOWN, type Kind, type Type, NEVER_NULL, whole, joinSql, sql, type Sql, objectOf, type Subcolumn, type Value } from './value.ts'; // prettier-ignore
import { quoteIdentifier, quoteString } from '../clickhouse/literal.ts';
import type { Name } from './tree.ts';
import { tooLarge, unconverted, unknown, type OutputColumn } from './context.ts';
import { jsonAt } from './json-path.ts';

const SIZES: ReadonlyMap<string, number> = new Map(Object.entries({ Int8: 1, Int16: 2, Int32: 4 }));

/** The type of a column that DESCRIBE has printed. */
export function typeOfColumn(column: SourceColumn): Type {
  const parsed = parseColumnType(column.type);
  return { ...typeOf(parsed), isNullable: holdsNull(parseType(column.type)) };
}

const plain = (kind: Kind): Type => ({ kind, isNullable: false });
const inside = (type: ColumnType): Type => ({ ...typeOf(type), isNullable: true });

/** The type for a part of a column's type; whether it can be NULL is not known there. */
function typeOf(type: ColumnType): Type {
  switch (type.kind) {
    case 'string':
      return plain('text');
    case 'boolean':
      return plain('bool');
    case 'number':
      return numberType(parseType(type.name));
    case 'time':
      return timeType(parseType(type.name));
    case 'json':
      return { ...plain('object'), paths: type.paths };
    case 'array':
      return { ...plain('array'), element: inside(type.element) };
    case 'map':
      return { ...plain('map'), element: typeOf(type.value) };
    case 'tuple':
      return {
        ...plain('tuple'),
        fields: new Map([...type.elements].map(([name, each]) => [name, inside(each)])),
      };
    case 'uuid':
      return plain('uuid');
    case 'dynamic':
      return { kind: 'dynamic', isNullable: true };
    case 'ipv4':
    case 'ipv6':
    case 'other':
      return UNKNOWN;
  }
}

/** Of the integers of up to 32 bits. */
function bitsOf({ isSigned, bits }: IntegerType): number | undefined {
  return bits > 32 ? undefined : bits - (isSigned ? 1 : 0);
}

function timeType(type: ClickHouseType): Type {
  if (isDate(type)) return { ...plain('date'), ...(type.name === 'Date32' ? { isWide: true } : {}) };
  if (type.name !== 'DateTime64') return { ...plain('timestamp'), scale: 0 };
  const isWide = (timeScale(type) ?? 9) <= 6 && timeZone(type) === 'UTC';
  return { ...plain('timestamp'), ...(isWide ? { isWide } : {}) };
}

function numberType(type: ClickHouseType): Type {
  const integer = integerOf(type);
  if (integer !== undefined)
    return {
      kind: 'int',
      isNullable: false,
      scale: 0,
      bytes: SIZES.get(type.name),
      isUnsigned: type.name === 'UInt64',
      bits: bitsOf(integer),
    };
  const decimal = decimalOf(type);
  return decimal === undefined ? plain('float') : { ...plain('decimal'), scale: decimal.scale };
}

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

/** Returns whether the value has fields itself; false for an array of records. */
export function isRecord({ type }: Value): boolean {
  return type.kind === 'object' || type.kind === 'tuple' || type.kind === 'map';
}

/** Returns whether a field of that name is known to exist. */
export function hasField(record: Value, name: string): boolean {
  return spelled(fieldNames(record), name) !== undefined;
}

/** A field of a record, a tuple or a map. */
export function field(record: Value, { name, at }: Name): Value {
  const { type, subcolumn, absent } = record;
  const isAbsent = absent === undefined ? {} : { absent };
  if (subcolumn !== undefined)
    return { ...pathField(subcolumn, { name: spelled(fieldNames(record), name) ?? name, at }), ...isAbsent };
  if (type.kind === 'json') return jsonAt(record, [quoteString(name)]);
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
  return unconverted(
    at,
    'type',
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
  const leaf = sql`${root}.${inside.map(quoteIdentifier).join('.')}`;
  if (typed !== undefined) return columnValue(leaf, { ...typeOf(typed), isNullable: true });
  const subcolumn = { root, path: inside, paths };
  const hasInside = [...paths.keys()].some((each) => each.startsWith(`${dotted}.`));
  if (!hasInside) return { sql: leaf, type: { kind: 'dynamic', isNullable: true }, subcolumn };
  return { sql: objectOf(subcolumn), type: { kind: 'object', isNullable: true, paths }, subcolumn };
}

/** The value at the same path of another JSON column. */
export function rerooted({ subcolumn, type }: Value, root: Sql): Value {
  const { path, paths } = subcolumn ?? { path: [], paths: new Map() };
  const leaf = path.length === 0 ? root : sql`${root}.${path.map(quoteIdentifier).join('.')}`;
  const own = { root, path, paths };
  return { sql: type.kind === 'object' ? objectOf(own) : leaf, type, subcolumn: own };
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

/** A JSON object: tuple element types must be constant, and those of aggregates are not. */
export function jsonOf(fields: readonly OutputColumn[]): Value {
  const members = fields.map(
    ({ name, value: each }, index) =>
      sql`${quoteString(`${index === 0 ? '{' : ', '}${JSON.stringify(name)}: `)}, toJSONString(${each.sql})`,
  );
  const object = sql`CAST(concat(${joinSql(members)}, '}') AS JSON)`;
  return columnValue(object, { kind: 'object', isNullable: false, paths: new Map() });
}

/** A tuple with named elements; the engine infers their types. */
export function tupleOf(fields: readonly OutputColumn[]): Value {
  const values = fields.map((each) => whole(each.value));
  const types = fields.map(
    ({ name }, index) =>
      sql`${quoteString(`${index === 0 ? '' : ', '}${quoteIdentifier(name)} `)}, toTypeName(${values[index] ?? ''})`,
  );
  return {
    sql: sql`CAST(tuple(${joinSql(values)}), concat('Tuple(', ${joinSql(types)}, ')'))`,
    type: {
      kind: 'tuple',
      isNullable: false,
      fields: new Map(fields.map(({ name, value: each }) => [name, each.type])),
    },
  };
}
