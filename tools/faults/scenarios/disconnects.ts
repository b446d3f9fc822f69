// Callers disconnect while their query runs: the query is cancelled, and every engine slot becomes free again.
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { inParallel } from '../load.ts';
import { exact, inTime, type Context, type Scenario } from '../scenario.ts';
import { KEY, serve, type Serving } from '../serving.ts';

const LEAVING = { short: 40, long: 200 };
const PLACES = 8;
const SECOND_MS = 1000;
const PATIENCE_MS = 20_000;

const ENDPOINTS = {
  busy: 'query: SELECT max(sipHash64(number)) AS most FROM numbers(100000000000)\nlimits: { time: 25 }\n',
  rows: 'query: SELECT number AS n, sleepEachRow(0.01) AS slept FROM numbers(2000) SETTINGS max_block_size = 10\nmax_rows: 5000\nlimits: { time: 25 }\n',
  running:
    "query: SELECT countIf(query LIKE '%numbers(%' AND query NOT LIKE '%system.processes%') AS n FROM system.processes\n",
  short: 'query: SELECT sleep(0.5) AS slept, generateUUIDv4() AS run\n',
};

export const disconnects: Scenario = {
  name: 'disconnects',
  pass: '200 clients that disconnect mid-query: none of their queries in the engine after 1 s, every connection free',
  seconds: { short: 120, long: 180 },
  run: async (context) => {
    const serving = await serve(context, {
      endpoints: ENDPOINTS,
      env: { MILLRACE_CONNECTIONS: String(PLACES), MILLRACE_QUEUE: '400' },
    });
    const leaving = context.isShort ? LEAVING.short : LEAVING.long;
    const seen = await leaveAll(context, serving, leaving);
    const ms = await untilNoneRuns(serving);
    const together = await mostAtOnce(serving);
    const errors = (await serving.call('short')).status;
    return [
      exact('clients disconnected', leaving, leaving),
      {
        what: 'queries seen running',
        measured: `up to ${seen}`,
        passed: seen > 0,
        dependsOnMachine: false,
      },
      exact('queries remaining at the end', ms === undefined ? 'some' : 0, 0),
      inTime('the last one gone after', ms ?? PATIENCE_MS, SECOND_MS),
      exact('statements that then run concurrently', together, PLACES),
      exact('the next response', errors, 200),
    ];
  },
};

/** Starts 1.5 times as many callers as there are slots, so that some disconnect while queued. Returns the highest query count. */
async function leaveAll({ random }: Context, serving: Serving, leaving: number): Promise<number> {
  let most = 0;
  await inParallel(leaving, PLACES * 1.5, async (n) => {
    const endpoint = random.pick(['busy', 'rows']);
    const stays = 50 + random.below(400);
    await leave(serving, `${endpoint}?n=${n}`.split('?')[0] ?? '', { stays, isPolite: random.isLucky(0.5) });
    most = Math.max(most, await serving.metric('millrace_engine_statements', 'state="running"'));
  });
  return most;
}

/** Sends a request, waits some milliseconds and disconnects, with FIN or RST. */
async function leave(
  { address }: Serving,
  endpoint: string,
  { stays, isPolite }: { readonly stays: number; readonly isPolite: boolean },
): Promise<void> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(`GET /api/endpoints/query/${endpoint} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\n\r\n`);
  await setTimeout(stays);
  if (isPolite) socket.destroy();
  else socket.resetAndDestroy();
}

/** Milliseconds, measured by querying the engine itself; undefined if some queries still run after a long time. */
async function untilNoneRuns({ rows }: Serving): Promise<number | undefined> {
  const began = performance.now();
  while (performance.now() - began < PATIENCE_MS) {
    const [row] = await rows('running');
    if (row?.['n'] === 0) return performance.now() - began;
    await setTimeout(10);
  }
  return undefined;
}

async function mostAtOnce(serving: Serving): Promise<number> {
  let most = 0;
  const running = Promise.all(Array.from({ length: PLACES * 2 }, () => serving.rows('short')));
  const watching = (async () => {
    for (let i = 0; i < 30; i++) {
      most = Math.max(most, await serving.metric('millrace_engine_statements', 'state="running"'));
      await setTimeout(20);
    }
  })();
  await Promise.all([running, watching]);
  return most;
}
