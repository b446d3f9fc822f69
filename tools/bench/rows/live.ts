// Live calls: memory of many open streams, and how long after a change its event is on every screen.
import { writeFile, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { RowSource, Target } from '../context.ts';
import { within, type Figure } from '../figures.ts';

const SUBSCRIBERS = 10_000;
const QUESTIONS = 100;
const EVERY = 2;
/** Seconds: the answer changes at multiples of it, by the clock of the engine. */
const CHANGES = 5;
const AT_ONCE = 50;
const ROWS = 20;

export const live: RowSource = {
  name: `${SUBSCRIBERS} live streams of ${QUESTIONS} questions, every: ${EVERY}`,
  prepare: async (context) => {
    const folder = await context.folder('live');
    await writeFile(
      join(folder, 'live.yaml'),
      `id: 00000000-0000-4000-8000-000000000001\nname: live\nlive: { every: ${EVERY} }\nparameters: { q: { type: UInt32, required: true } }\nquery: SELECT @q AS q, toUnixTimestamp(toStartOfInterval(now(), INTERVAL ${CHANGES} SECOND)) AS at, number, repeat('x', 100) AS text FROM numbers(${ROWS})\n`,
    );
    const env = {
      MILLRACE_LIVE_STREAMS: String(SUBSCRIBERS),
      MILLRACE_LIVE_STREAMS_PER_KEY: String(SUBSCRIBERS),
    };
    const service = await context.serve({ endpoints: folder, data: await context.folder('live-data'), env });
    const delays: number[] = [];
    await openAll(service, delays);
    return {
      rows: [
        {
          name: `${SUBSCRIBERS} live streams of ${QUESTIONS} questions, memory of the process`,
          unit: 'MiB',
          contenders: [
            {
              name: 'while events are sent',
              measure: async () => {
                await collect(delays, context.seconds);
                return figureOf([await residentMiB(service)]);
              },
              bar: within(600, 'MiB'),
            },
          ],
        },
        {
          name: `${SUBSCRIBERS} live streams of ${QUESTIONS} questions, from a change to each screen`,
          contenders: [
            {
              name: `every: ${EVERY}`,
              measure: async () => figureOf(await collect(delays, context.seconds)),
              bar: { text: `p99 at most ${EVERY + 1} s`, isMet: ({ p99 }) => p99 <= (EVERY + 1) * 1000 },
            },
          ],
        },
      ],
    };
  },
};

async function openAll(service: Target, delays: number[]): Promise<void> {
  for (let first = 0; first < SUBSCRIBERS; first += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => subscribe(service, first + index, delays)),
    );
}

/** Resolves with the first event; later ones add the time since the change that they show. */
function subscribe({ url, headers }: Target, index: number, delays: number[]): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const path = `/api/endpoints/query/live?q=${index % QUESTIONS}`;
  const fields = Object.entries({ Host: hostname, Accept: 'text/event-stream', ...headers });
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let isFirst = true;
    let rest = '';
    socket.setEncoding('latin1').on('error', reject);
    socket.write(
      `GET ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    socket.on('data', (text: string) => {
      rest += text;
      if (isFirst && !/^HTTP\/1.1 (?:200|$)/.test(rest.slice(0, 12))) reject(new Error(rest.slice(0, 500)));
      const at = /event: result[^]*?"at":(\d+)[^]*?\n\n/.exec(rest);
      if (at === null) return;
      rest = rest.slice(at.index + at[0].length);
      if (isFirst) resolve(socket);
      else delays.push(Date.now() - Number(at[1]) * 1000);
      isFirst = false;
    });
  });
}

/** The delays of all events of some seconds, at least of two changes. */
async function collect(delays: number[], seconds: number): Promise<readonly number[]> {
  delays.length = 0;
  await new Promise((resolve) => setTimeout(resolve, Math.max(seconds, 2 * CHANGES + EVERY + 1) * 1000));
  return [...delays];
}

function figureOf(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { rate: sorted.length, p50: at(0.5), p99: at(0.99) };
}

async function residentMiB({ process: { pid } }: Target): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
