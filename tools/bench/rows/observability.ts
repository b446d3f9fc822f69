// The cost of logging, metrics and traces per cached response: in throughput, and as a share of CPU time.
import { readFile, writeFile } from 'node:fs/promises';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { load, MANY, type Context, type RowSource } from '../context.ts';
import { atLeast, within, type Figure } from '../figures.ts';
import { flameGraph } from '../flame-graph.ts';
import { shareOf, stacksOf } from '../profile.ts';
import { HIT, cachedResponse } from './cached-response.ts';

const KINDS = {
  nothing: 'no observability',
  metrics: 'metrics',
  log: 'metrics, access log',
  traces: 'metrics, access log, 10 % of requests traced',
};
type Kind = keyof typeof KINDS;

/** Our observability modules and the packages they use. */
const WATCHING = /\/(app\/observing|src\/observe\/|prom-client|pino|sonic-boom|@opentelemetry)/;

async function startObserved(context: Context, kind: Kind) {
  const folder = await context.folder(kind);
  const process = context.start('observed.ts', [folder, await cachedResponse(context), kind]);
  const [address = ''] = await process.says(/^http\S+/);
  return { folder, process, target: { url: `${address}${HIT}`, headers: { 'X-API-KEY': 'bench' } } };
}

export const observability: RowSource = {
  name: 'cost of observability for a cached response',
  prepare: async (context) => {
    const started = (['nothing', 'metrics', 'log', 'traces'] as const).map(async (kind) => {
      const { target } = await startObserved(context, kind);
      return {
        name: KINDS[kind],
        measure: () => load(target, MANY, context.seconds),
        ...(kind === 'traces' ? { bar: atLeast(0.9) } : {}),
      };
    });
    return { contenders: await Promise.all(started) };
  },
};

export const observabilityShare: RowSource = {
  name: 'share of observability in the time of a cached response',
  prepare: async (context) => {
    const started = (['metrics', 'log', 'traces'] as const).map(async (kind) => {
      const observed = await startObserved(context, kind);
      return {
        name: KINDS[kind],
        measure: () => share(context, observed, KINDS[kind]),
        ...(kind === 'traces' ? { bar: within(10, '%') } : {}),
      };
    });
    return { unit: '%', contenders: await Promise.all(started) };
  },
};

/** Measured by a CPU profile of the service's thread under load. */
async function share(
  { seconds, picture }: Context,
  { folder, process, target }: Awaited<ReturnType<typeof startObserved>>,
  name: string,
): Promise<Figure> {
  const path = join(folder, 'profile.json');
  process.send('profile');
  const { rate } = await load(target, MANY, seconds);
  process.send(path);
  await process.says(/profile\.json$/);
  const profile = JSON.parse(await readFile(path, 'utf8')) as Profiler.Profile; // V8's format
  const stacks = stacksOf(profile);
  if (picture !== undefined)
    await writeFile(picture, flameGraph(stacks, `An answer that is stored: ${name}`));
  const percent = 100 * shareOf(stacks, WATCHING);
  return { rate, p50: percent, p99: percent };
}
