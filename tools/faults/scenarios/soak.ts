// A long mixed workload: memory, handles and threads must stay constant. Draws docs/pictures/soak.svg.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { drawChart, drawPicture } from '../../scripts/chart.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { statusOf } from '../ask.ts';
import { count, inParallel, median, startLoad, type Load } from '../load.ts';
import { atMost, inTime, onlyStatuses, type Check, type Context, type Scenario } from '../scenario.ts';
import { endpointFile, footprint, handleKinds, serve, type Footprint, type Serving } from '../serving.ts';

const PICTURE = join(import.meta.dirname, '../../../docs/pictures/soak.svg');
const CALLERS = 8;
const PAUSE_MS = 4;
const SAMPLE_MS = 1000;
const EDIT_MS = 2000;
/** Warm-up until buffers and caches reach their size, as a fraction of the duration. */
const WARM_UP = 0.4;
const GROWTH_MIB = 1;
/** The minimum within each window approximates the heap after garbage collection. */
const WINDOW_S = 30;
/** The engine's pools add a thread when all are busy, and keep it. */
const SPARE_THREADS = 8;
const SPARE_HANDLES = 16;
/** The engine opens `io`, `schedstat` and `stat` of /proc when a thread runs its first query, and keeps them. */
const STATISTICS_PER_THREAD = 3;
/** Points of a line in the picture, at most. */
const POINTS = 360;
const BURST = { short: 64, long: 2000 };

const ENDPOINTS = {
  kept: "query: SELECT @p AS p, repeat('x', 3000) AS text\nparameters: { p: { type: UInt32, required: true } }\ncache: { ttl: 20 }\n",
  warm: 'query: SELECT now64() AS at\ncache: { ttl: 4 }\nwarming: { every: 2 }\n',
  fresh:
    'query: SELECT generateUUIDv4() AS run, @p AS p\nparameters: { p: { type: UInt32, required: true } }\n',
  own: "query: |\n  WITH logs AS (SELECT number AS n, toString(number) AS text, 'ann@example.com' AS mail FROM numbers(300))\n  SELECT n, text, mail FROM logs\nsandbox: { enabled: true }\npii: { redact: true }\n",
  fails:
    "query: SELECT throwIf(number = 300, 'made to fail') AS failed FROM numbers(600) SETTINGS max_block_size = 10\n",
  large: 'query: SELECT randomPrintableASCII(1000) AS text FROM numbers(1000)\n',
  slow: 'query: SELECT sleep(0.5) AS slept\nlimits: { concurrency: 2, queue: 4 }\n',
  edited: 'query: SELECT 0 AS value\n',
};

interface Sample extends Footprint {
  /** Since the start. */
  readonly seconds: number;
  readonly heap: number;
}

export const soak: Scenario = {
  name: 'soak',
  pass: `all kinds of load: after warm-up, memory grows by less than ${GROWTH_MIB} MiB per minute, handles and threads do not grow, except the engine's statistics of each thread`,
  seconds: { short: 120, long: 120 },
  run: async (context) => {
    const redis = await startRedis();
    context.defer(redis.kill);
    const serving = await serve(context, {
      endpoints: ENDPOINTS,
      env: {
        REDIS_URL: redis.url,
        MILLRACE_CACHE_MEMORY: '16MiB',
        MILLRACE_USAGE: 'true',
        MILLRACE_LOG_LEVEL: 'silent',
      },
    });
    const statuses = new Map<string, number>();
    // Brings thread pools to their full size with concurrent requests.
    const calls = context.isShort ? BURST.short : BURST.long;
    await inParallel(calls, 64, caller(context, serving, statuses));
    const loads = [
      startLoad(context, CALLERS, caller(context, serving, statuses)),
      startEditing(context, serving),
    ];
    const samples = await watch(context, serving);
    const handles = await handleKinds(serving.pid);
    for (const load of loads) await load.stop();
    if (!context.isShort) await writeFile(PICTURE, picture(samples));
    const grown = judge(samples.slice(Math.floor(samples.length * WARM_UP)), handles);
    return [
      onlyStatuses('responses', statuses, (status) => /^(200|304|401|404|422|500|503|none)$/.test(status)),
      // Seconds are too short to distinguish a leak from warm-up.
      ...grown.map((check) => (context.isShort ? { ...check, dependsOnMachine: true } : check)),
    ];
  },
};

/** Makes one call of any kind, and pauses. */
function caller({ random }: Context, { call }: Serving, statuses: Map<string, number>): () => Promise<void> {
  const paths: readonly (() => string)[] = [
    () => `kept?p=${random.below(400)}`,
    () => `kept?p=${random.below(10)}`,
    () => 'warm',
    () => `fresh?p=${random.below(1e9)}`,
    () => `own?sql=${encodeURIComponent(`SELECT n, text FROM logs WHERE n > ${random.below(300)}`)}`,
    () => `own?lql=${encodeURIComponent(`n:>${random.below(300)} s:text`)}`,
    () => 'own?sql=SELECT+no_such_column+FROM+logs',
    () => `large?format=${random.pick(['json', 'csv', 'ndjson', 'parquet', 'arrow'])}`,
    () => 'fails',
    () => 'slow',
    () => 'edited',
    () => 'nowhere',
  ];
  return async () => {
    const leaves = random.isLucky(0.05);
    const headers = {
      'Accept-Encoding': random.pick(['identity', 'gzip', 'br', 'zstd']),
      ...(random.isLucky(0.02) && { 'X-API-KEY': 'wrong' }),
    };
    const signal = leaves ? { signal: AbortSignal.timeout(1 + random.below(30)) } : {};
    const answer = await call(random.pick(paths)(), { headers, ...signal });
    if (!leaves) count(statuses, statusOf(answer));
    await setTimeout(PAUSE_MS);
  };
}

/** Rewrites one file again and again, sometimes with invalid content. */
function startEditing(context: Context, { site }: Serving): Load {
  const path = join(site.endpoints, 'edited.yaml');
  return startLoad(context, 1, async (n) => {
    const good = endpointFile(
      'edited',
      `query: SELECT ${n} AS value\n`,
      Object.keys(ENDPOINTS).indexOf('edited'),
    );
    await writeFile(path, n % 5 === 4 ? good.slice(0, 50) : good);
    await setTimeout(EDIT_MS);
  });
}

async function watch(
  { isShort, minutes, note }: Context,
  { pid, metric }: Serving,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const began = performance.now();
  const ms = isShort ? 5000 : minutes * 60_000;
  for (;;) {
    const seconds = (performance.now() - began) / 1000;
    if (seconds * 1000 >= ms) return samples;
    const heap = await metric('nodejs_heap_size_used_bytes');
    samples.push({ seconds, heap, ...(await footprint(pid)) });
    if (samples.length % 30 === 0) note(`${seconds.toFixed(0)} of ${ms / 1000} s`);
    await setTimeout(SAMPLE_MS);
  }
}

function judge(samples: readonly Sample[], handles: string): readonly Check[] {
  const half = Math.floor(samples.length / 2);
  const more = (of: (sample: Sample) => number): number =>
    median(samples.slice(half).map(of)) - median(samples.slice(0, half).map(of));
  const growth = slope(floors(samples));
  const last = samples.at(-1);
  const perThread = Math.max(...samples.map(({ statistics, threads }) => statistics / threads));
  return [
    inTime('growth per minute of memory after collections', growth, GROWTH_MIB, 'MiB'),
    atMost(
      `growth of handles other than statistics, of ${last?.handles} (all: ${handles})`,
      more(({ handles }) => handles),
      SPARE_HANDLES,
      '',
    ),
    atMost('handles of statistics per thread', perThread, STATISTICS_PER_THREAD, ''),
    atMost(
      `growth of threads, of ${last?.threads}`,
      more(({ threads }) => threads),
      SPARE_THREADS,
      '',
    ),
  ];
}

/** Minutes, and the minimum MiB in the surrounding window. */
function floors(samples: readonly Sample[]): readonly (readonly [number, number])[] {
  const least = new Map<number, number>();
  for (const { seconds, bytes } of samples) {
    const window = Math.floor(seconds / WINDOW_S);
    least.set(window, Math.min(bytes, least.get(window) ?? Infinity));
  }
  return [...least].map(([window, bytes]) => [(window * WINDOW_S) / 60, bytes / 2 ** 20]);
}

/** Slope of the least-squares line. */
function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (of: 0 | 1): number => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const above = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  const wide = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return wide === 0 ? 0 : above / wide;
}

function picture(samples: readonly Sample[]): string {
  const step = Math.ceil(samples.length / POINTS);
  const drawn = samples.filter((_, index) => index % step === 0);
  const series = (name: string, of: (sample: Sample) => number) => ({
    name,
    points: drawn.map((sample) => [sample.seconds, of(sample)] as const),
  });
  const size = { width: 360, height: 240 };
  const charts = [
    {
      title: 'Memory',
      unit: 'bytes',
      series: [series('resident', (each) => each.bytes), series('JavaScript heap', (each) => each.heap)],
    },
    {
      title: 'Handles',
      unit: 'short',
      series: [series('statistics', (each) => each.statistics), series('others', (each) => each.handles)],
    },
    { title: 'Threads', unit: 'short', series: [series('threads', (each) => each.threads)] },
  ];
  const cards = charts.map(({ title, unit, series }, index) => ({
    ...size,
    x: 8 + index * (size.width + 8),
    y: 8,
    title: `${title} over ${((samples.at(-1)?.seconds ?? 0) / 60).toFixed(0)} minutes`,
    drawn: drawChart(series, size, unit),
  }));
  return drawPicture(cards, { width: 3 * (size.width + 8) + 8, height: size.height + 16 });
}
