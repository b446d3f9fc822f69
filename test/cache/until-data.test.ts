// Responses that are valid until their tables change, for any order of changes of real tables, reads, and time.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { createReadThrough, type Job, type ReadThrough } from '../../src/cache/read-through.ts';
import { NO_DIRECTIVES, type CacheDirectives } from '../../src/cache/freshness.ts';
import { createStore } from '../../src/cache/store.ts';
import type { Endpoint } from '../../src/catalog/endpoint.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { readRows } from '../../src/engine/rows.ts';
import { createWatches } from '../../src/request/watches.ts';
import { openTestEngine } from '../support/test-engine.ts';
import { payload, textOf } from './fixture.ts';
import { watchedEndpoint } from './watched-endpoint.ts';

/** Sequences of 40 steps. */
const CASES = Math.ceil(Number(process.env['FUZZ_CASES'] ?? 300) / 100);
const CHECK_MS = 2000;
const TTL_S = 86_400;

const SETTINGS = `SETTINGS min_parts_to_merge_at_once = 1000, enable_block_number_column = 1, enable_block_offset_column = 1`;
const table = (name: string): string =>
  `m.${name} (id UInt64, s String) ENGINE = MergeTree PARTITION BY id % 3 ORDER BY id ${SETTINGS}`;
const QUERY = 'SELECT count() AS c, sum(cityHash64(id, s)) AS h FROM m.v';

let engine: Engine;
beforeAll(async () => {
  engine = await openTestEngine();
  await engine.execute('CREATE DATABASE m');
  for (const name of ['t', 'u']) await engine.execute(`CREATE TABLE ${table(name)}`);
  await engine.execute('CREATE VIEW m.v AS SELECT * FROM m.t');
}, 60_000);
afterAll(() => engine.close(0));

const endpointOf = (query: string): Endpoint =>
  watchedEndpoint(query, { check: CHECK_MS / 1000, ttl: TTL_S });

/** A change of `m.t` or `m.u`; `n` chooses its values. */
const CHANGES: Readonly<Record<string, (n: number) => string>> = {
  insert: (n) => `INSERT INTO m.t SELECT number, 's${n}' FROM numbers(${n % 5}, 3)`,
  insertElsewhere: (n) => `INSERT INTO m.u SELECT number, 'u${n}' FROM numbers(${n % 5}, 3)`,
  update: (n) => `ALTER TABLE m.t UPDATE s = 'm${n}' WHERE id % 2 = ${n % 2} SETTINGS mutations_sync = 2`,
  delete: (n) => `ALTER TABLE m.t DELETE WHERE id = ${n % 7} SETTINGS mutations_sync = 2`,
  lightweightDelete: (n) => `DELETE FROM m.t WHERE id = ${n % 7}`,
  patch: (n) => `UPDATE m.t SET s = 'p${n}' WHERE id = ${n % 7}`,
  dropPartition: (n) => `ALTER TABLE m.t DROP PARTITION ${n % 3}`,
  detachPartition: (n) => `ALTER TABLE m.t DETACH PARTITION ${n % 3}`,
  attachPartition: (n) => `ALTER TABLE m.t ATTACH PARTITION ${n % 3}`,
  replacePartition: (n) => `ALTER TABLE m.t REPLACE PARTITION ${n % 3} FROM m.u`,
  movePartition: (n) => `ALTER TABLE m.t MOVE PARTITION ${n % 3} TO TABLE m.u`,
  merge: () => 'OPTIMIZE TABLE m.t FINAL',
  truncate: () => 'TRUNCATE TABLE m.t',
  exchange: () => 'EXCHANGE TABLES m.t AND m.u',
  rename: () => 'RENAME TABLE m.t TO m.w, m.u TO m.t, m.w TO m.u',
  recreate: () => `CREATE OR REPLACE TABLE ${table('t')}`,
  view: (n) =>
    `CREATE OR REPLACE VIEW m.v AS SELECT * FROM m.${n % 3 === 0 ? 'u' : 't'} WHERE id != ${n % 4}`,
  alter: (n) => `ALTER TABLE m.t MODIFY COMMENT 'c${n}'`,
};
/** What may put back a state that was there before: not twice within the time that a fingerprint is used for runs. */
const RETURNING: ReadonlySet<string> = new Set(['exchange', 'rename', 'view']);

type Step =
  | { readonly kind: 'change'; readonly name: string; readonly n: number; readonly isDuringRun: boolean }
  | { readonly kind: 'read'; readonly key: number; readonly directives: CacheDirectives }
  | { readonly kind: 'pass'; readonly ms: number };

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('change' as const), name: fc.constantFrom(...Object.keys(CHANGES)), n: fc.nat(99), isDuringRun: fc.boolean() }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('read' as const), key: fc.nat(1), directives: fc.oneof({ weight: 5, arbitrary: fc.constant(NO_DIRECTIVES) }, { weight: 1, arbitrary: fc.record({ noCache: fc.boolean(), maxAge: fc.option(fc.nat(3), { nil: undefined }), onlyIfCached: fc.constant(false) }) }) }) },
    { weight: 4, arbitrary: fc.oneof(fc.nat(300), fc.nat(2500), fc.nat(20_000)).map((ms) => ({ kind: 'pass' as const, ms })) },
  ),
  { minLength: 10, maxLength: 40 },
); // prettier-ignore

/** Two caches over one virtual clock: until the data changes, and for a time of equal freshness. */
function openCaches(endpoint: Endpoint) {
  let now = 0;
  const clock = { epoch: () => 1e12 + now, monotonic: () => now };
  const never = (): (() => void) => () => undefined;
  const open = (): ReadThrough => {
    const store = createStore({ memoryBytes: 2 ** 24, entryBytes: 2 ** 20, compressOver: 2 ** 20, remote: undefined, clock, observe: () => undefined }); // prettier-ignore
    return createReadThrough({ store, clock, after: never, random: () => 0.5, observe: () => undefined, excusesStale: () => true }); // prettier-ignore
  };
  const checks = { count: 0, failed: 0 };
  const [watched, timed] = [open(), open()];
  const watches = createWatches({
    engine,
    readThrough: watched,
    clock,
    hosts: 1,
    observe: ({ kind }) => {
      if (kind === 'cache.checked') checks.count++;
      if (kind === 'cache.check_failed') checks.failed++;
    },
  });
  const watch = watches.of(endpoint, { consumerQuery: undefined });
  const policy = endpoint.cache ?? { ttl: 0, minRefresh: 0, staleWhileRevalidate: 0, staleIfError: 0 };
  return {
    watched: { cache: watched, job: { policy, watch } },
    timed: { cache: timed, job: { policy: { ...policy, ttl: CHECK_MS / 1000, check: undefined } } },
    checks,
    pass: (ms: number) => void (now += ms),
    now: () => now,
  };
}

const asked = (
  job: Omit<Job, 'run' | 'key'>,
  key: string,
  directives: CacheDirectives,
  run: () => Promise<string>,
) => ({
  ...job,
  key,
  directives,
  run: async () => payload(await run()),
  signal: () => new AbortController().signal,
});

const rowsNow = async (): Promise<string> => JSON.stringify(await readRows(engine, QUERY));

/** Statements may fail in some states, such as those about a partition that is not there. */
const change = (name: string, n: number): Promise<void> =>
  engine.execute(CHANGES[name]?.(n) ?? 'SELECT 1').catch(() => undefined);

async function play(sequence: readonly Step[]): Promise<void> {
  const caches = openCaches(endpointOf(QUERY));
  const truth: { readonly from: number; readonly rows: string }[] = [{ from: 0, rows: await rowsNow() }];
  const note = async (): Promise<void> => void truth.push({ from: caches.now(), rows: await rowsNow() });
  const runs = { watched: 0, timed: 0 };
  let duringRun: { name: string; n: number } | undefined;

  const run = async (): Promise<string> => {
    runs.watched++;
    const early = duringRun !== undefined && duringRun.n % 2 === 0;
    const rows = early ? '' : await rowsNow();
    if (duringRun !== undefined) {
      await change(duringRun.name, duringRun.n);
      caches.pass(30);
      await note();
      duringRun = undefined;
    }
    return early ? rowsNow() : rows;
  };

  const read = async (key: string, directives: CacheDirectives): Promise<void> => {
    const started = caches.now();
    const { cache, job } = caches.watched;
    const found = await cache.read(asked(job, key, directives, run));
    const rows = found.kind === 'answer' ? textOf(found.entry) : undefined;
    const oldest = started - CHECK_MS;
    const valid = truth
      .filter((_, at) => (truth[at + 1]?.from ?? Infinity) >= oldest)
      .map((each) => each.rows);
    expect({ valid, outcome: found.kind === 'answer' && found.outcome }).toMatchObject({
      valid: expect.arrayContaining([rows]),
    });
    await caches.timed.cache.read(
      asked(caches.timed.job, key, directives, async () => (runs.timed++, 'rows')),
    );
  };

  for (const step of sequence) {
    if (step.kind === 'pass') caches.pass(step.ms);
    else if (step.kind === 'read') await read(`m.rows@1/${step.key}`, step.directives);
    else if (step.isDuringRun && !RETURNING.has(step.name)) duringRun = step;
    else {
      await change(step.name, step.n);
      await note();
      if (RETURNING.has(step.name)) caches.pass(101);
    }
  }
  duringRun = undefined;
  expect(runs.watched).toBeLessThanOrEqual(runs.timed);
  // Data at rest: no runs, and at most one check in each period.
  await read('m.rows@1/0', NO_DIRECTIVES);
  caches.pass(CHECK_MS);
  await read('m.rows@1/0', NO_DIRECTIVES);
  const [before, checks] = [runs.watched, caches.checks.count];
  for (let at = 0; at < 20; at++) {
    caches.pass(CHECK_MS / 4);
    await read('m.rows@1/0', NO_DIRECTIVES);
  }
  expect(runs.watched).toBe(before);
  expect(caches.checks.count - checks).toBeLessThanOrEqual(5);
  expect(caches.checks.failed).toBe(0);
}

test('no response is older than a check and its run; no more runs than with a ttl of equal freshness, none at rest', async () => {
  await fc.assert(fc.asyncProperty(steps, play), {
    numRuns: CASES,
    seed: Number(process.env['FUZZ_SEED'] ?? 7),
  });
}, 3_600_000);

describe('one answer', () => {
  beforeAll(() => engine.execute('CREATE OR REPLACE VIEW m.v AS SELECT * FROM m.t')); // the test before leaves any state

  const outcomeOf = async (
    caches: ReturnType<typeof openCaches>,
    key = 'm.rows@1/a',
    directives = NO_DIRECTIVES,
  ) => {
    const { cache, job } = caches.watched;
    const found = await cache.read(asked(job, key, directives, rowsNow));
    return found.kind === 'answer' ? [found.outcome.kind, found.outcome.data, found.outcome.ttl] : found.kind;
  };

  test('says why it was valid, and lasts for `check`', async () => {
    const caches = openCaches(endpointOf(QUERY));
    expect(await outcomeOf(caches)).toEqual(['stored', undefined, 2]);
    expect(await outcomeOf(caches)).toEqual(['hit', 'unchanged', 2]);
    caches.pass(1500);
    expect(await outcomeOf(caches)).toEqual(['hit', 'unchanged', 0]);
    caches.pass(1500);
    expect(await outcomeOf(caches)).toEqual(['hit', 'unchanged', 2]);
    caches.pass(2500);
    await change('insert', 1);
    expect(await outcomeOf(caches)).toEqual(['stored', 'changed', 2]);
    caches.pass(TTL_S * 1000);
    expect(await outcomeOf(caches)).toEqual(['stored', undefined, 2]);
    expect(caches.checks.failed).toBe(0);
  });

  test('a repeated request is answered without a wait while the last check is young, and checks otherwise', async () => {
    const caches = openCaches(endpointOf(QUERY));
    const { cache, job } = caches.watched;
    const one = asked(job, 'm.rows@1/b', NO_DIRECTIVES, rowsNow);
    await cache.read(one);
    expect(cache.peek(one)).toMatchObject({ kind: 'answer' });
    caches.pass(CHECK_MS);
    expect(cache.peek(one)).toBeInstanceOf(Promise);
    expect(await cache.peek(one)).toMatchObject({ outcome: { kind: 'hit', data: 'unchanged' } });
    caches.pass(CHECK_MS);
    await change('insert', 2);
    expect(await cache.peek(one)).toBeUndefined();
  });

  test('many requests at once make one check, and entries of one table set share it', async () => {
    const caches = openCaches(endpointOf(QUERY));
    const keys = Array.from({ length: 20 }, (_, at) => `m.rows@1/${at}`);
    await Promise.all(keys.map((key) => outcomeOf(caches, key)));
    expect(caches.checks.count).toBe(1);
    caches.pass(CHECK_MS);
    const outcomes = await Promise.all([...keys, ...keys].map((key) => outcomeOf(caches, key)));
    expect(new Set(outcomes.map(String))).toEqual(new Set(['hit,unchanged,2']));
    expect(caches.checks.count).toBe(2);
  });

  test('of tables that cannot be watched is valid for `check`', async () => {
    await engine.execute('CREATE TABLE IF NOT EXISTS m.memory (id UInt64) ENGINE = Memory');
    const caches = openCaches(endpointOf('SELECT * FROM m.memory'));
    expect(await outcomeOf(caches)).toEqual(['stored', undefined, 2]);
    expect(await outcomeOf(caches)).toEqual(['hit', 'unwatched', 2]);
    caches.pass(CHECK_MS);
    expect(await outcomeOf(caches)).toEqual(['stored', 'unwatched', 2]);
    expect(caches.checks.count).toBe(0);
  });

  test('is refreshed by warming only if the data has changed', async () => {
    const caches = openCaches(endpointOf(QUERY));
    const { cache, job } = caches.watched;
    const one = asked(job, 'm.rows@1/w', NO_DIRECTIVES, rowsNow);
    expect(await cache.refresh(one, 5000)).toMatchObject({ ran: true, isUnchanged: false });
    caches.pass(10_000);
    expect(await cache.refresh(one, 5000)).toMatchObject({ ran: false, isUnchanged: true });
    await change('insert', 3);
    caches.pass(10_000);
    expect(await cache.refresh(one, 5000)).toMatchObject({ ran: true, isUnchanged: false });
  });
});
