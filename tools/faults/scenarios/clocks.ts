// Clock jumps, responses at the end of their lifetime, and warming that takes longer than its interval.
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { PROPERTIES } from '../../../test/service/cache/model.ts';
import { inParallel, startLoad } from '../load.ts';
import { exact, type Check, type Context, type Scenario } from '../scenario.ts';
import { serve, type Serving } from '../serving.ts';

const HISTORIES = { short: 150, long: 5000 };
const WATCH_MS = { short: 6000, long: 40_000 };
const TTL_MS = 1000;
const CALLERS = 12;

/** Returns when it ran, by the clock that its callers use too. */
const ENDPOINTS = {
  edge: 'query: SELECT toUnixTimestamp64Milli(now64(3)) AS at, @p AS p\nparameters: { p: { type: UInt32, required: true } }\ncache: { ttl: 1, min_refresh: 0 }\n',
  warmed:
    "query: SELECT toUnixTimestamp64Milli(now64(3)) AS at, sleep(1.6) AS slept, 'warmed-slowly' AS mark\ncache: { ttl: 4, min_refresh: 0 }\nwarming: { every: 1, examples: true }\nexamples: [{ name: it, parameters: {} }]\n",
  running:
    "query: SELECT countIf(query LIKE '%warmed-slowly%' AND query NOT LIKE '%system.processes%') AS runs FROM system.processes\n",
};

export const clocks: Scenario = {
  name: 'clocks',
  pass: 'clock jumps (on virtual time), TTL boundaries, warming that takes longer than its interval: no duplicate concurrent runs, no expired response served',
  seconds: { short: 120, long: 900 },
  run: async (context) => [...(await playHistories(context)), ...(await watchService(context))],
};

/** Requests, failures, disconnects and jumps of up to 200 s, in any order; each history has its own seed. */
async function playHistories({ seed, isShort, note }: Context): Promise<readonly Check[]> {
  const numRuns = isShort ? HISTORIES.short : HISTORIES.long;
  const checks: Check[] = [];
  for (const { why, property } of PROPERTIES) {
    note(`${why}: ${numRuns} histories`);
    const { failed, errorInstance, counterexamplePath } = await fc.check(property, {
      seed: seed | 0,
      numRuns,
    });
    const measured = failed
      ? `${String(errorInstance)} (path ${counterexamplePath})`
      : `${numRuns} histories`;
    checks.push({ what: why, measured, passed: !failed, dependsOnMachine: false });
  }
  return checks;
}

async function watchService(context: Context): Promise<readonly Check[]> {
  context.note('a service, its answers at the end of their time');
  const serving = await serve(context, { endpoints: ENDPOINTS, env: { MILLRACE_CONNECTIONS: '8' } });
  const seen = { answers: 0, late: 0, slow: 0, other: 0, most: 0 };
  const load = startLoad(context, CALLERS, async (n) => {
    const name = n % 6 === 0 ? 'warmed' : 'edge';
    const asked = Date.now();
    const at = await runAt(serving, name === 'edge' ? `edge?p=${n % 5}` : name);
    seen.answers++;
    if (at === undefined) seen.other++;
    // A response computed more than a time to live ago had already expired when it was requested.
    else if (name === 'edge' && at < asked - TTL_MS) seen.late++;
    else if (name === 'warmed' && at < asked - 4 * TTL_MS) seen.slow++;
  });
  for (
    const end = performance.now() + (context.isShort ? WATCH_MS.short : WATCH_MS.long);
    performance.now() < end;
  ) {
    const [row] = await serving.rows('running');
    seen.most = Math.max(seen.most, Number(row?.['runs']));
    await setTimeout(10);
  }
  await load.stop();
  return [
    exact(`of ${seen.answers} responses, served after their TTL of 1 s`, seen.late, 0),
    exact('warmed, served after 4 s', seen.slow, 0),
    exact('no response', seen.other, 0),
    exact('concurrent warming runs', seen.most, 1),
    ...(await stampede(serving)),
  ];
}

/** When the response was computed; undefined without a response. */
async function runAt({ call }: Serving, path: string): Promise<number | undefined> {
  const { status, body } = await call(path);
  return status === 200 ? Number(/"at":(\d+)/.exec(body.toString())?.[1]) : undefined;
}

/** Many concurrent callers at the moment a cached response expires. */
async function stampede(serving: Serving): Promise<readonly Check[]> {
  const runs = new Set<number>();
  await runAt(serving, 'edge?p=99');
  await setTimeout(TTL_MS + 1);
  await inParallel(100, 100, async () => void runs.add((await runAt(serving, 'edge?p=99')) ?? 0));
  return [exact('runs for 100 concurrent calls at expiry', runs.size, 1)];
}
