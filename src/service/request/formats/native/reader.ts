// Reads the parts of a body in the format Native.

export interface Reader {
  readonly at: () => number;
  readonly isAtEnd: () => boolean;
  /** Throws RangeError beyond the end. */
  readonly bytes: (count: number) => Buffer;
  /** A number of variable length. */
  readonly number: () => number;
  readonly text: () => string;
  /** Of 64 bits. */
  readonly word: () => number;
  /** From a position to the current one. */
  readonly since: (start: number) => Buffer;
}

export function createReader(buffer: Buffer): Reader {
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
    isAtEnd: () => position >= buffer.length,
    bytes,
    number,
    text: () => bytes(number()).toString(),
    word: () => Number(bytes(8).readBigUInt64LE()),
    since: (start) => buffer.subarray(start, position),
  };
}

/** A number of variable length, as the reader reads it. */
export function numberBytes(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** A text with its length before it. */
export function textBytes(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([numberBytes(bytes.length), bytes]);
}
