// How requests of the ClickHouse interface are read: query, parameters, settings, keys, ids, compressed bodies.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { compress as zstd } from '@bokuweb/zstd-wasm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compressBlocks } from '../../../../src/service/fronts/clickhouse/blocks.ts';
import { ECHO_KEY, openEcho, type Echo } from '../../../support/clickhouse-echo.ts';

let echo: Echo;
beforeAll(async () => {
  echo = await openEcho();
});
afterAll(() => echo.stop());

const post = (
  body: string | URLSearchParams | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): RequestInit => ({
  method: 'POST',
  body,
  headers,
});
const form = (fields: Readonly<Record<string, string | Blob>>): RequestInit => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return { method: 'POST', body: data };
};
const json = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;

test.each<{ why: string; path: string; init?: RequestInit; read: Record<string, unknown> }>([
  { why: 'a query in the URL', path: '/?query=SELECT%201', read: { text: 'SELECT 1' } },
  { why: '+ is a space', path: '/?query=SELECT+1%2B1', read: { text: 'SELECT 1+1' } },
  { why: 'a query in the body', path: '/', init: post('SELECT 1'), read: { text: 'SELECT 1' } },
  {
    why: 'both, joined by a line feed',
    path: '/?query=SELECT%201',
    init: post('FORMAT JSON'),
    read: { text: 'SELECT 1\nFORMAT JSON' },
  },
  {
    why: 'the method QUERY',
    path: '/',
    init: { ...post('SELECT 1'), method: 'QUERY' },
    read: { text: 'SELECT 1' },
  },
  {
    why: 'as curl -d labels it',
    path: '/',
    init: post('SELECT 1 = 1 & 3', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    read: { text: 'SELECT 1 = 1 & 3' },
  },
  {
    why: 'a form',
    path: '/?database=a.b',
    init: post(new URLSearchParams({ query: 'SELECT {x:Int8}', param_x: '1' })),
    read: { text: 'SELECT {x:Int8}', database: 'a.b', parameters: { x: '1' } },
  },
  {
    why: 'multipart/form-data',
    path: '/?max_result_rows=5',
    init: form({ query: 'SELECT {x:String}', param_x: 'é\n' }),
    read: { text: 'SELECT {x:String}', parameters: { x: 'é\r\n' }, settings: { max_result_rows: '5' } },
  },
  {
    why: 'parameters, escaped as they are',
    path: `/?query=q&param_a=1&param_b=${encodeURIComponent('a\\tb')}&param_=x`,
    read: { parameters: { a: '1', b: 'a\\tb', '': 'x' } },
  },
  {
    why: 'settings are what is not of the protocol',
    path: '/?query=q&max_execution_time=3&user=u&quota_key=k&buffer_size=1&wait_end_of_query=1&http_wait_end_of_query=1&compress=0&role=r&stacktrace=1&client_protocol_version=54000',
    read: { settings: { max_execution_time: '3' } },
  },
  {
    why: 'database and format',
    path: '/?query=q&database=logs.all&default_format=CSV',
    read: { database: 'logs.all', defaultFormat: 'CSV' },
  },
  {
    why: 'header fields count first',
    path: '/?query=q&database=a&default_format=CSV',
    init: { headers: { 'X-ClickHouse-Database': 'b', 'X-ClickHouse-Format': 'JSON' } },
    read: { database: 'b', defaultFormat: 'JSON' },
  },
  {
    why: 'the query id is the request id',
    path: '/?query=q&query_id=my-query.1',
    read: { queryId: 'my-query.1', requestId: 'my-query.1' },
  },
  {
    why: 'the query id in a header field',
    path: '/?query=q',
    init: { headers: { 'X-ClickHouse-Query-Id': 'b' } },
    read: { queryId: 'b', requestId: 'b' },
  },
  {
    why: 'a session',
    path: '/?query=q&session_id=s&session_check=1&session_timeout=60',
    read: { session: { id: 's', check: true, timeout: 60 } },
  },
  {
    why: 'a parameter twice with one value',
    path: '/?query=q&database=a&database=a',
    read: { database: 'a' },
  },
  { why: 'empty parameters', path: '/?&query=q&&database=&', read: { text: 'q', settings: {} } },
  {
    why: 'the service’s own header fields',
    path: '/?query=q',
    init: {
      headers: {
        'SVC-ENDPOINT-REDACT-PII': 'true',
        'SVC-ENDPOINT-LABELS': 'a=b',
        'Cache-Control': 'no-cache',
      },
    },
    read: { redact: true, labels: 'a=b', directives: { noCache: true, onlyIfCached: false } },
  },
])('$why', async ({ path, init, read }) => {
  const response = await echo.ask(path, init);
  expect(response.status).toBe(200);
  expect(await json(response)).toMatchObject(read);
});

const SQL = 'SELECT count() FROM edge_logs';
const sent = Buffer.from(SQL);
test.each<[string, () => Buffer | Promise<Buffer>, string, Record<string, string>]>([
  ['gzip', () => gzipSync(sent), '/', { 'Content-Encoding': 'gzip' }],
  ['deflate', () => deflateSync(sent), '/', { 'Content-Encoding': 'deflate' }],
  ['br', () => brotliCompressSync(sent), '/', { 'Content-Encoding': 'br' }],
  ['zstd', () => Buffer.from(zstd(sent)), '/', { 'Content-Encoding': 'zstd' }],
  ['identity', () => sent, '/', { 'Content-Encoding': 'identity' }],
  ['blocks', () => compressBlocks(sent), '/?decompress=1', {}],
  [
    'blocks in gzip',
    async () => gzipSync(await compressBlocks(sent)),
    '/?decompress=true',
    { 'Content-Encoding': 'gzip' },
  ],
])('a body compressed with %s', async (_, body, path, headers) => {
  const response = await echo.ask(path, post(new Uint8Array(await body()), headers));
  expect(await json(response)).toMatchObject({ text: SQL });
});

describe('keys', () => {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  test.each<[string, string, Record<string, string>, number]>([
    ['Basic, any user name', '/?query=q', { Authorization: basic(`anyone:${ECHO_KEY}`) }, 200],
    ['X-ClickHouse-Key', '/?query=q', { 'X-ClickHouse-User': 'u', 'X-ClickHouse-Key': ECHO_KEY }, 200],
    ['password=', `/?query=q&user=u&password=${ECHO_KEY}`, {}, 200],
    ['Bearer', '/?query=q', { Authorization: `Bearer ${ECHO_KEY}` }, 200],
    ['X-API-KEY', '/?query=q', { 'X-API-KEY': ECHO_KEY }, 200],
    ['the same key twice', `/?query=q&password=${ECHO_KEY}`, { Authorization: basic(`u:${ECHO_KEY}`) }, 200],
    [
      'an empty password is none',
      '/?query=q&password=',
      { Authorization: basic('default:'), 'X-API-KEY': ECHO_KEY },
      200,
    ],
    ['none', '/?query=q', {}, 401],
    ['an empty one', '/?query=q', { Authorization: basic('default:') }, 401],
    ['a wrong one', '/?query=q&password=no', {}, 401],
    ['as the user name', '/?query=q', { Authorization: basic(`${ECHO_KEY}:`) }, 401],
    ['without a colon', '/?query=q', { Authorization: basic(ECHO_KEY) }, 401],
    ['two that differ', '/?query=q&password=no', { Authorization: basic(`u:${ECHO_KEY}`) }, 400],
    ['two header fields that differ', '/?query=q', { 'X-ClickHouse-Key': 'no', 'X-API-KEY': ECHO_KEY }, 400],
    ['a very long one', '/?query=q', { 'X-ClickHouse-Key': 'k'.repeat(60_000) }, 401],
    ['a very long Basic', '/?query=q', { Authorization: basic('k'.repeat(60_000)) }, 401],
  ])('%s', async (_, path, headers, status) => {
    const response = await fetch(`${echo.url}${path}`, { headers });
    expect(response.status).toBe(status);
    expect(response.headers.get('x-clickhouse-exception-code')).toBe(status === 200 ? null : '516');
  });

  test('no body is read without one', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n';
    expect((await echo.exchange(head)).toString()).toMatch(/^HTTP\/1\.1 401 (?!.*100 Continue)/s);
  });

  test('programs are asked for a password, browsers are not', async () => {
    const asked = async (fields: string): Promise<string | undefined> => {
      const request = `GET /?query=q HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields}\r\n`;
      return /^www-authenticate: (\w+)/im.exec((await echo.exchange(request)).toString())?.[1];
    };
    expect(await asked('')).toBe('Basic');
    expect(await asked('User-Agent: Mozilla/5.0\r\n')).toBe('Bearer');
    expect(await asked('Sec-Fetch-Mode: navigate\r\n')).toBe('Bearer');
  });
});
