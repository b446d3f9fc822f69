// Attacks of the sandbox self-test, which runs before consumer queries are accepted: queries that must never run.

/** Queries for the complete check; `{table}` is replaced by a table of the endpoint. Each must be rejected. */
export const PATH_ATTACKS: readonly string[] = [
  'SELECT * FROM system.one',
  'SELECT name FROM system.tables',
  'SELECT * FROM {table} JOIN system.tables ON 1 = 1',
  'SELECT * FROM {table} WHERE 1 IN (SELECT 1 FROM system.one)',
  'SELECT 1 IN system.one FROM {table}',
  "SELECT * FROM file('/etc/hostname')",
  "SELECT * FROM url('http://127.0.0.1/', 'CSV', 'a String')",
  "SELECT * FROM merge('.*', '.*')",
  "SELECT file('/etc/hostname') FROM {table}",
  "SELECT arrayMap(x -> file('/etc/hostname'), [1]) FROM {table}",
  "SELECT arrayMap(file, ['/etc/hostname']) FROM {table}",
  "SELECT arrayMap(file, ['/etc/hostname']) FROM {table} WHERE 1 = (SELECT 1 AS file)",
  "SELECT dictGet('a', 'b', 1) FROM {table}",
  "SELECT getSetting('readonly') FROM {table}",
  String.raw`SELECT bitmapToArray(CAST('', 'AggregateFunction\x28groupBitmap, UInt8)')) FROM {table}`,
  "SELECT arrayReduce(reverse('worhTgga'), [1]) FROM {table}",
  'SELECT version() FROM {table}',
  'SELECT sleep(1) FROM {table}',
  "SELECT 1 FROM {table} INTO OUTFILE '/tmp/millrace-self-attack'",
  'SELECT 1 FROM {table} SETTINGS max_execution_time = 0',
  'SELECT 1 FROM {table} FORMAT CSV',
  'SELECT 1 FROM {table}; SELECT 1',
  'SELECT 1 FROM {table}) UNION ALL (SELECT 1 FROM system.one',
  'WITH (a, b) -> 1 AS equals SELECT * FROM {table}',
  'WITH {table} AS (SELECT 1) SELECT * FROM {table}',
  'SELECT 1 FROM {table} UNION ALL WITH x AS (SELECT 1) SELECT 1 FROM system.one',
  'EXPLAIN SELECT 1 FROM {table}',
  'INSERT INTO {table} VALUES (1)',
  'DROP TABLE {table}',
  'SELECT {name:String} FROM {table}',
  'SELECT @project FROM {table}',
];

/** One statement sent straight to the engine, bypassing all of our own checks. */
export interface ConnectionAttack {
  readonly name: string;
  readonly sql: string;
  /** Known to succeed on the embedded engine, which shares the process's files. */
  readonly knownEmbedded?: true;
  /** Without a row it has shown nothing. */
  readonly onlyReads?: true;
}

/** Statements that a consumer connection must reject. All are harmless if they do run. */
export const CONNECTION_ATTACKS: readonly ConnectionAttack[] = [
  { name: 'read a file by function', sql: "SELECT file('/etc/hostname')", knownEmbedded: true },
  { name: 'read a file by table function', sql: "SELECT * FROM file('/etc/hostname', 'LineAsString')" },
  { name: 'read a file by name', sql: "SELECT * FROM '/etc/hostname'" },
  { name: 'write a file', sql: "SELECT 1 INTO OUTFILE '/dev/null' APPEND", knownEmbedded: true },
  { name: 'fetch a URL', sql: "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')" },
  { name: 'reach another server', sql: "SELECT * FROM remote('127.0.0.1:1', system.one)" },
  { name: 'run a program', sql: "SELECT * FROM executable('true', 'CSV', 'a String')" },
  { name: 'list tables', sql: 'SELECT name FROM system.tables', onlyReads: true },
  { name: 'list users', sql: 'SELECT count() FROM system.users' },
  { name: 'lift a limit', sql: 'SELECT 1 SETTINGS max_execution_time = 0' },
  { name: 'lift read-only', sql: 'SELECT 1 SETTINGS readonly = 0' },
  { name: 'create a table', sql: 'CREATE TABLE default.millrace_self_attack (a Int8) ENGINE = Memory' },
  { name: 'create a temporary table', sql: 'CREATE TEMPORARY TABLE millrace_self_attack (a Int8)' },
  { name: 'insert rows', sql: "INSERT INTO FUNCTION null('a Int8') SELECT 1" },
];

/** A query over the probe's tables that fails if it is evaluated on a row of another tenant. */
export interface Oracle {
  readonly text: string;
  /** The connection's settings alone prevent it, without a barrier in the statement. */
  readonly heldBySettings?: true;
}

/** Each succeeds on all rows of the tenant `mine`. Tables: `rows`, tenant in a column, and `paths`, tenant in a JSON path. */
export const ORACLES: readonly Oracle[] = [
  { text: "SELECT count() FROM rows WHERE intDiv(1, word != 'not a number')" },
  { text: 'SELECT count() FROM rows WHERE toUInt64(word) >= 0' },
  { text: 'SELECT count() FROM rows WHERE number < 9 AND word::Int32 >= 0' },
  { text: "SELECT count() FROM rows WHERE accurateCast(number, 'Int16') > 0" },
  { text: 'SELECT count() FROM rows WHERE intDiv(1, number + 32769) >= -1' },
  { text: 'SELECT max(v) FROM (SELECT toUInt64(word) AS v FROM rows) WHERE v >= 0' },
  { text: 'SELECT toUInt64(word) AS v, count() FROM rows GROUP BY v HAVING v >= 0 ORDER BY v' },
  { text: "SELECT count() FROM paths WHERE intDiv(1, word != 'not a number')" },
  {
    text: 'SELECT max(v) FROM (SELECT toUInt64(doc.word) AS v FROM paths) WHERE v >= 0',
    heldBySettings: true,
  },
  {
    text: 'SELECT count() FROM (SELECT toUInt64(doc.word) AS v FROM paths) AS l JOIN (SELECT toUInt64(5) AS v) AS r ON l.v = r.v',
    heldBySettings: true,
  },
  { text: 'SELECT count() FROM paths WHERE number IN (SELECT number FROM rows WHERE toUInt64(word) >= 0)' },
  {
    text: 'WITH x AS (SELECT toUInt64(doc.word) AS v FROM paths) SELECT max(v) FROM x WHERE v >= 0',
  },
];
