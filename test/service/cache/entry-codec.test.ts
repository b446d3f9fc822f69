// The entry codec: encoded entries decode to the same value, and everything else is rejected.
import { createHmac, createSecretKey } from 'node:crypto';
import { brotliCompressSync, crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sealEntry, type Entry } from '../../../src/service/cache/entry.ts';
import {
  decodeEntry,
  encodeEntry,
  type CodecLimits,
  type FrameTrust,
} from '../../../src/service/cache/entry-codec.ts';
import { entryOf, TRUST } from './fixture.ts';
import { anyCharacter } from '../../support/any-character.ts';

const LIMITS: FrameTrust & CodecLimits = { ...TRUST, compressOver: 1000, maxBody: 1_000_000 };
const KEY = 'a.b@0123/key';

const entries: fc.Arbitrary<Entry> = fc
  .record({
    body: fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc.nat(5000).map((length) => Buffer.alloc(length, 'row ')),
    ),
    contentType: fc.constantFrom(...TRUST.contentTypes),
    rows: fc.nat(),
    truncated: fc.boolean(),
    epoch: fc.nat(2 ** 43),
    keepMs: fc.integer({ min: 1, max: 2 ** 40 }),
    fingerprint: fc.constantFrom('', 'a-B_9', 'f'.repeat(43)),
    optional: fc.constantFrom(
      {},
      { next: 'a-B_9' },
      { cost: { rowsRead: 7, bytesRead: 2 ** 40, engineMs: 1.5 } },
      { next: 'c', cost: { rowsRead: undefined, bytesRead: undefined, engineMs: 0 } },
    ),
  })
  .map(({ epoch, keepMs, fingerprint, optional, ...payload }) => {
    const body = Buffer.from(payload.body);
    return sealEntry({ ...payload, ...optional, body }, { epoch, monotonic: 0 }, keepMs, fingerprint);
  });

const RUNS = { seed: 11, numRuns: 200 };

describe('an encoded entry', () => {
  test('decodes to the same entry', async () => {
    const keys = fc.string({ unit: anyCharacter, maxLength: 200 });
    const property = fc.asyncProperty(entries, keys, async (entry, key) => {
      const { etag, keepMs, born, fingerprint, ...payload } = entry;
      expect(await decodeEntry(key, await encodeEntry(key, entry, LIMITS), LIMITS)).toEqual({
        kind: 'frame',
        payload,
        etag,
        bornEpoch: born.epoch,
        keepMs,
        fingerprint,
      });
    });
    await fc.assert(property, RUNS);
  });

  test('with any bit flipped is corrupt', async () => {
    const property = fc.asyncProperty(entries, fc.nat(), fc.nat(7), async (entry, place, bit) => {
      const bytes = await encodeEntry(KEY, entry, LIMITS);
      const at = place % bytes.length;
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
      expect(await decodeEntry(KEY, bytes, LIMITS)).toMatchObject({ kind: 'corrupt' });
    });
    await fc.assert(property, RUNS);
  });

  test('truncated or extended is corrupt', async () => {
    const tails = fc.uint8Array({ minLength: 1, maxLength: 9 });
    const property = fc.asyncProperty(entries, fc.nat(), tails, async (entry, end, tail) => {
      const bytes = await encodeEntry(KEY, entry, LIMITS);
      const cut = bytes.subarray(0, end % bytes.length);
      expect(await decodeEntry(KEY, cut, LIMITS)).toMatchObject({ kind: 'corrupt' });
      expect(await decodeEntry(KEY, Buffer.concat([bytes, tail]), LIMITS)).toMatchObject({ kind: 'corrupt' });
    });
    await fc.assert(property, RUNS);
  });

  test('is not recognised in arbitrary bytes', async () => {
    const property = fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      expect(await decodeEntry(KEY, Buffer.from(bytes), LIMITS)).toMatchObject({ kind: 'corrupt' });
    });
    await fc.assert(property, RUNS);
  });
});

/** A frame with something changed and authenticated again, as by an attacker with the key. */
async function forge(change: (bytes: Buffer) => Buffer | void, size = 0): Promise<Buffer> {
  const bytes = await encodeEntry(KEY, entryOf('answer', { size }), LIMITS);
  const forged = change(bytes) ?? bytes;
  createHmac('sha256', TRUST.secret).update(forged.subarray(36)).digest().copy(forged, 4);
  return forged;
}

const LENGTH_AT = { type: 38, tag: 40, fingerprint: 42 };

/** The frame with another text in the place of its content type, tag or fingerprint, and its length made right. */
function withText(bytes: Buffer, which: keyof typeof LENGTH_AT, text: string): Buffer {
  const [type, tag] = [bytes.readUInt16LE(LENGTH_AT.type), bytes.readUInt16LE(LENGTH_AT.tag)];
  const start = 70 + { type: 0, tag: type, fingerprint: type + tag }[which];
  const end = start + bytes.readUInt16LE(LENGTH_AT[which]);
  const changed = Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(end)]);
  changed.writeUInt16LE(Buffer.byteLength(text), LENGTH_AT[which]);
  return changed;
}

describe('an entry that is authentic but invalid', () => {
  test.each<{ why: string; change: (bytes: Buffer) => Buffer | void; size?: number }>([
    { why: 'of another version', change: (bytes) => void bytes.writeUInt8(9, 36) },
    { why: 'of a body over the maximum size', change: (bytes) => void bytes.writeUInt32LE(0xffffffff, 50) },
    { why: 'of a body shorter than declared', change: (bytes) => void bytes.writeUInt32LE(7, 50) },
    { why: 'with lengths beyond its end', change: (bytes) => void bytes.writeUInt16LE(0xffff, 38) },
    { why: 'declared as compressed', change: (bytes) => void bytes.writeUInt8(2, 37) },
    { why: 'of HTML', change: (bytes) => withText(bytes, 'type', 'text/html') },
    {
      why: 'of a content type that ends the field',
      change: (bytes) => withText(bytes, 'type', 'text/csv\r\nA: b'),
    },
    {
      why: 'of a content type with a control character',
      change: (bytes) => withText(bytes, 'type', 'text/csv\0'),
    },
    { why: 'of no content type', change: (bytes) => withText(bytes, 'type', '') },
    {
      why: 'of an ETag that ends the field',
      change: (bytes) => withText(bytes, 'tag', '"a"\r\nSet-Cookie: a=b'),
    },
    {
      why: 'of an ETag of the right length that ends the field',
      change: (bytes) => withText(bytes, 'tag', '"aaaaaaaaaa\r\naaaaaaaaaa"'),
    },
    {
      why: 'of an ETag with a character not allowed in fields',
      change: (bytes) => withText(bytes, 'tag', '"aaaaaaaaaaaaaaaaaaaaa€"'),
    },
    { why: 'of a weak ETag', change: (bytes) => withText(bytes, 'tag', 'W/"aaaaaaaaaaaaaaaaaaaaaa"') },
    {
      why: 'of an ETag and a line break',
      change: (bytes) => withText(bytes, 'tag', '"aaaaaaaaaaaaaaaaaaaaaa"\n'),
    },
    { why: 'of a fingerprint that is none', change: (bytes) => withText(bytes, 'fingerprint', 'a b') },
    { why: 'with an invalid creation time', change: (bytes) => void bytes.writeDoubleLE(NaN, 54) },
    { why: 'created at the end of time', change: (bytes) => void bytes.writeDoubleLE(Infinity, 54) },
    { why: 'with an invalid lifetime', change: (bytes) => void bytes.writeDoubleLE(NaN, 62) },
    { why: 'with an infinite lifetime', change: (bytes) => void bytes.writeDoubleLE(Infinity, 62) },
    { why: 'with a negative lifetime', change: (bytes) => void bytes.writeDoubleLE(-1, 62) },
    {
      why: 'that decompresses to much more than declared',
      size: 2000,
      change: (bytes) =>
        Buffer.concat([
          bytes.subarray(0, bytes.indexOf(KEY) + KEY.length),
          brotliCompressSync(Buffer.alloc(5_000_000)),
        ]),
    },
  ])('is corrupt: $why', async ({ change, size }) => {
    expect(await decodeEntry(KEY, await forge(change, size), LIMITS)).toMatchObject({ kind: 'corrupt' });
  });

  test('is corrupt: of another key', async () => {
    const bytes = await encodeEntry('a.b@0123/other', entryOf('answer'), LIMITS);
    expect(await decodeEntry(KEY, bytes, LIMITS)).toMatchObject({ kind: 'corrupt', reason: /another key/ });
  });
});

describe('an entry that is valid but not authentic', () => {
  const secret = createSecretKey(Buffer.alloc(32, 'x'));

  test('authenticated with another key is corrupt', async () => {
    const bytes = await encodeEntry(KEY, entryOf('answer'), { ...LIMITS, secret });
    expect(await decodeEntry(KEY, bytes, LIMITS)).toMatchObject({ kind: 'corrupt', reason: /HMAC/ });
  });

  test('with bytes changed and a checksum where version 1 had one is corrupt', async () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 20 });
    const property = fc.asyncProperty(entries, changes, async (entry, changes) => {
      const bytes = await encodeEntry(KEY, entry, LIMITS);
      const before = Buffer.from(bytes);
      for (const [place, byte] of changes) bytes.writeUInt8(byte, 8 + (place % (bytes.length - 8)));
      bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
      fc.pre(!bytes.equals(before));
      expect(await decodeEntry(KEY, bytes, LIMITS)).toMatchObject({ kind: 'corrupt' });
    });
    await fc.assert(property, RUNS);
  });

  test('over the maximum length is corrupt, before any hash is computed', async () => {
    const bytes = Buffer.alloc(2_000_000, 'MRC1');
    expect(await decodeEntry(KEY, bytes, LIMITS)).toMatchObject({ kind: 'corrupt', reason: /larger/ });
  });
});

test('bodies above the threshold are compressed, and only if that makes them smaller', async () => {
  const rows = entryOf('x', { size: 100_000 });
  expect((await encodeEntry(KEY, rows, LIMITS)).length).toBeLessThan(1000);
  expect((await encodeEntry(KEY, rows, { ...LIMITS, compressOver: 100_000 })).length).toBeGreaterThan(
    100_000,
  );
});
