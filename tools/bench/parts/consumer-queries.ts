// Consumer queries compared with the same queries written by hand as saved endpoints, on native sessions of the engine.
// Arguments: the data folder; how many rows `logs.edge_logs` is to have (0: as many as the sample has).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Session } from 'chdb';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import {
  consumerProfile,
  SAVED_PROFILE,
  type Profile,
} from '../../../src/service/engine/embedded/profile.ts';
import type { Statement } from '../../../src/service/engine/engine.ts';
import { setParameters } from '../../../src/service/engine/parameter-text.ts';
import type { Figure } from '../figures.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { BY_HAND } from './consumer-query-texts.ts';
import { REAL_TIME } from '../../../test/support/real-time.ts';
import { SHIPPED } from '../../../test/support/folder-sources.ts';
import { planQuery } from '../../../src/service/request/plan-query.ts';

const [data = '', count = '0'] = process.argv.slice(2);
const PROJECT = 'xvzyeivudksfanncdekp';
const path = join(data, 'engine');

/** Rows of the sample, repeated a microsecond later each time: the same days, denser. */
async function grow(target: number): Promise<void> {
  const session = new Session(path, { connectionArgs: ['--max_threads=2', '--max_insert_threads=2'] });
  const rows = async (): Promise<number> =>
    Number((await session.queryAsync('SELECT count() FROM logs.edge_logs', { format: 'TSV' })).text());
  const first = await rows();
  for (let copy = 1; (await rows()) < target; copy++) {
    const missing = Math.min(first, target - (await rows()));
    await session.queryAsync(`INSERT INTO logs.edge_logs (project, timestamp, id, event_message, metadata)
      SELECT project, timestamp + toIntervalMicrosecond(${copy}), concat(id, '-${copy}'), event_message, metadata
      FROM logs.edge_logs WHERE NOT match(id, '-[0-9]+$') LIMIT ${missing}`);
  }
  await session.queryAsync('OPTIMIZE TABLE logs.edge_logs FINAL');
  session.close();
}

function compile(name: string, text: string): Endpoint {
  const { candidate, diagnostics } = createCompile({ piiHashKey: undefined })(name, text, SHIPPED);
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate.endpoint;
}

const endpoint = compile(
  'logs.all.yaml',
  await readFile(new URL('../../../endpoints/logs.all.yaml', import.meta.url), 'utf8'),
);

function saved(query: string): Statement {
  const parameters = `parameters:
  project: { type: String, required: true }
  iso_timestamp_start: { type: DateTime64(6) }
  iso_timestamp_end: { type: DateTime64(6) }
max_rows: 1000
`;
  const indented = query.replaceAll('\n', '\n  ');
  const hand = compile(
    'hand.yaml',
    `id: 00000000-0000-4000-8000-000000000002\nname: hand\nquery: |\n  ${indented}\n${parameters}`,
  );
  const { values } = hand.binder.bind(new Map([['project', [PROJECT]]]), Date.now());
  return { sql: hand.statement, parameters: values, limits: hand.limits, origin: 'saved', int64: hand.int64 };
}

async function planAll(): Promise<ReadonlyMap<string, Statement>> {
  const engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path,
    connections: 2,
    queue: 10,
    memory: 2 ** 31,
    observe: () => undefined,
  });
  const describe = createDescribe(engine);
  const deps = { sandboxes: createSandboxes(engine, describe), describe };
  const bindings = endpoint.binder.bind(new Map([['project', [PROJECT]]]), Date.now());
  const statements = new Map<string, Statement>();
  for (const { name, language, dialect, text, hand } of BY_HAND) {
    statements.set(`${name}, by hand`, saved(hand));
    const { statement } = await planQuery(deps, {
      endpoint,
      bindings,
      consumerQuery: { language, dialect, text },
      isRedacted: false,
    });
    statements.set(`${name}, consumer`, statement);
  }
  await engine.close(0);
  return statements;
}

function open({ args, database }: Profile): Session {
  const session = new Session(path, { connectionArgs: ['--use_query_condition_cache=0', ...args] });
  void session.queryAsync(`USE ${database}`, { format: 'Null' });
  return session;
}

if (Number(count) > 0) await grow(Number(count));
const statements = await planAll();
const sessions = {
  saved: open(SAVED_PROFILE),
  consumer: open(consumerProfile({ limits: endpoint.limits, int64: endpoint.int64 })),
};

async function run({ sql, parameters, origin }: Statement, format: string): Promise<string> {
  return (await sessions[origin].queryAsync(`${setParameters(parameters)}${sql}`, { format })).text();
}

/** Latencies of both forms of a query, run alternately: what else runs on the machine slows down both. */
async function measurePair(name: string, seconds: number): Promise<ReadonlyMap<string, string>> {
  const forms = [`${name}, by hand`, `${name}, consumer`].map((work) => {
    const statement = statements.get(work);
    if (statement === undefined) throw new Error(`no query ${work}`);
    const latencies: number[] = [];
    return { work, statement, latencies };
  });
  const end = performance.now() + 2 * seconds * 1000;
  while (performance.now() < end) {
    for (const { statement, latencies } of forms) {
      const started = performance.now();
      await run(statement, 'JSONEachRow');
      latencies.push(performance.now() - started);
    }
  }
  const figures = new Map<string, string>();
  for (const { work, statement, latencies } of forms) {
    figures.set(work, JSON.stringify({ ...figureOf(latencies), read: await readBy(statement) }));
  }
  return figures;
}

function figureOf(latencies: readonly number[]): Figure {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { rate: 1000 / at(0.5), p50: at(0.5), p99: at(0.99) };
}

async function readBy(statement: Statement): Promise<NonNullable<Figure['read']>> {
  const { statistics } = JSON.parse(await run(statement, 'JSON')) as {
    statistics: { rows_read: number; bytes_read: number };
  }; // as the format JSON has it
  return { rows: statistics.rows_read, bytes: statistics.bytes_read };
}

process.stdout.write('ready\n');
let measured: ReadonlyMap<string, string> = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const { work, seconds } = JSON.parse(line) as { work: string; seconds: number }; // written by rows/
  // The first form asked for measures both.
  if (work.endsWith(', by hand')) measured = await measurePair(work.replace(/, by hand$/, ''), seconds);
  process.stdout.write(`${measured.get(work) ?? ''}\n`);
}
