// Types of columns in the format Native: sizes of values, names of other types, and what documents are declared as.
import { decimalOf, isInterval, numberAt } from '../../../../sql/types/traits.ts';
import {
  changeArguments,
  innerType,
  printType,
  typeOf,
  type ClickHouseType,
} from '../../../../sql/types/type.ts';

/** Bytes of a value, by the name of its type. */
const SIZES: ReadonlyMap<string, number> = new Map([
  ...sized(1, 'Int8 UInt8 Bool Enum8 Nothing'),
  ...sized(2, 'Int16 UInt16 BFloat16 Date Enum16'),
  ...sized(4, 'Int32 UInt32 Float32 Date32 DateTime IPv4 Time'),
  ...sized(8, 'Int64 UInt64 Float64 DateTime64 Time64'),
  ...sized(16, 'Int128 UInt128 UUID IPv6'),
  ...sized(32, 'Int256 UInt256'),
]);

function sized(bytes: number, names: string): readonly (readonly [string, number])[] {
  return names.split(' ').map((name) => [name, bytes] as const);
}

/** Bytes of a value; undefined if that depends on the value. */
export function sizeOf(type: ClickHouseType): number | undefined {
  const { name } = type;
  const size = SIZES.get(name);
  if (size !== undefined) return size;
  if (isInterval(type)) return 8;
  if (name === 'QBit') {
    // A column for each bit of an element, with the bits of all elements.
    const element = SIZES.get(innerType(type).name);
    const length = numberAt(type, 1);
    return element === undefined || length === undefined ? undefined : 8 * element * Math.ceil(length / 8);
  }
  if (name === 'FixedString') return numberAt(type, 0);
  const precision = decimalOf(type)?.precision;
  if (precision === undefined) return undefined;
  return precision <= 9 ? 4 : precision <= 18 ? 8 : precision <= 38 ? 16 : 32;
}

const STRING = typeOf('String');

/** The type with strings in place of documents, which the engine writes as strings. */
export function withoutDocuments(type: ClickHouseType): ClickHouseType {
  if (type.name === 'JSON') return STRING;
  const changed = changeArguments(type, withoutDocuments);
  if (type.name !== 'Variant') return changed;
  const byName = new Map(
    changed.arguments?.map(
      (argument) => [argument.kind === 'type' ? printType(argument.type) : '', argument] as const,
    ),
  );
  return { ...changed, arguments: inOrder([...byName.keys()]).flatMap((name) => byName.get(name) ?? []) };
}

/** As the engine orders the types of a Variant: by the bytes of their names. */
export function inOrder(names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => (a < b ? -1 : 1));
}
