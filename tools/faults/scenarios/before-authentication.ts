// Unauthenticated callers send the most expensive requests: all are rejected quickly, without affecting callers with a key.
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { statusOf } from '../ask.ts';
import { exchange } from '../exchange.ts';
import { count, inParallel, quantile, startLoad } from '../load.ts';
import { atMost, exact, inTime, onlyStatuses, type Check, type Context, type Scenario } from '../scenario.ts';
import { footprint, serve, type Serving } from '../serving.ts';
import { bytesOf, HOSTILE } from './hostile-requests.ts';

const ROUNDS = { short: 2, long: 60 };
const AT_ONCE = 4;
const CALLERS = 4;
const WORST_MS = 250;
const COST_MS = 20;
const MORE_BYTES = 256 * 2 ** 20;

const ENDPOINTS = {
  kept: 'query: SELECT 1 AS n\ncache: { ttl: 3600 }\n',
  fresh: 'query: SELECT generateUUIDv4() AS run\n',
};

export const beforeAuthentication: Scenario = {
  name: 'before-authentication',
  pass: `${HOSTILE.length} kinds of expensive requests without a key (1 MiB bodies, 120 KB fields and URLs), repeatedly: each rejected, at most ${COST_MS} ms of the event loop each, callers with a key get 200 within ${WORST_MS} ms, at most ${MORE_BYTES / 2 ** 20} MiB more memory`,
  seconds: { short: 120, long: 600 },
  run: async (context) => {
    const env = { MILLRACE_TRUSTED_PROXIES: 'loopback', MILLRACE_CONNECTIONS: '4' };
    const serving = await serve(context, { endpoints: ENDPOINTS, env });
    await warmUp(serving);
    const costs = await measureCosts(context, serving);
    const before = await footprint(serving.pid);
    const good = startGoodCallers(context, serving);
    const wrong = await attack(context, serving);
    await good.stop();
    const after = await footprint(serving.pid);
    for (const each of wrong.slice(0, 5)) context.note(each);
    return [
      exact(`of ${HOSTILE.length * rounds(context)} hostile requests, unexpected responses`, wrong.length, 0),
      ...good.checks(),
      costliest(costs),
      atMost(
        'growth of resident memory',
        Math.max(0, after.bytes - before.bytes) / 2 ** 20,
        MORE_BYTES / 2 ** 20,
        'MiB',
      ),
      exact('the process', serving.running.child.exitCode ?? 'running', 'running'),
    ];
  },
};

function rounds({ isShort }: Context): number {
  return isShort ? ROUNDS.short : ROUNDS.long;
}

/** Exercises all buffer sizes once before memory is measured. */
async function warmUp(serving: Serving): Promise<void> {
  for (const request of HOSTILE) await exchange(serving, bytesOf(request));
}

interface Cost {
  readonly what: string;
  /** Event loop delay in milliseconds. */
  readonly ms: number;
}

async function measureCosts({ isShort, note }: Context, serving: Serving): Promise<readonly Cost[]> {
  const times = isShort ? 2 : 20;
  const costs: Cost[] = [];
  for (const request of HOSTILE) {
    const started = await mainThreadMs(serving.pid);
    for (let n = 0; n < times; n++) await exchange(serving, bytesOf(request));
    const ms = ((await mainThreadMs(serving.pid)) - started) / times;
    if (!isShort) note(`${request.what}: ${ms.toFixed(2)} ms\n`);
    costs.push({ what: request.what, ms });
  }
  return costs;
}

/** CPU time of a process's main thread. Reads Linux's /proc. */
async function mainThreadMs(pid: number): Promise<number> {
  const [ns] = (await readFile(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')).split(' ');
  return Number(ns) / 1e6;
}

function costliest(costs: readonly Cost[]): Check {
  const most = costs.reduce((one, other) => (other.ms > one.ms ? other : one), { what: 'none', ms: 0 });
  return inTime(`longest use of the event loop (${most.what})`, most.ms, COST_MS);
}

/** Responses other than the expected one. */
async function attack(context: Context, serving: Serving): Promise<readonly string[]> {
  const wrong: string[] = [];
  await inParallel(HOSTILE.length * rounds(context), AT_ONCE, async (n) => {
    if (n % HOSTILE.length === 0) context.note(`round ${n / HOSTILE.length + 1}`);
    const request = HOSTILE[n % HOSTILE.length];
    if (request === undefined) return;
    const status = await exchange(serving, bytesOf(request));
    if (status !== request.status) wrong.push(`${request.what}: ${status}, not ${request.status}`);
  });
  return wrong;
}

function startGoodCallers(
  context: Context,
  serving: Serving,
): { stop(): Promise<void>; checks(): readonly Check[] } {
  const statuses = new Map<string, number>();
  const times: number[] = [];
  const load = startLoad(context, CALLERS, async (n) => {
    const answer = await serving.call(n % 2 === 0 ? 'kept' : 'fresh');
    count(statuses, statusOf(answer));
    times.push(answer.ms);
    await setTimeout(2);
  });
  return {
    stop: load.stop,
    checks: () => [
      onlyStatuses('callers with a key', statuses, (status) => status === '200'),
      inTime(
        `their p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms, max`,
        Math.max(...times),
        WORST_MS,
      ),
    ],
  };
}
