// The listing of many endpoints: functions once, an entity tag; changes of endpoint files as events, in development.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import type { Token } from '../../../src/service/config/generated/tokens.ts';
import { sampleTables, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const COUNT = 60;
const id = (n: number): string => `id: 00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const file = (n: number, extra = ''): string => `${id(n)}
name: team${n % 10}.report-${n}
query: |
  WITH rows AS (SELECT ${n} AS n)
  SELECT n FROM rows
sandbox: { enabled: true${extra} }
`;

interface Listing {
  readonly result: readonly { name: string; sandbox: { function_set: string; functions?: unknown } }[];
  readonly function_sets: Readonly<Record<string, { functions: Record<string, string[]> }>>;
}

let service: TestService;
const LOCKED_KEY = 'a-key-for-one-tenant';
const LOCKED: Token = {
  name: 'locked',
  sha256: hashKey(LOCKED_KEY),
  endpoints: ['shop.*'],
  parameters: { tenant: 'a' },
  pii: 'redact',
};
const SHOP = `${id(999)}
name: shop.orders
query: |
  WITH o AS (SELECT id, event_message AS note, event_message AS secret FROM logs.edge_logs WHERE project = @tenant)
  SELECT id, note, secret FROM o
parameters: { tenant: { type: String, required: true } }
tenancy: { parameter: tenant }
pii: { redact: false, columns: { secret: drop, note.part: mask } }
sandbox: { enabled: true }
`;
beforeAll(async () => {
  service = await startService({
    sql: [await sampleTables()],
    isDevelopment: true,
    tokens: [LOCKED],
  });
  await writeEndpoint(service, 'shop', SHOP);
  for (let n = 0; n < COUNT; n++) await writeEndpoint(service, `report-${n}`, file(n));
  await writeEndpoint(service, 'denied', file(COUNT, ', functions: { deny: [sum] }'));
  await service.service.reload();
});
afterAll(() => service.stop());

test('does not wait for the engine, unless the client would', async () => {
  await writeEndpoint(service, 'slow', `${id(998)}\nname: slow\nquery: SELECT (SELECT sleep(3)) AS n\n`);
  await service.service.reload();
  const list = async (wait: string): Promise<readonly unknown[]> => {
    const response = await service.call('/api/endpoints', { headers: { Prefer: wait } });
    const listing = (await response.json()) as Listing & { incomplete?: true }; // our own envelope
    const slow = listing.result.find(({ name }) => name === 'slow');
    return [listing.incomplete, slow];
  };
  expect(await list('wait=0')).toMatchObject([true, { columns: null }]);
  expect(await list('')).toMatchObject([true, { columns: null }]);
  expect(await list('wait=60')).toMatchObject([
    undefined,
    { columns: [{ name: 'n', type: 'Nullable(UInt8)' }] },
  ]);
  expect(await list('wait=0')).toMatchObject([undefined, { columns: [{ name: 'n' }] }]);
  await rm(join(service.endpoints, 'slow.yaml'));
  await service.service.reload();
});

test('shared views are listed with their endpoint, without locked parameters; a file with a mistake keeps its last version', async () => {
  const viewsFor = async (key?: string) => {
    const response = await service.call(
      '/api/endpoints',
      key === undefined ? {} : { headers: { 'X-API-KEY': key } },
    );
    const { result } = (await response.json()) as { result: { name: string; shared_views?: unknown[] }[] }; // our own envelope
    return Object.fromEntries(
      result.flatMap(({ name, shared_views: views }) => (views === undefined ? [] : [[name, views]])),
    );
  };
  const view = `name: Notes\nendpoint: shop.orders\nparameters: { tenant: b }\nlql: f:o note:(x|y)\n`;
  await writeEndpoint(service, 'notes.view', view);
  await writeEndpoint(service, 'other.view', 'name: First\nendpoint: team1.report-1\nshow: chart\n');
  await service.service.reload();
  const shared = { name: 'Notes', lql: 'f:o note:(x|y)' };
  expect(await viewsFor()).toEqual({
    'shop.orders': [{ ...shared, parameters: { tenant: 'b' } }],
    'team1.report-1': [{ name: 'First', show: 'chart', parameters: {} }],
  });
  expect(await viewsFor(LOCKED_KEY)).toEqual({ 'shop.orders': [{ ...shared, parameters: {} }] });
  await writeEndpoint(service, 'notes.view', view.replace('(x|y)', '(x|'));
  await service.service.reload();
  expect((await viewsFor())['shop.orders']).toHaveLength(1);
  await rm(join(service.endpoints, 'notes.view.yaml'));
  await rm(join(service.endpoints, 'other.view.yaml'));
  await service.service.reload();
  expect(await viewsFor()).toEqual({});
});

describe('the listing of many endpoints', () => {
  test('contains each set of functions once', async () => {
    const response = await service.call('/api/endpoints');
    const text = await response.text();
    expect(text.length).toBeLessThan(120_000);
    const { result, function_sets: sets } = JSON.parse(text) as Listing; // our own envelope
    const own = `of team0.report-${COUNT}`;
    expect(result.length).toBeGreaterThan(COUNT);
    expect(Object.keys(sets).toSorted()).toEqual(['default', own]);
    expect(result.find(({ name }) => name === 'team1.report-1')?.sandbox.function_set).toBe('default');
    expect(sets['default']?.functions['aggregate']).toContain('sum');
    expect(sets[own]?.functions['aggregate']).not.toContain('sum');
  });

  test('says what is redacted for the key, and which parameter separates tenants, but not what is read', async () => {
    const own = await service.call('/api/endpoints', { headers: { 'X-API-KEY': LOCKED_KEY } });
    const text = await own.text();
    expect(text).not.toContain('edge_logs');
    expect(text).not.toContain('event_message');
    expect(JSON.parse(text).result).toMatchObject([
      {
        tenant: 'tenant',
        parameters: [{ name: 'tenant', locked: true }],
        columns: [{ name: 'id' }, { name: 'note', redacted: 'parts' }, { name: 'secret', redacted: 'drop' }],
      },
    ]);
    const all = (await (await service.call('/api/endpoints')).json()) as Listing; // our own envelope
    const shop = all.result.find(({ name }) => name === 'shop.orders');
    expect(JSON.stringify(shop)).not.toContain('redacted');
  });

  test('is not sent again if unchanged', async () => {
    const etag = (await service.call('/api/endpoints')).headers.get('etag') ?? '';
    const list = (): Promise<Response> =>
      service.call('/api/endpoints', { headers: { 'If-None-Match': etag } });
    expect((await list()).status).toBe(304);
    await writeEndpoint(service, 'report-0', `${file(0)}description: Changed\n`);
    await service.service.reload();
    expect((await list()).status).toBe(200);
  });
});

describe('events', () => {
  /** Reads a stream of events until one matches. */
  async function until(response: Response, pattern: RegExp): Promise<string> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true }); // bytes
      if (pattern.test(text)) return text;
    }
    throw new Error(`the stream ended after ${text}`);
  }

  test('report the findings at once and after each change', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const response = await service.call('/api/endpoints/events', { signal });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    await setTimeout(0);
    await writeEndpoint(service, 'report-1', 'name: [');
    expect(await until(response, /report-1\.yaml/)).toMatch(
      /^event: catalog\ndata: \{"findings":\[\],"count":0\}\n\n/,
    );
    controller.abort();
  });

  test('need a key', async () => {
    const response = await service.call('/api/endpoints/events', { headers: { 'X-API-KEY': 'wrong' } });
    expect(response.status).toBe(401);
  });

  test('exist only in development', async () => {
    const production = await startService();
    expect((await production.call('/api/endpoints/events')).status).toBe(404);
    await production.stop();
  });

  test('end when the service stops', async () => {
    const other = await startService({ isDevelopment: true });
    const response = await other.call('/api/endpoints/events');
    const body = response.text();
    await other.stop();
    expect(await body).toMatch(/^event: catalog/);
  });
});
