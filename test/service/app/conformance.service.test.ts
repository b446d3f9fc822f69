// Queries of the kinds that log dashboards send, in ClickHouse SQL, BigQuery SQL and LQL, with their expected rows.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAsk } from '../../../src/cli/commands/conformance/ask.ts';
import { readQueries } from '../../../src/cli/kit/consumer-queries.ts';
import { reportOf } from '../../../src/cli/commands/conformance/report.ts';
import { runQueries } from '../../../src/cli/commands/conformance/run.ts';
import { someOfEach } from '../../support/runs.ts';
import { KEY, sampleTables, startService, type TestService, SHIPPED } from '../../support/service.ts';

const FOLDER = join(import.meta.dirname, '../../conformance');

let service: TestService;
beforeAll(async () => {
  const files = [join(FOLDER, 'rows.sql'), join(import.meta.dirname, '../../../seeds/50_all_logs.sql')];
  const rows = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  service = await startService({ endpoints: SHIPPED, sql: [await sampleTables(), ...rows] });
});
afterAll(() => service.stop());

test.each([
  ['clickhouse', 'logs.all', 90],
  ['bigquery', 'logs.all', 100],
  ['lql', 'logs.all', 50],
  ['otel', 'logs.all.otel', 40],
])('%s, of %s: at least %i queries have their expected rows', async (name, endpoint, least) => {
  const queries = await readQueries([join(FOLDER, `${name}.jsonl`)]);
  const ask = createAsk({
    url: service.service.address,
    key: KEY,
    endpoint,
    parameters: { project: 'demo' },
    dialect: undefined,
    timeoutMs: 120_000,
  });
  // Of those that begin with the same word, such as `histogram`, every sixth one.
  const sent = someOfEach(queries, (query) => query.name.split(' ')[0] ?? '', { each: 6 });
  const outcomes = await runQueries(sent, { ask, concurrency: 4, onProgress: () => undefined });
  const { failures } = reportOf(endpoint, outcomes);
  expect(failures.map((each) => `${each.name}: ${each.status} ${each.code ?? ''} ${each.message}`)).toEqual(
    [],
  );
  expect(queries.length).toBeGreaterThanOrEqual(least);
  expect(new Set(queries.map((each) => each.name)).size).toBe(queries.length);
  expect(queries.filter(({ expected }) => expected === undefined)).toEqual([]);
});
