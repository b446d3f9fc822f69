// The types of columns as far as needed to decide what their values can be compared with.
import { isDate, isDateTime, isNumeric, plainType } from './traits.ts';
import { innerType, parseType, printType, typeArguments, type ClickHouseType } from './type.ts';

/** `name` is the type as the engine prints it. Nullable and LowCardinality make no difference and are omitted. */
export type ColumnType = { readonly name: string } & TypeShape;

type TypeShape =
  /** `padded`: FixedString and Enum, which become plain strings through toString. */
  | { readonly kind: 'string'; readonly padded: boolean }
  | { readonly kind: 'number'; readonly single: boolean }
  | { readonly kind: 'boolean' | 'time' | 'uuid' | 'ipv4' | 'ipv6' }
  /** A value whose type varies by row: Dynamic, Variant, and untyped JSON paths. */
  | { readonly kind: 'dynamic' }
  | { readonly kind: 'json'; readonly paths: ReadonlyMap<string, ColumnType> }
  | { readonly kind: 'map'; readonly key: ColumnType; readonly value: ColumnType }
  /** Elements without a name are keyed by their 1-based position. */
  | { readonly kind: 'tuple'; readonly elements: ReadonlyMap<string, ColumnType> }
  | { readonly kind: 'array'; readonly element: ColumnType }
  /** A type that can be returned, but compared only as a string. */
  | { readonly kind: 'other' };

/** The type of an untyped JSON path. */
export const DYNAMIC: ColumnType = { name: 'Dynamic', kind: 'dynamic' };

const OTHERS: ReadonlyMap<string, TypeShape> = new Map<string, TypeShape>([
  ['String', { kind: 'string', padded: false }],
  ['FixedString', { kind: 'string', padded: true }],
  ['Enum', { kind: 'string', padded: true }],
  ['Enum8', { kind: 'string', padded: true }],
  ['Enum16', { kind: 'string', padded: true }],
  ['Bool', { kind: 'boolean' }],
  ['UUID', { kind: 'uuid' }],
  ['IPv4', { kind: 'ipv4' }],
  ['IPv6', { kind: 'ipv6' }],
  ['Dynamic', { kind: 'dynamic' }],
  ['Variant', { kind: 'dynamic' }],
]);

/** Parses a type as DESCRIBE prints it, on one line or several; an unknown type is `other`. */
export function parseColumnType(text: string): ColumnType {
  return columnTypeOf(parseType(text));
}

function columnTypeOf(type: ClickHouseType): ColumnType {
  const plain = plainType(type);
  return { name: printType(plain), ...shapeOf(plain) };
}

function shapeOf(type: ClickHouseType): TypeShape {
  const { name } = type;
  switch (name) {
    case 'Array':
      return { kind: 'array', element: columnTypeOf(innerType(type)) };
    case 'Nested':
      return { kind: 'array', element: columnTypeOf({ ...type, name: 'Tuple' }) };
    case 'Map':
      return { kind: 'map', key: columnTypeOf(innerType(type)), value: columnTypeOf(innerType(type, 1)) };
    case 'Tuple':
      return { kind: 'tuple', elements: tupleElements(type) };
    case 'JSON':
      return { kind: 'json', paths: jsonPaths(type) };
    default:
      if (isNumeric(type)) return { kind: 'number', single: name === 'Float32' || name === 'BFloat16' };
      return isDate(type) || isDateTime(type) ? { kind: 'time' } : (OTHERS.get(name) ?? { kind: 'other' });
  }
}

function tupleElements(type: ClickHouseType): ReadonlyMap<string, ColumnType> {
  return new Map(
    typeArguments(type).map(
      ({ name, type: element }, index) => [name ?? String(index + 1), columnTypeOf(element)] as const,
    ),
  );
}

/** Typed paths of a JSON type; its settings (`max_dynamic_paths=…`) and `SKIP` rules are ignored. */
function jsonPaths(type: ClickHouseType): ReadonlyMap<string, ColumnType> {
  return new Map(
    typeArguments(type).flatMap(({ name, type: path }) =>
      name === undefined ? [] : [[name, columnTypeOf(path)] as const],
    ),
  );
}
