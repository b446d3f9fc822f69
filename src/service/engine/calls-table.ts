// The service's own usage table: one row per endpoint call.
import { CALL_COLUMNS } from '../observe/request-fields.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';
import type { CallCount } from '../observe/call-counts.ts';
import type { Engine } from './engine.ts';
import { readRows } from './rows.ts';

const STRUCTURE = CALL_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ');
/** Tables of earlier versions, and tables made by operators, may have their columns in another order. */
const NAMES = CALL_COLUMNS.map(({ name }) => name).join(', ');

/** Creates `millrace.calls` if it does not exist; rows expire after `days`, or never. Rejects with EngineError. */
export async function createCallsTable(engine: Engine, days?: number): Promise<void> {
  const ttl = days === undefined ? '' : ` TTL toDateTime(timestamp) + toIntervalDay(${days})`;
  await engine.execute('CREATE DATABASE IF NOT EXISTS millrace');
  await engine.execute(
    `CREATE TABLE IF NOT EXISTS millrace.calls (${STRUCTURE}) ENGINE = MergeTree PARTITION BY toYYYYMM(timestamp) ORDER BY (endpoint, timestamp)${ttl}`,
  );
}

/** Inserts rows in JSONEachRow. Rejects with EngineError. */
export async function insertCalls(engine: Engine, lines: string): Promise<void> {
  const rows = `SELECT * FROM format(JSONEachRow, ${quoteString(STRUCTURE)}, ${quoteString(lines)})`;
  await engine.execute(
    `INSERT INTO millrace.calls (${NAMES}) ${rows} SETTINGS date_time_input_format = 'best_effort'`,
  );
}

/** The columns are those of a CallCount, in this order. */
const COUNTS: readonly (readonly [keyof CallCount, string])[] = [
  ['endpoint', 'endpoint'],
  ['principal', 'principal'],
  ['calls', 'count()'],
  ['errors', 'countIf(status >= 400)'],
  ['runs', 'countIf(engine_ms > 0)'],
  ['ms', 'sum(duration_ms)'],
  ['slowestMs', 'max(duration_ms)'],
  ['engineMs', 'sum(engine_ms)'],
  ['queueMs', 'sum(queue_ms)'],
  ['rows', 'sum(rows)'],
  ['bytes', 'sum(bytes)'],
  ['readRows', 'sum(read_rows)'],
];

/** Pairs of an endpoint and a key. */
const MOST_COUNTS = 10_000;

/** The calls of the last minutes by endpoint and key, of all processes that write to the table. Rejects with EngineError. */
export async function readCallCounts(engine: Engine, minutes: number): Promise<readonly CallCount[]> {
  const columns = COUNTS.map(([, sql]) => sql).join(', ');
  const rows = await readRows(
    engine,
    `SELECT ${columns} FROM millrace.calls
WHERE timestamp >= now64(3) - toIntervalMinute({minutes:UInt32}) AND method != 'SHADOW'
GROUP BY endpoint, principal ORDER BY sum(duration_ms) DESC LIMIT ${MOST_COUNTS}`,
    { parameters: { minutes: String(minutes) } },
  );
  return rows.map((row) => {
    const values = row as readonly unknown[]; // as COUNTS selects them
    return Object.fromEntries(COUNTS.map(([name], at) => [name, values[at]])) as unknown as CallCount;
  });
}
