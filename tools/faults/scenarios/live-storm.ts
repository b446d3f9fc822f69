// Far more subscribers than live calls may have, at once: some disconnect, some read nothing.
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { statusOf } from '../ask.ts';
import { count, inParallel, startLoad } from '../load.ts';
import { atMost, exact, inTime, onlyStatuses, type Check, type Context, type Scenario } from '../scenario.ts';
import { footprint, KEY, serve, type Serving } from '../serving.ts';

/** Streams in all; of one key three fifths. */
const STREAMS = { short: 200, long: 1000 };
const ROUNDS = { short: 2, long: 3 };
const HOLD_MS = { short: 1500, long: 10_000 };
/** Connections that are opened together: fewer than the system queues for a service. */
const WAVE = 200;
const WAVE_MS = 50;
const QUESTIONS = 20;
/** Those that read nothing follow larger results, one of 16. */
const SLOW_SHARE = 1 / 16;
const DROP_SHARE = 1 / 4;
const SEND_BYTES = 64 * 2 ** 20;
const MORE_BYTES = 512 * 2 ** 20;
const ANSWER_MS = 60_000;
const OTHER_KEY = 'a-key-of-another';

const ENDPOINTS = {
  small:
    'live: { every: 1 }\nquery: SELECT @n AS n, generateUUIDv4() AS run\nparameters: { n: { type: UInt32 } }\n',
  large:
    'live: { every: 1 }\nquery: SELECT randomPrintableASCII(4000) AS text FROM numbers(1000)\nmax_rows: 1000\n',
  fresh: 'query: SELECT generateUUIDv4() AS run\n',
};

export const liveStorm: Scenario = {
  name: 'live-storm',
  pass: 'live calls, twice as many as are allowed at once, repeatedly, of which some disconnect and some read nothing: the limits hold, those beyond get 429 or 503 with Retry-After, other calls 200, at most 512 MiB more memory, afterwards no stream and no place is lost',
  seconds: { short: 120, long: 600 },
  run: async (context) => {
    const total = context.isShort ? STREAMS.short : STREAMS.long;
    const perKey = (total * 3) / 5;
    const serving = await serve(context, {
      endpoints: ENDPOINTS,
      tokens: [`{ name: other, sha256: ${hashKey(OTHER_KEY)}, endpoints: ['*'] }`],
      env: {
        MILLRACE_LIVE_STREAMS: String(total),
        MILLRACE_LIVE_STREAMS_PER_KEY: String(perKey),
        MILLRACE_SEND_MEMORY: String(SEND_BYTES),
        MILLRACE_SEND_TIMEOUT: '5',
      },
    });
    const seen = await storms(context, serving, total);
    const lost = await afterwards(context, serving, { total, perKey });
    return [...checksOf(context, seen, total), ...lost, await alive(serving)];
  },
};

interface Seen {
  readonly statuses: Map<string, number>;
  readonly others: Map<string, number>;
  mostStreams: number;
  mostBytes: number;
  moreMemory: number;
  withoutRetry: number;
  /** Readers that were disconnected because they read nothing. */
  slow: number;
}

async function storms(context: Context, serving: Serving, total: number): Promise<Seen> {
  const seen: Seen = {
    statuses: new Map(),
    others: new Map(),
    mostStreams: 0,
    mostBytes: 0,
    moreMemory: 0,
    withoutRetry: 0,
    slow: 0,
  };
  for (let n = 0; n < 20; n++) await serving.call('fresh');
  const before = (await footprint(serving.pid)).bytes;
  const load = startLoad(context, 2, async () => count(seen.others, statusOf(await serving.call('fresh'))));
  const state = { isOver: false };
  const watching = (async () => {
    while (!state.isOver) {
      seen.mostStreams = Math.max(seen.mostStreams, await serving.metric('millrace_live_streams'));
      seen.mostBytes = Math.max(seen.mostBytes, await serving.metric('millrace_live_bytes'));
      seen.moreMemory = Math.max(seen.moreMemory, (await footprint(serving.pid)).bytes - before);
      await setTimeout(100);
    }
  })();
  for (let round = 0; round < (context.isShort ? ROUNDS.short : ROUNDS.long); round++) {
    context.note(`round ${round + 1}`);
    await storm(context, serving, { seen, subscribers: 2 * total });
  }
  state.isOver = true;
  await Promise.all([watching, load.stop()]);
  seen.slow = await serving.metric('millrace_live_ended_total', 'reason="slow"');
  return seen;
}

/** All connect at once; those that stay do so for a while, then all leave. */
async function storm(
  { random, isShort }: Context,
  serving: Serving,
  { seen, subscribers }: { readonly seen: Seen; readonly subscribers: number },
): Promise<void> {
  const all: (Subscriber & { readonly isSlow: boolean })[] = [];
  for (let n = 0; n < subscribers; n++) {
    const isSlow = random.isLucky(SLOW_SHARE);
    const path = isSlow ? 'large' : `small?n=${n % QUESTIONS}`;
    const subscriber = subscribe(serving, path, n % 2 === 0 ? KEY : OTHER_KEY);
    if (!random.isLucky(DROP_SHARE)) all.push({ ...subscriber, isSlow });
    else void setTimeout(random.below(1000)).then(() => subscriber.socket.destroy()); // some before a response
    if (n % WAVE === WAVE - 1) await setTimeout(WAVE_MS);
  }
  for (const { answered, socket, isSlow } of all) {
    const { status, hasRetry } = await answered;
    count(seen.statuses, status);
    if (status !== '200' && !hasRetry) seen.withoutRetry++;
    if (isSlow) socket.pause();
  }
  await setTimeout(isShort ? HOLD_MS.short : HOLD_MS.long);
  for (const { socket } of all) socket.destroy();
  await untilNone(serving, 'millrace_live_streams');
}

/** Afterwards, exactly as many streams as before can be opened by each key, and in all. */
async function afterwards(
  { isShort }: Context,
  serving: Serving,
  { total, perKey }: { readonly total: number; readonly perKey: number },
): Promise<readonly Check[]> {
  const open = async (places: number, key: string): Promise<readonly [string, string]> => {
    const statuses = new Set<string>();
    await inParallel(places, WAVE, async (n) => {
      const { socket, answered } = subscribe(serving, `small?n=${n % QUESTIONS}`, key);
      sockets.push(socket);
      statuses.add((await answered).status);
    });
    const beyond = subscribe(serving, 'small?n=0', key);
    const { status } = await beyond.answered;
    sockets.push(beyond.socket);
    return [[...statuses].join(', '), status];
  };
  const sockets: Socket[] = [];
  const [own, ownBeyond] = await open(perKey, KEY);
  const [rest, restBeyond] = await open(total - perKey, OTHER_KEY);
  for (const socket of sockets) socket.destroy();
  const streams = await untilNone(serving, 'millrace_live_streams');
  const questions = await untilNone(serving, 'millrace_live_questions');
  // The events of questions are known for some seconds after their last stream.
  const bytes = isShort
    ? []
    : [exact('bytes at the end', await untilNone(serving, 'millrace_live_bytes'), 0)];
  return [
    exact(`then ${perKey} streams of a key, and one more`, `${own}; ${ownBeyond}`, '200; 429'),
    exact(`${total - perKey} of another, and one more`, `${rest}; ${restBeyond}`, '200; 503'),
    exact('streams at the end', streams, 0),
    exact('questions at the end', questions, 0),
    ...bytes,
  ];
}

function checksOf({ isShort }: Context, seen: Seen, total: number): readonly Check[] {
  const { statuses, others, mostStreams, mostBytes, moreMemory, withoutRetry, slow } = seen;
  return [
    onlyStatuses('subscribers', statuses, (status) => ['200', '429', '503'].includes(status)),
    exact('rejected', some((statuses.get('429') ?? 0) + (statuses.get('503') ?? 0)), 'some'),
    exact('rejected without Retry-After', withoutRetry, 0),
    atMost('open at once', mostStreams, total, 'streams'),
    // Readers are disconnected once a second.
    inTime('memory of events', mostBytes / 2 ** 20, (SEND_BYTES * 1.5) / 2 ** 20, 'MiB'),
    ...(isShort ? [] : [exact('disconnected because they read nothing', some(slow), 'some')]),
    onlyStatuses('other calls', others, (status) => status === '200'),
    atMost('more memory', moreMemory / 2 ** 20, MORE_BYTES / 2 ** 20, 'MiB'),
  ];
}

function some(n: number): string {
  return n > 0 ? 'some' : 'none';
}

async function alive({ running, call }: Serving): Promise<Check> {
  const { status } = await call('fresh');
  return exact(
    'the process, and the next response',
    `${running.child.exitCode ?? 'running'}, ${status}`,
    'running, 200',
  );
}

interface Answered {
  /** Or why there is none. */
  readonly status: string;
  readonly hasRetry: boolean;
}

interface Subscriber {
  readonly socket: Socket;
  readonly answered: Promise<Answered>;
}

/** Opens a live call and reads whatever comes. */
function subscribe({ address }: Serving, path: string, key: string): Subscriber {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  const answered = new Promise<Answered>((resolve) => {
    let head = '';
    const settle = (otherwise: string): void => {
      const [, status = otherwise] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
      resolve({ status, hasRetry: /\r\nretry-after: \d+\r\n/i.test(head) });
    };
    const read = (part: Buffer): void => {
      head += part.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', read).resume();
      settle('none');
    };
    socket.on('data', read);
    socket.on('close', () => settle('none'));
    socket.on('error', () => settle('reset'));
    socket.setTimeout(ANSWER_MS, () => settle('late'));
  });
  socket.write(
    `GET /api/endpoints/query/${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${key}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  return { socket, answered };
}

/** So much of a metric is left after a while. */
async function untilNone({ metric }: Serving, name: string): Promise<number> {
  for (const end = performance.now() + ANSWER_MS; ;) {
    const value = await metric(name);
    if (value === 0 || performance.now() > end) return value;
    await setTimeout(50);
  }
}
