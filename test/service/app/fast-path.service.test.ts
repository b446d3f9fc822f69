// The cached fast path: everything that could change the response disables it immediately.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const file = (query: string): string =>
  `id: 00000000-0000-4000-8000-000000000031\nname: kept\nquery: ${query}\nparameters: { p: { type: String, default: a } }\ncache: { ttl: 60 }\nsandbox: { enabled: true }\n`;
const QUERY = "WITH t AS (SELECT @p AS p, '::1' AS ip, generateUUIDv4() AS run) SELECT * FROM t";
const KEYS = { one: 'key-one', locked: 'key-locked', forbidden: 'key-forbidden', rated: 'key-rated' };
/** Seconds that keys of these names are valid: the first one that a slow machine does not let expire too early is used. */
const BRIEF = [5, 20, 80];

let service: TestService;

beforeAll(async () => {
  service = await startService({
    tokens: [
      { name: 'one', sha256: hashKey(KEYS.one), endpoints: ['*'], allow: ['sql'] },
      { name: 'locked', sha256: hashKey(KEYS.locked), endpoints: ['*'], parameters: { p: 'own' } },
      { name: 'forbidden', sha256: hashKey(KEYS.forbidden), endpoints: ['other'] },
      { name: 'rated', sha256: hashKey(KEYS.rated), endpoints: ['*'], rate: '3/hour' },
      ...BRIEF.map((seconds) => ({
        name: `brief-${seconds}`,
        sha256: hashKey(`key-brief-${seconds}`),
        endpoints: ['*'] as [string],
        expires: new Date(Date.now() + seconds * 1000).toISOString(),
      })),
    ],
  });
  await writeEndpoint(service, 'kept', file(QUERY));
  await service.service.reload();
});
afterAll(() => service.stop());

const ask = async (query = '', headers: Record<string, string> = {}, method = 'GET') => {
  const response = await service.call(`/api/endpoints/query/kept${query}`, {
    method,
    headers: { 'X-API-KEY': KEYS.one, ...headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    headers: response.headers,
    isRepeat: /^auth;dur=[\d.]+$/.test(response.headers.get('server-timing') ?? ''),
  };
};
const runOf = (text: string): string => (JSON.parse(text) as { result: [{ run: string }] }).result[0].run;

test('a second call takes the fast path, with the same response', async () => {
  const first = await ask();
  const second = await ask();
  const third = await ask('', { 'X-Request-Id': 'my-id' });
  expect([first, second, third].map(({ status, isRepeat }) => [status, isRepeat])).toEqual([
    [200, false],
    [200, true],
    [200, true],
  ]);
  expect([second.text, third.text]).toEqual([first.text, first.text]);
  expect(third.headers.get('x-request-id')).toBe('my-id');
  const names = (headers: Headers): string[] =>
    [...headers.keys()].filter((name) => name !== 'date').toSorted();
  expect(names(second.headers)).toEqual(names(first.headers));
  expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
  expect(second.headers.get('cache-status')).toMatch(/^millrace; hit; ttl=\d+$/);
  expect(second.headers.get('content-length')).toBe(String(Buffer.byteLength(first.text)));
});

test('it is observed like any other', async () => {
  await ask();
  const { isRepeat } = await ask('', { 'X-Request-Id': 'observed' });
  const seen = service.observed.find(
    (each) => each.kind === 'request.finished' && each.requestId === 'observed',
  );
  expect([isRepeat, seen]).toMatchObject([
    true,
    { status: 200, endpoint: 'kept', principal: 'one', rows: 1, cache: 'hit' },
  ]);
});

test('a repeated call counts against the rate limits, and one beyond them is rejected', async () => {
  const rated = { 'X-API-KEY': KEYS.rated };
  const seen = [];
  for (let n = 0; n < 4; n++) {
    const { status, isRepeat, headers } = await ask('?p=rated', rated);
    seen.push([status, isRepeat, /;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]]);
  }
  expect(seen).toEqual([
    [200, false, '2'],
    [200, true, '1'],
    [200, true, '0'],
    [429, false, '0'],
  ]);
});

describe('everything that can change the response is checked', () => {
  test.each<{
    why: string;
    query?: string;
    headers?: Record<string, string>;
    method?: string;
    expected: Record<string, unknown>;
  }>([
    { why: 'an invalid key', headers: { 'X-API-KEY': 'wrong' }, expected: { status: 401 } },
    { why: 'an empty key', headers: { 'X-API-KEY': '' }, expected: { status: 401 } },
    {
      why: 'a key that does not cover it',
      headers: { 'X-API-KEY': KEYS.forbidden },
      expected: { status: 403 },
    },
    {
      why: 'a key with a lock',
      headers: { 'X-API-KEY': KEYS.locked },
      expected: { text: expect.stringContaining('"p":"own"') },
    },
    { why: 'a parameter', query: '?p=b', expected: { text: expect.stringContaining('"p":"b"') } },
    { why: 'an invalid parameter', query: '?q=b', expected: { status: 400 } },
    {
      why: 'redaction',
      headers: { 'SVC-ENDPOINT-REDACT-PII': 'true' },
      expected: { text: expect.stringContaining('REDACTED') },
    },
    { why: 'an unsupported media type', headers: { Accept: 'image/png' }, expected: { status: 406 } },
    { why: 'an unsupported format', query: '?format=xml', expected: { status: 406 } },
    { why: 'a matching ETag', headers: { 'If-None-Match': '*' }, expected: { status: 304 } },
    {
      why: 'a request for a newer response',
      headers: { 'Cache-Control': 'max-age=0' },
      expected: {
        headers: expect.toSatisfy(
          (headers: Headers) => headers.get('cache-status')?.includes('stored') === true,
        ),
      },
    },
    {
      why: 'a consumer query',
      query: '?sql=SELECT 1 AS n FROM t',
      expected: { text: '{"result":[{"n":1}]}' },
    },
    { why: 'another method', method: 'DELETE', expected: { status: 405 } },
    { why: 'a method without a body', method: 'HEAD', expected: { status: 200, text: '' } },
  ])('$why', async ({ query, headers, method, expected }) => {
    await ask();
    expect((await ask()).isRepeat).toBe(true);
    expect(await ask(query, headers, method)).toMatchObject(expected);
    expect(await ask(query, headers, method)).toMatchObject(expected); // also when it might be remembered
  });

  test('a key that expires', async () => {
    const isRepeated: boolean[] = [];
    for (const seconds of BRIEF) {
      const brief = { 'X-API-KEY': `key-brief-${seconds}` };
      await ask('', brief);
      const { status, isRepeat } = await ask('', brief);
      if (status === 200) isRepeated.push(isRepeat);
      await expect.poll(async () => (await ask('', brief)).status).toBe(401);
      if (status === 200) break;
    }
    expect(isRepeated).toEqual([true]);
  });

  test('a purge', async () => {
    const before = await ask();
    await fetch(`${service.service.admin}/cache/purge?endpoint=kept`, { method: 'POST' });
    const after = await ask();
    expect([after.isRepeat, runOf(after.text) === runOf(before.text)]).toEqual([false, false]);
  });

  test('a changed file, and a deleted one', async () => {
    await ask();
    await writeEndpoint(
      service,
      'kept',
      file("WITH t AS (SELECT @p AS p, 'new' AS ip, 1 AS run) SELECT * FROM t"),
    );
    await service.service.reload();
    expect((await ask()).text).toContain('"ip":"new"');
    expect((await ask()).isRepeat).toBe(true);
    await writeEndpoint(service, 'kept', file(QUERY).replace('name: kept', 'name: moved'));
    await service.service.reload();
    expect((await ask()).status).toBe(404);
  });
});
