// Tables that an endpoint includes and does not name under sandbox.tables: no consumer query reads them, in any position. The
// hidden table has the rows of all tenants, so that a query which reads it has another response where other tenants' rows differ.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe, type Describe } from '../../../src/service/endpoints/describe.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { sourcesIn } from '../../../src/service/endpoints/include/sources.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { createSandboxes, type Sandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import { ATTACKS, BENIGN } from './fixture.ts';
import { createRun, fillCorpus, type Query, type Run, type Seen } from './tenants.ts';
import { planWith } from '../../support/plan-with.ts';

const DATABASES = ['calm', 'hostile'] as const;

/** `all_logs` has no condition on the tenant; the tables over it have. `mine_only` is included, and not exposed either. */
const SHARED = (database: string): string => `tables:
  all_logs: SELECT * FROM ${database}.logs
  edge_logs: |
    SELECT id, timestamp, event_message, method, path, status, ms, ip, user_id, tags, attrs, metadata
    FROM all_logs WHERE project = @tenant AND source = 'edge'
  auth_logs: |
    SELECT id, timestamp, event_message, user_id, action, ip, metadata
    FROM all_logs WHERE project = @tenant AND source = 'auth'
  mine_only: SELECT id, project FROM all_logs WHERE project = @tenant
parameters:
  tenant: { type: String, required: true }
`;

const FILE = (include: string): string => `id: 0b0e6f5a-3f0e-4a55-9d2b-6a1e7c1f2d31
name: corpus
include: [${include}]
query: SELECT id, timestamp, event_message FROM edge_logs ORDER BY timestamp DESC LIMIT 10
parameters:
  project: { type: String, required: true }
max_rows: 1000
sandbox: { enabled: true, tables: [edge_logs, auth_logs], dialects: [clickhouse, bigquery] }
`;

const OVER_SHARED =
  '{ from: logs, tables: [edge_logs, auth_logs, mine_only], parameters: { tenant: "@project" } }';
const OVER_ENDPOINT =
  '{ endpoint: base, tables: [edge_logs, auth_logs, mine_only], result: everything, parameters: { tenant: "@project" } }';
const BASE = `id: 0b0e6f5a-3f0e-4a55-9d2b-6a1e7c1f2d32
name: base
include: [{ from: logs, tables: all }]
query: SELECT id, project FROM all_logs
sandbox: { enabled: true, tables: [all_logs, edge_logs, auth_logs] }
`;

let engine: Engine;
let folder: string;
let run: Run;
let describeTables: Describe;
let sandboxes: Sandboxes;
const endpoints = new Map<string, Endpoint>();
/** What an endpoint includes its tables from. */
type Way = 'shared' | 'endpoint';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-hidden-'));
  const options = { path: join(folder, 'data'), connections: 4, queue: 1000, memory: 2 ** 31 };
  engine = await createEmbeddedEngine({ ...REAL_TIME, ...options, observe: () => undefined });
  describeTables = createDescribe(engine);
  sandboxes = createSandboxes(engine, describeTables);
  const plan = planWith({ sandboxes, describe: describeTables });
  run = createRun(engine, plan, 'service');
  const compile = createCompile({ piiHashKey: undefined });
  for (const database of DATABASES) {
    await engine.execute(`CREATE DATABASE ${database}`);
    await fillCorpus(engine, database);
    const sources = sourcesIn([
      { path: 'logs.shared.yaml', text: SHARED(database) },
      { path: 'base.yaml', text: BASE },
    ]);
    for (const [way, include] of [
      ['shared', OVER_SHARED],
      ['endpoint', OVER_ENDPOINT],
    ] as const) {
      const { candidate, diagnostics } = compile('corpus.yaml', FILE(include), sources);
      if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
      endpoints.set(`${database} ${way}`, candidate.endpoint);
    }
  }
});
afterAll(async () => {
  await engine.close(0);
  rmSync(folder, { recursive: true, force: true });
});

const sql = (text: string): Query => ({ language: 'sql', dialect: 'clickhouse', text });

function endpointOf(way: Way, database: (typeof DATABASES)[number] = 'hostile'): Endpoint {
  const endpoint = endpoints.get(`${database} ${way}`);
  if (endpoint === undefined) throw new Error('compiled above');
  return endpoint;
}

async function both(way: Way, query: Query): Promise<readonly [Seen, Seen]> {
  return Promise.all([run(endpointOf(way, 'calm'), query), run(endpointOf(way), query)]);
}

/** Calls that are answered differently where other tenants' rows differ. */
async function leaksOf(way: Way, queries: readonly Query[]): Promise<{ leaks: string[]; answered: number }> {
  const leaks: string[] = [];
  let answered = 0;
  const rest = queries.values();
  const lines = (body: string): string => body.split('\n').toSorted().join('\n');
  const work = async (): Promise<void> => {
    for (const query of rest) {
      const [calm, hostile] = await both(way, query);
      if (calm.status === 200) answered++;
      if (
        calm.status !== hostile.status ||
        lines(calm.body) !== lines(hostile.body) ||
        hostile.body.includes('CANARY')
      )
        leaks.push(`${query.text}: ${calm.status} ${calm.body} / ${hostile.status} ${hostile.body}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
  return { leaks, answered };
}

const CORPUS = [...ATTACKS, ...BENIGN]
  .map(({ sql: text }) => text)
  .filter((text) => !/\b(?:now|now64|CURRENT_TIMESTAMP)\b/i.test(text)); // the two calls may be in different seconds

const HIDDEN = ['all_logs', 'mine_only', 'everything'];

test.each(['shared', 'endpoint'] as const)(
  'over tables of another %s, the corpus is answered alike',
  { timeout: 600_000 },
  async (way) => {
    // A sixth of the queries each way, all of them with `npm run test:all`.
    const isAll = process.env['FUZZ_CASES'] !== undefined;
    const texts = CORPUS.filter((_, index) => isAll || index % 6 === (way === 'shared' ? 0 : 3));
    const { leaks, answered } = await leaksOf(way, texts.map(sql));
    expect(leaks).toEqual([]);
    expect(answered).toBeGreaterThan(isAll ? 80 : 12);
  },
);

test(
  'with the name of a hidden table in every position of a table, no query of the corpus is accepted',
  { timeout: 600_000 },
  async () => {
    const table = /\bedge_logs\b/;
    const texts = BENIGN.map((each) => each.sql).filter(
      (text) => table.test(text) && !/['"`]edge_logs/.test(text),
    );
    expect(texts.length).toBeGreaterThan(80);
    for (const [index, text] of texts.entries()) {
      const hidden = HIDDEN[index % HIDDEN.length] ?? '';
      const { status, body } = await run(
        endpointOf('endpoint'),
        sql(text.replaceAll(new RegExp(table, 'g'), hidden)),
      );
      expect({ text, status }).toEqual({ text, status: 400 });
      expect(body).toContain('sandbox.');
    }
  },
);

/** `%` is the name of a hidden table. */
const POSITIONS = [
  'SELECT * FROM %',
  'SELECT count() FROM %',
  'FROM % SELECT id',
  'SELECT * FROM `%`',
  'SELECT * FROM "%"',
  'SELECT * FROM (%)',
  'SELECT * FROM (SELECT * FROM %)',
  'SELECT * FROM % FINAL',
  'SELECT * FROM % SAMPLE 1',
  'SELECT e.* FROM % AS e',
  'SELECT e.* FROM % e',
  'SELECT e.id FROM edge_logs AS e, % AS h',
  'SELECT e.id FROM edge_logs AS e CROSS JOIN % AS h',
  'SELECT e.id FROM edge_logs AS e JOIN % AS h ON e.id = h.id',
  'SELECT e.id FROM edge_logs AS e JOIN % USING (id)',
  'SELECT e.id FROM edge_logs AS e GLOBAL ANY LEFT JOIN % AS h ON e.id = h.id',
  'SELECT e.id FROM edge_logs AS e NATURAL JOIN %',
  'SELECT id FROM edge_logs WHERE id IN %',
  'SELECT id FROM edge_logs WHERE id NOT IN (%)',
  'SELECT id FROM edge_logs WHERE id GLOBAL IN %',
  'SELECT id FROM edge_logs WHERE (id, id) IN %',
  'SELECT id FROM edge_logs WHERE in(id, %)',
  'SELECT id FROM edge_logs WHERE notIn(id, %)',
  'SELECT id FROM edge_logs WHERE id IN (SELECT id FROM %)',
  'SELECT id FROM edge_logs WHERE id = ANY (SELECT id FROM %)',
  'SELECT id FROM edge_logs WHERE EXISTS (SELECT 1 FROM %)',
  'SELECT (SELECT max(id) FROM %) AS m FROM edge_logs',
  'WITH c AS (SELECT * FROM %) SELECT * FROM c',
  'WITH c AS (SELECT * FROM edge_logs WHERE id IN %) SELECT * FROM c',
  'WITH % AS (SELECT * FROM %) SELECT * FROM %',
  'WITH edge_logs AS (SELECT * FROM %) SELECT * FROM edge_logs',
  'WITH (SELECT max(id) FROM %) AS m SELECT m FROM edge_logs',
  'WITH RECURSIVE c AS (SELECT id FROM % UNION ALL SELECT id FROM c) SELECT * FROM c',
  'SELECT id FROM edge_logs UNION ALL SELECT id FROM %',
  'SELECT id FROM edge_logs EXCEPT SELECT id FROM %',
  'SELECT id FROM edge_logs INTERSECT SELECT id FROM %',
  'SELECT * FROM view(SELECT * FROM %)',
  "SELECT * FROM merge('', '%')",
  "SELECT * FROM cluster('default', '', '%')",
  "SELECT * FROM remote('localhost', '', '%')",
  'SELECT * FROM loop(%)',
  "SELECT * FROM viewExplain('EXPLAIN', '', (SELECT * FROM %))",
  "SELECT joinGet('%', 'id', 'x') FROM edge_logs",
  "SELECT dictGet('%', 'id', 1) FROM edge_logs",
  "SELECT * FROM executable('x', TSV, 'id String', (SELECT * FROM %))",
  'SELECT * FROM calm.%',
  'SELECT * FROM edge_logs.%',
  'SELECT * FROM edge_logs ARRAY JOIN (SELECT groupArray(id) FROM %) AS x',
  'SELECT id FROM edge_logs ORDER BY (SELECT max(id) FROM %)',
  'SELECT id FROM edge_logs LIMIT (SELECT count() FROM %)',
  'SELECT id FROM edge_logs GROUP BY id HAVING count() < (SELECT count() FROM %)',
  'SELECT count() OVER (ORDER BY (SELECT max(id) FROM %)) FROM edge_logs',
  'SELECT if(1, (SELECT max(id) FROM %), id) FROM edge_logs',
  'SELECT arrayMap(x -> (SELECT max(id) FROM %), [1]) FROM edge_logs',
  'DESCRIBE TABLE %',
  'EXPLAIN SELECT * FROM %',
  'SHOW CREATE TABLE %',
  'TABLE %',
  'INSERT INTO % SELECT * FROM edge_logs',
  'SELECT * FROM edge_logs; SELECT * FROM %',
  'SELECT * FROM edge_logs -- \n UNION ALL SELECT * FROM %',
  'SELECT * FROM /* edge_logs */ %',
  'SELECT * FROM ALL_LOGS',
  'SELECT * FROM edge_logs WHERE id IN ALL_LOGS',
];

describe.each(['clickhouse', 'bigquery'] as const)('as %s', (dialect) => {
  test.each(HIDDEN)('%s is rejected in every position', async (name) => {
    for (const position of POSITIONS) {
      const text = position.replaceAll('%', name);
      const { status, body } = await run(endpointOf('endpoint'), { language: 'sql', dialect, text });
      expect({ text, status, body }).toEqual({ text, status: 400, body });
      expect(body).not.toContain('CANARY');
    }
  });
});

test.each(['f:all_logs', 'f:mine_only s:id', 'f:everything c:count(*)', 'f:all_logs f:edge_logs'])(
  'as LQL, %s is rejected',
  async (text) => {
    const { status } = await run(endpointOf('endpoint'), { language: 'lql', text });
    expect(status).toBe(400);
  },
);

/** Aliases are names of the query itself: they read nothing. */
test.each(HIDDEN)('as an alias, %s reads nothing', async (name) => {
  const texts = [
    `SELECT id AS ${name} FROM edge_logs ORDER BY id`,
    `SELECT ${name}.id FROM edge_logs AS ${name} ORDER BY id`,
    `SELECT count() AS ${name} FROM edge_logs HAVING ${name} > 0`,
    `SELECT arrayMap(${name} -> ${name} + 1, [1]) AS x FROM edge_logs ORDER BY id`,
    `SELECT id FROM edge_logs WHERE id IN (SELECT id AS ${name} FROM auth_logs) ORDER BY id`,
    `WITH 1 AS ${name} SELECT ${name} FROM edge_logs`,
    `SELECT ${name} FROM edge_logs`,
    `SELECT ${name}.* FROM edge_logs`,
    `SELECT ${name}.id FROM edge_logs`,
    `WITH ${name} AS (SELECT id FROM edge_logs) SELECT * FROM ${name} ORDER BY id`,
  ];
  const { leaks } = await leaksOf('endpoint', texts.map(sql));
  expect(leaks).toEqual([]);
});

test('no hidden table is described, listed or suggested', async () => {
  const endpoint = endpointOf('endpoint');
  const described = await describeTables.tables(endpoint);
  expect(described?.map(({ name }) => name)).toEqual(['edge_logs', 'auth_logs']);
  const { tables } = await sandboxes.of(endpoint, false);
  expect(tables).toEqual(['edge_logs', 'auth_logs']);
  for (const text of ['SELECT * FROM al_logs', 'SELECT * FROM everythin', 'SELECT * FROM mine_onl']) {
    const { status, body } = await run(endpoint, sql(text));
    expect(status).toBe(400);
    for (const name of HIDDEN) expect(body).not.toContain(name);
  }
});

test('the tables of a saved query that nothing exposes are no default of LQL', async () => {
  const compile = createCompile({ piiHashKey: undefined });
  const text = FILE(OVER_SHARED).replace(
    '[edge_logs, auth_logs], dialects',
    '[auth_logs, mine_only], dialects',
  );
  const sources = sourcesIn([{ path: 'logs.shared.yaml', text: SHARED('hostile') }]);
  const { candidate } = compile('corpus.yaml', text, sources);
  if (candidate === undefined) throw new Error('it compiles');
  expect(candidate.endpoint.outline).toMatchObject({ from: 'edge_logs', defaultTable: undefined });
  const { status } = await run(candidate.endpoint, { language: 'lql', text: 's:id' });
  expect(status).toBe(400);
  expect((await run(candidate.endpoint, { language: 'lql', text: 'f:auth_logs s:id' })).status).toBe(200);
});
