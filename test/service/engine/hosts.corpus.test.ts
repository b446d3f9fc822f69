// Several servers and their faults: failover, cool-down, retries and cancellation.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { EngineError } from '../../../src/service/engine/engine.ts';
import type { Engine, Statement } from '../../../src/service/engine/engine.ts';
import { createHttpEngine } from '../../../src/service/engine/http/http-engine.ts';
import type { HttpOptions } from '../../../src/service/engine/http/runner.ts';
import { readTls } from '../../../src/service/engine/http/tls.ts';
import type { ClickHouseFront, FrontServer } from '../../support/clickhouse-front/front.ts';
import { openClickHouseFront } from '../../support/clickhouse-front/front.ts';
import { collect, failureOf, rows, statement } from '../../support/engine-statements.ts';
import { eventually } from '../../support/eventually.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const folder = await mkdtemp(join(tmpdir(), 'millrace-hosts-'));
const pem = (name: string): string => join(import.meta.dirname, '../../support/tls', name);
const observed: Observation[] = [];
const USERS: Record<string, { password: string; profile: readonly string[] }> = {
  millrace: { password: 'secret', profile: [] },
  certified: { password: '', profile: [] },
  changing: { password: '', profile: [] },
};
const ENDLESS = 'SELECT count() AS n FROM numbers(1000000000000) WHERE sipHash64(number) = 1';
const ONE = statement('SELECT 1 AS n');

let front: ClickHouseFront;
let one: FrontServer;
let two: FrontServer;
let three: FrontServer;
let engine: Engine;

const open = (options: Partial<HttpOptions> = {}): Engine =>
  createHttpEngine({
    ...REAL_TIME,
    pingTimeoutMs: 5000,
    urls: [one.url, two.url],
    user: 'millrace',
    password: 'secret',
    connections: 8,
    queue: 100,
    observe: (o) => void observed.push(o),
    ...options,
  });
const kinds = (): readonly string[] => observed.map(({ kind }) => kind);
const sees = (kind: Observation['kind']): Promise<void> => eventually(() => expect(kinds()).toContain(kind));

beforeAll(async () => {
  front = await openClickHouseFront({ path: join(folder, 'data'), users: USERS });
});
beforeEach(async () => {
  [one, two, three] = [await front.listen(), await front.listen(), await front.listen()];
  engine = open();
  observed.length = 0;
});
afterEach(async () => {
  for (const server of [one, two, three]) server.thaw();
  await engine.close(0);
});
afterAll(async () => {
  await front.close();
  await rm(folder, { recursive: true, force: true });
});

describe('several servers', () => {
  test('are used in turn', async () => {
    for (let n = 0; n < 10; n++) await collect(engine, ONE);
    expect([one.queries(), two.queries()].every((count) => count >= 5)).toBe(true);
  });

  test('callers do not notice a dead one; it is skipped, and used again when it is back', async () => {
    await one.die();
    for (let n = 0; n < 10; n++) expect(await rows(engine, ONE)).toEqual([{ n: 1 }]);
    await sees('engine.host_lost');
    await one.revive();
    await sees('engine.host_restored');
    const before = one.queries();
    for (let n = 0; n < 4; n++) await collect(engine, ONE);
    expect(one.queries() - before).toBe(2);
    expect(kinds().filter((kind) => kind === 'engine.host_lost')).toHaveLength(1);
  });

  test('those that do not answer are known, also if nothing is asked of them', async () => {
    const states = (): readonly boolean[] => engine.hosts?.().map(({ isUp }) => isUp) ?? [];
    expect([states(), engine.isUp()]).toEqual([[true, true], true]);
    await one.die();
    await eventually(() => expect([states(), engine.isUp()]).toEqual([[false, true], true]));
    await two.die();
    await eventually(() => expect([states(), engine.isUp()]).toEqual([[false, false], false]));
    await one.revive();
    await eventually(() => expect([states(), engine.isUp()]).toEqual([[true, false], true]));
    await two.revive();
  });

  test('statements on a frozen one are retried on another', async () => {
    await collect(engine, ONE);
    one.freeze();
    const all = Array.from({ length: 8 }, () => rows(engine, ONE));
    expect(await Promise.all(all)).toEqual(all.map(() => [{ n: 1 }]));
    await sees('engine.host_lost');
  });

  test('a statement whose server dies is retried on another', async () => {
    await collect(engine, ONE);
    one.delayMs = 60_000;
    const all = Array.from({ length: 4 }, () => rows(engine, ONE));
    const [before, count] = [one.queries(), two.queries()];
    await eventually(() => expect(two.queries()).toBe(count + 2));
    await one.die();
    expect(await Promise.all(all)).toEqual(all.map(() => [{ n: 1 }]));
    expect(one.queries()).toBe(before);
  });

  test('a statement that crashes servers is sent to at most two', async () => {
    const fatal = open({ urls: [one.url, two.url, three.url] });
    for (let n = 0; n < 3; n++) await collect(fatal, ONE);
    const before = [one, two, three].map((server) => server.queries());
    for (const server of [one, two, three]) server.delayMs = 200;
    const run = failureOf(collect(fatal, statement(ENDLESS)));
    const sent = (): number[] => [one, two, three].map((server, n) => server.queries() - (before[n] ?? 0));
    const died = new Set<FrontServer>();
    const kill = setInterval(() => {
      for (const [n, server] of [one, two, three].entries()) {
        if ((sent()[n] ?? 0) > 0 && !died.has(server)) void (died.add(server), server.die());
      }
    }, 5);
    expect((await run).failure).toBe('unavailable');
    clearInterval(kill);
    expect(died.size).toBe(2);
    expect(sent().toSorted((a, b) => a - b)).toEqual([0, 1, 1]);
    await fatal.close(0);
  });

  test('a statement that already returned rows is not retried: it fails', async () => {
    const big = statement('SELECT number AS n FROM numbers(3000000)');
    const run = async (): Promise<void> => {
      const { chunks } = await engine.run(big, { format: 'JSONEachRow' });
      for await (const _ of chunks) await Promise.all([one.die(), two.die()]).catch(() => undefined);
    };
    await collect(engine, ONE);
    const before = one.queries() + two.queries();
    expect((await failureOf(run())).failure).toBe('unavailable');
    expect(one.queries() + two.queries()).toBe(before + 1);
  });

  test('a command is never retried', async () => {
    await collect(engine, ONE);
    const arrived = (): number => one.arrived() + two.arrived();
    const before = arrived();
    for (const server of [one, two]) server.delayMs = 60_000;
    const command = failureOf(engine.execute('CREATE DATABASE IF NOT EXISTS made'));
    await eventually(() => expect(arrived()).toBe(before + 1));
    await Promise.all([one.die(), two.die()]);
    expect((await command).failure).toBe('unavailable');
    expect(arrived()).toBe(before + 1);
  });

  test('if none is available, statements fail at once, and succeed when one is back', async () => {
    await Promise.all([one.die(), two.die()]);
    for (let n = 0; n < 3; n++) expect((await failureOf(collect(engine, ONE))).failure).toBe('unavailable');
    await sees('engine.host_lost');
    expect((await failureOf(engine.ping())).failure).toBe('unavailable');
    await two.revive();
    await sees('engine.host_restored');
    expect(await rows(engine, ONE)).toEqual([{ n: 1 }]);
    await engine.ping();
  });

  test('the engine closes even if they are frozen', async () => {
    await collect(engine, ONE);
    for (const server of [one, two]) server.freeze();
    const run = failureOf(collect(engine, ONE));
    await engine.close(0);
    expect(await run).toBeInstanceOf(EngineError);
  });
});

describe('a statement that the server does not cancel by itself', () => {
  const control = new AbortController();
  const marked = (mark: string): Statement =>
    statement(`${ENDLESS} AND '${mark}' != ''`, { limits: { time: 60 } });
  const running = async (mark: string): Promise<unknown> => {
    const sql = `SELECT count() AS n FROM system.processes WHERE query LIKE '%AND ''${mark}'' %' AND query NOT LIKE '%system.proc%'`;
    return (await rows(engine, statement(sql)))[0];
  };
  const runs = (mark: string, n: number): Promise<void> =>
    eventually(async () => expect(await running(mark)).toEqual({ n }));

  beforeEach(() => void (front.noticesClosing = false));
  afterEach(() => void (front.noticesClosing = true));

  test('is cancelled when its caller disconnects', async () => {
    const run = failureOf(collect(engine, marked('gone'), { signal: control.signal }));
    await runs('gone', 1);
    control.abort();
    expect((await run).failure).toBe('aborted');
    await runs('gone', 0);
  });

  test('is cancelled when the engine closes', async () => {
    const run = failureOf(collect(engine, marked('closed')));
    await runs('closed', 1);
    await engine.close(0);
    expect((await run).failure).toBe('unavailable');
    engine = open();
    await runs('closed', 0);
  });
});

describe('TLS', () => {
  const certificate = { cert: pem('client.pem'), key: pem('client.key') };
  const secure = async (options: Partial<HttpOptions> = {}): Promise<Engine> => {
    const files = ['server.key', 'server.pem', 'ca.pem'].map((name) => readFile(pem(name)));
    const [key, cert, ca] = await Promise.all(files);
    const { url } = await front.listen({ key, cert, ca, requestCert: true, rejectUnauthorized: false });
    return open({ urls: [url], ...options });
  };
  const answer = async (options: Partial<HttpOptions>): Promise<unknown> => {
    const secured = await secure(options);
    const given: unknown = await rows(secured, ONE).catch((error: unknown) => error);
    await secured.close(0);
    return given;
  };

  test.each<{ why: string; files: Parameters<typeof readTls>[0]; options?: Partial<HttpOptions> }>([
    { why: 'a private certificate authority', files: { ca: pem('ca.pem'), certificate: undefined } },
    { why: 'a client certificate in addition to the password', files: { ca: pem('ca.pem'), certificate } },
    {
      why: 'a client certificate instead of a password',
      files: { ca: pem('ca.pem'), certificate },
      options: { user: 'certified', password: '' },
    },
    {
      why: 'the consumer user with the same certificate',
      files: { ca: pem('ca.pem'), certificate },
      options: { user: 'certified', password: '', consumer: { user: 'millrace', password: 'secret' } },
    },
  ])('with $why', async ({ files, options }) => {
    expect(await answer({ ...options, tls: await readTls(files) })).toEqual([{ n: 1 }]);
  });

  test('an untrusted server certificate is rejected', async () => {
    expect(await answer({})).toMatchObject({
      failure: 'unavailable',
      message: expect.stringMatching(/certificate/),
    });
  });

  test('a certificate is valid only for its own name', async () => {
    const tls = await readTls({ ca: pem('ca.pem'), certificate });
    expect(await answer({ tls, user: 'changing', password: '' })).toMatchObject({ engineCode: 516 });
  });

  test('a missing file is named', async () => {
    await expect(readTls({ ca: '/nowhere.pem', certificate: undefined })).rejects.toThrow(/nowhere\.pem/);
  });
});

describe('what is sent', () => {
  test('responses are compressed if configured', async () => {
    const many = statement('SELECT number AS n FROM numbers(50000)');
    const compressed = open({ isCompressed: true });
    expect((await collect(compressed, many)).equals(await collect(engine, many))).toBe(true);
    expect(front.lastSettings()).not.toHaveProperty('enable_http_compression');
    await collect(compressed, ONE);
    expect(front.lastSettings()).toHaveProperty('enable_http_compression', '1');
    await compressed.close(0);
  });

  test('only settings that the server allows are sent', async () => {
    const writing = open({ user: 'changing', password: '' });
    front.override = (query) => (query.includes('system.settings') ? 'max_threads\nreadonly\n' : undefined);
    await collect(writing, ONE);
    expect(front.lastSettings()).toEqual({ readonly: '2' });
    front.override = () => undefined;
    await writing.close(0);
  });

  test('if a user’s profile changes, its allowed settings are read again', async () => {
    const changing = open({ user: 'changing', password: '', isCompressed: true });
    await collect(changing, ONE);
    expect(front.lastSettings()).toHaveProperty('readonly', '2');
    USERS['changing'] = { password: '', profile: ['--readonly=1'] };
    expect((await failureOf(collect(changing, ONE))).engineCode).toBe(164);
    expect(await rows(changing, ONE)).toEqual([{ n: 1 }]);
    expect(front.lastSettings()).toEqual({});
    await changing.close(0);
  });
});
