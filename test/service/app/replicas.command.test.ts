// Three processes over one engine and one Redis: they share responses, runs, warming and rates, and are replaced under load.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scratch } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { startFront, type FrontProcess } from '../../support/clickhouse-front/process.ts';
import { openLive } from '../../support/live-client.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import {
  ask,
  BUDGET_KEY,
  deploy,
  RATED_KEY,
  SERVING_KEY,
  startServing,
  type Deployment,
  type Serving,
} from '../../support/serving.ts';

const ENDPOINTS = {
  kept: 'query: SELECT @p AS p, sleep(0.5) AS slept, generateUUIDv4() AS run\nparameters: { p: { type: String } }\ncache: { ttl: 60 }\n',
  slow: 'query: SELECT sleep(0.6) AS slept, generateUUIDv4() AS run\n',
  plain: 'query: SELECT generateUUIDv4() AS run\n',
  followed:
    'query: SELECT max(id) AS most FROM app.t\ncache: { ttl: 600, until: data }\nlive: { every: 1 }\n',
  warm: 'query: SELECT generateUUIDv4() AS run\ncache: { ttl: 3 }\nwarming: { every: 1, examples: true }\nexamples: [{ name: all }]\n',
};

let front: FrontProcess;
let redis: RedisServer;
let deployment: Deployment;
let replicas: Serving[] = [];

beforeAll(async () => {
  [front, redis] = await Promise.all([startFront(scratch()), startRedis()]);
  for (const sql of [
    'CREATE DATABASE app',
    'CREATE TABLE app.t (id UInt64) ENGINE = MergeTree ORDER BY id',
    'INSERT INTO app.t VALUES (1)',
  ])
    await execute(sql);
  deployment = deploy(front, ENDPOINTS, {
    REDIS_URL: redis.url,
    MILLRACE_REDIS_TIMEOUT: '10000',
    CLICKHOUSE_PING_TIMEOUT: '60000',
    MILLRACE_CONNECTIONS: '24', // no request waits for a connection until it is rejected
  });
  replicas = await Promise.all(Array.from({ length: 3 }, () => startServing(deployment)));
});
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await Promise.all([front.kill(), redis.kill()]);
});

/** The n-th call goes to the n-th replica, and so on around. */
const spread = (count: number, path: string, key?: string): Promise<Response[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => ask(replicas[n % 3] ?? { address: '' }, path, key)));

async function execute(sql: string): Promise<void> {
  const { CLICKHOUSE_USER: user = '', CLICKHOUSE_PASSWORD: password = '' } = front.env;
  const headers = { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password };
  const response = await fetch(front.url, { method: 'POST', headers, body: sql });
  if (!response.ok) throw new Error(await response.text());
}

async function streamsOf({ admin }: Pick<Serving, 'admin'>): Promise<number> {
  const text = await (await fetch(`${admin}/metrics`)).text();
  return Number(/^millrace_live_streams (\d+)$/m.exec(text)?.[1]);
}

describe('three replicas', () => {
  test('200 concurrent requests with one key are one run', async () => {
    const responses = await spread(200, 'kept?p=crowd');
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(await Promise.all(responses.map((each) => each.text()))).size).toBe(1);
  });

  test('a response cached by one is served by all', async () => {
    const [first] = await spread(1, 'kept?p=shared');
    const text = await first?.text();
    // Requests before it is in Redis wait for it; from then on every replica can serve it.
    for (const each of await spread(3, 'kept?p=shared')) expect(await each.text()).toBe(text);
    for (const each of await spread(3, 'kept?p=shared')) {
      expect(await each.text()).toBe(text);
      expect(each.headers.get('cache-status')).toMatch(/^millrace; hit/);
    }
  });

  test('a rate applies to all of them together', async () => {
    const statuses = (await spread(60, 'plain', RATED_KEY)).map(({ status }) => status);
    expect([200, 429].map((status) => statuses.filter((each) => each === status).length)).toEqual([20, 40]);
  });

  test('a budget applies to all of them together', async () => {
    const responses: Response[] = [];
    // 0.6 s each, on one replica after the other.
    for (const replica of replicas) responses.push(await ask(replica, 'slow', BUDGET_KEY));
    expect([responses[0]?.status, responses[2]?.status]).toEqual([200, 429]);
    expect(responses[2]?.headers.get('ratelimit')).toMatch(/^"key-time";r=0;t=\d+$/);
    const spent = await Promise.all(
      replicas.map(async ({ admin }) => (await fetch(`${admin}/metrics`)).text()),
    );
    expect(spent[0]).toMatch(
      /^millrace_budget_spent_seconds_total\{endpoint="slow",policy="key-time"\} (?:0\.[6-9]|[1-9])/m,
    );
    expect(spent[2]).toMatch(/^millrace_budget_exceeded_total\{endpoint="slow",policy="key-time"\} 1$/m);
    expect(spent[2]).not.toMatch(/^millrace_budget_spent_seconds_total\{/m);
  });

  test('one of them warms, and the others use its responses', async () => {
    const [from, before] = [performance.now(), await warmed()];
    const { refreshed } = await eventually(async () => {
      const responses = await spread(3, 'warm');
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
      await setTimeout(200);
      const after = await warmed();
      const done = { refreshed: after.refreshed - before.refreshed, adopted: after.adopted - before.adopted };
      expect(done.refreshed).toBeGreaterThan(2);
      expect(done.adopted).toBeGreaterThan(done.refreshed);
      return done;
    });
    const intervals = Math.ceil((performance.now() - from) / 1000);
    expect(refreshed).toBeLessThan(2 * intervals); // three warmers would be three times as many
  });

  test('a live call on each: a change is an event everywhere', async () => {
    const streams = await Promise.all(
      replicas.map(({ address }) =>
        openLive(`${address}/api/endpoints/query/followed`, { headers: { 'X-API-KEY': SERVING_KEY } }),
      ),
    );
    const seen = (index: number): unknown[] =>
      streams.map(({ events }) => (events[index]?.data as { result: unknown[] } | undefined)?.result[0]);
    for (const [index, most] of [1, 2].entries()) {
      await expect.poll(() => seen(index)).toEqual(streams.map(() => ({ most })));
      await execute(`INSERT INTO app.t VALUES (${most + 1})`);
    }
    for (const each of streams) each.close();
  });

  test('the stream of a process that is killed is closed', async () => {
    const [replica = { address: '', admin: '' }] = replicas;
    await expect.poll(() => streamsOf(replica)).toBe(0);
    const code = `const { body } = await fetch(process.argv[1], { headers: { 'X-API-KEY': '${SERVING_KEY}' } });
      for await (const _ of body) console.log('event');`;
    const path = `${replica.address}/api/endpoints/query/followed?live=true`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    expect(await streamsOf(replica)).toBe(1);
    child.kill('SIGKILL');
    await expect.poll(() => streamsOf(replica)).toBe(0);
  }); // prettier-ignore

  test('all of them are replaced under load, and no request fails', async () => {
    const rotation = new Set(replicas);
    const failed: string[] = [];
    const state = { isOver: false, answered: 0 };
    const caller = async (index: number): Promise<void> => {
      for (let n = index; !state.isOver; n++) {
        const replica = [...rotation][n % rotation.size];
        const path = n % 3 === 0 ? 'slow' : n % 3 === 1 ? 'plain' : `kept?p=${n % 50}`;
        const response = await ask(replica ?? { address: '' }, path).catch((cause: unknown) => cause);
        const text = response instanceof Response ? await response.text() : String(response);
        if (response instanceof Response && response.status === 200) state.answered++;
        else failed.push(text);
        await setTimeout(50); // leaves the processors to those that start
      }
    };
    const callers = Array.from({ length: 4 }, (_, index) => caller(index));
    for (const [index, old] of replicas.entries()) {
      rotation.add(await startServing(deployment, [], index === 2 ? otherRelease() : undefined));
      rotation.delete(old); // as a load balancer is notified before the process is
      expect((await old.stop()).code).toBe(0);
    }
    state.isOver = true;
    await Promise.all(callers);
    replicas = [...rotation];
    expect(failed).toEqual([]);
    expect(state.answered).toBeGreaterThan(0);
  });

  test('releases with different entry formats share one Redis, and neither reads the other’s entries', async () => {
    const [old = { address: '' }, , next = { address: '' }] = replicas; // the last one has another format
    const asked = async (of: { readonly address: string }): Promise<string> =>
      (await ask(of, 'kept?p=mixed')).text();
    const [first, second] = [await asked(old), await asked(next)];
    expect(second).not.toBe(first); // its own run
    for (let again = 0; again < 3; again++)
      expect([await asked(old), await asked(next)]).toEqual([first, second]);
    const events = replicas.map(({ running }) => running.output());
    expect(events.join('')).not.toContain('cache.corrupt_entry');
  });
});

/** Where FORMAT_VERSION of `src/service/cache/entry-codec.ts` is used, which is built as a number: written, read, and in keys. */
const VERSION =
  /(?<=writeUInt8\()\d+(?=, ?[\w$]+\.version\))|(?<=readUInt8\([\w$]+\.version\) ?!== ?)\d+|(?<=:(?:\$\{)?)\d+(?=\}?-\$\{[\w$]+\.id\})/g;

/** The built command with another format of cache entries. */
function otherRelease(): string {
  const [root, folder] = [join(import.meta.dirname, '../../..'), scratch()];
  for (const name of ['bin', 'schemas', 'package.json', 'dist/commands'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  let replaced = 0;
  for (const file of readdirSync(join(folder, 'dist/commands')).filter((name) => name.endsWith('.js'))) {
    const path = join(folder, 'dist/commands', file);
    const other = readFileSync(path, 'utf8').replaceAll(VERSION, () => {
      replaced++;
      return '99';
    });
    writeFileSync(path, other);
  }
  expect(replaced).toBe(3);
  return join(folder, 'bin/millrace.cjs');
}

/** What all of them together have done to keep the answer warm. */
async function warmed(): Promise<{ readonly refreshed: number; readonly adopted: number }> {
  const texts = await Promise.all(
    replicas.map(async ({ admin }) => (await fetch(`${admin}/metrics`)).text()),
  );
  const total = (outcome: string): number => {
    const line = new RegExp(`^millrace_warming_total\\{endpoint="warm",outcome="${outcome}"\\} (\\d+)$`, 'm');
    return texts.reduce((sum, text) => sum + Number(line.exec(text)?.[1] ?? 0), 0);
  };
  return { refreshed: total('refreshed'), adopted: total('adopted') };
}
