// What reaches outside of the tables, read from tokens: hostile statements as the engine accepts them, and honest ones that look alike.
import { describe, expect, test } from 'vitest';
import { sourceNames } from '../../../src/service/config/engine-sources.ts';
import { outsideReads, outsideReadsOfScript } from '../../../src/sql/clickhouse/outside-reads.ts';
import { accessTypes, OUTSIDE_SOURCE_NAMES } from '../../../src/sql/clickhouse/outside-sources.ts';

interface Hostile {
  readonly why: string;
  readonly sql: string;
  /** What the finding is located at, and the source that allows it; no source: nothing does. */
  readonly at: string;
  readonly source?: string;
}

const file = { source: 'file' };
const url = { source: 'url' };

const HOSTILE: readonly Hostile[] = [
  { why: 'a scalar function', sql: "SELECT toUInt8(file('/x'))", at: 'file', ...file },
  { why: 'in double quotes', sql: `SELECT "file"('/x')`, at: '"file"', ...file },
  { why: 'in typographic quotes', sql: "SELECT “file”('/x')", at: '“file”', ...file },
  { why: 'with an escape', sql: "SELECT `f\\x69le`('/x')", at: '`f\\x69le`', ...file },
  { why: 'with an escape that no release knows', sql: "SELECT `f\\xzz`('/x')", at: '`f\\xzz`' },
  { why: 'comments before the parenthesis', sql: "SELECT file /* ( */ -- (\n ('/x')", at: 'file', ...file },
  { why: 'in a lambda', sql: "SELECT arrayMap(x -> file(x), ['/x'])", at: 'file', ...file },
  { why: 'in place of a lambda', sql: "SELECT arrayMap(file, ['/x'])", at: 'file', ...file },
  { why: 'the same in parentheses', sql: "SELECT arrayMap(((`file`)), ['/x'])", at: '`file`', ...file },
  { why: 'the same with an alias', sql: "SELECT arrayMap((file) AS f, ['/x'])", at: 'file', ...file },
  { why: 'APPLY', sql: 'SELECT * APPLY file FROM t', at: 'file', ...file },
  { why: 'APPLY in parentheses', sql: 'SELECT * APPLY("file") FROM t', at: '"file"', ...file },
  { why: 'APPLY of a lambda', sql: 'SELECT * APPLY(x -> file(x)) FROM t', at: 'file', ...file },
  { why: 'REPLACE', sql: 'SELECT * REPLACE(file(p) AS p) FROM t', at: 'file', ...file },
  { why: 'a value of the WITH clause', sql: "WITH file('/x') AS x SELECT x", at: 'file', ...file },
  { why: 'a table function', sql: "SELECT * FROM url('http://x')", at: 'url', ...url },
  { why: 'in another case', sql: "SELECT * FROM URL('http://x')", at: 'URL', ...url },
  { why: 'a list of files', sql: "SELECT * FROM filesystem('/')", at: 'filesystem', ...file },
  { why: 'inside another table function', sql: "SELECT * FROM loop(s3('x'))", at: 's3', source: 's3' },
  {
    why: 'in a subquery of IN',
    sql: "SELECT 1 IN (SELECT * FROM remote('h', d.t))",
    at: 'remote',
    source: 'remote',
  },
  {
    why: 'a program',
    sql: "SELECT * FROM executable('x', TSV, 'a String')",
    at: 'executable',
    source: 'executable',
  },
  { why: 'a model', sql: "SELECT catboostEvaluate('/x', 1)", at: 'catboostEvaluate', source: 'executable' },
  { why: 'a language model', sql: "SELECT aiGenerate('x')", at: 'aiGenerate', ...url },
  { why: 'a query in a string', sql: "SELECT * FROM eval(concat('SELECT fi', 'le(1)'))", at: 'eval' },
  {
    why: 'a host as an argument',
    sql: "SELECT hasColumnInTable('h', 'u', 'p', 'd', 't', 'c')",
    at: 'hasColumnInTable',
    source: 'remote',
  },
  { why: 'a path as a table', sql: "SELECT * FROM '/x'", at: "'/x'", ...file },
  { why: 'in double quotes', sql: 'SELECT * FROM "/x"', at: '"/x"', ...file },
  { why: 'in backquotes, of the default database', sql: 'SELECT * FROM default.`/x`', at: '`/x`', ...file },
  { why: 'a relative path', sql: 'SELECT * FROM `.env`', at: '`.env`', ...file },
  { why: 'a glob', sql: 'SELECT * FROM `*`', at: '`*`', ...file },
  { why: 'the second table', sql: "SELECT * FROM t, '/x'", at: "'/x'", ...file },
  {
    why: 'after the condition of a join',
    sql: 'SELECT * FROM a JOIN b ON a.x = b.x, `/x`',
    at: '`/x`',
    ...file,
  },
  { why: 'in parentheses', sql: 'SELECT * FROM (`/x` JOIN b USING (c))', at: '`/x`', ...file },
  { why: 'FROM first', sql: "FROM '/x' SELECT *", at: "'/x'", ...file },
  { why: 'IN', sql: 'SELECT 1 IN `/x`', at: '`/x`', ...file },
  { why: 'DESCRIBE', sql: "DESCRIBE TABLE '/x'", at: "'/x'", ...file },
  { why: 'INSERT into a path', sql: 'INSERT INTO `/x` VALUES (1)', at: '`/x`', ...file },
  {
    why: 'another name of a path',
    sql: "CREATE TABLE t ENGINE = Alias('default', '/x')",
    at: "'/x'",
    ...file,
  },
  { why: 'a loop over a path', sql: "SELECT * FROM loop('default', '/x')", at: "'/x'", ...file },
  {
    why: 'a dictionary of a path',
    sql: "CREATE DICTIONARY d (a String) PRIMARY KEY a SOURCE(CLICKHOUSE(DB 'default' TABLE '/x')) LAYOUT(FLAT())",
    at: "'/x'",
    ...file,
  },
  { why: 'INSERT into a function', sql: "INSERT INTO FUNCTION file('/x') SELECT 1", at: 'file', ...file },
  {
    why: 'INSERT into a table function',
    sql: "INSERT INTO TABLE FUNCTION url('x') SELECT 1",
    at: 'url',
    ...url,
  },
  { why: 'a value that is inserted', sql: "INSERT INTO t VALUES (file('/x'))", at: 'file', ...file },
  { why: 'INTO OUTFILE', sql: "SELECT 1 INTO OUTFILE '/x' APPEND", at: 'OUTFILE', ...file },
  { why: 'FROM INFILE', sql: "INSERT INTO t FROM INFILE '/x' FORMAT CSV", at: 'INFILE', ...file },
  {
    why: 'a schema of a format',
    sql: "SELECT * FROM format(Protobuf, 'x') SETTINGS format_schema = '/x:M'",
    at: 'format_schema',
    ...file,
  },
  {
    why: 'a template of a format',
    sql: "SET format_template_row = '/x'",
    at: 'format_template_row',
    ...file,
  },
  { why: 'AS SELECT', sql: "CREATE TABLE t ENGINE = Memory AS SELECT * FROM url('x')", at: 'url', ...url },
  { why: 'AS a table function', sql: "CREATE TABLE t AS url('x')", at: 'url', ...url },
  {
    why: 'a default',
    sql: "CREATE TABLE t (a String DEFAULT file('/x')) ENGINE = Memory",
    at: 'file',
    ...file,
  },
  {
    why: 'an index',
    sql: 'CREATE TABLE t (a String, INDEX i file(a) TYPE minmax) ENGINE = Memory',
    at: 'file',
    ...file,
  },
  {
    why: 'a view',
    sql: "CREATE VIEW v AS SELECT * FROM mysql('h', d, t, u, p)",
    at: 'mysql',
    source: 'mysql',
  },
  { why: 'a function', sql: 'CREATE FUNCTION f AS x -> file(x)', at: 'file', ...file },
  {
    why: 'a function that runs a program',
    sql: 'CREATE FUNCTION f (x String) RETURNS String LANGUAGE x',
    at: 'CREATE',
    source: 'executable',
  },
  { why: 'an engine', sql: "CREATE TABLE t (a String) ENGINE = S3('x')", at: 'S3', source: 's3' },
  {
    why: 'an engine without arguments',
    sql: 'CREATE TABLE t (a String) ENGINE Kafka SETTINGS kafka_topic_list = 1',
    at: 'Kafka',
    source: 'kafka',
  },
  {
    why: 'the engine of a database',
    sql: "CREATE DATABASE d ENGINE = Filesystem('/')",
    at: 'Filesystem',
    ...file,
  },
  {
    why: 'a disk',
    sql: "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = 's3_plain')",
    at: 'disk',
    source: 's3',
  },
  {
    why: 'a dictionary over HTTP',
    sql: "CREATE DICTIONARY d (a String) PRIMARY KEY a SOURCE(HTTP(URL 'x')) LAYOUT(FLAT())",
    at: 'HTTP',
    ...url,
  },
  {
    why: 'a dictionary of another server',
    sql: "CREATE DICTIONARY d (a String) PRIMARY KEY a SOURCE(CLICKHOUSE(HOST 'h' TABLE 't')) LAYOUT(FLAT())",
    at: 'HOST',
    source: 'remote',
  },
  {
    why: 'a dictionary of a query',
    sql: "CREATE DICTIONARY d (a String) PRIMARY KEY a SOURCE(CLICKHOUSE(QUERY 'SELECT file(\\'/x\\')')) LAYOUT(FLAT())",
    at: "'SELECT file(\\'/x\\')'",
    ...file,
  },
  { why: 'a backup', sql: "BACKUP TABLE t TO File('/x')", at: 'File', ...file },
  { why: 'a restore', sql: "RESTORE TABLE t FROM Disk('a', 'x')", at: 'Disk', ...file },
  {
    why: 'what a path has is attached',
    sql: "ATTACH TABLE t FROM '/x' (a UInt8) ENGINE = Log",
    at: "'/x'",
    ...file,
  },
  { why: 'a configuration', sql: 'SYSTEM RELOAD CONFIG', at: 'SYSTEM' },
  { why: 'the end of the server', sql: 'SYSTEM SHUTDOWN', at: 'SYSTEM' },
  { why: 'a named collection', sql: "CREATE NAMED COLLECTION c AS url = 'x'", at: 'CREATE' },
  { why: 'the second statement', sql: "SELECT 1; SELECT file('/x')", at: 'file', ...file },
];

describe('hostile statements', () => {
  test.each(HOSTILE)('$why: $sql', ({ sql, at, source }) => {
    const found = outsideReads(sql, []);
    expect(found.map((read) => [sql.slice(read.start, read.end), read.source])).toEqual([[at, source]]);
    const others = OUTSIDE_SOURCE_NAMES.filter((name) => name !== source);
    expect(outsideReads(sql, others)).toHaveLength(1);
    expect(outsideReads(sql, source === undefined ? OUTSIDE_SOURCE_NAMES : [source])).toHaveLength(
      source === undefined ? 1 : 0,
    );
    expect(outsideReads(sql, 'any')).toEqual([]);
  });
});

const HONEST: readonly string[] = [
  'SELECT file, url, s3 FROM logs.url',
  'SELECT a AS url, upper(file), arrayConcat(file, x) FROM url AS s3',
  'WITH url AS (SELECT 1) SELECT * FROM url',
  'WITH url (a) AS (SELECT 1) SELECT * FROM url',
  "SELECT 'file(x)', $$url('x')$$ -- file('/x')\n/* url('x') */",
  'CREATE TABLE url (file String, s3 UInt8, INDEX file (file) TYPE minmax) ENGINE = MergeTree ORDER BY file',
  'CREATE TABLE IF NOT EXISTS a.file (x UInt8) ENGINE = Memory',
  "INSERT INTO url (file) VALUES ('/etc/x')",
  'INSERT INTO TABLE db.file (a) SELECT 1',
  "SELECT EXTRACT(DAY FROM '2020-01-01'), trim(BOTH '/' FROM '/a/'), a IS DISTINCT FROM 'x'",
  "SELECT x AS `req/s`, `a/b` FROM t WHERE a IN ('/x', '/y') AND `p/q` = '/x'",
  'SELECT arraySort(file), arrayMap(x -> x, file), t.file FROM t ARRAY JOIN `a/b`, `c/d`',
  'SYSTEM RELOAD DICTIONARIES',
  'SYSTEM STOP MERGES t',
  'SELECT * FROM `.inner.view`',
  'SELECT * FROM logs.`a.b`',
  "CREATE DICTIONARY d (a String) PRIMARY KEY a SOURCE(CLICKHOUSE(TABLE 't' DB 'logs')) LAYOUT(FLAT())",
  "SELECT tuple(file, url).1, map('file', file) FROM numbers(3)",
  "SELECT hasColumnInTable('d', 't', 'c')",
  'CREATE INDEX i ON url (file) TYPE minmax',
  'ALTER TABLE t ADD INDEX url (url) TYPE minmax',
  'CREATE FUNCTION f AS (file, url) -> concat(file, url)',
  "SELECT count(file), uniq(url, file) FROM t GROUP BY file HAVING url != ''",
  "SELECT engine = 'S3', remote FROM t WHERE engine = url",
  "BACKUP TABLE t TO Memory('x')",
  'CREATE VIEW s3 AS SELECT url FROM file',
];

test.each(HONEST)('honest: %s', (sql) => {
  expect(outsideReads(sql, [])).toEqual([]);
});

test.each([
  { why: 'a statement on the next line', sql: "INSERT INTO t FORMAT CSV 'a\nSELECT file('/x')\n--'" },
  {
    why: 'a statement on two lines',
    sql: "INSERT INTO t FORMAT CSV 1\nINSERT INTO FUNCTION file\n('/x') SELECT 1",
  },
  { why: 'after several lines of data', sql: "INSERT INTO t FORMAT TSV\nit's\n\"b\nSELECT file('/x')" },
])('a quote in the data of INSERT hides nothing: $why', ({ sql }) => {
  const places = outsideReadsOfScript(sql, []).map(({ start, end }) => sql.slice(start, end));
  expect(places).toContain('file');
  expect(outsideReadsOfScript(sql, ['file'])).toEqual([]);
});

test('the setting lists the names of the table', () => {
  expect(sourceNames()).toEqual(OUTSIDE_SOURCE_NAMES);
});

test('access types, each once', () => {
  expect(accessTypes([])).toEqual([]);
  expect(accessTypes(['gcs', 's3', 'executable', 'file'])).toEqual(['FILE', 'S3']);
});
