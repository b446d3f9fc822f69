// Sending responses: compressed as requested, complete or not at all, and with bounded waiting.
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { decompress } from '@bokuweb/zstd-wasm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

let service: TestService;
const id = (n: number): string => `id: 00000000-0000-4000-8000-0000000000${n}\n`;
const ROWS = `SELECT number AS n, 'a message that repeats itself' AS event_message FROM numbers(200)`;

beforeAll(async () => {
  service = await startService({ settings: { sendTimeout: 5, connections: 5 } });
  await writeEndpoint(service, 'rows', `${id(81)}name: rows\nquery: ${ROWS}\n`);
  await writeEndpoint(service, 'kept', `${id(82)}name: kept\nquery: ${ROWS}\ncache: { ttl: 60 }\n`);
  await writeEndpoint(service, 'few', `${id(83)}name: few\nquery: SELECT 1 AS n\n`);
  await writeEndpoint(
    service,
    'large',
    `${id(84)}name: large\nquery: SELECT randomPrintableASCII(2000) AS text FROM numbers(8000)\nmax_rows: 10000\nlimits: { memory: 1GiB }\n`,
  );
  await service.service.reload();
});
afterAll(() => service.stop());

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** Without the decompression that fetch does by itself. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = { 'X-API-KEY': KEY, ...headers };
    const request = httpRequest(
      `${service.service.address}${path}`,
      { method, headers: sent },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts),
          }),
        );
      },
    );
    request.on('error', reject).end();
  });
}

const query = (name: string, headers?: Record<string, string>, method?: string): Promise<Raw> =>
  ask(`/api/endpoints/query/${name}`, headers, method);

const UNPACK: Readonly<Record<string, (body: Buffer) => Uint8Array>> = {
  zstd: (body) => decompress(body),
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

describe('content codings', () => {
  test.each<{ why: string; accepted: string; coding: string | undefined }>([
    { why: 'as the browser asks', accepted: 'gzip, deflate, br, zstd', coding: 'zstd' },
    { why: 'best first among equals', accepted: 'gzip, br', coding: 'br' },
    { why: 'the only one', accepted: 'gzip', coding: 'gzip' },
    { why: 'the caller’s order of preference', accepted: 'zstd;q=0.1, gzip;q=0.9', coding: 'gzip' },
    { why: 'any', accepted: '*', coding: 'zstd' },
    { why: 'one excluded', accepted: 'zstd;q=0, *', coding: 'br' },
    { why: 'none', accepted: 'identity', coding: undefined },
    { why: 'an unknown one', accepted: 'compress', coding: undefined },
    { why: 'an oversized field', accepted: 'gzip, '.repeat(200), coding: undefined },
  ])('$why', async ({ accepted, coding }) => {
    const plain = await query('rows');
    for (const name of ['rows', 'kept', 'kept', 'kept']) {
      const { headers, body } = await query(name, { 'Accept-Encoding': accepted });
      expect([headers['content-encoding'], headers['content-length']]).toEqual([coding, String(body.length)]);
      const unpacked = coding === undefined ? body : UNPACK[coding]?.(body);
      expect(Buffer.from(unpacked ?? [])).toEqual(plain.body);
      expect(body.length < plain.body.length).toBe(coding !== undefined);
      expect(headers['vary']).toContain('Accept-Encoding');
    }
  });

  test.each(['rows', 'kept'])('each coding has its own ETag, and each ETag gives 304 (%s)', async (name) => {
    const tags = await Promise.all(
      ['identity', 'zstd', 'br', 'gzip'].map(async (coding) =>
        String((await query(name, { 'Accept-Encoding': coding })).headers['etag']),
      ),
    );
    expect(new Set(tags).size).toBe(4);
    for (const tag of tags) {
      const { status, body } = await query(name, { 'Accept-Encoding': 'br', 'If-None-Match': tag });
      expect([status, body.length]).toEqual([304, 0]);
    }
    expect((await query(name, { 'If-None-Match': '"another-br"' })).status).toBe(200);
  });

  test('small or columnar responses are not compressed', async () => {
    const accepted = { 'Accept-Encoding': 'br' };
    expect((await query('few', accepted)).headers['content-encoding']).toBeUndefined();
    expect((await query('rows?format=parquet', accepted)).headers['content-encoding']).toBeUndefined();
    expect((await query('rows?format=csv', accepted)).headers['content-encoding']).toBe('br');
  });

  test('HEAD has the header fields of GET', async () => {
    const accepted = { 'Accept-Encoding': 'gzip' };
    const [head, get] = [await query('rows', accepted, 'HEAD'), await query('rows', accepted)];
    const fieldsOf = ({ headers }: Raw): unknown[] =>
      ['content-encoding', 'content-length', 'content-type', 'etag'].map((name) => headers[name]);
    expect([fieldsOf(head), head.body.length]).toEqual([fieldsOf(get), 0]);
  });

  test('other responses too', async () => {
    const listing = await ask('/api/endpoints', { 'Accept-Encoding': 'gzip' });
    expect(listing.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'Authorization, X-API-KEY, Accept-Encoding',
    });
    expect(JSON.parse(gunzipSync(listing.body).toString())).toHaveProperty('result');
  });
});

describe('callers that do not read', () => {
  /** Asks for 16 MB, more than sockets buffer, and takes nothing of it. */
  function askAndStop(): Socket {
    const { hostname, port } = new URL(service.service.address);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined).pause();
    socket.write(`GET /api/endpoints/query/large HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\n\r\n`);
    return socket;
  }

  test('are cut off at the time limit, and others are answered meanwhile', async () => {
    const cut = (): number => service.observed.filter(({ kind }) => kind === 'response.cut_off').length;
    const sockets = [1, 2, 3].map(askAndStop);
    while (cut() < 3) {
      expect((await query('few')).status).toBe(200);
      await setTimeout(200);
    }
    for (const socket of sockets) socket.destroy();
  });

  test('a caller that reads receives the complete response', async () => {
    const { body } = await query('large');
    expect(body.length).toBeGreaterThan(16_000_000);
    expect(JSON.parse(body.toString())).toHaveProperty('result');
  });
});
