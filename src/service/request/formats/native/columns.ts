// Columns of the format Native: what precedes their values, and the values, copied with strings in place of documents. The engine
// declares documents as JSON and writes strings, of which clients read one or the other. Source: NativeWriter and the serializations
// of ClickHouse.
import { setImmediate } from 'node:timers/promises';
import { storedShape } from '../../../../sql/types/geometry.ts';
import {
  innerType,
  parseType,
  printType,
  typeArguments,
  type ClickHouseType,
} from '../../../../sql/types/type.ts';
import { SLICE, UnknownType, type NativeColumn, type Pieces } from './native-column.ts';
import { numberBytes, textBytes, type Reader } from './reader.ts';
import { inOrder, sizeOf, withoutDocuments } from './types.ts';
import { mergeVariants } from './variants.ts';

/** Reads what precedes the values of a column. Throws UnknownType. */
export function readColumn(reader: Reader, type: ClickHouseType): NativeColumn {
  const { name } = type;
  const size = sizeOf(type);
  if (size !== undefined) return { prefix: [], values: (rows) => [reader.bytes(rows * size)] };
  const same = storedShape(type);
  if (same !== undefined) return readColumn(reader, same);
  switch (name) {
    case 'String':
      return { prefix: [], values: (rows) => readStrings(reader, rows) };
    case 'Nullable': {
      const { prefix, values } = readColumn(reader, innerType(type));
      return { prefix, values: async (rows) => [reader.bytes(rows), ...(await values(rows))] };
    }
    case 'Array':
      return arrayOf(reader, readColumn(reader, innerType(type)));
    case 'Nested':
    case 'Map':
      return arrayOf(reader, readTuple(reader, type));
    case 'Tuple':
      return type.arguments?.length === 0
        ? { prefix: [], values: (rows) => [reader.bytes(rows)] }
        : readTuple(reader, type);
    case 'SimpleAggregateFunction':
      return readColumn(reader, innerType(type, -1));
    case 'LowCardinality':
      return readLowCardinality(reader, innerType(type));
    case 'Variant':
      return readVariant(reader, typeArguments(type).map((argument) => printType(argument.type)));
    case 'Dynamic':
      return readDynamic(reader);
    case 'JSON':
      if (reader.word() !== 1) throw new UnknownType(name);
      return { prefix: [], values: (rows) => readStrings(reader, rows) };
    default:
      throw new UnknownType(name);
  }
} // prettier-ignore

async function readStrings(reader: Reader, rows: number): Promise<Pieces> {
  const start = reader.at();
  for (let row = 1; row <= rows; row++) {
    reader.bytes(reader.number());
    if (row % SLICE === 0) await setImmediate();
  }
  return [reader.since(start)];
}

/** Offsets of 64 bits, the last of which is the number of elements. */
function arrayOf(reader: Reader, { prefix, values }: NativeColumn): NativeColumn {
  return {
    prefix,
    values: async (rows) => {
      if (rows === 0) return [];
      const offsets = reader.bytes(8 * rows);
      return [offsets, ...(await values(Number(offsets.readBigUInt64LE(8 * (rows - 1)))))];
    },
  };
}

function readTuple(reader: Reader, type: ClickHouseType): NativeColumn {
  const elements = typeArguments(type).map((argument) => readColumn(reader, argument.type));
  return {
    prefix: elements.flatMap(({ prefix }) => prefix),
    values: async (rows) => {
      const pieces: Buffer[] = [];
      for (const { values } of elements) pieces.push(...(await values(rows)));
      return pieces;
    },
  };
}

/** Of the keys of a block: 8, 16, 32 or 64 bits for the indexes. */
const INDEX_BITS = 0xff;

function readLowCardinality(reader: Reader, type: ClickHouseType): NativeColumn {
  const version = reader.bytes(8);
  const keys = readColumn(reader, type.name === 'Nullable' ? innerType(type) : type);
  return {
    prefix: [version, ...keys.prefix],
    values: async (rows) => {
      if (rows === 0) return [];
      const start = reader.at();
      const width = 2 ** (reader.word() & INDEX_BITS);
      await keys.values(reader.word());
      reader.bytes(reader.word() * width);
      return [reader.since(start)];
    },
  };
}

/** A byte a row that names one of the types, in the order of their names, and then the values of each. */
function readVariant(reader: Reader, types: readonly string[]): NativeColumn {
  const mode = reader.bytes(8);
  if (mode.readBigUInt64LE() !== 0n) throw new UnknownType('Variant');
  const columns = types.map((type) => readColumn(reader, parseType(type === SHARED ? 'String' : type)));
  const declared = types.map((type) => (type === SHARED ? type : printType(withoutDocuments(parseType(type)))));
  return mergeVariants(reader, { mode, columns, declared });
} // prettier-ignore

/** Values of types that have no place of their own, as strings. */
const SHARED = 'SharedVariant';

function readDynamic(reader: Reader): NativeColumn {
  const start = reader.at();
  const version = reader.word();
  if (version !== 1 && version !== 2) throw new UnknownType('Dynamic');
  if (version === 1) reader.number(); // how many types there may be
  const head = reader.since(start);
  const names = Array.from({ length: reader.number() }, () => reader.text());
  const declared = new Set(names.map((name) => printType(withoutDocuments(parseType(name)))));
  const { prefix, values } = readVariant(reader, inOrder([...names, SHARED]));
  const list = [numberBytes(declared.size), ...[...declared].map(textBytes)];
  return { prefix: [head, ...list, ...prefix], values };
}
