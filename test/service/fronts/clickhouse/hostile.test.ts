// Hostile requests to the ClickHouse interface: bounded, and answered with an exception that says what is wrong.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { compress as zstd } from '@bokuweb/zstd-wasm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compressBlocks } from '../../../../src/service/fronts/clickhouse/blocks.ts';
import { decompressZstd } from '../../../../src/service/http/zstd.ts';
import { ECHO_KEY, openEcho, type Echo } from '../../../support/clickhouse-echo.ts';

let echo: Echo;
beforeAll(async () => {
  echo = await openEcho();
});
afterAll(() => echo.stop());

/** More than a body may have. */
const LARGE = Buffer.alloc(2 * 2 ** 20);
const EXCEPTION =
  /^Code: \d+\. DB::Exception: [^\n]+\([A-Z_]+\) \(version 1\.2\.3\.4 \(official build\)\)\n$/;

async function rejected(path: string, init: RequestInit | undefined, says: string): Promise<number> {
  const response = await echo.ask(path, init);
  const text = await response.text();
  expect(text).toMatch(EXCEPTION);
  expect(text).toContain(says);
  return response.status;
}

const post = (
  body: string | Buffer | URLSearchParams,
  headers: Record<string, string> = {},
): RequestInit => ({
  method: 'POST',
  body: Buffer.isBuffer(body) ? new Uint8Array(body) : body,
  headers,
});
const many = (count: number): string => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&');

describe('URLs', () => {
  test.each([
    ['1,001 parameters', `/?${many(1001)}`, 'more than 1000 parameters'],
    ['a million separators', `/?query=q${'&'.repeat(100_000)}&database=a&database=b`, 'database'],
    ['invalid UTF-8 in a value', '/?query=%FF', 'query: must be percent-encoded UTF-8'],
    ['invalid UTF-8 in a name', '/?%C3%28=1', 'the name of a parameter'],
    ['a percent sign alone', "/?query=SELECT+'%'", 'query: must be percent-encoded UTF-8'],
    ['half a surrogate', '/?query=%ED%A0%80', 'query'],
    ['a parameter twice with different values', '/?query=q&database=a&database=b', 'database: is sent twice'],
    ['a query id with a line break', '/?query=q&query_id=a%0d%0aX:1', 'query_id: must be'],
    ['a query id with a NUL', '/?query=q&query_id=a%00', 'query_id: must be'],
    ['a long query id', `/?query=q&query_id=${'a'.repeat(129)}`, 'query_id: must be'],
    ['a long session id', `/?query=q&session_id=${'a'.repeat(201)}`, 'session_id: must be'],
    ['a session of a year', '/?query=q&session_id=s&session_timeout=31536000', 'session_timeout: must be'],
    ['a negative session', '/?query=q&session_id=s&session_timeout=-1', 'session_timeout: must be'],
  ])('%s', async (_, path, says) => {
    expect(await rejected(path, undefined, says)).toBe(400);
  });

  test('what is not more than allowed', async () => {
    expect((await echo.ask(`/?${many(1000)}`)).status).toBe(200);
    const response = await echo.ask('/?query=q&database=a%00b&__proto__=1&constructor=2');
    expect(await response.json()).toMatchObject({ database: 'a\0b', settings: { constructor: '2' } });
  });

  test('an exception is one line, whatever it quotes', async () => {
    const text = encodeURIComponent('a\r\n\0b\u0085Code: 1. DB::Exception');
    const path = `/?database=fails&query=${text}`;
    expect(await rejected(path, undefined, 'a b Code: 1. DB::Exception')).toBeGreaterThanOrEqual(400);
  });

  test('header fields beyond the limit', async () => {
    const flood = `GET /?query=q HTTP/1.1\r\nHost: x\r\n${'X-A: some value\r\n'.repeat(20_000)}\r\n`;
    expect((await echo.exchange(flood)).toString()).toMatch(/^HTTP\/1\.1 431 /);
  });

  test('any URL gets an answer', async () => {
    const url = fc
      .string({ unit: 'binary-ascii', maxLength: 60 })
      .map((text) => text.replaceAll(/[^!-~]|#/g, '%'));
    await fc.assert(
      fc.asyncProperty(url, async (text) => {
        const { status } = await echo.ask(`/?query=q&${text}`);
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 200 },
    );
  });
});

describe('bodies', () => {
  const multipart = { 'Content-Type': 'multipart/form-data; boundary=b' };
  const part = (name: string): string => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nv\r\n`;
  test.each<[string, string, RequestInit, string]>([
    ['not UTF-8', '/', post(Buffer.from([0x53, 0xff])), 'not valid UTF-8'],
    ['no gzip', '/', post('SELECT', { 'Content-Encoding': 'gzip' }), 'not valid gzip'],
    [
      'gzip that is cut off',
      '/',
      post(gzipSync('SELECT 1').subarray(0, 20), { 'Content-Encoding': 'gzip' }),
      'not valid gzip',
    ],
    ['no br', '/', post('SELECT', { 'Content-Encoding': 'br' }), 'not valid br'],
    ['no deflate', '/', post('SELECT', { 'Content-Encoding': 'deflate' }), 'not valid deflate'],
    ['no zstd', '/', post('SELECT', { 'Content-Encoding': 'zstd' }), 'not valid zstd'],
    ['no blocks', '/?decompress=1', post('SELECT'), 'Compressed block 1: the last block is incomplete'],
    ['no form', '/', post('SELECT', multipart), 'not valid multipart/form-data'],
    [
      'a form without a boundary',
      '/',
      post('SELECT', { 'Content-Type': 'multipart/form-data' }),
      'not valid multipart',
    ],
    [
      'a form of 1,001 fields',
      '/',
      post(`${Array.from({ length: 1001 }, (_, n) => part(`p${n}`)).join('')}--b--\r\n`, multipart),
      'more than 1000',
    ],
    [
      'a form that says something else than the URL',
      '/?database=a',
      post(new URLSearchParams({ query: 'q', database: 'b' })),
      'database: is sent twice',
    ],
  ])('%s', async (_, path, init, says) => {
    expect(await rejected(path, init, says)).toBe(400);
  });

  test('files are refused', async () => {
    const data = new FormData();
    data.set('query', 'SELECT * FROM t');
    data.set('t', new Blob(['1\n2\n']), 't.tsv');
    expect(await rejected('/', { method: 'POST', body: data }, 'external tables are not supported')).toBe(
      400,
    );
  });

  test.each<[string, string, () => Buffer | Promise<Buffer>, Record<string, string>]>([
    ['no coding', '/', () => LARGE, {}],
    ['gzip', '/', () => gzipSync(LARGE), { 'Content-Encoding': 'gzip' }],
    ['deflate', '/', () => deflateSync(LARGE), { 'Content-Encoding': 'deflate' }],
    ['br', '/', () => brotliCompressSync(LARGE), { 'Content-Encoding': 'br' }],
    ['zstd', '/', () => Buffer.from(zstd(LARGE)), { 'Content-Encoding': 'zstd' }],
    ['blocks', '/?decompress=1', () => compressBlocks(LARGE), {}],
    [
      'blocks in gzip',
      '/?decompress=1',
      async () => gzipSync(await compressBlocks(LARGE)),
      { 'Content-Encoding': 'gzip' },
    ],
  ])('too large after decompression: %s', async (_, path, body, headers) => {
    expect(await rejected(path, post(await body(), headers), 'too large')).toBe(413);
  });

  test('an endless body is cut off', async () => {
    const head = `POST / HTTP/1.1\r\nHost: x\r\nX-ClickHouse-Key: ${ECHO_KEY}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`;
    const answer = (await echo.exchange(head + chunk.repeat(20))).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 413 .+Connection: close.+too large/is);
  });
});

describe('zstd', () => {
  /** A frame that does not say its size: blocks of one repeated byte, 128 KiB each. */
  const unsized = (blocks: number): Buffer => {
    const header = Buffer.from('28b52ffd0058', 'hex');
    const all = Array.from({ length: blocks }, (_, index) => {
      const block = Buffer.alloc(4, 0x61);
      block.writeUIntLE((131_072 << 3) | 2 | (index === blocks - 1 ? 1 : 0), 0, 3);
      return block;
    });
    return Buffer.concat([header, ...all]);
  };

  test('a frame that does not say its size', () => {
    expect(decompressZstd(unsized(2), 2 ** 20)).toEqual(Buffer.alloc(262_144, 0x61));
    expect(decompressZstd(unsized(9), 2 ** 20)).toBe('too large');
  });

  test.each([
    ['a claim of 2^60 bytes', '28b52ffdc0000000000000000010', 'too large'],
    ['a claim of 2^32 bytes and one', '28b52ffde0010000000100000000', 'too large'],
    ['a header that is cut off', '28b52ffdc000', undefined],
    ['a skippable frame', '502a4d180000000000', undefined],
    ['nothing', '', undefined],
  ])('%s', (_, hex, result) => {
    expect(decompressZstd(Buffer.from(hex, 'hex'), 2 ** 20)).toBe(result);
  });

  test('a frame that has more than it claims', () => {
    const frame = Buffer.from(zstd(Buffer.alloc(100_000, 1)));
    const claim = frame.indexOf(Buffer.from([0xa0, 0x86, 0x01, 0x00]));
    expect(claim).toBeGreaterThan(0);
    frame.writeUInt32LE(10, claim);
    expect(decompressZstd(frame, 2 ** 20)).not.toBeInstanceOf(Buffer);
    expect(decompressZstd(Buffer.from(zstd(Buffer.from('still works'))), 2 ** 20)?.toString()).toBe(
      'still works',
    );
  });
});
