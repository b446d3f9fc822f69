// Checks of consumer queries: the engine computes scalar subqueries while it analyses, so what they read is the tenant's own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const LOCKED = 'a-key-locked-to-the-tenant-mine';

let service: TestService;
beforeAll(async () => {
  service = await startService({
    sql: [
      'CREATE DATABASE app',
      'CREATE TABLE app.events (id UInt64, project String, secret String) ENGINE = MergeTree ORDER BY (project, id)',
      "INSERT INTO app.events SELECT number, 'other', 'CANARY' FROM numbers(60)",
      "INSERT INTO app.events SELECT number, 'mine', '5' FROM numbers(6)",
    ],
    tokens: [
      {
        name: 'locked',
        sha256: hashKey(LOCKED),
        endpoints: ['*'],
        allow: ['sql'],
        parameters: { project: 'mine' },
      },
    ],
  });
  const query = `query: WITH e AS (SELECT id, secret FROM app.events WHERE project = @project AND id >= @from) SELECT id FROM e
parameters: { project: { type: String, required: true }, from: { type: UInt64, required: true } }
sandbox: { enabled: true, dialects: [clickhouse, bigquery] }
examples: [{ name: all, parameters: { project: other, from: 0 } }]
`;
  await writeEndpoint(service, 'events', `id: 00000000-0000-4000-8000-000000000001\nname: events\n${query}`);
  await writeEndpoint(
    service,
    'slow',
    `id: 00000000-0000-4000-8000-000000000002
name: slow
query: WITH s AS (SELECT sleepEachRow(1) AS x FROM numbers(3)) SELECT x FROM s
sandbox: { enabled: true }
limits: { time: 1 }
`,
  );
  await service.service.reload();
});
afterAll(() => service.stop());

async function explain(fields: Readonly<Record<string, string>>, key?: string): Promise<number> {
  const query = new URLSearchParams(fields).toString();
  const init = key === undefined ? {} : { headers: { 'X-API-KEY': key } };
  return (await service.call(`/api/endpoints/explain/events?${query}`, init)).status;
}

/** Whether a condition on all rows of the table is true, by a division that then succeeds. */
const asking = (condition: string): string => `SELECT intDiv(1, (SELECT ${condition} FROM e)) AS x`;

describe.each([
  ['complete', { from: '0' }],
  ['incomplete', {}],
  ['invalid', { from: 'x' }],
] as const)('with %s parameters', (_, fields) => {
  test.each(['clickhouse', undefined])(
    'a locked key learns of its own rows only, dialect %s',
    async (dialect) => {
      const ask = (condition: string): Promise<number> =>
        explain({ ...fields, sql: asking(condition), ...(dialect && { dialect }) }, LOCKED);
      expect(await ask('count() = 6')).toBe(200);
      expect(await ask('count() > 6')).toBe(422);
      expect(await ask("max(secret) = 'CANARY'")).toBe(422);
    },
  );
});

test('what was found for one tenant is not the answer for another', async () => {
  const ask = (project: string): Promise<number> =>
    explain({ project, from: '0', dialect: 'clickhouse', sql: asking('count() > 10') });
  expect([await ask('other'), await ask('mine'), await ask('other')]).toEqual([200, 422, 200]);
});

test('an analysis that takes too long is a timeout', async () => {
  const sql = encodeURIComponent('SELECT (SELECT max(x) FROM s) AS x');
  const response = await service.call(`/api/endpoints/explain/slow?sql=${sql}`);
  expect([response.status, await response.json()]).toMatchObject([504, { code: 'engine.timeout' }]);
});
