// The sandbox's checks of one query, compared with the engine's own parsing of it.
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Statement } from '../../../src/service/engine/engine.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { runMeasurements } from './measurements.ts';
import { REAL_TIME } from '../../../test/support/real-time.ts';

const [data = ''] = process.argv.slice(2);
const FILE = `id: 00000000-0000-4000-8000-000000000001
name: bench
query: WITH events AS (SELECT number AS id, now() AS timestamp, toString(number) AS message FROM system.numbers LIMIT 10) SELECT * FROM events
sandbox: { enabled: true }
`;
const query = (name: string, least: number): string =>
  `SELECT toStartOfHour(timestamp) AS hour, count() AS ${name}, quantile(0.95)(id) AS p FROM events WHERE message LIKE '%a%' AND id > ${least} GROUP BY hour ORDER BY hour`;

const engine = await createEmbeddedEngine({
  ...REAL_TIME,
  path: data,
  connections: 2,
  queue: 10,
  memory: 2 ** 31,
  observe: () => undefined,
});
const { candidate } = createCompile({ piiHashKey: undefined })('bench.yaml', FILE);
if (candidate === undefined) throw new Error('the file is valid');
const sandbox = await createSandboxes(engine, createDescribe(engine)).of(candidate.endpoint, false);
const limits = { time: 5, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 26 };
let next = 0;

await runMeasurements({
  explain: async () => {
    const sql = `EXPLAIN AST ${query('n', next++)}`;
    const statement: Statement = { sql, parameters: {}, limits, origin: 'consumer', int64: 'number' };
    for await (const _ of (await engine.run(statement, { format: 'JSONCompactEachRow' })).chunks);
  },
  unseen: () => sandbox.check(query(`n${next++}`, 0)),
  values: () => sandbox.check(query('n', next++)),
  seen: () => sandbox.check(query('n', 0)),
});
