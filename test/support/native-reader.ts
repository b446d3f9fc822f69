// A reader of the format Native, written from its documentation and from the readers of official clients: values by their declared
// types, in the form that ClickHouse's JSON has. It reads nothing that a client of the protocol version would not.

export interface NativeBlock {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly values: readonly unknown[] }[];
  readonly rows: number;
} // prettier-ignore

/** Reads all blocks, to the last byte. Throws for bytes that the version does not have. */
export function readNative(body: Buffer, version: number): readonly NativeBlock[] {
  const source = createSource(body);
  const blocks: NativeBlock[] = [];
  while (!source.isAtEnd()) {
    if (version > 0) readBlockInfo(source);
    const [count, rows] = [source.varint(), source.varint()];
    const columns = Array.from({ length: count }, () => {
      const [name, type] = [source.string(), source.string()];
      if (version >= 54_454 && source.uint(1) !== 0n) throw new Error(`${name} has a custom serialization`);
      return { name, type, values: rows === 0 ? [] : columnOf(source, type)(rows) };
    });
    blocks.push({ columns, rows });
  }
  return blocks;
}

/** Fields by number, up to 0. */
function readBlockInfo(source: Source): void {
  for (let field = source.varint(); field !== 0; field = source.varint()) {
    if (field === 1) source.take(1);
    else if (field === 2) source.take(4);
    else throw new Error(`unknown field ${field} of a block`);
  }
}

interface Source {
  readonly isAtEnd: () => boolean;
  readonly take: (count: number) => Buffer;
  readonly varint: () => number;
  readonly string: () => string;
  readonly uint: (bytes: number) => bigint;
  readonly int: (bytes: number) => bigint;
}

function createSource(body: Buffer): Source {
  let at = 0;
  const take: Source['take'] = (count) => {
    if (at + count > body.length) throw new Error('unexpected end');
    return body.subarray(at, (at += count));
  };
  const varint: Source['varint'] = () => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = take(1)[0] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const uint: Source['uint'] = (bytes) =>
    [...take(bytes)].reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);
  return {
    isAtEnd: () => at === body.length,
    take,
    varint,
    string: () => take(varint()).toString(),
    uint,
    int: (bytes) => BigInt.asIntN(8 * bytes, uint(bytes)),
  };
}

type Values = (rows: number) => unknown[];

/** A name and the texts of its arguments. */
function parse(type: string): readonly [name: string, args: readonly string[]] {
  const open = type.indexOf('(');
  if (open < 0) return [type, []];
  const args: string[] = [];
  let [depth, from, isQuoted] = [0, open + 1, false];
  for (let at = open + 1; at < type.length; at++) {
    const char = type[at] ?? '';
    if (char === "'") isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (char === '(') depth++;
    if ((char === ',' && depth === 0) || at === type.length - 1) {
      args.push(type.slice(from, at).trim());
      from = at + 1;
    }
    if (char === ')') depth--;
  }
  return [type.slice(0, open), args.filter((arg) => arg !== '')];
}

/** Reads what precedes the values, and returns how the values are read. */
function columnOf(source: Source, type: string): Values {
  const [name, args] = parse(type);
  const [first = '', second = ''] = args;
  const each = (read: () => unknown): Values => (rows) => Array.from({ length: rows }, read);
  const integer = /^(U?)Int(\d+)$/.exec(name);
  if (integer !== null) {
    const bytes = Number(integer[2]) / 8;
    const read = integer[1] === 'U' ? source.uint : source.int;
    return each(() => (bytes < 8 ? Number(read(bytes)) : String(read(bytes))));
  }
  if (name.startsWith('Interval')) return each(() => String(source.int(8)));
  switch (name) {
    case 'String':
      return each(source.string);
    case 'FixedString':
      return each(() => source.take(Number(first)).toString());
    case 'Bool':
      return each(() => source.uint(1) === 1n);
    case 'Nothing':
      return each(() => void source.take(1));
    case 'Float32':
      return each(() => source.take(4).readFloatLE());
    case 'Float64':
      return each(() => source.take(8).readDoubleLE());
    case 'Decimal': {
      const bytes = [4, 8, 16, 32][[9, 18, 38, 76].findIndex((digits) => Number(first) <= digits)] ?? 0;
      return each(() => Number(source.int(bytes)) / 10 ** Number(second));
    }
    case 'Date':
      return each(() => new Date(Number(source.uint(2)) * 86_400_000).toISOString().slice(0, 10));
    case 'Date32':
      return each(() => new Date(Number(source.int(4)) * 86_400_000).toISOString().slice(0, 10));
    case 'DateTime':
      return each(() => timeIn(Number(source.uint(4)) * 1000, first));
    case 'DateTime64':
      return each(() => {
        const [ticks, scale] = [source.int(8), Number(first)];
        const fraction = String(ticks % 10n ** BigInt(scale)).padStart(scale, '0');
        return `${timeIn(Number(ticks / 10n ** BigInt(scale)) * 1000, second)}${scale === 0 ? '' : `.${fraction}`}`;
      });
    case 'Enum8':
    case 'Enum16': {
      const names = new Map(args.map((arg) => [arg.split(' = ')[1], arg.split(' = ')[0]?.slice(1, -1)]));
      return each(() => names.get(String(source.int(name === 'Enum8' ? 1 : 2))));
    }
    case 'UUID':
      return each(() => {
        const halves = [source.take(8), source.take(8)].map((half) =>
          Buffer.from([...half].toReversed()).toString('hex'),
        );
        return halves.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
      });
    case 'IPv4':
      return each(() => [...source.take(4)].toReversed().join('.'));
    case 'IPv6':
      return each(() => source.take(16).toString('hex').match(/.{4}/g)?.map((part) => part.replace(/^0+(?=.)/, '')).join(':'));
    case 'Nullable': {
      const inner = columnOf(source, first);
      return (rows) => {
        const nulls = [...source.take(rows)];
        return inner(rows).map((value, row) => (nulls[row] === 1 ? null : value));
      };
    }
    case 'Array':
      return arrays(source, columnOf(source, first));
    case 'Map': {
      const pairs = arrays(source, tuple([columnOf(source, first), columnOf(source, second)]));
      return (rows) => pairs(rows).map((value) => Object.fromEntries(value as [string, unknown][]));
    }
    case 'Point':
      return columnOf(source, 'Tuple(Float64, Float64)');
    case 'Polygon':
      return columnOf(source, 'Array(Array(Point))');
    case 'Nested':
      return columnOf(source, `Array(Tuple(${args.join(', ')}))`);
    case 'SimpleAggregateFunction':
      return columnOf(source, args.at(-1) ?? '');
    case 'BFloat16':
      return each(() => Buffer.concat([Buffer.alloc(2), source.take(2)]).readFloatLE());
    case 'Time':
      return each(() => Number(source.int(4)));
    case 'Tuple': {
      if (args.length === 0) return each(() => (source.take(1), []));
      const named = args.map((arg) => /^(\w+) (.+)$/s.exec(arg));
      const elements = tuple(args.map((arg, at) => columnOf(source, named[at]?.[2] ?? arg)));
      if (named.includes(null)) return elements;
      return (rows) =>
        elements(rows).map((row) => Object.fromEntries((row as unknown[]).map((value, at) => [named[at]?.[1], value])));
    }
    case 'LowCardinality':
      return lowCardinality(source, first);
    case 'Variant':
      return variant(source, args);
    case 'Dynamic':
      return dynamic(source);
    case 'JSON':
      throw new Error(`Unrecognized json structure version: ${source.uint(8)}`); // as clickhouse-connect
    default:
      throw new Error(`unknown type ${type}`);
  }
} // prettier-ignore

function arrays(source: Source, elements: Values): Values {
  return (rows) => {
    const offsets = Array.from({ length: rows }, () => Number(source.uint(8)));
    const all = elements(offsets.at(-1) ?? 0);
    return offsets.map((offset, row) => all.slice(offsets[row - 1] ?? 0, offset));
  };
}

function tuple(elements: readonly Values[]): Values {
  return (rows) => {
    const columns = elements.map((values) => values(rows));
    return Array.from({ length: rows }, (_, row) => columns.map((column) => column[row]));
  };
}

function lowCardinality(source: Source, type: string): Values {
  if (source.uint(8) !== 1n) throw new Error('unknown version of LowCardinality');
  const isNullable = type.startsWith('Nullable(');
  const keys = columnOf(source, isNullable ? type.slice(9, -1) : type);
  return (rows) => {
    if (rows === 0) return [];
    const width = 2 ** Number(source.uint(8) & 0xffn);
    const dictionary = keys(Number(source.uint(8)));
    if (Number(source.uint(8)) !== rows) throw new Error('another number of rows');
    return Array.from({ length: rows }, () => {
      const index = Number(source.uint(width));
      if (index >= dictionary.length) throw new Error('no such key');
      return isNullable && index === 0 ? null : dictionary[index];
    });
  };
}

/** Types in the order of their names, as clients sort them. */
function variant(source: Source, types: readonly string[]): Values {
  const ordered = types.toSorted((a, b) => (a < b ? -1 : 1));
  if (new Set(ordered).size < ordered.length) throw new Error('a type is there twice');
  if (source.uint(8) !== 0n) throw new Error('unknown mode of discriminators');
  const columns = ordered.map((type) => columnOf(source, type === 'SharedVariant' ? 'String' : type));
  return (rows) => {
    const indexes = [...source.take(rows)];
    const values = columns.map((column, at) => {
      const count = indexes.filter((index) => index === at).length;
      return count === 0 ? [] : column(count);
    });
    return indexes.map((index) => (index === 255 ? null : values[index]?.shift()));
  };
}

function dynamic(source: Source): Values {
  const version = source.uint(8);
  if (version === 1n) source.varint();
  else if (version !== 2n) throw new Error('unknown version of Dynamic');
  const types = Array.from({ length: source.varint() }, source.string);
  return variant(source, [...types, 'SharedVariant']);
}

/** `2024-01-01 00:00:00` in a zone, which the type has in quotes. */
function timeIn(milliseconds: number, zone: string): string {
  const timeZone = zone === '' ? 'UTC' : zone.slice(1, -1);
  return new Date(milliseconds).toLocaleString('sv-SE', { timeZone });
}
