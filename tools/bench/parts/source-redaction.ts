// Consumer queries over tables as they are and over redacted ones.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { runMeasurements } from './measurements.ts';
import { REAL_TIME } from '../../../test/support/real-time.ts';
import { SHIPPED } from '../../../test/support/folder-sources.ts';
import { planQuery } from '../../../src/service/request/plan-query.ts';

const [data = ''] = process.argv.slice(2);
const PROJECT = 'xvzyeivudksfanncdekp';

/** `#` is replaced with a different number each time, so that the engine's query condition cache never matches. */
const QUERIES: Readonly<Record<string, string>> = {
  'newest rows': `SELECT timestamp, event_message, metadata.request.path AS path, metadata.request.headers.cf_connecting_ip AS ip
    FROM edge_logs WHERE id != '#' ORDER BY timestamp DESC LIMIT 100`,
  'count of a text':
    "SELECT count() AS n FROM edge_logs WHERE event_message LIKE '%/rest/v1/orders%' AND id != '#'",
  'groups by a path': `SELECT metadata.request.path AS path, count() AS n FROM edge_logs WHERE id != '#'
    GROUP BY path ORDER BY n DESC LIMIT 10`,
  'whole documents':
    "SELECT timestamp, metadata FROM edge_logs WHERE id != '#' ORDER BY timestamp DESC LIMIT 100",
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
const describe = createDescribe(engine);
const deps = { sandboxes: createSandboxes(engine, describe), describe };
const bindings = endpoint.binder.bind(new Map([['project', [PROJECT]]]), Date.now());

let next = 0;
const measurements: Record<string, () => Promise<void>> = {};
for (const [name, text] of Object.entries(QUERIES)) {
  for (const isRedacted of [false, true]) {
    const query = { language: 'sql', dialect: 'clickhouse', text } as const;
    const { statement } = await planQuery(deps, { endpoint, bindings, consumerQuery: query, isRedacted });
    measurements[`${name}, ${isRedacted ? 'redacted' : 'as they are'}`] = async () => {
      const sql = statement.sql.replaceAll("'#'", `'${next++}'`);
      const { chunks } = await engine.run({ ...statement, sql }, { format: 'JSONEachRow' });
      for await (const _ of chunks);
    };
  }
}
await runMeasurements(measurements);
