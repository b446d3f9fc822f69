// Live calls of the client that `millrace types` writes, against a running service.
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { types } from '../../../src/cli/commands/types/types.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

interface LiveEvent {
  readonly kind: string;
  readonly rows: readonly { readonly id: number }[];
}

/** The generated module, without the types of its endpoints. */
interface Generated {
  createClient(options: object): {
    live(name: string, parameters: object, options?: object): AsyncGenerator<LiveEvent, void>;
    query(name: string, parameters: object, options?: object): Promise<readonly unknown[]>;
    consumerLive(name: string, query: object, parameters: object, options?: object): AsyncGenerator<LiveEvent, void>;
  };
  MillraceError: new () => Error;
} // prettier-ignore

const FILES = {
  added: 'live: { every: 1, key: [id] }',
  whole: 'live: { every: 1 }',
  still: 'description: Without live calls.',
};

let service: TestService;
let client: ReturnType<Generated['createClient']>;
let generated: Generated;
/** Of each request: the header field Last-Event-ID, and how to lose its connection. */
const requests: { readonly lastEventId: string | null; readonly drop: () => void }[] = [];

const fileOf = (name: string, index: number, lines: string): string =>
  `id: 00000000-0000-4000-8000-00000000000${index}\nname: ${name}\n${lines}\nsandbox: { enabled: true, dialects: [clickhouse] }
query: WITH t AS (SELECT id FROM app.t WHERE id >= @from) SELECT id FROM t ORDER BY id\nparameters: { from: { type: UInt32, default: 0 } }\n`;

async function start(): Promise<TestService> {
  const started = await startService({
    sql: [
      'CREATE DATABASE app',
      'CREATE TABLE app.t (id UInt32) ENGINE = MergeTree ORDER BY id',
      'INSERT INTO app.t VALUES (1), (2)',
    ],
  });
  for (const [index, [name, lines]] of Object.entries(FILES).entries())
    await writeEndpoint(started, name, fileOf(name, index + 1, lines));
  await started.service.reload();
  return started;
}

beforeAll(async () => {
  service = await start();
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'));
  const out = join(folder, 'millrace.ts');
  const options = { folder: service.endpoints, names: [], headerPrefix: 'SVC', out, isCheck: false };
  const silent = { write: () => true, isTTY: false };
  await types({ ...options, engineSources: [], withEngine: undefined }, createTerminal(silent, silent, {}));
  generated = (await import(out)) as Generated; // the module written above
  const followed = (url: string, init: RequestInit): Promise<Response> => {
    const connection = new AbortController();
    init.signal?.addEventListener('abort', () => connection.abort(init.signal?.reason));
    const lastEventId = new Headers(init.headers).get('Last-Event-ID');
    requests.push({ lastEventId, drop: () => connection.abort(new Error('connection lost')) });
    // Another service may have taken its place.
    const current = url.replace('http://service', service.service.address);
    return fetch(current, { ...init, signal: connection.signal });
  };
  client = generated.createClient({ baseUrl: 'http://service', key: KEY, fetch: followed });
});
beforeEach(() => {
  requests.length = 0;
});
afterAll(() => service.stop());

const insert = (id: number): Promise<unknown> => service.engine.execute(`INSERT INTO app.t VALUES (${id})`);

async function streams(): Promise<number> {
  const text = await (await fetch(`${service.service.admin}/metrics`)).text();
  return Number(/^millrace_live_streams (\d+)$/m.exec(text)?.[1]);
}

/** The next event, as its kind and ids. */
async function next(events: AsyncGenerator<LiveEvent, void>): Promise<readonly [string, ...number[]]> {
  const { value } = await events.next();
  if (value === undefined) return ['end'];
  return [value.kind, ...value.rows.map(({ id }) => id)];
}

describe('live', () => {
  test('the result, then rows that are new; leaving the loop closes the stream', async () => {
    const seen: unknown[] = [];
    for await (const { kind, rows } of client.live('added', { from: 0 })) {
      seen.push([kind, ...rows.map(({ id }) => id)]);
      if (seen.length === 1) await insert(3);
      else break;
    }
    expect(seen).toEqual([
      ['result', 1, 2],
      ['rows', 3],
    ]);
    await expect.poll(streams).toBe(0);
    expect(requests).toHaveLength(1);
  });

  test('whole results without a key, and those of a query of the caller', async () => {
    const whole = client.live('whole', { from: 3 });
    const own = client.consumerLive('whole', { sql: 'SELECT max(id) AS id FROM t' }, { from: 3 });
    expect([await next(whole), await next(own)]).toEqual([['result', 3], ['result', 3]]); // prettier-ignore
    await insert(4);
    expect([await next(whole), await next(own)]).toEqual([['result', 3, 4], ['result', 4]]); // prettier-ignore
    await Promise.all([whole.return(), own.return()]);
    await expect.poll(streams).toBe(0);
  });

  test('a lost connection: it continues with the rows that came meanwhile', async () => {
    const events = client.live('added', { from: 4 });
    expect(await next(events)).toEqual(['result', 4]);
    const following = next(events);
    requests[0]?.drop();
    await insert(5);
    expect(await following).toEqual(['rows', 5]);
    expect(requests.map(({ lastEventId }) => lastEventId)).toEqual([null, expect.stringMatching(/^\S{10,}$/)]);
    await events.return();
  }); // prettier-ignore

  test('an abort ends the loop with its reason: while it waits for an event, and while it waits to reconnect', async () => {
    const reason = new Error('enough');
    for (const isDropped of [false, true]) {
      const abort = new AbortController();
      const events = client.live('added', { from: 5 }, { signal: abort.signal });
      expect(await next(events)).toEqual(['result', 5]);
      const following = next(events).catch((error: unknown) => error);
      if (isDropped) requests.at(-1)?.drop();
      setImmediate(() => abort.abort(reason));
      expect(await following).toBe(reason);
      await expect.poll(streams).toBe(0);
    }
    expect(requests).toHaveLength(2);
  });

  test('an abort ends the loop, and a call whose response stalls, when the request is garbage', async () => {
    const stalls = createServer((_, response) => response.writeHead(200).write('{"result":['));
    await new Promise<void>((resolve) => stalls.listen(0, '127.0.0.1', resolve));
    const { port } = stalls.address() as AddressInfo; // it listens on a port
    const reason = new Error('enough');
    const abort = new AbortController();
    const options = { signal: abort.signal };
    const ofNode = (baseUrl: string) => generated.createClient({ baseUrl, key: KEY });
    const events = ofNode(service.service.address).live('added', { from: 100 }, options);
    expect(await next(events)).toEqual(['result']);
    const following = next(events).catch((error: unknown) => error);
    const sent = once(stalls, 'request');
    const stalled = ofNode(`http://127.0.0.1:${port}`).query('added', {}, options).catch((error: unknown) => error); // prettier-ignore
    await sent;
    for (let i = 0; i < 10; i++) {
      await setTimeout(10);
      collectGarbage();
    }
    abort.abort(reason);
    expect([await following, await stalled]).toEqual([reason, reason]);
    await expect.poll(streams).toBe(0);
    stalls.close();
  });

  test.each([
    ['an invalid parameter', 'whole', { from: 'x' }, { status: 400, code: 'request.parameters_invalid' }],
    ['an endpoint without live calls', 'still', {}, { status: 406, code: 'format.not_acceptable' }],
    ['an unknown endpoint', 'nothing', {}, { status: 404, code: 'route.endpoint_unknown' }],
  ])('%s is thrown', async (_why, name, parameters, problem) => {
    const failed = await client.live(name, parameters).next().catch((error: unknown) => error); // prettier-ignore
    expect(failed).toBeInstanceOf(generated.MillraceError);
    expect(failed).toMatchObject(problem);
    expect(requests).toHaveLength(1);
  });

  test('the loop ends when live calls of the endpoint are removed', async () => {
    const events = client.live('whole', {});
    await next(events);
    await writeEndpoint(service, 'whole', fileOf('whole', 2, 'description: No longer.'));
    expect(await next(events)).toEqual(['end']);
  });

  test('a service that is replaced: it reconnects when told, and has the whole result of the new one', async () => {
    const events = client.live('added', {});
    await next(events);
    const following = next(events);
    const old = service;
    service = await start();
    await old.stop();
    expect(await following).toEqual(['result', 1, 2]);
    await events.return();
  });
});
