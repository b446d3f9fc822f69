// What happens at load: the tables of an endpoint are described and its sandbox is created before the first consumer query.
import { prepare as prepareCall } from '../../../src/service/request/answer.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openLocal } from '../../../src/service/app/local.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import type { Dialect, Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { EngineError, type Engine } from '../../../src/service/engine/engine.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { localCall } from '../../../src/service/request/call.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';
import { planWith } from '../../support/plan-with.ts';

const FILE = `id: 00000000-0000-4000-8000-000000000000
name: prepared
query: |
  WITH t AS (SELECT id, doc, attrs FROM ahead.rows WHERE project = @project), u AS (SELECT id FROM t) SELECT * FROM t
parameters:
  project: { type: String, required: true }
sandbox: { enabled: true }
`;
let service: TestService;
let engine: Engine;

beforeAll(async () => {
  service = await startService({ sql: ['CREATE DATABASE ahead'] });
  ({ engine } = service);
});
afterAll(() => service.stop());

function compile(text: string): Endpoint {
  const { candidate } = createCompile({ piiHashKey: undefined })('prepared.yaml', text);
  if (candidate === undefined) throw new Error('the file is valid');
  return candidate.endpoint;
}

/** The engine, and the statements sent to it since the last call of `sent`. */
function recorded() {
  let statements: string[] = [];
  const over: Engine = {
    ...engine,
    run: (statement, options) => {
      statements.push(statement.sql);
      return engine.run(statement, options);
    },
    describe: (statement) => {
      statements.push(`DESCRIBE ${statement.sql}`);
      return engine.describe(statement);
    },
  };
  const sent = (): readonly string[] => {
    const since = statements;
    statements = [];
    return since;
  };
  return { over, sent };
}

function open(over: Engine, file = FILE, dialect: Dialect | undefined = 'clickhouse') {
  const describe = createDescribe(over);
  const sandboxes = createSandboxes(over, describe);
  const plan = planWith({ sandboxes, describe });
  const endpoint = compile(file);
  const bindings = endpoint.binder.bind(new Map([['project', ['mine']]]), 0);
  const planText = (text: string) => plan(endpoint, bindings, { language: 'sql', dialect, text }, false);
  return { endpoint, sandboxes, planText };
}

test('while the engine cannot describe the tables, nothing is prepared, and the first consumer query tries again', async () => {
  const { over, sent } = recorded();
  const { endpoint, sandboxes, planText } = open(over);
  await sandboxes.prepare(endpoint);
  expect(sent().every((sql) => sql.startsWith('DESCRIBE '))).toBe(true);
  await engine.execute(
    'CREATE TABLE ahead.rows (project String, id UInt64, doc JSON, attrs Map(String, String)) ENGINE = MergeTree ORDER BY id',
  );
  await planText('SELECT doc.a FROM t');
  expect(sent().some((sql) => sql.startsWith('DESCRIBE '))).toBe(true);
});

test('rules for personal data that apply to something are known with the first variant, and kept', async () => {
  const { over, sent } = recorded();
  const choices = Array.from({ length: 20 }, (_, index) => `c${index}: number + ${index} AS c`).join(', ');
  const { idleRule } = createDescribe(over);
  const endpoint = compile(
    `id: 00000000-0000-4000-8000-000000000009\nname: ruled\nquery: SELECT @c, number AS id FROM numbers(3)\nparameters: { c: { choices: { ${choices} }, default: c0 } }\npii: { redact: true, columns: { id: mask } }\n`,
  );
  expect([await idleRule(endpoint), sent().length]).toEqual([undefined, 1]);
  expect([await idleRule(endpoint.variants()[7] ?? endpoint), sent().length]).toEqual([undefined, 0]);
});

test('rules apply where redaction finds their paths, and such endpoints are served', async () => {
  const columns = {
    'u.name': "(CAST(('Ann', 1), 'Tuple(name String, n UInt8)'), 2) AS u",
    'v.first.name': "CAST(tuple('Ann'), 'Tuple(`first.name` String)') AS v",
    'w.first': "CAST(tuple('Ann'), 'Tuple(`first.name` String)') AS w",
    'caf\u00e9': "'Ann' AS `cafe\u0301`",
  };
  const file = (paths: readonly string[]): string =>
    `id: 00000000-0000-4000-8000-000000000010\nname: ruled\nquery: ${JSON.stringify(`SELECT ${Object.values(columns).join(', ')}`)}\npii: { redact: true, columns: { ${paths.map((path) => `${JSON.stringify(path)}: mask`).join(', ')} } }\n`;
  await writeEndpoint(service, 'ruled', file(Object.keys(columns)));
  await service.service.reload();
  const response = await service.call('/api/endpoints/query/ruled', {});
  const text = await response.text();
  expect([response.status, text.includes('Ann'), text.split('REDACTED').length - 1]).toEqual([200, false, 4]);
  const { idleRule } = createDescribe(engine);
  for (const path of Object.keys(columns))
    expect(await idleRule(compile(file([`${path}.other`])))).toMatch(/ has no part (?:first\.)?other$/);
  expect(await idleRule(compile(file(['other'])))).toContain('has a column other');
});

test('the first consumer query of a prepared endpoint sends nothing but its own check', async () => {
  const { over, sent } = recorded();
  const { endpoint, sandboxes, planText } = open(over);
  await sandboxes.prepare(endpoint);
  // Two tables, columns with a dot in their names behind each, and subcolumns of the map.
  expect(sent().filter((sql) => sql.startsWith('DESCRIBE ')).length).toBeGreaterThanOrEqual(4);
  const { statement } = await planText("SELECT doc.a, attrs['k'] AS k FROM t");
  expect(sent()).toEqual([expect.stringMatching(/^EXPLAIN QUERY TREE run_passes = 0 SELECT doc . a/)]);
  expect(statement.sql).toContain('`doc.a` AS `doc.a`, `attrs.key_k` AS `attrs.key_k`');
});

test('of a known query with other values, the engine is asked nothing, not even which dialect it is', async () => {
  const { over, sent } = recorded();
  const file = FILE.replace('SELECT id, doc', 'SELECT now64(6) AS at, id, doc').replace(
    'enabled: true',
    'enabled: true, dialects: [clickhouse, bigquery]',
  );
  const { endpoint, sandboxes, planText } = open(over, file, undefined);
  await sandboxes.prepare(endpoint);
  const query = (time: string, least: number): string =>
    `SELECT attrs['k'] AS k, count() AS n FROM t WHERE at >= '${time}' AND id > ${least} GROUP BY ALL LIMIT ${least}`;
  await planText(query('2024-05-01T00:00:00.000Z', 5));
  sent();
  const { statement, consumerQuery } = await planText(query('2024-06-02T10:20:30.400Z', 70));
  expect(sent()).toEqual([]);
  expect(consumerQuery?.dialect).toBe('clickhouse');
  expect(statement.sql).toMatch(/2024-06-02 10:20:30\.4.*id > 70 .*LIMIT 70/s);
  expect(statement.sql).not.toMatch(/2024-05-01|1971|> 5/);
});

test('an engine without subcolumns of maps is not asked for them', async () => {
  const { over } = recorded();
  const { endpoint, sandboxes, planText } = open({
    ...over,
    describe: (statement) =>
      statement.sql.includes('.key_a')
        ? Promise.reject(new EngineError('rejected', 'no such column', { engineCode: 47 }))
        : over.describe(statement),
  });
  await sandboxes.prepare(endpoint);
  const { statement } = await planText("SELECT doc.a, attrs['k'] AS k FROM t");
  expect(statement.sql).toContain('`doc.a` AS `doc.a` FROM ahead.rows');
});

test('a sandbox can be prepared while it is switched off', async () => {
  const { over, sent } = recorded();
  const { endpoint, sandboxes, planText } = open(over);
  sandboxes.switch('not tested yet');
  await sandboxes.prepare(endpoint);
  expect(sent()).not.toEqual([]);
  await expect(planText('SELECT id FROM t')).rejects.toMatchObject({ code: 'sandbox.switched_off' });
});

test('endpoints are prepared when they are loaded', async () => {
  await writeEndpoint(service, 'prepared', FILE);
  const { over, sent } = recorded();
  const local = await openLocal({ ...service, engine: over, observe: () => undefined });
  const all: string[] = [];
  await vi.waitFor(
    () => {
      all.push(...sent());
      expect(all).toContainEqual(expect.stringMatching(/^EXPLAIN QUERY TREE .* FROM `t`/));
    },
    { timeout: 240_000 },
  );
  const text = 'SELECT id, doc.a FROM t';
  const parameters = new Map([['project', ['mine']], ['sql', [text]]]); // prettier-ignore
  await prepareCall(local.path, localCall({ requestId: 'test', endpoint: 'prepared' }, parameters));
  const ofThis = sent().filter((sql) => /\bt\b|ahead\.rows/.test(sql)); // other endpoints are still being prepared
  expect(ofThis).toEqual([`EXPLAIN QUERY TREE run_passes = 0 SELECT id , doc . a FROM t`]);
  await local.close();
});
