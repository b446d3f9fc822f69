// Types of columns in the format Native: sizes of values, names of other types, and what documents are declared as.
import { parseType, printType, type ClickHouseType } from '../../sql/type.ts';

/** Bytes of a value, by the name of its type. */
const SIZES: ReadonlyMap<string, number> = new Map([
  ...sized(1, 'Int8 UInt8 Bool Enum8 Nothing'),
  ...sized(2, 'Int16 UInt16 BFloat16 Date Enum16'),
  ...sized(4, 'Int32 UInt32 Float32 Date32 DateTime IPv4 Decimal32 Time'),
  ...sized(8, 'Int64 UInt64 Float64 DateTime64 Decimal64 Time64'),
  ...sized(16, 'Int128 UInt128 UUID IPv6 Decimal128'),
  ...sized(32, 'Int256 UInt256 Decimal256'),
]);

function sized(bytes: number, names: string): readonly (readonly [string, number])[] {
  return names.split(' ').map((name) => [name, bytes] as const);
}

/** Bytes of a value; undefined if that depends on the value. */
export function sizeOf({ name, arguments: given }: ClickHouseType): number | undefined {
  const size = SIZES.get(name);
  if (size !== undefined) return size;
  if (name.startsWith('Interval')) return 8;
  const [first, second] = given ?? [];
  if (name === 'QBit') {
    // A column for each bit of an element, with the bits of all elements.
    const element = first?.kind === 'type' ? SIZES.get(first.type.name) : undefined;
    const length = second?.kind === 'literal' ? Number(second.source) : Number.NaN;
    return element === undefined ? undefined : 8 * element * Math.ceil(length / 8);
  }
  const number = first?.kind === 'literal' ? Number(first.source) : Number.NaN;
  if (name === 'FixedString') return number;
  if (name !== 'Decimal') return undefined;
  return number <= 9 ? 4 : number <= 18 ? 8 : number <= 38 ? 16 : 32;
}

const POINT = 'Tuple(Float64, Float64)';
const SHAPES = {
  LineString: `Array(${POINT})`,
  MultiLineString: `Array(Array(${POINT}))`,
  MultiPolygon: `Array(Array(Array(${POINT})))`,
  Point: POINT,
  Polygon: `Array(Array(${POINT}))`,
  Ring: `Array(${POINT})`,
};

/** Types that are names of others. */
const SAME: ReadonlyMap<string, ClickHouseType> = new Map(
  Object.entries({ ...SHAPES, Geometry: `Variant(${Object.keys(SHAPES).join(', ')})` }).map(
    ([name, type]) => [name, parseType(type)] as const,
  ),
);

/** The type that a name is an alias of; undefined for others. */
export function meantBy({ name }: ClickHouseType): ClickHouseType | undefined {
  return SAME.get(name);
}

const STRING: ClickHouseType = { name: 'String', arguments: undefined };

/** The type with strings in place of documents, which the engine writes as strings. */
export function withoutDocuments(type: ClickHouseType): ClickHouseType {
  if (type.name === 'JSON') return STRING;
  if (type.arguments === undefined) return type;
  const list = type.arguments.map((argument) =>
    argument.kind === 'type' ? { ...argument, type: withoutDocuments(argument.type) } : argument,
  );
  if (type.name !== 'Variant') return { ...type, arguments: list };
  const byName = new Map(
    list.map((argument) => [argument.kind === 'type' ? printType(argument.type) : '', argument] as const),
  );
  return { ...type, arguments: inOrder([...byName.keys()]).flatMap((name) => byName.get(name) ?? []) };
}

/** As the engine orders the types of a Variant: by the bytes of their names. */
export function inOrder(names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => (a < b ? -1 : 1));
}
