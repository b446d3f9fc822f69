// Zstandard (RFC 8878): native where Node has it, otherwise WebAssembly.
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { compress as compressInWasm, decompress as decompressInWasm, init } from '@bokuweb/zstd-wasm';

const NATIVE: unknown = Reflect.get(zlib, 'zstdCompress'); // since Node 22.15
/** WebAssembly compresses on the event loop: 640 KB took 1 ms. */
const MAX_WASM_BYTES = 4 * 2 ** 20;

/** The WebAssembly module is shared by the process: initialising it again would replace its memory under a running call. */
const loading: { done?: Promise<void> } = {};

/** Resolves when the other functions may be called. */
export function loadZstd(): Promise<void> {
  return (loading.done ??= init());
}

/** Returns whether a body of this size can be compressed without blocking other requests. */
export function canCompressZstd(bytes: number): boolean {
  return NATIVE !== undefined || bytes <= MAX_WASM_BYTES;
}

type Compress = (body: Buffer, done: (error: Error | null, result: Buffer) => void) => void;

export async function compressZstd(body: Buffer, level: number): Promise<Buffer> {
  if (NATIVE !== undefined) return promisify(NATIVE as Compress)(body); // the signature that Node documents
  return Buffer.from(compressInWasm(body, level));
}

/** Decompresses to at most `limit` bytes; undefined if the input is malformed; 'too large' if it has or claims more. */
export function decompressZstd(input: Buffer, limit: number): Buffer | 'too large' | undefined {
  // Checked here: the library allocates what the frame claims, and writes to address 0 if that fails.
  const claimed = contentSize(input);
  if (claimed === undefined) return undefined;
  if (claimed !== 'unknown' && claimed > limit) return 'too large';
  try {
    return Buffer.from(decompressInWasm(input, { defaultHeapSize: limit }));
  } catch (cause) {
    return String(cause).includes(TOO_SMALL) ? 'too large' : undefined;
  }
}

/** The library's code for a destination that is too small: -70 (ZSTD_error_dstSize_tooSmall). */
const TOO_SMALL = 'code -70';
const MAGIC = 0xfd2fb528;

/** What the first frame claims (RFC 8878, 3.1.1.1); undefined if the input does not begin with a frame. */
function contentSize(input: Buffer): number | 'unknown' | undefined {
  if (input.length < 6 || input.readUInt32LE(0) !== MAGIC) return undefined;
  const descriptor = input.readUInt8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const kind = descriptor >> 6;
  const size = kind === 0 ? (isSingleSegment ? 1 : 0) : 2 ** kind;
  if (size === 0) return 'unknown';
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionary;
  if (input.length < at + size) return undefined;
  if (size === 8) return Number(input.readBigUInt64LE(at));
  return input.readUIntLE(at, size) + (size === 2 ? 256 : 0);
}
