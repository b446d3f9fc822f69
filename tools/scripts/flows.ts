// Counts the files and functions of `src` that one request executes, by V8's coverage, and compares them with the figures in flows.json:
// `tsx tools/scripts/flows.ts`. They must not rise; `--write` records them.
import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  sampleTables,
  SHIPPED,
  startService,
  writeEndpoint,
  type TestService,
} from '../../test/support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const RECORD = join(import.meta.dirname, 'flows.json');
const TRACES = 5;
const MARGIN = 1.01;
/** The transpiler adds a function of this name to files, which keeps the names of others. */
const ADDED = '__name';
/** The top level of a script, which runs when it is loaded, begins here. It is reported only then, so it is not always the first function. */
const TOP_LEVEL = 0;

/** Counts of one flow. Functions of modules that are loaded for the first time in it count too. */
interface Flow {
  readonly files: number;
  readonly functions: number;
}

const session = new Session();
session.connect();

/** Counts what is executed until `run` has ended; all that was executed before is left out. */
async function trace(run: () => Promise<unknown>): Promise<Flow> {
  await session.post('Profiler.takePreciseCoverage');
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = new Set<string>();
  let functions = 0;
  for (const script of result) {
    if (!script.url.startsWith('file:')) continue;
    const path = relative(ROOT, fileURLToPath(script.url));
    if (!path.startsWith('src/')) continue;
    const executed = script.functions.filter(
      ({ functionName, ranges: [range] }) =>
        range !== undefined && range.count > 0 && range.startOffset > TOP_LEVEL && functionName !== ADDED,
    );
    if (executed.length === 0) continue;
    files.add(path);
    functions += executed.length;
  }
  return { files: files.size, functions };
}

const file = (name: string, sql: string, more = ''): string =>
  `id: 00000000-0000-4000-8000-000000000001\nname: ${name}\nquery: |\n  ${sql}\n${more}`;
const PROJECT = { project: 'xvzyeivudksfanncdekp', iso_timestamp_start: '2025-09-01T00:00:00Z' };
const EDITED = file('flows.edited', 'SELECT 0 AS n');
const CACHED = file(
  'flows.cached',
  'SELECT @n AS n',
  'parameters: { n: { type: UInt8 } }\ncache: { ttl: 60 }\n',
);

/** A call of the shipped logs until a day of September. */
const logs = (day: number, consumer: Readonly<Record<string, string>> = {}): string => {
  const until = `2025-09-${String(day).padStart(2, '0')}T00:00:00Z`;
  return `logs.all?${new URLSearchParams({ ...PROJECT, iso_timestamp_end: until, ...consumer }).toString()}`;
};
const ownQuery = (name: string): string =>
  logs(2, {
    sql: `SELECT id AS ${name}, count() AS c FROM edge_logs WHERE event_message LIKE '%${name}%' GROUP BY id ORDER BY c DESC LIMIT 5`,
  });
const bigquery = (name: string): string =>
  logs(2, {
    dialect: 'bigquery',
    sql: `SELECT timestamp_trunc(timestamp, hour) AS ${name}, countif(event_message LIKE '%${name}%') AS c FROM edge_logs GROUP BY 1 ORDER BY 1`,
  });

const postOf = (parameters: Readonly<Record<string, number>>): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(parameters),
});

/** Flows whose `n`-th call does what every call of the kind does: the first ones also prepare what later ones use. */
function flowsOf(service: TestService): Readonly<Record<string, (n: number) => Promise<unknown>>> {
  return {
    'saved call': (n) => service.rows(logs(n + 2)),
    'cache hit, fast path': (n) => service.rows(`flows.cached?n=${n}`),
    'cache hit': (n) => service.rows('flows.cached', postOf({ n: n + 50 })),
    'consumer query': (n) => service.rows(ownQuery(`a${n}`)),
    'BigQuery query': (n) => service.rows(bigquery(`b${n}`)),
    'edit of a file': async (n) => {
      await writeEndpoint(service, 'edited', EDITED.replace('0 AS n', `${n} AS n`));
      await service.service.catalog.reload(); // a reload of the whole service also tests its sandbox
    },
  };
}

/** Takes the least of several traces of a flow: work in the background, such as that of timers, falls into some of them. */
async function traceFlows(service: TestService): Promise<ReadonlyMap<string, Flow>> {
  await writeEndpoint(service, 'cached', CACHED.replace('0001', '0002'));
  await service.service.reload();
  const least = new Map<string, Flow>();
  for (const [name, run] of Object.entries(flowsOf(service))) {
    await run(0);
    for (let n = 1; n <= TRACES; n++) {
      if (name.startsWith('cache hit')) await run(n);
      const flow = await trace(() => run(n));
      const known = least.get(name);
      if (known === undefined || flow.functions < known.functions) least.set(name, flow);
    }
  }
  return least;
}

/** More than work in the background adds. */
const isMore = (known: Flow, now: Flow): boolean =>
  now.files > known.files * MARGIN || now.functions > known.functions * MARGIN;

async function main(): Promise<void> {
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const service = await startService({ endpoints: SHIPPED, sql: [await sampleTables()] });
  const flows = await traceFlows(service);
  await service.stop();
  const record = JSON.parse(readFileSync(RECORD, 'utf8')) as Readonly<Record<string, Flow>>; // written below
  const risen: string[] = [];
  for (const [name, { files, functions }] of flows) {
    const known = record[name];
    console.log(
      `${name}: ${files} files, ${functions} functions${known === undefined ? '' : ` (recorded: ${known.files}, ${known.functions})`}`,
    );
    if (known !== undefined && isMore(known, { files, functions })) risen.push(name);
  }
  if (process.argv.includes('--write'))
    writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(flows), null, 2)}\n`);
  else if (risen.length > 0) {
    console.error(`Risen: ${risen.join(', ')}`);
    process.exitCode = 1;
  }
}

await main();
