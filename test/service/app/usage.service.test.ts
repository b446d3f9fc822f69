// `GET /api/usage` on a whole service: what is counted over all entry points, and that a key sees only its own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import type { Token } from '../../../src/service/config/generated/tokens.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';
import { eventually } from '../../support/eventually.ts';

const token = (name: string, more: Partial<Token> = {}): Token => ({
  name,
  sha256: hashKey(name),
  endpoints: ['*'],
  ...more,
});
const TOKENS: readonly Token[] = [
  token('counted', { allow: ['sql'], budget: { read: '100MiB/day', time: '60s/hour' } }),
  token('other'),
  token('tenant', { endpoints: ['locked', 'plain'], parameters: { project: 'mine' } }),
  token('neighbour', { endpoints: ['locked'], parameters: { project: 'theirs' } }),
  token('rated', { rate: '1/h' }),
];
const id = (n: number): string => `id: 00000000-0000-4000-8000-0000000000${n}`;

let service: TestService;

beforeAll(async () => {
  service = await startService({ tokens: TOKENS });
  const endpoints = {
    plain:
      'query: SELECT sum(number) AS n FROM numbers(@n)\nparameters: { n: { type: UInt32, default: 10 } }',
    kept: 'query: SELECT 1 AS n\ncache: { ttl: 600 }',
    narrow: 'query: SELECT sum(number) AS n FROM numbers(1000)\nbudget: { time: 5s/min }',
    locked: 'query: SELECT @project AS project\nparameters: { project: { type: String, required: true } }',
    open: 'query: "WITH t AS (SELECT 1 AS n) SELECT n FROM t"\nsandbox: { enabled: true }',
  };
  for (const [index, [name, body]] of Object.entries(endpoints).entries())
    await writeEndpoint(service, name, `${id(51 + index)}\nname: ${name}\n${body}\n`);
  await service.service.reload();
});
afterAll(async () => {
  await service.stop();
});

type Json = Record<string, unknown>;
const send = (path: string, key: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${service.service.address}${path}`, {
    ...init,
    headers: { ...Object(init.headers), 'X-API-KEY': key },
  });
const ask = (path: string, key: string): Promise<Response> => send(`/api/endpoints/query/${path}`, key);
const usage = async (key: string, query = ''): Promise<Json> =>
  (await (await send(`/api/usage${query}`, key)).json()) as Json;

describe('the usage of a key', () => {
  test('has its calls on every entry point, and what is left of its budgets', async () => {
    for (const path of ['plain', 'plain?n=x', 'kept', 'kept', 'kept', 'narrow'])
      await (await ask(path, 'counted')).text();
    await (await send('/clickhouse/?query=SELECT+n+FROM+open.t', 'counted')).text();
    const tool = { name: 'plain', arguments: {} };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool };
    await (
      await send('/mcp', 'counted', {
        method: 'POST',
        body: JSON.stringify(message),
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      })
    ).text();
    await (await ask('plain?n=20', 'other')).text();
    await (await send('/api/endpoints/explain/open?sql=SELECT+n+FROM+t', 'counted')).text(); // a check is no call
    await eventually(async () => expect(await usage('counted')).toMatchObject({ total: { calls: 8 } }));
    const { result, total, budgets, since } = await usage('counted');
    expect(since).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/); // this process has started today
    const entry = (endpoint: string, calls: number, errors: number, rows: number): object => ({
      day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      endpoint,
      calls,
      errors,
      rows,
      bytes: expect.any(Number),
    });
    expect(result).toEqual([
      entry('kept', 3, 0, 3),
      entry('narrow', 1, 0, 1),
      entry('open', 1, 0, 1),
      entry('plain', 3, 1, 2),
    ]);
    expect(total).toMatchObject({ calls: 8, errors: 1, rows: 7 });
    expect(budgets).toEqual([
      expect.objectContaining({ endpoint: null, resource: 'read', unit: 'read-bytes', limit: 104_857_600 }),
      expect.objectContaining({ endpoint: null, resource: 'time', unit: 'engine-seconds', limit: 60 }),
      expect.objectContaining({ endpoint: 'narrow', resource: 'time', limit: 5, window: 60 }),
    ]);
    const [read] = budgets as { remaining: number }[];
    expect(read?.remaining).toBe(104_857_600); // in whole percents: no row of others is counted by it
  });

  test('shows nothing of another key, nor endpoints that the key may not call', async () => {
    await (await ask('locked', 'tenant')).text();
    await (await ask('locked', 'neighbour')).text();
    await (await ask('locked?project=x', 'neighbour')).text();
    await eventually(async () => expect(await usage('tenant')).toMatchObject({ total: { calls: 1 } }));
    expect(await usage('tenant')).toMatchObject({
      result: [{ endpoint: 'locked', calls: 1, errors: 0 }],
      budgets: [],
    });
    expect(JSON.stringify(await usage('neighbour'))).not.toMatch(/narrow|plain|mine|tenant/);
    expect(JSON.stringify(await usage('tenant'))).not.toMatch(/narrow|theirs/); // a lock that narrow does not take
  });

  test.each([
    ['no key', '', '', 401, 'auth.missing'],
    ['a wrong key', 'wrong', '?days=x', 401, 'auth.invalid'],
    ['no day', 'other', '?days=0', 400, 'request.parameters_invalid'],
    ['too many days', 'other', '?days=32', 400, 'request.parameters_invalid'],
    ['another form of a number', 'other', '?days=1e1', 400, 'request.parameters_invalid'],
    ['days twice', 'other', '?days=1&days=2', 400, 'request.parameters_invalid'],
    ['another key', 'other', '?key=counted', 400, 'request.parameters_invalid'],
    ['too many parameters', 'other', `?${'days=1&'.repeat(1001)}`, 400, 'request.parameters_invalid'],
  ])('%s', async (...[, key, query, status, code]) => {
    const response = await send(`/api/usage${query}`, key);
    expect([response.status, ((await response.json()) as Json)['code']]).toEqual([status, code]);
  });

  test('counts as a check, and has no other methods', async () => {
    for (let n = 0; n < 10; n++) expect((await send('/api/usage', 'rated')).status).toBe(200);
    const last = await send('/api/usage', 'rated');
    expect([last.status, last.headers.get('retry-after')]).toEqual([429, expect.any(String)]);
    expect((await ask('plain', 'rated')).status).toBe(200);
    expect((await send('/api/usage', 'other', { method: 'POST' })).status).toBe(405);
    const { headers } = await send('/api/usage?days=31', 'other');
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual([
      'no-store',
      expect.stringContaining('Authorization, X-API-KEY'),
    ]);
  });
});
