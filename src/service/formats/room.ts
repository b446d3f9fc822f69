// Results with unused memory of their own before and after them, so that an envelope is written around them without copying
// them: memory outside V8's heap, allocated for each response, makes V8 collect the whole heap.

/** Bytes before the result, and as many after it. */
const ROOM = 32;

const memories = new WeakSet<ArrayBufferLike>();

/** Uninitialized memory for a result of `length` bytes. */
export function allocateWithRoom(length: number): Buffer {
  const memory = Buffer.allocUnsafeSlow(ROOM + length + ROOM);
  memories.add(memory.buffer);
  return memory.subarray(ROOM, ROOM + length);
}

/** Results from a thread that allocated them with room have that room here too. */
export function markRoom(bytes: Uint8Array): Uint8Array {
  memories.add(bytes.buffer);
  return bytes;
}

/**
 * The bytes of a result together with memory around them; what followed a part of a result is overwritten. Undefined if the result was not
 * allocated here, or has less room.
 */
export function withRoom(bytes: Uint8Array, before: number, after: number): Buffer | undefined {
  const { buffer, byteOffset, length } = bytes;
  const start = byteOffset - before;
  if (!memories.has(buffer) || start < 0 || byteOffset + length + after > buffer.byteLength) return undefined;
  return Buffer.from(buffer, start, before + length + after);
}
