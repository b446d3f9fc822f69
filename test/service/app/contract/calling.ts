// Requests and parameters: each sentence of the contract, with the test that proves it.
import { request } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { compress as zstd } from '@bokuweb/zstd-wasm';
import { expect } from 'vitest';
import { problem, type Checks } from './world.ts';

const DEFAULTS = { result: [{ n: 7, text: null }] };
const typed = (type: string, body: string, method = 'POST'): RequestInit => ({
  method,
  headers: { 'Content-Type': type },
  body,
});

export const CALLING: Checks = {
  'An endpoint is called at `/api/endpoints/query/` followed by its name, or by its UUID in upper or lower case.':
    async ({ json }) => {
      expect(await json('plain')).toEqual(DEFAULTS);
      expect(await json('AAAAAAAA-0000-4000-8000-000000000000')).toMatchObject({
        code: 'route.endpoint_unknown',
      });
      expect(await json('00000000-0000-4000-8000-AAAAAAAAAAA0')).toEqual(DEFAULTS);
    },
  '`GET` reads parameters from the query string.': async ({ curl }) =>
    expect(JSON.parse(await curl('/api/endpoints/query/plain?n=8&text=a%20b'))).toEqual({
      result: [{ n: 8, text: 'a b' }],
    }),
  '`HEAD` responds as `GET` does, without the body.': async ({ query, curl }) => {
    const [head, get] = [await query('kept', { method: 'HEAD' }), await query('kept')];
    for (const name of ['content-type', 'content-length', 'etag', 'millrace-endpoint'])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    expect(await curl('/api/endpoints/query/kept', '--head')).toMatch(/^HTTP\/1.1 200 [\s\S]*\r\n\r\n$/);
  },
  '`POST` accepts `application/json`: an object of parameters.': async ({ curl }) =>
    expect(await curl('/api/endpoints/query/plain', '--json', '{"n": 9}')).toContain('"n":9'),
  '`POST` accepts `application/x-www-form-urlencoded`.': async ({ curl }) =>
    expect(await curl('/api/endpoints/query/plain', '-d', 'n=9', '--data-urlencode', 'text=a&b')).toContain(
      '{"n":9,"text":"a&b"}',
    ),
  '`POST` accepts `application/sql`: the body is the parameter `sql`.': async ({ json }) =>
    expect(await json('tables', typed('application/sql', 'SELECT max(n) AS m FROM t'))).toEqual({
      result: [{ m: 2 }],
    }),
  '`QUERY` (RFC 10008) is handled like `POST`.': async ({ curl }) =>
    expect(
      await curl(
        '/api/endpoints/query/plain',
        '-X',
        'QUERY',
        '-H',
        'Content-Type: application/json',
        '-d',
        '{"n": 3}',
      ),
    ).toContain('"n":3'),
  '`GET` with `Content-Type: application/json` and no body is an ordinary `GET`.': async ({ json }) =>
    expect(await json('plain?n=8', { headers: { 'Content-Type': 'application/json' } })).toMatchObject({
      result: [{ n: 8 }],
    }),
  '`GET` with a JSON body is handled like `POST`.': async ({ curl }) =>
    expect(
      await curl(
        '/api/endpoints/query/plain',
        '-X',
        'GET',
        '-H',
        'Content-Type: application/json',
        '-d',
        '{"n": 5}',
      ),
    ).toContain('"n":5'),
  'An empty body is equivalent to `{}`.': async ({ json }) => {
    expect(await json('plain', typed('application/json', ''))).toEqual(DEFAULTS);
    expect(await json('plain', { method: 'POST' })).toEqual(DEFAULTS);
  },
  'A body over 1 MiB is rejected with 413.': async ({ json }) =>
    expect(
      await json('plain', typed('application/json', `{"text": "${'a'.repeat(2 ** 20)}"}`)),
    ).toMatchObject(problem(413, 'request.body_too_large')),
  'A body of any other type is rejected with 415.': async ({ json }) =>
    expect(await json('plain', typed('text/xml', '<n>1</n>'))).toMatchObject(
      problem(415, 'request.body_type_unsupported'),
    ),
  'A body may have a `Content-Encoding` of gzip, deflate, br or zstd, within the same limit after decoding; others are rejected with 415 and `Accept-Encoding`.':
    async ({ query }) => {
      const coded = (coding: string, bytes: Buffer): Promise<Response> =>
        query('plain', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'Content-Encoding': coding },
          body: new Uint8Array(bytes),
        });
      const body = Buffer.from('{"n":3}');
      const sent = { gzip: gzipSync(body), deflate: deflateSync(body), br: brotliCompressSync(body) };
      const all = Object.entries({ ...sent, zstd: Buffer.from(zstd(body)) });
      for (const [coding, bytes] of all)
        expect(await (await coded(coding, bytes)).json()).toEqual({ result: [{ n: 3, text: null }] });
      const bomb = await coded('gzip', gzipSync(Buffer.alloc(2 ** 21)));
      expect(await bomb.json()).toMatchObject(problem(413, 'request.body_too_large'));
      const other = await coded('compress', body);
      expect(other.headers.get('accept-encoding')).toBe('gzip, deflate, br, zstd');
      expect(await other.json()).toMatchObject(problem(415, 'request.encoding_unsupported'));
    },
  'URLs and bodies are UTF-8: other bytes, and halves of characters in JSON, are rejected with 400, another declared charset with 415, unless the body is ASCII and the charset extends it; a byte order mark is ignored.':
    async ({ json, curl }) => {
      expect(await json('plain?text=%ff')).toMatchObject(problem(400, 'request.parameters_invalid'));
      expect(await json('plain', typed('application/json', '{"text":"\\ud83d"}'))).toMatchObject(
        problem(400, 'request.parameters_invalid'),
      );
      const latin = (text: string): RequestInit => typed('application/json; charset=iso-8859-1', text);
      expect(await json('plain', latin('{"text":"é"}'))).toMatchObject(
        problem(415, 'request.body_type_unsupported'),
      );
      expect(await json('plain', latin('{"n":3}'))).toMatchObject({ result: [{ n: 3 }] });
      const marked = await curl('/api/endpoints/query/plain', '--json', '\u{feff}{"text": "é"}');
      expect(JSON.parse(marked)).toEqual({ result: [{ n: 7, text: 'é' }] });
    },
  'A request may have at most 1,000 parameters.': async ({ json }) => {
    const url = (n: number): string => `lenient?${Array.from({ length: n }, (_, i) => `p${i}=1`).join('&')}`;
    expect(await json(url(1000))).toMatchObject({ result: [{}] });
    expect(await json(url(1001))).toMatchObject(problem(400, 'request.body_invalid'));
  },
  'An unsupported method, also `TRACE`, is rejected with 405 and `Allow`.': async ({ query, curl }) => {
    const traced = await curl('/api/endpoints/query/plain', '-i', '-X', 'TRACE');
    expect(traced).toMatch(/^HTTP\/1\.1 405 [^]*\r\nallow: GET, HEAD, OPTIONS, POST, QUERY\r\n/i);
    const response = await query('plain', { method: 'DELETE' });
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST, QUERY');
    expect(await response.json()).toMatchObject(problem(405, 'route.method_not_allowed'));
  },
  '`OPTIONS` lists the methods in `Allow`, without a key.': async ({ query }) => {
    const response = await query('plain', { method: 'OPTIONS', headers: { 'X-API-KEY': '' } });
    expect([response.status, response.headers.get('allow')]).toEqual([
      204,
      'GET, HEAD, OPTIONS, POST, QUERY',
    ]);
  },
  'The key is sent as `X-API-KEY` or as `Authorization: Bearer`.': async ({ query }) => {
    for (const headers of [
      { 'X-API-KEY': 'a-key-for-everything' },
      { Authorization: 'Bearer a-key-for-everything' },
    ])
      expect((await query('plain', { headers: headers as Record<string, string> })).status).toBe(200); // one of each
  },
  'A key in the URL is not accepted.': async ({ query }) => {
    for (const name of ['key', 'api_key', 'X-API-KEY', 'access_token'])
      expect(
        (await query(`lenient?${name}=a-key-for-everything`, { headers: { 'X-API-KEY': '' } })).status,
      ).toBe(401);
  },
  'A body is read only after authentication: without a valid key, the response is 401 regardless of the body.':
    async ({ query }) => {
      for (const key of ['', 'wrong'])
        for (const body of ['{', `{"text": "${'a'.repeat(2 ** 20)}"}`]) {
          const response = await query('plain', { method: 'POST', headers: { 'X-API-KEY': key }, body });
          expect(response.status).toBe(401);
        }
    },
  'The health and problem-code routes need no key.': async ({ service }) => {
    for (const path of ['/health/live', '/health/ready', '/problems/auth.missing'])
      expect((await fetch(`${service.service.address}${path}`)).status).toBe(200);
  },
};

export const PARAMETERS: Checks = {
  'An absent or empty parameter has its default, or is null if it is optional.': async ({ json }) => {
    expect(await json('plain?n=&text=')).toEqual(DEFAULTS);
    expect(await json('plain', typed('application/json', '{"n": null, "text": ""}'))).toEqual(DEFAULTS);
  },
  'A missing required parameter is rejected with 400.': async ({ json }) =>
    expect(await json('strict?project=p')).toMatchObject({
      ...problem(400, 'request.parameters_invalid'),
      errors: [{ parameter: 'limit', message: 'is required' }],
    }),
  'A value must match its type completely: `1; DROP` is not a number.': async ({ json }) => {
    for (const value of ['1; DROP', '1e3', '0x1', '1 ', ' 1', '١'])
      expect(await json(`plain?n=${encodeURIComponent(value)}`)).toMatchObject({
        status: 400,
        errors: [{ parameter: 'n' }],
      });
  },
  'A parameter sent twice is rejected with 400, unless it is an Array.': async ({ json }) =>
    expect(await json('plain?n=1&n=1')).toMatchObject({ status: 400, errors: [{ parameter: 'n' }] }),
  'A parameter in both the URL and the body counts as sent twice.': async ({ json }) =>
    expect(await json('plain?n=1', typed('application/json', '{"n": 1}'))).toMatchObject({ status: 400 }),
  'The values of an Array that is sent several times, also as `name[]`, are its elements.': async ({
    json,
  }) => {
    const expected = { result: [{ ids: [3, 5], at: null }] };
    for (const text of ['ids=3&ids=5', 'ids[]=3&ids[]=5', 'ids%5B%5D=3&ids%5B%5D=5', 'ids=3,5', 'ids=[3,5]'])
      expect(await json(`lists?${text}`)).toEqual(expected);
    expect(await json('lists?ids[]=3')).toEqual({ result: [{ ids: [3], at: null }] });
    expect(await json('lists?ids=3&ids[]=5')).toMatchObject({ status: 400, errors: [{ parameter: 'ids' }] });
    expect(await json('lists?ids=3&ids=3,5')).toMatchObject({ status: 400, errors: [{ parameter: 'ids' }] });
    expect(await json('lists?at[]=1706696430')).toMatchObject({
      status: 400,
      errors: [{ parameter: 'at[]' }],
    });
  },
  'A time may be a Unix time in seconds (10 digits), milliseconds (13) or microseconds (16).': async ({
    json,
  }) => {
    const expected = { result: [{ ids: [], at: '2024-01-31T10:20:30.000000Z' }] };
    for (const value of ['1706696430', '1706696430000', '1706696430000000'])
      expect(await json(`lists?at=${value}`)).toEqual(expected);
    expect(await json('lists', typed('application/json', '{"at": 1706696430000}'))).toEqual(expected);
    expect(await json('lists?at=17066964300')).toMatchObject({ status: 400, errors: [{ parameter: 'at' }] });
  },
  'All invalid parameters are reported in one response.': async ({ json }) => {
    const { errors } = await json('strict?limit=many&other=1');
    expect((errors as { parameter: string }[]).map(({ parameter }) => parameter).toSorted()).toEqual([
      'limit',
      'other',
      'project',
    ]);
  },
  'An undeclared parameter is rejected with 400, and the closest name is suggested.': async ({ json }) =>
    expect(JSON.stringify((await json('plain?texts=a'))['errors'])).toContain('text'),
  'An undeclared parameter is ignored if the endpoint is configured so.': async ({ json }) =>
    expect(await json('lenient?nn=1&anything=2')).toEqual({ result: [{ n: 1 }] }),
  'A parameter locked by the key may be omitted or repeated, but not changed.': async ({ query }) => {
    const headers = { 'X-API-KEY': 'tenant' };
    for (const path of ['strict?limit=1', 'strict?limit=1&project=mine'])
      expect(await (await query(path, { headers })).json()).toMatchObject({ result: [{ project: 'mine' }] });
    expect((await query('strict?limit=1&project=other', { headers })).status).toBe(403);
  },
};

/** A request without a waiting client: its connection is closed as soon as it is sent. */
export function leave(url: string): Promise<void> {
  return new Promise((left) => {
    const sent = request(url, { headers: { 'X-API-KEY': 'a-key-for-everything' } });
    sent.on('error', () => left());
    sent.end(() => setTimeout(() => sent.destroy(new Error('gone')), 200));
  });
}
