// Builds statements from consumer queries: without isolation, with isolation settings, and behind a barrier.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Statement } from '../../../src/service/engine/engine.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { runMeasurements } from './measurements.ts';
import { REAL_TIME } from '../../../test/support/real-time.ts';
import { SHIPPED } from '../../../test/support/folder-sources.ts';

const [data = ''] = process.argv.slice(2);
const PROJECT = 'xvzyeivudksfanncdekp';

/** `#` is replaced with a different number each time, so that the engine's query condition cache never matches. */
const QUERIES: Readonly<Record<string, string>> = {
  'newest rows': 'SELECT timestamp, event_message, metadata FROM edge_logs ORDER BY timestamp DESC LIMIT 100',
  'a window by hour': `SELECT toStartOfHour(timestamp) AS hour, count() AS n FROM edge_logs
    WHERE timestamp > toDateTime64('2024-01-01', 6) AND id != '#' GROUP BY hour ORDER BY hour`,
  'rows by a text': `SELECT timestamp, id, metadata FROM edge_logs WHERE event_message LIKE '%/rest/v1/%' AND id != '#' ORDER BY timestamp DESC LIMIT 100`,
  'rows by a JSON path': `SELECT metadata.request.path AS path, count() AS n FROM edge_logs
    WHERE metadata.response.status_code >= 500 AND id != '#' GROUP BY path ORDER BY n DESC LIMIT 10`,
};

const engine = await createEmbeddedEngine({
  ...REAL_TIME,
  path: join(data, 'engine'),
  connections: 2,
  queue: 10,
  memory: 2 ** 31,
  observe: () => undefined,
});
const file = await readFile(new URL('../../../endpoints/logs.all.yaml', import.meta.url), 'utf8');
const { candidate } = createCompile({ piiHashKey: undefined })('logs.all.yaml', file, SHIPPED);
if (candidate === undefined) throw new Error('the file is valid');
const { endpoint } = candidate;
const sandbox = await createSandboxes(engine, createDescribe(engine)).of(endpoint, false);
const { values } = endpoint.binder.bind(new Map([['project', [PROJECT]]]), Date.now());

let next = 0;
const measurements: Record<string, () => Promise<void>> = {};
for (const [name, text] of Object.entries(QUERIES)) {
  const verdict = await sandbox.check(text);
  const sql = (isLeakproof: boolean): string =>
    sandbox.assemble({ ...verdict, isLeakproof }, endpoint.maxRows + 1).sql;
  const run = (statement: Pick<Statement, 'sql' | 'origin'>) => async (): Promise<void> => {
    const { limits, int64 } = endpoint;
    const { chunks } = await engine.run(
      { ...statement, sql: statement.sql.replace('#', String(next++)), parameters: values, limits, int64 },
      { format: 'JSONEachRow' },
    );
    for await (const _ of chunks);
  };
  measurements[`${name}, open`] = run({ sql: sql(true), origin: 'saved' });
  measurements[`${name}, set`] = run({ sql: sql(true), origin: 'consumer' });
  measurements[`${name}, barred`] = run({ sql: sql(false), origin: 'consumer' });
}
await runMeasurements(measurements);
