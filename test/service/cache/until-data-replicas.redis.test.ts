// Two replicas over one Redis: one fingerprint for both, and responses of one are valid in the other until the tables change.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NO_DIRECTIVES } from '../../../src/service/cache/freshness.ts';
import { createReadThrough } from '../../../src/service/cache/read-through.ts';
import { createRedis } from '../../../src/service/cache/redis.ts';
import { openRedisLink, type RedisLink } from '../../../src/service/cache/redis-link.ts';
import { createStore } from '../../../src/service/cache/store.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { readRows } from '../../../src/service/engine/rows.ts';
import { createWatches } from '../../../src/service/request/reading/watches.ts';
import { CONTENT_TYPES } from '../../../src/service/formats/formats.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { openTestEngine } from '../../support/test-engine.ts';
import { ENTRY_KEY, freshNamespace, payload, realAfter, textOf } from './fixture.ts';
import { watchedEndpoint } from './watched-endpoint.ts';

let engine: Engine;
let redis: RedisServer;
const links: RedisLink[] = [];
const counts = { checks: 0, runs: 0 };
// Both replicas have this clock, so that little time passes between their calls on a slow machine, too.
let now = Date.UTC(2024, 0, 1);
const clock = { epoch: () => now, monotonic: () => (now += 0.01) };

beforeAll(async () => {
  [engine, redis] = await Promise.all([openTestEngine(2), startRedis()]);
  await engine.execute('CREATE DATABASE r');
  await engine.execute('CREATE TABLE r.t (id UInt64) ENGINE = MergeTree ORDER BY id');
  await engine.execute('INSERT INTO r.t VALUES (1)');
});
afterAll(async () => {
  await Promise.all(links.map((link) => link.close()));
  await Promise.all([engine.close(0), redis.kill()]);
});

/** Reads a key as a replica with a cache and watches of its own. */
async function openReplica(namespace: string) {
  const parts = { clock, after: realAfter, random: Math.random, observe: () => undefined };
  const link = await openRedisLink({ ...parts, url: redis.url, namespace, timeoutMs: 5000, retryMs: 100 });
  links.push(link);
  const shared = { ...parts, link, entryKey: ENTRY_KEY, contentTypes: CONTENT_TYPES, leaseMs: 3000 };
  const remote = createRedis(shared);
  const store = createStore({
    ...parts,
    remote,
    memoryBytes: 2 ** 22,
    entryBytes: 2 ** 20,
    compressOver: 2 ** 16,
  });
  const readThrough = createReadThrough({ ...parts, store, excusesStale: () => true });
  const endpoint = watchedEndpoint('SELECT sum(id) AS s FROM r.t', { check: 1 });
  const observe = ({ kind }: { readonly kind: string }): void =>
    void (counts.checks += Number(kind === 'cache.checked'));
  const watches = createWatches({ engine, readThrough, clock, observe, hosts: 1 });
  const policy = { ttl: 3600, minRefresh: 1, staleWhileRevalidate: 0, staleIfError: 0, check: 1 };
  return async (key: string) => {
    const found = await readThrough.read({
      key,
      policy,
      watch: watches.of(endpoint, { consumerQuery: undefined }),
      directives: NO_DIRECTIVES,
      signal: () => new AbortController().signal,
      run: async () => (counts.runs++, payload(JSON.stringify(await readRows(engine, endpoint.query)))),
    });
    if (found.kind === 'absent') throw new Error('absent');
    return { text: textOf(found.entry), ...found.outcome };
  };
}

test('replicas share responses, fingerprints and changes', async () => {
  const namespace = freshNamespace();
  const [a, b] = await Promise.all([openReplica(namespace), openReplica(namespace)]);
  expect(await a('r.t@1/x')).toMatchObject({ text: '[[1]]', kind: 'stored' });
  expect(await b('r.t@1/x')).toMatchObject({ text: '[[1]]', kind: 'hit' });
  expect(counts).toEqual({ checks: 2, runs: 1 }); // before the run and after it
  now += 1100;
  // Both at once after `check`: one question, no run.
  const both = await Promise.all([a('r.t@1/x'), b('r.t@1/x'), a('r.t@1/x'), b('r.t@1/x')]);
  expect(both.map(({ kind, data }) => [kind, data])).toEqual(both.map(() => ['hit', 'unchanged']));
  expect(counts).toEqual({ checks: 3, runs: 1 });
  await engine.execute('INSERT INTO r.t VALUES (2)');
  now += 1100;
  const after = await Promise.all([a('r.t@1/x'), b('r.t@1/x')]);
  expect(after.map(({ text }) => text)).toEqual(['[[3]]', '[[3]]']);
  expect(counts.runs).toBe(2);
  expect(counts.checks).toBeLessThanOrEqual(7);
});
