// The statement that replaces one whose plan the engine has broken: the same rows, read above a barrier.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLocal, type Local } from '../../../src/service/app/local.ts';
import type { Statement } from '../../../src/service/engine/engine.ts';
import { readAll } from '../../../src/service/engine/rows.ts';
import { prepare as prepareCall } from '../../../src/service/request/answer.ts';
import { localCall } from '../../../src/service/request/call.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const JOIN =
  'SELECT a.n AS n, b.m AS m FROM a LEFT JOIN b ON a.n = b.n WHERE a.n IN (1, 2, 3) ORDER BY b.m DESC LIMIT 2';
let service: TestService;
let local: Local;

beforeAll(async () => {
  service = await startService({
    sql: [
      'CREATE DATABASE app',
      'CREATE TABLE app.a (n UInt32, s String) ORDER BY n AS SELECT number, toString(number) FROM numbers(100)',
      'CREATE TABLE app.b (n UInt32, m UInt32) ORDER BY n AS SELECT number, number * 2 FROM numbers(100)',
    ],
  });
  await writeEndpoint(
    service,
    'joined',
    'id: 00000000-0000-4000-8000-000000000099\nname: joined\nquery: WITH a AS (SELECT n, s FROM app.a), b AS (SELECT n, m FROM app.b) SELECT * FROM a\nsandbox: { enabled: true }\n',
  );
  local = await openLocal({ ...service, observe: () => undefined });
});
afterAll(async () => {
  await local.close();
  await service.stop();
});

async function prepare(sql: string) {
  const call = localCall({ requestId: 'test', endpoint: 'joined' }, new Map([['sql', [sql]]]));
  return (await prepareCall(local.path, call)).query;
}

async function rowsOf(statement: Statement): Promise<string> {
  const { chunks } = await service.engine.run(statement, { format: 'JSONEachRow' });
  return Buffer.from(await readAll(chunks)).toString();
}

test('a join whose plan lacks a column runs again above a barrier', async () => {
  const { statement, retry } = await prepare(JOIN);
  const again = retry?.();
  expect(again?.sql).not.toBe(statement.sql);
  expect(again).toMatchObject({ origin: 'consumer', limits: statement.limits });
  const expected = '{"n":3,"m":6}\n{"n":2,"m":4}\n';
  expect([await rowsOf(statement), again && (await rowsOf(again))]).toEqual([expected, expected]);
});

test('a statement that has the barrier is not run again', async () => {
  const barred = await prepare('SELECT intDiv(10, n) AS q FROM a WHERE intDiv(10, n + 1) > 1');
  expect(barred.retry?.()).toBeUndefined();
  const withCondition = await prepare('SELECT n FROM a WHERE intDiv(10, n + 1) > 1 AND n > 5');
  expect(withCondition.retry?.()?.sql).not.toBe(withCondition.statement.sql);
});
