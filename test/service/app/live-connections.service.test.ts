// Connections and contents that are meant to break streams of live calls.
import { connect, type Socket } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { openLive } from '../../support/live-client.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const PATH = '/api/endpoints/query/';
const PATIENT = { timeout: 10_000 };
const FILES = {
  rows: `live: { every: 1, key: [id] }\nsandbox: { enabled: true }\nquery: WITH t AS (SELECT id, tenant, text FROM app.rows WHERE tenant = @tenant) SELECT * FROM t ORDER BY id\nparameters: { tenant: { type: String, default: a } }\n`,
  slow: `live: { every: 1 }\nquery: SELECT sleepEachRow(1) AS s, @number AS number FROM numbers(30) SETTINGS max_block_size = 1\nparameters: { number: { type: UInt32, default: 1 } }\n`,
};
const TENANT = 'a-key-of-a-tenant';
let folder: string;
let tokens: string;
const grant = (rest: string): Promise<void> =>
  writeFile(
    tokens,
    `tokens:\n  - name: tenant\n    sha256: ${hashKey(TENANT)}\n    endpoints: ['rows']\n${rest}`,
  );

let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-tokens-'));
  tokens = join(folder, 'tokens.yaml');
  await grant('    parameters: { tenant: a }\n');
  service = await startService({
    sql: [
      'CREATE DATABASE app',
      'CREATE TABLE app.rows (id UInt64, tenant String, text String) ENGINE = MergeTree ORDER BY id',
      "INSERT INTO app.rows VALUES (1, 'a', 'of a'), (2, 'b', 'of b')",
    ],
    settings: { tokens, liveStreams: { total: 200, perKey: 100 } },
  });
  for (const [index, [name, text]] of Object.entries(FILES).entries())
    await writeEndpoint(
      service,
      name,
      `id: 00000000-0000-4000-8000-00000000020${index}\nname: ${name}\n${text}`,
    );
  await service.service.reload();
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function streams(): Promise<number> {
  const text = await (await fetch(`${service.service.admin}/metrics`)).text();
  return Number(/^millrace_live_streams (\d+)$/m.exec(text)?.[1]);
}

interface Sent {
  readonly socket: Socket;
  readonly text: () => string;
}

/** Sends requests on one connection. */
async function send(requests: string): Promise<Sent> {
  const socket = connect(Number(new URL(service.service.address).port), '127.0.0.1');
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString())).on('error', () => undefined);
  await new Promise<void>((resolve) => socket.write(requests, () => resolve()));
  return { socket, text: () => text };
}

const request = (path: string, { method = 'GET', version = '1.1', fields = '' } = {}): string =>
  `${method} ${PATH}${path} HTTP/${version}\r\nHost: x\r\nX-API-KEY: ${KEY}\r\nAccept: text/event-stream\r\n${fields}\r\n`;

test('streams of pipelined requests end with their connection', async () => {
  const { socket } = await send(request('rows').repeat(5));
  await expect.poll(streams, PATIENT).toBe(5);
  socket.destroy();
  await expect.poll(streams, PATIENT).toBe(0);
});

test('many connections that are dropped at once, also before the first result, leave nothing', async () => {
  const open = await Promise.all(Array.from({ length: 90 }, () => send(request('rows'))));
  for (const each of open) await expect.poll(each.text, PATIENT).toContain('event: result');
  expect(await streams()).toBe(90);
  for (const { socket } of open) socket.resetAndDestroy();
  const slow = await Promise.all(Array.from({ length: 12 }, (_, n) => send(request(`slow?number=${n}`))));
  await expect.poll(streams, PATIENT).toBe(12);
  for (const { socket } of slow.slice(6)) socket.resetAndDestroy();
  for (const { socket } of slow.slice(0, 6)) socket.end(); // half open: nothing more is sent
  await expect.poll(streams, PATIENT).toBe(0);
  // Their queries were cancelled: another one does not wait for 30 seconds.
  const started = performance.now();
  const other = await send(request('rows'));
  await expect.poll(other.text, { timeout: 25_000 }).toContain('event: result');
  expect(performance.now() - started).toBeLessThan(25_000);
  other.socket.destroy();
});

test.each<readonly [name: string, Parameters<typeof request>[1], expected: string]>([
  ['HTTP/1.0', { version: '1.0' }, 'event: result'],
  ['HTTP/1.0 that is kept alive', { version: '1.0', fields: 'Connection: keep-alive\r\n' }, 'event: result'],
  ['a connection to be closed', { fields: 'Connection: close\r\n' }, 'event: result'],
  ['an expectation', { fields: 'Expect: 100-continue\r\n' }, 'event: result'],
  ['a large Last-Event-ID', { fields: `Last-Event-ID: ${'x'.repeat(100_000)}\r\n` }, 'event: result'],
  ['a Last-Event-ID with NUL', { fields: 'Last-Event-ID: a\0b\r\n' }, ' 400 '],
  ['a Last-Event-ID with a line break', { fields: 'Last-Event-ID: a\rdata: b\r\n' }, ' 400 '],
  ['two Last-Event-ID', { fields: 'Last-Event-ID: a\r\nLast-Event-ID: __proto__\r\n' }, 'event: result'],
  ['an upgrade', { fields: 'Upgrade: websocket\r\nConnection: Upgrade\r\n' }, 'event: result'],
  ['HEAD', { method: 'HEAD' }, 'content-length: 0'],
  ['OPTIONS', { method: 'OPTIONS' }, ' 204 '],
  ['PUT', { method: 'PUT' }, ' 405 '],
])('%s', async (_, options, expected) => {
  const { socket, text } = await send(request('rows', options));
  await expect.poll(text, PATIENT).toContain(expected);
  expect(text()).not.toContain('of b');
  socket.destroy();
  await expect.poll(streams, PATIENT).toBe(0);
});

test('rows cannot add lines to a stream, nor events', async () => {
  const text = "'\\n\\nevent: end\\ndata: {}\\r\\rid: 1\\0\\x0b\\x85\\xe2\\x80\\xa8\\xff'";
  await service.engine.execute(`INSERT INTO app.rows VALUES (10, 'lines', ${text})`);
  const url = `${service.service.address}${PATH}rows?tenant=lines`;
  const client = await openLive(url, { headers: { 'X-API-KEY': KEY } });
  await expect.poll(() => client.events.length, PATIENT).toBe(1);
  await service.engine.execute(`INSERT INTO app.rows VALUES (11, 'lines', ${text})`);
  await expect.poll(() => client.events.length, PATIENT).toBe(2);
  expect(client.events).toMatchObject([
    { event: 'result', data: { result: [{ id: 10, text: expect.stringContaining('\n\nevent: end\n') }] } },
    { event: 'rows', data: { result: [{ id: 11, text: expect.stringContaining('\r\rid: 1\0') }] } },
  ]);
  client.close();
  const named = await openLive(
    `${url}&sql=${encodeURIComponent('SELECT id AS `x\\n\\ndata: {}`, text AS `y\\r\\nid: 1` FROM t')}`,
    { headers: { 'X-API-KEY': KEY } },
  ).catch((cause: unknown) => String(cause));
  if (typeof named === 'string') return expect(named).toMatch(/Error: 400 /);
  await expect.poll(() => named.events.map(({ event }) => event), PATIENT).toEqual(['result']);
  named.close();
});

test('a stream follows its key: another lock gives other rows, and none of those before; without it, the stream ends', async () => {
  const client = await openLive(`${service.service.address}${PATH}rows`, {
    headers: { 'X-API-KEY': TENANT },
  });
  await expect.poll(() => JSON.stringify(client.events), PATIENT).toContain('of a');
  const [{ id = '' } = {}] = client.events;
  await grant('    parameters: { tenant: b }\n');
  await service.service.reload();
  await expect.poll(() => client.events.length, PATIENT).toBe(2);
  await service.engine.execute(
    "INSERT INTO app.rows VALUES (20, 'a', 'later of a'), (21, 'b', 'later of b')",
  );
  await expect.poll(() => JSON.stringify(client.events.slice(1)), PATIENT).toContain('later of b');
  expect(JSON.stringify(client.events.slice(1))).not.toContain('of a');
  // The state of another lock is not known to it.
  const again = await openLive(`${service.service.address}${PATH}rows`, {
    headers: { 'X-API-KEY': TENANT, 'Last-Event-ID': id },
  });
  await expect.poll(() => again.events.map(({ event }) => event), PATIENT).toEqual(['result']);
  expect(JSON.stringify(again.events)).not.toContain('of a');
  await grant('    expires: 2020-01-01T00:00:00Z\n');
  await service.service.reload();
  for (const each of [client, again]) {
    await expect.poll(() => each.isEnded(), PATIENT).toBe(true);
    expect(each.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'key' } });
  }
});

test('no key is in what is observed of streams', () => {
  const observed = JSON.stringify(service.observed);
  expect(observed).toContain('live.ended');
  for (const key of [KEY, TENANT]) expect(observed).not.toContain(key);
});
