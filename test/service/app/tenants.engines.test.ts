// A key that is locked to one tenant, through every kind of input: no row of the other tenant is ever returned.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const LOCKED = 'a-key-of-tenant-a';
const OTHERS = 'secret-of-b';
const ID = '00000000-0000-4000-8000-000000000051';
const QUERY = `WITH events AS (SELECT id, timestamp, message AS event_message, tenant FROM logs.tenants WHERE tenant = @tenant),
  counts AS (SELECT tenant, count() AS n FROM logs.tenants WHERE tenant = @tenant GROUP BY tenant)
  SELECT * FROM events`;
const file = (id: string, name: string, rest: string): string =>
  `id: ${id}\nname: ${name}\nquery: |\n  ${QUERY.replaceAll('\n', '\n  ')}\nparameters: { tenant: { type: String, required: true }, note: { type: String } }\nsandbox: { enabled: true }\nunknown_parameters: ignore\n${rest}`.replace(
    'SELECT * FROM events\n',
    "SELECT *, coalesce(@note, '') AS note FROM events\n",
  );

let service: TestService;

beforeAll(async () => {
  service = await startService({
    sql: [
      `CREATE DATABASE IF NOT EXISTS logs;
       CREATE TABLE logs.tenants (id UInt32, timestamp DateTime64(6), tenant String, message String) ENGINE = MergeTree ORDER BY timestamp;
       INSERT INTO logs.tenants VALUES (1, now(), 'a', 'own row of a'), (2, now(), 'b', '${OTHERS}'), (3, now(), 'a'';', 'odd')`,
    ],
    tokens: [
      {
        name: 'a',
        sha256: hashKey(LOCKED),
        endpoints: ['*'],
        allow: ['sql', 'lql'],
        parameters: { tenant: 'a' },
      },
    ],
  });
  await writeEndpoint(service, 'plain', file(ID, 'plain', ''));
  await writeEndpoint(
    service,
    'kept',
    file(
      ID.replace('51', '52'),
      'kept',
      'cache: { ttl: 60 }\nwarming: { every: 1, examples: true }\nexamples: [{ name: of b, parameters: { tenant: b } }]\n',
    ),
  );
  await service.service.reload();
  // The other tenant's answers are stored, and warm.
  for (const query of [
    'tenant=b',
    'tenant=b&sql=SELECT%20*%20FROM%20events',
    'tenant=b&lql=s:event_message',
  ]) {
    const response = await service.call(`/api/endpoints/query/kept?${query}`);
    if (!(await response.text()).includes(OTHERS)) throw new Error(`${query} has no rows`);
  }
});
afterAll(() => service.stop());

interface Way {
  readonly why: string;
  readonly path?: string;
  readonly init?: RequestInit;
}

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});
const form = (body: string): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  body,
});
const sql = (text: string): string => `?sql=${encodeURIComponent(text)}`;

/** Each tries to get at the other tenant's rows, or would do so by chance. */
const WAYS: readonly Way[] = [
  { why: 'no value' },
  { why: 'its own value', path: '?tenant=a' },
  { why: 'the other value', path: '?tenant=b' },
  { why: 'both values', path: '?tenant=a&tenant=b' },
  { why: 'an empty one', path: '?tenant=' },
  { why: 'the name spelled differently', path: '?Tenant=b&TENANT=b&tenant%20=b&tenant%00=b' },
  { why: 'as a list', path: '?tenant[]=b' },
  { why: 'as a placeholder', path: '?param_tenant=b' },
  { why: 'in JSON', init: json({ tenant: 'b' }) },
  { why: 'in JSON, as a list', init: json({ tenant: ['b'] }) },
  { why: 'in JSON, twice', init: { ...json({}), body: '{"tenant":"a","tenant":"b"}' } },
  { why: 'in JSON and in the URL', path: '?tenant=a', init: json({ tenant: 'b' }) },
  { why: 'in a form', init: form('tenant=b') },
  { why: 'by QUERY', init: { ...json({ tenant: 'b' }), method: 'QUERY' } },
  { why: 'through another parameter', path: `?note=${encodeURIComponent("' OR 1=1 --")}` },
  {
    why: 'through another parameter, with a backslash',
    path: `?note=${encodeURIComponent("\\', param_tenant = 'b")}`,
  },
  {
    why: 'through another parameter, with a line break',
    path: `?note=${encodeURIComponent("x\n', tenant: 'b")}`,
  },
  { why: 'consumer SQL over all rows', path: sql('SELECT * FROM events') },
  { why: 'consumer SQL with a condition', path: sql("SELECT * FROM events WHERE tenant = 'b' OR 1") },
  { why: 'consumer SQL over counts', path: sql('SELECT * FROM counts') },
  { why: 'consumer SQL, with the underlying table', path: sql('SELECT * FROM logs.tenants') },
  {
    why: 'consumer SQL, with the table in a subquery',
    path: sql('SELECT (SELECT any(message) FROM logs.tenants) FROM events'),
  },
  { why: 'consumer SQL, with a placeholder', path: sql('SELECT {tenant:String} FROM events') },
  {
    why: 'consumer SQL, with an internal name',
    path: sql("WITH events AS (SELECT 'b' AS tenant) SELECT * FROM events"),
  },
  { why: 'consumer SQL, with SET', path: sql("SELECT * FROM events SETTINGS param_tenant = 'b'") },
  { why: 'consumer SQL, and the other value', path: `${sql('SELECT * FROM events')}&tenant=b` },
  {
    why: 'consumer SQL as a body',
    init: { method: 'POST', headers: { 'Content-Type': 'application/sql' }, body: 'SELECT * FROM events' },
  },
  { why: 'consumer LQL', path: '?lql=s:event_message%20s:tenant' },
  { why: 'consumer LQL with a condition', path: '?lql=tenant:b%20s:event_message' },
  { why: 'consumer LQL, and the other value', path: '?tenant=b&lql=s:event_message' },
  { why: 'another format', path: '?tenant=b&format=csv' },
];

describe.each(['plain', 'kept', ID, ID.toUpperCase()])('%s', (name) => {
  test.each(WAYS)('$why', async ({ path = '', init = {} }) => {
    const headers = new Headers(init.headers);
    headers.set('X-API-KEY', LOCKED);
    for (let times = 0; times < 2; times++) {
      const response = await service.call(`/api/endpoints/query/${name}${path}`, { ...init, headers });
      const text = await response.text();
      expect(text).not.toContain(OTHERS);
      expect(response.status).toBeLessThan(500);
      if (response.status === 200) {
        const { result } = JSON.parse(text) as { result: Record<string, unknown>[] };
        for (const row of result) expect(row['tenant'] ?? 'a').toBe('a');
      }
    }
  });
});

test('what the lock rejects is allowed for other keys', async () => {
  const rejected = await service.call('/api/endpoints/query/kept?tenant=b', {
    headers: { 'X-API-KEY': LOCKED },
  });
  expect([rejected.status, ((await rejected.json()) as { code: string }).code]).toEqual([
    403,
    'auth.forbidden',
  ]);
  const allowed = await service.call('/api/endpoints/query/kept?tenant=b', { headers: { 'X-API-KEY': KEY } });
  expect(await allowed.text()).toContain(OTHERS);
});

test('the listing shows the lock, and examples that respect it', async () => {
  const response = await service.call('/api/endpoints', { headers: { 'X-API-KEY': LOCKED } });
  const { result } = (await response.json()) as {
    result: {
      name: string;
      parameters: { name: string; locked?: boolean }[];
      examples: { parameters: unknown }[];
    }[];
  };
  const kept = result.find(({ name }) => name === 'kept');
  expect(kept?.parameters.find(({ name }) => name === 'tenant')).toMatchObject({ locked: true });
  expect(kept?.examples).toMatchObject([{ parameters: { tenant: 'a' } }]);
  // An endpoint that the lock cannot confine is not for this key.
  const usage = await service.call('/api/endpoints/query/usage.api-counts?interval=daily&project=b', {
    headers: { 'X-API-KEY': LOCKED },
  });
  expect(usage.status).toBe(403);
});
