// Callers read a large response a few bytes at a time: each holds a bounded amount of memory and delays no other caller.
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { statusOf } from '../ask.ts';
import { count, median, quantile } from '../load.ts';
import { atMost, inTime, onlyStatuses, type Check, type Context, type Scenario } from '../scenario.ts';
import { footprint, KEY, serve, type Serving } from '../serving.ts';

const READERS = 20;
const ROUNDS = { short: 3, long: 6 };
const MEASURE_MS = { short: 800, long: 4000 };
const ROWS = 2000;
const ROW_BYTES = 4000;
const ANSWER_BYTES = ROWS * ROW_BYTES;
const WAITING_BYTES = 64 * 2 ** 20;
const MORE_BYTES = 2 * WAITING_BYTES;
const PLACES = 4;
const WATCH_MS = 2000;

const ENDPOINTS = {
  large: `query: SELECT randomPrintableASCII(${ROW_BYTES}) AS text FROM numbers(${ROWS})\nmax_rows: 10000\nlimits: { memory: 1GiB }\n`,
  kept: "query: SELECT repeat('x', 2000) AS text\ncache: { ttl: 3600 }\n",
  fresh: 'query: SELECT generateUUIDv4() AS run\n',
};

export const slowReaders: Scenario = {
  name: 'slow-readers',
  pass: `20 slow readers of ${ANSWER_BYTES / 1e6} MB: at most 64 MiB buffered, at most 128 MiB more memory than for as many fast readers, the p99 of other clients at most doubled`,
  seconds: { short: 120, long: 180 },
  run: async (context) => {
    const env = { MILLRACE_SEND_MEMORY: String(WAITING_BYTES), MILLRACE_CONNECTIONS: String(PLACES) };
    const serving = await serve(context, { endpoints: ENDPOINTS, env });
    // Memory that the process retains after its first large responses is not attributed to the slow readers.
    for (let n = 0; n < 8; n++) await Promise.all([serving.call('large'), serving.call('large')]);
    const statuses = new Map<string, number>();
    const seen: Figures = { without: [], beside: [], quick: [], slow: [], waiting: [] };
    for (let round = 0; round < (context.isShort ? ROUNDS.short : ROUNDS.long); round++) {
      context.note(`round ${round + 1}`);
      seen.without.push(await p99(context, serving, statuses));
      const quick = Array.from({ length: READERS }, () => serving.call('large'));
      seen.quick.push(await mostHeld(serving));
      await Promise.all(quick);
      const readers = startReaders(serving);
      seen.slow.push(await mostHeld(serving));
      seen.waiting.push(await mostWaiting(serving));
      seen.beside.push(await p99(context, serving, statuses));
      for (const reader of readers) reader.destroy();
      await setTimeout(300);
    }
    return [onlyStatuses('other clients', statuses, (status) => status === '200'), ...figures(seen)];
  },
};

/** One per round: milliseconds, and bytes. */
type Figures = Readonly<Record<'without' | 'beside' | 'quick' | 'slow' | 'waiting', number[]>>;

function figures({ without, beside, quick, slow, waiting }: Figures): readonly Check[] {
  const ratio = median(beside) / median(without);
  return [
    atMost('buffered responses', Math.max(...waiting) / 2 ** 20, WAITING_BYTES / 2 ** 20, 'MiB'),
    atMost(
      'more memory than for fast readers',
      (median(slow) - median(quick)) / 2 ** 20,
      MORE_BYTES / 2 ** 20,
      'MiB',
    ),
    inTime(
      `p99 ${median(beside).toFixed(2)} ms with slow readers, ${median(without).toFixed(2)} ms without: ratio`,
      ratio,
      2,
      '×',
    ),
  ];
}

/** They have received their headers, and read about 10 kB/s. */
function startReaders({ address }: Serving): readonly Socket[] {
  const { hostname, port } = new URL(address);
  return Array.from({ length: READERS }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined).pause();
    socket.write(`GET /api/endpoints/query/large HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\n\r\n`);
    const timer = setInterval(() => socket.read(1024), 100);
    socket.on('close', () => clearInterval(timer));
    return socket;
  });
}

/** Resident memory while responses are computed and sent. */
async function mostHeld({ pid }: Serving): Promise<number> {
  return most(async () => (await footprint(pid)).bytes);
}

async function mostWaiting({ metric }: Serving): Promise<number> {
  return most(() => metric('millrace_replies_waiting_bytes'));
}

async function most(read: () => Promise<number>): Promise<number> {
  const values = [0];
  for (const end = performance.now() + WATCH_MS; performance.now() < end;) {
    values.push(await read());
    await setTimeout(20);
  }
  return Math.max(...values);
}

/** Latencies of regular requests, cached and computed. */
async function p99({ isShort }: Context, { call }: Serving, statuses: Map<string, number>): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + (isShort ? MEASURE_MS.short : MEASURE_MS.long);
  const caller = async (path: string): Promise<void> => {
    while (performance.now() < end) {
      const answer = await call(path);
      count(statuses, statusOf(answer));
      times.push(answer.ms);
      await setTimeout(2);
    }
  };
  await Promise.all(['kept', 'kept', 'fresh', 'fresh'].map(caller));
  return quantile(times, 0.99);
}
