// Stopped repeatedly under load, by SIGTERM and SIGKILL: no response is cut off, and the service restarts quickly.
import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { run } from '../../../test/support/command.ts';
import { ask, statusOf, type Asked } from '../ask.ts';
import { count, median, startLoad, type Load } from '../load.ts';
import { exact, inTime, onlyStatuses, type Check, type Context, type Scenario } from '../scenario.ts';
import { KEY, prepareSite, rowsOf, startServing, type Serving, type Site } from '../serving.ts';

const TIMES = { short: 2, long: 50 };
const CALLERS = 12;
const ENDED_MS = 10_000;
const REOPENED_MS = 1000;
const ROWS = 50_000;

const SEEDS = `CREATE DATABASE IF NOT EXISTS app; CREATE OR REPLACE TABLE app.t (n UInt32) ENGINE = MergeTree ORDER BY n AS SELECT number FROM numbers(${ROWS});`;
const ENDPOINTS = {
  sum: 'query: SELECT count() AS rows, sum(n) AS total FROM app.t\n',
  large: 'query: SELECT n, randomPrintableASCII(400) AS text FROM app.t LIMIT 5000\nmax_rows: 10000\n',
  kept: "query: SELECT repeat('x', 30000) AS text\ncache: { ttl: 60 }\n",
  slow: 'query: SELECT sleep(0.3) AS slept\n',
};

export const stops: Scenario = {
  name: 'stops',
  pass: 'SIGTERM × 50 under load: exit 0 within 10 s, no truncated response; SIGKILL × 50: ready again within 1 s of loading the program, no data lost',
  seconds: { short: 120, long: 600 },
  run: async (context) => {
    const site = await prepareSite(context, {
      endpoints: ENDPOINTS,
      seeds: SEEDS,
      env: { MILLRACE_USAGE: 'true', MILLRACE_CONNECTIONS: '4' },
    });
    // Loads the data.
    await (await startServing(context, site)).stop();
    const startMs: number[] = [];
    return [...(await terminate(context, site, startMs)), ...(await kill(context, site, startMs))];
  },
};

async function terminate(context: Context, site: Site, startMs: number[]): Promise<readonly Check[]> {
  const times = context.isShort ? TIMES.short : TIMES.long;
  const [codes, statuses] = [new Map<string, number>(), new Map<string, number>()];
  const endedMs: number[] = [];
  for (let n = 0; n < times; n++) {
    context.note(`SIGTERM ${n + 1} of ${times}`);
    const serving = await startServing(context, site);
    startMs.push(serving.startMs);
    const load = startCalling(context, serving, statuses);
    await setTimeout(100 + context.random.below(700));
    const began = performance.now();
    count(codes, String(await serving.stop()));
    endedMs.push(performance.now() - began);
    await load.stop();
  }
  return [
    onlyStatuses('exit codes', codes, (code) => code === '0'),
    inTime('slowest stop after', Math.max(...endedMs), ENDED_MS),
    onlyStatuses('calls', statuses, (status) => ['200', '503', 'none'].includes(status)),
  ];
}

async function kill(context: Context, site: Site, startMs: readonly number[]): Promise<readonly Check[]> {
  const times = context.isShort ? TIMES.short : TIMES.long;
  const [reopenedMs, loadMs]: [number[], number[]] = [[], []];
  let wrong = 0;
  for (let n = 0; n < times; n++) {
    context.note(`SIGKILL ${n + 1} of ${times}`);
    const serving = await startServing(context, site);
    if (n > 0) reopenedMs.push(serving.startMs);
    loadMs.push(await loadProgram(site));
    const [row] = rowsOf(await serving.call('sum'));
    if (row?.['rows'] !== ROWS || row['total'] !== (ROWS * (ROWS - 1)) / 2) wrong++;
    const load = startCalling(context, serving, new Map());
    await setTimeout(100 + context.random.below(700));
    await serving.kill();
    await load.stop();
  }
  return [
    exact('restarts with different rows', wrong, 0),
    inTime('ready after (median)', median(reopenedMs) - median(loadMs), REOPENED_MS),
    inTime('at most', Math.max(...reopenedMs) - median(loadMs), REOPENED_MS),
    figure('loading the program (median)', median(loadMs)),
    figure('the same after SIGTERM (median)', median(startMs) - median(loadMs)),
  ];
}

/** The startup time of the program, without a service. */
async function loadProgram({ cwd }: Site): Promise<number> {
  const began = performance.now();
  await run(['serve', '--help'], { cwd });
  return performance.now() - began;
}

/** For comparison only: it has no pass criterion. */
function figure(what: string, ms: number): Check {
  return { what, measured: `${ms.toFixed(0)} ms`, passed: true, dependsOnMachine: true };
}

/** Over kept-alive and new connections; stops calling once the service accepts no connections. */
function startCalling(context: Context, { address }: Serving, statuses: Map<string, number>): Load {
  const { random, defer } = context;
  const agent = new Agent({ keepAlive: true });
  defer(() => agent.destroy());
  const names = Object.keys(ENDPOINTS);
  return startLoad(context, CALLERS, async (n) => {
    const url = `${address}/api/endpoints/query/${random.pick(names)}`;
    const answer = await ask(url, { headers: { 'X-API-KEY': KEY }, ...(n % 3 > 0 && { agent }) });
    count(statuses, judge(answer));
    if (answer.status === 0) await setTimeout(20);
  });
}

/** A body that does not end like JSON is cut off, whatever its Content-Length says. */
function judge(answer: Asked): string {
  const isWhole = answer.kind !== 'whole' || answer.body.at(-1) === '}'.charCodeAt(0);
  return isWhole ? statusOf(answer) : `${answer.status} cut`;
}
