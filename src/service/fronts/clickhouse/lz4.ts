// The LZ4 block format (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md). Packages for it are native
// programs, or allocate what the input claims; this is small, and bounded by its caller.

const MIN_MATCH = 4;
/** The last bytes of a block are literals, and no match starts shortly before them. */
const LAST_LITERALS = 5;
const MATCH_LIMIT = 12;
const MAX_DISTANCE = 65_535;
/** Of the hash table: enough for the distance of matches, and small for small inputs. */
const MAX_HASH_BITS = 14;
const MIN_HASH_BITS = 6;
/** After this many bytes without a match, positions are skipped: incompressible input is fast. */
const SKIP_SHIFT = 6;

/** Compresses at most 2 GiB; worst case: the input, 1/255 of it and 16 bytes. */
export function compressLz4(input: Buffer): Buffer {
  const output = Buffer.allocUnsafe(input.length + Math.ceil(input.length / 255) + 16);
  const bits = Math.min(MAX_HASH_BITS, Math.max(MIN_HASH_BITS, Math.ceil(Math.log2(input.length + 1))));
  const table = new Int32Array(2 ** bits); // position + 1; 0: none
  const lastMatch = input.length - MATCH_LIMIT;
  let written = 0;
  let anchor = 0;
  for (let at = 0; at <= lastMatch;) {
    const value = input.readUInt32LE(at);
    const slot = Math.imul(value, 0x9e3779b1) >>> (32 - bits);
    const candidate = (table[slot] ?? 0) - 1;
    table[slot] = at + 1;
    if (candidate < 0 || at - candidate > MAX_DISTANCE || input.readUInt32LE(candidate) !== value) {
      at += 1 + ((at - anchor) >> SKIP_SHIFT);
      continue;
    }
    const length = matchLength(input, candidate, at);
    written = writeSequence(output, written, input.subarray(anchor, at), length);
    written = output.writeUInt16LE(at - candidate, written);
    written = writeLength(output, written, length - MIN_MATCH);
    at += length;
    anchor = at;
  }
  written = writeSequence(output, written, input.subarray(anchor), MIN_MATCH);
  return output.subarray(0, written);
}

function matchLength(input: Buffer, candidate: number, at: number): number {
  const limit = input.length - LAST_LITERALS;
  let length = MIN_MATCH;
  while (at + length < limit && input[candidate + length] === input[at + length]) length++;
  return length;
}

/** Writes the token and the literals. */
function writeSequence(output: Buffer, at: number, literals: Buffer, match: number): number {
  const token = (Math.min(literals.length, 15) << 4) | Math.min(match - MIN_MATCH, 15);
  const start = writeLength(output, output.writeUInt8(token, at), literals.length);
  output.set(literals, start);
  return start + literals.length;
}

/** Writes what of a length does not fit into the token. */
function writeLength(output: Buffer, at: number, length: number): number {
  if (length < 15) return at;
  let end = at;
  let rest = length - 15;
  for (; rest >= 255; rest -= 255) output[end++] = 255;
  output[end++] = rest;
  return end;
}

/** Decompresses a block of exactly `size` bytes; undefined if the input is malformed. Allocates no more than `size`. */
export function decompressLz4(input: Buffer, size: number): Buffer | undefined {
  const output = Buffer.alloc(size);
  let read = 0;
  let written = 0;
  const lengthOf = (nibble: number): number => {
    let length = nibble;
    if (nibble < 15) return length;
    let byte: number;
    do {
      byte = input[read++] ?? 0; // past the end: the bounds below reject it
      length += byte;
    } while (byte === 255);
    return length;
  };
  while (read < input.length) {
    const token = input[read++] ?? 0;
    const literals = lengthOf(token >> 4);
    if (literals > input.length - read || literals > size - written) return undefined;
    output.set(input.subarray(read, read + literals), written);
    read += literals;
    written += literals;
    if (read === input.length) return written === size ? output : undefined;
    if (input.length - read < 2) return undefined;
    const distance = input.readUInt16LE(read);
    read += 2;
    const length = lengthOf(token & 15) + MIN_MATCH;
    if (distance === 0 || distance > written || length > size - written) return undefined;
    copyMatch(output, written, distance, length);
    written += length;
  }
  return undefined; // a block ends with literals
}

/** The match may overlap with what it writes: then it repeats. */
function copyMatch(output: Buffer, at: number, distance: number, length: number): void {
  if (distance >= length) output.copyWithin(at, at - distance, at - distance + length);
  else for (let index = at; index < at + length; index++) output[index] = output[index - distance] ?? 0;
}
