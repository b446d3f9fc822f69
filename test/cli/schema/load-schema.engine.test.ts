// Table definitions as other projects have them, on the real engine: the same columns, or a warning at the statement.
import { REAL_TIME } from '../../support/real-time.ts';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { loadSchema, type LoadedSchema } from '../../../src/cli/schema/load-schema.ts';
import { failureOf, rows, statement } from '../../support/engine-statements.ts';

let engine: Engine;
beforeAll(async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'millrace-')), 'engine');
  const options = { connections: 2, queue: 10, memory: 2 ** 30, observe: () => undefined };
  engine = await createEmbeddedEngine({ ...REAL_TIME, path, ...options });
});
afterAll(() => engine.close(0));

const load = (text: string, database?: string): Promise<LoadedSchema> =>
  loadSchema(engine, [{ path: 'a.sql', text }], { database });
const columnsOf = async (sql: string): Promise<string> =>
  (await engine.describe(statement(sql))).map(({ name, type }) => `${name} ${type}`).join(', ');

interface Case {
  readonly why: string;
  readonly sql: string;
  /** A query, and the columns that it must have. */
  readonly query: string;
  readonly columns: string;
  /** Codes of the warnings, with their lines. */
  readonly warnings?: readonly string[];
}

const CASES: readonly Case[] = [
  {
    why: 'replicated engines without their paths; ON CLUSTER, TTL, codecs, storage policies, indexes, projections and constraints do not change columns',
    sql: `CREATE TABLE a1.t ON CLUSTER '{cluster}' (
  ts DateTime CODEC(DoubleDelta, ZSTD(1)) TTL ts + INTERVAL 1 DAY,
  id UInt64 STATISTICS(tdigest) COMMENT 'it; is',
  note LowCardinality(Nullable(String)) DEFAULT 'x' CODEC(LZ4) TTL ts + INTERVAL 1 HOUR,
  ver UInt64,
  \`index\` UInt8,
  INDEX i note TYPE some_future_index(3) GRANULARITY 1,
  PROJECTION p (SELECT id ORDER BY id),
  CONSTRAINT c CHECK id > 0
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/t', '{replica}', ver)
PARTITION BY toYYYYMM(ts) ORDER BY (id, note) SAMPLE BY id PRIMARY KEY id
TTL ts + INTERVAL 1 DAY TO DISK 'cold', ts + INTERVAL 30 DAY DELETE
SETTINGS index_granularity = 8192, storage_policy = 'tiered', some_future_setting = 1 COMMENT 'a table';`,
    query: 'SELECT * FROM a1.t FINAL SAMPLE 1/2 PREWHERE id = 1',
    columns: 'ts DateTime, id UInt64, note LowCardinality(Nullable(String)), ver UInt64, index UInt8',
  },
  {
    why: 'SharedMergeTree of ClickHouse Cloud; a key that may be NULL; its UUID',
    sql: "CREATE TABLE a2.t UUID '3d7f0ed0-8d3c-4a0c-9a50-5b2f7c6c1f00' (d Nullable(Date), n Int8) ENGINE = SharedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY (d, n)",
    query: 'SELECT * FROM a2.t',
    columns: 'd Nullable(Date), n Int8',
  },
  {
    why: 'a Distributed table is its local table, whether it repeats the columns or not, and whichever comes first',
    sql: `CREATE TABLE a3.all ON CLUSTER c AS a3.local ENGINE = Distributed('c', 'a3', 'local', rand());
CREATE TABLE a3.named (id UInt8) ENGINE = Distributed('c', a3, local);
CREATE TABLE a3.local (id UInt8, v String) ENGINE = ReplicatedReplacingMergeTree ORDER BY id;`,
    query: 'SELECT x.*, y.v FROM a3.all AS x FINAL INNER JOIN a3.named AS y ON x.id = y.id',
    columns: 'id UInt8, v String, y.v String',
  },
  {
    why: 'a table whose key is misspelled can be read with FINAL, and others have its columns',
    sql: `CREATE TABLE k1.t (id UInt64, ver UInt64, del UInt8) ENGINE = ReplacingMergeTree(ver, del) PRIMARY KEY id ORDER BY (id, verr);
CREATE TABLE k1.b AS k1.t ENGINE = Buffer('elsewhere', 'table', 1, 10, 100, 10000, 1000000, 10000000, 100000000);`,
    query: 'SELECT * FROM k1.t FINAL UNION ALL SELECT * FROM k1.b',
    columns: 'id UInt64, ver UInt64, del UInt8',
    warnings: ['1:121 table k1.t has no column verr, so that a server rejects the statement'],
  },
  {
    why: 'what depends on a statement that could not be carried out has no warning of its own',
    sql: `CREATE TABLE k2.t (id UInt64, v Strng) ENGINE = MergeTree ORDER BY id;
CREATE TABLE k2.all AS k2.t ENGINE = Distributed('c', k2, t);
CREATE VIEW k2.v AS SELECT id FROM k2.all;
CREATE TABLE k2.other (id UInt8) ENGINE = MergeTree ORDER BY id;`,
    query: 'SELECT * FROM k2.other',
    columns: 'id UInt8',
    warnings: ['1:33 table k2.t could not be created: unknown data type family: Strng'],
  },
  {
    why: 'a misspelled target, database or table is one warning',
    sql: `CREATE TABLE k3.source (id UInt8) ENGINE = MergeTree ORDER BY id;
CREATE TABLE k3.target (id UInt8) ENGINE = MergeTree ORDER BY id;
CREATE MATERIALIZED VIEW k3.mv TO k3.targt AS SELECT id FROM k3.source;
CREATE DICTIONARY k3.d (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB 'k33' TABLE 'source')) LAYOUT(FLAT()) LIFETIME(0);
CREATE VIEW k3.v AS SELECT id FROM k3.sorce;`,
    query: 'SELECT * FROM k3.source',
    columns: 'id UInt8',
    warnings: [
      "5:36 view k3.v could not be created: unknown table expression identifier 'k3.sorce'",
      '3:35 no statement creates k3.targt, which the materialized view k3.mv names',
      '4:82 no statement creates k33.source, which the dictionary k3.d names',
    ],
  },
  {
    why: 'a misspelled column of an engine',
    sql: `CREATE TABLE k4.c (id UInt64, sign Int8, ver UInt8) ENGINE = VersionedCollapsingMergeTree(sign, vers) ORDER BY id;
CREATE TABLE k4.s (id UInt64, sum UInt64) ENGINE = SummingMergeTree((sums)) ORDER BY id;`,
    query: 'SELECT id FROM k4.c FINAL UNION ALL SELECT id FROM k4.s FINAL',
    columns: 'id UInt64',
    warnings: [
      '1:97 table k4.c has no column vers, so that a server rejects the statement',
      '2:70 table k4.s has no column sums, so that a server rejects the statement',
    ],
  },
  {
    why: 'a Distributed table whose local table is elsewhere has its own columns',
    sql: "CREATE TABLE a4.all (id UInt8, v String) ENGINE = Distributed('c', 'elsewhere', 'local')",
    query: 'SELECT * FROM a4.all',
    columns: 'id UInt8, v String',
  },
  {
    why: 'sources have their columns, and virtual ones that materialized views read',
    sql: `CREATE MATERIALIZED VIEW a5.mv TO a5.t AS SELECT id, _topic AS topic, _timestamp AS at FROM a5.queue;
CREATE TABLE a5.queue (id UInt8) ENGINE = Kafka SETTINGS kafka_broker_list = 'k:9092', kafka_topic_list = 't', kafka_format = 'JSONEachRow';
CREATE TABLE a5.pg (id UInt8) ENGINE = PostgreSQL('pg:5432', 'db', 't', 'u', 'secret');
CREATE TABLE a5.bucket (id UInt8) ENGINE = S3Queue('https://b.example/*', 'CSV') SETTINGS mode = 'unordered';
CREATE TABLE a5.t (id UInt8, topic String, at DateTime) ENGINE = MergeTree ORDER BY id;`,
    query: 'SELECT q.*, p.id, b._path, m.* FROM a5.queue AS q, a5.pg AS p, a5.bucket AS b, a5.mv AS m',
    columns: 'q.id UInt8, p.id UInt8, _path LowCardinality(String), m.id UInt8, topic String, at DateTime',
  },
  {
    why: 'materialized views: with an inner table, refreshed on a schedule, over a source that is missing',
    sql: `CREATE MATERIALIZED VIEW a6.inner ON CLUSTER c (day Date, n AggregateFunction(count)) ENGINE = ReplicatedAggregatingMergeTree('/p', 'r') ORDER BY day POPULATE AS SELECT toDate(ts) AS day, countState() AS n FROM a6.t GROUP BY day;
CREATE MATERIALIZED VIEW a6.fresh REFRESH EVERY 1 HOUR (day Date) ENGINE = MergeTree ORDER BY day EMPTY AS SELECT toDate(ts) AS day FROM a6.t;
CREATE MATERIALIZED VIEW a6.into REFRESH AFTER 1 MINUTE APPEND TO a6.target AS SELECT ts FROM a6.t;
CREATE MATERIALIZED VIEW a6.lost (x UInt8) ENGINE = MergeTree ORDER BY x AS SELECT x FROM a6.nowhere;
CREATE TABLE a6.target (ts DateTime) ENGINE = MergeTree ORDER BY ts;
CREATE TABLE a6.t (ts DateTime) ENGINE = MergeTree ORDER BY ts;`,
    query:
      'SELECT countMerge(i.n) AS n, any(f.day) AS day, any(i2.ts) AS ts, any(l.x) AS x FROM a6.inner AS i, a6.fresh AS f, a6.into AS i2, a6.lost AS l',
    columns: 'n UInt64, day Date, ts DateTime, x UInt8',
  },
  {
    why: 'views before the views that they read',
    sql: `CREATE VIEW a7.three AS SELECT * FROM a7.two; CREATE OR REPLACE VIEW a7.two (id UInt8) AS SELECT id FROM a7.one COMMENT 'c';
CREATE VIEW a7.one ON CLUSTER c DEFINER = someone SQL SECURITY DEFINER AS SELECT id FROM a7.t; CREATE TABLE a7.t (id UInt8) ENGINE = Log;`,
    query: 'SELECT * FROM a7.three',
    columns: 'id UInt8',
  },
  {
    why: 'dictionaries over a table here, over a source that is not reached, of regular expressions, with a cache',
    sql: `CREATE DICTIONARY a8.local (id UInt64, name String DEFAULT '') PRIMARY KEY id SOURCE(CLICKHOUSE(HOST 'other' USER 'u' PASSWORD '[HIDDEN]' DB 'a8' TABLE 't')) LAYOUT(FLAT()) LIFETIME(MIN 300 MAX 600);
CREATE DICTIONARY a8.query (id UInt64, name String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT id, name FROM a8.t')) LAYOUT(CACHE(SIZE_IN_CELLS 10)) LIFETIME(300);
CREATE DICTIONARY a8.remote ON CLUSTER c (code String, full String EXPRESSION upper(f) INJECTIVE, n Nullable(Float64)) PRIMARY KEY code SOURCE(HTTP(url 'https://example.com/x.csv' format 'CSV')) LAYOUT(COMPLEX_KEY_SSD_CACHE(PATH '/x')) LIFETIME(3600) SETTINGS(format_csv_allow_single_quotes = 1);
CREATE DICTIONARY a8.agent (regexp String, os String) PRIMARY KEY regexp SOURCE(YAMLRegExpTree(PATH '/ua.yaml')) LAYOUT(REGEXP_TREE) LIFETIME(0);
CREATE DICTIONARY a8.ranges (id UInt64, start Date, stop Date, rate Float64) PRIMARY KEY id SOURCE(MYSQL(DB 'x' TABLE 'y')) LAYOUT(RANGE_HASHED()) RANGE(MIN start MAX stop) LIFETIME(60);
CREATE TABLE a8.t (id UInt64, name String) ENGINE = MergeTree ORDER BY id;`,
    query:
      "SELECT dictGet('a8.local', 'name', 1::UInt64) AS a, dictGet('a8.query', 'name', 1::UInt64) AS b, dictGet('a8.remote', 'n', 'x') AS c, dictGet('a8.agent', 'os', 'x') AS d, dictGet('a8.ranges', 'rate', 1::UInt64, today()) AS e, any(full) AS f FROM a8.remote",
    columns: 'a String, b String, c Nullable(Float64), d String, e Float64, f String',
  },
  {
    why: 'a migration: USE, ALTER of every kind, RENAME, EXCHANGE, DROP; names without a database',
    sql: `CREATE DATABASE a9 ON CLUSTER c ENGINE = Replicated('/p', '{shard}', '{replica}'); USE a9;
CREATE TABLE t (a UInt8, b String, c String, d String) ENGINE = MergeTree ORDER BY a TTL toDate('2020-01-01');
ALTER TABLE t ON CLUSTER c ADD COLUMN IF NOT EXISTS e Array(String) CODEC(ZSTD(1)) AFTER a, ADD INDEX i b TYPE bloom_filter, MODIFY SETTING max_suspicious_broken_parts = 1, some_setting = 2, MODIFY COLUMN b LowCardinality(String) CODEC(ZSTD(3));
ALTER TABLE a9.t DROP COLUMN IF EXISTS c, RENAME COLUMN d TO f, MATERIALIZE INDEX i, MODIFY TTL toDate('2021-01-01'), COMMENT COLUMN b 'x';
ALTER TABLE t UPDATE b = 'x', f = 'y' WHERE 1; ALTER TABLE t DELETE WHERE a = 1; ALTER TABLE t FREEZE; ALTER TABLE t MODIFY COLUMN b REMOVE TTL;
ALTER TABLE t (ADD COLUMN g UInt8 DEFAULT 1 TTL toDate('2020-01-01')), (MODIFY COLUMN g CODEC(NONE));
CREATE TABLE t2 AS t; RENAME TABLE t2 TO t3 ON CLUSTER c; EXCHANGE TABLES t AND t3; DROP TABLE t3 ON CLUSTER c SYNC; DROP TABLE IF EXISTS never; DROP VIEW nothing;
INSERT INTO t VALUES (1, 'a;b'); OPTIMIZE TABLE t FINAL; SYSTEM RELOAD DICTIONARIES; SELECT 1;`,
    query: 'SELECT * FROM a9.t',
    columns: 'a UInt8, e Array(String), b LowCardinality(String), f String, g UInt8',
  },
  {
    why: 'a changed Distributed table follows its local table',
    sql: `CREATE TABLE b1.t (a UInt8) ENGINE = MergeTree ORDER BY a; CREATE TABLE b1.d AS b1.t ENGINE = Distributed(c, b1, t);
ALTER TABLE b1.t ON CLUSTER c ADD COLUMN b UInt8; ALTER TABLE b1.d ON CLUSTER c ADD COLUMN b UInt8;
ALTER TABLE b1.d ADD COLUMN c UInt8; ALTER TABLE b1.t ADD COLUMN c UInt8;`,
    query: 'SELECT * FROM b1.d',
    columns: 'a UInt8, b UInt8, c UInt8',
  },
  {
    why: 'types and settings that have to be allowed, the former JSON type, nested columns as they are stored',
    sql: `SET flatten_nested = 0, max_threads = 2; SET allow_experimental_object_type = 1;
CREATE TABLE b2.t (j Object('json'), v Variant(UInt8, String), l LowCardinality(UInt8), n Nested(x UInt8, y String), o JSON(a.b UInt8), q Array(Tuple(INT UNSIGNED, object (Nullable('json')))), e Enum8('Object(json)' = 1)) ENGINE = MergeTree ORDER BY tuple();`,
    query: 'SELECT j, v, l, n, q, e FROM b2.t',
    columns:
      "j JSON, v Variant(String, UInt8), l LowCardinality(UInt8), n Nested(x UInt8, y String), q Array(Tuple(UInt32, JSON)), e Enum8('Object(json)' = 1)",
  },
  {
    why: 'values computed by a function or dictionary that is missing: the same columns without the value',
    sql: "CREATE TABLE b3.t (a UInt8, b String DEFAULT dictGet('b3.none', 'x', a), c String MATERIALIZED my_program(a), d UInt16 ALIAS my_program(a)) ENGINE = ReplacingMergeTree ORDER BY (a, my_program(a))",
    query: 'SELECT *, c, d FROM b3.t',
    columns: 'a UInt8, b String, c String, d UInt16',
  },
  {
    why: 'ATTACH with columns; CREATE TABLE AS SELECT and AS another table; the deprecated form of MergeTree; functions; access control is left out',
    sql: `ATTACH TABLE b4.t (d Date, a UInt8) ENGINE = ReplicatedMergeTree('/p', 'r', d, (d, a), 8192); ATTACH TABLE b4.u; ATTACH DATABASE b4;
CREATE FUNCTION IF NOT EXISTS b4_twice ON CLUSTER c AS (x) -> x * 2; CREATE FUNCTION b4_program ON CLUSTER c;
CREATE TABLE b4.s ENGINE = ReplicatedMergeTree ORDER BY n AS WITH 1 AS one SELECT b4_twice(one) AS n; CREATE TABLE b4.k AS b4.t ENGINE = Kafka('b', 't', 'g', 'CSV');
CREATE USER u IDENTIFIED BY 'x'; CREATE ROW POLICY p ON b4.t USING 1 TO ALL; GRANT SELECT ON b4.* TO u; CREATE NAMED COLLECTION n AS password = 'x'; ALTER USER u; DROP ROLE r; CREATE QUOTA q;`,
    query: 'SELECT t.*, s.n, k.a FROM b4.t AS t, b4.s AS s, b4.k AS k',
    columns: 't.d Date, t.a UInt8, n UInt16, k.a UInt8',
  },
  {
    why: 'columns and keys with the names of clauses; semicolons and clauses in strings and comments',
    sql: `CREATE TABLE b5.t (\`comment\` String, ttl UInt8, settings Map(String, String), "order" UInt8, "projection" Array(UInt8), codec String DEFAULT ';', primary UInt8 /* ; */, x Bool DEFAULT ttl IS NOT NULL COMMENT 'TTL (x)' ) -- ENGINE = Kafka;
ENGINE MergeTree() ORDER BY (ttl, "order") COMMENT 'ORDER BY; ENGINE = Log'`,
    query: 'SELECT * FROM b5.t',
    columns:
      'comment String, ttl UInt8, settings Map(String, String), order UInt8, projection Array(UInt8), codec String, primary UInt8, x Bool',
  },
];

describe('the same columns', () => {
  test.each(CASES)('$why', async ({ sql, query, columns, warnings = [] }) => {
    const { findings } = await load(sql);
    expect(findings.map(({ message, line, column }) => `${line}:${column} ${message}`)).toEqual(warnings);
    expect(await columnsOf(query)).toBe(columns);
  });

  test('rows older than the TTL stay, so that fixtures do not expire; views are filled as on a server', async () => {
    await load(`CREATE TABLE c1.t (d Date, n UInt8 TTL d + INTERVAL 1 DAY) ENGINE = ReplicatedMergeTree ORDER BY d TTL d + INTERVAL 1 DAY;
CREATE MATERIALIZED VIEW c1.sums (d Date, total UInt64) ENGINE = SummingMergeTree ORDER BY d AS SELECT d, sum(n) AS total FROM c1.t GROUP BY d;
CREATE TABLE c1.all AS c1.t ENGINE = Distributed('c', c1, t);`);
    await engine.execute("INSERT INTO c1.all VALUES ('2001-02-03', 4)");
    expect(
      await rows(
        engine,
        statement('SELECT t.n AS n, total FROM c1.t AS t INNER JOIN c1.sums AS s ON t.d = s.d'),
      ),
    ).toEqual([{ n: 4, total: 4 }]);
  });

  test('names without a database are in the given one, and the engine is left in its own', async () => {
    await load('CREATE TABLE t (a UInt8) ENGINE = Log; CREATE VIEW v AS SELECT a FROM t', 'c2');
    expect(await columnsOf('SELECT * FROM c2.v')).toBe('a UInt8');
    await engine.execute('CREATE TABLE still_default (a UInt8) ENGINE = Log');
    expect(await columnsOf('SELECT * FROM default.still_default')).toBe('a UInt8');
  });
});

describe('what cannot be created', () => {
  test('is a warning at the statement, at the name in it that the engine reports; the rest is created', async () => {
    const { findings, broken, counts } = await load(`CREATE TABLE d1.ok (a UInt8) ENGINE = Log;
CREATE TABLE d1.type (
  a Strng
) ENGINE = Log;
CREATE TABLE d1.inferred ENGINE = S3('https://b.example/x.parquet');
  CREATE VIEW d1.view AS
SELECT b FROM d1.ok;
CREATE DATABASE d2 ENGINE = MaterializedPostgreSQL('pg', 'db', 'u', 'secret');
CREATE TABLE d1.open (a UInt8;
VACUUM FULL;
CREATE TABLE \${UNSET}.t (a UInt8) ENGINE = Log;`);
    expect(findings.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual([
      'tables.unsupported 5:1',
      'tables.unsupported 8:1',
      'tables.unsupported 9:22',
      'tables.unsupported 10:1',
      'tables.missing_variable 11:14',
      'tables.not_created 3:5',
      'tables.not_created 7:8',
    ]);
    expect([...broken.keys()]).toEqual(['d1.inferred', 'd2.', 'd1.open', 'd1.type', 'd1.view']);
    expect(findings[4]?.hint).toContain('UNSET');
    expect(findings.map(({ message }) => message).join()).not.toContain('secret');
    expect(counts).toMatchObject({ carriedOut: 1 });
    expect(await columnsOf('SELECT * FROM d1.ok')).toBe('a UInt8');
  });

  test('a placeholder without a value is an error at its place, unless it is in a string or in a part that is left out', async () => {
    const { findings, broken } = await load(`CREATE TABLE v1.{{ .UNSET }} (a UInt8) ENGINE = Log;
CREATE TABLE v1.ok ON CLUSTER \${UNSET} (a UInt8 /* \${UNSET} */) ENGINE = ReplicatedMergeTree('/\${UNSET}', 'r') ORDER BY a;
CREATE TABLE v1.text (a String DEFAULT 'x\${UNSET}') ENGINE = Log;
CREATE TABLE v1.\`\${UNSET}\` (a UInt8) ENGINE = Log;
CREATE VIEW v1.view AS
SELECT a FROM \${UNSET}.t;
CREATE TABLE v1.columns (\${UNSET} UInt8, b String DEFAULT '\${UNSET}') ENGINE = Log;
CREATE TABLE v1.expires (a UInt8, d Date) ENGINE = MergeTree ORDER BY a TTL d + INTERVAL \${UNSET} DAY;
SET flatten_nested = \${UNSET};
USE \`\${UNSET}\`;
CREATE USER u IDENTIFIED BY '\${UNSET}';
CREATE TABLE v1_other (a UInt8) ENGINE = Log;`);
    expect(
      findings.map(({ severity, code, line, column }) => `${severity} ${code} ${line}:${column}`),
    ).toEqual([
      'error tables.missing_variable 1:17',
      'warning tables.missing_variable 3:42',
      'error tables.missing_variable 4:18',
      'error tables.missing_variable 6:15',
      'error tables.missing_variable 7:26',
      'error tables.missing_variable 9:22',
      'error tables.missing_variable 10:6',
    ]);
    expect([...broken.keys()]).toContain('v1.view');
    for (const { message, hint } of findings) expect(`${message} ${hint}`).toContain('--variables UNSET');
    expect(
      await columnsOf('SELECT a, (SELECT a FROM v1.text), (SELECT a FROM default.v1_other) FROM v1.ok'),
    ).toContain('UInt8');
  });

  test('what changes an object waits for the statement that creates it', async () => {
    const { findings } =
      await load(`CREATE MATERIALIZED VIEW d3.mv TO d3.t AS SELECT a FROM d3.source; ALTER TABLE d3.mv MODIFY QUERY SELECT a + 1 AS a FROM d3.source; DROP VIEW IF EXISTS d3.mv;
CREATE TABLE d3.source (a UInt8) ENGINE = Null; CREATE TABLE d3.t (a UInt8) ENGINE = Log`);
    expect(findings).toEqual([]);
    expect((await failureOf(columnsOf('SELECT * FROM d3.mv'))).engineCode).toBe(60);
  });
});

test.each([
  ['a key', 'CREATE TABLE m1.t (id UInt64, at DateTime)\nENGINE = ReplacingMergeTree(at) ORDER BY (at, «idd)', 'id'],
  ['the version column', 'CREATE TABLE m2.t (id UInt64, updated DateTime)\nENGINE = ReplacingMergeTree(«updatd) ORDER BY id', 'updated'],
  ['that of a replicated table', "CREATE TABLE m3.t (id UInt64, updated DateTime)\nENGINE = ReplicatedReplacingMergeTree('/t', '{replica}', «updatd) ORDER BY id", 'updated'],
  ['a partition', 'CREATE TABLE m4.t (id UInt64, at DateTime) ENGINE = MergeTree\nPARTITION BY toYYYYMM(«att) ORDER BY id', 'at'],
  ['a sum', 'CREATE TABLE m5.t (id UInt64, amount UInt64)\nENGINE = SummingMergeTree(«amout) ORDER BY id', 'amount'],
  ['an expiry', 'CREATE TABLE m7.t (id UInt64, at DateTime) ENGINE = MergeTree ORDER BY id\nTTL «att + INTERVAL 1 DAY', 'at'],
  ['an expiry to a disk', "CREATE TABLE m8.t (id UInt64, at DateTime) ENGINE = MergeTree ORDER BY id TTL «att + INTERVAL 1 DAY TO DISK 'cold'", 'at'],
  ['an expiry with a condition', 'CREATE TABLE m9.t (id UInt64, at DateTime, level String) ENGINE = MergeTree ORDER BY id TTL at + INTERVAL 1 DAY DELETE WHERE «levl = 1', 'level'],
  ['that of a column', 'CREATE TABLE m10.t (id UInt64, at DateTime, text String TTL «att + INTERVAL 1 DAY) ENGINE = MergeTree ORDER BY id', 'at'],
  ['an index', 'CREATE TABLE m11.t (id UInt64, email String,\nINDEX i lower(«emai) TYPE bloom_filter GRANULARITY 4) ENGINE = MergeTree ORDER BY id', 'email'],
  ['a projection', 'CREATE TABLE m12.t (id UInt64, email String,\nPROJECTION p (SELECT «emial, count() GROUP BY emial)) ENGINE = MergeTree ORDER BY id', 'email'],
  ['the order of a projection', 'CREATE TABLE m13.t (id UInt64, email String, PROJECTION p (SELECT * ORDER BY «emial)) ENGINE = MergeTree ORDER BY id', 'email'],
  ['a default', 'CREATE TABLE m6.t (id UInt64, day Date DEFAULT toDate(«creatd), created DateTime) ENGINE = MergeTree ORDER BY id', 'created'],
])('a misspelled column in %s is reported at the statement', async (_, marked, name) => {
  const { findings } = await load(marked.replace('«', ''));
  const before = marked.slice(0, marked.indexOf('«')).split('\n');
  expect(findings).toMatchObject([
    { code: 'tables.unknown_column', line: before.length, column: (before.at(-1)?.length ?? 0) + 1, hint: `Did you mean ${name}?` },
  ]);
}); // prettier-ignore

test.each([
  ['tables.unknown_table', "CREATE TABLE m20.t_local (id UInt64) ENGINE = MergeTree ORDER BY id;\nCREATE TABLE m20.t AS m20.t_local ENGINE = Distributed(main, m20, «t_locl)", 'm20.t_local'],
  ['tables.unknown_table', 'CREATE TABLE m21.hourly (id UInt64) ENGINE = MergeTree ORDER BY id; CREATE TABLE m21.raw (id UInt64) ENGINE = Null;\nCREATE MATERIALIZED VIEW m21.mv TO «m21.hourli AS SELECT id FROM m21.raw', 'm21.hourly'],
  ['tables.unknown_table', "CREATE TABLE m22.model_rows (id UInt64, n String) ENGINE = Log;\nCREATE DICTIONARY m22.d (id UInt64, n String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB 'm22' TABLE «'model_row')) LAYOUT(FLAT()) LIFETIME(0)", 'm22.model_rows'],
  ['tables.unknown_engine', 'CREATE TABLE m23.t (id UInt64)\nENGINE = «ReplacingMergTree ORDER BY id', 'ReplacingMergeTree'],
  ['tables.not_created', 'CREATE TABLE m24.t (id UInt64,\n  amount «Decmal(6, 2)) ENGINE = Memory', 'Decimal'],
  ['tables.unknown_column', 'CREATE TABLE m40.t (id UInt64, at DateTime, kind String) ENGINE = MergeTree ORDER BY id;\nALTER TABLE m40.t ADD INDEX i «kin TYPE set(10) GRANULARITY 1', 'kind'],
  ['tables.unknown_column', 'CREATE TABLE m41.t (id UInt64, at DateTime, kind String) ENGINE = MergeTree ORDER BY id;\nALTER TABLE m41.t ADD COLUMN more String, ADD INDEX i «moer TYPE set(10) GRANULARITY 1', 'more'],
  ['tables.unknown_column', 'CREATE TABLE m42.t (id UInt64, at DateTime, kind String) ENGINE = MergeTree ORDER BY id;\nALTER TABLE m42.t ADD PROJECTION p (SELECT «kin, count() GROUP BY kin)', 'kind'],
  ['tables.unknown_column', 'CREATE TABLE m43.t (id UInt64, at DateTime, kind String) ENGINE = MergeTree ORDER BY id;\nALTER TABLE m43.t MODIFY TTL «aat + INTERVAL 1 DAY', 'at'],
  ['tables.unknown_column', 'CREATE TABLE m44.t (id UInt64, at DateTime, kind String) ENGINE = MergeTree ORDER BY id;\nALTER TABLE m44.t ADD CONSTRAINT c CHECK «kin != \'\'', 'kind'],
  ['tables.unknown_column', 'CREATE TABLE m45.t_local (id UInt64, kind String) ENGINE = MergeTree ORDER BY id;\nCREATE TABLE m45.t AS m45.t_local ENGINE = Distributed(main, m45, t_local, sipHash64(«kin))', 'kind'],
  ['tables.unknown_column', 'CREATE TABLE m46.t (id UInt64, kind String) ENGINE = MergeTree ORDER BY id; CREATE TABLE m46.n (kind String) ENGINE = Memory;\nCREATE MATERIALIZED VIEW m46.mv TO m46.n AS SELECT «kindd AS kind FROM m46.t', 'kind'],
  ['tables.not_created', 'CREATE TABLE m47.t (id UInt64, kind String) ENGINE = MergeTree ORDER BY id;\nALTER TABLE m47.t ADD COLUMN more String AFTER «kin; ALTER TABLE m47.t ADD COLUMN other String', 'kind'],
  ['tables.not_created', 'CREATE TABLE m48.things (id UInt64) ENGINE = MergeTree ORDER BY id;\nALTER TABLE «m48.thing ADD COLUMN more String', 'm48.things'],
  ['tables.not_created', 'CREATE TABLE m25.orders (id UInt64) ENGINE = Memory;\nCREATE VIEW m25.v AS SELECT id FROM «m25.oders', 'm25.orders'],
  ['tables.not_created', 'CREATE TABLE m26.t (id UInt64, deleted UInt8) ENGINE = Memory; CREATE VIEW m26.v AS\nSELECT id FROM m26.t WHERE «deletd = 0', 'deleted'],
])('%s at a misspelled name, with the nearest one: %s', async (code, marked, name) => {
  const { findings } = await load(marked.replace('«', ''));
  const before = marked.slice(0, marked.indexOf('«')).split('\n');
  expect(findings).toMatchObject([
    { code, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, hint: `Did you mean ${name}?` },
  ]);
}); // prettier-ignore

test('tables and engines that are elsewhere have no finding', async () => {
  const { findings } =
    await load(`CREATE TABLE m31.t (id UInt64, at DateTime, s String) ENGINE = MergeTree ORDER BY id TTL at + INTERVAL 1 DAY;
CREATE TABLE m31.all AS m31.t ENGINE = Distributed(main, m31, t, rand());
ALTER TABLE m31.t ADD INDEX i s TYPE set(10) GRANULARITY 1, MODIFY TTL at + INTERVAL 2 DAY TO VOLUME 'cold';
ALTER TABLE m31.all ADD COLUMN x String, ADD INDEX j x TYPE set(10) GRANULARITY 1;
ALTER TABLE m31.t ADD COLUMN y String, ADD PROJECTION p (SELECT y, count() GROUP BY y);
ALTER TABLE m31.t DROP INDEX i, DROP COLUMN s;
CREATE TABLE m30.t (id UInt64) ENGINE = Distributed(main, other, events_local);
CREATE TABLE m30.k (id UInt64) ENGINE = Kafka('host', 'topic', 'group', 'JSONEachRow');
CREATE TABLE m30.s (id UInt64) ENGINE = SharedReplacingMergeTree ORDER BY id;
CREATE TABLE m30.x (id UInt64) ENGINE = SomethingElse(1);
CREATE MATERIALIZED VIEW m30.mv TO m30.nowhere AS SELECT id FROM m30.k`);
  expect(findings.filter(({ code }) => code.startsWith('tables.unknown'))).toEqual([]);
});

test('a table that an earlier file created is known', async () => {
  await load(
    'CREATE TABLE m27.raw (id UInt64) ENGINE = Null; CREATE TABLE m27.hourly_mv (id UInt64) ENGINE = Memory',
  );
  const view = 'CREATE MATERIALIZED VIEW m27.hourly TO m27.hourly_mv AS SELECT id FROM m27.raw';
  expect((await load(view)).findings).toEqual([]);
});
