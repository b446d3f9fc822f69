// The table of calls in the embedded engine: as the service creates it, and as an operator may have created it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createCallsTable, insertCalls } from '../../../src/service/engine/calls-table.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { CALL_COLUMNS } from '../../../src/service/observe/request-fields.ts';
import { rows, statement } from '../../support/engine-statements.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const folder = await mkdtemp(join(tmpdir(), 'millrace-calls-'));
let engine: Engine;

beforeAll(async () => {
  engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path: join(folder, 'data'),
    memory: 2 ** 30,
    observe: () => undefined,
    connections: 1,
    queue: 1,
  });
});
beforeEach(() => engine.execute('DROP DATABASE IF EXISTS millrace SYNC'));
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

const columns = CALL_COLUMNS.map(({ name, type }) => `${name} ${type}`);

test.each([
  { why: 'created by the service', structure: undefined },
  { why: 'columns in another order', structure: columns.toReversed() },
  { why: 'a further column', structure: ["region String DEFAULT 'eu'", ...columns] },
])('rows are inserted: $why', async ({ structure }) => {
  if (structure !== undefined) {
    await engine.execute('CREATE DATABASE millrace');
    await engine.execute(
      `CREATE TABLE millrace.calls (${structure.join(', ')}) ENGINE = MergeTree ORDER BY timestamp`,
    );
  }
  await createCallsTable(engine);
  await insertCalls(
    engine,
    '{"timestamp":"2024-05-01T12:34:56.789Z","endpoint":"a","status":200,"engine_ms":1.5}\n',
  );
  const sql = 'SELECT endpoint, status, engine_ms, code, labels FROM millrace.calls';
  expect(await rows(engine, statement(sql))).toEqual([
    { endpoint: 'a', status: 200, engine_ms: 1.5, code: '', labels: {} },
  ]);
});
