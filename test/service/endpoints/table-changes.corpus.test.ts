// Each kind of statement that changes tables, on the real engine: the fingerprint of a query's tables changes if its rows do.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { OUTDATED, readFingerprint } from '../../../src/service/endpoints/fingerprint.ts';
import { resolveTables } from '../../../src/service/endpoints/table-set.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { readRows } from '../../../src/service/engine/rows.ts';
import { openTestEngine } from '../../support/test-engine.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openTestEngine();
  await run('CREATE DATABASE c; CREATE DATABASE other');
});
afterAll(() => engine.close(0));

const COLUMNS = `(id UInt64, s String, d DateTime DEFAULT '2020-01-01 00:00:00')`;
const SETTINGS = `SETTINGS min_parts_to_merge_at_once = 1000, enable_block_number_column = 1, enable_block_offset_column = 1`;
const PARTS = `ENGINE = MergeTree PARTITION BY id % 2 ORDER BY id ${SETTINGS}`;
/** `c.t` has rows 1, 2 and 3, of which 1 and 3 are in partition 1; `c.u` has rows 11 and 12. */
const FRESH = `CREATE OR REPLACE TABLE c.t ${COLUMNS} ${PARTS};
INSERT INTO c.t (id, s) VALUES (1, 'a'), (2, 'b');
INSERT INTO c.t (id, s) VALUES (3, 'c')`;
const OTHER = `CREATE OR REPLACE TABLE c.u ${COLUMNS} ${PARTS};
INSERT INTO c.u (id, s) VALUES (11, 'k'), (12, 'l')`;

const run = async (statements: string): Promise<void> => {
  for (const statement of statements.split(/;\s*/)) await engine.execute(statement);
};
const resolve = async (sql: string) => {
  const { set, unwatched } = await resolveTables(engine, [{ sql, samples: [{}] }]);
  expect(unwatched).toEqual([]);
  return set;
};
const rowsOf = async (sql: string): Promise<string> => JSON.stringify(await readRows(engine, sql));

/** Whether `c.u` is no longer as it was; `c.mv` writes to it. */
let isOtherChanged = true;
beforeEach(async () => {
  await run(FRESH);
  if (isOtherChanged) await run(OTHER);
  isOtherChanged = false;
});

interface Change {
  readonly why: string;
  readonly change: string;
  /** Besides the tables above. */
  readonly before?: string;
  readonly sql?: string;
  /** What happens to the rows of the query, and to the fingerprint. */
  readonly rows: 'change' | 'stay';
  readonly fingerprint?: 'stay' | 'either';
}

const ALL = 'SELECT id, s FROM c.t ORDER BY ALL';

const CHANGES: readonly Change[] = [
  { why: 'INSERT', change: `INSERT INTO c.t (id, s) VALUES (4, 'd')`, rows: 'change' },
  { why: 'INSERT of rows that are there', change: `INSERT INTO c.t (id, s) VALUES (1, 'a')`, rows: 'change' },
  { why: 'ALTER … UPDATE', change: `ALTER TABLE c.t UPDATE s = 'z' WHERE id = 1 SETTINGS mutations_sync = 2`, rows: 'change' },
  { why: 'ALTER … DELETE', change: `ALTER TABLE c.t DELETE WHERE id = 1 SETTINGS mutations_sync = 2`, rows: 'change' },
  { why: 'a mutation of no row', change: `ALTER TABLE c.t DELETE WHERE id = 99 SETTINGS mutations_sync = 2`, rows: 'stay' },
  { why: 'DELETE', change: 'DELETE FROM c.t WHERE id = 1', rows: 'change' },
  { why: 'DELETE of a partition', change: 'DELETE FROM c.t IN PARTITION 1 WHERE id = 1', rows: 'change' },
  { why: 'UPDATE', change: `UPDATE c.t SET s = 'y' WHERE id = 1`, rows: 'change' },
  { why: 'DELETE with a patch', change: `DELETE FROM c.t WHERE id = 1 SETTINGS lightweight_delete_mode = 'lightweight_update_force'`, rows: 'change' },
  { why: 'TRUNCATE', change: 'TRUNCATE TABLE c.t', rows: 'change' },
  { why: 'DETACH PARTITION', change: 'ALTER TABLE c.t DETACH PARTITION 1', rows: 'change' },
  { why: 'ATTACH PARTITION', before: 'ALTER TABLE c.t DETACH PARTITION 1', change: 'ALTER TABLE c.t ATTACH PARTITION 1', rows: 'change' },
  { why: 'DROP PARTITION', change: 'ALTER TABLE c.t DROP PARTITION 1', rows: 'change' },
  { why: 'DROP PART', change: `ALTER TABLE c.t DROP PART '1_1_1_0'`, rows: 'change' },
  { why: 'REPLACE PARTITION', change: 'ALTER TABLE c.t REPLACE PARTITION 1 FROM c.u', rows: 'change' },
  { why: 'ATTACH PARTITION FROM', change: 'ALTER TABLE c.t ATTACH PARTITION 1 FROM c.u', rows: 'change' },
  { why: 'MOVE PARTITION to another table', change: 'ALTER TABLE c.t MOVE PARTITION 1 TO TABLE c.u', rows: 'change' },
  { why: 'MOVE PARTITION from another table', change: 'ALTER TABLE c.u MOVE PARTITION 1 TO TABLE c.t', rows: 'change' },
  { why: 'CLEAR COLUMN', change: 'ALTER TABLE c.t CLEAR COLUMN s IN PARTITION 1', rows: 'change' },
  { why: 'FREEZE', change: `ALTER TABLE c.t FREEZE WITH NAME 'n'`, rows: 'stay', fingerprint: 'stay' },
  { why: 'detached parts that are dropped', before: 'ALTER TABLE c.t DETACH PARTITION 1', change: 'ALTER TABLE c.t DROP DETACHED PARTITION 1 SETTINGS allow_drop_detached = 1', rows: 'stay', fingerprint: 'stay' },
  { why: 'OPTIMIZE', change: 'OPTIMIZE TABLE c.t FINAL', rows: 'stay' },
  { why: 'OPTIMIZE … DEDUPLICATE', before: `INSERT INTO c.t (id, s) VALUES (1, 'a')`, change: 'OPTIMIZE TABLE c.t FINAL DEDUPLICATE BY id, s', rows: 'change' },
  { why: 'rows that a TTL removes', before: 'ALTER TABLE c.t MODIFY TTL d + INTERVAL 1 DAY SETTINGS materialize_ttl_after_modify = 0', change: 'OPTIMIZE TABLE c.t FINAL', rows: 'change' },
  { why: 'a TTL that is materialized', change: 'ALTER TABLE c.t MODIFY TTL d + INTERVAL 1 DAY SETTINGS mutations_sync = 2', rows: 'change' },
  { why: 'ADD COLUMN with DEFAULT', sql: 'SELECT * FROM c.t ORDER BY ALL', change: `ALTER TABLE c.t ADD COLUMN n String DEFAULT concat(s, '!')`, rows: 'change' },
  { why: 'MODIFY COLUMN with another DEFAULT', before: `ALTER TABLE c.t ADD COLUMN n String DEFAULT 'x'`, sql: 'SELECT id, n FROM c.t ORDER BY ALL', change: `ALTER TABLE c.t MODIFY COLUMN n DEFAULT 'y'`, rows: 'change' },
  { why: 'RENAME COLUMN', sql: 'SELECT * EXCEPT (id) FROM c.t ORDER BY ALL', change: 'ALTER TABLE c.t RENAME COLUMN s TO r SETTINGS mutations_sync = 2', rows: 'stay' },
  { why: 'another type of a column', sql: 'SELECT d FROM c.t', change: 'ALTER TABLE c.t MODIFY COLUMN d Date SETTINGS mutations_sync = 2', rows: 'change' },
  { why: 'ADD PROJECTION', change: 'ALTER TABLE c.t ADD PROJECTION p (SELECT s, count() GROUP BY s)', rows: 'stay' },
  { why: 'MATERIALIZE PROJECTION', before: 'ALTER TABLE c.t ADD PROJECTION p (SELECT s, count() GROUP BY s)', change: 'ALTER TABLE c.t MATERIALIZE PROJECTION p SETTINGS mutations_sync = 2', rows: 'stay' },
  { why: 'EXCHANGE TABLES', change: 'EXCHANGE TABLES c.t AND c.u', rows: 'change' },
  { why: 'RENAME of another table to the name', change: `CREATE TABLE c.w AS c.t; RENAME TABLE c.t TO c.old, c.w TO c.t; DROP TABLE c.old SYNC`, rows: 'change' },
  { why: 'DROP and CREATE of the same name', change: `DROP TABLE c.t SYNC; CREATE TABLE c.t ${COLUMNS} ${PARTS}`, rows: 'change' },
  { why: 'the same rows in a table that is made again', change: `DROP TABLE c.t SYNC; ${FRESH}`, rows: 'stay' },
  { why: 'UNDROP', before: 'DROP TABLE IF EXISTS c.gone SYNC', change: `DROP TABLE c.t; UNDROP TABLE c.t`, rows: 'stay', fingerprint: 'either' }, // as below
  { why: 'a table that is detached and attached', change: 'DETACH TABLE c.t; ATTACH TABLE c.t', rows: 'stay', fingerprint: 'either' }, // the times of files are read again, which are up to a second later
  { why: 'a materialized view with TO', before: `CREATE MATERIALIZED VIEW IF NOT EXISTS c.mv TO c.u AS SELECT id, s FROM c.t`, sql: 'SELECT id FROM c.mv ORDER BY ALL', change: `INSERT INTO c.t (id, s) VALUES (9, 'i')`, rows: 'change' },
  { why: 'a materialized view that is emptied', before: 'DROP TABLE IF EXISTS c.mv', sql: 'SELECT id FROM c.own ORDER BY ALL', change: 'TRUNCATE TABLE c.own', rows: 'change' },
  { why: 'a refreshable view', sql: 'SELECT n FROM c.refreshed', change: `INSERT INTO c.t (id, s) VALUES (9, 'i'); SYSTEM REFRESH VIEW c.refreshed; SYSTEM WAIT VIEW c.refreshed`, rows: 'change' },
  { why: 'rows in a buffer', sql: 'SELECT id FROM c.buffer ORDER BY ALL', change: `INSERT INTO c.buffer (id, s) VALUES (5, 'e')`, rows: 'change' },
  { why: 'a buffer that is flushed', before: `INSERT INTO c.buffer (id, s) VALUES (5, 'e')`, sql: 'SELECT id FROM c.buffer ORDER BY ALL', change: 'OPTIMIZE TABLE c.buffer', rows: 'stay' },
  { why: 'a dictionary that is reloaded', before: 'SYSTEM RELOAD DICTIONARY c.d', sql: `SELECT dictGetOrDefault('c.d', 's', toUInt64(7), '-')`, change: `INSERT INTO c.u (id, s) VALUES (7, 'g'); SYSTEM RELOAD DICTIONARY c.d`, rows: 'change' },
  { why: 'the table function dictionary', before: 'SYSTEM RELOAD DICTIONARY c.d', sql: `SELECT id FROM dictionary('c.d') ORDER BY ALL`, change: `INSERT INTO c.u (id, s) VALUES (7, 'g'); SYSTEM RELOAD DICTIONARY c.d`, rows: 'change' },
  { why: 'a dictionary in a view', before: 'SYSTEM RELOAD DICTIONARY c.d', sql: `SELECT s FROM c.looked_up`, change: `INSERT INTO c.u (id, s) VALUES (1, 'g'); SYSTEM RELOAD DICTIONARY c.d`, rows: 'change' },
  { why: 'the table function merge', sql: `SELECT id FROM merge('c', '^[tu]$') ORDER BY ALL`, change: `INSERT INTO c.u (id, s) VALUES (7, 'g')`, rows: 'change' },
  { why: 'a new table that merge reads', before: 'DROP TABLE IF EXISTS other.t2 SYNC', sql: `SELECT id FROM merge(REGEXP('^(c|other)$'), '^t\\\\d*$') ORDER BY ALL`, change: 'CREATE TABLE other.t2 ENGINE = MergeTree ORDER BY id AS SELECT 20::UInt64 AS id', rows: 'change' },
  { why: 'a database that is renamed', before: 'CREATE TABLE other.t AS c.t; INSERT INTO other.t (id) VALUES (1)', sql: `SELECT id FROM merge(REGEXP('^(other|elsewhere)$'), '^t$')`, change: 'RENAME DATABASE other TO elsewhere', rows: 'stay' },
]; // prettier-ignore

beforeAll(async () => {
  await run(`${FRESH}; ${OTHER}`);
  await run(`CREATE MATERIALIZED VIEW c.own ENGINE = MergeTree ORDER BY id POPULATE AS SELECT id FROM c.t;
CREATE MATERIALIZED VIEW c.refreshed REFRESH EVERY 1 YEAR ENGINE = MergeTree ORDER BY n AS SELECT count() AS n FROM c.t;
CREATE TABLE c.buffer AS c.t ENGINE = Buffer('c', 't', 1, 1000, 1000, 100000, 100000, 100000000, 100000000);
CREATE DICTIONARY c.d (id UInt64, s String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB 'c' TABLE 'u')) LAYOUT(FLAT()) LIFETIME(0);
CREATE VIEW c.looked_up AS SELECT dictGetOrDefault('c.d', 's', toUInt64(1), '-') AS s`);
});

test.each(CHANGES)('$why', async ({ before, sql = ALL, change, rows, fingerprint }) => {
  isOtherChanged = /\bc\.u\b/.test(`${before} ${change}`);
  await run(before ?? 'SELECT 1');
  const set = await resolve(sql);
  const [rowsBefore, first] = [await rowsOf(sql), await readFingerprint(engine, set)];
  expect(first).not.toBe(OUTDATED);
  await run(change);
  const [rowsAfter, second] = [await rowsOf(sql), await readFingerprint(engine, set)];
  expect(rowsAfter === rowsBefore ? 'stay' : 'change').toBe(rows);
  if (fingerprint !== 'either') expect(second === first ? 'stay' : 'change').toBe(fingerprint ?? 'change');
  // Of a set that is resolved again, as for the next response.
  if (second === OUTDATED) expect(await readFingerprint(engine, await resolve(sql))).not.toBe(first);
});

test('of a dictionary is stable after its update, and another one after the next', async () => {
  const set = await resolve(`SELECT dictGet('c.d', 's', toUInt64(11))`);
  const stable = async (): Promise<string> => {
    let last = '';
    // The seconds of an update are in every fingerprint.
    await expect
      .poll(
        async () => {
          const previous = last;
          last = await readFingerprint(engine, set);
          return last === previous;
        },
        { timeout: 30_000, interval: 400 },
      )
      .toBe(true);
    return last;
  };
  await run('SYSTEM RELOAD DICTIONARY c.d');
  const first = await stable();
  await run('SYSTEM RELOAD DICTIONARY c.d');
  expect(await stable()).not.toBe(first);
});
