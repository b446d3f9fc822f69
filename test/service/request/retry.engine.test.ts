// The second statement of a consumer query, over JSON parsed again: its time limit.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { after } from '../../../src/sql/base/clock.ts';
import { createBulkhead } from '../../../src/service/request/limits/bulkhead.ts';
import { NO_LABELS } from '../../../src/service/request/labels.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import type { PlannedQuery } from '../../../src/service/request/planned-query.ts';
import { runQuery } from '../../../src/service/request/run-statement.ts';
import { type PlanWith, planWith } from '../../support/plan-with.ts';

const folder = await mkdtemp(join(tmpdir(), 'millrace-retry-'));
const FILE = `id: 00000000-0000-4000-8000-000000000000
name: retried
query: |
  WITH t AS (SELECT doc FROM db.rows WHERE project = @project)
  SELECT * FROM t
parameters:
  project: { type: String, required: true }
limits: { time: 10 }
sandbox: { enabled: true }
`;
let engine: Engine;
let endpoint: Endpoint;
let plan: PlanWith;

beforeAll(async () => {
  engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path: join(folder, 'data'),
    connections: 3,
    queue: 10,
    memory: 2 ** 30,
    observe: () => undefined,
  });
  for (const database of ['alone', 'shared']) {
    await engine.execute(`CREATE DATABASE ${database};
CREATE TABLE ${database}.rows (project String, doc JSON) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO ${database}.rows SELECT 'mine', CAST(CAST((1, 5), 'Tuple(x Int64, size UInt8)'), 'JSON')`);
  }
  await engine.execute(`INSERT INTO shared.rows VALUES ('other', '{"x":[{"y":1}]}')`);
  await engine.execute('OPTIMIZE TABLE shared.rows FINAL');
  const describe = createDescribe(engine);
  plan = planWith({ sandboxes: createSandboxes(engine, describe), describe });
  endpoint = endpointOver('alone');
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

function endpointOver(database: string): Endpoint {
  const file = FILE.replace('db.rows', `${database}.rows`);
  const { candidate, diagnostics } = createCompile({ piiHashKey: undefined })('retried.yaml', file);
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate.endpoint;
}

async function planned(text: string, over = endpoint): Promise<PlannedQuery> {
  const bindings = over.binder.bind(new Map([['project', ['mine']]]), 0);
  return plan(over, bindings, { language: 'sql', dialect: 'clickhouse', text }, false);
}

/** The rows, and the time limit of each statement; every statement takes `seconds` by the clock. */
async function run(
  what: PlannedQuery,
  seconds = 0,
): Promise<{ readonly rows: string; readonly times: number[] }> {
  const times: number[] = [];
  let now = 0;
  const timed: Engine = {
    ...engine,
    run: async (statement, options) => {
      times.push(statement.limits.time);
      now += seconds * 1000;
      return engine.run(statement, options);
    },
  };
  const deps = { engine: timed, bulkhead: createBulkhead(after), now: () => now };
  const { lines } = await runQuery(
    deps,
    { endpoint, query: what },
    {
      requestId: 'test',
      key: undefined,
      trace: undefined,
      labels: NO_LABELS,
      workload: undefined,
      isPatient: false,
      signal: new AbortController().signal,
    },
  );
  return { rows: Buffer.from(lines).toString(), times };
}

test.each([
  { seconds: 0, second: 10 },
  { seconds: 4, second: 6 },
  { seconds: 30, second: 1 },
])('the first statement took $seconds s of 10: the second has $second s', async ({ seconds, second }) => {
  const what = await planned('SELECT doc.x::Int64 AS x FROM t', endpointOver('shared'));
  expect(await run(what, seconds)).toEqual({ rows: '{"x":1}\n', times: [10, second] });
});
