// Which tables a statement reads, and that their fingerprint changes with their data: each kind of table on the real engine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFingerprint } from '../../../src/service/endpoints/fingerprint.ts';
import { resolveTables } from '../../../src/service/endpoints/table-set.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { openTestEngine } from '../../support/test-engine.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openTestEngine();
  for (const statement of TABLES.split(';')) await engine.execute(statement);
}, 60_000);
afterAll(() => engine.close(0));

const TABLES = `CREATE DATABASE w;
CREATE TABLE w.a (id UInt64, s String) ENGINE = MergeTree ORDER BY id PARTITION BY id % 2 SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1;
CREATE TABLE w.b (id UInt64, s String) ENGINE = MergeTree ORDER BY id PARTITION BY id % 2;
CREATE TABLE default.a (id UInt64) ENGINE = MergeTree ORDER BY id;
CREATE MATERIALIZED VIEW default.mv ENGINE = MergeTree ORDER BY id AS SELECT id FROM default.a;
CREATE TABLE w.renamed (id UInt64) ENGINE = ReplacingMergeTree ORDER BY id;
CREATE TABLE w.in1 (id UInt64) ENGINE = MergeTree ORDER BY id;
CREATE TABLE w.part_1 (id UInt64) ENGINE = MergeTree ORDER BY id;
CREATE TABLE w.parts (id UInt64) ENGINE = Merge('w', '^part_\\\\d');
CREATE TABLE w.parts_anywhere (id UInt64) ENGINE = Merge(REGEXP('^w$'), '^part_');
CREATE VIEW w.v AS SELECT id FROM w.a WHERE id IN (SELECT id FROM w.in1);
CREATE VIEW w.vv AS SELECT id FROM w.v;
CREATE MATERIALIZED VIEW w.mv ENGINE = MergeTree ORDER BY id AS SELECT id FROM w.a;
CREATE TABLE w.target (id UInt64) ENGINE = MergeTree ORDER BY id;
CREATE MATERIALIZED VIEW w.mv_to TO w.target AS SELECT id FROM w.b;
CREATE TABLE w.buffer (id UInt64, s String) ENGINE = Buffer('w', 'b', 1, 1000, 1000, 100000, 100000, 100000000, 100000000);
CREATE TABLE w.log (id UInt64) ENGINE = Log;
CREATE TABLE w.memory (id UInt64) ENGINE = Memory;
CREATE TABLE w.nothing (id UInt64) ENGINE = Null;
CREATE DICTIONARY w.d (id UInt64, s String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB 'w' TABLE 'b')) LAYOUT(FLAT()) LIFETIME(0);
CREATE DICTIONARY w.direct (id UInt64, s String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB 'w' TABLE 'b')) LAYOUT(DIRECT());
CREATE TABLE w.computed (id UInt64, s String ALIAS dictGet('w.d', 's', id)) ENGINE = MergeTree ORDER BY id;
CREATE TABLE w.aged (id UInt64, age UInt32 ALIAS toUInt32(now()) - id) ENGINE = MergeTree ORDER BY id;
CREATE TABLE w.defaults (id UInt64, at DateTime DEFAULT now(), day Date DEFAULT toDate(at), doc JSON, email String DEFAULT doc.email.:String) ENGINE = ReplacingMergeTree(at) ORDER BY id;
CREATE TABLE w.documents (id UInt64, payload JSON, meta JSON(version String), d Dynamic, v Variant(String, UInt64), m Map(String, String)) ENGINE = MergeTree ORDER BY id;
CREATE TABLE w.other_name ENGINE = Alias('w', 'b');
CREATE TABLE w.other_defaults ENGINE = Alias('w', 'defaults');
CREATE TABLE w.buffered (id UInt64, at DateTime, day Date, later DateTime ALIAS at + 1) ENGINE = Buffer('w', 'defaults', 1, 1000, 1000, 100000, 100000, 100000000, 100000000);
CREATE TABLE w.merged ENGINE = Merge('w', '^defaults$');
CREATE VIEW w.hourly AS SELECT id, toStartOfHour(now()) AS hour FROM w.a;
CREATE FUNCTION w_own AS x -> x + rand();
INSERT INTO w.a VALUES (1, 'a'), (2, 'b');
INSERT INTO w.a VALUES (1, 'c'), (2, 'd');
INSERT INTO w.b VALUES (1, 'x'), (2, 'y')`;

const resolve = (sql: string) => resolveTables(engine, [{ sql, samples: [{}] }]);

/** The fingerprint of what a statement reads now, resolved now. */
async function fingerprint(sql: string): Promise<string> {
  const { set, unwatched } = await resolve(sql);
  expect(unwatched).toEqual([]);
  return readFingerprint(engine, set);
}

describe('the fingerprint', () => {
  test.each<{ readonly why: string; readonly sql: string; readonly change: string }>([
    { why: 'an insert', sql: 'SELECT * FROM w.a', change: "INSERT INTO w.a VALUES (3, 'e')" },
    { why: 'an insert into a table by another name', sql: 'SELECT * FROM w.other_name', change: "INSERT INTO w.b VALUES (4, 'f')" },
    { why: 'an update', sql: 'SELECT * FROM w.a', change: "ALTER TABLE w.a UPDATE s = 'z' WHERE id = 1 SETTINGS mutations_sync = 2" },
    { why: 'a lightweight delete', sql: 'SELECT * FROM w.a', change: 'DELETE FROM w.a WHERE id = 3' },
    { why: 'a patch part', sql: 'SELECT * FROM w.a', change: "UPDATE w.a SET s = 'y' WHERE id = 1" },
    { why: 'a merge', sql: 'SELECT * FROM w.a', change: 'OPTIMIZE TABLE w.a FINAL' },
    { why: 'a partition that is detached', sql: 'SELECT * FROM w.a', change: 'ALTER TABLE w.a DETACH PARTITION 1' },
    { why: 'a partition that is attached', sql: 'SELECT * FROM w.a', change: 'ALTER TABLE w.a ATTACH PARTITION 1' },
    { why: 'a partition that is replaced', sql: 'SELECT * FROM w.b', change: 'ALTER TABLE w.b DROP PARTITION 1' },
    { why: 'a new column', sql: 'SELECT id FROM w.a', change: 'ALTER TABLE w.a ADD COLUMN n UInt8' },
    { why: 'a new comment', sql: 'SELECT id FROM w.a', change: "ALTER TABLE w.a MODIFY COMMENT 'c'" },
    { why: 'TRUNCATE', sql: 'SELECT * FROM w.in1', change: 'INSERT INTO w.in1 VALUES (1); TRUNCATE TABLE w.in1; INSERT INTO w.in1 VALUES (1)' },
    { why: 'a table that is made again', sql: 'SELECT * FROM w.in1', change: 'DROP TABLE w.in1 SYNC; CREATE TABLE w.in1 (id UInt64) ENGINE = MergeTree ORDER BY id' },
    { why: 'tables that are exchanged', sql: 'SELECT * FROM w.part_1', change: 'EXCHANGE TABLES w.part_1 AND w.in1' },
    { why: 'the default database', sql: 'SELECT * FROM default.a', change: 'INSERT INTO default.a VALUES (1)' },
    { why: 'a materialized view without UUID', sql: 'SELECT * FROM default.mv', change: 'INSERT INTO default.a VALUES (2)' },
    { why: 'a table of IN', sql: 'SELECT 1 WHERE 1 IN (SELECT id FROM w.in1)', change: 'INSERT INTO w.in1 VALUES (5)' },
    { why: 'a table that a view of a view reads', sql: 'SELECT * FROM w.vv', change: 'INSERT INTO w.in1 VALUES (6)' },
    { why: 'the definition of a view in a view', sql: 'SELECT * FROM w.vv', change: 'CREATE OR REPLACE VIEW w.v AS SELECT id FROM w.b' },
    { why: 'the own table of a materialized view', sql: 'SELECT * FROM w.mv', change: "INSERT INTO w.a (id, s) VALUES (9, 'm')" },
    { why: 'the target of a materialized view', sql: 'SELECT * FROM w.mv_to', change: 'INSERT INTO w.target VALUES (1)' },
    { why: 'a table that a Merge table matches', sql: 'SELECT * FROM w.parts', change: 'INSERT INTO w.part_1 VALUES (4)' },
    { why: 'another table that a Merge table matches', sql: 'SELECT * FROM w.parts', change: 'CREATE TABLE w.part_2 (id UInt64) ENGINE = MergeTree ORDER BY id' },
    { why: 'a Merge table over databases', sql: 'SELECT * FROM w.parts_anywhere', change: 'INSERT INTO w.part_2 VALUES (4)' },
    { why: 'rows in a buffer', sql: 'SELECT * FROM w.buffer', change: "INSERT INTO w.buffer VALUES (7, 'b')" },
    { why: 'the destination of a buffer', sql: 'SELECT * FROM w.buffer', change: "INSERT INTO w.b VALUES (8, 'b')" },
    { why: 'a buffer that is flushed', sql: 'SELECT * FROM w.buffer', change: 'OPTIMIZE TABLE w.buffer' },
    { why: 'a dictionary', sql: "SELECT dictGet('w.d', 's', id) FROM w.a", change: 'SYSTEM RELOAD DICTIONARY w.d' },
    { why: 'a dictionary with a constant key', sql: "SELECT dictGet('w.d', 's', 1::UInt64)", change: 'SYSTEM RELOAD DICTIONARY w.d' },
    { why: 'a dictionary as a table', sql: 'SELECT * FROM w.d', change: 'SYSTEM RELOAD DICTIONARY w.d' },
  ])('changes with $why', async ({ sql, change }) => {
    const { set } = await resolve(sql);
    const before = await fingerprint(sql);
    for (const statement of change.split('; ')) await engine.execute(statement);
    const after = await readFingerprint(engine, set);
    expect(after).not.toBe(before);
    if (after === 'outdated') expect(await fingerprint(sql)).not.toBe(before);
  }); // prettier-ignore

  test('stays while nothing happens, and is that of the same tables in another statement', async () => {
    const sql = 'SELECT count() FROM w.a JOIN w.b USING id';
    expect(await fingerprint(sql)).toBe(await fingerprint(sql));
    expect((await resolve('SELECT 1 FROM w.nothing')).unwatched).toEqual([]);
    expect((await resolve('SELECT number FROM numbers(3)')).unwatched).toEqual([]);
  });
});

describe('not watched', () => {
  test.each([
    ['SELECT * FROM w.memory', 'engine Memory'],
    ['SELECT * FROM w.log', 'engine Log'],
    ['SELECT * FROM system.tables', 'system table'],
    ["SELECT * FROM url('http://127.0.0.1:1/', CSV, 'a Int8')", 'url()'],
    ["SELECT * FROM merge('^part_')", 'accepts none'],
    ["SELECT * FROM merge(w, '^part_')", 'write it as a string'],
    ["SELECT * FROM merge('w', '^memory$')", 'w.memory has the engine Memory'],
    ["SELECT * FROM dictionary('w.direct')", 'at each lookup'],
    ["SELECT dictGet(concat('w.', 'd'), 's', id) FROM w.a", 'a computed name'],
    ["SELECT dictGet('w.direct', 's', id) FROM w.a", 'at each lookup'],
    [
      'SELECT payload.^x, payload.items[].a, meta.version.:String FROM w.documents AS d JOIN w.memory AS m ON m.id = d.id',
      'w.memory has the engine Memory',
    ],
    ['SELECT s FROM w.computed', 'computed with a dictionary'],
    ['SELECT w_own(id) FROM w.a', 'w_own'],
    ['SELECT * FROM w.absent', 'accepts none'],
  ])('%s', async (sql, reason) => {
    const { unwatched } = await resolve(sql);
    expect(unwatched.map((each) => each.reason).join('; ')).toContain(reason);
  });
});

test.each([
  ['SELECT hour FROM w.hourly', 'w.hourly', 900],
  ['SELECT age FROM w.aged', 'w.aged', undefined],
  ['SELECT at FROM w.defaults', 'w.defaults', undefined],
  ["SELECT id FROM w.defaults WHERE day > '2020-01-01'", 'w.defaults', undefined],
  ['SELECT id FROM w.defaults FINAL', 'w.defaults', undefined],
  ['SELECT id FROM w.defaults UNION ALL SELECT toUInt32(at) FROM w.defaults', 'w.defaults', undefined],
  ['SELECT toStartOfInterval(now(), INTERVAL 1 MINUTE) FROM w.a', undefined, 60],
])('%s reads the clock', async (sql, table, every) => {
  const { clock, set } = await resolve(sql);
  expect(clock.map((read) => [read.table, read.every])).toEqual([[table, every]]);
  expect(set.every).toBe(every);
});

test.each([
  'SELECT id, day FROM w.other_defaults',
  'SELECT id FROM w.other_defaults UNION ALL SELECT toUInt32(at) FROM w.other_defaults',
  'SELECT later FROM w.buffered',
  'SELECT at FROM w.merged',
  "SELECT at FROM merge('w', '^defaults$')",
])('%s reads the clock in the table whose rows these are', async (sql) => {
  const { clock } = await resolve(sql);
  expect(clock.map((read) => read.table)).toContain('w.defaults');
});

test.each([
  ['SELECT id FROM w.aged', 'w.aged'],
  ['SELECT id, email, doc.at FROM w.defaults', 'w.defaults'],
  ['SELECT count() FROM w.defaults', 'w.defaults'],
  ['SELECT id, email FROM w.other_defaults', 'w.other_defaults', 'w.defaults'],
  ['SELECT id FROM w.buffered', 'w.buffered', 'w.defaults'],
  ['SELECT id FROM w.merged', 'w.merged', 'w.defaults'],
  [
    "SELECT payload.^x, payload.items[].a, meta.version.:String, payload.`a.b`.:`Array(JSON)`, d.String, d.JSON.^a, v.UInt64, m.key_a, getSubcolumn(payload, 'a.:`String`') FROM w.documents",
    'w.documents',
  ],
])('%s is watched, and reads no clock', async (sql, ...tables) => {
  const { clock, set, unwatched } = await resolve(sql);
  expect([clock, unwatched]).toEqual([[], []]);
  expect(set.tables.map(({ database, name }) => `${database}.${name}`)).toEqual(tables);
});
