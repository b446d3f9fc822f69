// Translated values: their ClickHouse SQL, and as much of their type as affects how they must be written.
import { parseColumnType, type ColumnType } from '../types/column-type.ts';
import { quoteIdentifier } from '../clickhouse/literal.ts';
import type { SourceColumn } from './conversion.ts';
import { sql, type Sql } from './sql.ts';
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

/**
 * `decimal`: Decimal in ClickHouse. `numeric`: an exact number in the source, Float64 in ClickHouse. `datetime`: a time without time
 * zone, stored as if it were UTC. `seconds`: an interval of the source, as a number of seconds. `interval`: an interval of ClickHouse.
 * `json`: JSON as a string. `object`: the type JSON. `time`: a time of day as a string. `dynamic`: a JSON path without a declared type.
 */
export type Kind =
  | 'int'
  | 'decimal'
  | 'numeric'
  | 'float'
  | 'text'
  | 'bytes'
  | 'bool'
  | 'date'
  | 'timestamp'
  | 'datetime'
  | 'time'
  | 'seconds'
  | 'interval'
  | 'json'
  | 'object'
  | 'array'
  | 'map'
  | 'tuple'
  | 'uuid'
  | 'dynamic'
  | 'null'
  | 'unknown';

/** Typed paths of a JSON column, from its root. */
export type Paths = ReadonlyMap<string, ColumnType>;

export interface Type {
  readonly kind: Kind;
  readonly isNullable: boolean;
  /** Digits after the point, if known. */
  readonly scale?: number | undefined;
  /** Of an array, and of the values of a map. */
  readonly element?: Type;
  /** An array that is NULL in the source if it is empty. */
  readonly isNullIfEmpty?: boolean;
  /** Of a tuple. */
  readonly fields?: ReadonlyMap<string, Type>;
  /** Of an object. */
  readonly paths?: Paths;
  /** A timestamp of the source that is a Date in ClickHouse. */
  readonly isDate?: boolean;
  /** Date32, or DateTime64 in UTC of at most six digits: all times of the years 1 to 9999. */
  readonly isWide?: boolean;
  /** Of an interval, in capitals. */
  readonly unit?: string;
  /** A condition, which ClickHouse returns as 0 or 1. */
  readonly isNumberInClickHouse?: boolean;
  /** A string that MySQL compares by its bytes. */
  readonly isBinary?: boolean;
  /** A string that represents a JSON value: SQLite orders numbers before strings. */
  readonly isMixed?: boolean;
  /** A string that is what a JSON path without a declared type holds: beside a number, it is a number. */
  readonly isOpen?: boolean;
  /** UInt64, which has no common type with signed integers. */
  readonly isUnsigned?: boolean;
  /** The size in bytes of a signed integer column. */
  readonly bytes?: number | undefined;
  /** An integer between -2^bits and 2^bits, if that is certain. */
  readonly bits?: number | undefined;
}

/** A path in a JSON column, which ClickHouse reads as a subcolumn. */
export interface Subcolumn {
  readonly root: Sql;
  readonly path: readonly string[];
  readonly paths: Paths;
}

/** `isLoose`: needs parentheses as an operand. */
export interface Value {
  readonly sql: Sql;
  readonly type: Type;
  readonly isLoose?: boolean;
  /** A sum or product of exact numbers of the source, as Float64. */
  readonly isApproximate?: boolean;
  /** The literal's text, for those that functions read. */
  readonly literal?: string;
  readonly subcolumn?: Subcolumn;
  /** For a string form of a dynamically typed value: the original value. */
  readonly original?: Sql;
  /** The same of JSON that is no object and no array, in a shorter form. */
  readonly scalar?: Sql;
  /** A condition: an outer join found no matching row. */
  readonly absent?: Sql;
}

export const UNKNOWN: Type = { kind: 'unknown', isNullable: true };
export const TEXT: Type = { kind: 'text', isNullable: true };
export const DYNAMIC: Type = { kind: 'dynamic', isNullable: true };

/** What is true of one of several values is true of what may be any of them, but for what is true of all. */
const OF_ANY = [
  'isNullable',
  'isNullIfEmpty',
  'isNumberInClickHouse',
  'isBinary',
  'isMixed',
  'isOpen',
] as const;

/** The type of values of one kind. */
export function commonOf(types: readonly Type[]): Type {
  const [first = UNKNOWN] = types;
  if (types.some(({ kind }) => kind !== first.kind)) return UNKNOWN;
  const { bits: _, bytes: __, isWide: ___, ...rest } = first;
  const flags = OF_ANY.filter((flag) => types.some((type) => type[flag] === true));
  const fieldsOf = (type: Type): readonly Type[] => [...(type.fields?.values() ?? [])];
  const fields = [...(first.fields ?? [])].map(([name, own], index): readonly [string, Type] => [
    name,
    commonOf([own, ...types.slice(1).flatMap((type) => fieldsOf(type)[index] ?? [])]),
  ]);
  return {
    ...rest,
    ...Object.fromEntries(flags.map((flag) => [flag, true])),
    ...(types.every(({ isWide }) => isWide === true) ? { isWide: true } : {}),
    ...(first.element === undefined
      ? {}
      : { element: commonOf(types.flatMap(({ element }) => element ?? [])) }),
    ...(first.fields === undefined ? {} : { fields: new Map(fields) }),
  };
}

/** The type of an array: never NULL in ClickHouse. */
export function arrayOfType(element: Type): Type {
  return { kind: 'array', isNullable: false, element };
}

export function value(kind: Kind, own: Sql, isNullable = true, more: Partial<Type> = {}): Value {
  return { sql: own, type: { kind, isNullable, ...more } };
}

export function loose(kind: Kind, own: Sql, isNullable = true, more: Partial<Type> = {}): Value {
  return { sql: own, type: { kind, isNullable, ...more }, isLoose: true };
}

/** An integer. */
export function int(own: Sql, isNullable = true, more: Partial<Type> = {}): Value {
  return value('int', own, isNullable, { scale: 0, ...more });
}

/** A condition. */
export function condition(own: Sql, isNullable: boolean): Value {
  return loose('bool', own, isNullable, { isNumberInClickHouse: true });
}

/** As an operand of an operator. */
export function operand({ sql: own, isLoose }: Value): Sql {
  return isLoose === true ? sql`(${own})` : own;
}

export const isNullable = (...values: readonly Value[]): boolean =>
  values.some(({ type }) => type.isNullable);

const NUMBERS: ReadonlySet<Kind> = new Set(['int', 'decimal', 'numeric', 'float']);
const TIMES: ReadonlySet<Kind> = new Set(['date', 'timestamp', 'datetime']);
export const isNumber = ({ type }: Value): boolean => NUMBERS.has(type.kind);
export const isTime = ({ type }: Value): boolean => TIMES.has(type.kind);
export const isKind = ({ type }: Value, ...kinds: readonly Kind[]): boolean => kinds.includes(type.kind);

/** As Float64: Decimal divides with the scale of its left operand. */
export function float(each: Value): Sql {
  // The first cast is NULL for integers that Float64 does not represent.
  if (each.type.kind === 'dynamic')
    return sql`ifNull(accurateCastOrNull(${each.sql}, 'Float64'), toFloat64(accurateCastOrNull(${each.sql}, 'Int64')))`;
  if (each.type.isOpen === true) return sql`toFloat64OrNull(${each.sql})`;
  return each.type.kind === 'decimal' || each.type.kind === 'unknown'
    ? sql`toFloat64(${each.sql})`
    : operand(each);
}

/** As a string. */
export function text(each: Value): Sql {
  const { kind, scale, isNumberInClickHouse } = each.type;
  if (kind === 'text' || kind === 'bytes' || kind === 'json' || kind === 'time' || kind === 'null')
    return each.sql;
  if (kind === 'dynamic') return sql`CAST(${each.sql} AS Nullable(String))`;
  if (kind === 'object') return sql`toJSONString(${each.sql})`;
  if (kind === 'decimal' && scale !== undefined) return sql`toDecimalString(${each.sql}, ${String(scale)})`;
  if (kind === 'bool' && isNumberInClickHouse === true) return sql`toString(toBool(${each.sql}))`;
  return sql`toString(${each.sql})`;
}

/** Returns the bytes of a number that is written as hexadecimal or binary digits; undefined for other values. */
export function bytesOfDigits({ sql: own }: Value): Sql | undefined {
  const [, base, digits = ''] = /^0([xb])([\da-f]+)$/i.exec(String(own)) ?? [];
  if (base === undefined) return undefined;
  const hexadecimal = base.toLowerCase() === 'x' ? digits : BigInt(`0b${digits}`).toString(16);
  return sql`unhex('${hexadecimal.padStart(Math.ceil(hexadecimal.length / 2) * 2, '0')}')`;
}

const SIZES: Readonly<Record<string, number>> = { Int8: 1, Int16: 2, Int32: 4 };

/** The type of a column that DESCRIBE has printed. */
export function typeOfColumn(column: SourceColumn): Type {
  const parsed = parseColumnType(column.type);
  return { ...typeOf(parsed), isNullable: holdsNull(parseType(column.type)) };
}

const plain = (kind: Kind): Type => ({ kind, isNullable: false });
const inside = (type: ColumnType): Type => ({ ...typeOf(type), isNullable: true });

/** The type for a part of a column's type; whether it can be NULL is not known there. */
export function typeOf(type: ColumnType): Type {
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
      bytes: SIZES[type.name],
      isUnsigned: type.name === 'UInt64',
      bits: bitsOf(integer),
    };
  const decimal = decimalOf(type);
  return decimal === undefined ? plain('float') : { ...plain('decimal'), scale: decimal.scale };
}

/** Words that are not written as bare identifiers, since ClickHouse reads them as keywords somewhere. */
const KEYWORDS = new Set(
  `all and anti any array as asc asof between both by case cast cross cube cte date default desc describe distinct div else end escape except
  exists extract false fetch final first following for format from full global group grouping having ilike in index inf inner insert intersect
  interval into is join key last leading left like limit mod nan natural not null nulls offset on or order outer over partition preceding prewhere
  qualify range right rollup row rows sample select semi set sets settings table then ties timestamp to top totals trailing true trim unbounded
  union update using values view when where window with year month day hour minute second week quarter`.split(
    /\s+/,
  ),
);

/** An identifier, quoted if necessary. */
export function name(written: string): string {
  return /^[A-Za-z_]\w*$/.test(written) && !KEYWORDS.has(written.toLowerCase())
    ? written
    : quoteIdentifier(written);
}
