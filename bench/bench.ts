// Measures the service beside its references, in turn within one run: absolute figures drift on shared machines, ratios less.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { createCompile } from '../src/catalog/compile.ts';
import type { Endpoint } from '../src/catalog/endpoint.ts';
import { setParameters } from '../src/engine/parameter-text.ts';
import { startProcess, type Process } from './processes.ts';

const HELP = `npm run bench -- [--only NAME] [--rounds N] [--seconds N] [--json FILE]
  --only      measure only rows whose name contains NAME
  --rounds    rounds, each measuring every contender in turn (default 5)
  --seconds   seconds a contender is measured in a round (default 2)
  --json      also write the figures to FILE`;

const CONNECTIONS = 4;
const HIT_CONNECTIONS = 64;
const LOAD_PER_THREAD = 32;
/** Calls a second, ten times what the endpoint can run. */
const FLOOD = 200;

/** One figure of one contender in one round: answers a second, milliseconds. */
interface Figure {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

interface Contender {
  readonly name: string;
  readonly measure: () => Promise<Figure>;
}

/** Contenders measured beside each other; the first is the reference. */
interface Row {
  readonly name: string;
  readonly contenders: readonly Contender[];
}

interface Options {
  readonly only: string;
  readonly rounds: number;
  readonly seconds: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return note(HELP);
  const options = { only: values.only, rounds: Number(values.rounds), seconds: Number(values.seconds) };
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const processes: Process[] = [];
  try {
    const rows = await prepare(folder, processes, options);
    const results = [];
    for (const row of rows) results.push(await measureRow(row, options));
    report(results);
    if (values.json !== undefined)
      await writeFile(values.json, JSON.stringify({ machine: machine(), results }, null, 2));
  } finally {
    await Promise.all(processes.map((each) => each.stop()));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts everything: a service over sample data, the references, and for the raw pool a copy of the data. */
async function prepare(folder: string, processes: Process[], options: Options): Promise<readonly Row[]> {
  const endpoints = await benchEndpoints(folder);
  note('loading sample data (twice: the engine allows one process a folder)');
  const start = (...args: Parameters<typeof startProcess>): Process => {
    const started = startProcess(...args);
    processes.push(started);
    return started;
  };
  const rawData = join(folder, 'raw');
  const seeding = start('bin/millrace.cjs', ['seed', '--data', rawData]);
  await seeding.says(/never/).catch(() => undefined); // ends when the data is loaded
  const service = start(
    'bin/millrace.cjs',
    [
      'serve',
      '--dev',
      '--port',
      '0',
      '--admin-port',
      '0',
      '--data',
      join(folder, 'data'),
      '--endpoints',
      join(folder, 'endpoints'),
      '--connections',
      String(CONNECTIONS),
    ],
    { MILLRACE_LOG_LEVEL: 'silent' },
  );
  const [, address = '', key = ''] = await service.says(
    /Millrace serves (\S+) with this key, made for this run: (\S+)/,
  );
  const bare = start('bare-fastify.ts', []);
  const [bareAddress = ''] = await bare.says(/^http\S+/);
  const raw = start('raw-pool.ts', [rawData, String(CONNECTIONS)]);
  await raw.says(/ready/);
  const checks = start('sandbox-checks.ts', [join(folder, 'checks')]);
  await checks.says(/ready/);
  const redaction = start('redaction.ts', []);
  await redaction.says(/ready/);

  const headers = { 'X-API-KEY': key };
  const rows = endpoints.map((endpoint): Row => {
    const url = `${address}/api/endpoints/query/${endpoint.name}?${exampleQuery(endpoint)}`;
    return {
      name: `${endpoint.name}, every answer computed`,
      contenders: [
        {
          name: 'raw pool, same statement',
          measure: () => measureAsked(raw, { sql: statementText(endpoint), seconds: options.seconds }),
        },
        { name: 'service', measure: () => load(url, headers, CONNECTIONS, options.seconds) },
        { name: 'bare Fastify, 30 KB', measure: () => load(bareAddress, {}, CONNECTIONS, options.seconds) },
      ],
    };
  });
  const hits = await prepareHits(folder, start);
  const hit: Row = {
    name: 'an answer that is stored, 30 KB',
    contenders: [
      {
        name: 'bare Fastify, prepared Buffer',
        measure: () => load(bareAddress, {}, HIT_CONNECTIONS, options.seconds),
      },
      ...hits.map(({ name, url, headers: sent }) => ({
        name,
        measure: () => load(url, sent, HIT_CONNECTIONS, options.seconds),
      })),
    ],
  };
  const observed = await prepareObserved(folder, start);
  const observing: Row = {
    name: 'what watching costs an answer that is stored',
    contenders: observed.map(({ name, url, headers: sent }) => ({
      name,
      measure: () => load(url, sent, HIT_CONNECTIONS, options.seconds),
    })),
  };
  const worked =
    (by: Process) =>
    (name: string, work: string): Contender => ({
      name,
      measure: () => measureAsked(by, { work, seconds: options.seconds }),
    });
  const [check, redact] = [worked(checks), worked(redaction)];
  const sandbox: Row = {
    name: 'sandbox check of one text',
    contenders: [
      check("the engine's EXPLAIN AST of it", 'explain'),
      check('unseen, with the second opinion', 'unseen'),
      check('seen before', 'seen'),
    ],
  };
  const redacting: Row = {
    name: 'redaction of 1,000 rows of 1.1 KB',
    contenders: [
      redact('three regular expressions', 'regexes'),
      redact('addresses and e-mail', 'scanner'),
      redact('every detector', 'every'),
      redact('every detector, five texts of 50 KB made to be slow', 'hostile'),
    ],
  };
  const [memory] = hits;
  const rejecting = memory === undefined ? [] : [rejectingRow(memory, options.seconds)];
  return [...rows, hit, observing, ...rejecting, sandbox, redacting].filter((row) =>
    row.name.includes(options.only),
  );
}

interface Hit {
  readonly name: string;
  readonly url: string;
  readonly headers: Record<string, string>;
}

/** Services that keep one answer of 30 KB: in memory, and, with hardly any memory, in Redis where it is installed. */
async function prepareHits(folder: string, start: typeof startProcess): Promise<readonly Hit[]> {
  const endpoints = join(folder, 'hit');
  await mkdir(endpoints);
  await writeFile(
    join(endpoints, 'hit.yaml'),
    "id: 00000000-0000-4000-8000-000000000001\nname: hit\nquery: SELECT toString(generateUUIDv4()) AS id, now() AS timestamp, repeat('y', 200) AS event_message FROM numbers(100)\ncache: { ttl: 3600 }\n",
  );
  await writeFile(
    join(endpoints, 'slow.yaml'),
    'id: 00000000-0000-4000-8000-000000000002\nname: slow\nquery: SELECT sleep(0.05) AS slept\nlimits: { concurrency: 1, queue: 3 }\n',
  );
  const serve = async (name: string, env: Readonly<Record<string, string>>): Promise<Hit> => {
    const data = join(folder, `data-${Object.keys(env).length}`);
    const service = start(
      'bin/millrace.cjs',
      [
        'serve',
        '--dev',
        '--port',
        '0',
        '--admin-port',
        '0',
        '--endpoints',
        endpoints,
        '--seeds',
        endpoints,
        '--data',
        data,
      ],
      { MILLRACE_LOG_LEVEL: 'silent', ...env },
    );
    const [, address = '', key = ''] = await service.says(
      /Millrace serves (\S+) with this key, made for this run: (\S+)/,
    );
    return { name, url: `${address}/api/endpoints/query/hit`, headers: { 'X-API-KEY': key } };
  };
  const memory = await serve('service, hit in memory', {});
  if (spawnSync('redis-server', ['--version']).status !== 0) return [memory];
  const port = 20_000 + (process.pid % 20_000);
  start('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']);
  const redis = await serve('service, hit in Redis', {
    REDIS_URL: `redis://127.0.0.1:${port}`,
    MILLRACE_CACHE_MEMORY: '1KiB',
  });
  return [memory, redis];
}

/** The same answer, with nobody watching and with everybody. */
async function prepareObserved(folder: string, start: typeof startProcess): Promise<readonly Hit[]> {
  const kinds = {
    nothing: 'nobody is told',
    metrics: 'metrics',
    log: 'metrics, a line of log each',
    traces: 'metrics, log, a span for one in ten',
  };
  const hits: Hit[] = [];
  for (const [kind, name] of Object.entries(kinds)) {
    const own = join(folder, `observed-${kind}`);
    await mkdir(own);
    const [address = ''] = await start('observed.ts', [own, join(folder, 'hit'), kind]).says(/^http\S+/);
    hits.push({ name, url: `${address}/api/endpoints/query/hit`, headers: { 'X-API-KEY': 'bench' } });
  }
  return hits;
}

/** The shipped endpoints, with the engine's cache of conditions off: it makes a repeated scan look faster than it is. */
async function benchEndpoints(folder: string): Promise<readonly Endpoint[]> {
  const compile = createCompile({ piiHashKey: undefined });
  const names = (await readdir('endpoints')).filter((name) => name.endsWith('.yaml'));
  const target = join(folder, 'endpoints');
  await mkdir(target);
  const endpoints: Endpoint[] = [];
  for (const name of names) {
    const text = await readFile(join('endpoints', name), 'utf8');
    const changed = text
      .replace(/\n(\n?parameters:)/, '\n  SETTINGS use_query_condition_cache = 0\n$1')
      .replace(/^(cache|warming): .*\n/gm, '');
    await writeFile(join(target, name), changed);
    const { candidate, diagnostics } = compile(name, changed);
    if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
    endpoints.push(candidate.endpoint);
  }
  return endpoints;
}

function exampleQuery({ examples }: Endpoint): string {
  const pairs = Object.entries(examples[0]?.parameters ?? {}).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return new URLSearchParams(pairs).toString();
}

function statementText(endpoint: Endpoint): string {
  const sent = Object.entries(endpoint.examples[0]?.parameters ?? {}).map(
    ([name, value]) => [name, [value]] as const,
  );
  return `${setParameters(endpoint.binder.bind(new Map(sent)).values)}${endpoint.statement}`;
}

/** Asks a process of this folder for one figure. */
async function measureAsked(
  asked: Process,
  what: Readonly<Record<string, string | number>>,
): Promise<Figure> {
  asked.tell(JSON.stringify(what));
  const [line = ''] = await asked.says(/^\{.*\}$/);
  return JSON.parse(line) as Figure; // from raw-pool.ts or sandbox-checks.ts
}

/** What a service does beside refusing ten times what it can run: answers that are kept, and the refusals themselves. */
function rejectingRow({ url, headers }: Hit, seconds: number): Row {
  const slow = url.replace(/hit$/, 'slow');
  const flood = (duration: number) =>
    autocannon({ url: slow, headers, connections: 40, duration, workers: 1, overallRate: FLOOD });
  return {
    name: `refusing: ${FLOOD} calls a second of what can be run ${FLOOD / 10} times`,
    contenders: [
      { name: 'hits, nobody refused', measure: () => load(url, headers, HIT_CONNECTIONS, seconds) },
      {
        name: 'hits meanwhile',
        measure: async () => {
          const flooding = flood(seconds + 1);
          const figure = await load(url, headers, HIT_CONNECTIONS, seconds);
          await flooding;
          return figure;
        },
      },
      { name: 'refusals', measure: () => measureRefusals(slow, headers, seconds) },
    ],
  };
}

/** How long refusals take, without what was run and without hurry: a call every few milliseconds. */
async function measureRefusals(
  url: string,
  headers: Record<string, string>,
  seconds: number,
): Promise<Figure> {
  const calls: Promise<number | undefined>[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    const started = performance.now();
    calls.push(
      fetch(url, { headers }).then(({ status }) =>
        status === 503 ? performance.now() - started : undefined,
      ),
    );
    await setTimeout(1000 / FLOOD);
  }
  const times = (await Promise.all(calls)).flatMap((ms) => ms ?? []).toSorted((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return { rate: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}

async function load(
  url: string,
  headers: Record<string, string>,
  connections: number,
  seconds: number,
): Promise<Figure> {
  // From threads of its own, where one could not keep the service busy.
  const workers = connections > LOAD_PER_THREAD ? { workers: connections / LOAD_PER_THREAD } : {};
  const result = await autocannon({ url, headers, connections, duration: seconds, ...workers });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return { rate: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

interface Result {
  readonly row: string;
  readonly contender: string;
  readonly median: Figure;
  readonly toReference: number;
}

async function measureRow(row: Row, { rounds }: Options): Promise<readonly Result[]> {
  const figures = new Map<string, Figure[]>(row.contenders.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, measure } of row.contenders) {
      note(`${row.name}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${name}`);
      const figure = await measure();
      if (round > 0) figures.get(name)?.push(figure);
    }
  }
  const medians = [...figures].map(([contender, all]) => ({ contender, median: medianFigure(all) }));
  const reference = medians[0]?.median.rate ?? 1;
  return medians.map(({ contender, median }) => ({
    row: row.name,
    contender,
    median,
    toReference: median.rate / reference,
  }));
}

function medianFigure(figures: readonly Figure[]): Figure {
  const median = (key: keyof Figure): number =>
    figures.map((each) => each[key]).toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
  return { rate: median('rate'), p50: median('p50'), p99: median('p99') };
}

function report(results: readonly (readonly Result[])[]): void {
  const lines = [
    `Machine: ${machine()}`,
    '',
    '| what | contender | a second | p50 ms | p99 ms | to the first |',
    '|---|---|---|---|---|---|',
  ];
  for (const { row, contender, median, toReference } of results.flat()) {
    lines.push(
      `| ${row} | ${contender} | ${median.rate.toFixed(0)} | ${median.p50.toFixed(3)} | ${median.p99.toFixed(3)} | ${toReference.toFixed(2)} |`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

function machine(): string {
  return `${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown processor'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`;
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

await main();
