// ClickHouse's compressed blocks, which clients send with `decompress=1` and receive with `compress=1`: a checksum of 16
// bytes, the method, the size with these nine bytes, the size before compression, the data.
import { setImmediate } from 'node:timers/promises';
import { Problem } from '../../../sql/base/problem.ts';
import { cityHash128 } from './cityhash.ts';
import { compressLz4, decompressLz4 } from './lz4.ts';
import { decompressZstd } from '../../http/zstd.ts';

const CHECKSUM = 16;
const HEAD = 9;
const METHODS = { none: 0x02, lz4: 0x82, zstd: 0x90 } as const;
/** Bytes. The event loop is free between blocks; a server's are larger, and clients accept any size. */
const BLOCK = 256 * 1024;
/** Received blocks, which may be tiny, between pauses. */
const SLICE = 500;

/** Compresses with LZ4, the method that every client reads. */
export async function compressBlocks(body: Buffer): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for (let at = 0; at < body.length; at += BLOCK) {
    if (at > 0) await setImmediate();
    blocks.push(...compressBlock(body.subarray(at, at + BLOCK)));
  }
  return Buffer.concat(blocks);
}

function compressBlock(data: Buffer): readonly Buffer[] {
  const compressed = compressLz4(data);
  const block = Buffer.allocUnsafe(HEAD + compressed.length);
  block.writeUInt8(METHODS.lz4, 0);
  block.writeUInt32LE(block.length, 1);
  block.writeUInt32LE(data.length, 5);
  block.set(compressed, HEAD);
  return [checksumOf(block), block];
}

function checksumOf(block: Buffer): Buffer {
  const [low, high] = cityHash128(block);
  const checksum = Buffer.allocUnsafe(CHECKSUM);
  checksum.writeBigUInt64LE(low, 0);
  checksum.writeBigUInt64LE(high, 8);
  return checksum;
}

/**
 * Decompresses blocks to at most `limit` bytes. Throws Problem `request.encoding_invalid`, or `request.body_too_large`
 * before anything of that size is allocated.
 */
export async function decompressBlocks(body: Buffer, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let total = 0;
  for (let at = 0; at < body.length;) {
    if (parts.length % SLICE === SLICE - 1) await setImmediate();
    if (body.length - at < CHECKSUM + HEAD) throw invalid('the last block is incomplete', parts.length);
    const start = at + CHECKSUM;
    const length = body.readUInt32LE(start + 1);
    const size = body.readUInt32LE(start + 5);
    if (length < HEAD || length > body.length - start)
      throw invalid(`its size is ${length} bytes, but ${body.length - start} follow`, parts.length);
    total += size;
    if (total > limit) throw new Problem('request.body_too_large');
    const block = body.subarray(start, start + length);
    if (!checksumOf(block).equals(body.subarray(at, start)))
      throw invalid('its checksum does not match', parts.length);
    const data = decompress(block, size);
    if (data?.length !== size) throw invalid('its data cannot be decompressed', parts.length);
    parts.push(data);
    at = start + length;
  }
  return Buffer.concat(parts);
}

function decompress(block: Buffer, size: number): Buffer | undefined {
  const data = block.subarray(HEAD);
  switch (block.readUInt8(0)) {
    case METHODS.none:
      return data;
    case METHODS.lz4:
      return decompressLz4(data, size);
    case METHODS.zstd:
      return bufferOf(decompressZstd(data, size));
    default:
      return undefined;
  }
}

function bufferOf(data: ReturnType<typeof decompressZstd>): Buffer | undefined {
  return data === 'too large' ? undefined : data;
}

function invalid(reason: string, index: number): Problem {
  return new Problem('request.encoding_invalid', { detail: `Compressed block ${index + 1}: ${reason}` });
}
