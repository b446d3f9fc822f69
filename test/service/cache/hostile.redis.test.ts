// An attacker can write to our Redis: a modified entry is a miss, is reported once and deleted, and is never served.
import { createClient } from '@keyv/redis';
import fc from 'fast-check';
import { createSecretKey } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deriveEntryKey, type EntryKey } from '../../../src/service/cache/entry-key.ts';
import type { Entry } from '../../../src/service/cache/entry.ts';
import { encodeEntry, FORMAT_VERSION, maxFrameBytes } from '../../../src/service/cache/entry-codec.ts';
import { createRedis } from '../../../src/service/cache/redis.ts';
import { openRedisLink } from '../../../src/service/cache/redis-link.ts';
import { createStore, type Store } from '../../../src/service/cache/store.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import {
  createWitness,
  ENTRY_KEY,
  entryOf,
  freshNamespace,
  realAfter,
  realClock,
  textOf,
  TRUST,
} from './fixture.ts';

const NAMESPACE = freshNamespace();
const KEY = 'a.b@0123/key';
const LIMITS = { entryBytes: 2 ** 20, compressOver: 2 ** 14 };
const PX = { expiration: { type: 'PX', value: 60_000 } } as const;

let server: RedisServer;
let store: Store;
let attacker: Awaited<ReturnType<typeof openAttacker>>;
const witness = createWitness();
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = await startRedis();
  closing.push(server.kill);
  store = await openShared();
  attacker = await openAttacker(server.url);
});
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

/** Reads Redis each time: nothing stays in its memory. */
async function openShared(
  namespace = NAMESPACE,
  entryKey: EntryKey = ENTRY_KEY,
  clock = realClock,
): Promise<Store> {
  const given = { clock, after: realAfter, random: Math.random, observe: witness.observe };
  const link = await openRedisLink({ url: server.url, namespace, timeoutMs: 60_000, retryMs: 100, ...given });
  const remote = createRedis({
    ...given,
    contentTypes: TRUST.contentTypes,
    entryKey,
    link,
    leaseMs: 6000,
  });
  const opened = createStore({ ...LIMITS, ...given, remote, memoryBytes: 0 });
  closing.push(opened.close);
  return opened;
}

async function openAttacker(url: string) {
  const client = createClient({ url, commandOptions: { typeMapping: { 36: Buffer } } });
  await client.connect();
  closing.push(async () => client.destroy());
  return client;
}

const nameOf = (key: string, namespace = NAMESPACE): string =>
  `${namespace}:${FORMAT_VERSION}-${ENTRY_KEY.id}:entry:${key}`;

/** The bytes of an entry as the service writes them. */
async function written(entry: Entry, key = KEY): Promise<Buffer> {
  await store.put(key, entry);
  const bytes: unknown = await attacker.get(nameOf(key));
  if (!Buffer.isBuffer(bytes)) throw new Error('nothing was stored');
  return bytes;
}

/** What looking twice finds, what is reported meanwhile, and whether the value is still there. */
async function lookTwice(): Promise<unknown> {
  const before = witness.seen.length;
  const found = [await store.fetch(KEY), await store.fetch(KEY)];
  const reported = witness.seen.slice(before).map(({ kind }) => kind);
  return { found, reported, there: await attacker.exists(nameOf(KEY)) };
}
const MISS = { found: [undefined, undefined], reported: ['cache.corrupt_entry'], there: 0 };

describe('a modified entry', () => {
  const sizes = fc.constantFrom(0, 100, 20_000); // the last one is compressed
  /** Changes of a value, by what an attacker would try. */
  const mutations: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc.oneof(
    fc.tuple(fc.nat(), fc.nat(7)).map(([place, bit]) => (bytes: Buffer) => {
      const at = place % bytes.length;
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
      return bytes;
    }),
    fc.nat().map((end) => (bytes: Buffer) => bytes.subarray(0, end % bytes.length)),
    fc
      .uint8Array({ minLength: 1, maxLength: 99 })
      .map((tail) => (bytes: Buffer) => Buffer.concat([bytes, tail])),
    fc
      .tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 40 }))
      .map(([place, part]) => (bytes: Buffer) => {
        const at = place % bytes.length;
        return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);
      }),
    fc.tuple(fc.integer({ min: 37, max: 67 }), fc.nat(255)).map(([at, byte]) => (bytes: Buffer) => {
      bytes.writeUInt8(byte, at); // the fields of the header
      return bytes;
    }),
    fc.uint8Array({ maxLength: 500 }).map((other) => () => Buffer.from(other)),
  );

  test('changed in any way, with a valid checksum or not, is a miss', async () => {
    const property = fc.asyncProperty(sizes, mutations, fc.boolean(), async (size, mutate, withChecksum) => {
      const original = await written(entryOf('answer', { size }));
      const changed = mutate(Buffer.from(original));
      if (withChecksum && changed.length > 8) changed.writeUInt32LE(crc32(changed.subarray(8)), 4);
      if (changed.equals(original)) return;
      await attacker.set(nameOf(KEY), changed, PX);
      expect(await lookTwice()).toEqual(MISS);
    });
    await fc.assert(property, { seed: 21, numRuns: 300 });
  });

  test.each<{ why: string; spoil: (name: string) => Promise<unknown> }>([
    { why: 'into a list', spoil: async (name) => attacker.lPush(name, 'x') },
    { why: 'into a hash', spoil: async (name) => attacker.hSet(name, '__proto__', 'x') },
    { why: 'into a sorted set', spoil: async (name) => attacker.zAdd(name, { score: 1, value: 'x' }) },
    { why: 'into a stream', spoil: async (name) => attacker.xAdd(name, '*', { a: 'b' }) },
    { why: 'into a number', spoil: async (name) => attacker.incr(name) },
    { why: 'into nothing', spoil: async (name) => attacker.set(name, '', PX) },
    { why: 'into bits far out', spoil: async (name) => attacker.setBit(name, 8 * 50_000_000, 1) },
    {
      why: 'into megabytes with the same beginning',
      spoil: async (name) => {
        await attacker.set(
          name,
          await encodeEntry(KEY, entryOf('x'), { ...TRUST, compressOver: 1e9, maxBody: 1e9 }),
          PX,
        );
        await attacker.setRange(name, maxFrameBytes({ maxBody: LIMITS.entryBytes }) + 10, 'x');
      },
    },
    {
      why: 'to never expire',
      spoil: async (name) => {
        await written(entryOf('for ever'));
        await attacker.persist(name);
      },
    },
    {
      why: 'into the entry of another key',
      spoil: async (name) => attacker.set(name, await written(entryOf('another’s'), 'a.b@0123/other'), PX),
    },
    {
      why: 'into an entry of the same key, of a service with another key',
      spoil: async (name) => {
        const secret = createSecretKey(Buffer.alloc(32, 'x'));
        const frame = await encodeEntry(KEY, entryOf('forged'), {
          ...TRUST,
          secret,
          compressOver: 1e9,
          maxBody: 1e9,
        });
        return attacker.set(name, frame, PX);
      },
    },
  ])('$why is a miss', async ({ spoil }) => {
    await attacker.del(nameOf(KEY));
    await spoil(nameOf(KEY));
    expect(await lookTwice()).toEqual(MISS);
  });
});

describe('an entry that is authentic', () => {
  test('whose expiry was extended manually still expires', async () => {
    let now = 0;
    const clock = { epoch: () => Date.now() + now, monotonic: () => performance.now() + now };
    const bytes = await written(entryOf('old', { keepMs: 30_000 }));
    await attacker.set(nameOf(KEY), bytes, { expiration: { type: 'EX', value: 3600 } });
    now = 31_000;
    const given = { clock, after: realAfter, random: Math.random, observe: witness.observe };
    const link = await openRedisLink({
      ...given,
      url: server.url,
      namespace: NAMESPACE,
      timeoutMs: 60_000,
      retryMs: 100,
    });
    const remote = createRedis({
      ...given,
      contentTypes: TRUST.contentTypes,
      entryKey: ENTRY_KEY,
      link,
      leaseMs: 6000,
    });
    const later = createStore({ ...LIMITS, ...given, remote, memoryBytes: 0 });
    closing.push(later.close);
    expect(await later.fetch(KEY)).toBeUndefined();
  });

  test('held in memory is not read again, so a later change has no effect', async () => {
    const given = { clock: realClock, after: realAfter, random: Math.random, observe: witness.observe };
    const link = await openRedisLink({
      ...given,
      url: server.url,
      namespace: NAMESPACE,
      timeoutMs: 60_000,
      retryMs: 100,
    });
    const remote = createRedis({
      ...given,
      contentTypes: TRUST.contentTypes,
      entryKey: ENTRY_KEY,
      link,
      leaseMs: 6000,
    });
    const keeping = createStore({ ...LIMITS, ...given, remote, memoryBytes: 2 ** 20 });
    closing.push(keeping.close);
    await written(entryOf('right'));
    await keeping.fetch(KEY);
    await attacker.set(nameOf(KEY), 'changed', PX);
    expect(textOf(keeping.peek(KEY))).toBe('right');
    expect(textOf(await keeping.fetch(KEY))).toBe('right'); // nothing is there; memory has it
  });
});

describe('the key of entries', () => {
  test.each([
    { why: 'the same secrets and namespace', secrets: ['a', 'b'], namespace: 'n', same: true },
    { why: 'another secret', secrets: ['a', 'c'], namespace: 'n', same: false },
    { why: 'the same text, split differently', secrets: ['ab', ''], namespace: 'n', same: false },
    { why: 'another namespace', secrets: ['a', 'b'], namespace: 'm', same: false },
  ])('is the same only if all its inputs are: $why', async ({ secrets, namespace, same }) => {
    const [one, other] = await Promise.all([
      deriveEntryKey(['a', 'b'], 'n'),
      deriveEntryKey(secrets, namespace),
    ]);
    expect(one.secret.equals(other.secret)).toBe(same);
    expect(one.id === other.id).toBe(same);
  });

  test('separates services with different keys, and neither deletes the other’s entries', async () => {
    const other = await openShared(NAMESPACE, await deriveEntryKey(['other'], NAMESPACE));
    const before = witness.seen.length;
    await store.put(KEY, entryOf('ours'));
    await other.put(KEY, entryOf('theirs'));
    expect([textOf(await store.fetch(KEY)), textOf(await other.fetch(KEY))]).toEqual(['ours', 'theirs']);
    expect(witness.seen.slice(before)).toEqual([]);
  });
});

describe('a lease', () => {
  const leaseOf = (key: string): string => `${NAMESPACE}:${FORMAT_VERSION}-${ENTRY_KEY.id}:lease:${key}`;
  const lease = leaseOf(KEY);
  const tokenOf = async (name: string): Promise<string> => String(await attacker.get(name));

  test.each<{ why: string; spoil: () => Promise<unknown> }>([
    { why: 'megabytes', spoil: async () => attacker.set(lease, 'x'.repeat(5_000_000), PX) },
    { why: 'nothing', spoil: async () => attacker.set(lease, '', PX) },
    { why: 'a hash', spoil: async () => attacker.hSet(lease, 'a', 'b') },
    { why: 'a UUID', spoil: async () => attacker.set(lease, crypto.randomUUID(), PX) },
    {
      why: 'a token with a wrong HMAC',
      spoil: async () => {
        const time = Date.now().toString(36);
        return attacker.set(lease, `${crypto.randomUUID()}.${time}.${'a'.repeat(22)}`, PX);
      },
    },
    {
      why: 'a token signed with another key',
      spoil: async () => {
        const other = await store.lease('another');
        await attacker.set(lease, await tokenOf(leaseOf('another')), PX);
        if (typeof other !== 'string') await other.release();
      },
    },
    {
      why: 'a token of this key for years',
      spoil: async () => {
        const own = await store.lease(KEY);
        const token = await tokenOf(lease);
        if (typeof own !== 'string') await own.release();
        await attacker.set(lease, token, { expiration: { type: 'EX', value: 10 ** 9 } });
      },
    },
  ])('without a holder is removed by the first replica that reads it: $why', async ({ spoil }) => {
    await attacker.del(lease);
    await spoil();
    const before = witness.seen.length;
    expect(await store.lease(KEY)).toBe('taken');
    expect(witness.seen.slice(before)).toMatchObject([{ kind: 'cache.corrupt_entry', key: KEY }]);
    const taken = await store.lease(KEY);
    expect(typeof taken).not.toBe('string');
    if (typeof taken !== 'string') await taken.release();
  });

  test('that is replayed makes replicas wait no longer than if its holder had died', async () => {
    const later = await openShared(NAMESPACE, ENTRY_KEY, { ...realClock, epoch: () => Date.now() + 16_500 });
    const own = await store.lease(KEY);
    const token = await tokenOf(lease);
    if (typeof own !== 'string') await own.release();
    await attacker.set(lease, token, { expiration: { type: 'EX', value: 15 } });
    expect(await store.lease(KEY)).toBe('taken'); // as after a crash
    expect(await attacker.exists(lease)).toBe(1);
    expect(await later.lease(KEY)).toBe('taken');
    expect(await attacker.exists(lease)).toBe(0);
  });

  test('is signed again at each renewal, and can still be released', async () => {
    const own = await store.lease(KEY);
    const first = await tokenOf(lease);
    await expect.poll(() => tokenOf(lease)).not.toBe(first);
    expect((await tokenOf(lease)).slice(0, 36)).toBe(first.slice(0, 36));
    if (typeof own !== 'string') await own.release();
    expect(await attacker.exists(lease)).toBe(0);
  });

  test('that was manually taken from its holder is neither renewed nor released by it', async () => {
    const own = await store.lease(KEY);
    await attacker.set(lease, 'another holder', PX);
    if (typeof own !== 'string') await own.release();
    expect(await tokenOf(lease)).toBe('another holder');
    await attacker.del(lease);
  });
});
