// The life of rollups on an engine: created, filled while rows are inserted, compared with their sources, and filled again.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRollupFile } from '../../../src/service/endpoints/rollups/read-rollups.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import { ownerOf } from '../../../src/service/engine/embedded/open-error.ts';
import { EngineError, type Engine, type Statement } from '../../../src/service/engine/engine.ts';
import { createRouting } from '../../../src/service/request/rollups/routing.ts';
import { askRows } from '../../../src/service/rollups/ask.ts';
import type { RollupInUse } from '../../../src/guard/rollups/model.ts';
import { keepRollup, type KeptRollup, type RollupEvent } from '../../../src/service/rollups/keep.ts';
import { createRollupsInUse, type RollupsInUse } from '../../../src/service/rollups/coverage.ts';
import { createKeeper } from '../../../src/service/rollups/keeper.ts';
import { createStandingOf } from '../../../src/service/rollups/standing.ts';
import { readStates } from '../../../src/service/rollups/state.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { resolveRollup } from '../../../src/service/rollups/resolve.ts';
import { rollupWork, type RollupAction, type WorkEvent } from '../../../src/service/rollups/work.ts';
import { accessTypes, OUTSIDE_SOURCE_NAMES } from '../../../src/sql/clickhouse/outside-sources.ts';
import { eventually } from '../../support/eventually.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const folder = join(mkdtempSync(join(tmpdir(), 'millrace-')), 'engine');
let engine: Engine;

beforeAll(async () => {
  const sources = accessTypes(OUTSIDE_SOURCE_NAMES);
  const limits = { connections: 4, queue: 100, memory: 2 ** 30 };
  engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path: folder,
    ...limits,
    sources,
    observe: () => undefined,
  });
  await engine.execute('CREATE DATABASE logs');
});

afterAll(() => engine.close(0));

const COLUMNS =
  'timestamp DateTime64(6), project LowCardinality(String), host Nullable(String), bytes UInt32, price Decimal(10, 2), ms Float64, metadata JSON(request.method LowCardinality(String), status UInt16)';

/** A table of its own for a test. */
async function createSource(table: string, rest = ''): Promise<void> {
  await engine.execute(
    `CREATE TABLE logs.${table} (${COLUMNS}) ENGINE = MergeTree PARTITION BY toYYYYMM(timestamp) ORDER BY (project, timestamp)${rest}`,
  );
}

/** Rows of some days that end so many seconds ago. */
function insert(
  table: string,
  { rows, days, ago, seed = 1 }: { rows: number; days: number; ago: number; seed?: number },
): Promise<void> {
  return engine.execute(
    `INSERT INTO logs.${table} SELECT now64(6) - toIntervalSecond(${ago}) - toIntervalMillisecond(toUInt64(number * ${(days * 86_400_000) / rows})), concat('p', toString(number % 7)), if(number % 5 = 0, NULL, concat('h', toString(number % 3))), cityHash64(number, ${seed}) % 10000, number % 97, number / 7, concat('{"request":{"method":"', if(number % 2 = 0, 'GET', 'POST'), '"},"status":', toString(200 + number % 3), '}') FROM numbers(${rows})`,
  );
}

function fileOf(table: string, extra = ''): string {
  return `rollups:
  - name: ${table}_by_minute
    from: logs.${table}
    time: { column: timestamp, every: [1m, 1h, 1d] }
    dimensions: [project, host, metadata.request.method, { failed: "metadata.status >= 201" }]
    measures: [count(), sum(bytes), sum(price), min(host), max(timestamp), uniq(bytes), countIf(bytes > 5000), quantileBFloat16(0.95)(ms), "minIf(bytes, ms > 5)", { aggregate: sum(ms), approximate: true }]
    settle: 5s
${extra}`;
}

async function rollupOf(table: string, extra = ''): Promise<KeptRollup> {
  const file = readRollupFile('logs.rollup.yaml', fileOf(table, extra));
  const [declaration] = file?.rollups ?? [];
  if (declaration === undefined) throw new Error(JSON.stringify(file?.diagnostics));
  const resolved = await resolveRollup(engine, declaration);
  if (resolved.plan === undefined) throw new Error(JSON.stringify(resolved.findings));
  return resolved;
}

async function keep(kept: KeptRollup, onUncovered?: () => Promise<void>): Promise<readonly RollupEvent[]> {
  const events: RollupEvent[] = [];
  for await (const event of keepRollup({ engine, after: REAL_TIME.after, onUncovered }, kept))
    events.push(event);
  return events;
}

function coveredBy(events: readonly RollupEvent[]): { readonly from: number; readonly until: number } {
  const last = events.at(-1);
  if (last?.kind !== 'covered') throw new Error('the last event has the times');
  return last;
}

const ROWS =
  'count() AS a, sum(bytes) AS b, sum(price) AS c, min(host) AS d, max(timestamp) AS e, uniq(bytes) AS f, countIf(bytes > 5000) AS g, quantileBFloat16(0.95)(ms) AS h, minIf(bytes, ms > 5) AS i';
const GROUPS =
  'sum(`count()`) AS a, sum(`sum(bytes)`) AS b, sum(`sum(price)`) AS c, min(`min(host)`) AS d, max(`max(timestamp)`) AS e, uniqMerge(`uniq(bytes)`) AS f, sum(`countIf(bytes > 5000)`) AS g, quantileBFloat16Merge(0.95)(`quantileBFloat16(0.95)(ms)`) AS h, minIfMerge(`minIf(bytes, ms > 5)`) AS i';

/** The groups of each table that differ from those of the rows, within the covered times. */
async function differences(
  { plan: { rollup } }: KeptRollup,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const { table, every } of rollup.tables) {
    const end = until - (until % every);
    const times = `timestamp >= toDateTime(${from}, 'UTC') AND timestamp < toDateTime(${end}, 'UTC')`;
    const bucket = `toUnixTimestamp(timestamp) - toUnixTimestamp(timestamp) % ${every} AS t`;
    const names = 'project, host, method, failed';
    const rows = `SELECT ${bucket}, project, host, metadata.request.method AS method, metadata.status >= 201 AS failed, ${ROWS} FROM logs.${rollup.source.table} WHERE ${times} GROUP BY t, ${names}`;
    const groups = `SELECT ${bucket}, project, host, \`metadata.request.method\` AS method, failed, ${GROUPS} FROM millrace_rollups.${table} WHERE ${times} GROUP BY t, ${names}`;
    found.push(
      ...(await askRows(
        engine,
        `SELECT * FROM (SELECT text, sum(side) AS s FROM (SELECT toString(tuple(*)) AS text, 1 AS side FROM (${rows}) UNION ALL SELECT toString(tuple(*)), -1 FROM (${groups})) GROUP BY text) WHERE s != 0 LIMIT 3`,
      )),
    );
  }
  return found;
}

async function rowsOf(
  table: string,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<number> {
  const [row] = await askRows(
    engine,
    `SELECT count() FROM logs.${table} WHERE timestamp >= toDateTime(${from}, 'UTC') AND timestamp < toDateTime(${until}, 'UTC')`,
  );
  return Number(row?.[0]);
}

test('rows from before and after are covered by all tables', async () => {
  await createSource('plain');
  await insert('plain', { rows: 4000, days: 5, ago: 70 });
  const kept = await rollupOf('plain');
  const events = await keep(kept);
  expect(events.map(({ kind }) => kind)).toEqual(['filled', 'covered']);
  expect(await rowsOf('plain', coveredBy(events))).toBe(4000);
  expect(await differences(kept, coveredBy(events))).toEqual([]);
  await insert('plain', { rows: 1000, days: 4, ago: 70, seed: 2 });
  const later = await keep(kept);
  expect(later.map(({ kind }) => kind)).toEqual(['covered']);
  expect(await rowsOf('plain', coveredBy(later))).toBe(5000);
  expect(await differences(kept, coveredBy(later))).toEqual([]);
});

test('while rows of now are inserted, those of past days are covered', async () => {
  await createSource('busy');
  await insert('busy', { rows: 2000, days: 6, ago: 70 });
  const kept = await rollupOf('busy');
  // No insert of a writer reaches these times: it is in the table before it is in the groups.
  const untilPast = Math.floor(Date.now() / 1000) - 120;
  const past = (covered: ReturnType<typeof coveredBy>): typeof covered => ({
    ...covered,
    until: Math.min(covered.until, untilPast),
  });
  let [isStopped, seed] = [false, 10];
  const writers = Array.from({ length: 2 }, async () => {
    for (; !isStopped; await setTimeout(20))
      await insert('busy', { rows: 20, days: 0.001, ago: 0, seed: ++seed });
  });
  const first = coveredBy(await keep(kept));
  expect(await differences(kept, past(first))).toEqual([]);
  await insert('busy', { rows: 200, days: 6, ago: 70, seed: 1 });
  const second = coveredBy(await keep(kept));
  expect(await differences(kept, past(second))).toEqual([]);
  // A day is filled again: the buckets that rows are inserted into are in the same partition.
  const coarsest = kept.plan.rollup.tables.at(-1)?.table;
  const day = Math.floor(Date.now() / 86_400_000 - 2) * 86_400;
  await engine.execute(
    `ALTER TABLE millrace_rollups.${coarsest} DELETE WHERE timestamp = toDateTime(${day}, 'UTC') SETTINGS mutations_sync = 2`,
  );
  expect(await differences(kept, past(second))).not.toEqual([]);
  let uncovered = 0;
  const third = coveredBy(await keep(kept, () => Promise.resolve(void uncovered++)));
  expect(uncovered).toBeGreaterThan(0);
  expect(await differences(kept, past(third))).toEqual([]);
  isStopped = true;
  await Promise.all(writers);
  const last = coveredBy(await keep(kept));
  expect(await differences(kept, last)).toEqual([]);
  for (const { from, until } of [first, second, third, last])
    expect(until - from).toBeGreaterThan(4 * 86_400);
});

test('inserts that are sent again count once', async () => {
  await createSource('again', ' SETTINGS non_replicated_deduplication_window = 100');
  const kept = await rollupOf('again');
  await keep(kept);
  const row =
    "INSERT INTO logs.again (timestamp, project) SETTINGS insert_deduplication_token = 'TOKEN' VALUES (now64(6) - 100, 'p1')";
  for (const token of ['a', 'a', 'b', 'b', 'a']) await engine.execute(row.replace('TOKEN', token));
  for (const { table } of kept.plan.rollup.tables)
    expect(await askRows(engine, `SELECT sum(\`count()\`) FROM millrace_rollups.${table}`)).toEqual([['2']]);
});

test('a fill that is killed goes on where it was', async () => {
  await createSource('killed');
  await insert('killed', { rows: 50_000, days: 4, ago: 70 });
  const kept = await rollupOf('killed');
  const staging = (): Promise<readonly (readonly string[])[]> =>
    askRows(engine, "SELECT name FROM system.tables WHERE name LIKE 'killed%staging'");
  const filling = keep(kept).catch((cause: unknown) => cause);
  await eventually(async () => expect(await staging()).not.toEqual([]));
  process.kill(ownerOf(folder) ?? 0, 'SIGKILL');
  expect(await filling).toBeInstanceOf(EngineError);
  const events = await eventually(() => keep(kept));
  expect(await staging()).toEqual([]);
  expect(await rowsOf('killed', coveredBy(events))).toBe(50_000);
  expect(await differences(kept, coveredBy(events))).toEqual([]);
});

test.each([
  ['deleted', "ALTER TABLE logs.NAME DELETE WHERE project = 'p3' SETTINGS mutations_sync = 2"],
  ['lightly deleted', 'DELETE FROM logs.NAME WHERE bytes < 300'],
  [
    'updated',
    "ALTER TABLE logs.NAME UPDATE bytes = bytes + 1 WHERE project = 'p2' SETTINGS mutations_sync = 2",
  ],
  [
    'updated and deleted at once',
    "ALTER TABLE logs.NAME UPDATE bytes = bytes + 1 WHERE project = 'p2', DELETE WHERE project = 'none' SETTINGS mutations_sync = 2",
  ],
  ['dropped', "ALTER TABLE logs.NAME DROP PARTITION ID 'all'"],
  [
    'truncated and inserted',
    "TRUNCATE TABLE logs.NAME; INSERT INTO logs.NAME (timestamp, project) SELECT now64(6) - toIntervalHour(number), 'p1' FROM numbers(100)",
  ],
])('rows that are %s are followed', async (how, sql) => {
  const table = how.replaceAll(' ', '_');
  await engine.execute(
    `CREATE TABLE logs.${table} (${COLUMNS}) ENGINE = MergeTree ORDER BY (project, timestamp)`,
  );
  await insert(table, { rows: 2000, days: 3, ago: 70 });
  const kept = await rollupOf(table);
  await keep(kept);
  await engine.execute(sql.replaceAll('NAME', table));
  const events = await keep(kept);
  expect(await differences(kept, coveredBy(events))).toEqual([]);
  expect(await rowsOf(table, coveredBy(events))).toBe(
    await rowsOf(table, { from: 0, until: coveredBy(events).until }),
  );
});

test('rows that a mutation changed before it was killed are followed', async () => {
  await engine.execute(
    `CREATE TABLE logs.stuck (${COLUMNS}) ENGINE = MergeTree PARTITION BY toDate(timestamp) ORDER BY (project, timestamp)`,
  );
  await insert('stuck', { rows: 500, days: 3, ago: 70 });
  const kept = await rollupOf('stuck');
  await keep(kept);
  await engine.execute(
    'ALTER TABLE logs.stuck UPDATE bytes = bytes + 1 + throwIf(toDate(timestamp) = (SELECT max(toDate(timestamp)) FROM logs.stuck)) WHERE true SETTINGS mutations_sync = 0',
  );
  await eventually(async () => {
    const sql =
      "SELECT count() > 1 FROM system.parts WHERE active AND table = 'stuck' AND data_version > max_block_number";
    expect(await askRows(engine, sql)).toEqual([['1']]);
  });
  await engine.execute("KILL MUTATION WHERE table = 'stuck' SYNC");
  expect(await usedOf('stuck')).toEqual([]);
  const covered = coveredBy(await keep(kept));
  expect(await usedOf('stuck')).toHaveLength(1);
  expect(await differences(kept, covered)).toEqual([]);
  await keep(kept);
  expect(await usedOf('stuck')).toHaveLength(1);
});

test('rows that change after a rollup was created and before it is filled are followed', async () => {
  await createSource('early');
  const file = fileOf('early');
  await work(file, 'apply');
  await insert('early', { rows: 500, days: 3, ago: 70 });
  await engine.execute(
    'ALTER TABLE logs.early UPDATE bytes = bytes + 1 WHERE true SETTINGS mutations_sync = 2',
  );
  const kept = await rollupOf('early');
  const covered = coveredBy(await keep(kept));
  expect(await usedOf('early')).toHaveLength(1);
  expect(await rowsOf('early', covered)).toBe(500);
  expect(await differences(kept, covered)).toEqual([]);
});

test('a clock that was ahead covers no buckets that are not settled, and its comparison is not relied on', async () => {
  await createSource('ahead');
  await insert('ahead', { rows: 500, days: 3, ago: 70 });
  const { until } = coveredBy(await keep(await rollupOf('ahead')));
  const state = (await readStates(engine)).find(({ rollup }) => rollup.source.table === 'ahead');
  if (state === undefined) throw new Error('it was kept');
  const at = (seconds: number) => createStandingOf(engine)(state, seconds * 1000);
  expect(await at(until + 3600)).toEqual({ from: state.from, until });
  expect(await at(until - 3600)).toEqual({ from: state.from, until: until - 3660 });
  expect(await at(until - 86_400 * 2)).toHaveProperty('reason');
});

test.each([
  ['default', "host String DEFAULT 'b'"],
  ['type', 'bytes UInt64'],
])('another %s of a column is followed', async (what, column) => {
  const table = `other_${what}`;
  await createSource(table);
  await insert(table, { rows: 500, days: 3, ago: 70 });
  // Stored rows have no value of it.
  await engine.execute(`ALTER TABLE logs.${table} DROP COLUMN host SETTINGS mutations_sync = 2`);
  await engine.execute(`ALTER TABLE logs.${table} ADD COLUMN host String DEFAULT 'a'`);
  const kept = await rollupOf(table);
  await keep(kept);
  await engine.execute(`ALTER TABLE logs.${table} MODIFY COLUMN ${column} SETTINGS mutations_sync = 2`);
  const state = (await readStates(engine)).find(({ rollup }) => rollup.source.table === table);
  expect(state && (await createStandingOf(engine)(state, Date.now()))).toHaveProperty('reason');
  const again = await rollupOf(table);
  const covered = coveredBy(await keep(again));
  expect(await differences(again, covered)).toEqual([]);
  expect(await rowsOf(table, covered)).toBe(500);
  for (const each of again.plan.rollup.tables) {
    const name = `millrace_rollups.${each.table}`;
    const types = `SELECT name, type FROM system.columns WHERE concat(database, '.', table) = '${name}'`;
    const columns = Object.fromEntries((await askRows(engine, types)) as [string, string][]); // names and types
    expect(columns).toMatchObject({
      host: 'String',
      'uniq(bytes)': what === 'type' ? 'AggregateFunction(uniq, UInt64)' : 'AggregateFunction(uniq, UInt32)',
    });
  }
});

const OTHERS =
  "INSERT INTO logs.other_NAME (timestamp, project, bytes) SELECT now64(6) - toIntervalHour(number), 'p1', 1 FROM numbers(60)";
const PARTITIONS = "SELECT DISTINCT partition_id FROM system.parts WHERE active AND table = 'other_NAME'";
/** For each partition of the other table. */
const EACH = (sql: string): string => `EACH ${sql}`;

test.each([
  ['attached from a table', EACH("ALTER TABLE logs.NAME ATTACH PARTITION ID 'P' FROM logs.other_NAME")],
  [
    'put in place of as many',
    'INSERT INTO logs.other_NAME SELECT * REPLACE (bytes + 1 AS bytes) FROM logs.NAME; TRUNCATE TABLE logs.other_NAME; INSERT INTO logs.other_NAME SELECT * REPLACE (bytes + 1 AS bytes) FROM logs.NAME',
    EACH("ALTER TABLE logs.NAME REPLACE PARTITION ID 'P' FROM logs.other_NAME"),
  ],
  ['exchanged with those of a table', 'EXCHANGE TABLES logs.NAME AND logs.other_NAME'],
  [
    'in a table that takes over the name',
    'RENAME TABLE logs.NAME TO logs.old_NAME, logs.other_NAME TO logs.NAME',
    'INSERT INTO logs.NAME SELECT * FROM logs.old_NAME',
  ],
  [
    'inserted while a view is detached',
    'DETACH TABLE millrace_rollups.VIEW',
    'INSERT INTO logs.NAME SELECT * FROM logs.other_NAME',
    'ATTACH TABLE millrace_rollups.VIEW',
  ],
])('rows that are %s are read from the table, and then filled', async (how, ...statements) => {
  const table = how.replaceAll(' ', '_');
  for (const each of [table, `other_${table}`])
    await engine.execute(
      `CREATE TABLE logs.${each} (${COLUMNS}) ENGINE = MergeTree PARTITION BY toYYYYMM(timestamp) ORDER BY (project, timestamp)`,
    );
  await insert(table, { rows: 500, days: 3, ago: 70 });
  const kept = await rollupOf(table);
  const { tables } = kept.plan.rollup;
  const named = (sql: string): string =>
    sql.replaceAll(/(?<=[._])NAME/g, table).replaceAll('VIEW', `\`${tables[0]?.table ?? ''}_view\``);
  await engine.execute(named(OTHERS));
  await keep(kept);
  expect(await usedOf(table)).toHaveLength(1);
  for (const sql of statements) {
    const ids = sql.startsWith('EACH ') ? await askRows(engine, named(PARTITIONS)) : [['']];
    for (const [id = ''] of ids)
      await engine.execute(named(sql.replace('EACH ', '')).replace("'P'", `'${id}'`));
  }
  const seconds = (micros: bigint): number => Number(micros / 1_000_000n);
  const wrong = async (): Promise<readonly unknown[]> => {
    const all = await usedOf(table);
    const found = all.map(({ coverage: { from, until } }) =>
      differences(kept, { from: seconds(from), until: seconds(until) }),
    );
    return (await Promise.all(found)).flat();
  };
  expect(await wrong()).toEqual([]);
  await engine.execute(named('DROP TABLE IF EXISTS logs.old_NAME SYNC'));
  await keep(kept);
  expect(await usedOf(table)).toHaveLength(1);
  expect(await wrong()).toEqual([]);
  await insert(table, { rows: 100, days: 3, ago: 70, seed: 3 });
  expect(await wrong()).toEqual([]);
  expect(await usedOf(table)).toHaveLength(1);
});

test('a source whose rows expire covers the days that lose none, and its rollup keeps the others', async () => {
  await createSource('expiring', ' TTL toDateTime(timestamp) + toIntervalDay(30)');
  await insert('expiring', { rows: 4000, days: 20, ago: 70 });
  const kept = await rollupOf('expiring', '    keep: 100d');
  const before = coveredBy(await keep(kept));
  const counted = `SELECT sum(\`count()\`) FROM millrace_rollups.${kept.plan.rollup.tables[2]?.table}`;
  expect(await askRows(engine, counted)).toEqual([['4000']]);
  await engine.execute('ALTER TABLE logs.expiring MODIFY TTL toDateTime(timestamp) + toIntervalDay(10)');
  await engine.execute('OPTIMIZE TABLE logs.expiring FINAL');
  const expired = await rollupOf('expiring', '    keep: 100d');
  const after = coveredBy(await keep(expired));
  expect(after.from - before.from).toBeGreaterThan(8 * 86_400);
  expect(await differences(expired, after)).toEqual([]);
  expect(Number((await askRows(engine, counted))[0]?.[0])).toBeGreaterThan(3800);
});

const SOURCES = `
CREATE TABLE logs.fine (t DateTime64(3), n Nullable(DateTime), d Date, project String, f Float64, x UInt32, j JSON) ENGINE = MergeTree ORDER BY (project, t);
CREATE TABLE logs.replacing (t DateTime, project String) ENGINE = ReplacingMergeTree ORDER BY t;
CREATE TABLE logs.memory (t DateTime, project String) ENGINE = Memory;
CREATE TABLE logs.grouping (t DateTime, project String, x UInt32) ENGINE = MergeTree ORDER BY (project, t) TTL t + INTERVAL 1 DAY GROUP BY project SET x = max(x);
CREATE TABLE logs.partly (t DateTime, project String) ENGINE = MergeTree ORDER BY t TTL t + INTERVAL 1 DAY DELETE WHERE project = 'a';
CREATE TABLE logs.moving (t DateTime, project String) ENGINE = MergeTree ORDER BY t TTL t + INTERVAL 1 DAY RECOMPRESS CODEC(ZSTD(9)), t + INTERVAL 90 DAY;
CREATE TABLE logs.forgetful (t DateTime, project String, note String TTL t + INTERVAL 1 DAY) ENGINE = MergeTree ORDER BY t;
CREATE TABLE default.unidentified (t DateTime, project String) ENGINE = MergeTree ORDER BY t;
CREATE VIEW logs.viewed AS SELECT t, project FROM logs.fine`;

test('the engine checks sources, columns and types, each at its place', async () => {
  for (const sql of SOURCES.split(';\n')) await engine.execute(sql);
  const cases: readonly (readonly [
    table: string,
    time: string,
    dimension: string,
    measure: string,
    finding?: string,
  ])[] = [
    ['fine', 't', 'project', 'sum(x)'],
    ['fine', 't', "{ m: 'j.a.:String' }", 'sum(x)'],
    ['moving', 't', 'project', 'count()'],
    ['nothing', 't', 'project', 'sum(x)', '3:11 rollup.source'],
    ['replacing', 't', 'project', 'count()', '3:11 rollup.source'],
    ['memory', 't', 'project', 'count()', '3:11 rollup.source'],
    ['grouping', 't', 'project', 'count()', '3:11 rollup.source'],
    ['partly', 't', 'project', 'count()', '3:11 rollup.source'],
    ['forgetful', 't', 'project', 'count()', '3:11 rollup.source'],
    ['viewed', 't', 'project', 'count()', '3:11 rollup.source'],
    ['default.unidentified', 't', 'project', 'count()', '3:11 rollup.source'],
    ['fine', 'u', 'project', 'sum(x)', '4:21 rollup.column'],
    ['fine', 'n', 'project', 'sum(x)', '4:21 rollup.time'],
    ['fine', 'd', 'project', 'sum(x)', '4:21 rollup.time'],
    ['fine', 't', 'host', 'sum(x)', '5:18 rollup.column'],
    ['fine', 't', 'f', 'sum(x)', '5:18 rollup.dimension_type'],
    ['fine', 't', 'j.a', 'sum(x)', '5:18 rollup.dimension_type'],
    ['fine', 't', 'project', 'sum(y)', '6:16 rollup.column'],
    ['fine', 't', 'project', 'sum(project)', '6:16 rollup.column'],
    ['fine', 't', 'project', 'sum(f)', '6:16 rollup.not_exact'],
    ['fine', 't', 'project', 'quantile(0.5)(x)', '6:16 rollup.not_exact'],
    ['fine', 't', 'project', 'min(f)', '6:16 rollup.not_exact'],
    ['fine', 't', 'project', '{ aggregate: min(f), approximate: true }'],
  ];
  for (const [table, time, dimension, measure, finding] of cases) {
    const text = `rollups:
  - name: a
    from: ${table.includes('.') ? table : `logs.${table}`}
    time: { column: ${time}, every: 1m }
    dimensions: [${dimension}]
    measures: [${measure}]
`;
    const [declaration] = readRollupFile('a.rollup.yaml', text)?.rollups ?? [];
    if (declaration === undefined) throw new Error(text);
    const { findings } = await resolveRollup(engine, declaration);
    const found = findings.map(({ line, column, code }) => `${line}:${column} ${code}`);
    expect([text, ...found]).toEqual(finding === undefined ? [text] : [text, finding]);
  }
});

async function work(
  file: string,
  action: RollupAction,
  ...names: readonly string[]
): Promise<readonly WorkEvent[]> {
  const declared = readRollupFile('a.rollup.yaml', file)?.rollups ?? [];
  const deps = { engine, after: REAL_TIME.after, declared };
  const events: WorkEvent[] = [];
  for await (const event of rollupWork(deps, { action, names, cluster: undefined })) events.push(event);
  return events;
}

/** The rollups of a table that queries read now, and why they do not read the others. */
async function currentOf(table: string, version = ''): Promise<RollupsInUse> {
  const source = { database: 'logs', table };
  const rollups = createRollupsInUse({
    engine,
    declared: () => [{ name: `${table}_by_minute`, version, source }],
    clock: { monotonic: () => 0 },
    after: () => () => undefined,
    observe: () => undefined,
  });
  await rollups.refresh();
  rollups.close();
  return rollups;
}

async function usedOf(table: string, version?: string): Promise<readonly RollupInUse[]> {
  return (await currentOf(table, version)).of({ database: 'logs', table }, 'saved');
}

test('a changed rollup is a version beside the one in use, until it is equal to its rows', async () => {
  await createSource('changed');
  await insert('changed', { rows: 2000, days: 2, ago: 120 });
  const before = fileOf('changed');
  const now = before.replace('project, host', 'project');
  const [one, two] = [before, now].map(
    (text) => readRollupFile('a.rollup.yaml', text)?.rollups?.[0]?.rollup.version ?? '',
  );
  const inUse = async (version: string | undefined): Promise<readonly string[]> =>
    (await usedOf('changed', version)).map(({ rollup }) => rollup.version);
  expect(await inUse(one)).toEqual([]);
  const planned = await work(before, 'plan');
  expect(planned.map((each) => 'text' in each && each.text)).toEqual([
    ...Array(8).fill(expect.stringMatching(/^CREATE /)),
    ...Array(3).fill(expect.stringMatching(/^-- buckets of \d+ s: \d+ groups for \d+ rows/)),
  ]);
  expect((await work(before, 'status'))[0]).toMatchObject({ text: expect.stringContaining('not applied') });
  await work(before, 'apply');
  expect(await inUse(one)).toEqual([]);
  await work(before, 'backfill');
  expect(await inUse(one)).toEqual([one]);
  await work(now, 'apply');
  expect(await inUse(two)).toEqual([one]);
  await work(now, 'backfill');
  expect(await inUse(two)).toEqual([two]);
  const [{ size } = {}] = await usedOf('changed', two);
  expect(size?.ofSource).toBe(2000);
  const rows = [...(size?.ofTables.values() ?? [])].toSorted((a, b) => b - a); // of minutes, hours and days
  expect([rows.length, rows[0] !== rows[2], rows[2] !== 0]).toEqual([3, true, true]);
  // A rollup is not used until it is known to match its changed source.
  await engine.execute(
    "ALTER TABLE logs.changed UPDATE bytes = 1 WHERE project = 'p1' SETTINGS mutations_sync = 2",
  );
  expect(await inUse(two)).toEqual([]);
  await work(now, 'backfill');
  expect(await inUse(two)).toEqual([two]);
  const status = await work(now, 'status');
  expect(status.map((each) => 'text' in each && each.text)).toEqual([
    expect.stringMatching(`^changed_by_minute@${two}: equal to its rows`),
    ...status.slice(1).map(() => expect.stringMatching('in no file|replaced by')),
  ]);
  await work(now, 'drop', `changed_by_minute@${one}`);
  expect(await inUse(two)).toEqual([two]);
  await work(now, 'drop', 'changed_by_minute');
  expect(await inUse(two)).toEqual([]);
  expect(
    await askRows(
      engine,
      "SELECT name FROM system.tables WHERE database = 'millrace_rollups' AND name LIKE 'changed%'",
    ),
  ).toEqual([]);
});

test('a rollup whose measures differ is not used until it is filled again', async () => {
  await createSource('damaged');
  await insert('damaged', { rows: 5000, days: 2, ago: 120 });
  const file = fileOf('damaged');
  const [{ rollup } = { rollup: undefined }] = readRollupFile('a.rollup.yaml', file)?.rollups ?? [];
  await work(file, 'backfill');
  for (const { table } of rollup?.tables ?? [])
    await engine.execute(
      `ALTER TABLE millrace_rollups.${table} UPDATE \`sum(bytes)\` = \`sum(bytes)\` + 1 WHERE true SETTINGS mutations_sync = 2`,
    );
  const textOf = (event: WorkEvent | undefined): string =>
    event !== undefined && 'text' in event ? event.text : '';
  await keep(await rollupOf('damaged'));
  expect(textOf((await work(file, 'status'))[0])).toContain('not used: measures of');
  await keep(await rollupOf('damaged'));
  expect(textOf((await work(file, 'status'))[0])).toContain('not used: measures of');
  expect(textOf((await work(file, 'backfill')).at(-1))).toContain('equal to its rows');
  expect(textOf((await work(file, 'status'))[0])).toContain('equal to its rows');
});

test('a keeper creates, keeps and replaces rollups in development, and elsewhere keeps those that were applied', async () => {
  await createSource('kept');
  await insert('kept', { rows: 2000, days: 2, ago: 120 });
  const [before, now] = [fileOf('kept'), fileOf('kept').replace('project, host', 'project')];
  let declared = readRollupFile('a.rollup.yaml', before)?.rollups ?? [];
  const observed: Observation[] = [];
  const keeperOf = (creates: boolean) =>
    createKeeper({
      engine,
      declared: () => declared,
      creates,
      onKept: () => Promise.resolve(),
      observe: (each) => observed.push(each),
      clock: { monotonic: () => 0 },
      after: (ms, call) => (ms < 5000 ? REAL_TIME.after(ms, call) : () => undefined), // no round begins by itself
    });
  const versions = async (): Promise<readonly string[]> =>
    (await readStates(engine)).flatMap(({ rollup }) =>
      rollup.name === 'kept_by_minute' ? [rollup.version] : [],
    );
  const [serving, development] = [keeperOf(false), keeperOf(true)];
  await serving.keep();
  expect(await versions()).toEqual([]);
  await development.keep();
  expect(await versions()).toEqual([declared[0]?.rollup.version]);
  declared = readRollupFile('a.rollup.yaml', now)?.rollups ?? [];
  await development.keep();
  expect(await versions()).toEqual([declared[0]?.rollup.version]);
  await engine.execute("ALTER TABLE logs.kept DELETE WHERE project = 'p1' SETTINGS mutations_sync = 2");
  await serving.keep();
  expect(observed.map(({ kind }) => kind)).toEqual(Array(3).fill('rollup.filled'));
  declared = readRollupFile('a.rollup.yaml', now.replace('sum(bytes)', 'sum(nothing)'))?.rollups ?? [];
  await development.keep();
  expect(observed.at(-1)).toMatchObject({
    kind: 'rollup.rejected',
    diagnostics: [{ code: 'rollup.column' }],
  });
  for (const each of [serving, development]) each.close();
});

const SQL = 'SELECT project, count() AS n FROM logs.routed GROUP BY project';
const statementOf = (sql: string, origin: Statement['origin']): Statement => ({
  sql,
  parameters: {},
  limits: { time: 10, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 20 },
  origin,
  int64: 'number',
});

describe('routing', () => {
  let rollups: RollupsInUse;
  const observed: Observation[] = [];
  const observe = (each: Observation): void => void observed.push(each);
  beforeAll(async () => {
    await createSource('routed');
    await insert('routed', { rows: 100, days: 2, ago: 70 });
    await keep(await rollupOf('routed'));
    rollups = await currentOf('routed');
  });

  test('a failure of the engine is not remembered', async () => {
    let isUp = false;
    const run: Engine['run'] = (...given) =>
      isUp ? engine.run(...given) : Promise.reject(new EngineError('unavailable', 'it is restarted'));
    const { route } = createRouting({ engine: { ...engine, run }, rollups, observe });
    const rows = { kind: 'rows', rollup: 'routed_by_minute' };
    expect(await route(statementOf(SQL, 'consumer'), 0)).toMatchObject(rows);
    isUp = true;
    expect(await route(statementOf(SQL, 'consumer'), 0)).toMatchObject({
      ...rows,
      kind: 'rollup',
      isExact: true,
    });
    const ofFloat = statementOf(SQL.replace('count()', 'sum(ms)'), 'saved');
    expect(await route(ofFloat, 0)).toMatchObject({ kind: 'rollup', isExact: false });
    expect(observed).toEqual([]);
  });

  test('what fails in it reads rows, and is reported', async () => {
    const cause = new RangeError('Maximum call stack size exceeded');
    const failing = {
      ...rollups,
      of: () => {
        throw cause;
      },
    };
    const { route } = createRouting({ engine, rollups: failing, observe });
    expect(await route(statementOf(SQL, 'saved'), 0)).toMatchObject({
      kind: 'rows',
      rollup: 'routed_by_minute',
    });
    expect(observed).toEqual([{ kind: 'rollup.not_routed', cause }]);
  });

  test('routes are remembered by the size of both statements', async () => {
    let asked = 0;
    const counting = {
      ...rollups,
      of: (...given: Parameters<RollupsInUse['of']>) => {
        asked++;
        return rollups.of(...given);
      },
    };
    const { route } = createRouting({ engine, rollups: counting, observe });
    const cost = async (index: number): Promise<number> => {
      const before = asked;
      await route(
        statementOf(`${SQL} HAVING n != ${index} AND project != '${'x'.repeat(5000)}'`, 'saved'),
        0,
      );
      return asked - before;
    };
    const first = await cost(0);
    expect(await cost(0)).toBeLessThan(first);
    // All statements fit, but not with their routes.
    for (let index = 1; index < 600; index++) await cost(index);
    expect(await cost(0)).toBe(first);
  });
});
