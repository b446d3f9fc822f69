// Properties of the read-through cache, for any order of requests, failures, disconnects, faults and clock jumps:
// no response older than promised, none for another key, no failure older than its request, never two concurrent runs of one key.
import { ok, equal } from 'node:assert/strict';
import fc from 'fast-check';
import type { CachePolicy, CacheDirectives } from '../../../src/service/cache/freshness.ts';
import {
  createReadThrough,
  type CacheRead,
  type ReadThrough,
} from '../../../src/service/cache/read-through.ts';
import type { Remote } from '../../../src/service/cache/remote.ts';
import { createStore } from '../../../src/service/cache/store.ts';
import { PATIENCE_MS } from '../../../src/service/cache/lease-wait.ts';
import { createVirtualTime } from '../../support/virtual-time.ts';
import { payload, textOf } from './fixture.ts';
import { createVirtualRemote, WRITE_FACTOR } from './virtual-remote.ts';

/** One policy a key, as in a catalog. */
const POLICIES: readonly CachePolicy[] = [
  { ttl: 60, minRefresh: 10, staleWhileRevalidate: 0, staleIfError: 0 },
  { ttl: 60, minRefresh: 5, staleWhileRevalidate: 30, staleIfError: 0 },
  { ttl: 20, minRefresh: 0, staleWhileRevalidate: 10, staleIfError: 100 },
];

const LATENCY_MS = 3;
/** A remote store reports ages to within the time that a write takes to get there, should the clocks here have jumped. */
const SLACK_MS = WRITE_FACTOR * LATENCY_MS + 1;

type Step =
  | {
      readonly kind: 'ask';
      readonly replica: number;
      readonly key: number;
      readonly directives: CacheDirectives;
    }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'leave'; readonly which: number }
  | { readonly kind: 'engine'; readonly fails: boolean; readonly takes: number }
  | { readonly kind: 'jump'; readonly ms: number }
  | { readonly kind: 'remote'; readonly isAway: boolean; readonly flush: boolean };

const wishes: fc.Arbitrary<CacheDirectives> = fc.record({
  noCache: fc.boolean(),
  maxAge: fc.option(fc.nat(100), { nil: undefined }),
  onlyIfCached: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
});
const NO_DIRECTIVES: CacheDirectives = { noCache: false, maxAge: undefined, onlyIfCached: false };
const ask: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('ask' as const),
  replica: fc.nat(1),
  key: fc.nat(POLICIES.length - 1),
  directives: fc.oneof(
    { weight: 2, arbitrary: fc.constant(NO_DIRECTIVES) },
    { weight: 1, arbitrary: wishes },
  ),
});
const plainAsk = ask.map((step) => ({ ...step, directives: NO_DIRECTIVES }));
const pass: fc.Arbitrary<Step> = fc
  .oneof(fc.nat(50), fc.nat(3000), fc.nat(70_000))
  .map((ms) => ({ kind: 'pass', ms }));
const leave: fc.Arbitrary<Step> = fc.nat().map((which) => ({ kind: 'leave', which }));
const engine: fc.Arbitrary<Step> = fc
  .record({ fails: fc.boolean(), takes: fc.oneof(fc.nat(20), fc.nat(30_000)) })
  .map((change) => ({ kind: 'engine', ...change }));
const jump: fc.Arbitrary<Step> = fc
  .integer({ min: -200_000, max: 200_000 })
  .map((ms) => ({ kind: 'jump', ms }));
const remote: fc.Arbitrary<Step> = fc
  .record({ isAway: fc.boolean(), flush: fc.boolean() })
  .map((change) => ({ kind: 'remote', ...change }));

interface Run {
  readonly id: number;
  readonly key: string;
  readonly replica: number;
  /** When the caller asked who leads it. */
  readonly asked: number;
  readonly began: number;
  ended: number | undefined;
  state: 'running' | 'done' | 'failed' | 'aborted';
}

class EngineFailure extends Error {
  readonly run: Run;
  constructor(run: Run) {
    super(`run ${run.id} failed`);
    this.run = run;
  }
}

interface Asked {
  readonly step: Extract<Step, { kind: 'ask' }>;
  readonly at: number;
  readonly controller: AbortController;
  settled: { readonly at: number; readonly read?: CacheRead; readonly cause?: unknown } | undefined;
}

interface History {
  readonly runs: readonly Run[];
  readonly asked: readonly Asked[];
}

/** Plays steps to their end; `shared`: two replicas over one store outside, else each on its own. */
async function play(steps: readonly Step[], shared: boolean): Promise<History> {
  const time = createVirtualTime();
  const { clock, after } = time;
  const outside = createVirtualRemote(time, LATENCY_MS);
  const runs: Run[] = [];
  const asked: Asked[] = [];
  let state = { fails: false, takes: 10 };
  const replicas = [0, 1].map(() => openReplica(time, shared ? outside : undefined));

  function run(
    { at: asked, step: { key: n, replica } }: Asked,
    signal: AbortSignal,
  ): Promise<ReturnType<typeof payload>> {
    const key = keyOf(n);
    const began: Run = {
      id: runs.length,
      key,
      replica,
      asked,
      began: clock.monotonic(),
      ended: undefined,
      state: 'running',
    };
    runs.push(began);
    const { fails, takes } = state;
    return new Promise((resolve, reject) => {
      const end = (how: Run['state']): void => {
        if (began.state !== 'running') return;
        began.state = how;
        began.ended = clock.monotonic();
        if (how === 'done') resolve(payload(`${key}#${began.id}`));
        else reject(how === 'failed' ? new EngineFailure(began) : signal.reason);
      };
      signal.addEventListener('abort', () => end('aborted'));
      after(takes, () => end(fails ? 'failed' : 'done'));
    });
  }

  function begin(step: Extract<Step, { kind: 'ask' }>): void {
    const controller = new AbortController();
    const each: Asked = { step, at: clock.monotonic(), controller, settled: undefined };
    asked.push(each);
    const key = keyOf(step.key);
    const policy = POLICIES[step.key] ?? POLICIES[0];
    const reads = replicas[step.replica];
    if (policy === undefined || reads === undefined) throw new Error('no such key or replica');
    const { signal } = controller;
    reads
      .read({
        key,
        policy,
        directives: step.directives,
        signal: () => signal,
        run: (inner) => run(each, inner),
      })
      .then(
        (read) => (each.settled = { at: clock.monotonic(), read }),
        (cause: unknown) => (each.settled = { at: clock.monotonic(), cause }),
      );
  }

  for (const step of steps) {
    switch (step.kind) {
      case 'ask':
        begin(step);
        break;
      case 'pass':
        await time.advance(step.ms);
        break;
      case 'leave':
        asked[step.which % Math.max(1, asked.length)]?.controller.abort(new Error('left'));
        break;
      case 'engine':
        state = step;
        break;
      case 'jump':
        time.jump(step.ms);
        break;
      case 'remote':
        outside.isAway = step.isAway;
        if (step.flush) outside.flush();
        break;
    }
  }
  outside.isAway = false;
  await time.advance(300_000);
  return { runs, asked };
}

function openReplica(time: ReturnType<typeof createVirtualTime>, outside: Remote | undefined): ReadThrough {
  const { clock, after } = time;
  const observe = (): void => {};
  const limits = { memoryBytes: 2 ** 20, entryBytes: 1000, compressOver: 2 ** 20 };
  const store = createStore({ ...limits, remote: outside, clock, observe });
  const excusesStale = (cause: unknown): boolean => cause instanceof EngineFailure;
  return createReadThrough({ store, clock, after, random: () => 0.5, observe, excusesStale });
}

/** Milliseconds that an answer may be old, as the endpoint and the caller have it. */
function promised({ step }: Asked, over: 'fresh' | 'behind' | 'failed'): number {
  const { ttl, minRefresh, staleWhileRevalidate, staleIfError } =
    POLICIES[step.key] ?? POLICIES[0] ?? never();
  const { noCache, maxAge } = step.directives;
  const extra = { fresh: 0, behind: Math.max(staleWhileRevalidate, staleIfError), failed: staleIfError }[
    over
  ];
  const own = noCache ? Math.min(minRefresh, ttl) : ttl + extra;
  return Math.min(own, maxAge ?? Infinity) * 1000;
}

function keyOf(n: number): string {
  return `e${n}@1/k`;
}

function ttlOf(key: string): number {
  return POLICIES[Number(key.charAt(1))]?.ttl ?? never();
}

function never(): never {
  throw new Error('there is a policy');
}

function checkAnswer(
  each: Asked,
  read: Extract<CacheRead, { kind: 'answer' }>,
  { runs, at }: { runs: readonly Run[]; at: number },
): void {
  const [key, id] = textOf(read.entry)?.split('#') ?? [];
  const run = runs[Number(id)] ?? never();
  const { kind, forwarded, age } = read.outcome;
  equal(key, keyOf(each.step.key), 'no answer of another key');
  equal(run.state, 'done', 'no answer of a run that failed');
  ok(age >= Math.floor((at - run.began - SLACK_MS) / 1000), 'no response reported younger than it is');
  switch (kind) {
    case 'hit':
      return ok(at - run.began <= promised(each, 'fresh') + SLACK_MS, 'no hit over its time');
    case 'stale': {
      equal(each.step.directives.noCache, false, 'nothing stale for who asked for something new');
      const most = promised(each, forwarded === undefined ? 'behind' : 'failed') + SLACK_MS;
      return ok(at - run.began < most, 'nothing staler than allowed');
    }
    case 'collapsed':
      return ok(each.at - run.began <= promised(each, 'fresh') + SLACK_MS, 'no flight begun too long ago');
    case 'stored':
    case 'unstored':
      equal(run.replica, each.step.replica, 'a run of its own');
      return ok(run.began >= each.at, 'a run begun since');
  }
}

function checkSettled(each: Asked, runs: readonly Run[]): void {
  const { at, read, cause } = each.settled ?? {};
  ok(at !== undefined, 'every caller gets a response or a failure');
  if (read?.kind === 'answer') return checkAnswer(each, read, { runs, at });
  if (read?.kind === 'absent') return ok(each.step.directives.onlyIfCached, 'absent for who asked for that');
  if (cause instanceof EngineFailure)
    return ok(cause.run.began >= each.at, 'no failure of a run begun before');
  equal(cause, each.controller.signal.reason);
  ok(each.controller.signal.aborted, 'no caller is rejected because of another');
}

/** Who has waited that long for another replica goes alone. */
function isImpatient({ asked, began }: Run): boolean {
  return began - asked >= PATIENCE_MS;
}

/** Runs of one key that went on at the same time without the first having been ended. */
function checkOverlaps(runs: readonly Run[], together: (a: Run, b: Run) => boolean): void {
  for (const a of runs) {
    const beside = runs.filter((b) => b.id > a.id && b.key === a.key && together(a, b));
    const isAlone = (b: Run): boolean => isImpatient(a) || isImpatient(b);
    ok(!beside.some((b) => !isAlone(b) && b.began < (a.ended ?? Infinity)), 'no key run twice at once');
  }
}

const sameReplica = (a: Run, b: Run): boolean => a.replica === b.replica;
const everyReplica = (): boolean => true;

/** Nothing is run again while there is an answer of less than its time. */
function checkNeedless(runs: readonly Run[], together: (a: Run, b: Run) => boolean): void {
  for (const a of runs.filter(({ state }) => state === 'done')) {
    const later = runs.filter((b) => b.id > a.id && b.key === a.key && together(a, b));
    ok(
      !later.some((b) => !isImpatient(b) && b.began - a.began < ttlOf(b.key) * 1000),
      'nothing run while there is a fresh answer',
    );
  }
}

interface Property {
  readonly why: string;
  readonly property: fc.IAsyncProperty<[readonly Step[]]>;
}

const LONG = { maxLength: 60, size: 'max' } as const;

function property(
  why: string,
  from: readonly fc.Arbitrary<Step>[],
  shared: boolean,
  check: (history: History) => void,
): Property {
  const steps = fc.array(fc.oneof(...from), LONG);
  return { why, property: fc.asyncProperty(steps, async (sequence) => check(await play(sequence, shared))) };
}

const hostile = [ask, ask, ask, pass, pass, leave, engine, jump];
const plain = [plainAsk, plainAsk, plainAsk, pass, pass, leave, engine];

function checkAll({ runs, asked }: History, together: (a: Run, b: Run) => boolean): void {
  for (const each of asked) checkSettled(each, runs);
  checkOverlaps(runs, together);
}

/** What holds over every order of steps. */
export const PROPERTIES: readonly Property[] = [
  property('each replica on its own, clocks jumping', hostile, false, (history) =>
    checkAll(history, sameReplica),
  ),
  property(
    'nothing is run while there is a fresh answer: each replica on its own',
    plain,
    false,
    ({ runs }) => checkNeedless(runs, sameReplica),
  ),
  property(
    'nothing is run while there is a fresh answer: two replicas over one store',
    plain,
    true,
    ({ runs }) => checkNeedless(runs, everyReplica),
  ),
  property('two replicas over one store, clocks jumping', hostile, true, (history) =>
    checkAll(history, everyReplica),
  ),
  property(
    'two replicas over one store that comes, goes and forgets',
    [...hostile, remote],
    true,
    (history) => checkAll(history, sameReplica),
  ),
];
