// Endpoints with different settings and limits, called in any order: each query runs with its own settings only.
import { inParallel } from '../load.ts';
import { exact, type Context, type Scenario } from '../scenario.ts';
import { serve, type Serving } from '../serving.ts';

const CALLS = { short: 300, long: 4000 };
const SEEN = [
  'max_block_size',
  'max_execution_time',
  'max_memory_usage',
  'max_rows_to_read',
  'limit',
  'readonly',
  'join_algorithm',
  'date_time_output_format',
];
const SETTINGS = SEEN.map((name) => `toString(getSetting('${name}')) AS ${name}`).join(', ');

/** The query returns the settings it runs with. */
function endpoint(clause: string, limits: string): string {
  return `query: |
  WITH one AS (SELECT 1 AS n)
  SELECT ${SETTINGS} FROM one${clause === '' ? '' : ` SETTINGS ${clause}`}
sandbox: { enabled: true }
${limits === '' ? '' : `limits: { ${limits} }\n`}`;
}

const ENDPOINTS = {
  plain: endpoint('', ''),
  blocks: endpoint('max_block_size = 77', ''),
  joins: endpoint("join_algorithm = 'full_sorting_merge'", ''),
  quick: endpoint('', 'time: 3'),
  lean: endpoint('', 'memory: 200MiB'),
  narrow: endpoint('', 'read_rows: 123456'),
  all: endpoint('max_block_size = 99', 'time: 7, memory: 300MiB, read_rows: 98765'),
};
/** Queries that fail, with and without settings. */
const FAILING = {
  fails:
    'query: SELECT throwIf(number = 500) AS failed FROM numbers(1000) SETTINGS max_block_size = 3\nlimits: { time: 2 }\n',
  writes: `query: SELECT count() AS n FROM one.two SETTINGS max_block_size = 4\n`,
};

export const carriedOver: Scenario = {
  name: 'carried-over',
  pass: 'settings, limits and read-only mode of one query: none of them applied to another',
  seconds: { short: 120, long: 300 },
  run: async (context) => {
    const serving = await serve(context, {
      endpoints: { ...ENDPOINTS, ...FAILING },
      env: { MILLRACE_CONNECTIONS: '4' },
    });
    const names = Object.keys(ENDPOINTS);
    const alone = new Map<string, string>();
    for (const name of names) alone.set(name, await settingsOf(serving, name));
    const others = await mixed(context, serving, alone);
    const distinct = new Set(alone.values()).size;
    return [
      exact('distinct sets of settings', distinct, names.length),
      exact('queries run with the settings of another', [...others].join('; ') || 0, 0),
    ];
  },
};

async function mixed(
  { random, isShort }: Context,
  serving: Serving,
  alone: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const wrong = new Set<string>();
  const names = [...alone.keys()];
  await inParallel(isShort ? CALLS.short : CALLS.long, 12, async () => {
    if (random.isLucky(0.2)) return void (await serving.call(random.pick(Object.keys(FAILING))));
    if (random.isLucky(0.1))
      return void (await serving.call(`${random.pick(names)}?sql=SELECT+n+AS+limit+FROM+one+LIMIT+1`));
    const name = random.pick(names);
    const settings = await settingsOf(serving, name);
    if (settings !== alone.get(name)) wrong.add(`${name}: ${settings}`);
  });
  return wrong;
}

async function settingsOf({ rows }: Serving, name: string): Promise<string> {
  return JSON.stringify(await rows(name));
}
