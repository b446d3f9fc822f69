// The shipped usage.api-counts on a table whose times are in another zone: its buckets start on the hours and days of UTC.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openOracle, type Oracle } from '../sql/clickhouse/oracle.ts';

const FILE = new URL('../../endpoints/usage.api-counts.yaml', import.meta.url);

let oracle: Oracle;
beforeAll(async () => {
  oracle = openOracle();
  await oracle.ask('CREATE DATABASE logs');
  // Kolkata is half an hour away from whole hours of UTC.
  await oracle.ask(`CREATE TABLE logs.edge_logs (timestamp DateTime64(6, 'Asia/Kolkata'), id String, event_message String,
    metadata JSON(request.path String), url String) ENGINE = MergeTree ORDER BY timestamp`);
  await oracle.ask(
    `INSERT INTO logs.edge_logs SELECT now64(6) - INTERVAL 10 MINUTE, 'a', '', '{"request":{"path":"/rest"}}', 'abc'`,
  );
});
afterAll(() => oracle.close());

test.each(['hourly', 'daily', 'minutely'])('%s', async (interval) => {
  const file = parse(readFileSync(FILE, 'utf8')) as { readonly query: string }; // an endpoint file
  const query = file.query.replaceAll('@interval', `'${interval}'`).replaceAll('@project', "'abc'");
  const unit = { hourly: 'Hour', daily: 'Day', minutely: 'Minute' }[interval] ?? '';
  const start = `toStartOf${unit}(timestamp, 'UTC') AS start`;
  const [row] = (
    await oracle.ask(`SELECT toUnixTimestamp(timestamp), total_rest_requests FROM (${query})`, 'TSV')
  ).split('\n');
  const expected = await oracle.ask(
    `SELECT toUnixTimestamp(start), 1 FROM (SELECT ${start} FROM logs.edge_logs)`,
    'TSV',
  );
  expect(row).toBe(expected.trim());
});
