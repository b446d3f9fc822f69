// Where the states of watches are kept, in the data folder and in Redis: one process has the right to change them at a time.
import { createSecretKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRedisLink, type RedisLink } from '../../../src/service/cache/redis-link.ts';
import { createFileStore } from '../../../src/service/watches/file-store.ts';
import { newRecord, type WatchRecord } from '../../../src/service/watches/record.ts';
import { createRecords } from '../../../src/service/watches/records.ts';
import { createRedisStore } from '../../../src/service/watches/redis-store.ts';
import type { WatchStore } from '../../../src/service/watches/store.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { after, clock } from '../../../src/service/app/clock.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';

let folder: string;
let redis: RedisServer;
const links: RedisLink[] = [];
const observed: Observation[] = [];
const observe = (each: Observation): void => void observed.push(each);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-watches-'));
  redis = await startRedis();
});
afterAll(async () => {
  await Promise.all(links.map((link) => link.close()));
  await redis.kill();
  await rm(folder, { recursive: true });
});

const secretOf = (text: string) => createSecretKey(Buffer.from(text));

async function openRedis(name: string, holder: string, secret = 'secret'): Promise<WatchStore> {
  const limits = { timeoutMs: 5000, retryMs: 1000 };
  const link = await openRedisLink({ url: redis.url, namespace: name, ...limits, clock, after, random: Math.random, observe }); // prettier-ignore
  links.push(link);
  return createRedisStore({ link, secret: secretOf(secret), holder, clock, observe });
}

const KINDS = {
  file: async (name: string, holder: string): Promise<WatchStore> =>
    createFileStore({ folder: join(folder, name), holder, clock, after, observe }),
  redis: openRedis,
} as const;

const recordOf = (id: string, failures = 0): WatchRecord => ({ ...newRecord(id, 1), failures });
const sorted = (records: readonly WatchRecord[] | undefined) =>
  records?.map(({ id, failures }) => [id, failures]).toSorted();

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('%s', (kind) => {
  const open = KINDS[kind];

  test('one process leads; what it has stored, the next one reads, and its own writes have no effect any more', async () => {
    const [one, other] = [await open('lead', 'one'), await open('lead', 'other')];
    const first = await one.lead();
    expect(first?.fence).toBe(1);
    expect(await other.lead()).toBeUndefined();
    expect((await one.lead())?.fence).toBe(1);
    expect(await one.write(recordOf('a/x', 1), 1)).toBe(true);
    expect(await one.write(recordOf('b/y', 2), 1)).toBe(true);
    expect(await other.write(recordOf('a/x', 9), 1)).toBe(false);
    await one.release();
    expect((await other.lead())?.fence).toBe(2);
    expect(sorted(await other.read())).toEqual([['a/x', 1], ['b/y', 2]]);
    expect(await one.write(recordOf('a/x', 9), 1)).toBe(false);
    expect(await one.remove('b/y', 1)).toBe(false);
    expect(await other.remove('b/y', 2)).toBe(true);
    expect(sorted(await one.read())).toEqual([['a/x', 1]]);
    await one.release(); // it is not its own
    expect((await other.lead())?.fence).toBe(2);
  }); // prettier-ignore

  test('changes of a record follow each other, and one that was not stored is not in force', async () => {
    const [store, other] = [await open('turns', 'one'), await open('turns', 'other')];
    const records = createRecords(store, clock);
    expect(await records.lead()).toBe(true);
    const add = () => records.update('a/x', (record) => ({ ...record, failures: record.failures + 1 }));
    expect(await Promise.all([add(), add(), add()])).toEqual([true, true, true]);
    expect(records.get('a/x')?.failures).toBe(3);
    await store.release();
    await other.lead();
    expect(await add()).toBe(false);
    expect([records.get('a/x')?.failures, records.isLeading()]).toEqual([3, false]);
    expect(sorted(await other.read())).toEqual([['a/x', 3]]);
  });
});

test('records that another client of Redis has changed are not used', async () => {
  const [store, other] = [
    await openRedis('forged', 'one'),
    await openRedis('forged', 'one', 'another secret'),
  ];
  await store.lead();
  await other.lead();
  expect(await store.write(recordOf('a/x'), 1)).toBe(true);
  expect(await other.write(recordOf('b/y'), 1)).toBe(true);
  expect(sorted(await store.read())).toEqual([['a/x', 0]]);
  expect(observed).toContainEqual(expect.objectContaining({ kind: 'cache.corrupt_entry', key: 'watch b/y' }));
});

test('without Redis no process leads, and nothing counts as stored', async () => {
  const store = await openRedis('gone', 'one');
  await store.lead();
  await redis.kill();
  expect([await store.lead(), await store.read(), await store.write(recordOf('a/x'), 1)]).toEqual([undefined, undefined, false]); // prettier-ignore
});
