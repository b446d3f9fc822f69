// The HTTP contract of calling an endpoint, over a real socket.
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRows } from '../../../src/service/engine/rows.ts';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { PROBLEMS } from '../../../src/sql/base/problems.ts';
import { KEY, startService, type TestService } from '../../support/service.ts';
import { eventually } from '../../support/eventually.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({
    endpoints: join(import.meta.dirname, '../../support/endpoints'),
    tokens: [
      { name: 'narrow', sha256: hashKey('narrow'), endpoints: ['plain'] },
      { name: 'locked', sha256: hashKey('locked'), endpoints: ['*'], parameters: { project: 'mine' } },
      { name: 'expired', sha256: hashKey('expired'), endpoints: ['*'], expires: '2020-01-01T00:00:00Z' },
    ],
    settings: { connections: 2 },
  });
});
afterAll(() => service.stop());

const query = (path: string, init?: RequestInit): Promise<Response> =>
  service.call(`/api/endpoints/query/${path}`, init);
const json = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;
const post = (type: string, body: string): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': type },
  body,
});

/** What a raw exchange gives back; for requests that no client library sends. */
function exchange(text: string): Promise<string> {
  const { hostname, port } = new URL(service.service.address);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}

describe('a response', () => {
  test('has rows in an envelope, and metadata in header fields', async () => {
    const response = await query('plain?n=2', { headers: { 'X-Request-Id': 'my-id.1' } });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': 'my-id.1',
      'millrace-endpoint': expect.stringMatching(/^plain@[0-9a-f]{12}$/),
      'server-timing': expect.stringMatching(
        /^auth;dur=[\d.]+, plan;dur=[\d.]+, queue;dur=[\d.]+, engine;dur=[\d.]+, redact;dur=[\d.]+, encode;dur=[\d.]+$/,
      ),
    });
    expect(response.headers.has('millrace-truncated')).toBe(false);
    expect(Object.keys(await json(response))).toEqual(['result']);
  });

  test('writes values as documented', async () => {
    const response = await query('plain?n=1');
    const text = await response.text();
    expect(text).toContain('"big":9007199254740993');
    expect(JSON.parse(text)).toMatchObject({
      result: [
        {
          number: 0,
          nan: null,
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          text: 'line\nbreak',
          list: [1, 2],
          map: { k: 'v' },
        },
      ],
    });
  });

  test('writes 64-bit integers as strings if the endpoint says so', async () => {
    expect(await (await query('strings')).text()).toBe('{"result":[{"big":"9007199254740993"}]}');
  });

  test.each([
    { n: 0, rows: 0, truncated: false },
    { n: 5, rows: 5, truncated: false },
    { n: 6, rows: 5, truncated: true },
  ])('of $n rows with a maximum of 5: $rows, truncated: $truncated', async ({ n, rows, truncated }) => {
    const response = await query(`plain?n=${n}`);
    expect(response.headers.get('millrace-truncated')).toBe(truncated ? 'true' : null);
    const body = await json(response);
    expect(body['result']).toHaveLength(rows);
    expect(body['truncated']).toBe(truncated ? true : undefined);
  });

  test.each([
    { why: 'by name', path: 'plain?n=1' },
    { why: 'by UUID', path: '00000000-0000-4000-8000-000000000001?n=1' },
    { why: 'by UUID in capitals', path: '00000000-0000-4000-8000-000000000001'.toUpperCase() + '?n=1' },
    { why: 'by POST with JSON', path: 'plain', init: post('application/json', '{"n":1}') },
    {
      why: 'by POST with JSON in a charset',
      path: 'plain',
      init: post('application/json; charset=utf-8', '{"n":"1"}'),
    },
    { why: 'by POST with a form', path: 'plain', init: post('application/x-www-form-urlencoded', 'n=1') },
    { why: 'by POST with an empty body', path: 'plain?n=1', init: post('application/json', '') },
    { why: 'by POST without a body', path: 'plain?n=1', init: { method: 'POST' } },
    { why: 'by QUERY', path: 'plain', init: { ...post('application/json', '{"n":1}'), method: 'QUERY' } },
    {
      why: 'by GET with a JSON content type and no body',
      path: 'plain?n=1',
      init: { headers: { 'Content-Type': 'application/json; charset=utf-8' } },
    },
    { why: 'with a bearer token', path: 'plain?n=1', init: { headers: { Authorization: `Bearer ${KEY}` } } },
    { why: 'for any type', path: 'plain?n=1', init: { headers: { Accept: '*/*' } } },
    {
      why: 'for browsers',
      path: 'plain?n=1',
      init: { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } },
    },
    { why: 'with format=json', path: 'plain?n=1&format=json', init: { headers: { Accept: 'text/csv' } } },
  ])('$why', async ({ path, init }) => {
    const response = await query(path, init);
    expect(response.status).toBe(200);
    expect((await json(response))['result']).toHaveLength(1);
  });

  test('to HEAD has the headers and no body', async () => {
    const response = await query('plain?n=1', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(10);
    expect(await response.text()).toBe('');
  });

  test('to GET with a JSON body reads it like POST', async () => {
    const body = '{"n":3}';
    const answer = await exchange(
      `GET /api/endpoints/query/plain HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer.match(/"number":/g)).toHaveLength(3);
  });

  test('to OPTIONS lists the methods', async () => {
    const response = await query('plain', { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST, QUERY');
  });
});

describe('parameters', () => {
  test.each([
    {
      why: 'omitted parameters are null, or their default',
      body: {},
      row: { s: null, u: null, d: null, list: [] },
    },
    { why: 'empty parameters count as omitted', body: { s: '', u: null }, row: { s: null, u: null } },
    {
      why: 'hostile strings are values',
      body: { s: '\'; DROP TABLE x -- \\ \t\n{p:String} @s `"' },
      row: { s: '\'; DROP TABLE x -- \\ \t\n{p:String} @s `"' },
    },
    { why: 'the string NULL is a string', body: { s: String.raw`\N` }, row: { s: String.raw`\N` } },
    {
      why: 'times are normalised',
      body: { d: '2024-01-01T02:00:00.5+02:00' },
      row: { d: '2024-01-01T00:00:00.500Z' },
    },
    {
      why: 'lists keep their elements',
      body: { list: ['a', "it's", '\\', ''] },
      row: { list: ['a', "it's", '\\', ''] },
    },
  ])('$why', async ({ body, row }) => {
    const { result } = (await json(await query('exact', post('application/json', JSON.stringify(body))))) as {
      result: unknown[];
    };
    expect(result[0]).toMatchObject(row);
  });

  test('all errors are reported at once', async () => {
    const response = await query('exact?u=300&d=never&sx=1&list=[1');
    expect(response.status).toBe(400);
    const { code, errors } = (await json(response)) as {
      code: string;
      errors: { parameter: string; message: string }[];
    };
    expect(code).toBe('request.parameters_invalid');
    expect(errors.map((each) => each.parameter).toSorted()).toEqual(['d', 'list', 'sx', 'u']);
  });
});

describe('a rejection', () => {
  const big = 'x'.repeat(1_048_577);
  test.each([
    {
      why: 'no key',
      path: 'plain?n=1',
      init: { headers: { 'X-API-KEY': '' } },
      status: 401,
      code: 'auth.missing',
    },
    {
      why: 'a wrong key',
      path: 'plain?n=1',
      init: { headers: { 'X-API-KEY': 'wrong' } },
      status: 401,
      code: 'auth.invalid',
    },
    {
      why: 'another scheme',
      path: 'plain?n=1',
      init: { headers: { Authorization: `Basic ${KEY}` } },
      status: 401,
      code: 'auth.missing',
    },
    {
      why: 'a key in the URL',
      path: `plain?n=1&api_key=${KEY}`,
      init: { headers: { 'X-API-KEY': '' } },
      status: 401,
      code: 'auth.missing',
    },
    {
      why: 'an expired key',
      path: 'plain?n=1',
      init: { headers: { 'X-API-KEY': 'expired' } },
      status: 401,
      code: 'auth.invalid',
    },
    {
      why: 'a key that does not cover the endpoint',
      path: 'strings',
      init: { headers: { 'X-API-KEY': 'narrow' } },
      status: 403,
      code: 'auth.forbidden',
    },
    {
      why: 'a locked parameter changed',
      path: 'confined?project=other',
      init: { headers: { 'X-API-KEY': 'locked' } },
      status: 403,
      code: 'auth.forbidden',
    },
    {
      why: 'an endpoint that the lock cannot confine',
      path: 'plain?n=1',
      init: { headers: { 'X-API-KEY': 'locked' } },
      status: 403,
      code: 'auth.forbidden',
    },
    { why: 'an unknown endpoint', path: 'plane?n=1', init: {}, status: 404, code: 'route.endpoint_unknown' },
    {
      why: 'an endpoint of an unusual name',
      path: encodeURIComponent('../x\u0000'),
      init: {},
      status: 404,
      code: 'route.endpoint_unknown',
    },
    {
      why: 'an endpoint of a name over the maximum length',
      path: 'x'.repeat(5000),
      init: {},
      status: 404,
      code: 'route.endpoint_unknown',
    },
    {
      why: 'an unsupported method',
      path: 'plain?n=1',
      init: { method: 'DELETE' },
      status: 405,
      code: 'route.method_not_allowed',
    },
    {
      why: 'an unsupported format',
      path: 'plain?n=1',
      init: { headers: { Accept: 'text/html' } },
      status: 406,
      code: 'format.not_acceptable',
    },
    { why: 'format=xml', path: 'plain?n=1&format=xml', init: {}, status: 406, code: 'format.not_acceptable' },
    {
      why: 'a body of 1 MiB and one byte',
      path: 'plain',
      init: post('application/json', big),
      status: 413,
      code: 'request.body_too_large',
    },
    {
      why: 'a body of another type',
      path: 'plain',
      init: post('text/xml', '<n>1</n>'),
      status: 415,
      code: 'request.body_type_unsupported',
    },
    {
      why: 'broken JSON',
      path: 'plain',
      init: post('application/json', '{"n":'),
      status: 400,
      code: 'request.body_invalid',
    },
    {
      why: 'sql and lql together',
      path: 'plain?n=1&sql=a&lql=b',
      init: {},
      status: 400,
      code: 'request.query_conflict',
    },
    {
      why: 'sql without a sandbox',
      path: 'plain?n=1&sql=SELECT+1',
      init: {},
      status: 400,
      code: 'sandbox.disabled',
    },
    { why: 'a saved query that fails', path: 'broken', init: {}, status: 500, code: 'endpoint.failed' },
  ])('for $why', async ({ path, init, status, code }) => {
    const response = await query(path, init);
    const problem = await json(response);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(problem).toMatchObject({
      status,
      code,
      type: `/problems/${code}`,
      title: expect.any(String),
      detail: expect.any(String),
      hint: expect.any(String),
      error: { code },
    });
    expect(problem['instance']).toBe(response.headers.get('x-request-id'));
    if (status === 401) expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    if (status === 405) expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST, QUERY');
  });

  test('reveals nothing of the saved query or the engine', async () => {
    const text = await (await query('broken')).text();
    expect(text).not.toMatch(/secret_|SELECT|DB::|Code: |\.ts:/);
    const observed = service.observed.find(
      (each) => each.kind === 'request.finished' && each.code === 'endpoint.failed',
    );
    expect(
      JSON.stringify(observed, (_, value: unknown) => (value instanceof Error ? value.message : value)),
    ).toContain('secret_database');
  });

  test('has a type that resolves', async () => {
    const response = await service.call('/problems/auth.missing');
    expect(await json(response)).toEqual({ code: 'auth.missing', ...PROBLEMS['auth.missing'] });
  });

  test.each([
    {
      why: 'headers that are too large',
      text: `GET /health/live HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(140_000)}\r\n\r\n`,
      status: 431,
    },
    { why: 'input that is not HTTP', text: 'HELLO\r\n\r\n', status: 400 },
    {
      why: 'two lengths',
      text: 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      status: 400,
    },
  ])('for $why is a problem document too', async ({ text, status }) => {
    const answer = await exchange(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('application/problem+json');
  });

  test('for an invalid escape in the path', async () => {
    const answer = await exchange(
      `GET /api/endpoints/query/%zz HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('request.malformed');
  });

  test('outside the API is a problem too', async () => {
    const response = await service.call('/nowhere');
    expect(response.status).toBe(404);
    expect(await json(response)).toMatchObject({ code: 'route.unknown' });
  });
});

describe('time', () => {
  test('a query over its limit is 504', async () => {
    const response = await query('slow?each=0.3');
    expect(response.status).toBe(504);
    expect(await json(response)).toMatchObject({ code: 'engine.timeout' });
  });

  test('a disconnect cancels the query in the engine', async () => {
    const controller = new AbortController();
    const left = query('slow?each=0.16', { signal: controller.signal }).catch((error: unknown) => error);
    const running = async () => {
      const limits = { time: 240, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 20 };
      const sql =
        "SELECT count() FROM system.processes WHERE query LIKE '%sleepEachRow%' AND query NOT LIKE '%system.processes%'";
      return readRows(service.engine, sql, { limits });
    };
    await eventually(async () => expect(await running()).toEqual([[1]]));
    controller.abort();
    expect(await left).toMatchObject({ name: 'AbortError' });
    await eventually(async () => expect(await running()).toEqual([[0]]));
  });
});

describe('the listing', () => {
  test('has the endpoints that the key may call', async () => {
    const list = async (key: string): Promise<unknown[]> => {
      const { result } = (await json(
        await service.call('/api/endpoints', { headers: { 'X-API-KEY': key } }),
      )) as { result: { name: string }[] };
      return result.map((each) => each.name);
    };
    expect(await list('narrow')).toEqual(['plain']);
    expect(await list(KEY)).toEqual(['broken', 'confined', 'exact', 'plain', 'slow', 'strings']);
  });

  test('requires a key', async () => {
    expect((await service.call('/api/endpoints', { headers: { 'X-API-KEY': '' } })).status).toBe(401);
  });

  test('has null for columns that the engine cannot describe', async () => {
    const { result } = (await json(await service.call('/api/endpoints'))) as {
      result: { name: string; columns: unknown }[];
    };
    expect(result.find((each) => each.name === 'broken')?.columns).toBeNull();
    expect(result.find((each) => each.name === 'confined')?.columns).toEqual([
      { name: 'project', type: 'String', typescript: 'string' },
    ]);
  });
});

test('a locked parameter may be left out or repeated', async () => {
  for (const path of ['confined', 'confined?project=mine', 'confined?project=']) {
    const response = await query(path, { headers: { 'X-API-KEY': 'locked' } });
    expect(await response.text()).toBe('{"result":[{"project":"mine"}]}');
  }
});

test('health needs no key', async () => {
  for (const path of ['/health/live', '/health/ready']) {
    const response = await service.call(path, { headers: { 'X-API-KEY': '' } });
    expect(response.status).toBe(200);
    expect(await json(response)).toMatchObject({ status: 'ok' });
  }
});

test('one observation per request, without values or keys', async () => {
  service.observed.length = 0;
  await (await query('confined?project=do-not-log-me', { headers: { 'X-Request-Id': 'r1' } })).text();
  await eventually(() => expect(service.observed).toHaveLength(1));
  expect(service.observed[0]).toMatchObject({
    kind: 'request.finished',
    requestId: 'r1',
    method: 'GET',
    endpoint: 'confined',
    principal: 'everything',
    status: 200,
    rows: 1,
  });
  expect(JSON.stringify(service.observed)).not.toMatch(/do-not-log-me|a-key-for-everything/);
});
