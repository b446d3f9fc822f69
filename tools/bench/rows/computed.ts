// Computed responses: the shipped endpoints compared with the same statements on a raw pool of connections.
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { setParameters } from '../../../src/service/engine/parameter-text.ts';
import { SHIPPED } from '../../../test/support/folder-sources.ts';
import { ask, load, type Context, type RowSource } from '../context.ts';
import type { Figure } from '../figures.ts';
import type { Process } from '../parts/processes.ts';

const CONNECTIONS = 4;

/** The endpoints shipped over the sample data. */
const NAMES = ['logs.all', 'usage.api-counts'];

export const computed: readonly RowSource[] = NAMES.map((name) => ({
  name: `${name}, uncached`,
  prepare: async (context) => {
    const folder = await context.folder('endpoints');
    const endpoint = await uncached(name, folder);
    const raw = await startPool(context, 'raw', CONNECTIONS);
    const env = { MILLRACE_CONNECTIONS: String(CONNECTIONS) };
    const service = await context.serve({ endpoints: folder, data: await context.sampleData('data'), env });
    const target = {
      url: `${service.url}/api/endpoints/query/${name}?${exampleQuery(endpoint)}`,
      headers: service.headers,
    };
    const { seconds } = context;
    return {
      contenders: [
        {
          name: 'raw pool, same statement',
          measure: () => ask(raw, { sql: statementText(endpoint), seconds }),
        },
        {
          name: 'service',
          measure: () => load(target, CONNECTIONS, seconds),
          bar: {
            text: 'at least 0.75 x, p50 at most 1.25 x',
            isMet: ({ rate, p50 }, raw) => rate >= 0.75 * raw.rate && p50 <= 1.25 * raw.p50 + 1, // whole milliseconds
          },
        },
      ],
    };
  },
}));

export const scaling: RowSource = {
  name: 'logs.all on more connections',
  prepare: async (context) => {
    const endpoint = await uncached('logs.all', await context.folder('endpoints'));
    const { seconds } = context;
    const sql = statementText(endpoint);
    const [one, four] = [await startPool(context, 'one', 1), await startPool(context, 'four', 4)];
    const apart: Process[] = [];
    for (const name of ['first', 'second', 'third', 'fourth']) apart.push(await startPool(context, name, 1));
    return {
      contenders: [
        { name: '1 connection', measure: () => ask(one, { sql, seconds }) },
        {
          name: '4 connections',
          measure: () => ask(four, { sql, seconds }),
          bar: { text: 'at least 3 x', isMet: ({ rate }, reference) => rate >= 3 * reference.rate },
        },
        {
          name: '4 processes of 1 connection: what the machine has',
          measure: async () => sum(await Promise.all(apart.map((each) => ask(each, { sql, seconds })))),
        },
      ],
    };
  },
};

/** Combines figures measured at the same time: rates add up, percentiles are the highest. */
function sum(figures: readonly Figure[]): Figure {
  const rate = figures.reduce((total, each) => total + each.rate, 0);
  return {
    rate,
    p50: Math.max(...figures.map(({ p50 }) => p50)),
    p99: Math.max(...figures.map(({ p99 }) => p99)),
  };
}

async function startPool(context: Context, name: string, connections: number) {
  const raw = context.start('raw-pool.ts', [await context.sampleData(name), String(connections)]);
  await raw.says(/ready/);
  return raw;
}

/** A shipped endpoint without caching, and with the engine's query condition cache off, which would speed up repeated scans. */
async function uncached(name: string, folder: string): Promise<Endpoint> {
  const file = `${name}.yaml`;
  const text = (await readFile(join('endpoints', file), 'utf8'))
    .replace(/\n(\n?parameters:)/, '\n  SETTINGS use_query_condition_cache = 0\n$1')
    .replace(/^(cache|warming): .*\n/gm, '');
  await writeFile(join(folder, file), text);
  for (const shared of (await readdir('endpoints')).filter((each) => each.endsWith('.shared.yaml')))
    await copyFile(join('endpoints', shared), join(folder, shared));
  const { candidate, diagnostics } = createCompile({ piiHashKey: undefined })(file, text, SHIPPED);
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate.endpoint;
}

function exampleQuery({ examples }: Endpoint): string {
  const pairs = Object.entries(examples[0]?.parameters ?? {}).map(([name, value]): [string, string] => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ]);
  return new URLSearchParams(pairs).toString();
}

function statementText(endpoint: Endpoint): string {
  const sent = Object.entries(endpoint.examples[0]?.parameters ?? {}).map(
    ([name, value]) => [name, [value]] as const,
  );
  return `${setParameters(endpoint.binder.bind(new Map(sent), Date.now()).values)}${endpoint.statement}`;
}
