// `GET /api/why` for keys, and `GET /why` and `GET /top` for operators, on a whole service: what they show, and that a key sees only its own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import type { Token } from '../../../src/service/config/generated/tokens.ts';
import type { TopEntry } from '../../../src/service/observe/top-calls.ts';
import type { CallReport } from '../../../src/service/request/why/report.ts';
import { eventually } from '../../support/eventually.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const token = (name: string, more: Partial<Token> = {}): Token => ({
  name,
  sha256: hashKey(name),
  endpoints: ['*'],
  ...more,
});
const TOKENS: readonly Token[] = [
  token('author', { allow: ['sql'], statements: true }),
  token('plain'),
  token('small', { endpoints: ['mine'], parameters: { tenant: 'small' }, statements: true }),
  token('large', { endpoints: ['mine'], parameters: { tenant: 'large' } }),
  token('redacted', { allow: ['sql'], statements: true, pii: 'redact', budget: { read: '1GiB/min' } }),
  token('counted', { allow: ['sql'], statements: true, budget: { read: '1GiB/min' } }),
  token('rated', { rate: '1/h' }),
];
const TABLE =
  'CREATE TABLE app.events (tenant String, ts DateTime, n UInt32) ENGINE = MergeTree ORDER BY (tenant, ts) SETTINGS index_granularity = 64';
/** Parameters of which the values of a few calls take the place of all earlier statements. */
const WIDE = Array.from({ length: 16 }, (_, index) => `p${index}`);
const rowsOf = (tenant: string, rows: number): string =>
  `INSERT INTO app.events SELECT '${tenant}', toDateTime(1700000000) + number, number FROM numbers(${rows})`;

let service: TestService;

beforeAll(async () => {
  const sql = ['CREATE DATABASE app', TABLE, rowsOf('small', 100), rowsOf('large', 5000)];
  service = await startService({ tokens: TOKENS, sql, settings: { usage: true } });
  const tenant = 'parameters: { tenant: { type: String, required: true } }';
  const endpoints = {
    mine: `query: SELECT sum(n) AS c FROM app.events WHERE tenant = @tenant\n${tenant}`,
    scan: 'query: SELECT count() AS c FROM app.events WHERE n % 7 = 3',
    spread: 'query: SELECT @n AS n\nparameters: { n: { type: UInt32 } }\ncache: { ttl: 600 }',
    again: 'query: SELECT 2 AS n',
    kept: 'query: SELECT 1 AS n\ncache: { ttl: 600 }',
    named: `query: "WITH named AS (SELECT n, tenant FROM app.events WHERE tenant != 'large') SELECT n FROM named"\nsandbox: { enabled: true }`,
    wide: `query: SELECT ${WIDE.map((name) => `length(@${name})`).join(' + ')} AS n\nparameters: { ${WIDE.map((name) => `${name}: { type: String, required: true }`).join(', ')} }`,
    open: 'query: "WITH t AS (SELECT n, tenant FROM app.events) SELECT n FROM t"\nsandbox: { enabled: true }',
  };
  for (const [index, [name, body]] of Object.entries(endpoints).entries())
    await writeEndpoint(
      service,
      name,
      `id: 00000000-0000-4000-8000-0000000000${61 + index}\nname: ${name}\n${body}\n`,
    );
  await service.service.reload();
});
afterAll(async () => {
  await service.stop();
});

interface Top {
  readonly result: readonly TopEntry[];
  readonly total: TopEntry;
}
const send = (path: string, key: string, id?: string): Promise<Response> =>
  fetch(`${service.service.address}${path}`, {
    headers: { 'X-API-KEY': key, ...(id === undefined ? {} : { 'X-Request-Id': id }) },
  });
/** Makes a call and returns the report about it. */
async function explained(path: string, key: string, id: string): Promise<CallReport> {
  await (await send(`/api/endpoints/query/${path}`, key, id)).text();
  return reported(id, key);
}
async function reported(id: string, key: string): Promise<CallReport> {
  return eventually(async () => {
    const response = await send(`/api/why?request=${id}`, key);
    expect(response.status).toBe(200);
    return ((await response.json()) as { readonly result: CallReport }).result;
  });
}
const admin = async <T = object>(path: string): Promise<T> =>
  (await (await fetch(`${service.service.admin}${path}`)).json()) as T;
const codeOf = async (response: Response): Promise<unknown[]> => [
  response.status,
  ((await response.json()) as { readonly code?: unknown }).code,
];
const kinds = ({ reasons }: CallReport): readonly string[] => reasons.map(({ kind }) => kind);

describe('the report about a call', () => {
  test('has stages, the plan, and reasons with the change to make, for a key that sees statements', async () => {
    const report = await explained('scan', 'author', 'scan-1');
    expect(report).toMatchObject({
      request: 'scan-1',
      endpoint: 'scan',
      status: 200,
      cache: null,
      scope: 'own',
      returned: { rows: 1 },
      stages: { engine: expect.any(Number), queue: expect.any(Number), rest: expect.any(Number) },
      plan: { reads: [{ table: 'app.events', granules: 80, ofGranules: 80, used: [] }], others: [] },
    });
    expect(report.plan?.steps.map(({ step }) => step)).toEqual(
      expect.arrayContaining(['ReadFromMergeTree', 'Aggregating']),
    );
    expect(kinds(report)).toEqual(expect.arrayContaining(['all_granules', 'not_cached']));
    const byKey = await explained('mine?tenant=small', 'author', 'mine-1');
    expect(byKey.plan?.reads[0]).toMatchObject({ used: ['primary key (tenant)'] });
    expect(kinds(byKey)).not.toContain('all_granules');
    expect(JSON.stringify(byKey)).not.toContain('small'); // no values
  });

  test('says that a cached response needed no query, and which call failed', async () => {
    await explained('kept', 'plain', 'kept-1');
    expect(kinds(await explained('kept', 'plain', 'kept-2'))).toEqual(['cached']);
    expect(await explained('mine', 'plain', 'failed-1')).toMatchObject({
      status: 400,
      code: 'request.parameters_invalid',
      reasons: expect.arrayContaining([expect.objectContaining({ kind: 'failed' })]),
    });
  });

  test('of a consumer query has its plan for operators, while consumer queries may run', async () => {
    const path = `open?${new URLSearchParams({ sql: 'SELECT count() FROM t WHERE n = (SELECT max(n) FROM t)' }).toString()}`;
    const report = await explained(path, 'author', 'own-1');
    expect([report.plan, report.read, report.unplanned]).toEqual([undefined, undefined, undefined]);
    expect(await admin('/why?target=own-1')).toMatchObject({
      result: {
        plan: { reads: expect.arrayContaining([expect.objectContaining({ table: 'app.events' })]) },
      },
    });
    const failed = `open?${new URLSearchParams({ sql: 'SELECT intDiv(1, n - n) FROM t' }).toString()}`;
    await explained(failed, 'author', 'own-2');
    expect(await admin('/why?target=own-2')).toMatchObject({
      result: { unplanned: 'The query of the caller failed' },
    });
  });
});

describe('attacks', () => {
  test.each([
    ['no key', '', '?request=x', 401, 'auth.missing'],
    ['a wrong key', 'wrong', '?request=', 401, 'auth.invalid'],
    ['no request', 'plain', '', 400, 'request.parameters_invalid'],
    ['two requests', 'plain', '?request=a&request=b', 400, 'request.parameters_invalid'],
    ['another key', 'plain', '?request=a&usageId=b', 400, 'request.parameters_invalid'],
    ['an unknown request', 'plain', '?request=none', 404, 'route.request_unknown'],
    ['SQL', 'plain', `?request=${encodeURIComponent("' OR 1 = 1 --")}`, 404, 'route.request_unknown'],
    ['a name of an endpoint', 'author', '?request=scan', 404, 'route.request_unknown'],
  ])('%s', async (...[, key, query, status, code]) => {
    expect(await codeOf(await send(`/api/why${query}`, key))).toEqual([status, code]);
  });

  test('the request of another key is as unknown as one that was never made', async () => {
    await explained('scan', 'author', 'secret-1');
    const [other, none] = [
      await send('/api/why?request=secret-1', 'plain'),
      await send('/api/why?request=secret-0', 'plain'),
    ];
    const textOf = async (response: Response): Promise<string> =>
      (await response.text()).replaceAll(/"(?:instance|request_?id)":"[^"]*"/gi, '');
    expect([other.status, await textOf(other)]).toEqual([none.status, await textOf(none)]);
  });

  test('with the same id, each key gets its own call', async () => {
    await explained('scan', 'author', 'same');
    const report = await explained('kept', 'plain', 'same');
    expect(report).toMatchObject({ endpoint: 'kept' });
    expect(await reported('same', 'author')).toMatchObject({ endpoint: 'scan' });
  });

  test('a locked key sees nothing that depends on rows or calls of other tenants', async () => {
    const durations = /"(?:ms|auth|plan|queue|engine|redact|encode|rest|time)":[^,}]+|\d+\.\d of \d+\.\d ms/g;
    const shape = async (id: string): Promise<string> => {
      const { reasons, beside, ...report } = await explained('mine', 'small', id);
      const steady = reasons.filter(({ kind }) => ['not_cached', 'failed', 'all_granules'].includes(kind));
      return JSON.stringify({ ...report, request: '', steady, others: beside.length }).replaceAll(
        durations,
        '',
      );
    };
    const before = await shape('small-1');
    await service.engine.execute(rowsOf('large', 20_000));
    const running = Array.from({ length: 8 }, () => send('/api/endpoints/query/mine', 'large'));
    const after = await shape('small-2');
    for (const each of running) await (await each).text();
    expect(after).toBe(before);
    expect(after).not.toMatch(/granules|large|events|"read"/);
  });

  test('keys that do not see statements, or whose personal data is removed, see no plan and no sizes', async () => {
    for (const key of ['plain', 'redacted']) {
      const report = await explained('scan', key, `bare-${key}`);
      expect(report).not.toHaveProperty('plan');
      expect(report).not.toHaveProperty('read');
      expect(JSON.stringify(report)).not.toMatch(/granules|app\.events/);
    }
  });

  test('a consumer query does not show how many rows its tables leave out', async () => {
    const textOf = async (tenant: string, id: string): Promise<string> => {
      const sql = `SELECT count() FROM named WHERE tenant = '${tenant}'`;
      const { plan, read, unplanned } = await explained(
        `named?${new URLSearchParams({ sql }).toString()}`,
        'counted',
        id,
      );
      return JSON.stringify({ plan, read, unplanned });
    };
    // The table of the endpoint leaves out the rows of large.
    expect(await textOf('large', 'hidden-1')).toBe(await textOf('nobody', 'hidden-2'));
  });

  test('what a redacted call has read is not shown once its statement is forgotten', async () => {
    await explained('scan', 'redacted', 'forgotten');
    const text = 'x'.repeat(8000);
    for (let n = 0; n < 20; n++) {
      const response = await service.call('/api/endpoints/query/wide', {
        method: 'POST',
        headers: { 'X-API-KEY': 'redacted', 'Content-Type': 'application/json' },
        body: JSON.stringify(Object.fromEntries(WIDE.map((name) => [name, `${n}${text}`]))),
      });
      expect([n, response.status, (await response.text()).length > 0]).toEqual([n, 200, true]);
    }
    const report = await reported('forgotten', 'redacted');
    expect([report.read, report.plan]).toEqual([undefined, undefined]);
    expect(await admin('/why?target=forgotten')).toMatchObject({
      result: {
        read: { rows: expect.any(Number) },
        unplanned: expect.stringContaining('later ones took its place'),
      },
    });
  });

  test('a removed endpoint, and a changed one, are not planned', async () => {
    const id = 'id: 00000000-0000-4000-8000-000000000071\nname: brief\n';
    await writeEndpoint(service, 'brief', `${id}query: SELECT count() AS c FROM app.events\n`);
    await service.service.reload();
    expect(await explained('brief', 'author', 'brief-1')).toHaveProperty('plan');
    await writeEndpoint(service, 'brief', `${id}query: SELECT max(n) AS c FROM app.events\n`);
    await service.service.reload();
    expect(await reported('brief-1', 'author')).toMatchObject({
      unplanned: 'The endpoint has changed since',
    });
    await writeEndpoint(service, 'brief', `${id.replace('brief', 'other')}query: SELECT 1 AS n\n`);
    await service.service.reload();
    expect((await send('/api/why?request=brief-1', 'author')).status).toBe(404);
  });

  test('counts as a check, and has no other methods', async () => {
    for (let n = 0; n < 10; n++) expect((await send('/api/why?request=x', 'rated')).status).toBe(404);
    expect((await send('/api/why?request=x', 'rated')).status).toBe(429);
    const post = await fetch(`${service.service.address}/api/why`, { method: 'POST' });
    expect(post.status).toBe(405);
    const { headers } = await send('/api/why?request=x', 'plain');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('operators', () => {
  test('see calls of all keys, the slowest of an endpoint, and what ran beside', async () => {
    await explained('scan', 'author', 'seen-1');
    expect(await admin('/why?target=seen-1')).toMatchObject({
      result: {
        endpoint: 'scan',
        scope: 'all',
        plan: { reads: [expect.objectContaining({ table: 'app.events' })] },
      },
    });
    expect(await admin('/why?target=mine')).toMatchObject({ result: { endpoint: 'mine' } });
    // Callers choose ids, also names of endpoints.
    await explained('kept', 'plain', 'mine');
    expect(await admin('/why?target=mine')).toMatchObject({ result: { endpoint: 'mine' } });
    expect(await admin('/why?target=nothing')).toMatchObject({ status: 404, code: 'route.request_unknown' });
    expect(await admin('/why')).toMatchObject({ status: 400 });
  });

  test('see the endpoints and keys with the most calls, of this process and of the table', async () => {
    const top = await admin<Top>('/top?group=both&by=calls');
    expect(top).toMatchObject({ source: 'process', statements: { running: expect.any(Number) }, left: 0 });
    const entry = { endpoint: 'scan', key: 'author', calls: expect.any(Number), errors: 0 };
    expect(top.result).toEqual(expect.arrayContaining([expect.objectContaining(entry)]));
    const { calls } = top.total;
    const sum = (rows: Top['result']): number => rows.reduce((total, row) => total + row.calls, 0);
    expect([sum(top.result), sum((await admin<Top>('/top?group=key')).result)]).toEqual([calls, calls]);
    await eventually(async () =>
      expect((await admin<Top>('/top?minutes=1000&by=errors')).result).toEqual(
        expect.arrayContaining([expect.objectContaining({ endpoint: 'mine', errors: expect.any(Number) })]),
      ),
    );
    for (let n = 0; n < 60; n++) {
      await (await send(`/api/endpoints/query/spread?n=${n}`, 'plain')).text();
      await (await send('/api/endpoints/query/again', 'plain')).text();
    }
    await eventually(async () =>
      expect((await admin<{ readonly advice: object[] }>('/top')).advice).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ endpoint: 'spread', kind: 'never_hit' }),
          expect.objectContaining({ endpoint: 'again', kind: 'would_hit' }),
        ]),
      ),
    );
    for (const wrong of [
      'minutes=0',
      'minutes=99999',
      'by=constructor',
      'group=x',
      'more=1',
      'by=time&by=rows',
    ])
      expect((await fetch(`${service.service.admin}/top?${wrong}`)).status).toBe(400);
  });
});
