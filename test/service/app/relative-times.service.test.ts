// Relative times on a whole service: bound for each call, cached for as long as they are the same, everywhere.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

let service: TestService;
const PARAMETERS = `parameters:
  from: { type: DateTime, default: now-24h, round: 1h }
  to: { type: DateTime, default: "@from + 1h" }
`;

beforeAll(async () => {
  service = await startService();
  const id = (n: number): string => `id: 00000000-0000-4000-8000-0000000000${n}`;
  const query = 'query: SELECT @from AS from, @to AS to, generateUUIDv4() AS run';
  await writeEndpoint(
    service,
    'kept',
    `${id(81)}\nname: kept\n${query}\n${PARAMETERS}cache: { ttl: 600000 }\n`,
  );
  await writeEndpoint(
    service,
    'moving',
    `${id(82)}\nname: moving\nquery: SELECT @from AS from, generateUUIDv4() AS run\nparameters: { from: { type: DateTime64(6), default: now } }\ncache: { ttl: 600 }\n`,
  );
  await writeEndpoint(
    service,
    'open',
    `${id(83)}\nname: open\nquery: "WITH t AS (SELECT @from AS time, toDate(@from) AS day) SELECT * FROM t"\nparameters: { from: { type: DateTime, default: now/d } }\nsandbox: { enabled: true }\n`,
  );
  await service.service.reload();
});
afterAll(() => service.stop());

interface Row {
  readonly [name: string]: string;
}

async function ask(path: string): Promise<{ readonly row: Row; readonly headers: Headers }> {
  const response = await service.call(`/api/endpoints/query/${path}`);
  expect(response.status).toBe(200);
  const { result } = (await response.json()) as { result: Row[] };
  return { row: result[0] ?? {}, headers: response.headers };
}

/** Repeats what an hour may end during. */
async function withinOneHour<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    const hour = Math.floor(Date.now() / 3_600_000);
    const result = await attempt();
    if (Math.floor(Date.now() / 3_600_000) === hour) return result;
  }
}

test('a call without parameters has the defaults of its time, and shares the response of others', async () => {
  const [first, second, sent] = await withinOneHour(async () => [
    await ask('kept'),
    await ask('kept'),
    await ask('kept?from=now-1d'),
  ]);
  const from = Date.parse(first.row['from'] ?? '');
  expect(from % 3_600_000).toBe(0);
  expect(Math.abs(Date.now() - 86_400_000 - from)).toBeLessThan(7_200_000);
  expect(Date.parse(first.row['to'] ?? '') - from).toBe(3_600_000);
  expect([second.row, sent.row]).toEqual([first.row, first.row]);
});

test('no cache uses a response for longer than the values of the call are the same', async () => {
  const { headers } = await ask('kept');
  const maxAge = Number(/max-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1]);
  expect(maxAge - Number(headers.get('age'))).toBeLessThanOrEqual(3600); // the ttl is a week
  const runs = new Set<string | undefined>();
  for (let n = 0; n < 5; n++) runs.add((await ask('moving')).row['run']);
  expect(runs.size).toBe(5);
});

test('consumer queries, POST and the listing', async () => {
  const midnight = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000).toISOString().slice(0, 10);
  expect((await ask(`open?sql=${encodeURIComponent('SELECT toString(day) AS day FROM t')}`)).row['day']).toBe(
    midnight,
  );
  const posted = await service.call('/api/endpoints/query/open', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ from: 'now-1y/y', sql: 'SELECT toYear(time) AS year FROM t' }),
  });
  expect(await posted.json()).toEqual({ result: [{ year: new Date().getUTCFullYear() - 1 }] });
  const wrong = await service.call('/api/endpoints/query/open?from=now-1x');
  expect([wrong.status, await wrong.json()]).toMatchObject([400, { errors: [{ parameter: 'from' }] }]);
  const listed = await (await service.call('/api/endpoints')).text();
  expect(listed).toContain('"default":"now-24h","round":"1h"');
  const document = await (await service.call('/openapi.json')).text();
  expect(document).toContain('"default":"now-24h"');
  expect(document).not.toContain('@from + 1h');
});
