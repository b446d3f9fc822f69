// Consumer queries that neither a time limit nor KILL QUERY stops, from several keys: only their own callers are affected.
import { setTimeout } from 'node:timers/promises';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { statusOf } from '../ask.ts';
import { count, startLoad } from '../load.ts';
import { exact, inTime, onlyStatuses, type Check, type Context, type Scenario } from '../scenario.ts';
import { KEY, serve, startServing, type Serving } from '../serving.ts';

/** One function over one large value: runs for minutes. `#` differs in each query, so that none is already suspended. */
const QUERIES = [
  "SELECT length(extractAll(repeat('a', 900000), '(a?){500}a{500}')) + # AS n FROM logs",
  "SELECT arrayCount(x -> position(repeat('a', 1000000), concat(repeat('a', 499999), 'b')) > x + #, range(1000000)) AS n FROM logs",
  "SELECT countMatches(repeat('a', 900000), '(a?){500}a{500}') + # AS n FROM logs",
] as const;
const KEYS = ['first', 'second', 'third'] as const;
const ROUNDS = { short: 1, long: 10 };
/** From the kill of an engine process to the first response of its replacement, including loading and opening. */
const BACK_MS = 1000;
/** From SIGTERM to exit, with a drain time of one second. */
const STOPPED_MS = 3000;

const ENDPOINTS = {
  own: 'query: |\n  WITH logs AS (SELECT 1 AS n) SELECT n FROM logs\nsandbox: { enabled: true }\nlimits: { time: 1 }\n',
  few: 'query: SELECT 1 AS n\n',
  kept: 'query: SELECT generateUUIDv4() AS id\ncache: { ttl: 3600 }\n',
};

export const uninterruptible: Scenario = {
  name: 'uninterruptible',
  pass: 'uninterruptible queries by three keys at once: saved and cached calls all succeed, the engine process is back within 1 s, a repeated query is suspended, SIGTERM stops the service within its drain time plus 2 s',
  seconds: { short: 120, long: 600 },
  run: async (context) => {
    const tokens = KEYS.map(
      (key) => `{ name: ${key}, sha256: ${hashKey(key)}, endpoints: ['*'], allow: [sql] }`,
    );
    const env = { MILLRACE_CONNECTIONS: '4', MILLRACE_DRAIN_TIMEOUT: '1' };
    const serving = await serve(context, { endpoints: ENDPOINTS, tokens, env });
    return [...(await attack(context, serving)), ...(await stopWhileHeld(context, serving))];
  },
};

async function attack(context: Context, { call, metric }: Serving): Promise<readonly Check[]> {
  const [saved, cached, sent, repeated] = [counts(), counts(), counts(), counts()];
  let slowest = 0;
  const load = startLoad(context, 2, async () => {
    const began = performance.now();
    count(saved, statusOf(await call('few')));
    slowest = Math.max(slowest, performance.now() - began);
    count(cached, statusOf(await call('kept')));
    await setTimeout(20);
  });
  const rounds = context.isShort ? ROUNDS.short : ROUNDS.long;
  for (let round = 0; round < rounds; round++) {
    context.note(`${round} of ${rounds}`);
    const suspendedBefore = await metric('millrace_suspended_total');
    const sendAll = (): Promise<readonly string[]> =>
      Promise.all(KEYS.map((key, n) => send(call, key, queryOf(n, round))));
    const statuses = await sendAll();
    for (const status of statuses) count(sent, status);
    // The process is killed for the first query whose grace period is over; the others are not held responsible.
    if (statuses.includes('504')) await untilMore(metric, suspendedBefore);
    const repeats = await sendAll();
    count(repeated, repeats.includes('429') ? '429' : repeats.join(' '));
  }
  await load.stop();
  const replaced = await metric('millrace_engine_process_ends_total', 'reason="overdue"');
  return [
    onlyStatuses('the queries', sent, (status) => ['504', '429', '503'].includes(status)),
    onlyStatuses('one of them again', repeated, (status) => status === '429'),
    onlyStatuses('saved calls meanwhile', saved, (status) => status === '200'),
    onlyStatuses('cached calls meanwhile', cached, (status) => status === '200'),
    exact('engine processes replaced', replaced > 0 ? 'some' : 'none', 'some'),
    inTime('the slowest saved call', slowest, BACK_MS),
  ];
}

async function stopWhileHeld(context: Context, serving: Serving): Promise<readonly Check[]> {
  const held = send(serving.call, KEY, queryOf(0, -1));
  await setTimeout(300);
  const began = performance.now();
  const code = await serving.stop();
  const stopped = performance.now() - began;
  await held;
  const next = await startServing(context, serving.site);
  return [
    exact('exit code', String(code), '0'),
    inTime('ended after SIGTERM', stopped, STOPPED_MS),
    exact('the next start answers', (await next.call('few')).status, 200),
  ];
}

function counts(): Map<string, number> {
  return new Map();
}

async function send(call: Serving['call'], key: string, query: string): Promise<string> {
  return statusOf(await call(`own?sql=${encodeURIComponent(query)}`, { headers: { 'X-API-KEY': key } }));
}

function queryOf(n: number, round: number): string {
  return (QUERIES[n] ?? QUERIES[0]).replace('#', String(round));
}

/** Waits until another query is suspended; bounded by the time limit of the scenario. */
async function untilMore(metric: Serving['metric'], before: number): Promise<void> {
  while ((await metric('millrace_suspended_total')) <= before) await setTimeout(100);
}
