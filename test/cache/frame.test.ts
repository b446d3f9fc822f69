// The framing of entries: what was written is read again, and nothing else is.
import { brotliCompressSync, crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sealEntry, type Entry } from '../../src/cache/entry.ts';
import { decodeFrame, encodeFrame, type FrameLimits } from '../../src/cache/frame.ts';
import { entryOf } from './fixture.ts';

const LIMITS: FrameLimits = { compressOver: 1000, maxBody: 1_000_000 };
const KEY = 'a.b@0123/key';

const entries: fc.Arbitrary<Entry> = fc
  .record({
    body: fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc.nat(5000).map((length) => Buffer.alloc(length, 'row ')),
    ),
    contentType: fc.string({ unit: 'binary', maxLength: 50 }),
    rows: fc.nat(),
    truncated: fc.boolean(),
    epoch: fc.nat(2 ** 43),
    keepMs: fc.nat(2 ** 40),
  })
  .map(({ body, contentType, rows, truncated, epoch, keepMs }) =>
    sealEntry({ body: Buffer.from(body), contentType, rows, truncated }, { epoch, monotonic: 0 }, keepMs),
  );

const RUNS = { seed: 11, numRuns: 200 };

describe('a frame', () => {
  test('gives back what was put in', async () => {
    const keys = fc.string({ unit: 'binary', maxLength: 200 });
    const property = fc.asyncProperty(entries, keys, async (entry, key) => {
      const { body, contentType, rows, truncated, etag, keepMs, born } = entry;
      expect(await decodeFrame(key, await encodeFrame(key, entry, LIMITS), LIMITS)).toEqual({
        kind: 'frame',
        payload: { body, contentType, rows, truncated },
        etag,
        bornEpoch: born.epoch,
        keepMs,
      });
    });
    await fc.assert(property, RUNS);
  });

  test('with any bit flipped is rubbish', async () => {
    const property = fc.asyncProperty(entries, fc.nat(), fc.nat(7), async (entry, place, bit) => {
      const bytes = await encodeFrame(KEY, entry, LIMITS);
      const at = place % bytes.length;
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
      expect(await decodeFrame(KEY, bytes, LIMITS)).toMatchObject({ kind: 'rubbish' });
    });
    await fc.assert(property, RUNS);
  });

  test('cut or grown is rubbish', async () => {
    const tails = fc.uint8Array({ minLength: 1, maxLength: 9 });
    const property = fc.asyncProperty(entries, fc.nat(), tails, async (entry, end, tail) => {
      const bytes = await encodeFrame(KEY, entry, LIMITS);
      const cut = bytes.subarray(0, end % bytes.length);
      expect(await decodeFrame(KEY, cut, LIMITS)).toMatchObject({ kind: 'rubbish' });
      expect(await decodeFrame(KEY, Buffer.concat([bytes, tail]), LIMITS)).toMatchObject({ kind: 'rubbish' });
    });
    await fc.assert(property, RUNS);
  });

  test('is not found in bytes of any other kind', async () => {
    const property = fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      expect(await decodeFrame(KEY, Buffer.from(bytes), LIMITS)).toMatchObject({ kind: 'rubbish' });
    });
    await fc.assert(property, RUNS);
  });
});

/** A frame with one field changed and its checksum made right again. */
async function forge(change: (bytes: Buffer) => Buffer | void, size = 0): Promise<Buffer> {
  const bytes = await encodeFrame(KEY, entryOf('answer', { size }), LIMITS);
  const forged = change(bytes) ?? bytes;
  forged.writeUInt32LE(crc32(forged.subarray(8)), 4);
  return forged;
}

describe('a frame that is whole but wrong', () => {
  test.each([
    { why: 'of another version', change: (bytes: Buffer) => void bytes.writeUInt8(9, 8) },
    { why: 'of a body larger than any', change: (bytes: Buffer) => void bytes.writeUInt32LE(0xffffffff, 20) },
    { why: 'of a body shorter than it says', change: (bytes: Buffer) => void bytes.writeUInt32LE(7, 20) },
    { why: 'of lengths beyond its end', change: (bytes: Buffer) => void bytes.writeUInt16LE(0xffff, 10) },
    { why: 'said to be compressed', change: (bytes: Buffer) => void bytes.writeUInt8(2, 9) },
    {
      why: 'that would unfold to much more than it says',
      size: 2000,
      change: (bytes: Buffer) =>
        Buffer.concat([
          bytes.subarray(0, bytes.indexOf(KEY) + KEY.length),
          brotliCompressSync(Buffer.alloc(5_000_000)),
        ]),
    },
  ])('is rubbish: $why', async ({ change, size }) => {
    expect(await decodeFrame(KEY, await forge(change, size), LIMITS)).toMatchObject({ kind: 'rubbish' });
  });

  test('is rubbish: of another key', async () => {
    const bytes = await encodeFrame('a.b@0123/other', entryOf('answer'), LIMITS);
    expect(await decodeFrame(KEY, bytes, LIMITS)).toMatchObject({ kind: 'rubbish', reason: /another key/ });
  });
});

test('bodies are compressed above the size, and only when that makes them smaller', async () => {
  const rows = entryOf('x', { size: 100_000 });
  expect((await encodeFrame(KEY, rows, LIMITS)).length).toBeLessThan(1000);
  expect((await encodeFrame(KEY, rows, { ...LIMITS, compressOver: 100_000 })).length).toBeGreaterThan(
    100_000,
  );
});
