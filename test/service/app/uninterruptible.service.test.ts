// A consumer query that cannot be interrupted, through the whole service: its caller, other callers, and shutdown.
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';
import { eventually } from '../../support/eventually.ts';

/** One block that runs for minutes: neither a time limit nor KILL QUERY ends it. */
const stuck = (n: number): string =>
  `SELECT length(extractAll(repeat('a', 900000), '(a?){500}a{500}')) + ${n} AS n FROM logs`;

const endpoint = (
  name: string,
  id: number,
  rest: string,
): string => `id: 00000000-0000-4000-8000-0000000000${id}
name: ${name}
query: WITH logs AS (SELECT 1 AS n) SELECT n, generateUUIDv4() AS run FROM logs
${rest}`;

let service: TestService;
beforeEach(async () => {
  const tokens = [
    { name: 'attacker', sha256: hashKey('key-attacker'), endpoints: ['*'], allow: ['sql' as const] },
    ...['mine', 'other'].map((project) => ({
      name: project,
      sha256: hashKey(`key-${project}`),
      endpoints: ['tenants'],
      allow: ['sql' as const],
      parameters: { project },
    })),
  ];
  service = await startService({
    tokens,
    settings: { connections: 2, shares: { consumers: 1, perKey: 1 }, drainTimeout: 1 },
  });
  await writeEndpoint(
    service,
    'open',
    endpoint('open', 71, 'sandbox: { enabled: true }\nlimits: { time: 1 }\n'),
  );
  await writeEndpoint(service, 'saved', endpoint('saved', 73, 'limits: { time: 240 }\n'));
  await writeEndpoint(service, 'kept', endpoint('kept', 72, 'cache: { ttl: 600 }\n'));
  await writeEndpoint(
    service,
    'tenants',
    `id: 00000000-0000-4000-8000-000000000074
name: tenants
query: WITH logs AS (SELECT @project AS project) SELECT project FROM logs
parameters: { project: { type: String, required: true } }
sandbox: { enabled: true }
limits: { time: 1 }
`,
  );
  await service.service.reload();
});
afterEach(() => service.stop());

const send = (sql: string, key = 'key-attacker'): Promise<Response> =>
  service.call(`/api/endpoints/query/open?sql=${encodeURIComponent(sql)}`, { headers: { 'X-API-KEY': key } });
const codeOf = async (response: Promise<Response>): Promise<readonly [number, unknown]> => {
  const { status, body } = await response.then(async (each) => ({
    status: each.status,
    body: await each.json(),
  }));
  return [status, typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined];
};
const restarts = (): number =>
  service.observed.filter(({ kind }) => kind === 'engine.process_restarted').length;
const metrics = async (): Promise<string> => (await fetch(`${service.service.admin}/metrics`)).text();

test('its caller gets 504, saved queries are answered throughout, and it is suspended', async () => {
  const kept = await service.rows('kept');
  const first = codeOf(send(stuck(1)));
  const statuses = new Set<number>();
  while (restarts() === 0) {
    const [saved, cached] = [await service.call('/api/endpoints/query/saved'), await service.rows('kept')];
    statuses.add(saved.status);
    expect(cached).toEqual(kept);
    await setTimeout(50); // leaves the processors to the engine
  }
  expect([...statuses]).toEqual([200]);
  expect(await first).toEqual([504, 'engine.timeout']);
  const again = await send(stuck(1));
  expect([again.status, await again.json()]).toMatchObject([429, { code: 'query.suspended' }]);
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(500);
  expect(await codeOf(send('SELECT n FROM logs'))).toEqual([200, undefined]);
  const text = await metrics();
  expect(text).toContain('millrace_engine_process_ends_total{reason="overdue"} 1');
  expect(text).toContain('millrace_engine_fatal_statements_total{origin="consumer",fatality="overdue"} 1');
  expect(text).toContain('millrace_suspended_total{scope="query"} 1');
  expect(text).toMatch(/^millrace_engine_memory_bytes \d{8,}$/m);
});

test('the same query of a key that reads other rows is not suspended, in any interface', async () => {
  const sql = stuck(0).replace('900000', "if(project = 'mine', 900000, 1)").replace(' + 0', '');
  const ask = (key: string): Promise<Response> =>
    service.call(`/api/endpoints/query/tenants?sql=${encodeURIComponent(sql)}`, {
      headers: { 'X-API-KEY': key },
    });
  const clickhouse = (key: string): Promise<Response> =>
    fetch(`${service.service.address}/clickhouse?database=tenants`, {
      method: 'POST',
      headers: { 'X-ClickHouse-Key': key },
      body: sql,
    });
  const agent = (key: string): Promise<Response> =>
    service.call('/mcp', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'query', arguments: { endpoint: 'tenants', sql } },
      }),
    });
  expect(await codeOf(ask('key-mine'))).toEqual([504, 'engine.timeout']);
  await eventually(() => expect(restarts()).toBe(1));
  expect(await codeOf(ask('key-mine'))).toEqual([429, 'query.suspended']);
  expect(await codeOf(ask('key-other'))).toEqual([200, undefined]);
  expect((await clickhouse('key-mine')).status).toBe(429);
  expect(await (await clickhouse('key-other')).text()).toBe('0\n');
  expect(await (await agent('key-mine')).text()).toContain('query.suspended');
  expect(await (await agent('key-other')).text()).toContain('structuredContent');
});

test('one key occupies at most its share of the connections, and does not prevent the service from stopping', async () => {
  const { connections, shares } = service.settings;
  expect(shares.perKey).toBeLessThan(connections);
  const all = Array.from({ length: connections }, (_, n) => codeOf(send(stuck(n))));
  const { engine } = service;
  await eventually(() =>
    expect(engine.load()).toMatchObject({ running: shares.perKey, waiting: connections - shares.perKey }),
  );
  expect(await codeOf(service.call('/api/endpoints/query/saved'))).toEqual([200, undefined]);
  await service.service.close('SIGTERM');
  const outcomes = await Promise.all(all);
  for (const [status] of outcomes) expect([503, 504]).toContain(status);
  expect(service.observed.map(({ kind }) => kind)).toContain('service.stopped');
});
