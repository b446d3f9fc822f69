// Times in strings, as people write them, compared with columns of dates and times: by every operator, in every dialect, with
// the sort key and without.
import { REAL_TIME } from '../../support/real-time.ts';
import { some } from '../../support/runs.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import { EngineError, type Engine, type Statement } from '../../../src/service/engine/engine.ts';
import { readRows } from '../../../src/service/engine/rows.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { type PlanWith, planWith } from '../../support/plan-with.ts';

/** Rows of every table: id and microseconds since midnight of 2026-11-19 in UTC; days in the tables of dates. */
const ROWS: readonly (readonly [id: number, micros: number])[] = [
  [1, -7_200_000_000],
  [2, -3_600_000_000],
  [3, 0],
  [4, 500],
  [5, 123_000],
  [6, 123_456],
  [7, 3_600_000_000],
  [8, 7_200_000_000],
  [9, 86_400_000_000],
];

interface Column {
  readonly type: string;
  /** Microseconds that one unit of the type holds. */
  readonly unit: number;
  /** Microseconds to add to a time without an offset: the zone of the column. */
  readonly zone?: number;
}

/** Tables with a column `ts` of that type, which is the sort key unless the name ends in `_free`. */
const COLUMNS: Readonly<Record<string, Column>> = {
  micros: { type: 'DateTime64(6)', unit: 1 },
  micros_free: { type: 'DateTime64(6)', unit: 1 },
  millis: { type: "DateTime64(3, 'UTC')", unit: 1000 },
  seconds: { type: 'DateTime', unit: 1_000_000 },
  seconds_free: { type: 'DateTime', unit: 1_000_000 },
  days: { type: 'Date', unit: 86_400_000_000 },
  days_free: { type: 'Date', unit: 86_400_000_000 },
  wide_days: { type: 'Date32', unit: 86_400_000_000 },
  zoned: { type: "DateTime64(6, 'Europe/Berlin')", unit: 1, zone: -3_600_000_000 },
  zoned_seconds: { type: "DateTime('Asia/Kolkata')", unit: 1_000_000, zone: -19_800_000_000 },
  optional: { type: 'Nullable(DateTime64(6))', unit: 1 },
};
const TABLES = Object.keys(COLUMNS);

const held = (table: string, micros: number): number => {
  const { unit } = COLUMNS[table] ?? { unit: 1 };
  return Math.floor(micros / unit) * unit;
};

const folder = mkdtempSync(join(tmpdir(), 'millrace-times-'));
let engine: Engine;
let plan: PlanWith;
let endpoint: Endpoint;

beforeAll(async () => {
  const observe = (): void => undefined;
  engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path: folder,
    connections: 2,
    queue: 10,
    memory: 2 ** 31,
    observe,
  });
  await engine.execute('CREATE DATABASE times');
  for (const [table, { type }] of Object.entries(COLUMNS)) {
    const key = table.endsWith('_free') ? 'id' : 'ts';
    await engine.execute(`CREATE TABLE times.${table} (project String, id UInt32, ts ${type}, text String)
      ENGINE = MergeTree ORDER BY (project, ${key}) SETTINGS index_granularity = 2, allow_nullable_key = 1`);
    const rows = ROWS.map(([id, micros]) => {
      const time = `toDateTime64('2026-11-19 00:00:00', 6, 'UTC') + toIntervalMicrosecond(${held(table, micros)})`;
      return `SELECT 'mine', ${id}, ${time}, '2026-11-19T00:00:00Z' UNION ALL SELECT 'other', ${id}, ${time}, ''`;
    });
    await engine.execute(`INSERT INTO times.${table} ${rows.join(' UNION ALL ')}`);
  }
  const describing = createDescribe(engine);
  plan = planWith({ sandboxes: createSandboxes(engine, describing), describe: describing });
  const elements = TABLES.map(
    (table) => `${table} AS (SELECT id, ts, text FROM times.${table} WHERE project = @project)`,
  );
  const { candidate, diagnostics } = createCompile({ piiHashKey: undefined })(
    'times.yaml',
    `id: 00000000-0000-4000-8000-000000000022
name: times
query: |
  WITH ${elements.join(', ')} SELECT id FROM micros
parameters:
  project: { type: String, required: true }
sandbox: { enabled: true, dialects: [clickhouse, bigquery] }
`,
  );
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  endpoint = candidate.endpoint;
});
afterAll(async () => {
  await engine.close(0);
  rmSync(folder, { recursive: true, force: true });
});

async function statementOf(text: string, dialect?: 'clickhouse' | 'bigquery'): Promise<Statement> {
  const bindings = endpoint.binder.bind(new Map([['project', ['mine']]]), 0);
  const language = /^(?:SELECT|WITH)/i.test(text) ? 'sql' : 'lql';
  return (await plan(endpoint, bindings, { language, dialect, text }, false)).statement;
}

async function run(statement: Statement): Promise<readonly (readonly unknown[])[]> {
  return (await readRows(engine, statement.sql, statement)) as readonly (readonly unknown[])[]; // arrays of values
}

const rowsOf = async (text: string, dialect: 'clickhouse' | 'bigquery' = 'clickhouse') =>
  run(await statementOf(text, dialect));

/** A string, the nanoseconds since midnight that it means, and whether it has an offset. */
const WRITTEN: readonly (readonly [text: string, nanos: bigint, offset: boolean])[] = [
  ['2026-11-19T00:00:00.000Z', 0n, true],
  ['2026-11-19T00:00:00Z', 0n, true],
  ['2026-11-19T02:00:00+02:00', 0n, true],
  ['2026-11-19T02:00:00.0000+02', 0n, true],
  ['2026-11-18 18:30:00-0530', 0n, true],
  ['2026-11-19 00:00:00 UTC', 0n, true],
  ['2026-11-19T00:00Z', 0n, true],
  ['2026-11-19t01:00:00z', 3_600_000_000_000n, true],
  ['2026-11-19T00:00:00.123Z', 123_000_000n, true],
  ['2026-11-19T00:00:00.1234Z', 123_400_000n, true],
  ['2026-11-19T00:00:00.123456Z', 123_456_000n, true],
  ['2026-11-19T00:00:00.123456000Z', 123_456_000n, true],
  ['2026-11-19T00:00:00.123456789Z', 123_456_789n, true],
  ['2026-11-20T00:00:00Z', 86_400_000_000_000n, true],
  ['2026-11-19T00:00:00', 0n, false],
  ['2026-11-19 00:00:00', 0n, false],
  ['2026-11-19 00:00', 0n, false],
  ['2026-11-19T00:00', 0n, false],
  ['2026-11-19 01:00:00.000', 3_600_000_000_000n, false],
  ['2026-11-19 00:00:00.0005', 500_000n, false],
  ['2026-11-19T00:00:00.5', 500_000_000n, false],
];

const OPERATORS: readonly (readonly [sql: string, holds: (row: bigint, time: bigint) => boolean])[] = [
  ['ts = $', (row, time) => row === time],
  ['ts != $', (row, time) => row !== time],
  ['ts < $', (row, time) => row < time],
  ['ts <= $', (row, time) => row <= time],
  ['ts > $', (row, time) => row > time],
  ['ts >= $', (row, time) => row >= time],
  ['$ < ts', (row, time) => row > time],
  ['$ = ts', (row, time) => row === time],
  ['ts BETWEEN $ AND $', (row, time) => row === time],
  ['ts NOT BETWEEN $ AND $', (row, time) => row !== time],
  ['ts IN ($)', (row, time) => row === time],
  ["ts IN ($, '2026-11-18T22:00:00Z')", (row, time) => row === time || row === -7_200_000_000_000n],
  ['ts NOT IN ($)', (row, time) => row !== time],
  ['ts IN [$]', (row, time) => row === time],
  ['(ts, id) >= ($, 0)', (row, time) => row >= time],
  ['(ts, id) IN (($, 3), ($, 4), ($, 5), ($, 6), ($, 7))', (row, time) => row === time],
];

const NEVER: Operator = ['0 = 1', () => false];

/** Tuples with ids have only these. */
const isListed = (sql: string, id: number): boolean => !sql.startsWith('(ts, id) IN') || (id >= 3 && id <= 7);

type Operator = (typeof OPERATORS)[number];
type Written = (typeof WRITTEN)[number];

function expected(table: string, [sql, holds]: Operator, [, nanos, hasOffset]: Written): readonly number[] {
  const zone = hasOffset ? 0 : (COLUMNS[table]?.zone ?? 0);
  const time = nanos + BigInt(zone) * 1000n;
  return ROWS.filter(
    ([id, micros]) => holds(BigInt(held(table, micros)) * 1000n, time) && isListed(sql, id),
  ).map(([id]) => id);
}

/** `ts >= '…'`, and the ids of the rows for which it holds. */
interface Condition {
  readonly sql: string;
  readonly ids: readonly number[];
}

const conditionOf = (table: string, operator: Operator, written: Written): Condition => ({
  sql: operator[0].replaceAll('$', `'${written[0]}'`),
  ids: expected(table, operator, written),
});

describe('every operator and every form', () => {
  test.each(['micros', 'seconds', 'days', 'zoned', 'optional'])('as values of %s', async (table) => {
    // An eighth of the combinations, all of them with `npm run test:all`.
    const isAll = process.env['FUZZ_CASES'] !== undefined;
    const all = WRITTEN.flatMap((each, row) =>
      OPERATORS.filter((_, index) => isAll || (row + index) % 8 === 0).map((operator) =>
        conditionOf(table, operator, each),
      ),
    );
    for (let from = 0; from < all.length; from += 64) {
      const part = all.slice(from, from + 64);
      const list = part.map(({ sql }, index) => `arraySort(groupArrayIf(id, ${sql})) AS c${index}`);
      const [row = []] = await rowsOf(`SELECT ${list.join(', ')} FROM ${table}`);
      expect(part.map(({ sql }, index) => ({ sql, ids: row[index] }))).toEqual(part);
    }
  });

  test.each(TABLES)('as conditions on %s', async (table) => {
    // With one operator each, with two with `npm run test:all`.
    const shifts = some([0, 5], 2).map((shift) => shift + TABLES.indexOf(table));
    const all = WRITTEN.flatMap((each, index) =>
      shifts.flatMap((shift) =>
        conditionOf(table, OPERATORS[(index + shift) % OPERATORS.length] ?? NEVER, each),
      ),
    );
    const rows = await rowsOf(
      all
        .map(({ sql }, n) => `SELECT ${n} AS n, arraySort(groupArray(id)) AS ids FROM ${table} WHERE ${sql}`)
        .join(' UNION ALL '),
    );
    expect(all.map(({ sql }, n) => ({ sql, ids: rows.find(([at]) => at === n)?.[1] }))).toEqual(all);
  });
});

describe('wherever a time may stand', () => {
  const Z = "'2026-11-19T02:00:00+02:00'";
  test.each<[why: string, sql: string, rows: readonly (readonly unknown[])[]]>([
    ['the alias of a table', `SELECT count() FROM micros AS m WHERE m.ts < ${Z}`, [[2]]],
    [
      'the alias of a column',
      `SELECT ts AS t FROM days WHERE t = ${Z}`,
      [['2026-11-19'], ['2026-11-19'], ['2026-11-19'], ['2026-11-19'], ['2026-11-19'], ['2026-11-19']],
    ],
    [
      'an alias over a column',
      `SELECT toStartOfHour(ts) AS ts, count() FROM micros WHERE ts > ${Z} GROUP BY ts ORDER BY ts LIMIT 1`,
      [['2026-11-19T01:00:00Z', 1]],
    ],
    [
      'a WITH element of the query',
      `WITH w AS (SELECT ts AS at, id FROM micros) SELECT count() FROM w WHERE at < ${Z}`,
      [[2]],
    ],
    ['a time that the query names', `WITH ${Z} AS start SELECT count() FROM micros WHERE ts < start`, [[2]]],
    ['a subquery', `SELECT count() FROM (SELECT * FROM seconds WHERE ts < ${Z})`, [[2]]],
    ['a scalar subquery', `SELECT (SELECT count() FROM seconds WHERE ts < ${Z}) AS n`, [[2]]],
    [
      'a scalar on the other side',
      `SELECT count() FROM micros WHERE (SELECT max(ts) FROM micros) > ${Z}`,
      [[9]],
    ],
    [
      'a join',
      `SELECT count() FROM micros AS a JOIN seconds AS b ON a.id = b.id AND b.ts < ${Z} WHERE a.ts < ${Z}`,
      [[2]],
    ],
    ['an aggregate', `SELECT max(ts) >= ${Z} AS late FROM micros HAVING min(ts) < ${Z}`, [[1]]],
    [
      'a function of the sort key',
      `SELECT count() FROM micros WHERE toStartOfHour(ts) >= ${Z} AND toDate(ts) = ${Z}`,
      [[6]],
    ],
    [
      'CASE and if',
      `SELECT sum(CASE WHEN ts < ${Z} THEN 1 ELSE 0 END) AS a, countIf(if(ts < ${Z}, 1, 0) = 1) AS b FROM micros`,
      [[2, 2]],
    ],
    [
      'functions in place of operators',
      `SELECT count() FROM micros WHERE less(ts, ${Z}) AND notIn(ts, (${Z}))`,
      [[2]],
    ],
    [
      'constants',
      `SELECT toDateTime(${Z}) = ${Z} AS a, toDateTime64('2026-11-19T00:00:00.000Z', 3) <= now() + INTERVAL 10 YEAR AS b`,
      [[1, 1]],
    ],
    [
      'conversions',
      `SELECT count() FROM micros WHERE ts >= toDateTime64(${Z}, 6) AND ts < parseDateTime64BestEffort('2026-11-19T01:00:00Z')`,
      [[4]],
    ],
    [
      'strings keep their meaning',
      `SELECT countIf(text = '2026-11-19T00:00:00Z') AS a, countIf(text = ${Z}) AS b, countIf('2026-11-19T00:00:00Z' = text AND ts < ${Z}) AS c FROM micros`,
      [[9, 0, 2]],
    ],
    [
      'a name for a string and a time',
      `WITH '2026-11-19T00:00:00Z' AS s SELECT countIf(text = s) AS n FROM micros_free WHERE ts >= s`,
      [[7]],
    ],
    [
      'values',
      `SELECT '2026-11-19T00:00:00Z' AS s, concat('2026-11-19T00:00:00Z', '') AS c`,
      [['2026-11-19T00:00:00Z', '2026-11-19T00:00:00Z']],
    ],
  ])('%s', async (_why, sql, rows) => {
    expect(await rowsOf(sql)).toEqual(rows);
  });
});

test.each(['clickhouse', 'bigquery'] as const)('the sort key selects granules: %s', async (dialect) => {
  const granules = async (text: string): Promise<readonly string[]> => {
    const statement = await statementOf(text, dialect);
    const rows = await run({ ...statement, sql: `EXPLAIN indexes = 1 ${statement.sql}` });
    return rows.flatMap((row) => /Granules: \S+/.exec(String(row[0]))?.[0] ?? []);
  };
  const by = (time: string) => granules(`select id from micros where ts >= ${time}`);
  expect(await by("'2026-11-20T00:00:00.000Z'")).toEqual(await by("timestamp '2026-11-20 00:00:00'"));
  expect(await by("'2026-11-20T02:00:00+02:00'")).not.toEqual(await by("'2020-11-20T02:00:00+02:00'"));
});

describe('the other languages', () => {
  test.each([
    [
      "select count(*) as n from seconds as t where t.ts in ('2026-11-19T00:00:00Z', timestamp '2026-11-19 01:00:00')",
      [[5]],
    ],
    ["select count(*) as n from micros as t where t.ts < '2026-11-19T02:00:00+02:00'", [[2]]],
    [
      "select count(*) as n from days as t where t.ts in ('2026-11-19T00:00:00Z', '2026-11-20T00:00:00Z')",
      [[7]],
    ],
    ["select count(*) as n from seconds as t where '2026-11-18T18:30:00-0530' > t.ts", [[2]]],
    [
      "with a as (select ts as t from zoned) select count(*) as n from a where t between '2026-11-19T00:00Z' and '2026-11-19T00:00:00.000500Z'",
      [[2]],
    ],
  ])('BigQuery: %s', async (text, rows) => {
    expect(await rowsOf(text, 'bigquery')).toEqual(rows);
  });

  test.each([
    ['f:micros ts:<2026-11-19T02:00:00+02:00 s:id', 2],
    ['f:seconds ts:2026-11-19T00:00:00.000Z..2026-11-19T01:00Z s:id', 5],
    ['f:zoned ts:>=2026-11-19T00:00:00.0005Z s:id', 6],
  ])('LQL: %s', async (text, count) => {
    expect(await run(await statementOf(text))).toHaveLength(count);
  });
});

test('errors have their places in the query as sent', async () => {
  const sql =
    "SELECT id FROM micros WHERE ts >= '2026-11-19T00:00:00.000Z'\n  AND ts < '2026-11-19T00:00Z' AND nope = 1";
  const bindings = endpoint.binder.bind(new Map([['project', ['mine']]]), 0);
  const planned = await plan(
    endpoint,
    bindings,
    { language: 'sql', dialect: 'clickhouse', text: sql },
    false,
  );
  const failure = await run(planned.statement).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(EngineError);
  expect(failure instanceof EngineError && planned.blame(failure)).toMatchObject({
    errors: [{ line: 2, column: 36 }],
  });
});
