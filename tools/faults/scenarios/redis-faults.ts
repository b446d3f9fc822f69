// Redis killed, frozen, flapping, unavailable from the start, flushed, and full of corrupt entries; every request reads from it.
import { setTimeout } from 'node:timers/promises';
import { createClient } from '@keyv/redis';
import { startRedis, type RedisServer } from '../../../test/support/redis.ts';
import { statusOf } from '../ask.ts';
import { count, quantile, startLoad } from '../load.ts';
import { exact, inTime, onlyStatuses, type Check, type Context, type Scenario } from '../scenario.ts';
import { serve, type Serving } from '../serving.ts';

const CALLERS = 8;
const KEYS = 60;
const ADDED_MS = 150;
const PHASE_MS = { short: 700, long: 6000 };
/** Requests sent later than this after a fault begins must no longer wait for Redis. */
const ONCE_MS = 1000;
const LATER_MS = 20;

const ENDPOINTS = {
  kept: "query: SELECT @p AS p, repeat('x', 2000) AS text, generateUUIDv4() AS run\nparameters: { p: { type: String, required: true } }\ncache: { ttl: 60, min_refresh: 0 }\n",
};

interface Seen {
  readonly statuses: Map<string, number>;
  readonly times: { readonly at: number; readonly ms: number }[];
  wrong: number;
}

interface Fault {
  readonly name: string;
  /** Resolves when the fault is over and repaired. */
  readonly strike: (redis: RedisServer, ms: number) => Promise<void>;
  /** The service starts without Redis. */
  readonly isLate?: boolean;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'killed',
    strike: async (redis, ms) => {
      await redis.kill();
      await setTimeout(ms);
      await redis.start();
    },
  },
  {
    name: 'frozen',
    strike: async (redis, ms) => {
      redis.freeze();
      await setTimeout(ms);
      redis.thaw();
    },
  },
  {
    name: 'flapping',
    strike: async (redis, ms) => {
      for (let left = ms; left > 0; left -= 1000) {
        await redis.kill();
        await setTimeout(Math.min(500, ms / 2));
        await redis.start();
        await setTimeout(Math.min(500, ms / 2));
      }
    },
  },
  {
    name: 'never started',
    isLate: true,
    strike: async (redis, ms) => {
      await setTimeout(ms);
      await redis.start();
    },
  },
  {
    name: 'flushed',
    strike: (redis, ms) => vandalise(redis, ms, async (client) => void (await client.flushAll())),
  },
  {
    name: 'corrupt entries',
    strike: (redis, ms) =>
      vandalise(redis, ms, async (client) => {
        for (const [index, key] of (await client.keys('*')).entries()) {
          if (index % 3 === 0)
            await client.set(key, Buffer.alloc(300, 0xff), { expiration: { type: 'EX', value: 60 } });
          else if (index % 3 === 1) await client.set(key, '{"value":"x"}');
          else await client.multi().del(key).lPush(key, 'x').exec();
        }
      }),
  },
];

export const redisFaults: Scenario = {
  name: 'redis',
  pass: 'Redis killed, frozen, flapping every second, never started, flushed, with corrupt entries, under load: no 5xx, correct responses, at most 150 ms added once, then none',
  seconds: { short: 120, long: 240 },
  run: async (context) => {
    const checks: Check[] = [];
    for (const fault of FAULTS) checks.push(...(await hold(context, fault)));
    return checks;
  },
};

async function hold(context: Context, fault: Fault): Promise<readonly Check[]> {
  context.note(fault.name);
  const redis = await startRedis();
  context.defer(redis.kill);
  if (fault.isLate === true) await redis.kill();
  const serving = await serve(context, {
    endpoints: ENDPOINTS,
    // No memory cache: Redis is read every time.
    env: { REDIS_URL: redis.url, MILLRACE_CACHE_MEMORY: '1KiB' },
  });
  const ms = context.isShort ? PHASE_MS.short : PHASE_MS.long;
  const seen: Seen = { statuses: new Map(), times: [], wrong: 0 };
  const load = startLoad(context, CALLERS, () => askOne(context, serving, seen));
  await setTimeout(ms);
  const struck = performance.now();
  await fault.strike(redis, ms);
  const repaired = performance.now();
  await setTimeout(ms);
  await load.stop();
  await serving.stop();
  await redis.kill();
  return checksOf(fault, seen, { struck, repaired });
}

/** Also checks that the response belongs to the request. */
async function askOne({ random }: Context, { call }: Serving, seen: Seen): Promise<void> {
  const p = `p${random.below(KEYS)}`;
  const at = performance.now();
  const answer = await call(`kept?p=${p}`);
  seen.times.push({ at, ms: answer.ms });
  count(seen.statuses, statusOf(answer));
  if (!answer.body.toString().startsWith(`{"result":[{"p":"${p}",`)) seen.wrong++;
}

function checksOf(
  { name, isLate }: Fault,
  seen: Seen,
  { struck, repaired }: { readonly struck: number; readonly repaired: number },
): readonly Check[] {
  const between = (from: number, to: number): number[] =>
    seen.times.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms);
  const warmUp = (repaired - struck) / 3;
  const before =
    isLate === true ? between(repaired + warmUp, Infinity) : between(struck - warmUp * 2, struck);
  const during = between(struck - 200, repaired);
  const later = between(struck + ONCE_MS, repaired);
  const added = (times: readonly number[], share: number): number =>
    Math.max(0, quantile(times, share) - quantile(before, share));
  return [
    onlyStatuses(name, seen.statuses, (status) => status === '200'),
    exact(`${name}: wrong responses`, seen.wrong, 0),
    inTime(`${name}: added at most (${worst(during)} after ${worst(before)})`, added(during, 1), ADDED_MS),
    ...(name === 'flapping' || later.length === 0
      ? []
      : [inTime(`${name}: added after the first second (median)`, added(later, 0.5), LATER_MS)]),
  ];
}

function worst(times: readonly number[]): string {
  return `${quantile(times, 1).toFixed(0)} ms`;
}

type Vandal = Awaited<ReturnType<typeof openVandal>>;

async function openVandal(url: string) {
  const client = createClient({ url });
  client.on('error', () => undefined);
  return client.connect();
}

/** Repeats an action until stopped. */
async function vandalise(
  { url }: RedisServer,
  ms: number,
  spoil: (client: Vandal) => Promise<void>,
): Promise<void> {
  const client = await openVandal(url);
  for (const end = performance.now() + ms; performance.now() < end;) {
    await spoil(client);
    await setTimeout(50);
  }
  client.destroy();
}
