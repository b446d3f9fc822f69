// Reads the header of RowBinaryWithNamesAndTypes: https://clickhouse.com/docs/interfaces/formats/RowBinaryWithNamesAndTypes

export interface RowBinary {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The rows, without the header. */
  readonly rows: Buffer;
}

/** The columns and rows of a result that the engine wrote. Throws RangeError if it is cut short. */
export function readRowBinary(bytes: Uint8Array): RowBinary {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  const readNumber = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = buffer.readUInt8(at++);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  const readStrings = (count: number): readonly string[] =>
    Array.from({ length: count }, () => {
      const length = readNumber();
      if (at + length > buffer.length) throw new RangeError('the header is incomplete');
      at += length;
      return buffer.toString('utf8', at - length, at);
    });
  const count = readNumber();
  if (count > buffer.length) throw new RangeError('the header is incomplete');
  const names = readStrings(count);
  const types = readStrings(count);
  const columns = names.map((name, index) => ({ name, type: types[index] ?? '' }));
  return { columns, rows: buffer.subarray(at) };
}
