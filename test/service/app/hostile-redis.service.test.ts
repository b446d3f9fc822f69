// A service over a Redis that an attacker can write to: no forged entry is served, and none ends the process.
import { createClient } from '@keyv/redis';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const FILE =
  'id: 00000000-0000-4000-8000-000000000061\nname: shared\nquery: SELECT 1 AS n, generateUUIDv4() AS run\ncache: { ttl: 60 }\n';
const PX = { expiration: { type: 'PX', value: 60_000 } } as const;

let redis: RedisServer;
let service: TestService;
let attacker: Awaited<ReturnType<typeof openAttacker>>;

async function openAttacker(url: string) {
  return createClient({ url, commandOptions: { typeMapping: { 36: Buffer } } }).connect();
}

beforeAll(async () => {
  redis = await startRedis();
  // Nothing stays in memory, so that every call reads Redis.
  service = await startService({ settings: { redisUrl: redis.url, cacheMemory: 0 } });
  await writeEndpoint(service, 'shared', FILE);
  await service.service.reload();
  attacker = await openAttacker(redis.url);
});
afterAll(async () => {
  attacker.destroy();
  await service.stop();
  await redis.kill();
});
beforeEach(async () => {
  await attacker.flushAll();
});

const ask = (headers: Record<string, string> = {}) =>
  service.call('/api/endpoints/query/shared', { headers });
const names = async (): Promise<string[]> => (await attacker.keys('*:entry:*')).map(String);

/** Asks until the response comes from Redis, and gives its name there. */
async function stored(): Promise<string> {
  await ask();
  await expect.poll(async () => (await ask()).headers.get('cache-status')).toMatch(/^millrace; hit/);
  const [name = ''] = await names();
  return name;
}

test('a shared cache without its own key causes a warning', () => {
  expect(service.observed.filter(({ kind }) => kind === 'cache.key_derived')).toHaveLength(1);
});

/** What is there with a part replaced by as many bytes, and a checksum where there was one before there was an HMAC. */
function changed(bytes: Buffer, from: string, to: string): Buffer {
  const copy = Buffer.from(bytes);
  copy.write(to, copy.indexOf(from), 'latin1');
  copy.writeUInt32LE(crc32(copy.subarray(8)), 4);
  return copy;
}

test.each<{ why: string; forge: (bytes: Buffer) => Buffer }>([
  { why: 'the attacker’s rows', forge: (bytes) => changed(bytes, '"n":1', '"n":2') },
  {
    why: 'HTML',
    forge: (bytes) => changed(bytes, 'application/json; charset=utf-8', 'text/html;               charset'),
  },
  { why: 'a header that ends', forge: (bytes) => changed(bytes, 'application/json', 'text/csv\r\nA: bc') },
  {
    why: 'a header with a control character',
    forge: (bytes) => changed(bytes, 'application', 'applicatio\0'),
  },
  { why: 'a truncated body', forge: (bytes) => bytes.subarray(0, -3) },
  {
    why: 'an entry of the first version',
    forge: (bytes) => Buffer.concat([Buffer.from('MRC1\0\0\0\0\x01'), bytes]),
  },
])('a changed entry is not served, on the fast path either: $why', async ({ forge }) => {
  let kinds = await kindsSeen(forge);
  // If Redis does not answer in time, the calls do without it.
  while (kinds.includes('cache.remote_lost')) kinds = await kindsSeen(forge);
  expect(kinds.filter((kind) => kind === 'cache.corrupt_entry')).toHaveLength(1);
});

/** Three calls, none of which is answered with the forged entry; kinds of the observations meanwhile. */
async function kindsSeen(forge: (bytes: Buffer) => Buffer): Promise<readonly string[]> {
  const name = await stored();
  const bytes: unknown = await attacker.get(name);
  if (!Buffer.isBuffer(bytes)) throw new Error('nothing is stored');
  const genuine = await (await ask()).text();
  const before = service.observed.length;
  await attacker.set(name, forge(bytes), PX);
  const responses = await Promise.all([ask(), ask({ 'Accept-Encoding': 'gzip' }), ask()]);
  const texts = await Promise.all(responses.map((each) => each.text()));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(responses.map(({ headers }) => headers.get('content-type'))).toEqual(
    responses.map(() => 'application/json; charset=utf-8'),
  );
  for (const text of texts) {
    expect(JSON.parse(text)).toMatchObject({ result: [{ n: 1 }] });
    expect(text).not.toBe(genuine); // made anew
  }
  return service.observed.slice(before).map(({ kind }) => kind);
}

test('an entry of one request under the key of another is not served', async () => {
  const name = await stored();
  const bytes: unknown = await attacker.get(name);
  if (!Buffer.isBuffer(bytes)) throw new Error('nothing is stored');
  const genuine = await (await ask()).text();
  const csv = await service.call('/api/endpoints/query/shared?format=csv');
  expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
  await expect.poll(names).toHaveLength(2);
  for (const each of await names()) await attacker.set(each, bytes, PX);
  const again = await service.call('/api/endpoints/query/shared?format=csv');
  expect([again.status, again.headers.get('content-type')]).toEqual([200, csv.headers.get('content-type')]);
  expect(await again.text()).not.toBe(genuine);
});
