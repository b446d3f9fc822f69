// The service's own usage table: one row per endpoint call.
import { CALL_COLUMNS } from '../observe/request-fields.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';
import type { Engine } from './engine.ts';

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
