// Tables of the engine Distributed: watched through the parts of all shards, if each shard has one replica.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OUTDATED, readFingerprint, type TableSet } from '../../../src/service/endpoints/fingerprint.ts';
import { resolveTables } from '../../../src/service/endpoints/table-set.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import { EngineError, type Engine } from '../../../src/service/engine/engine.ts';
import { REAL_TIME } from '../../support/real-time.ts';

/** All shards are the embedded engine itself, except of one cluster where nothing listens. */
const replica = (host: string, port = 9000): string =>
  `<replica><host>${host}</host><port>${port}</port></replica>`;
const clusters = (two: string): string => `<clickhouse><tcp_port>9000</tcp_port><remote_servers>
<two><shard>${replica('127.0.0.1')}</shard><shard>${replica(two)}</shard></two>
<replicated><shard>${replica('127.0.0.1')}${replica('localhost')}</shard></replicated>
<away><shard>${replica('127.0.0.1')}</shard><shard>${replica('127.0.0.1', 1)}</shard></away>
</remote_servers></clickhouse>`;

const path = join(mkdtempSync(join(tmpdir(), 'millrace-shards-')), 'engine');
const configFile = join(path, 'millrace.d', 'clusters.xml');
let engine: Engine;
const open = (second: string): Promise<Engine> => {
  writeFileSync(configFile, clusters(second));
  const limits = { connections: 1, queue: 100, memory: 2 ** 30 };
  const sources = ['REMOTE']; // clusters
  return createEmbeddedEngine({ ...REAL_TIME, path, ...limits, sources, observe: () => undefined });
};
beforeAll(async () => {
  mkdirSync(join(path, 'millrace.d'), { recursive: true });
  engine = await open('127.0.0.1');
  for (const statement of TABLES.split(';')) await engine.execute(statement);
});
afterAll(() => engine.close(0));

const TABLES = `CREATE DATABASE s;
CREATE TABLE s.t (id UInt64, name String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE s.memory (id UInt64) ENGINE = Memory;
CREATE TABLE s.clock (id UInt64, age UInt32 ALIAS toUInt32(now()) - id) ENGINE = MergeTree ORDER BY id;
CREATE TABLE s.all (id UInt64, name String) ENGINE = Distributed('two', 's', 't', id);
CREATE TABLE s.all_clock (id UInt64, age UInt32) ENGINE = Distributed('two', 's', 'clock');
CREATE TABLE s.all_memory (id UInt64) ENGINE = Distributed('two', 's', 'memory');
CREATE TABLE s.all_absent (id UInt64) ENGINE = Distributed('two', 's', 'absent');
CREATE TABLE s.all_nested (id UInt64) ENGINE = Distributed('two', 's', 'all');
CREATE TABLE s.all_default (id UInt64) ENGINE = Distributed('two', '', 't');
CREATE TABLE s.all_replicated (id UInt64) ENGINE = Distributed('replicated', 's', 't');
CREATE TABLE s.all_away (id UInt64) ENGINE = Distributed('away', 's', 't');
CREATE DICTIONARY s.d (id UInt64, name String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB 's' TABLE 't')) LAYOUT(FLAT()) LIFETIME(0);
CREATE VIEW s.v AS SELECT id FROM s.all;
INSERT INTO s.t VALUES (1, 'a')`;

const resolve = (sql: string) => resolveTables(engine, [{ sql, samples: [{}] }]);
const watched = async (sql: string): Promise<TableSet> => {
  const { set, unwatched } = await resolve(sql);
  expect(unwatched).toEqual([]);
  return set;
};

test.each([
  ['an insert', 'SELECT count() FROM s.all', `INSERT INTO s.t VALUES (2, 'b')`],
  ['an update', 'SELECT count() FROM s.all', `ALTER TABLE s.t UPDATE name = 'z' WHERE 1 SETTINGS mutations_sync = 2`],
  ['a column of the shards', 'SELECT count() FROM s.all', 'ALTER TABLE s.t ADD COLUMN n UInt8'],
  ['a column of the table itself', 'SELECT count() FROM s.all', 'ALTER TABLE s.all ADD COLUMN n UInt8'],
  ['an insert, through a view', 'SELECT count() FROM s.v', `INSERT INTO s.t (id) VALUES (3)`],
  ['a merge', 'SELECT count() FROM s.all', 'OPTIMIZE TABLE s.t FINAL'],
])('changes with %s', async (_, sql, change) => {
  const set = await watched(sql);
  const before = await readFingerprint(engine, set);
  expect(await readFingerprint(engine, set)).toBe(before);
  await engine.execute(change);
  expect(await readFingerprint(engine, set)).not.toBe(before);
  expect(await readFingerprint(engine, await watched(sql))).not.toBe(before);
}); // prettier-ignore

test('asks each shard', async () => {
  const set = await watched('SELECT count() FROM s.all');
  expect(set.sharded).toEqual([{ cluster: 'two', database: 's', name: 't' }]);
  expect(set.definitions.filter((each) => each.startsWith('shard of two '))).toHaveLength(2);
  expect(set.definitions.filter((each) => each.startsWith('cluster two '))).toHaveLength(2);
});

test.each([
  ['SELECT * FROM s.all_replicated', /^s\.all_replicated: shard 1 .* has several replicas/],
  ['SELECT * FROM s.all_memory', /s\.memory has the engine Memory on shard 1 of two/],
  ['SELECT * FROM s.all_absent', /s\.absent is not visible in system\.tables on shard 1 of two/],
  ['SELECT * FROM s.all_nested', /s\.all has the engine Distributed on shard 1/],
  ['SELECT count() FROM s.all WHERE id IN (SELECT id FROM s.t)', /s\.all is read with other tables/],
  [`SELECT dictGet('s.d', 'name', id) FROM s.all`, /with other tables or dictionaries/],
  ['SELECT count() FROM s.all JOIN s.all_clock USING (id)', /with other tables/],
  ['SELECT * FROM s.all_default', /whose name is not written out/],
])('%s is not watched', async (sql, reason) => {
  const { unwatched } = await resolve(sql);
  expect(unwatched.map((each) => each.reason)).toEqual([expect.stringMatching(reason)]);
});

test('missing privileges are named', async () => {
  const denied: Engine = {
    ...engine,
    run: (statement, options) =>
      statement.sql.includes('cluster(')
        ? Promise.reject(
            new EngineError(
              'rejected',
              "Code: 497. DB::Exception: millrace: Not enough privileges. To execute this query, it's necessary to have the grant REMOTE ON *.*. (ACCESS_DENIED)",
              { engineCode: 497 },
            ),
          )
        : engine.run(statement, options),
  };
  const { unwatched } = await resolveTables(denied, [{ sql: 'SELECT id FROM s.all', samples: [{}] }]);
  expect(unwatched.map(({ reason }) => reason)).toEqual([
    's.all: the shards of the cluster two may not be asked: GRANT REMOTE ON *.* TO millrace',
  ]);
});

test('columns that shards compute count', async () => {
  const { clock } = await resolve('SELECT age FROM s.all_clock');
  expect(clock.map(({ name, table }) => [name, table])).toEqual([['now', 's.all_clock']]);
});

test('a shard that cannot be asked is a failure, not one without rows', async () => {
  await expect(resolve('SELECT * FROM s.all_away')).rejects.toThrow(EngineError);
});

test('another server as a shard makes the set outdated', async () => {
  const set = await watched('SELECT count() FROM s.all');
  await engine.close(0);
  engine = await open('localhost');
  expect(await readFingerprint(engine, set)).toBe(OUTDATED);
  expect(await readFingerprint(engine, await watched('SELECT count() FROM s.all'))).not.toBe(OUTDATED);
});
