// Requests before authentication: bounded work, and no body is read.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { KEY, startService, type TestService } from '../../support/service.ts';

const PLAIN = '/api/endpoints/query/plain';
const MIB = 2 ** 20;

let service: TestService;
beforeAll(async () => {
  service = await startService({
    endpoints: join(import.meta.dirname, '../../support/endpoints'),
    tokens: [
      { name: 'narrow', sha256: hashKey('narrow'), endpoints: ['plain', 'pl*', '0000*'] },
      { name: 'locked', sha256: hashKey('locked'), endpoints: ['*'], parameters: { project: 'mine' } },
    ],
  });
});
afterAll(() => service.stop());

/** A connection, and what has come back on it. */
function open(): { readonly socket: Socket; readonly answers: () => string } {
  const { hostname, port } = new URL(service.service.address);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  return { socket, answers: () => text };
}

function head(method: string, path: string, fields: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ Host: 'x', ...fields }).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

const statuses = (text: string): readonly string[] => text.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? [];

describe('a body', () => {
  test.each([
    { why: 'no key', key: {}, path: PLAIN, status: '401' },
    { why: 'a wrong key', key: { 'X-API-KEY': 'wrong' }, path: PLAIN, status: '401' },
    {
      why: 'a key for other endpoints',
      key: { 'X-API-KEY': 'narrow' },
      path: PLAIN.replace('plain', 'slow'),
      status: '403',
    },
    { why: 'no such path', key: {}, path: '/nowhere', status: '404' },
    { why: 'a path that accepts none', key: {}, path: '/health/live', status: '405' },
  ])('is not waited for: $why', async ({ key, path, status }) => {
    for (const type of ['application/json', 'text/xml', '', '\u00ff']) {
      const { socket, answers } = open();
      // Nothing of the body ever comes.
      socket.write(head('POST', path, { ...key, 'Content-Type': type, 'Content-Length': String(MIB) }));
      await expect.poll(() => statuses(answers())).toEqual([status]);
      socket.destroy();
    }
  });

  test('of known length within the limit is discarded, and the connection stays open', async () => {
    const { socket, answers } = open();
    const length = { 'Content-Type': 'application/json', 'Content-Length': String(MIB) };
    socket.write(head('POST', PLAIN, length));
    await expect.poll(() => statuses(answers())).toEqual(['401']);
    socket.write('{'.repeat(MIB));
    socket.write(head('GET', '/health/live', {}));
    await expect.poll(() => statuses(answers())).toEqual(['401', '200']);
    socket.destroy();
  });

  test.each([
    { why: 'without a length', fields: { 'Transfer-Encoding': 'chunked' } },
    { why: 'over the maximum length', fields: { 'Content-Length': String(10 * MIB) } },
    { why: 'that waits for 100 Continue', fields: { 'Content-Length': '10', Expect: '100-continue' } },
  ])('$why ends the connection', async ({ fields }) => {
    const { socket, answers } = open();
    const ended = once(socket, 'end');
    socket.write(head('POST', PLAIN, { 'Content-Type': 'application/json', ...fields }));
    await ended;
    expect(statuses(answers())).toEqual(['401']);
    expect(answers()).toMatch(/^connection: close\r$/im);
  });

  test('is requested with 100 Continue if the key may send it', async () => {
    const { socket, answers } = open();
    const fields = { 'X-API-KEY': KEY, 'Content-Type': 'application/json', Expect: '100-continue' };
    socket.write(head('POST', PLAIN, { ...fields, 'Content-Length': '7' }));
    await expect.poll(() => statuses(answers())).toEqual(['100']);
    socket.write('{"n":1}');
    await expect.poll(() => statuses(answers())).toEqual(['100', '200']);
    socket.destroy();
  });

  test.each([
    { why: 'with a length', fields: { 'Content-Length': String(MIB + 1) }, body: '' },
    {
      why: 'in chunks',
      fields: { 'Transfer-Encoding': 'chunked' },
      body: `110000\r\n${'x'.repeat(0x110000)}\r\n`,
    },
  ])('over 1 MiB $why is 413 to a key that may call', async ({ fields, body }) => {
    const { socket, answers } = open();
    socket.write(head('POST', PLAIN, { 'X-API-KEY': KEY, 'Content-Type': 'application/json', ...fields }));
    socket.write(body);
    await expect.poll(() => statuses(answers())).toEqual(['413']);
    socket.destroy();
  });

  test('whose caller disconnects midway is not a server error', async () => {
    service.observed.length = 0;
    const { socket } = open();
    socket.write(head('POST', PLAIN, { 'X-API-KEY': KEY, 'Content-Length': '100' }));
    socket.write('{"n":');
    await new Promise((later) => setTimeout(later, 50));
    socket.destroy();
    expect((await service.call(`${PLAIN}?n=1`)).status).toBe(200);
    expect(service.observed).not.toContainEqual(expect.objectContaining({ code: 'internal.error' }));
  });

  test('arrives as sent, whatever its chunks', async () => {
    const { socket, answers } = open();
    const body = Buffer.from('{"s":"é€🦀"}');
    const fields = { 'X-API-KEY': KEY, 'Content-Type': 'application/json', Connection: 'close' };
    socket.write(
      head('POST', '/api/endpoints/query/exact', { ...fields, 'Content-Length': `${body.length}` }),
    );
    for (const byte of body) {
      socket.write(Buffer.of(byte));
      await new Promise((later) => setTimeout(later, 5));
    }
    await expect.poll(answers).toContain('"s":"é€🦀"');
  });
});

describe('a header field over its length limit', () => {
  const long = (item: string): string => item.repeat(100_000 / item.length);
  test.each([
    { why: 'Accept is 406', fields: { Accept: long('a/b,') }, status: 406, code: 'format.not_acceptable' },
    { why: 'Accept is ignored if format is set', path: '&format=csv', fields: { Accept: long('a/b,') } },
    { why: 'Accept-Encoding is ignored', fields: { 'Accept-Encoding': long('gzip,') } },
    { why: 'Cache-Control too', fields: { 'Cache-Control': `only-if-cached,${long('x,')}` } },
    { why: 'If-None-Match too', fields: { 'If-None-Match': `*,${long('"x",')}` } },
    { why: 'labels too', fields: { 'SVC-ENDPOINT-LABELS': long('a=b,') } },
    { why: 'a request id is replaced', fields: { 'X-Request-Id': long('x') } },
    { why: 'a traceparent is ignored', fields: { traceparent: long('0') } },
    { why: 'cookies are not read', fields: { Cookie: long('a=b;') } },
    { why: 'a key is unknown', fields: { 'X-API-KEY': long('x') }, status: 401, code: 'auth.invalid' },
    {
      why: 'a bearer token is unknown',
      fields: { 'X-API-KEY': undefined, Authorization: `Bearer ${long('x')}` },
      status: 401,
      code: 'auth.invalid',
    },
  ])('$why', async ({ fields, path = '', status = 200, code }) => {
    const headers = Object.entries({ 'X-API-KEY': KEY, ...fields });
    const sent = headers.filter((field): field is [string, string] => field[1] !== undefined);
    const response = await fetch(`${service.service.address}${PLAIN}?n=1${path}`, { headers: sent });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-encoding')).toBeNull();
    const text = await response.text();
    if (code !== undefined) expect(JSON.parse(text)).toMatchObject({ code });
  });

  test('adds redaction if it could have requested it', async () => {
    const ask = (value: string): Promise<string> =>
      service
        .call('/api/endpoints/query/exact?s=a%40example.com', {
          headers: { 'SVC-ENDPOINT-REDACT-PII': value },
        })
        .then((response) => response.text());
    expect(await ask('false')).toContain('a@example.com');
    expect(await ask(long('false,'))).not.toContain('a@example.com');
  });
});

describe('a key that may not call an endpoint does not learn whether it exists', () => {
  const ask = async (key: string, path: string, init: RequestInit = {}): Promise<unknown> => {
    const headers = new Headers(init.headers);
    headers.set('X-API-KEY', key);
    headers.set('X-Request-Id', 'same');
    const response = await service.call(path, { ...init, headers });
    const fields = [...response.headers].filter(([name]) => name !== 'date');
    const name = decodeURIComponent(new URL(response.url).pathname.split('/').at(-1) ?? '');
    return [response.status, fields, (await response.text()).replaceAll(name, '…')];
  };
  const post = { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: '<a/>' };
  const own = 'sql=SELECT+1';

  test.each([
    { why: 'of a name', key: 'narrow', there: 'slow', not: 'slaw' },
    { why: 'of an UUID', key: 'narrow', there: id(3), not: id(9999) },
    { why: 'with a lock that the endpoint does not accept', key: 'locked', there: 'plain', not: 'plein' },
    { why: 'the same by UUID', key: 'locked', there: id(1), not: id(9999) },
    { why: 'near a name that it may call', key: 'locked', there: 'slow', not: 'slaw' },
  ])('$why', async ({ key, there, not }) => {
    for (const route of ['query', 'explain'])
      for (const [query, init] of [
        ['', {}],
        [`?${own}`, {}],
        ['?format=nothing', {}],
        ['', post],
        ['', { method: 'HEAD' }],
        ['', { method: 'QUERY', headers: { 'Content-Type': 'application/json' }, body: '[' }],
        ['', { method: 'DELETE' }],
        ['', { method: 'OPTIONS' }],
      ] as const) {
        const path = (name: string): string => `/api/endpoints/${route}/${name}${query}`;
        const length = (answer: unknown): string =>
          JSON.stringify(answer).replace(/"content-length","\d+"/, '"content-length",""');
        expect(length(await ask(key, path(not), init))).toBe(length(await ask(key, path(there), init)));
      }
  });

  test('its own globs alone decide between 404 and 403', async () => {
    const status = async (key: string, name: string): Promise<number> =>
      (await service.call(`/api/endpoints/query/${name}`, { headers: { 'X-API-KEY': key } })).status;
    expect(await status('narrow', 'plane')).toBe(404);
    expect(await status('narrow', 'slow')).toBe(403);
    expect(await status('narrow', 'nothing')).toBe(403);
    expect(await status('locked', 'nothing')).toBe(403);
    expect(await status(KEY, 'nothing')).toBe(404);
  });

  test.each(['/api/endpoints', '/openapi.json'])('nor from %s', async (path) => {
    const text = await (await service.call(path, { headers: { 'X-API-KEY': 'locked' } })).text();
    expect(text).toContain('confined');
    expect(text).not.toMatch(/\b(?:plain|slow|strings)\b.*query/);
  });
});

function id(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}
