// Queries built to exhaust memory, saved and consumer queries: each is rejected or fails alone, and the memory is released.
import { setTimeout } from 'node:timers/promises';
import { statusOf, type Asked } from '../ask.ts';
import { count, inParallel, startLoad } from '../load.ts';
import { atMost, exact, onlyStatuses, type Check, type Context, type Scenario } from '../scenario.ts';
import { footprint, serve, type Serving } from '../serving.ts';

const BOMBS = { short: 6, long: 100 };
const AT_ONCE = 4;
const MEMORY = '1GiB';
/** Allowed resident memory above the baseline after settling: allocators retain some. */
const KEPT_MIB = 400;
const REST_MS = 2000;
/** The allocator returns free memory in steps, seconds later. */
const PATIENCE_MS = 10_000;

const ENDPOINTS = {
  own: 'query: |\n  WITH logs AS (SELECT number AS n, toString(number) AS text FROM numbers(5000000))\n  SELECT n, text FROM logs\nsandbox: { enabled: true }\nmax_rows: 10000\nlimits: { time: 10 }\n',
  arrays:
    'query: SELECT length(groupArray(repeat(toString(number), 100))) AS most FROM numbers(50000000)\nlimits: { time: 10 }\n',
  cross:
    'query: SELECT a.number AS x, groupArray(b.number) AS y FROM numbers(1000000) AS a CROSS JOIN numbers(1000000) AS b GROUP BY x\nlimits: { time: 10 }\n',
  // Three gigabytes if materialised.
  result:
    "query: SELECT repeat('x', 300000) AS text FROM numbers(10000)\nmax_rows: 10000\nlimits: { time: 20 }\n",
  few: 'query: SELECT 1 AS n\n',
};
const OWN = [
  'SELECT length(groupArray(repeat(text, 1000))) FROM logs',
  'SELECT repeat(text, 1000000) FROM logs LIMIT 10000',
  'SELECT length(groupUniqArray(concat(text, text))) FROM logs',
  'SELECT count() FROM logs AS a CROSS JOIN logs AS b WHERE a.text < b.text',
  'SELECT arrayMap(x -> repeat(text, 1000), range(100000)) FROM logs',
  'SELECT length(arrayJoin(range(1000000))) FROM logs',
  'SELECT a.text, groupArray(b.text) FROM logs AS a JOIN logs AS b ON a.n % 10 = b.n % 10 GROUP BY a.text',
  'SELECT text, n FROM logs ORDER BY repeat(text, 1000)',
  'SELECT groupConcat(repeat(text, 500)) FROM logs',
  'SELECT uniqExact(n, text, repeat(text, 20)) FROM logs',
];

export const memoryBombs: Scenario = {
  name: 'memory-bombs',
  pass: '100 queries designed to exhaust memory (groupArray, repeat, cross joins, a result of 3 GB): each is rejected or bounded, memory is released, concurrent calls succeed',
  seconds: { short: 120, long: 400 },
  run: async (context) => {
    const serving = await serve(context, {
      endpoints: ENDPOINTS,
      env: { MILLRACE_MEMORY: MEMORY, MILLRACE_CONNECTIONS: String(AT_ONCE + 2) },
    });
    // The engine's buffers and the allocator's pools exist after the first queries.
    await inParallel(AT_ONCE, AT_ONCE, async () => void (await serving.call(bomb(context))));
    await setTimeout(REST_MS);
    const before = (await footprint(serving.pid)).bytes;
    const [bombs, others] = [new Map<string, number>(), new Map<string, number>()];
    const load = startLoad(context, 2, async () => {
      count(others, statusOf(await serving.call('few')));
      await setTimeout(10);
    });
    const most = await throwAll(context, serving, bombs);
    await load.stop();
    const kept = await untilGivenBack(serving, before);
    return [
      onlyStatuses('bombs', bombs, isMapped),
      onlyStatuses('concurrent calls', others, (status) => status === '200'),
      {
        what: 'peak resident memory',
        measured: `${(most / 2 ** 20).toFixed(0)} MiB`,
        passed: true,
        dependsOnMachine: true,
      },
      atMost('memory retained at the end', kept, KEPT_MIB, 'MiB'),
      ...(await isAlive(serving)),
    ];
  },
};

/** Returns the peak resident memory. */
async function throwAll(context: Context, serving: Serving, bombs: Map<string, number>): Promise<number> {
  const times = context.isShort ? BOMBS.short : BOMBS.long;
  let most = 0;
  await inParallel(times, AT_ONCE, async (n) => {
    context.note(`${n} of ${times}`);
    count(bombs, nameOf(await serving.call(bomb(context))));
    most = Math.max(most, (await footprint(serving.pid)).bytes);
  });
  return most;
}

/** MiB above `before`, as soon as they are within the bound. */
async function untilGivenBack({ pid }: Serving, before: number): Promise<number> {
  for (const end = performance.now() + PATIENCE_MS; ;) {
    await setTimeout(REST_MS);
    const kept = ((await footprint(pid)).bytes - before) / 2 ** 20;
    if (kept <= KEPT_MIB || performance.now() > end) return kept;
  }
}

function bomb({ random }: Context): string {
  if (random.isLucky(0.7)) return `own?sql=${encodeURIComponent(random.pick(OWN))}`;
  return random.pick(['arrays', 'cross', 'result']);
}

/** Includes the error code: one missing from the table would be reported as a defect. */
function nameOf(answer: Asked): string {
  const code = /"code":"([^"]+)"/.exec(answer.body.subarray(0, 2000).toString())?.[1];
  return answer.status === 200 ? statusOf(answer) : `${statusOf(answer)} ${code}`;
}

function isMapped(name: string): boolean {
  return name === '200' || (/^(4\d\d|500|503|504) \w+\.\w+$/.test(name) && !name.includes('internal.error'));
}

async function isAlive({ call, running }: Serving): Promise<readonly Check[]> {
  const { status } = await call('few');
  return [
    exact('the next response', status, 200),
    exact('the process', running.child.exitCode ?? 'running', 'running'),
  ];
}
