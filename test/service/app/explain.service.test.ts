// Checks of consumer queries: the engine computes scalar subqueries while it analyses, so what they read is the tenant's own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const LOCKED = 'a-key-locked-to-the-tenant-mine';
/** It sees statements. */
const AUTHOR = 'a-key-of-an-author';

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
      {
        name: 'author',
        sha256: hashKey(AUTHOR),
        endpoints: ['*'],
        allow: ['sql', 'lql'],
        parameters: { project: 'mine' },
        statements: true,
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
  await writeEndpoint(
    service,
    'pages',
    `id: 00000000-0000-4000-8000-000000000003
name: pages
query: SELECT id, secret FROM app.events WHERE project = @project /* if @before */ AND id < @before /* end */
parameters: { project: { type: String, required: true }, before: { type: UInt64 } }
page: { by: [id desc], size: 2 }
`,
  );
  await writeEndpoint(
    service,
    'masked',
    `id: 00000000-0000-4000-8000-000000000004
name: masked
query: SELECT id, secret FROM app.events WHERE project = @project
parameters: { project: { type: String, required: true } }
pii: { redact: true, at: source, columns: { secret: mask } }
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

describe('the statement as sent', () => {
  type Explained = {
    readonly code?: string;
    readonly result?: {
      readonly sql: string;
      readonly steps?: readonly Readonly<Record<'step' | 'reason' | 'sql', string>>[];
    };
  };
  const ask = async (path: string, key: string): Promise<Explained> => {
    const response = await service.call(`/api/endpoints/explain/${path}`, { headers: { 'X-API-KEY': key } });
    return (await response.json()) as Explained;
  };
  const sql = `sql=${encodeURIComponent('SELECT id FROM e')}`;

  test.each([
    ['pages', ['saved', 'limit', 'page']],
    ['pages?before=5', ['saved', 'limit', 'page']],
    ['masked', ['saved', 'redaction']],
    [`events?from=0&${sql}&dialect=clickhouse`, ['sent', 'sandbox']],
    [`events?${sql}&dialect=clickhouse`, ['sent', 'sandbox']], // parameters are not complete
    [`events?from=0&${sql}&dialect=bigquery`, ['sent', 'translation', 'sandbox']],
    ['events?from=0&lql=id:1', ['sent', 'translation', 'sandbox']],
  ])('of %s has every rewrite with its reason, and no values', async (path, steps) => {
    const { result } = await ask(path, AUTHOR);
    expect(result?.steps?.map(({ step }) => step)).toEqual(steps);
    for (const step of result?.steps ?? []) expect(step.reason.length).toBeGreaterThan(10);
    const last = result?.steps?.at(-1)?.sql ?? '';
    expect(last).toContain('FROM app.events');
    expect(last).toContain('{project:String}');
    expect(JSON.stringify(result)).not.toMatch(/'mine'|CANARY/);
    expect(result?.steps?.[0]?.sql).not.toBe(last);
  });

  test('names the variant that parameters choose, and the order of pages', async () => {
    const [saved, , page] = (await ask('pages?before=5', AUTHOR)).result?.steps ?? [];
    expect([saved?.reason, page?.reason]).toEqual([
      expect.stringContaining('before'),
      'A page of 2 rows by id desc',
    ]);
  });

  test('is for keys that see statements only', async () => {
    expect(await ask('pages', LOCKED)).toMatchObject({ code: 'request.parameters_invalid' });
    const text = JSON.stringify(await ask(`events?from=0&${sql}&dialect=clickhouse`, LOCKED));
    expect(text).not.toMatch(/app\.events|steps/);
    expect(await ask('pages?before=x', AUTHOR)).toMatchObject({ code: 'request.parameters_invalid' });
  });

  test('is what an agent with such a key sees', async () => {
    const explained = async (key: string): Promise<string> => {
      const params = {
        name: 'explain',
        arguments: { endpoint: 'events', sql: 'SELECT id FROM e', parameters: { from: 0 } },
      };
      const response = await service.call('/mcp', {
        method: 'POST',
        headers: {
          'X-API-KEY': key,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      return response.text();
    };
    expect(await explained(AUTHOR)).toContain('Statement after sandbox');
    expect(await explained(LOCKED)).not.toMatch(/app\.events|Statement after/);
  });
});
