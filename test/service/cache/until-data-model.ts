// A model of caching until the data changes: any order of changes, reads, time and clock steps over a world of tables. Every
// response must be the rows at some time since `check` before its request.
import { expect } from 'vitest';
import fc from 'fast-check';
import { createReadThrough, type Job, type ReadThrough } from '../../../src/service/cache/read-through.ts';
import { NO_DIRECTIVES, type CacheDirectives } from '../../../src/service/cache/freshness.ts';
import { createStore } from '../../../src/service/cache/store.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { createWatches } from '../../../src/service/request/reading/watches.ts';
import type { WatchesDeps } from '../../../src/service/request/reading/shared-fingerprint.ts';
import { payload, textOf } from './fixture.ts';
import { watchedEndpoint } from './watched-endpoint.ts';

export const CHECK_MS = 2000;
export const TTL_S = 86_400;

/** What is cached, and how it changes. */
export interface World extends Pick<WatchesDeps, 'engine' | 'tables'> {
  readonly query: string;
  readonly rows: () => Promise<string>;
  /** Names of changes. */
  readonly changes: readonly string[];
  /** Those that may put back a state that was there before. */
  readonly returning: ReadonlySet<string>;
  /** `n` chooses its values. In some states, a change does nothing. */
  readonly change: (name: string, n: number) => Promise<void>;
}

export type Step =
  | { readonly kind: 'change'; readonly name: string; readonly n: number; readonly when: When }
  | { readonly kind: 'read'; readonly key: number; readonly directives: CacheDirectives }
  | { readonly kind: 'pass'; readonly ms: number }
  /** Sets the wall clock. */
  | { readonly kind: 'clock'; readonly ms: number };
/** At once, or in the middle of the next run, or of the next check. */
type When = 'now' | 'run' | 'check';

export function stepsOf({ changes }: World, maxLength: number): fc.Arbitrary<readonly Step[]> {
  const directives = fc.record({ noCache: fc.boolean(), maxAge: fc.option(fc.nat(3), { nil: undefined }), onlyIfCached: fc.constant(false) }); // prettier-ignore
  const when = fc.constantFrom<When>('now', 'now', 'run', 'check');
  return fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('change' as const), name: fc.constantFrom(...changes), n: fc.nat(99), when }) },
      { weight: 10, arbitrary: fc.record({ kind: fc.constant('read' as const), key: fc.nat(1), directives: fc.oneof({ weight: 5, arbitrary: fc.constant(NO_DIRECTIVES) }, { weight: 1, arbitrary: directives }) }) },
      { weight: 8, arbitrary: fc.oneof(fc.nat(300), fc.nat(2500), fc.nat(20_000)).map((ms) => ({ kind: 'pass' as const, ms })) },
      { weight: 1, arbitrary: fc.integer({ min: -20_000, max: 20_000 }).map((ms) => ({ kind: 'clock' as const, ms })) },
    ),
    { minLength: 10, maxLength, size: 'max' },
  ); // prettier-ignore
}

export const endpointOf = (query: string): Endpoint =>
  watchedEndpoint(query, { check: CHECK_MS / 1000, ttl: TTL_S });

/** Two caches over one virtual clock: until the data changes, and for a time of equal freshness. */
export function openCaches({ engine, tables }: Pick<World, 'engine' | 'tables'>, endpoint: Endpoint) {
  let now = 0;
  let wall = 1e12;
  const clock = { epoch: () => wall + now, monotonic: () => now };
  const never = (): (() => void) => () => undefined;
  const open = (): ReadThrough => {
    const store = createStore({ memoryBytes: 2 ** 24, entryBytes: 2 ** 20, compressOver: 2 ** 20, remote: undefined, clock, observe: () => undefined }); // prettier-ignore
    return createReadThrough({ store, clock, after: never, random: () => 0.5, observe: () => undefined, excusesStale: () => true }); // prettier-ignore
  };
  const checks = { count: 0, failed: 0 };
  const [watched, timed] = [open(), open()];
  const watches = createWatches({
    engine,
    ...(tables === undefined ? {} : { tables }),
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
    setClock: (ms: number) => void (wall += ms),
    now: () => now,
  };
}

export const asked = (
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

/** The rows at each time. */
interface Truth {
  readonly from: number;
  readonly rows: string;
}

/** Plays a sequence of steps in a new cache. Numbers of reads and runs are added to `totals`. */
export async function play(world: World, sequence: readonly Step[], totals: Totals): Promise<void> {
  const waiting: Record<Exclude<When, 'now'>, { name: string; n: number } | undefined> = { run: undefined, check: undefined }; // prettier-ignore
  const truth: Truth[] = [];
  const runs = { watched: 0, timed: 0 };
  /** Reads the world before or after a change that waits for this. */
  const during = async <T>(when: Exclude<When, 'now'>, look: () => Promise<T>): Promise<T> => {
    const next = waiting[when];
    waiting[when] = undefined;
    caches.pass(5);
    if (next === undefined) return look();
    const early = next.n % 2 === 0 ? undefined : { seen: await look() };
    await world.change(next.name, next.n);
    caches.pass(25);
    await note();
    return early === undefined ? look() : early.seen;
  };
  const tables = world.tables && {
    resolve: world.tables.resolve,
    readFingerprint: (...given: Parameters<NonNullable<World['tables']>['readFingerprint']>) =>
      during('check', async () => world.tables?.readFingerprint(...given) ?? ''),
  };
  const caches = openCaches(
    { engine: world.engine, ...(tables === undefined ? {} : { tables }) },
    endpointOf(world.query),
  );
  const note = async (): Promise<void> => void truth.push({ from: caches.now(), rows: await world.rows() });
  await note();

  const read = async (key: string, directives: CacheDirectives): Promise<void> => {
    const started = caches.now();
    // First, since its runs take no time: its response must not be newer.
    const counted = async (): Promise<string> => (runs.timed++, 'rows');
    await caches.timed.cache.read(asked(caches.timed.job, key, directives, counted));
    const run = (): Promise<string> => {
      runs.watched++;
      return during('run', world.rows);
    };
    const found = await caches.watched.cache.read(asked(caches.watched.job, key, directives, run));
    totals.reads++;
    const rows = found.kind === 'answer' ? textOf(found.entry) : undefined;
    const oldest = started - CHECK_MS;
    const first = truth.findLastIndex(({ from }) => from <= oldest);
    const valid = truth.slice(Math.max(0, first)).map((each) => each.rows);
    if (!valid.includes(rows ?? ''))
      expect({ valid, outcome: found.kind === 'answer' && found.outcome }).toMatchObject({
        valid: expect.arrayContaining([rows]),
      });
  };

  for (const step of sequence) {
    totals.steps++;
    if (step.kind === 'pass') caches.pass(step.ms);
    else if (step.kind === 'clock') caches.setClock(step.ms);
    else if (step.kind === 'read') await read(`m.rows@1/${step.key}`, step.directives);
    // States must not return within the time that a fingerprint is used for runs.
    else if (step.when !== 'now' && !world.returning.has(step.name)) waiting[step.when] = step;
    else {
      await world.change(step.name, step.n);
      await note();
      if (world.returning.has(step.name)) caches.pass(101);
    }
  }
  waiting.run = undefined;
  waiting.check = undefined;
  expect(runs.watched).toBeLessThanOrEqual(runs.timed);
  totals.runs += runs.watched;
  totals.timed += runs.timed;
  await playRest(caches, read, runs);
}

export interface Totals {
  steps: number;
  reads: number;
  runs: number;
  /** Runs of the cache with a ttl of equal freshness. */
  timed: number;
}

/** Data at rest: no runs, and at most one check in each period. */
async function playRest(
  caches: ReturnType<typeof openCaches>,
  read: (key: string, directives: CacheDirectives) => Promise<void>,
  runs: { readonly watched: number },
): Promise<void> {
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
