// The statements that read a server's log, run by the engine over tables with the documented columns and types, and rows as servers write
// them (https://clickhouse.com/docs/operations/system-tables/query_log, …/processors_profile_log).
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { LOGGED_EVENTS, readQueryLog } from '../../../src/service/engine/query-log.ts';
import { readRows } from '../../../src/service/engine/rows.ts';
import { openTestEngine } from '../../support/test-engine.ts';

const TABLES = `CREATE DATABASE logged;
CREATE TABLE logged.query_log (hostname LowCardinality(String),
  type Enum8('QueryStart' = 1, 'QueryFinish' = 2, 'ExceptionBeforeStart' = 3, 'ExceptionWhileProcessing' = 4),
  event_date Date, event_time DateTime, event_time_microseconds DateTime64(6), query_start_time DateTime, query_duration_ms UInt64,
  read_rows UInt64, read_bytes UInt64, written_rows UInt64, result_rows UInt64, result_bytes UInt64, memory_usage UInt64,
  current_database LowCardinality(String), query String, query_kind LowCardinality(String), exception_code Int32, exception String,
  is_initial_query UInt8, user LowCardinality(String), query_id String, interface UInt8, http_method UInt8,
  ProfileEvents Map(LowCardinality(String), UInt64), Settings Map(LowCardinality(String), LowCardinality(String)), log_comment String,
  peak_threads_usage UInt64, query_cache_usage Enum8('Unknown' = 0, 'None' = 1, 'Write' = 2, 'Read' = 3)) ENGINE = MergeTree ORDER BY event_time;
CREATE TABLE logged.processors_profile_log (hostname LowCardinality(String), event_date Date, event_time DateTime, event_time_microseconds DateTime64(6),
  id UInt64, parent_ids Array(UInt64), plan_step UInt64, plan_step_name String, plan_step_description String, plan_group UInt64,
  initial_query_id String, query_id String, name LowCardinality(String), elapsed_us UInt64, input_wait_elapsed_us UInt64,
  output_wait_elapsed_us UInt64, input_rows UInt64, input_bytes UInt64, output_rows UInt64, output_bytes UInt64) ENGINE = MergeTree ORDER BY event_time;`;

/** The profile events are those of the example in the documentation, and some that the service reports. */
const EVENTS =
  "map('Query', 1, 'NetworkSendElapsedMicroseconds', 59, 'SelectedRows', 69, 'SelectedBytes', 6187, 'ContextLock', 9, 'RealTimeMicroseconds', 817, 'OSCPUVirtualTimeMicroseconds', 639, 'SelectedMarks', 12, 'OSIOWaitMicroseconds', 18446744073)";
const row = (
  type: string,
  id: string,
  more: { request?: string; initial?: 0 | 1; error?: number } = {},
): string =>
  `SELECT '${type}', today(), now(), now64(6), 42, 69, 6187, 69, 18446744073709551615, ${more.error ?? 0}, ${more.initial ?? 1}, '${id}', ${EVENTS}, '${JSON.stringify({ request: more.request ?? 'r-1', endpoint: 'a.b' })}'`;
const step = (id: string, name: string, elapsed: number): string =>
  `SELECT today(), now(), '${id}', '${name}', ${elapsed}, 69, 7`;

let engine: Engine;
/** The same engine, which has its log as a server has it. */
let server: Engine;
beforeAll(async () => {
  engine = await openTestEngine();
  await engine.execute(TABLES);
  const columns =
    'type, event_date, event_time, event_time_microseconds, query_duration_ms, read_rows, read_bytes, result_rows, memory_usage, exception_code, is_initial_query, query_id, ProfileEvents, log_comment';
  const rows = [
    row('QueryStart', 'a-1'),
    row('QueryFinish', 'a-1'),
    row('ExceptionWhileProcessing', 'a-2', { error: 241 }),
    row('QueryFinish', 'child', { initial: 0 }),
    row('QueryFinish', 'other', { request: 'r-2' }),
  ];
  await engine.execute(`INSERT INTO logged.query_log (${columns}) ${rows.join(' UNION ALL ')}`);
  const steps = [step('a-1', 'Sorting', 900), step('a-1', 'ReadFromMergeTree', 2500), step('a-1', 'ReadFromMergeTree', 1700), step('other', 'Sorting', 1), step('a-1', '', 5)]; // prettier-ignore
  await engine.execute(
    `INSERT INTO logged.processors_profile_log (event_date, event_time, query_id, plan_step_name, elapsed_us, input_rows, output_rows) ${steps.join(' UNION ALL ')}`,
  );
  server = {
    ...engine,
    run: (statement, options) =>
      engine.run({ ...statement, sql: statement.sql.replace('FROM system.', 'FROM logged.') }, options),
  };
});
afterAll(() => engine.close(0));

test('the log of a server is read with its documented types', async () => {
  const { signal } = new AbortController();
  const log = await readQueryLog(server, 'r-1', signal);
  if (!('statements' in log)) throw new Error(log.reason);
  expect(log.statements.map(({ error }) => error).toSorted((a, b) => a - b)).toEqual([0, 241]);
  expect(log.statements.find(({ error }) => error === 0)).toEqual({
    ms: 42,
    readRows: 69,
    readBytes: 6187,
    resultRows: 69,
    memory: 2 ** 64,
    error: 0,
    times: { processor: 0.639, 'waiting for disks': 18_446_744.073 },
    counts: { granules: 12, rows: 69 },
    steps: [
      { step: 'ReadFromMergeTree', ms: 4, inputRows: 138, outputRows: 14 },
      { step: 'Sorting', ms: 0, inputRows: 69, outputRows: 7 },
    ],
  });
  expect(await readQueryLog(server, "r'2", signal)).toEqual({ statements: [] });
});

test('the engine has each profile event that is reported', async () => {
  const sql = `SELECT * FROM (SELECT event FROM system.events WHERE event IN (${LOGGED_EVENTS.map((event) => `'${event}'`).join(', ')}) ORDER BY event SETTINGS system_events_show_zero_values = 1)`;
  expect((await readRows(engine, sql)).flat()).toEqual(LOGGED_EVENTS.toSorted());
});
