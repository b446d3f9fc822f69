// /llms.txt, endpoints as Markdown, and guides: for the view of each key, with entity tags and rate limits.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import type { Token } from '../../../src/service/config/generated/tokens.ts';
import { sampleTables, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const SHOP_KEY = 'a-key-for-one-tenant';
const OTHER_KEY = 'a-key-for-one-endpoint';
const SLOW_KEY = 'a-key-with-a-rate';
const TOKENS: readonly Token[] = [
  {
    name: 'shop',
    sha256: hashKey(SHOP_KEY),
    endpoints: ['shop.*'],
    parameters: { tenant: 'a' },
    allow: ['sql'],
    pii: 'redact',
  },
  { name: 'other', sha256: hashKey(OTHER_KEY), endpoints: ['plain'] },
  { name: 'slow', sha256: hashKey(SLOW_KEY), endpoints: ['*'], rate: '2/min' },
];
const id = (n: number): string => `id: 00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const SHOP = `${id(1)}
name: shop.orders
description: |
  Orders of one
  tenant. With | and <b>.
query: |
  WITH o AS (SELECT id, event_message AS note, event_message AS secret FROM logs.edge_logs WHERE project = @tenant)
  SELECT id, note, secret FROM o
parameters: { tenant: { type: String, required: true, enum: [a, x, globex], description: 'a | b' } }
pii: { redact: false, columns: { secret: drop } }
sandbox: { enabled: true }
examples:
  - { name: all, parameters: { tenant: x } }
  - { name: counted, parameters: { tenant: x }, sql: SELECT count() AS n FROM o }
  - { name: searched, parameters: { tenant: x }, lql: f:o }
`;
const plain = (n: number, name: string): string => `${id(n)}\nname: ${name}\nquery: SELECT ${n} AS n\n`;

let service: TestService;
beforeAll(async () => {
  service = await startService({ sql: [await sampleTables()], tokens: TOKENS });
  await writeEndpoint(service, 'shop', SHOP);
  await writeEndpoint(service, 'plain', plain(2, 'plain'));
  await writeEndpoint(service, 'plain-md', plain(3, 'plain.md'));
  await service.service.reload();
});
afterAll(() => service.stop());

const get = (path: string, key: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  service.call(path, { headers: { 'X-API-KEY': key, ...headers } });
const text = async (path: string, key: string): Promise<string> => {
  const response = await get(path, key);
  expect(response.status).toBe(200);
  return response.text();
};
const MARKDOWN = (name: string): string => `/api/endpoints/query/${name}.md`;

describe('/llms.txt', () => {
  test('has the form of llmstxt.org', async () => {
    const [title, , summary, ...rest] = (await text('/llms.txt', SHOP_KEY)).split('\n');
    expect(title).toMatch(/^# \S/);
    expect(summary).toMatch(/^> \S/);
    const sections = rest.filter((line) => line.startsWith('#'));
    expect(sections).toEqual(['## Endpoints', '## Guides', '## Optional']);
    for (const line of rest.filter((each) => each.startsWith('- ')))
      expect(line).toMatch(/^- \[[^\]]+\]\(\/[^)]*\)(?:: .+)?$/);
  });

  test('lists the endpoints of the key', async () => {
    const shown = await text('/llms.txt', SHOP_KEY);
    expect(shown).toContain(`- [shop.orders](${MARKDOWN('shop.orders')}): Orders of one tenant.\n`);
    expect(shown).not.toContain('[plain]');
    expect(await text('/llms.txt', OTHER_KEY)).not.toContain('shop.orders');
  });

  test('every link leads to a text', async () => {
    const links = [...(await text('/llms.txt', SHOP_KEY)).matchAll(/\]\((\/[^)]+)\)/g)];
    expect(links.length).toBeGreaterThanOrEqual(5);
    for (const [, path = ''] of links) expect((await get(path, SHOP_KEY)).status).toBe(200);
  });

  test('requires a key', async () => {
    for (const path of ['/llms.txt', '/guides/sql.md', MARKDOWN('shop.orders')])
      expect((await fetch(`${service.service.address}${path}`)).status).toBe(401);
  });
});

describe('an endpoint as Markdown', () => {
  test('for the view of the key', async () => {
    const shown = await text(MARKDOWN('shop.orders'), SHOP_KEY);
    for (const part of [
      '# shop.orders\n',
      '| `tenant` | `String` | no | Set by your key. a \\| b |',
      'GET /api/endpoints/query/shop.orders\n',
      '```text\ntable o\n- id: String\n- note: String\n```',
      '"sql": "SELECT count() AS n FROM o"',
    ])
      expect(shown).toContain(part);
    for (const part of ['`secret`', '- secret', 'f:o', 'edge_logs', 'event_message', '"tenant"', 'globex'])
      expect(shown).not.toContain(part);
  });

  test('of another key: parameters to send, all columns, queries in both languages', async () => {
    const shown = await text(MARKDOWN('shop.orders'), 'a-key-for-everything');
    for (const part of ['| `tenant` | `String` | yes |', '?tenant=x\n', '- secret: String', '"lql": "f:o"'])
      expect(shown).toContain(part);
  });

  test('by UUID, and by HEAD', async () => {
    const uuid = '00000000-0000-4000-8000-000000000001';
    expect(await text(MARKDOWN(uuid), SHOP_KEY)).toBe(await text(MARKDOWN('shop.orders'), SHOP_KEY));
    const head = await service.call(MARKDOWN('shop.orders'), { method: 'HEAD' });
    expect(head.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  });

  test('an endpoint whose name ends in .md is called at its name, and its Markdown is at name.md.md', async () => {
    const called = await get('/api/endpoints/query/plain.md', 'a-key-for-everything');
    expect(await called.json()).toEqual({ result: [{ n: 3 }] });
    expect(await text(MARKDOWN('plain.md'), 'a-key-for-everything')).toContain('# plain.md\n');
  });

  test('an endpoint outside of the scope of the key makes no difference', async () => {
    expect(await text('/api/endpoints/query/plain.md', OTHER_KEY)).toContain('# plain\n');
    for (const name of ['shop.orders.md', 'shop.none.md']) {
      const response = await get(`/api/endpoints/query/${name}`, OTHER_KEY);
      expect(response.status).toBe(403);
    }
  });

  test('POST calls an endpoint of that name', async () => {
    expect((await service.call(MARKDOWN('shop.orders'), { method: 'POST' })).status).toBe(404);
  });
});

describe('entity tags and rate limits', () => {
  test.each(['/llms.txt', '/guides/lql.md', MARKDOWN('plain')])('%s has an entity tag', async (path) => {
    const etag = (await get(path, OTHER_KEY)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"/);
    expect((await get(path, OTHER_KEY, { 'If-None-Match': etag })).status).toBe(304);
    expect((await get(path, OTHER_KEY, { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  test('it changes with the endpoints', async () => {
    const before = (await get('/llms.txt', 'a-key-for-everything')).headers.get('etag');
    await writeEndpoint(service, 'more', plain(4, 'more'));
    await service.service.reload();
    expect((await get('/llms.txt', 'a-key-for-everything')).headers.get('etag')).not.toBe(before);
  });

  test('texts count against the rate limit, once each', async () => {
    const first = await get(MARKDOWN('plain.md'), SLOW_KEY);
    expect(first.headers.get('ratelimit')).toContain('r=1');
    expect((await get('/llms.txt', SLOW_KEY)).status).toBe(200);
    expect((await get('/guides/sql.md', SLOW_KEY)).status).toBe(429);
  });

  test('an unknown guide is 404', async () => {
    expect((await get('/guides/none.md', OTHER_KEY)).status).toBe(404);
  });
});
