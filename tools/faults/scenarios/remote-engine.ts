// A ClickHouse server killed, frozen and restarted under load: cached responses are served, other requests get Retry-After.
import { setTimeout } from 'node:timers/promises';
import { startFront, type FrontProcess } from '../../../test/support/clickhouse-front/process.ts';
import { statusOf, type Asked } from '../ask.ts';
import { count, startLoad } from '../load.ts';
import { exact, inTime, onlyStatuses, type Check, type Context, type Scenario } from '../scenario.ts';
import { serve, type Serving } from '../serving.ts';

const KEYS = Array.from({ length: 20 }, (_, n) => `cached?p=${n}`);
const CALLERS = 12;
const ROUNDS = { short: 1, long: 3 };
const AWAY_MS = { short: 4500, long: 6000 };
const BACK_MS = 2000;
/** Time to detect a frozen server; far less than a query's 30 s. */
const TOLD_MS = 5000;
const PATIENCE_MS = 20_000;

const ENDPOINTS = {
  cached:
    'query: SELECT @p AS p, generateUUIDv4() AS run\nparameters: { p: { type: String, required: true } }\ncache: { ttl: 1, min_refresh: 0, stale_if_error: 3600 }\n',
  uncached: 'query: SELECT generateUUIDv4() AS run\n',
};

interface Seen {
  readonly statuses: Map<string, number>;
  readonly rejectionMs: number[];
  withoutRetryAfter: number;
}

export const remoteEngine: Scenario = {
  name: 'remote-engine',
  pass: 'ClickHouse server killed, frozen, restarted: every cached response served (stale_if_error), other calls 503 with Retry-After within 5 s, full recovery within 2 s',
  seconds: { short: 120, long: 240 },
  run: async (context) => {
    const front = await startFront(await context.folder('front'));
    context.defer(() => (front.thaw(), front.kill()));
    const serving = await serve(context, { endpoints: ENDPOINTS, env: { ...front.env } });
    const faults = [
      { name: 'killed', strike: () => front.kill(), repair: () => front.start() },
      { name: 'frozen', strike: async () => front.freeze(), repair: async () => front.thaw() },
      { name: 'restarted', strike: () => restart(front), repair: async () => undefined },
    ];
    const checks: Check[] = [];
    for (const fault of faults) checks.push(...(await hold(context, serving, fault)));
    const { exitCode, signalCode } = serving.running.child;
    const state = exitCode ?? signalCode;
    const ended = `ended with ${state}: ${serving.running.output().slice(-500)}`;
    return [...checks, exact('the process', state === null ? 'running' : ended, 'running')];
  },
};

async function restart(front: FrontProcess): Promise<void> {
  await front.kill();
  await front.start();
}

interface Fault {
  readonly name: string;
  readonly strike: () => Promise<unknown>;
  readonly repair: () => Promise<unknown>;
}

async function hold(context: Context, serving: Serving, fault: Fault): Promise<readonly Check[]> {
  const { isShort, random, note } = context;
  const seen: Seen = { statuses: new Map(), rejectionMs: [], withoutRetryAfter: 0 };
  const backMs: number[] = [];
  await Promise.all(KEYS.map((path) => serving.call(path)));
  const load = startLoad(context, CALLERS, async (n) => {
    const path = n % 2 === 0 ? 'uncached' : random.pick(KEYS);
    const answer = await serving.call(path);
    witness(seen, path, answer);
    if (answer.status !== 200) await setTimeout(20);
  });
  for (let round = 0; round < (isShort ? ROUNDS.short : ROUNDS.long); round++) {
    note(`${fault.name}, round ${round + 1}`);
    await setTimeout(500 + random.below(500));
    await fault.strike();
    if (fault.name !== 'restarted') await setTimeout(isShort ? AWAY_MS.short : AWAY_MS.long);
    await fault.repair();
    backMs.push(await untilBack(serving));
  }
  await load.stop();
  const allowed = new Set(['cached 200', 'uncached 200', 'uncached 503']);
  return [
    onlyStatuses(fault.name, seen.statuses, (status) => allowed.has(status)),
    exact(`${fault.name}: 503 without Retry-After`, seen.withoutRetryAfter, 0),
    inTime(`${fault.name}: slowest 503 after`, Math.max(0, ...seen.rejectionMs), TOLD_MS),
    exact(`${fault.name}: not recovered`, backMs.filter((ms) => ms >= PATIENCE_MS).length, 0),
    inTime(`${fault.name}: recovered after`, Math.max(...backMs), BACK_MS),
  ];
}

function witness(seen: Seen, path: string, answer: Asked): void {
  count(seen.statuses, `${path.split('?')[0]} ${statusOf(answer)}`);
  if (answer.status !== 503) return;
  seen.rejectionMs.push(answer.ms);
  if (answer.headers['retry-after'] === undefined) seen.withoutRetryAfter++;
}

/** Milliseconds until an uncached request succeeds. */
async function untilBack({ call }: Serving): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < PATIENCE_MS) {
    if ((await call('uncached')).status === 200) return performance.now() - began;
    await setTimeout(10);
  }
  return PATIENCE_MS;
}
