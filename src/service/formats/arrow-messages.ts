// Reads the kinds of the messages of an Arrow stream or file.
// https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format, Message.fbs and https://flatbuffers.dev/internals/

/** At the start of a file; its messages follow as in a stream. */
const MAGIC = Buffer.from('ARROW1\0\0', 'latin1');
const CONTINUATION = 0xffff_ffff;
/** In a Message: indexes of its fields, and the kind of a dictionary in the first. */
const HEADER_TYPE = 1;
const BODY_LENGTH = 3;
const DICTIONARY = 2;

/** Returns whether there are dictionaries; also true if that cannot be read. */
export function mayHaveDictionaries(bytes: Uint8Array): boolean {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = all.subarray(0, MAGIC.length).equals(MAGIC) ? MAGIC.length : 0;
  try {
    while (at < all.length) {
      if (all.readUInt32LE(at) !== CONTINUATION) return true;
      const size = all.readInt32LE(at + 4);
      if (size === 0) return false; // the end, before the footer of a file
      const message = all.subarray(at + 8, at + 8 + size);
      if (fieldOf(message, HEADER_TYPE, (from) => message.readUInt8(from)) === DICTIONARY) return true;
      const body = fieldOf(message, BODY_LENGTH, (from) => Number(message.readBigInt64LE(from)));
      if (size < 0 || body < 0) return true;
      at += 8 + size + body;
    }
    return false;
  } catch {
    return true; // an offset outside of the message
  }
}

/** A number of the root table; 0, its default, if it is absent. */
function fieldOf(message: Buffer, index: number, read: (from: number) => number): number {
  const table = message.readUInt32LE(0);
  const fields = table - message.readInt32LE(table);
  const entry = 4 + 2 * index;
  const offset = entry < message.readUInt16LE(fields) ? message.readUInt16LE(fields + entry) : 0;
  return offset === 0 ? 0 : read(table + offset);
}
