// Fixtures over tables as other projects define them: rows go where the table has them, and little is done per example.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Rows } from '../../../src/cli/kit/rows.ts';
import { openStage, type Stage } from '../../../src/cli/kit/stage.ts';
import type { Finding } from '../../../src/sql/base/finding.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { loadSchema } from '../../../src/cli/schema/load-schema.ts';
import { rows as rowsOf, statement } from '../../support/engine-statements.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const SCHEMA = `CREATE TABLE f.local (id UInt64, at DateTime) ENGINE = ReplicatedReplacingMergeTree ORDER BY id TTL at + INTERVAL 1 DAY;
CREATE TABLE f.all AS f.local ENGINE = Distributed('c', 'f', 'local');
CREATE DICTIONARY f.names (id UInt64, name String) PRIMARY KEY id SOURCE(POSTGRESQL(HOST 'pg' DB 'x' TABLE 'y')) LAYOUT(FLAT()) LIFETIME(3600);
CREATE TABLE f.broken (a Strng) ENGINE = Log;`;

let engine: Engine;
let stage: Stage;
let findings: readonly Finding[];
let executed: string[] = [];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'));
  const options = { connections: 2, queue: 10, memory: 2 ** 30, observe: () => undefined };
  const opened = await createEmbeddedEngine({ ...REAL_TIME, path: join(folder, 'engine'), ...options });
  engine = {
    ...opened,
    execute: (sql) => {
      executed.push(sql);
      return opened.execute(sql);
    },
  };
  const schema = await loadSchema(engine, [{ path: 'schema.sql', text: SCHEMA }]);
  const fixtures = join(folder, 'fixtures');
  mkdirSync(fixtures);
  const write = (name: string, text: string): void => writeFileSync(join(fixtures, name), text);
  write('f.all.ndjson', '{"id": 1, "at": "2001-02-03 00:00:00"}\n{"id": 1, "at": "2001-02-04 00:00:00"}\n');
  write('f.names.ndjson', '{"id": 1, "name": "one"}\n');
  write('f.broken.csv', 'a\n1\n');
  ({ stage, findings } = await openStage({
    engine,
    scratch: join(folder, 'engine'),
    fixtures,
    schema,
    engineSources: [],
  }));
});
afterAll(() => engine.close(0));

const own = (table: string, ...values: readonly object[]): Rows => ({
  table,
  format: 'JSONEachRow',
  text: values.map((value) => `${JSON.stringify(value)}\n`).join(''),
  file: 'e.yaml',
  locate: (row) => ({ line: row + 1, column: 1 }),
});
const read = async (): Promise<readonly unknown[]> =>
  rowsOf(
    engine,
    statement(
      "SELECT toUInt8(id) AS id, dictGet('f.names', 'name', id) AS name FROM f.all FINAL ORDER BY id",
    ),
  );

test('rows of a Distributed table and of a dictionary; none of a table that could not be created', async () => {
  expect(findings).toEqual([]);
  expect(await read()).toEqual([{ id: 1, name: 'one' }]);
});

test('rows of examples replace them, in both, and the fixtures come back', async () => {
  const example = [
    own('f.all', { id: 2, at: '2001-02-03 00:00:00' }),
    own('f.names', { id: 2, name: 'two' }),
  ];
  expect(await stage.set(example)).toEqual([]);
  expect(await read()).toEqual([{ id: 2, name: 'two' }]);
  expect(await stage.set([own('f.local', { id: 3 })])).toEqual([]);
  expect(await read()).toEqual([{ id: 3, name: '' }]);
  await stage.set([]);
  expect(await read()).toEqual([{ id: 1, name: 'one' }]);
});

test('statements for an example: none for the same rows, four for rows in place of the fixtures, three to restore them', async () => {
  const statements = async (rows: readonly Rows[]): Promise<number> => {
    executed = [];
    expect(await stage.set(rows)).toEqual([]);
    return executed.length;
  };
  const [one, other] = [own('f.all', { id: 4 }), own('f.all', { id: 5 })];
  expect(await statements([one])).toBe(4); // set the fixtures aside, remove them, load, reload the dictionary
  expect(await statements([one])).toBe(0);
  expect(await statements([other])).toBe(6);
  expect(await statements([])).toBe(3);
  expect(await statements([])).toBe(0);
});

test('rows that do not fit are findings, and the table keeps its rows', async () => {
  const [finding] = await stage.set([own('f.all', { id: 6 }, { nothing: 1 })]);
  expect(finding).toMatchObject({ code: 'fixture.rejected', line: 3 });
  expect(await stage.set([own('f.broken', { a: 1 })])).toMatchObject([{ code: 'fixture.unknown_table' }]);
  expect(await read()).toEqual([{ id: 1, name: 'one' }]);
});
