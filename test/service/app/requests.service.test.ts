// What clients of others send, on every entry point: media ranges with parameters, bodies in content codings and charsets, bytes
// that are not text, and methods that a path does not have.
import { request as send } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { compress as zstd } from '@bokuweb/zstd-wasm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const FILE = `id: 00000000-0000-4000-8000-0000000000b1
name: said
query: WITH t AS (SELECT @s AS word) SELECT word FROM t
parameters: { s: { type: String, default: none } }
sandbox: { enabled: true }
live: { every: 60 }
`;
/** By coding: a few KB each. */
const bombs = new Map<string, Buffer>();

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await writeEndpoint(service, 'said', FILE);
  await service.service.reload();
  const zeros = Buffer.alloc(32 * 2 ** 20);
  bombs.set('gzip', gzipSync(zeros)).set('br', brotliCompressSync(zeros));
  bombs.set('zstd', Buffer.from(zstd(zeros.subarray(0, 2 ** 22))));
  bombs.set('deflate, gzip', gzipSync(deflateSync(zeros)));
});
afterAll(() => service.stop());

interface Sent {
  readonly path: string;
  readonly type?: string;
  readonly body?: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Node's client sends bytes as they are; only the beginning of a stream is read. */
function ask(method: string, { path, type, body, headers }: Sent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const fields = {
      'X-API-KEY': KEY,
      ...(type === undefined ? {} : { 'Content-Type': type }),
      ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
      ...headers,
    };
    const request = send(
      `${service.service.address}${path}`,
      { method, headers: fields, agent: false },
      (response) => {
        const parts: Buffer[] = [];
        const contentType = response.headers['content-type'] ?? '';
        const finish = (): void =>
          resolve({
            status: response.statusCode ?? 0,
            type: contentType,
            text: Buffer.concat(parts).toString(),
            headers: response.headers,
          });
        response.on('data', (part: Buffer) => {
          parts.push(part);
          if (
            !contentType.startsWith('text/event-stream') ||
            !/^data:/m.test(Buffer.concat(parts).toString())
          )
            return;
          finish();
          response.destroy();
        });
        response.once('end', finish);
        response.once('error', reject);
      },
    );
    request.once('error', reject);
    request.end(body);
  });
}

const CALL = '/api/endpoints/query/said';
const EXPLAIN = '/api/endpoints/explain/said';
const QUERY = 'sql=SELECT+word+FROM+t';
const rpc = (args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"said","arguments":${args}}}`;
const BOTH = { Accept: 'application/json, text/event-stream' };
const KEYED = { 'X-ClickHouse-Key': KEY, 'X-API-KEY': '', 'X-ClickHouse-Database': 'said' };

/** The entry points that read bodies, and one that each accepts. `with` puts bytes into a value or a query. */
const BODIES = [
  { name: 'JSON', path: CALL, type: 'application/json', with: (text: string) => `{"s":"${text}"}` },
  {
    name: 'a form',
    path: CALL,
    type: 'application/x-www-form-urlencoded',
    with: (text: string) => `s=${text}`,
  },
  {
    name: 'SQL',
    path: CALL,
    type: 'application/sql',
    with: (text: string) => `SELECT word, '${text}' AS x FROM t`,
  },
  {
    name: 'a check in JSON',
    path: EXPLAIN,
    type: 'application/json',
    with: (text: string) => `{"sql":"SELECT word, '${text}' AS x FROM t"}`,
  },
  {
    name: 'LQL in a form',
    path: CALL,
    type: 'application/x-www-form-urlencoded',
    with: (text: string) => `lql=word:"${text}"`,
  },
  {
    name: 'a live call',
    path: CALL,
    type: 'application/json',
    headers: { Accept: 'text/event-stream' },
    with: (text: string) => `{"s":"${text}"}`,
  },
  {
    name: 'MCP',
    path: '/mcp',
    type: 'application/json',
    headers: BOTH,
    with: (text: string) => rpc(`{"s":"${text}"}`),
  },
  {
    name: 'ClickHouse',
    path: '/clickhouse/',
    type: 'text/plain',
    headers: KEYED,
    with: (text: string) => `SELECT word, '${text}' AS x FROM t FORMAT JSON`,
  },
] as const;

describe.each(BODIES)('a body: $name', ({ path, type, with: make, ...rest }) => {
  const headers = 'headers' in rest ? rest.headers : {};
  const post = (body: Buffer | string, more: Record<string, string> = {}, sentType: string = type) =>
    ask('POST', { path, type: sentType, body, headers: { ...headers, ...more } });
  const body = make('héllo');

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', (bytes: string) => Buffer.from(zstd(Buffer.from(bytes)))],
    ['identity', (bytes: string) => Buffer.from(bytes)],
    ['deflate, gzip', (bytes: string) => gzipSync(deflateSync(bytes))],
  ])('Content-Encoding: %s', async (coding, encode) => {
    const [plain, coded] = [await post(body), await post(encode(body), { 'Content-Encoding': coding })];
    expect([coded.status, withoutIds(coded.text)]).toEqual([plain.status, withoutIds(plain.text)]);
    expect(plain.status).toBe(200);
  });

  test.each([
    ['compress', 415],
    ['aws-chunked', 415],
    ['gzip, compress', 415],
    ['gzip, gzip, gzip', 415],
    ['gzip', 400],
    ['br', 400],
    ['zstd', 400],
  ])('what is not in the coding %s: %i', async (coding, status) => {
    const answer = await post(body, { 'Content-Encoding': coding });
    expect(answer.status).toBe(status);
  });

  test.each(['gzip', 'br', 'zstd', 'deflate, gzip'])('more than 1 MiB in %s', async (coding) => {
    const answer = await post(bombs.get(coding) ?? '', { 'Content-Encoding': coding });
    expect(answer.status).toBe(413);
  });

  test.each([
    ['half a character', Buffer.from([0xc3])],
    ['no character', Buffer.from([0xff])],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80])],
    ['more bytes than needed', Buffer.from([0xc0, 0xaf])],
    ['Latin-1', Buffer.from('é', 'latin1')],
  ])('bytes that are not UTF-8: %s', async (_, bytes) => {
    const [before = '', after = ''] = make('|').split('|');
    const answer = await post(Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]));
    expect([answer.status, answer.text.includes('\u{fffd}')]).toEqual([400, false]);
  });

  test.each(['utf-8', 'UTF-8', 'utf8', '"utf-8"', 'us-ascii'])('charset=%s', async (charset) => {
    expect((await post(body, {}, `${type}; charset=${charset}`)).status).toBe(200);
  });

  test.each(['iso-8859-1', 'utf-16', 'windows-1252', 'shift_jis'])(
    'charset=%s is not read',
    async (charset) => {
      const answer = await post(body, {}, `${type}; charset=${charset}`);
      expect(answer.status).toBe(415);
    },
  );

  test.each(['iso-8859-1', 'ISO-8859-15', 'latin1', 'windows-1252', 'utf-16le'])(
    'charset=%s of ASCII makes no difference, but in forms, which may encode other characters in it',
    async (charset) => {
      const isRead = charset !== 'utf-16le' && type !== 'application/x-www-form-urlencoded';
      expect((await post(make('hello'), {}, `${type}; charset=${charset}`)).status).toBe(isRead ? 200 : 415);
    },
  );

  test('a byte order mark is no part of it', async () => {
    const [plain, marked] = [await post(body), await post(`\u{feff}${body}`)];
    expect([marked.status, withoutIds(marked.text)]).toEqual([200, withoutIds(plain.text)]);
  });
});

/** What differs from call to call. */
function withoutIds(text: string): string {
  return text.replaceAll(/"elapsed": ?[\d.e-]+|id: \S+|"(?:ms|took)":[\d.]+/g, '');
}

describe('JSON with half of a character', () => {
  test.each([
    ['a value', CALL, '{"s":"\\ud800"}', {}],
    ['a value in a list', CALL, '{"s":["\\uD83D x"]}', {}],
    ['a name', CALL, '{"\\udc00":1}', {}],
    ['a query', EXPLAIN, `{"sql":"SELECT '\\ude00' AS x, word FROM t"}`, {}],
    ['MCP', '/mcp', rpc('{"s":"\\ud800"}'), BOTH],
  ])('%s', async (_, path, body, headers) => {
    const answer = await ask('POST', { path, type: 'application/json', body, headers });
    expect(answer.text).toContain(path === EXPLAIN ? 'sandbox.query_invalid' : 'request.parameters_invalid');
    expect([answer.status, answer.text.includes('"isError":true')]).toEqual(
      path === '/mcp' ? [200, true] : [400, false],
    );
  });

  test('a pair is one character, and an escaped backslash is none', async () => {
    const body = '{"s":"\\ud83d\\ude00 \\\\ud800"}';
    const answer = await ask('POST', { path: CALL, type: 'application/json', body });
    expect(JSON.parse(answer.text)).toEqual({ result: [{ word: '\u{1f600} \\ud800' }] });
  });
});

describe('bytes in a URL that are not UTF-8', () => {
  const bad = ['%ff', '%c3', 'a%C3%28b', '%ed%a0%80', '%25%ff', '%zz%ff'];
  test.each([
    ...bad.map((each) => ['GET', `${CALL}?s=${each}`, 400] as const),
    ['GET', `${CALL}?%ff=1`, 400],
    ['GET', `${CALL}?sql=SELECT+word,+'%ff'+AS+x+FROM+t`, 400],
    ['GET', `${CALL}?lql=word:%ff`, 400],
    ['GET', `${CALL}?live=true&s=%ff`, 400],
    ['GET', `${EXPLAIN}?sql=SELECT+'%ff'+FROM+t`, 400],
    ['POST', `${CALL}?s=%ff`, 400],
    ['GET', '/api/endpoints/query/%ff', 400],
    ['GET', '/guides/%ff', 400],
  ] as const)('%s %s', async (method, path, status) => {
    const answer = await ask(method, { path });
    expect([answer.status, answer.type]).toEqual([status, 'application/problem+json; charset=utf-8']);
  });

  test('a form', async () => {
    const type = 'application/x-www-form-urlencoded';
    const answer = await ask('POST', { path: CALL, type, body: 's=%ff' });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      400,
      { code: 'request.parameters_invalid', errors: [{ parameter: 's' }] },
    ]);
  });

  test('multipart, which only ClickHouse reads', async () => {
    const head = '--b\r\nContent-Disposition: form-data; name="query"\r\n\r\nSELECT word, \'';
    const tail = "' AS x FROM t FORMAT JSON\r\n--b--\r\n";
    const post = (bytes: Buffer): Promise<Answered> =>
      ask('POST', {
        path: '/clickhouse/',
        type: 'multipart/form-data; boundary=b',
        body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(tail)]),
        headers: KEYED,
      });
    expect((await post(Buffer.from('é'))).status).toBe(200);
    expect((await post(Buffer.from([0xff]))).status).toBe(400);
  });

  test('a percent sign without digits is a literal one, and every character is read', async () => {
    const answer = await ask('GET', { path: `${CALL}?s=100%+%C3%A9%zz%F0%9F%98%80%` });
    expect(JSON.parse(answer.text)).toEqual({ result: [{ word: '100% é%zz\u{1f600}%' }] });
  });
});

describe('operators that LQL does not have', () => {
  const tool = (lql: string): string =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'query', arguments: { endpoint: 'said', lql } },
    });
  test.each(['a OR b', 'a AND b', 'NOT a', '(a)', 'a || b', '-(a b)'])('%s', async (lql) => {
    const type = 'application/json';
    const body = JSON.stringify({ lql });
    const query = `lql=${encodeURIComponent(lql)}`;
    const answers = [
      await ask('GET', { path: `${CALL}?${query}` }),
      await ask('GET', { path: `${CALL}?live=true&${query}` }),
      await ask('POST', { path: CALL, type, body }),
      await ask('GET', { path: `${EXPLAIN}?${query}` }),
      await ask('POST', { path: EXPLAIN, type, body }),
    ];
    for (const answer of answers)
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
        400,
        {
          code: 'lql.operator_unknown',
          hint: expect.stringContaining('double quotes'),
          errors: [{ line: 1 }],
        },
      ]);
    const called = await ask('POST', { path: '/mcp', type, body: tool(lql), headers: BOTH });
    expect(called.text).toContain('lql.operator_unknown');
  });
});

describe('media ranges with parameters', () => {
  const json = [
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; version=1; q=0.5',
    'application/json;odata=verbose, image/png',
    '*/*; x="a,b"',
  ];
  test.each([
    ...json.map((accept) => ['GET', CALL, accept, 'application/json; charset=utf-8'] as const),
    ...json.map((accept) => ['GET', EXPLAIN, accept, 'application/json; charset=utf-8'] as const),
    ['GET', CALL, 'text/csv; charset=utf-8; header=present', 'text/csv; charset=utf-8; header=present'],
    ['GET', CALL, 'application/x-ndjson;charset=utf-8', 'application/x-ndjson; charset=utf-8'],
    ['GET', CALL, 'application/vnd.apache.parquet; v=2', 'application/vnd.apache.parquet'],
    ['GET', CALL, 'text/event-stream; charset=utf-8', 'text/event-stream'],
    ['GET', CALL, 'text/event-stream;x=1, application/json;q=0.5', 'text/event-stream'],
    ['GET', CALL, 'application/json;x=1, text/event-stream;q=0.5;y=2', 'application/json; charset=utf-8'],
  ] as const)('%s %s with %s', async (method, path, accept, type) => {
    for (let times = 0; times < 2; times++) {
      const answer = await ask(method, {
        path: `${path}?${path === CALL ? 's=a' : QUERY}`,
        headers: { Accept: accept },
      });
      expect([answer.status, answer.type]).toEqual([200, type]);
    }
  });

  test.each([
    ['application/json; charset=utf-8, text/event-stream; charset=utf-8', 200],
    ['application/json;v=1', 200],
    ['application/json; charset=latin1', 406],
    ['text/event-stream; charset=utf-8', 406],
  ])('MCP: %s', async (accept, status) => {
    const sent = { path: '/mcp', type: 'application/json; charset=utf-8', body: rpc('{"s":"a"}') };
    expect((await ask('POST', { ...sent, headers: { Accept: accept } })).status).toBe(status);
  });

  test.each([[CALL], [EXPLAIN]])('%s: what responses are not', async (path) => {
    for (const accept of ['application/json; charset=iso-8859-1', 'text/csv; header=absent', 'text/html;v=1'])
      expect((await ask('GET', { path, headers: { Accept: accept } })).status).toBe(406);
  });
});

describe('methods that a path does not have', () => {
  const paths = {
    [CALL]: 'GET, HEAD, OPTIONS, POST, QUERY',
    [EXPLAIN]: 'GET, HEAD, OPTIONS, POST, QUERY',
    '/mcp': 'OPTIONS, POST',
    '/clickhouse/': 'GET, HEAD, OPTIONS, POST, QUERY',
    '/clickhouse/ping': 'GET, HEAD, OPTIONS',
    '/api/endpoints': 'GET, HEAD, OPTIONS',
    '/openapi.json': 'GET, HEAD, OPTIONS',
    '/llms.txt': 'GET, HEAD, OPTIONS',
    '/guides/lql.md': 'GET, HEAD, OPTIONS',
    '/health/ready': 'GET, HEAD, OPTIONS',
    '/problems/auth.missing': 'GET, HEAD, OPTIONS',
  };
  test.each(Object.entries(paths))('%s', async (path, allow) => {
    for (const method of ['TRACE', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'SEARCH', 'PURGE', 'REPORT']) {
      const answer = await ask(method, { path });
      expect([method, answer.status, answer.headers['allow']]).toEqual([method, 405, allow]);
    }
  });
});
