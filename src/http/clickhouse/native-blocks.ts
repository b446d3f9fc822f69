// The format Native as clients with a protocol version read it: with the header of each block, and a byte after each type. The engine
// writes it without, and has no setting for it; so the columns are walked by their types.
import { setImmediate } from 'node:timers/promises';
import { Problem } from '../../core/problem.ts';
import { innerType, parseType, typeArguments, type ClickHouseType } from '../../sql/type.ts';

/** From this version on, a byte after each type says whether the column is written in another way (sparse, for instance). */
const WITH_SERIALIZATION = 54_454;
/** Of an ordinary block: no overflow rows (field 1), no bucket (field 2), end. */
const BLOCK_INFO = Buffer.from([1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0]);
const DEFAULT_SERIALIZATION = Buffer.from([0]);
/** Values that are read one by one before other calls may run. */
const SLICE = 65_536;

/**
 * Adds what a client of this protocol version expects; 0 is none, and the result is the same buffer. Throws Problem
 * `format.not_acceptable` for columns of types that it does not know. Source: NativeWriter of ClickHouse.
 */
export async function withBlockInfo(body: Buffer, version: number): Promise<Buffer> {
  if (version === 0 || body.length === 0) return body;
  const pieces: Buffer[] = [];
  const reader = createReader(body);
  let done = 0;
  const copy = (more?: Buffer): void => {
    pieces.push(body.subarray(done, reader.at()));
    if (more !== undefined) pieces.push(more);
    done = reader.at();
  };
  while (reader.at() < body.length) {
    pieces.push(BLOCK_INFO);
    const columns = reader.number();
    const rows = reader.number();
    for (let column = 0; column < columns; column++) {
      reader.skip(reader.number());
      const type = parseType(reader.text());
      copy(version < WITH_SERIALIZATION ? undefined : DEFAULT_SERIALIZATION);
      if (rows > 0) await readColumn(reader, type)(rows);
    }
    copy();
  }
  return Buffer.concat(pieces);
}

interface Reader {
  readonly at: () => number;
  /** Throws RangeError beyond the end. */
  readonly skip: (bytes: number) => void;
  /** A number of variable length. */
  readonly number: () => number;
  readonly text: () => string;
  /** Of 64 bits. */
  readonly word: () => number;
  readonly bytes: (count: number) => Buffer;
}

function createReader(buffer: Buffer): Reader {
  let position = 0;
  const bytes: Reader['bytes'] = (count) => {
    if (count > buffer.length - position) throw new RangeError('the block is incomplete');
    position += count;
    return buffer.subarray(position - count, position);
  };
  const number: Reader['number'] = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = buffer.readUInt8(position++);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  return {
    at: () => position,
    skip: (count) => void bytes(count),
    number,
    text: () => bytes(number()).toString(),
    word: () => Number(bytes(8).readBigUInt64LE()),
    bytes,
  };
}

/** Moves over the values of a number of rows. */
type Walk = (rows: number) => Promise<void> | void;

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

const POINT = 'Tuple(Float64, Float64)';
/** Types that are names of others. */
const SAME: ReadonlyMap<string, ClickHouseType> = new Map(
  Object.entries({
    Point: POINT,
    Ring: `Array(${POINT})`,
    LineString: `Array(${POINT})`,
    Polygon: `Array(Array(${POINT}))`,
    MultiLineString: `Array(Array(${POINT}))`,
    MultiPolygon: `Array(Array(Array(${POINT})))`,
  }).map(([name, type]) => [name, parseType(type)] as const),
);

/** Reads what precedes the values of a column, and returns the walk over its values. */
function readColumn(reader: Reader, type: ClickHouseType): Walk {
  const { name } = type;
  const size = SIZES.get(name) ?? sizeOf(type);
  if (size !== undefined) return (rows) => reader.skip(rows * size);
  const same = SAME.get(name);
  if (same !== undefined) return readColumn(reader, same);
  switch (name) {
    case 'String':
      return strings(reader);
    case 'Nullable': {
      const inner = readColumn(reader, innerType(type));
      return (rows) => {
        reader.skip(rows);
        return inner(rows);
      };
    }
    case 'Array':
      return array(reader, readColumn(reader, innerType(type)));
    case 'Nested':
    case 'Map':
      return array(reader, readTuple(reader, type));
    case 'Tuple':
      return type.arguments?.length === 0 ? (rows) => reader.skip(rows) : readTuple(reader, type);
    case 'SimpleAggregateFunction':
      return readColumn(reader, innerType(type, -1));
    case 'LowCardinality':
      return readLowCardinality(reader, innerType(type));
    case 'Variant':
      return readVariant(reader, typeArguments(type).map((argument) => argument.type));
    case 'Dynamic':
      return readDynamic(reader);
    case 'JSON':
      return readJson(reader);
    default:
      throw unsupported(name);
  }
} // prettier-ignore

/** Of types whose arguments decide. */
function sizeOf({ name, arguments: given }: ClickHouseType): number | undefined {
  if (name.startsWith('Interval')) return 8;
  const [first] = given ?? [];
  const number = first?.kind === 'literal' ? Number(first.source) : Number.NaN;
  if (name === 'FixedString') return number;
  if (name !== 'Decimal') return undefined;
  return number <= 9 ? 4 : number <= 18 ? 8 : number <= 38 ? 16 : 32;
}

function strings(reader: Reader): Walk {
  return async (rows) => {
    for (let row = 1; row <= rows; row++) {
      reader.skip(reader.number());
      if (row % SLICE === 0) await setImmediate();
    }
  };
}

/** Offsets of 64 bits, the last of which is the number of elements. */
function array(reader: Reader, elements: Walk): Walk {
  return (rows) => {
    if (rows === 0) return undefined;
    reader.skip(8 * (rows - 1));
    return elements(reader.word());
  };
}

function readTuple(reader: Reader, type: ClickHouseType): Walk {
  const walks = typeArguments(type).map((argument) => readColumn(reader, argument.type));
  return async (rows) => {
    for (const walk of walks) await walk(rows);
  };
}

/** Of the keys of a block: 8, 16, 32 or 64 bits for the indexes. */
const INDEX_BITS = 0xff;

function readLowCardinality(reader: Reader, type: ClickHouseType): Walk {
  reader.skip(8); // the version of the keys
  const keys = readColumn(reader, type.name === 'Nullable' ? innerType(type) : type);
  return async (rows) => {
    if (rows === 0) return;
    const width = 2 ** (reader.word() & INDEX_BITS);
    await keys(reader.word());
    reader.skip(reader.word() * width);
  };
}

const NULL_VARIANT = 0xff;

/** A byte a row that names one of the types, in the order of their names, and then the values of each. */
function readVariant(reader: Reader, types: readonly ClickHouseType[]): Walk {
  if (reader.word() !== 0) throw unsupported('Variant');
  const walks = types.map((type) => readColumn(reader, type));
  return async (rows) => {
    const counts = walks.map(() => 0);
    for (let read = 0; read < rows; read += SLICE) {
      if (read > 0) await setImmediate();
      for (const index of reader.bytes(Math.min(SLICE, rows - read))) {
        if (index !== NULL_VARIANT) counts[index] = (counts[index] ?? 0) + 1;
      }
    }
    for (const [index, walk] of walks.entries()) await walk(counts[index] ?? 0);
  };
}

/** Values of types that have no place of their own, as strings. */
const SHARED = 'SharedVariant';

function readDynamic(reader: Reader): Walk {
  const version = reader.word();
  if (version !== 1 && version !== 2) throw unsupported('Dynamic');
  if (version === 1) reader.number(); // how many types there may be
  const names = Array.from({ length: reader.number() }, () => reader.text());
  const ordered = [...names, SHARED].toSorted((a, b) => (a < b ? -1 : 1));
  return readVariant(
    reader,
    ordered.map((name) => parseType(name === SHARED ? 'String' : name)),
  );
}

/** With `output_format_native_write_json_as_string`. */
function readJson(reader: Reader): Walk {
  if (reader.word() !== 1) throw unsupported('JSON');
  return strings(reader);
}

function unsupported(name: string): Problem {
  return new Problem('format.not_acceptable', {
    detail: `The format Native with a protocol version has no columns of type ${name.slice(0, 100)}`,
    hint: 'Convert the column with toString, or request another format.',
  });
}
