// What the ClickHouse interface sends: header fields, compression, exceptions, and what load balancers get.
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { decompress as zstd } from '@bokuweb/zstd-wasm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finished } from '../../../../src/sql/base/observation.ts';
import { decompressBlocks } from '../../../../src/service/fronts/clickhouse/blocks.ts';
import { clientNameOf } from '../../../../src/service/fronts/clickhouse/client-name.ts';
import { ECHO_KEY, openEcho, type Echo } from '../../../support/clickhouse-echo.ts';

let echo: Echo;
let sick: Echo;
beforeAll(async () => {
  echo = await openEcho({ corsOrigins: '*' });
  sick = await openEcho({ isReady: async () => false });
});
afterAll(() => Promise.all([echo.stop(), sick.stop()]));

/** A response with its body as sent: `fetch` would decompress it. */
async function raw(
  path: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<{ head: string; body: Buffer }> {
  const all = { Host: 'x', Connection: 'close', 'X-ClickHouse-Key': ECHO_KEY, ...fields };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = await echo.exchange(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const end = bytes.indexOf('\r\n\r\n');
  return { head: bytes.subarray(0, end).toString(), body: bytes.subarray(end + 4) };
}

test('an answer has the header fields of a server', async () => {
  const response = await echo.ask('/?query=q&query_id=my-id');
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/json; charset=UTF-8',
    'cache-control': 'no-store',
    'x-request-id': 'my-id',
    'x-clickhouse-query-id': 'my-id',
    'x-clickhouse-format': 'JSON',
    'x-clickhouse-timezone': 'UTC',
    'x-clickhouse-server-display-name': 'millrace',
    'x-content-type-options': 'nosniff',
    ratelimit: '"key";r=4;t=60',
  });
  expect(response.headers.has('x-clickhouse-progress')).toBe(false);
  const bytes = String((await response.arrayBuffer()).byteLength);
  // What was read counts rows of other tenants.
  expect(JSON.parse(response.headers.get('x-clickhouse-summary') ?? '')).toEqual({
    read_rows: '3',
    read_bytes: bytes,
    written_rows: '0',
    written_bytes: '0',
    total_rows_to_read: '3',
    result_rows: '3',
    result_bytes: bytes,
    elapsed_ns: '1000000',
  });
});

test('progress is sent once, where it is asked for', async () => {
  const { headers } = await echo.ask('/?query=q&send_progress_in_http_headers=1');
  expect(headers.get('x-clickhouse-progress')).toBe(headers.get('x-clickhouse-summary'));
});

test('HEAD has the header fields only', async () => {
  const response = await echo.ask('/?query=q&database=bytes-2000', { method: 'HEAD' });
  expect([response.status, response.headers.get('content-length')]).toEqual([200, '2000']);
  expect(response.headers.get('x-clickhouse-format')).toBe('JSON');
  expect(await response.text()).toBe('');
});

const TEXT = 'some text '.repeat(500);
test.each<[string, string, (body: Buffer) => Uint8Array]>([
  ['gzip', 'gzip', gunzipSync],
  ['deflate', 'deflate', inflateSync],
  ['br', 'br', brotliDecompressSync],
  ['zstd', 'zstd', zstd],
  ['gzip, deflate, br, lz4, zstd', 'zstd', zstd],
  ['lz4', '', (body) => body],
])('enable_http_compression=1 with Accept-Encoding: %s', async (accepted, coding, decode) => {
  const url = '/?query=q&database=bytes-5000&enable_http_compression=1';
  const { head, body } = await raw(url, { 'Accept-Encoding': accepted });
  expect(/^content-encoding: (\w+)/im.exec(head)?.[1] ?? '').toBe(coding);
  expect(Buffer.from(decode(body)).toString()).toBe(TEXT);
});

test.each(['', '&enable_http_compression=0'])('without it nothing is compressed%s', async (more) => {
  const { head, body } = await raw(`/?query=q&database=bytes-5000${more}`, { 'Accept-Encoding': 'gzip' });
  expect(head).not.toMatch(/content-encoding/i);
  expect(body.toString()).toBe(TEXT);
});

describe('compress=1', () => {
  test.each(['5000', '600000', '0'])('an answer of %s bytes', async (size) => {
    const { head, body } = await raw(`/?query=q&database=bytes-${size}&compress=1`, {
      'Accept-Encoding': 'gzip',
    });
    expect(head).not.toMatch(/content-encoding/i);
    expect((await decompressBlocks(body, 10 ** 6)).toString()).toBe('some text '.repeat(Number(size) / 10));
  });

  test('together with Accept-Encoding', async () => {
    const url = '/?query=q&database=bytes-600000&compress=1&enable_http_compression=1';
    const { head, body } = await raw(url, { 'Accept-Encoding': 'gzip' });
    expect(head).toMatch(/content-encoding: gzip/i);
    expect((await decompressBlocks(gunzipSync(body), 10 ** 6)).length).toBe(600_000);
  });

  test('exceptions, too', async () => {
    const { head, body } = await raw('/?query=q&database=fails&compress=1');
    expect(head).toMatch(/^x-clickhouse-exception-code: \d+/im);
    expect((await decompressBlocks(body, 10 ** 6)).toString()).toMatch(/^Code: \d+\. DB::Exception: q/);
  });
});

describe('exceptions', () => {
  test('one line with code, name and version; where, and what to do', async () => {
    const response = await echo.ask('/?query=SELECT&database=fails&query_id=q1');
    const code = response.headers.get('x-clickhouse-exception-code') ?? '';
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=UTF-8');
    expect(response.headers.get('x-clickhouse-query-id')).toBe('q1');
    expect(await response.text()).toMatch(
      new RegExp(
        `^Code: ${code}\\. DB::Exception: SELECT: line 2, column 3: wrong\\. .+ \\([A-Z_]+\\) \\(version 1\\.2\\.3\\.4 \\(official build\\)\\)\\n$`,
      ),
    );
  });

  test('when to retry', async () => {
    const response = await echo.ask('/?query=q&database=limited');
    expect(response.headers.get('retry-after')).toBe('3');
    expect(response.headers.get('ratelimit')).toBe('"key";r=4;t=60');
  });

  test.each<[string, string, RequestInit | undefined, number]>([
    ['an unknown path', '/play', undefined, 404],
    ['an unknown method', '/?query=q', { method: 'DELETE' }, 405],
    [
      'a coding that is not supported',
      '/',
      { method: 'POST', body: 'q', headers: { 'Content-Encoding': 'xz' } },
      415,
    ],
    ['a flag that is none', '/?query=q&compress=maybe', undefined, 400],
  ])('%s', async (_, path, init, status) => {
    const response = await echo.ask(path, init);
    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(/^Code: \d+\. DB::Exception: .+\)\n$/);
  });

  test('a request that is no HTTP', async () => {
    const answer = (await echo.exchange('HELLO\r\n\r\n')).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 400 .+\r\n\r\nCode: \d+\. DB::Exception: .+\)\n$/s);
  });
});

describe('load balancers', () => {
  test.each(['/', '/ping', '/replicas_status'])('GET and HEAD %s need no key', async (path) => {
    const response = await fetch(`${echo.url}${path}`);
    expect([response.status, await response.text()]).toEqual([200, 'Ok.\n']);
    expect((await fetch(`${echo.url}${path}`, { method: 'HEAD' })).status).toBe(200);
  });

  test('replicas_status depends on the engine, ping does not', async () => {
    const statuses = ['/ping', '/replicas_status'].map(
      async (path) => (await fetch(`${sick.url}${path}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 503]);
  });

  test('ping has no other methods', async () => {
    const response = await fetch(`${echo.url}/ping`, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

test('pages of allowed origins may send and read the header fields of clients', async () => {
  const preflight = await fetch(`${echo.url}/?query=q`, {
    method: 'OPTIONS',
    headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('X-ClickHouse-Key');
  const answer = await echo.ask('/?query=q', { headers: { Origin: 'https://a.example' } });
  expect(answer.headers.get('access-control-expose-headers')).toContain('X-ClickHouse-Summary');
});

test('a client of the native protocol gets the URL in an exception of that protocol', async () => {
  const answer = await echo.exchange(Buffer.from('\0\x11ClickHouse client\x1a\x08'));
  expect(answer.readUInt8(0)).toBe(2);
  expect(answer.readInt32LE(1)).toBe(217);
  expect(answer.subarray(5, 19).toString()).toBe('\rDB::Exception');
  const text = answer.subarray(20, 20 + answer.readUInt8(19)).toString();
  expect(text).toContain(`use the HTTP interface, ${echo.url}/`);
  expect([...answer.subarray(20 + answer.readUInt8(19))]).toEqual([0, 0]); // no stack trace, no cause
});

test('a TLS client gets 400', async () => {
  expect((await echo.exchange(Buffer.from('1603010200010001', 'hex'))).toString()).toMatch(
    /^HTTP\/1\.1 400 /,
  );
});

describe('client programs', () => {
  test.each([
    [undefined, 'none'],
    ['', 'none'],
    ['clickhouse-js/1.23.1 (lv:nodejs/v20; os:linux)', 'clickhouse-js'],
    ['my-app clickhouse-js/1.23.1', 'clickhouse-js'],
    ['clickhouse-connect/0.8.1 (lv:py/3.12.3; mode:sync; os:linux)', 'clickhouse-connect'],
    ['superset/4.1.0 clickhouse-connect/0.8.1', 'superset'],
    ['clickhouse-go/2.30.0 (lv:go/1.23; os:linux)', 'clickhouse-go'],
    ['grafana/11.0 clickhouse-datasource/4.0 clickhouse-go/2.30.0', 'grafana'],
    ['metabase/1.53.2 clickhouse-java-v2/0.8.4 (Linux; jvm:21)', 'metabase'],
    ['ClickHouse JDBC Driver V2/0.9.0 clickhouse-java-v2/0.9.0', 'clickhouse-jdbc'],
    ['DBeaver 24.3 ClickHouse-JdbcDriver', 'dbeaver'],
    ['curl/8.5.0', 'curl'],
    ['Mozilla/5.0 (X11; Linux x86_64)', 'browser'],
    ['python-requests/2.32', 'python'],
    ['something new', 'other'],
    [`${'x'.repeat(600)}grafana`, 'other'],
  ])('%s: %s', (userAgent, name) => {
    expect(clientNameOf(userAgent)).toBe(name);
  });

  test('are observed with the request', async () => {
    await echo.ask('/?query=q&query_id=observed', { headers: { 'User-Agent': 'curl/8' } });
    const finished = echo.observed.filter((each): each is Finished => each.kind === 'request.finished');
    expect(finished.find(({ requestId }) => requestId === 'observed')).toMatchObject({
      route: '/clickhouse',
      clientName: 'curl',
      status: 200,
    });
  });
});
