// Queries over a generated table and over its rollup, inserts with and without a rollup, and filling one. Arguments: the data folder; the
// rows of the busy project.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readRollupFile } from '../../../src/service/endpoints/rollups/read-rollups.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Statement } from '../../../src/service/engine/engine.ts';
import { createRouting } from '../../../src/service/request/rollups/routing.ts';
import { clock } from '../../../src/service/app/clock.ts';
import { askRows } from '../../../src/service/rollups/ask.ts';
import { createRollupsInUse } from '../../../src/service/rollups/coverage.ts';
import { dropRollup, keepRollup, type KeptRollup } from '../../../src/service/rollups/keep.ts';
import { resolveRollup } from '../../../src/service/rollups/resolve.ts';
import {
  createStatements,
  quoteName,
  selectFiner,
  selectRows,
} from '../../../src/service/rollups/statements.ts';
import { quoteString } from '../../../src/sql/clickhouse/literal.ts';
import { accessTypes, OUTSIDE_SOURCE_NAMES } from '../../../src/sql/clickhouse/outside-sources.ts';
import { REAL_TIME } from '../../../test/support/real-time.ts';
import type { Figure } from '../figures.ts';
import { ALIGNED, PLANNED, QUERIES, RAGGED } from './rollup-queries.ts';

const [data = '', count = '1000000'] = process.argv.slice(2);
const ROWS = Number(count);
const DAYS = 90;
const TOTAL = Math.ceil((ROWS * 9) / 8);
/** Rows that one statement inserts. */
const CHUNK = 5_000_000;
/** Rows of the table that is filled again in each round. */
const FILLED = Math.min(ROWS, 10_000_000);
/** Rows of one insert. */
const BATCHES = [1000, 10_000];

const BATCH_FOLDER = join(data, 'engine', 'user_files');
const batchFile = (rows: number): string => join(BATCH_FOLDER, `batch-${rows}.ndjson`);

const COLUMNS = `timestamp DateTime64(6, 'UTC'), project LowCardinality(String), method LowCardinality(String), status UInt16,
  path String, user_id UInt64, bytes UInt32, ms UInt32`;

const engine = await createEmbeddedEngine({
  ...REAL_TIME,
  path: join(data, 'engine'),
  connections: 2,
  queue: 10,
  memory: 2 ** 33,
  sources: accessTypes(OUTSIDE_SOURCE_NAMES),
  observe: () => undefined,
});

/** One row in nine is of another project; the busy one has so many rows in all. */
function rowsSql(from: number, rows: number): string {
  const micros = (DAYS * 86_400_000_000) / TOTAL;
  return `SELECT now64(6, 'UTC') - toIntervalMinute(10) - toIntervalMicrosecond(toUInt64((number + 1) * ${micros})),
  if(cityHash64(number, 1) % 9 = 0, concat('project ', toString(cityHash64(number, 2) % 40)), 'busy'),
  ['GET', 'GET', 'GET', 'POST'][1 + cityHash64(number, 3) % 4], [200, 200, 200, 200, 200, 304, 404, 500][1 + cityHash64(number, 4) % 8],
  concat('/items/', toString(cityHash64(number, 5) % 5000)), cityHash64(number, 6) % 20000, cityHash64(number, 7) % 60000,
  toUInt32(exp(2 + 4 * (cityHash64(number, 8) % 1000) / 1000)) FROM numbers(${from}, ${rows})`;
}

async function createTable(table: string): Promise<void> {
  await engine.execute(
    `CREATE TABLE bench.${table} (${COLUMNS}) ENGINE = MergeTree PARTITION BY toDate(timestamp) ORDER BY (project, timestamp)`,
  );
}

const INSERTING = 'SETTINGS max_partitions_per_insert_block = 0, max_insert_threads = 1, max_threads = 2';

async function generate(): Promise<void> {
  const known = await askRows(
    engine,
    "SELECT 1 FROM system.tables WHERE database = 'bench' AND name = 'stacked'",
  );
  if (known.length > 0) return;
  await engine.execute('CREATE DATABASE IF NOT EXISTS bench');
  await createTable('requests');
  for (let from = 0; from < TOTAL; from += CHUNK) {
    const rows = Math.min(CHUNK, TOTAL - from);
    await engine.execute(`INSERT INTO bench.requests ${rowsSql(from, rows)} ${INSERTING}`);
    note(`${from + rows} of ${TOTAL} rows`);
  }
  await createTable('filled');
  await engine.execute(
    `INSERT INTO bench.filled SELECT * FROM bench.requests ORDER BY timestamp DESC LIMIT ${FILLED} ${INSERTING}`,
  );
  for (const table of ['plain', 'rolled', 'stacked']) await createTable(table);
}

interface Declared {
  readonly every: string;
  readonly dimensions?: string;
  readonly measures?: string;
}

const DIMENSIONS = 'project, method, status';
const MEASURES = 'count(), sum(bytes), max(ms), uniq(user_id), quantileBFloat16(0.95)(ms)';
const STACKED: Declared = { every: '[1m, 1h, 1d]' };
/** A state of `uniq` has most users in each group, so that fewer groups are what makes it fast. */
const OF_USERS: Declared = { every: '[1h, 1d]', dimensions: 'project', measures: 'uniq(user_id)' };

async function rollupOf(
  table: string,
  { every, dimensions = DIMENSIONS, measures = MEASURES }: Declared,
): Promise<KeptRollup> {
  const file = `rollups:
  - name: ${table}_of_${dimensions.split(', ').length}
    from: bench.${table}
    time: { column: timestamp, every: ${every} }
    dimensions: [${dimensions}]
    measures: [${measures}]
`;
  const [declaration] = readRollupFile('bench.rollup.yaml', file)?.rollups ?? [];
  const resolved = declaration && (await resolveRollup(engine, declaration));
  if (resolved?.plan === undefined) throw new Error(JSON.stringify(resolved?.findings));
  return resolved;
}

async function keep(kept: KeptRollup): Promise<void> {
  for await (const event of keepRollup({ engine, after: REAL_TIME.after }, kept))
    if (event.kind === 'unequal') throw new Error(`${event.days.join()} differ`);
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

function statementOf(sql: string, origin: Statement['origin'] = 'saved'): Statement {
  const limits = { time: 600, memory: 2 ** 33, readRows: 0, resultBytes: 2 ** 28 };
  return { sql, parameters: {}, limits, origin, int64: 'number' };
}

interface Run {
  readonly ms: number;
  readonly rows: string;
  readonly read: NonNullable<Figure['read']>;
}

async function run(statement: Statement): Promise<Run> {
  const started = performance.now();
  let read = { rows: 0, bytes: 0 };
  const { chunks } = await engine.run(statement, {
    format: 'JSONEachRow',
    onRead: (each) => (read = { rows: each.rows, bytes: each.bytes }),
  });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return { ms: performance.now() - started, rows: Buffer.concat(parts).toString(), read };
}

await generate();
const ofRequests = [await rollupOf('requests', STACKED), await rollupOf('requests', OF_USERS)];
const begun = performance.now();
for (const each of ofRequests) await keep(each);
note(`the rollups of ${ROWS} rows filled and compared in ${Math.round(performance.now() - begun)} ms`);
const COUNTS = 'count(), sum(bytes), max(ms)';
const rolled = {
  one: await rollupOf('rolled', { every: '1m', measures: COUNTS }),
  stacked: await rollupOf('stacked', STACKED),
};
await keep(rolled.one);
await keep(rolled.stacked);
const declared = [...ofRequests, rolled.one, rolled.stacked].map(({ plan }) => plan.rollup);
const rollups = createRollupsInUse({
  engine,
  declared: () => declared,
  clock,
  after: REAL_TIME.after,
  observe: () => undefined,
});
await rollups.refresh();
const routing = createRouting({ engine, rollups, observe: ({ kind }) => note(kind) });

async function routed(sql: string): Promise<Statement> {
  const route = await routing.route(statementOf(sql), Date.now());
  if (route?.kind !== 'rollup') throw new Error(`${sql}: ${route?.reason.text ?? 'no rollup'}`);
  return route.statement;
}

async function measure(seconds: number, once: () => Promise<number>): Promise<Figure> {
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end || latencies.length === 0) latencies.push(await once());
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { rate: 1000 / at(0.5), p50: at(0.5), p99: at(0.99) };
}

async function measureQuery(sql: string, seconds: number, isRouted: boolean): Promise<Figure> {
  let last: Run | undefined;
  const figure = await measure(seconds, async () => {
    last = await run(isRouted ? await routed(sql) : statementOf(sql));
    return last.ms;
  });
  return last === undefined ? figure : { ...figure, read: last.read };
}

/** The times of the queries are those of one moment, so that the answers can be compared. */
async function compareAnswers(): Promise<void> {
  const now = Date.now();
  const at = `toDateTime64(${(now / 1000).toFixed(3)}, 6, 'UTC')`;
  for (const { name, sql } of QUERIES) {
    const fixed = sql.replaceAll('now()', at);
    const [direct, ofRollup] = [await run(statementOf(fixed)), await run(await routed(fixed))];
    if (direct.rows !== ofRollup.rows) throw new Error(`${name}: the rows differ`);
  }
}

let next = 0;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The newest rows of the table in files of JSON lines, as a collector sends them. */
async function writeBatches(): Promise<void> {
  const names = 'timestamp, project, method, status, path, user_id, bytes, ms';
  await mkdir(BATCH_FOLDER, { recursive: true });
  for (const rows of BATCHES) {
    const batch = await run(statementOf(`SELECT * FROM (${rowsSql(0, rows)}) AS t (${names})`));
    await writeFile(batchFile(rows), batch.rows);
  }
}

async function insertInto(table: string, rows: number): Promise<number> {
  const from = `file(${quoteString(batchFile(rows))}, JSONEachRow, ${quoteString(COLUMNS)})`;
  return timed(() =>
    engine.execute(
      `INSERT INTO bench.${table} SELECT * FROM ${from} SETTINGS date_time_input_format = 'best_effort'`,
    ),
  );
}

async function fillByHand(into: KeptRollup): Promise<number> {
  const { plan } = into;
  const tables = plan.rollup.tables;
  await dropRollup(engine, plan.rollup, undefined);
  const statements = createStatements(plan).filter((sql) => !sql.includes('MATERIALIZED VIEW'));
  for (const sql of statements) await engine.execute(sql);
  return timed(async () => {
    for (const [index, table] of tables.entries()) {
      const finer = tables[index - 1];
      const rows = finer === undefined ? selectRows(plan) : selectFiner(plan, table.every, finer);
      await engine.execute(`INSERT INTO ${quoteName(table)} ${rows} ${INSERTING}`);
    }
  });
}

async function fill(into: KeptRollup): Promise<number> {
  await dropRollup(engine, into.plan.rollup, undefined);
  return timed(() => keep(into));
}

async function planned(origin: Statement['origin']): Promise<number> {
  const statement = statementOf(PLANNED.replace('#', String(next++)), origin);
  return timed(async () => {
    const route = await routing.route(statement, Date.now());
    if (route?.kind !== 'rollup') throw new Error(route?.reason.text);
  });
}

await compareAnswers();
await writeBatches();
const filled = await rollupOf('filled', STACKED);
const MEASUREMENTS: Record<string, (seconds: number) => Promise<Figure>> = {
  aligned: (seconds) => measureQuery(ALIGNED, seconds, true),
  ragged: (seconds) => measureQuery(RAGGED, seconds, true),
  'fill by hand': () => measure(0, () => fillByHand(filled)),
  fill: () => measure(0, () => fill(filled)),
  'plan saved': (seconds) => measure(seconds, () => planned('saved')),
  'plan consumer': (seconds) => measure(seconds, () => planned('consumer')),
};
for (const rows of BATCHES)
  for (const table of ['plain', 'rolled', 'stacked'])
    MEASUREMENTS[`insert ${rows} ${table}`] = (seconds) => measure(seconds, () => insertInto(table, rows));
for (const { name, sql } of QUERIES) {
  MEASUREMENTS[`${name}, rows`] = (seconds) => measureQuery(sql, seconds, false);
  MEASUREMENTS[`${name}, rollup`] = (seconds) => measureQuery(sql, seconds, true);
}

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { measurement, seconds } = JSON.parse(line) as { measurement: string; seconds: number }; // written by rows/
  process.stdout.write(`${JSON.stringify(await MEASUREMENTS[measurement]?.(seconds))}\n`);
}
rollups.close();
await engine.close(0);
