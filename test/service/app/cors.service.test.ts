// Requests from web pages: preflights without a key, what allowed origins may read, and nothing for other origins.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowedOrigins } from '../../../src/service/config/origins.ts';
import { openService, type Service } from '../../../src/service/app/service.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const PAGE = 'https://app.example.com';
/** Over one engine: one that names pages, one that names none. */
let silent: TestService;
let named: Service;

beforeAll(async () => {
  silent = await startService();
  await writeEndpoint(
    silent,
    'kept',
    'id: 00000000-0000-4000-8000-0000000000a1\nname: kept\nquery: SELECT 1 AS n\ncache: { ttl: 60 }\n',
  );
  await silent.service.reload();
  named = await openService({
    settings: {
      ...silent.settings,
      port: 0,
      adminPort: 0,
      corsOrigins: allowedOrigins(
        'https://App.Example.com:443, HTTPS://other.example.com,http://LOCALHOST:3000, https://bücher.example:0443',
      ),
    },
    engine: silent.engine,
    extraTokens: [{ name: 'k', sha256: silent.keyHash, endpoints: ['*'] }],
    observe: () => undefined,
  });
});
afterAll(() => Promise.all([named.close('test'), silent.stop()]));

const PATH = '/api/endpoints/query/kept';
const preflight = (service: Service, origin: string): Promise<Response> =>
  fetch(`${service.address}${PATH}`, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'x-api-key',
    },
  });

/** Set by browsers, or by proxies. */
const NOT_BY_PAGES =
  /^(?:host|origin|accept-encoding|content-length|transfer-encoding|expect|user-agent|sec-.*|x-forwarded-.*)$/;

/** Names of the request header fields that the entry points read. */
async function fieldsInSource(): Promise<readonly string[]> {
  const found = new Set<string>();
  const folders = ['http', 'fronts'].map((each) => join(import.meta.dirname, '../../../src/service', each));
  for (const file of (await Promise.all(folders.map(sourceFiles))).flat()) {
    const text = await readFile(file, 'utf8');
    for (const [, a, b, c] of text.matchAll(
      /headers\??\.?\[?'([a-z-]+)'|headerText\(request, '([a-z-]+)'\)|(?<!-)headers\.(?!get\()([a-z]+)\b/g,
    ))
      found.add(a ?? b ?? c ?? '');
  }
  expect(found).toContain('x-clickhouse-key');
  return [...found].filter((name) => !NOT_BY_PAGES.test(name));
}

async function sourceFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

describe('allowed origins', () => {
  test('a preflight needs no key, and lists what may be sent', async () => {
    const response = await preflight(named, PAGE);
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'GET, HEAD, POST, QUERY, DELETE',
      'access-control-max-age': '600',
      'access-control-allow-headers': expect.stringContaining('X-API-KEY') as string,
    });
    expect(response.headers.get('access-control-allow-headers')).toContain('SVC-ENDPOINT-REDACT-PII');
  });

  test('a preflight lists every field that the service reads, and what tracers send', async () => {
    const response = await preflight(named, PAGE);
    const listed = (response.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ');
    const tracing = ['traceparent', 'tracestate', 'baggage', 'b3', 'sentry-trace', 'x-datadog-trace-id'];
    const needed = [...(await fieldsInSource()), ...tracing];
    expect(needed.filter((name) => !listed.includes(name))).toEqual([]);
    expect(listed).toHaveLength(new Set(listed).size);
  });

  test.each([
    'https://app.example.com:443',
    'https://APP.example.com',
    'HTTPS://App.Example.COM:443',
    'https://other.example.com',
    'http://localhost:3000',
    'https://xn--bcher-kva.example',
  ])('written as %s', async (origin) => {
    const response = await fetch(`${named.address}${PATH}`, {
      headers: { Origin: origin, 'X-API-KEY': KEY },
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    expect((await preflight(named, origin)).headers.get('access-control-allow-origin')).toBe(origin);
    const tools = await fetch(`${named.address}/mcp`, {
      method: 'POST',
      headers: { Origin: origin, 'X-API-KEY': KEY, 'Content-Type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    expect(tools.status).toBe(200);
  });

  test('responses, rejections and cached responses may be read', async () => {
    for (const key of [KEY, KEY, KEY, 'wrong']) {
      const response = await fetch(`${named.address}${PATH}`, {
        headers: { Origin: PAGE, 'X-API-KEY': key },
      });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
        key === KEY ? 200 : 401,
        PAGE,
      ]);
      expect(response.headers.get('access-control-expose-headers')).toContain('Cache-Status');
      expect(response.headers.get('vary')).toContain('Origin');
    }
  });
});

describe('other origins', () => {
  test.each([
    'https://evil.example.com',
    'https://app.example.com.evil.example',
    'null',
    'http://app.example.com',
    'https://app.example.com/',
    'https://app.example.com:8443',
    'https://user@app.example.com',
    'https://app.example.com/@evil.example.com',
    'https://other.example.com:80',
  ])('%s', async (origin) => {
    for (let times = 0; times < 2; times++) {
      const response = await fetch(`${named.address}${PATH}`, {
        headers: { Origin: origin, 'X-API-KEY': KEY },
      });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, null]);
    }
    expect((await preflight(named, origin)).headers.get('access-control-allow-origin')).toBeNull();
    const tools = await fetch(`${named.address}/mcp`, {
      method: 'POST',
      headers: { Origin: origin, 'X-API-KEY': KEY, 'Content-Type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    expect(tools.status).toBe(403);
  });

  test('all of them, if none is allowed', async () => {
    expect((await preflight(silent.service, PAGE)).headers.get('access-control-allow-origin')).toBeNull();
    const response = await silent.call(PATH, { headers: { Origin: PAGE } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  });
});

test('OPTIONS that is not a preflight lists the methods', async () => {
  for (const service of [named, silent.service]) {
    const response = await fetch(`${service.address}${PATH}`, { method: 'OPTIONS' });
    expect([response.status, response.headers.get('allow')]).toEqual([
      204,
      'GET, HEAD, OPTIONS, POST, QUERY',
    ]);
  }
});

test.each(['', '/api/endpoints', PATH, PATH, '/nowhere', '/health/live'])(
  'no content sniffing: %s',
  async (path) => {
    const { headers } = await silent.call(path);
    expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual([
      'nosniff',
      'no-referrer',
    ]);
  },
);
