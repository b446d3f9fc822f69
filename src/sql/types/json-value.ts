// How the values of a type appear in JSON: the one source of JSON Schemas and of TypeScript types.
import { storedShape } from './geometry.ts';
import { enumNames, integerOf, isInterval } from './traits.ts';
import { innerType, parseType, typeArguments, type ClickHouseType } from './type.ts';

/** The JSON values of a type. */
export type JsonValue =
  /** Of 64 bits and more, written as strings if the endpoint says so. */
  | { readonly kind: 'integer'; readonly bits: number; readonly signed: boolean }
  /** Non-finite numbers are null. */
  | { readonly kind: 'float' }
  /** Written as strings if the endpoint says so. */
  | { readonly kind: 'decimal' }
  | { readonly kind: 'boolean' | 'null' }
  | { readonly kind: 'string'; readonly format: 'date' | 'date-time' | 'uuid' | undefined }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'nullable'; readonly inner: JsonValue }
  | { readonly kind: 'array'; readonly element: JsonValue }
  | { readonly kind: 'tuple'; readonly elements: readonly JsonValue[] }
  /** A Tuple with named elements. */
  | { readonly kind: 'record'; readonly members: ReadonlyMap<string, JsonValue> }
  | { readonly kind: 'map'; readonly value: JsonValue }
  /** An object of any form. */
  | { readonly kind: 'object' }
  /** Any value: it varies by row, or the type is unknown. */
  | { readonly kind: 'any' };

const ANY: JsonValue = { kind: 'any' };
const FLOAT: JsonValue = { kind: 'float' };
const STRING: JsonValue = { kind: 'string', format: undefined };

const PLAIN: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ...['String', 'FixedString', 'IPv4', 'IPv6', 'Time', 'Time64'].map((name) => [name, STRING] as const),
  ...['BFloat16', 'Float32', 'Float64'].map((name) => [name, FLOAT] as const),
  ...['Decimal', 'Decimal32', 'Decimal64', 'Decimal128', 'Decimal256'].map(
    (name) => [name, { kind: 'decimal' }] as const,
  ),
  ...['Date', 'Date32'].map((name) => [name, { kind: 'string', format: 'date' }] as const),
  ...['DateTime', 'DateTime32', 'DateTime64'].map(
    (name) => [name, { kind: 'string', format: 'date-time' }] as const,
  ),
  ['UUID', { kind: 'string', format: 'uuid' }],
  ['Bool', { kind: 'boolean' }],
  ['Nothing', { kind: 'null' }],
  ['JSON', { kind: 'object' }],
]);

/** How rows are written in JSON: as the engine does, or as BigQuery does (`service/formats/bigquery-shape.ts`). */
export type RowShape = 'standard' | 'bigquery';

/** The JSON values of a column, given its type as the engine prints it. */
export function jsonValueOf(type: string, shape: RowShape = 'standard'): JsonValue {
  const value = valueOf(parseType(type));
  return shape === 'bigquery' ? asBigquery(value) : value;
}

/** Microseconds since 1970, which have fewer than 64 bits. */
const MICROSECONDS: JsonValue = { kind: 'integer', bits: 63, signed: true };

/** Timestamps are microseconds, and an object is the only element of an array unless it is an element already. */
function asBigquery(value: JsonValue, isElement = false): JsonValue {
  const wrapped = (object: JsonValue): JsonValue => (isElement ? object : { kind: 'array', element: object });
  switch (value.kind) {
    case 'string':
      return value.format === 'date-time' ? MICROSECONDS : value;
    case 'nullable':
      return { kind: 'nullable', inner: asBigquery(value.inner, isElement) };
    case 'array':
      return { kind: 'array', element: asBigquery(value.element, true) };
    case 'tuple':
      return { kind: 'tuple', elements: value.elements.map((element) => asBigquery(element, true)) };
    case 'record':
      return wrapped({
        kind: 'record',
        members: new Map([...value.members].map(([name, member]) => [name, asBigquery(member)])),
      });
    case 'map':
      return wrapped({ kind: 'map', value: asBigquery(value.value) });
    case 'object':
      return wrapped(value);
    case 'integer':
    case 'float':
    case 'decimal':
    case 'boolean':
    case 'null':
    case 'enum':
    case 'any':
      return value;
  }
}

function valueOf(type: ClickHouseType): JsonValue {
  const { name } = type;
  switch (name) {
    case 'Nullable':
      return { kind: 'nullable', inner: valueOf(innerType(type)) };
    case 'LowCardinality':
      return valueOf(innerType(type));
    case 'SimpleAggregateFunction':
      return valueOf(innerType(type, 1)); // after the name of the function
    case 'Array':
      return { kind: 'array', element: valueOf(innerType(type)) };
    case 'Map':
      return { kind: 'map', value: valueOf(innerType(type, 1)) };
    case 'Tuple':
      return tupleValue(type);
    case 'Nested':
      return { kind: 'array', element: tupleValue(type) };
    case 'Enum':
    case 'Enum8':
    case 'Enum16':
      return { kind: 'enum', values: enumNames(type) };
    default:
      return PLAIN.get(name) ?? shapeValue(type) ?? integerValue(type);
  }
}

/** Undefined for types that are no shapes. */
function shapeValue(type: ClickHouseType): JsonValue | undefined {
  const stored = storedShape(type);
  return stored && valueOf(stored);
}

function integerValue(type: ClickHouseType): JsonValue {
  const integer = integerOf(type);
  if (integer !== undefined) return { kind: 'integer', bits: integer.bits, signed: integer.isSigned };
  return isInterval(type) ? { kind: 'integer', bits: 64, signed: true } : ANY;
}

/** Elements without names are an array. */
function tupleValue(type: ClickHouseType): JsonValue {
  const elements = typeArguments(type);
  const members = elements.flatMap(({ name, type: inner }) =>
    name === undefined ? [] : [[name, valueOf(inner)] as const],
  );
  if (members.length === 0 || members.length < elements.length)
    return { kind: 'tuple', elements: elements.map(({ type: inner }) => valueOf(inner)) };
  return { kind: 'record', members: new Map(members) };
}
