// The service's own usage table: one row per endpoint call.
import { quoteString } from '../sql/literal.ts';
import type { Engine } from './engine.ts';

/** Columns in the types that ClickHouse reads from JSON; repetitive strings are LowCardinality. */
const COLUMNS: readonly (readonly [name: string, type: string])[] = [
  ['timestamp', "DateTime64(3, 'UTC')"],
  ['request_id', 'String'],
  ['trace_id', 'String'],
  ['endpoint', 'LowCardinality(String)'],
  ['revision', 'LowCardinality(String)'],
  ['principal', 'LowCardinality(String)'],
  ['method', 'LowCardinality(String)'],
  ['status', 'UInt16'],
  ['code', 'LowCardinality(String)'],
  ['cache', 'LowCardinality(String)'],
  ['rows', 'UInt32'],
  ['bytes', 'UInt64'],
  ['read_rows', 'UInt64'],
  ['read_bytes', 'UInt64'],
  ['duration_ms', 'Float64'],
  ['queue_ms', 'Float64'],
  ['engine_ms', 'Float64'],
  ['labels', 'Map(LowCardinality(String), String)'],
];
const STRUCTURE = COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ');

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
  await engine.execute(`INSERT INTO millrace.calls ${rows} SETTINGS date_time_input_format = 'best_effort'`);
}
