// New rows of a log view that follows: how often it asks, however many rows there are.
import { expect, test } from 'vitest';
import { createFollower } from '../../explorer/src/logs/follower.ts';
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

/** Live calls whose streams have one event for each number of rows, and stay open after the last one unless `isEnded`. */
function follow(sizes: readonly number[], isEnded = false) {
  const time = createVirtualTime();
  const found: Row[] = [];
  let calls = 0;
  const fetch = (_: unknown, { signal }: RequestInit = {}): Promise<Response> => {
    calls++;
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        for (const size of sizes) {
          const result = Array.from({ length: size }, (__, n) => ({ timestamp: '2024-05-01T00:00:00Z', n }));
          stream.enqueue(new TextEncoder().encode(`event: result\ndata: ${JSON.stringify({ result })}\n\n`));
        }
        if (isEnded) stream.close();
        signal?.addEventListener('abort', () => stream.error(new DOMException('aborted', 'AbortError')));
      },
    });
    return Promise.resolve(new Response(body));
  };
  const follower = createFollower({
    client: createClient({ base: 'http://localhost/', fetch, now: time.clock.monotonic }),
    key: () => 'key',
    after: time.after,
    epoch: time.clock.epoch,
    isVisible: () => true,
    known: () => found,
    found: (rows) => found.unshift(...rows),
  });
  follower.start(QUESTION);
  return { time, follower, found, calls: () => calls };
}

test('a stream that begins with many rows stays open', async () => {
  const { time, follower, found, calls } = follow([900, 1000]);
  await time.advance(60_000);
  expect(found).toHaveLength(1000);
  expect(calls()).toBe(1);
  follower.stop();
});

test('a stream whose results grow is opened again, and one that ends at once only once a second', async () => {
  for (const streams of [follow([10, 600]), follow([1], true)]) {
    await streams.time.advance(10_500);
    expect(streams.calls()).toBe(11);
    streams.follower.stop();
    await streams.time.advance(10_000);
    expect(streams.calls()).toBe(11);
  }
});
