// Live calls over HTTP, with the real engine.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { eventually } from '../../support/eventually.ts';
import { openLive, type LiveClient } from '../../support/live-client.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const TENANTS = { a: 'a-key-of-tenant-a', b: 'a-key-of-tenant-b' };
const RATED = 'a-key-with-a-rate';
const PATH = '/api/endpoints/query/';
const ROWS = `SELECT id, tenant, text FROM app.rows WHERE tenant = @tenant ORDER BY id DESC LIMIT 5`;
const FILES = {
  whole: `live: { every: 1 }\nquery: ${ROWS}\nparameters: { tenant: { type: String, default: a } }\n`,
  added: `live: { every: 1, key: [id] }\ncache: { ttl: 60 }\nquery: ${ROWS}\nparameters: { tenant: { type: String, default: a } }\n`,
  until: `live: { every: 1 }\ncache: { ttl: 600, until: data }\nquery: ${ROWS.replace('app.rows', 'app.calm')}\nparameters: { tenant: { type: String, default: a } }\n`,
  open: `live: { every: 1 }\nsandbox: { enabled: true }\nquery: WITH t AS (SELECT id, tenant, text FROM app.rows WHERE tenant = @tenant) SELECT * FROM t ORDER BY id\nparameters: { tenant: { type: String, required: true } }\n`,
  still: `query: SELECT 1 AS one\n`,
  clock: `live: { every: 1 }\nquery: SELECT now64(3) AS at\n`,
  personal: `live: { every: 1 }\npii: { redact: false }\nquery: SELECT id, 'jo@example.com' AS text FROM app.rows ORDER BY id LIMIT 1\n`,
} as const;

let service: TestService;
const clients: LiveClient[] = [];

beforeAll(async () => {
  const lock = (tenant: string) => ({
    endpoints: ['*'],
    allow: ['sql' as const, 'lql' as const],
    parameters: { tenant },
  });
  service = await startService({
    sql: [
      'CREATE DATABASE app',
      'CREATE TABLE app.rows (id UInt64, tenant String, text String) ENGINE = MergeTree ORDER BY id',
      'CREATE TABLE app.calm (id UInt64, tenant String, text String) ENGINE = MergeTree ORDER BY id',
      'SYSTEM STOP MERGES app.calm', // a merge is a change
      "INSERT INTO app.rows VALUES (1, 'a', 'one'), (2, 'b', 'two')",
    ],
    tokens: [
      ...Object.entries(TENANTS).map(([name, key]) => ({ name, sha256: hashKey(key), ...lock(name) })),
      { name: 'rated', sha256: hashKey(RATED), endpoints: ['*'], rate: '2/h' },
    ],
    settings: { liveStreams: { total: 40, perKey: 10 } },
  });
  for (const [index, [name, text]] of Object.entries(FILES).entries())
    await writeEndpoint(service, name, `id: ${idOf(index)}\nname: ${name}\n${text}`);
  await service.service.reload();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await eventually(async () => {
    if ((await gauge('millrace_live_streams')) > 0) throw new Error('a stream is open');
  });
});
afterAll(() => service.stop());

const idOf = (index: number): string => `00000000-0000-4000-8000-0000000001${10 + index}`;

async function follow(path: string, key = KEY, init: RequestInit = {}): Promise<LiveClient> {
  const client = await openLive(`${service.service.address}${PATH}${path}`, {
    ...init,
    headers: [['X-API-KEY', key], ...new Headers(init.headers)],
  });
  clients.push(client);
  return client;
}

async function gauge(name: string): Promise<number> {
  const text = await (await fetch(`${service.service.admin}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

const insert = (id: number, tenant: string, text = 'new'): Promise<unknown> =>
  service.engine.execute(`INSERT INTO app.rows VALUES (${id}, '${tenant}', '${text}')`);

const idsOf = (client: LiveClient, index: number): unknown =>
  (client.events[index]?.data as { result: { id: number }[] } | undefined)?.result.map(({ id }) => id);

const PATIENT = { timeout: 10_000 };

describe('live calls', () => {
  test('the result at once, and again when it has changed', async () => {
    const client = await follow('whole');
    expect(client.response.headers.get('cache-control')).toBe('no-store');
    expect(client.response.headers.get('x-accel-buffering')).toBe('no');
    await expect.poll(() => client.events.length, PATIENT).toBe(1);
    const plain = await service.call(`${PATH}whole`);
    expect(client.events[0]).toEqual({
      event: 'result',
      id: plain.headers.get('etag')?.replaceAll('"', ''),
      data: await plain.json(),
    });
    expect(client.retries).toEqual([2000]);
    await insert(3, 'a');
    await expect.poll(() => client.events.length, PATIENT).toBe(2);
    expect(idsOf(client, 1)).toEqual([3, 1]);
  });

  test('only rows that are new, with a key', async () => {
    const client = await follow('added');
    await expect.poll(() => client.events.length, PATIENT).toBe(1);
    await insert(4, 'a');
    await expect.poll(() => client.events.length, PATIENT).toBe(2);
    expect(client.events[1]).toMatchObject({ event: 'rows' });
    expect(idsOf(client, 1)).toEqual([4]);
    await service.engine.execute(`INSERT INTO app.rows SELECT number + 100, 'a', '' FROM numbers(5)`);
    await expect.poll(() => client.events.length, PATIENT).toBe(3);
    expect(client.events[2]).toMatchObject({ event: 'result' }); // others may have come and gone
    await service.engine.execute(`ALTER TABLE app.rows DELETE WHERE id >= 100 SETTINGS mutations_sync = 1`);
  });

  test('a result that becomes empty is an event, and later rows are added to it', async () => {
    const client = await follow('added?tenant=z');
    await expect.poll(() => client.events.length, PATIENT).toBe(1);
    await insert(61, 'z');
    await expect.poll(() => client.events.length, PATIENT).toBe(2);
    await service.engine.execute(
      "ALTER TABLE app.rows DELETE WHERE tenant = 'z' SETTINGS mutations_sync = 1",
    );
    await expect.poll(() => client.events.length, PATIENT).toBe(3);
    await insert(62, 'z');
    await expect.poll(() => client.events.length, PATIENT).toBe(4);
    expect(client.events.map(({ event }, index) => [event, idsOf(client, index)])).toEqual([
      ['result', []],
      ['rows', [61]],
      ['result', []],
      ['rows', [62]],
    ]);
    await service.engine.execute(
      "ALTER TABLE app.rows DELETE WHERE tenant = 'z' SETTINGS mutations_sync = 1",
    );
  });

  test('one run for all who ask the same, and none while nothing changes', async () => {
    const both = [await follow('until'), await follow('until?tenant=a')];
    for (const each of both) await expect.poll(() => each.events.length, PATIENT).toBe(1);
    const runs = (): number =>
      service.observed.filter((each) => each.kind === 'live.ran' && each.endpoint === 'until').length;
    const checks = (): number => service.observed.filter(({ kind }) => kind === 'cache.checked').length;
    expect(await gauge('millrace_live_questions')).toBe(1);
    const [ran, checked] = [runs(), checks()];
    await expect.poll(checks, PATIENT).toBeGreaterThan(checked + 2);
    expect(runs()).toBe(ran);
    await service.engine.execute("INSERT INTO app.calm VALUES (5, 'a', '')");
    for (const each of both) await expect.poll(() => each.events.length, PATIENT).toBe(2);
    expect(runs()).toBe(ran + 1);
    expect(both[0]?.events).toEqual(both[1]?.events);
  });

  test('a caller who reconnects gets what it has missed', async () => {
    const first = await follow('added');
    await expect.poll(() => first.events.length, PATIENT).toBe(1);
    const { id = '' } = first.events[0] ?? {};
    const same = await follow('added', KEY, { headers: { 'Last-Event-ID': id } });
    await insert(6, 'a');
    await insert(7, 'a');
    await expect.poll(() => first.events.flatMap(({ event }) => event), PATIENT).toContain('rows');
    await expect.poll(() => JSON.stringify(first.events), PATIENT).toContain('"id":7');
    await expect.poll(() => JSON.stringify(same.events), PATIENT).toContain('"id":7');
    expect(same.events.every(({ event }) => event === 'rows')).toBe(true);
    const late = await follow(`added?last_event_id=${encodeURIComponent(id)}`);
    await expect.poll(() => late.events.length, PATIENT).toBe(1);
    expect(late.events[0]).toMatchObject({ event: 'rows' });
    expect(idsOf(late, 0)).toEqual(expect.arrayContaining([6, 7]));
    const other = await follow('added?last_event_id=unknown');
    await expect.poll(() => other.events.map(({ event }) => event), PATIENT).toEqual(['result']);
  });

  test('POST, QUERY and the parameter live', async () => {
    const body = JSON.stringify({ tenant: 'a' });
    const headers = { 'Content-Type': 'application/json' };
    for (const [path, init] of [
      ['whole', { method: 'POST', body, headers }],
      ['whole', { method: 'QUERY', body, headers }],
      ['whole?live=true', { headers: { Accept: '*/*' } }],
      ['whole', { method: 'POST', body: '{"live":true}', headers: { ...headers, Accept: '*/*' } }],
    ] as const) {
      const client = await follow(path, KEY, init);
      await expect.poll(() => client.events.length, PATIENT).toBe(1);
    }
    const head = await service.call(`${PATH}whole?live=true`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  });

  test.each([
    ['still', 'text/event-stream', 406, 'format.not_acceptable'],
    ['still?live=true', '*/*', 400, 'live.unavailable'],
    ['whole?format=csv&live=true', '*/*', 406, 'format.not_acceptable'],
    ['whole?meta=true', 'text/event-stream', 400, 'request.parameters_invalid'],
    ['whole?tenant=a&tenant=b', 'text/event-stream', 400, 'request.parameters_invalid'],
    ['open?tenant=a&sql=SELECT+*+FROM+app.rows', 'text/event-stream', 400, 'sandbox.table_denied'],
    ['open?tenant=a&sql=SELECT+sleep(1)+FROM+t', 'text/event-stream', 400, 'sandbox.function_denied'],
  ])('%s with Accept: %s is rejected', async (path, accept, status, code) => {
    const response = await service.call(`${PATH}${path}`, { headers: { Accept: accept } });
    expect([response.status, await response.json()]).toMatchObject([status, { code }]);
  });

  test('an endpoint without live calls sends an answer if that is acceptable', async () => {
    const accept = { headers: { Accept: 'text/event-stream, application/json;q=0.5' } };
    expect(await (await service.call(`${PATH}still`, accept)).json()).toEqual({ result: [{ one: 1 }] });
  });

  test('results that change with time come at every check', async () => {
    const client = await follow('clock');
    await expect.poll(() => client.events.length, PATIENT).toBeGreaterThan(2);
    expect(service.observed).toContainEqual(
      expect.objectContaining({ kind: 'live.unwatched', endpoint: 'clock' }),
    );
  });

  test('consumer queries', async () => {
    const sql = await follow('open?tenant=a&sql=SELECT+count()+AS+n+FROM+t');
    const lql = await follow('open?tenant=a&lql=text:live');
    await expect.poll(() => sql.events.length, PATIENT).toBe(1);
    await expect.poll(() => lql.events.length, PATIENT).toBe(1);
    expect(idsOf(lql, 0)).toEqual([]);
    await insert(8, 'a', 'live');
    await expect.poll(() => sql.events.length, PATIENT).toBe(2);
    await expect.poll(() => idsOf(lql, 1), PATIENT).toEqual([8]);
  });
});

describe('who gets which events', () => {
  test('keys with other locked parameters never share a question', async () => {
    const paths = ['open', 'open?sql=SELECT+id,+tenant+FROM+t', 'whole', 'added'];
    const followed = await Promise.all(
      paths.flatMap((path) => Object.values(TENANTS).map((key) => follow(path, key))),
    );
    for (const each of followed) await expect.poll(() => each.events.length, PATIENT).toBe(1);
    expect(await gauge('millrace_live_questions')).toBe(followed.length);
    await insert(20, 'a', 'of a');
    await insert(21, 'b', 'of b');
    for (const each of followed) await expect.poll(() => each.events.length, PATIENT).toBeGreaterThan(1);
    for (const [index, { events }] of followed.entries()) {
      const tenants = new Set(JSON.stringify(events).match(/"tenant":"\w+"/g));
      expect(tenants).toEqual(new Set([`"tenant":"${index % 2 === 0 ? 'a' : 'b'}"`]));
    }
  });

  test('a locked parameter cannot be set, nor joined by a guessed state', async () => {
    const own = await follow('whole', TENANTS.a);
    await expect.poll(() => own.events.length, PATIENT).toBe(1);
    const id = own.events[0]?.id ?? '';
    await expect(follow('whole?tenant=a', TENANTS.b)).rejects.toThrow('403');
    const other = await follow('whole', TENANTS.b, { headers: { 'Last-Event-ID': id } });
    await expect.poll(() => other.events.map(({ event }) => event), PATIENT).toEqual(['result']);
    expect(JSON.stringify(other.events)).not.toContain('"tenant":"a"');
  });

  test('redacted and other callers of one key never share a question', async () => {
    const plain = await follow('personal');
    const redacted = await follow('personal', KEY, {
      headers: { 'SVC-ENDPOINT-REDACT-PII': 'true' },
    });
    await expect.poll(() => JSON.stringify(plain.events), PATIENT).toContain('jo@example.com');
    await expect.poll(() => redacted.events.length, PATIENT).toBe(1);
    expect(JSON.stringify(redacted.events)).not.toContain('jo@example.com');
  });

  test('opening counts as one call, and events do not', async () => {
    const client = await follow('whole', RATED);
    await follow('whole', RATED);
    await expect(follow('whole', RATED)).rejects.toThrow('rate.exceeded');
    await insert(30, 'a');
    await expect.poll(() => client.events.length, PATIENT).toBe(2);
  });

  test('streams of a key and in all are limited', async () => {
    await Promise.all(Array.from({ length: 10 }, () => follow('whole')));
    await expect(follow('whole')).rejects.toThrow('live.too_many');
    const response = await service.call(`${PATH}whole?live=true`);
    expect([response.status, Number(response.headers.get('retry-after'))]).toEqual([429, 15]);
    clients[0]?.close();
    await expect.poll(() => gauge('millrace_live_streams')).toBe(9);
    await follow('whole');
  });
});

describe('changes while a stream is open', () => {
  const rewrite = (name: string, index: number, text: string): Promise<void> =>
    writeFile(join(service.endpoints, `${name}.yaml`), `id: ${idOf(index)}\nname: ${name}\n${text}`);

  test('a file that changes gives another result; one that is removed ends the stream', async () => {
    await writeEndpoint(
      service,
      'moving',
      `id: ${idOf(50)}\nname: moving\nlive: { every: 60 }\nquery: SELECT 1 AS one\n`,
    );
    await service.service.reload();
    const client = await follow('moving');
    await expect.poll(() => client.events.length, PATIENT).toBe(1);
    await rewrite('moving', 50, 'live: { every: 60 }\nquery: SELECT 2 AS two\n');
    await service.service.reload();
    await expect.poll(() => client.events.length, PATIENT).toBe(2);
    expect(client.events[1]).toMatchObject({ event: 'result', data: { result: [{ two: 2 }] } });
    await rewrite('moving', 50, 'query: SELECT 2 AS two\n');
    await service.service.reload();
    await expect.poll(() => client.isEnded(), PATIENT).toBe(true);
    expect(client.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'endpoint' } });
  });

  test('a query that fails ends its streams with the problem', async () => {
    await service.engine.execute('CREATE TABLE app.texts (text String) ENGINE = MergeTree ORDER BY text');
    await service.engine.execute("INSERT INTO app.texts VALUES ('1')");
    await writeEndpoint(
      service,
      'failing',
      `id: ${idOf(51)}\nname: failing\nlive: { every: 1 }\nquery: SELECT toUInt8(text) AS number FROM app.texts\n`,
    );
    await service.service.reload();
    const client = await follow('failing');
    await expect.poll(() => client.events.length, PATIENT).toBe(1);
    await service.engine.execute("INSERT INTO app.texts VALUES ('x')");
    await expect.poll(() => client.isEnded(), PATIENT).toBe(true);
    expect(client.events.at(-1)).toMatchObject({ event: 'error', data: { code: 'endpoint.failed' } });
  });

  test('streams of one query in two layouts end with locations of their own', async () => {
    const create = "CREATE TABLE app.words (text String) ENGINE = MergeTree ORDER BY text AS SELECT '1'";
    await service.engine.execute(create);
    const text = `live: { every: 1 }\nsandbox: { enabled: true }\nquery: WITH t AS (SELECT text FROM app.words) SELECT * FROM t\n`;
    await writeEndpoint(service, 'layouts', `id: ${idOf(58)}\nname: layouts\n${text}`);
    await service.service.reload();
    const layouts = ['SELECT toUInt8(text) FROM t', 'SELECT\n  toUInt8(text)\nFROM t'];
    const open = await Promise.all(layouts.map((sql) => follow(`layouts?sql=${encodeURIComponent(sql)}`)));
    for (const { events } of open) await expect.poll(() => events.length, PATIENT).toBe(1);
    expect(await gauge('millrace_live_questions')).toBe(1);
    await service.engine.execute("INSERT INTO app.words VALUES ('x')");
    for (const client of open) await expect.poll(() => client.isEnded(), PATIENT).toBe(true);
    expect(open.map(({ events }) => events.at(-1))).toMatchObject([
      { event: 'error', data: { code: 'query.failed', errors: [{ line: 1, column: 8 }] } },
      { event: 'error', data: { code: 'query.failed', errors: [{ line: 2, column: 3 }] } },
    ]);
  });

  test('a table that is dropped ends its streams, also of consumer queries; one that is there again serves new ones', async () => {
    const create = "CREATE TABLE app.brief (tenant String) ENGINE = MergeTree ORDER BY tenant AS SELECT 'a'";
    await service.engine.execute(create);
    const text = `live: { every: 1 }\nquery: WITH t AS (SELECT tenant FROM app.brief) SELECT * FROM t\nsandbox: { enabled: true }\n`;
    for (const [index, cache] of ['', 'cache: { ttl: 600, until: data }\n'].entries())
      await writeEndpoint(
        service,
        `brief${index}`,
        `id: ${idOf(52 + index)}\nname: brief${index}\n${text}${cache}`,
      );
    await service.service.reload();
    const paths = ['brief0', 'brief1', 'brief0?sql=SELECT%20count()%20FROM%20t'];
    const open = await Promise.all(paths.map((path) => follow(path)));
    for (const { events } of open) await expect.poll(() => events.length, PATIENT).toBe(1);
    await service.engine.execute('DROP TABLE app.brief SYNC');
    for (const client of open) {
      await expect.poll(() => client.isEnded(), PATIENT).toBe(true);
      expect(client.events.at(-1)).toMatchObject({
        event: 'error',
        data: { code: expect.stringMatching(/failed$/) },
      });
      expect(JSON.stringify(client.events)).not.toContain('app.brief');
    }
    await service.engine.execute(create);
    const again = await follow('brief0');
    await expect.poll(() => again.events.map(({ event }) => event), PATIENT).toEqual(['result']);
  });

  test('the end of a stream is logged', async () => {
    const client = await follow('whole');
    await expect.poll(() => client.events.length, PATIENT).toBe(1);
    const requestId = client.response.headers.get('x-request-id');
    client.close();
    await expect
      .poll(() => service.observed.find((each) => each.kind === 'live.ended' && each.requestId === requestId))
      .toMatchObject({ endpoint: 'whole', reason: 'client', events: 1 });
    const finished = service.observed.filter(
      (each) => each.kind === 'request.finished' && each.requestId === requestId,
    );
    expect(finished).toMatchObject([{ status: 200, endpoint: 'whole' }]);
  });
});

describe('shutdown', () => {
  test('streams end with a hint when to reconnect', async () => {
    const own = await startService({});
    await writeEndpoint(
      own,
      'one',
      `id: ${idOf(0)}\nname: one\nlive: { every: 60 }\nquery: SELECT 1 AS one\n`,
    );
    await own.service.reload();
    const client = await openLive(`${own.service.address}${PATH}one`, { headers: { 'X-API-KEY': KEY } });
    await expect.poll(() => client.events.length, PATIENT).toBe(1);
    const started = performance.now();
    await own.stop();
    await expect.poll(() => client.isEnded()).toBe(true);
    expect(client.events.at(-1)).toEqual({ event: 'end', data: { reason: 'shutdown' } });
    expect(client.retries).toHaveLength(2);
    // Closing waits for running requests up to drain_timeout: it did not wait for the stream.
    expect(performance.now() - started).toBeLessThan(own.settings.drainTimeout * 1000);
  });
});
