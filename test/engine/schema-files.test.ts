// Creates tables from a folder of *.sql files: everything that queries can name, without rows.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import { createTables } from '../../src/engine/schema-files.ts';
import { REAL_TIME } from '../support/real-time.ts';

const MEMORY = 'ENGINE = Memory';

test('CREATE statements run in file name order; rows are not inserted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'));
  const write = (name: string, sql: string): void => writeFileSync(join(folder, name), sql);
  write(
    '2.sql',
    `INSERT INTO a.plain VALUES (1); ALTER TABLE a.plain ADD COLUMN m UInt8; DROP TABLE a.plain;`,
  );
  write(
    '1.sql',
    `-- CREATE nothing;
CREATE DATABASE a;
CREATE TABLE a.plain (n UInt8) ${MEMORY} COMMENT 'as; SELECT';
CREATE TABLE a.selected ${MEMORY} AS SELECT 1 AS n;
CREATE OR REPLACE TABLE a.with_rows ${MEMORY} AS WITH x AS (SELECT 1 AS n) SELECT n FROM x;
create table a.bracketed ${MEMORY} as (select 1 as n);
CREATE TABLE a.emptied ${MEMORY} EMPTY AS SELECT 1 AS n;
CREATE TABLE a.like_plain AS a.plain;
CREATE VIEW a.view AS SELECT 1 AS n;`,
  );
  write('note.txt', 'CREATE nothing');
  const options = { connections: 1, queue: 1, memory: 2 ** 30, observe: () => undefined };
  const engine = await createEmbeddedEngine({ ...REAL_TIME, path: join(folder, 'engine'), ...options });
  await createTables(engine, folder);
  const limits = { time: 10, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 20 };
  const sql =
    "SELECT groupArray((t.name, total_rows, columns)) FROM (SELECT * FROM system.tables WHERE database = 'a' ORDER BY name) AS t INNER JOIN (SELECT table, count() AS columns FROM system.columns WHERE database = 'a' GROUP BY table) AS c ON t.name = c.table";
  const statement = { sql, parameters: {}, limits, origin: 'saved', int64: 'number' } as const;
  const { chunks } = await engine.run(statement, { format: 'JSONCompactEachRow' });
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  await engine.close(0);
  const [tables] = JSON.parse(text) as [[string, number | null, number][]]; // one line of one column
  expect(tables.toSorted(([one], [other]) => one.localeCompare(other))).toEqual([
    ['bracketed', 0, 1],
    ['emptied', 0, 1],
    ['like_plain', 0, 1],
    ['plain', 0, 2],
    ['selected', 0, 1],
    ['view', null, 1],
    ['with_rows', 0, 1],
  ]);
});
