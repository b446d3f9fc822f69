// Consumer queries while the engine's queue is full: at whatever stage they meet it, the response is 503, never 500.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { startGate, type Gate } from '../../support/gate.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

let service: TestService;
let gate: Gate;
beforeAll(async () => {
  gate = await startGate();
  service = await startService({
    settings: { connections: 1, queue: QUEUE },
    tokens: [{ name: 'other', sha256: hashKey('other'), endpoints: ['*'] }],
  });
  await write(
    81,
    'tables',
    'query: "WITH t AS (SELECT number AS n FROM numbers(3)) SELECT n FROM t"\nsandbox: { enabled: true, dialects: [clickhouse, bigquery] }',
  );
  await write(82, 'gated', `query: SELECT passed FROM ${gate.table}`);
  for (const [index, name] of QUICK.entries()) await write(83 + index, name, 'query: SELECT 1 AS n');
  await service.service.reload();
});
afterAll(async () => {
  await service.stop();
  await gate.close();
});

/** Enough for the self-test of the sandbox, which runs its attacks at once. */
const QUEUE = 60;
/** One endpoint may fill half of the queue, and one key not all of it. */
const QUICK = ['quick-a', 'quick-b'] as const;
const KEYS = { 'quick-a': KEY, 'quick-b': 'other' };

function write(id: number, name: string, rest: string): Promise<void> {
  return writeEndpoint(
    service,
    name,
    `id: 00000000-0000-4000-8000-0000000000${id}\nname: ${name}\n${rest}\n`,
  );
}

const call = (name: string, key = KEY): Promise<Response> =>
  service.call(`/api/endpoints/query/${name}`, { headers: { 'X-API-KEY': key } });

/** Runs `work` while one statement runs and as many as can wait. */
async function whileFull<T>(work: () => Promise<T>): Promise<T> {
  gate.shut();
  const before = gate.arrived();
  const gated = call('gated');
  await gate.reached(before + 1);
  const waiting = QUICK.flatMap((name) => Array.from({ length: QUEUE / 2 }, () => call(name, KEYS[name])));
  await expect.poll(() => service.engine.load().waiting).toBe(QUEUE);
  const result = await work();
  gate.open();
  for (const { status } of await Promise.all([gated, ...waiting])) expect(status).toBe(200);
  return result;
}

describe('the queue is full', () => {
  test.each([
    { why: 'an LQL query whose tables are not known yet', path: 'query', fields: { lql: 's:n n:>0' } },
    { why: 'a BigQuery query too', path: 'query', fields: { sql: 'SELECT n FROM t', dialect: 'bigquery' } },
    { why: 'SQL to be checked', path: 'query', fields: { sql: 'SELECT n FROM t WHERE n > 1' } },
    { why: 'SQL whose dialect is tried', path: 'query', fields: { sql: 'SELECT n AS m FROM t LIMIT 2' } },
    { why: 'SQL to be explained', path: 'explain', fields: { sql: 'SELECT n + 1 AS m FROM t' } },
  ])('for $why', async ({ path, fields }) => {
    const query = String(new URLSearchParams(fields as Record<string, string>)); // texts, all of them
    const ask = (): Promise<Response> => service.call(`/api/endpoints/${path}/tables?${query}`);
    const response = await whileFull(ask);
    expect(await response.json()).toMatchObject({ status: 503, code: 'engine.busy' });
    expect(response.headers.get('retry-after')).toBe('1');
    expect((await ask()).status).toBe(200); // nothing of it is remembered
  });

  test('for SQL that was checked before', async () => {
    const ask = (): Promise<Response> =>
      service.call('/api/endpoints/query/tables?dialect=clickhouse&sql=SELECT+max(n)+AS+m+FROM+t');
    expect((await ask()).status).toBe(200);
    expect((await whileFull(ask)).status).toBe(503);
  });
});

describe('a consumer’s error is never 500', () => {
  test.each([
    {
      why: 'a function that throws while rows are read',
      sql: "SELECT toInt32(concat('x', toString(n))) AS m FROM t",
    },
    { why: 'an array that is too large', sql: 'SELECT length(range(1000000000 + n)) AS m FROM t' },
    { why: 'a string that is too long', sql: "SELECT length(repeat('x', 1000000000 + n)) AS m FROM t" },
    { why: 'a division by zero', sql: 'SELECT intDiv(1, n) AS m FROM t' },
    { why: 'a decimal that overflows', sql: 'SELECT toDecimal32(n + 1000000000, 9) AS m FROM t' },
    { why: 'an invalid UUID', sql: "SELECT toUUID(concat('x', toString(n))) AS m FROM t" },
    { why: 'an invalid address', sql: "SELECT toIPv4(concat('x', toString(n))) AS m FROM t" },
    {
      why: 'a window without an end',
      sql: 'SELECT n, sum(n) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND 5 PRECEDING) AS m FROM t',
    },
    { why: 'a regular expression', sql: "SELECT match(toString(n), '(') AS m FROM t" },
    { why: 'a JSON path', sql: "SELECT JSON_VALUE('{}', concat('$', toString(n))) AS m FROM t" },
    { why: 'a type of its own', sql: "SELECT CAST(n AS Enum8('a' = 1)) AS m FROM t" },
    { why: 'a negative limit', sql: 'SELECT n FROM t LIMIT -1 BY n' },
  ])('$why', async ({ sql }) => {
    for (const format of ['json', 'csv', 'arrow', 'parquet']) {
      const query = String(new URLSearchParams({ sql, format, dialect: 'clickhouse' }));
      const response = await service.call(`/api/endpoints/query/tables?${query}`);
      const text = await response.text();
      expect(text).not.toMatch(/numbers\(|DB::|"status":5/);
      expect(response.status).toBeLessThan(500);
    }
  });

  test.each([
    { why: 'an interval', sql: 'SELECT INTERVAL 1 DAY AS m FROM t' },
    { why: 'a tuple of intervals', sql: 'SELECT tuple(INTERVAL 1 DAY, n) AS m FROM t' },
    { why: 'a map of arrays', sql: "SELECT map('a', [n]) AS m FROM t" },
    { why: 'a point', sql: 'SELECT (1.5, 2.5)::Point AS m FROM t' },
    { why: 'a wide integer', sql: 'SELECT toInt256(n) AS m FROM t' },
    { why: 'an empty tuple', sql: 'SELECT tuple() AS m FROM t' },
    { why: 'nothing', sql: 'SELECT NULL AS m, [] AS k FROM t' },
  ])('nor is a column that a format has no type for: $why', async ({ sql }) => {
    for (const format of ['json', 'csv', 'ndjson', 'arrow', 'parquet']) {
      const query = String(new URLSearchParams({ sql, format, dialect: 'clickhouse' }));
      const response = await service.call(`/api/endpoints/query/tables?${query}`);
      expect(await response.text()).not.toContain('"status":5');
      expect(response.status).toBeLessThan(500);
    }
  });
});
