// New rows of a log view that follows: how often it asks, however many rows there are, and what it says about itself.
import { expect, test } from 'vitest';
import { createFollower } from '../../explorer/src/logs/follower.ts';
import { createLogStore, MAX_ROWS } from '../../explorer/src/logs/log-store.ts';
import type { LogQuestion } from '../../explorer/src/logs/questions.ts';
import { createClient } from '../../explorer/src/service/client.ts';
import type { Row } from '../../explorer/src/service/json.ts';
import { createVirtualTime } from '../support/virtual-time.ts';

const QUESTION = {
  endpoint: {
    name: 'lines',
    live: { every: 1 },
    max_rows: 10_000,
    page: null,
    parameters: [],
    sandbox: { enabled: false },
  },
  view: { table: 'lines', time: 'timestamp', columns: [], facets: [], isDeclared: false },
  parameters: {},
  lql: '',
  bounds: { from: 0, to: 0 },
} as unknown as LogQuestion; // what calls of rows read

type Body = ReadableStreamDefaultController<Uint8Array>;

/** The service gives one reply to each call; the last one is repeated. */
type Reply = (body: Body) => void | Response | Promise<never>;

const send =
  (text: string): Reply =>
  (body) =>
    body.enqueue(new TextEncoder().encode(text));

/** One event for each number of rows. */
const results =
  (...sizes: readonly number[]): Reply =>
  (body) => {
    for (const size of sizes) {
      const result = Array.from({ length: size }, (__, n) => ({ timestamp: '2024-05-01T00:00:00Z', n }));
      void send(`event: result\ndata: ${JSON.stringify({ result })}\n\n`)(body);
    }
  };

const closed =
  (reply: Reply): Reply =>
  (body) => {
    void reply(body);
    body.close();
  };

const rejected =
  (status: number): Reply =>
  () =>
    Response.json({ status, code: `test.${status}`, title: 'Rejected', detail: '', hint: '' }, { status });

const unreachable: Reply = () => Promise.reject(new TypeError('fetch failed'));

/** Live calls whose streams stay open unless a reply closes them. */
function follow(...replies: readonly Reply[]) {
  const time = createVirtualTime();
  const found: Row[] = [];
  const gaps: boolean[] = [];
  let calls = 0;
  let open: Body | undefined;
  const fetch = (_: unknown, { signal }: RequestInit = {}): Promise<Response> => {
    const reply = replies[Math.min(calls++, replies.length - 1)];
    let answer: ReturnType<Reply> = undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        open = stream;
        signal?.addEventListener('abort', () => stream.error(new DOMException('aborted', 'AbortError')));
        answer = reply?.(stream);
      },
    });
    return Promise.resolve(answer ?? new Response(body));
  };
  const follower = createFollower({
    client: createClient({ base: 'http://localhost/', fetch, now: time.clock.monotonic }),
    key: () => 'key',
    after: time.after,
    epoch: time.clock.epoch,
    isVisible: () => true,
    known: () => found,
    found: (rows, hasGap) => {
      found.unshift(...rows);
      gaps.push(hasGap);
    },
  });
  follower.start(QUESTION);
  const kind = (): string => follower.following.value.kind;
  return { time, follower, found, gaps, kind, calls: () => calls, body: () => open };
}

test('a stream that begins with many rows stays open', async () => {
  const { time, follower, found, calls } = follow(results(900, 1000));
  await time.advance(40_000);
  expect(found).toHaveLength(1000);
  expect(calls()).toBe(1);
  follower.stop();
});

test('a stream whose results grow is opened again, and one that ends at once only once a second', async () => {
  for (const streams of [follow(results(10, 600)), follow(closed(results(1)))]) {
    await streams.time.advance(10_500);
    expect(streams.calls()).toBe(11);
    streams.follower.stop();
    await streams.time.advance(10_000);
    expect(streams.calls()).toBe(11);
  }
});

test('what it says: connecting, live, paused', async () => {
  const { time, follower, kind } = follow(results(1));
  expect(kind()).toBe('connecting');
  await time.advance(0);
  expect(kind()).toBe('live');
  follower.stop();
  expect(follower.following.value).toEqual({ kind: 'paused', since: time.clock.epoch() });
});

test.each<{ why: string; broken: (body: Body | undefined) => void; wait: number }>([
  {
    why: 'the connection breaks',
    broken: (body) => body?.error(new TypeError('network error')),
    wait: 0,
  },
  {
    why: 'the service reports that it cannot answer',
    broken: (body) =>
      body?.enqueue(new TextEncoder().encode('event: error\ndata: {"status":503,"title":"Busy"}\n\n')),
    wait: 0,
  },
  { why: 'not even a heartbeat arrives', broken: () => undefined, wait: 41_000 },
])('it reconnects, and says since when nothing is known: $why', async ({ broken, wait }) => {
  const { time, follower, kind, body } = follow(results(1), unreachable, unreachable, results(2));
  await time.advance(0);
  const since = time.clock.epoch();
  await time.advance(5000);
  broken(body());
  await time.advance(wait);
  expect(follower.following.value).toMatchObject({ kind: 'reconnecting', since });
  await time.advance(3000); // one second, then two
  expect(kind()).toBe('reconnecting');
  await time.advance(4000);
  expect(kind()).toBe('live');
  follower.stop();
});

test('heartbeats keep a quiet stream', async () => {
  const { time, follower, kind, body, calls } = follow(results(1));
  for (let i = 0; i < 10; i++) {
    await time.advance(15_000);
    void send(':\n\n')(body() ?? expect.unreachable());
  }
  expect([kind(), calls()]).toEqual(['live', 1]);
  follower.stop();
});

test.each([401, 403, 404])('it does not ask again after status %i', async (status) => {
  const { time, follower, calls } = follow(closed(results(1)), rejected(status));
  await time.advance(60_000);
  expect(follower.following.value).toMatchObject({ kind: 'failed', problem: { status } });
  expect(calls()).toBe(2);
});

test('waits between attempts grow to ten seconds', async () => {
  const { time, follower, calls } = follow(unreachable);
  await time.advance(15_500); // after 1, 3, 7 and 15 seconds
  expect(calls()).toBe(5);
  await time.advance(100_000);
  expect(calls()).toBe(15);
  follower.stop();
});

test('a full response of new rows has a gap before it, unless nothing was known', async () => {
  const { time, follower, gaps } = follow(closed(results(10_000)), results(0));
  await time.advance(0);
  expect(gaps).toEqual([false]);
  follower.stop();
});

test('what is read and what is new are bounded, however many rows arrive', async () => {
  const time = createVirtualTime();
  let asked = 0;
  const fetch = (): Promise<Response> => {
    asked++;
    const result = Array.from({ length: 4000 }, (_, n) => ({
      timestamp: new Date(asked * 1000).toISOString(),
      n: asked * 4000 + n,
    }));
    return Promise.resolve(Response.json({ result }));
  };
  const store = createLogStore({
    client: createClient({ base: 'http://localhost/', fetch, now: time.clock.monotonic }),
    key: () => 'key',
    after: time.after,
    epoch: time.clock.epoch,
    isVisible: () => true,
    whenReleased: (run) => run(),
  });
  store.load({ ...QUESTION, endpoint: { ...QUESTION.endpoint, live: null }, isOpen: true });
  await time.advance(0);
  store.follow();
  const counts: number[] = [];
  for (let turn = 0; turn < 12; turn++) {
    await time.advance(10_000);
    counts.push(store.fresh.value.length);
    store.showFresh();
  }
  expect(Math.max(...counts)).toBe(5000);
  expect(store.rows.value.value?.rows).toHaveLength(MAX_ROWS);
  const newest = store.rows.value.value?.rows[0];
  expect(newest?.['timestamp']).toBe(new Date(asked * 1000).toISOString());
  store.close();
});
