// ClickHouse's HTTP interface of a whole service: its listeners, the official client, what is logged, and the end.
import { connect } from 'node:net';
import { createClient, type ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finished } from '../../../src/sql/base/observation.ts';
import { openService, type Service } from '../../../src/service/app/service.ts';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const LIMITED = 'a-key-with-a-rate-limit';
const ONCE = 'a-key-for-one-call';

let service: TestService;
/** Over the same engine, without the path. */
let pathless: Service;
const clients: ClickHouseClient[] = [];

beforeAll(async () => {
  service = await startService({
    settings: { clickhousePort: 0 },
    tokens: [
      { name: 'limited', sha256: hashKey(LIMITED), endpoints: ['*'], allow: ['sql'], rate: '2/min' },
      { name: 'once', sha256: hashKey(ONCE), endpoints: ['*'], allow: ['sql'], rate: '1/min' },
    ],
  });
  const query = 'query: "WITH numbers AS (SELECT number AS n FROM numbers(1000)) SELECT n FROM numbers"';
  await writeEndpoint(
    service,
    'numbers.all',
    `id: 00000000-0000-4000-8000-000000000031\nname: numbers.all\n${query}\nsandbox: { enabled: true }\n`,
  );
  await writeEndpoint(
    service,
    'numbers.cached',
    `id: 00000000-0000-4000-8000-000000000032\nname: numbers.cached\n${query}\nsandbox: { enabled: true }\ncache: { ttl: 60 }\n`,
  );
  await service.service.reload();
  pathless = await openService({
    settings: {
      ...service.settings,
      port: 0,
      adminPort: 0,
      clickhouseInterface: false,
      clickhousePort: undefined,
    },
    engine: service.engine,
    extraTokens: [{ name: 'k', sha256: service.keyHash, endpoints: ['*'] }],
    observe: () => undefined,
  });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await pathless.close('test');
  await service.stop();
});

const ownUrl = (): string => service.service.clickhouse ?? '';

describe.each([
  ['its own port', () => ({ url: ownUrl() })],
  ['the path of the API', () => ({ url: service.service.address, pathname: '/clickhouse' })],
])('the official client on %s', (_, address) => {
  test('ping, rows, parameters, ids, errors', async () => {
    const client = createClient({
      ...address(),
      username: 'anyone',
      password: KEY,
      database: 'numbers.all',
      compression: { request: true, response: true },
      log: { level: 127 }, // ClickHouseLogLevel.OFF
    });
    clients.push(client);
    expect(await client.ping()).toEqual({ success: true });
    const result = await client.query({
      query: 'SELECT n, toString(n) AS text FROM numbers WHERE n < 3 ORDER BY n',
      format: 'JSONEachRow',
      query_id: 'official-client',
    });
    expect(result.query_id).toBe('official-client');
    expect(result.response_headers['x-clickhouse-format']).toBe('JSONEachRow');
    expect(await result.json()).toMatchObject([{ text: '0' }, { text: '1' }, { text: '2' }]);
    await expect(client.query({ query: 'SELECT nothing FROM numbers' })).rejects.toMatchObject({
      code: expect.stringMatching(/^\d+$/) as string,
      type: expect.stringMatching(/^[A-Z_]+$/) as string,
      message: expect.stringContaining('line 1, column 8') as string,
    });
  });
});

test('a client of the native protocol that connects to the API gets the path', async () => {
  const { hostname, port } = new URL(service.service.address);
  const socket = connect(Number(port), hostname, () => socket.write('\0\x11ClickHouse client'));
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  expect(Buffer.concat(parts).toString('latin1')).toContain(`${service.service.address}/clickhouse`);
});

test('a setting switches the path off', async () => {
  expect((await fetch(`${service.service.address}/clickhouse/ping`)).status).toBe(200);
  const response = await fetch(`${pathless.address}/clickhouse/ping`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: 'route.unknown' });
  expect(pathless.clickhouse).toBeUndefined();
});

test('the summary has the rows of the result', async () => {
  const query = 'SELECT n FROM numbers WHERE n % 100 = 1';
  const response = await fetch(`${ownUrl()}/?database=numbers.all`, {
    method: 'POST',
    headers: { 'X-ClickHouse-Key': KEY },
    body: query,
  });
  const summary = JSON.parse(response.headers.get('x-clickhouse-summary') ?? '') as Record<string, string>; // checked below
  const body = await response.text();
  expect(summary).toMatchObject({ result_rows: '10', result_bytes: String(body.length), written_rows: '0' });
  expect(Number(summary['elapsed_ns'])).toBeGreaterThan(0);
  // Not what the engine read, which counts rows of other tenants.
  expect(summary['read_rows']).toBe('10');
});

test('what a client sends is not logged, except its program and the id of its query', async () => {
  // A number could be part of a measured time in the metrics.
  const text = 'sent-by-the-client';
  const query = encodeURIComponent(`SELECT count() FROM numbers WHERE toString(n) = '${text}'`);
  const url = `${ownUrl()}/?query=${query}&database=numbers.all&password=${KEY}&query_id=logged`;
  await (await fetch(url, { headers: { 'User-Agent': 'metabase/1.53' } })).text();
  const finished = (): Finished | undefined =>
    service.observed.find(
      (each): each is Finished => each.kind === 'request.finished' && each.requestId === 'logged',
    );
  await expect.poll(finished).toBeDefined();
  expect(finished()).toMatchObject({
    route: '/clickhouse',
    principal: 'everything',
    clientName: 'metabase',
    status: 200,
    rows: 1,
  });
  const metrics = await (await fetch(`${service.service.admin}/metrics`)).text();
  expect(metrics).toMatch(/millrace_clickhouse_requests_total\{client_name="metabase",status="200"\} 1/);
  for (const shown of [JSON.stringify(service.observed), metrics])
    for (const sent of [KEY, text]) expect(shown).not.toContain(sent);
});

test('both listeners end with the service', async () => {
  const other = await openService({
    settings: { ...service.settings, port: 0, adminPort: 0, clickhousePort: 0 },
    engine: { ...service.engine, close: async () => undefined },
    extraTokens: [],
    observe: () => undefined,
  });
  const urls = [`${other.address}/health/live`, `${other.clickhouse ?? ''}/ping`];
  for (const url of urls) expect((await fetch(url)).status).toBe(200);
  await other.close('test');
  for (const url of urls) await expect(fetch(url)).rejects.toThrow('fetch failed');
});

test('statements that are rejected before they are answered count against the rate limit', async () => {
  const send = (): Promise<Response> =>
    fetch(`${service.service.address}/clickhouse`, {
      method: 'POST',
      body: 'foobar',
      headers: { 'X-ClickHouse-Key': LIMITED },
    });
  const statuses: number[] = [];
  for (let call = 0; call < 3; call++) statuses.push((await send()).status);
  expect(statuses).toEqual([400, 400, 429]);
});

const post = (body: string, fields: Readonly<Record<string, string>>, key = KEY): Promise<Response> =>
  fetch(`${ownUrl()}/?${new URLSearchParams(fields).toString()}`, {
    method: 'POST',
    body,
    headers: { 'X-ClickHouse-Key': key, 'Accept-Encoding': 'gzip' },
  });

test('cached responses in Native are compressed for each protocol version', async () => {
  const ask = async (version: string): Promise<string> => {
    const fields = {
      database: 'numbers.cached',
      enable_http_compression: '1',
      client_protocol_version: version,
    };
    const response = await post('SELECT toUInt8(n) AS n FROM numbers LIMIT 1 FORMAT Native', fields);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    return Buffer.from(await response.arrayBuffer()).toString('hex');
  };
  const plain = '0101016e0555496e743800';
  const info = '010002ffffffff00';
  expect(await ask('54405')).toBe(`${info}${plain}`);
  expect(await ask('0')).toBe(plain);
  expect(await ask('54460')).toBe(`${info}${plain.slice(0, -2)}0000`);
});

describe('DESCRIBE (SELECT …)', () => {
  /** The engine computes it when it describes the query. */
  const LONG =
    'DESCRIBE (SELECT (SELECT count() FROM numbers a, numbers b, numbers c, numbers d WHERE cityHash64(a.n, b.n, c.n, d.n) = 1))';

  test('is one call', async () => {
    const response = await post('DESCRIBE (SELECT n FROM numbers)', { database: 'numbers.all' }, ONCE);
    expect([response.status, await response.text()]).toEqual([200, 'n\tUInt64\t\t\t\t\t\n']);
    expect((await post('DESCRIBE (SELECT 1)', {}, ONCE)).status).toBe(429);
  });

  test('ends after max_execution_time', async () => {
    const response = await post(LONG, { database: 'numbers.all', max_execution_time: '0.2' });
    expect([response.status, response.headers.get('x-clickhouse-exception-code')]).toEqual([504, '159']);
    expect(await response.text()).toContain('exceeded max_execution_time: 0.2 seconds');
  });

  test('is cancelled by KILL QUERY', async () => {
    const described = post(LONG, { database: 'numbers.all', query_id: 'described' });
    const kill = async (): Promise<string> =>
      (await post("KILL QUERY WHERE query_id = 'described' SYNC FORMAT TSV", {})).text();
    await expect.poll(kill).toContain('described');
    const response = await described;
    expect(response.headers.get('x-clickhouse-exception-code')).toBe('394');
  });
});
