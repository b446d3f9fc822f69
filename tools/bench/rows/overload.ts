// Ten times the load: the latency of rejections, and the throughput of accepted requests meanwhile.
import { setTimeout } from 'node:timers/promises';
import autocannon from 'autocannon';
import { load, MANY, type RowSource, type Target } from '../context.ts';
import { atLeast, quickest, type Figure } from '../figures.ts';
import { HIT, cachedResponse, SLOW } from './cached-response.ts';

/** Requests per second: ten times the endpoint's capacity. */
const FLOOD = 200;

export const overload: RowSource = {
  name: `overload: ${FLOOD} calls per second of a query that can run ${FLOOD / 10} times per second`,
  prepare: async (context) => {
    const { seconds } = context;
    const service = await context.serve({
      endpoints: await cachedResponse(context),
      data: await context.folder('data'),
    });
    const hit = { ...service, url: `${service.url}${HIT}` };
    const slow = { ...service, url: `${service.url}${SLOW}` };
    return {
      contenders: [
        { name: 'cache hits without overload', measure: () => load(hit, MANY, seconds) },
        {
          name: 'cache hits during overload',
          measure: async () => {
            const { url, headers } = slow;
            const flooding = autocannon({
              url,
              headers,
              connections: 40,
              duration: seconds + 1,
              workers: 1,
              overallRate: FLOOD,
            });
            const figure = await load(hit, MANY, seconds);
            await flooding;
            return figure;
          },
          bar: atLeast(0.7),
        },
        { name: 'rejections', measure: () => measureRefusals(slow, seconds), bar: quickest(50) },
      ],
    };
  },
};

/** Latency of rejections alone, at low load: one request every few milliseconds. */
async function measureRefusals({ url, headers }: Target, seconds: number): Promise<Figure> {
  const calls: Promise<number | undefined>[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    const started = performance.now();
    const call = fetch(url, { headers }).then(({ status }) =>
      status === 503 ? performance.now() - started : undefined,
    );
    calls.push(call);
    await setTimeout(1000 / FLOOD);
  }
  const times = (await Promise.all(calls)).flatMap((ms) => ms ?? []).toSorted((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return { rate: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}
