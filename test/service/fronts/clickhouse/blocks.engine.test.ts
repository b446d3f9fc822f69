// ClickHouse's compressed blocks against the engine's own: each reads what the other has written.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Session } from 'chdb';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Problem } from '../../../../src/sql/base/problem.ts';
import { compressBlocks, decompressBlocks } from '../../../../src/service/fronts/clickhouse/blocks.ts';
import { cityHash128 } from '../../../../src/service/fronts/clickhouse/cityhash.ts';
import { compressLz4, decompressLz4 } from '../../../../src/service/fronts/clickhouse/lz4.ts';
import { loadZstd } from '../../../../src/service/http/zstd.ts';
import { countTurns } from '../../../support/loop-turns.ts';

const LIMIT = 4 * 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), 'millrace-blocks-'));
let session: Session;

beforeAll(async () => {
  await loadZstd();
  session = new Session(folder);
  session.query('CREATE DATABASE blocks');
});
afterAll(() => {
  session.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Words that repeat at many distances, and bytes that do not. */
const words = fc.array(
  fc.oneof(
    fc.constantFrom('GET /api/orders ', 'level=info ', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'x', '\n', 'é'),
    fc.string({ maxLength: 40 }),
  ),
  { maxLength: 400 },
);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 5000 }).map((array) => Buffer.from(array)),
  words.map((parts) => Buffer.from(parts.join(''))),
);

/** The only column of the only table, as the engine reads it. */
async function columnBytes(): Promise<Buffer> {
  const result = await session.queryAsync('SELECT s FROM blocks.t', { format: 'RowBinary' });
  return Buffer.from(result.bytes());
}

/** The folder with the column's file, which consists of compressed blocks. */
function columnFolder(): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const file = files.find((each) => each.startsWith('store') && each.endsWith('s.bin'));
  if (file === undefined) throw new Error('the table has no file');
  return join(folder, dirname(file));
}

describe('the engine', () => {
  afterEach(() => void session.query('DROP TABLE IF EXISTS blocks.t SYNC'));

  test.each(['NONE', 'LZ4', 'LZ4HC(9)', 'ZSTD(1)'])('writes blocks with %s that are read', async (codec) => {
    session.query(`CREATE TABLE blocks.t (s FixedString(1) CODEC(${codec})) ENGINE = TinyLog`);
    session.query(
      `INSERT INTO blocks.t SELECT substring('text ' || toString(cityHash64(intDiv(number, 50))), 1 + number % 12, 1) FROM numbers(100000)`,
    );
    const written = readFileSync(join(columnFolder(), 's.bin'));
    expect((await decompressBlocks(written, LIMIT)).equals(await columnBytes())).toBe(true);
  });

  test('writes blocks of every short length', async () => {
    session.query('CREATE TABLE blocks.t (s FixedString(1) CODEC(NONE)) ENGINE = TinyLog');
    for (const length of [
      1, 2, 3, 5, 7, 8, 9, 22, 23, 24, 39, 40, 41, 118, 119, 120, 133, 134, 135, 150, 250, 263,
    ])
      session.query(`INSERT INTO blocks.t SELECT char(65 + number * ${length} % 26) FROM numbers(${length})`);
    const written = readFileSync(join(columnFolder(), 's.bin'));
    expect((await decompressBlocks(written, LIMIT)).equals(await columnBytes())).toBe(true);
  });

  test('reads the blocks that are written', async () => {
    session.query('CREATE TABLE blocks.t (s FixedString(1)) ENGINE = TinyLog');
    session.query(`INSERT INTO blocks.t VALUES ('a')`);
    session.query('DETACH TABLE blocks.t');
    const rows = Array.from({ length: 60_000 }, (_, n) => `row ${n * 7919}, ${Math.sin(n)}`.slice(n % 9));
    const data = Buffer.from(rows.join(';'));
    const blocks = await compressBlocks(data);
    const sizes = join(columnFolder(), 'sizes.json');
    writeFileSync(join(columnFolder(), 's.bin'), blocks);
    writeFileSync(sizes, readFileSync(sizes, 'utf8').replace(/"size":"\d+"/, `"size":"${blocks.length}"`));
    session.query('ATTACH TABLE blocks.t');
    expect((await columnBytes()).equals(data)).toBe(true);
    expect(blocks.length).toBeLessThan(data.length);
  });
});

describe('LZ4', () => {
  test('every block that is compressed is decompressed', () => {
    fc.assert(
      fc.property(bytes, (data) => {
        const compressed = compressLz4(data);
        expect(decompressLz4(compressed, data.length)?.equals(data)).toBe(true);
        expect(compressed.length).toBeLessThanOrEqual(data.length + Math.ceil(data.length / 255) + 16);
      }),
    );
  });

  test('malformed input gives nothing, or as many bytes as asked for', () => {
    const mutated = fc.tuple(bytes, fc.nat(), fc.nat(255), fc.nat(10_000));
    fc.assert(
      fc.property(mutated, ([data, at, value, size]) => {
        const compressed = compressLz4(data);
        if (compressed.length > 0) compressed[at % compressed.length] = value;
        for (const length of [data.length, size]) {
          const result = decompressLz4(compressed, length);
          expect(result === undefined || result.length === length).toBe(true);
        }
      }),
    );
  });
});

describe('blocks', () => {
  test('what is compressed is decompressed', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, async (data) => {
        expect((await decompressBlocks(await compressBlocks(data), LIMIT)).equals(data)).toBe(true);
      }),
    );
  });

  test('a changed byte is noticed', async () => {
    const blocks = await compressBlocks(Buffer.from('some text '.repeat(30)));
    for (let at = 0; at < blocks.length; at++) {
      const changed = Buffer.from(blocks);
      changed.writeUInt8(blocks.readUInt8(at) ^ 1, at);
      await expect(decompressBlocks(changed, LIMIT), `byte ${at}`).rejects.toThrow(Problem);
    }
  });

  const withChecksum = (block: Buffer): Buffer => {
    const [low, high] = cityHash128(block);
    const checksum = Buffer.alloc(16);
    checksum.writeBigUInt64LE(low, 0);
    checksum.writeBigUInt64LE(high, 8);
    return Buffer.concat([checksum, block]);
  };
  const block = (method: number, size: number, data: Buffer): Buffer => {
    const head = Buffer.alloc(9);
    head.writeUInt8(method, 0);
    head.writeUInt32LE(9 + data.length, 1);
    head.writeUInt32LE(size, 5);
    return withChecksum(Buffer.concat([head, data]));
  };

  test.each([
    ['a head that is cut off', Buffer.alloc(24), 'request.encoding_invalid'],
    [
      'a size beyond the end',
      Buffer.concat([Buffer.alloc(17), Buffer.alloc(8, 255)]),
      'request.encoding_invalid',
    ],
    ['a size of zero', Buffer.alloc(25), 'request.encoding_invalid'],
    ['an unknown method', block(0x91, 1, Buffer.from('a')), 'request.encoding_invalid'],
    ['LZ4 of another size', block(0x82, 5, compressLz4(Buffer.from('four'))), 'request.encoding_invalid'],
    ['plain bytes of another size', block(0x02, 5, Buffer.from('four')), 'request.encoding_invalid'],
    ['bytes that are not zstd', block(0x90, 5, Buffer.from('no frame')), 'request.encoding_invalid'],
    ['a claim of 4 GiB', block(0x82, 0xffffffff, Buffer.from('a')), 'request.body_too_large'],
    ['a bomb', block(0x82, LIMIT + 1, compressLz4(Buffer.alloc(LIMIT + 1))), 'request.body_too_large'],
    [
      'many blocks that are too large together',
      Buffer.concat(
        Array.from({ length: 5 }, () => block(0x82, 2 ** 20, compressLz4(Buffer.alloc(2 ** 20)))),
      ),
      'request.body_too_large',
    ],
  ])('%s', async (_, sent, code) => {
    await expect(decompressBlocks(sent, LIMIT)).rejects.toMatchObject({ code });
  });

  test('other work goes on between many small ones', async () => {
    const empty = block(0x02, 0, Buffer.alloc(0));
    const body = Buffer.concat([
      ...Array.from({ length: 2000 }, () => empty),
      block(0x02, 1, Buffer.from('x')),
    ]);
    const { result, turns } = await countTurns(() => decompressBlocks(body, LIMIT));
    expect(result.toString()).toBe('x');
    expect(turns).toBeGreaterThan(2);
  });
});
