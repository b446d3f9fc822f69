// What the scanner accepts and rejects, and the locations that it reports.
import type { TableColumn } from '../../../src/guard/sandbox/columns.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Problem } from '../../../src/sql/base/problem.ts';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import { ACCEPTED } from './accepted.ts';
import { openSandbox, openWorld } from './fixture.ts';
import type { World } from './fixture.ts';

let world: World;
let sandbox: Sandbox;

beforeAll(async () => {
  world = await openWorld();
  sandbox = openSandbox({ explain: world.explain });
});
afterAll(() => world.oracle.close());

test.each(ACCEPTED)('is accepted, and runs: %s', async (sql) => {
  const { sql: statement } = sandbox.assemble(await sandbox.check(sql), 10);
  await expect(world.run(statement)).resolves.toEqual(expect.any(String));
});

/** The scanner's rejection: code, and the location as line:column. */
async function rejectionOf(sql: string): Promise<string> {
  const error: unknown = await openSandbox()
    .check(sql)
    .catch((reason: unknown) => reason);
  if (!(error instanceof Problem)) throw new Error(`taken: ${sql}`);
  const [place] = error.errors;
  return `${error.code.replace('sandbox.', '')} ${place?.line}:${place?.column}`;
}

describe('lexical rules', () => {
  test.each([
    ['nothing', '', 'query_invalid 1:1'],
    ['only comments', '-- a', 'query_invalid 1:1'],
    ['NUL', 'SELECT 1\0', 'query_invalid 1:9'],
    ['a control character in a string', "SELECT 'a\x07'", 'query_invalid 1:10'],
    ['white space that is a control character, in a string', "SELECT '\v'", 'query_invalid 1:9'],
    ['white space that is a control character, in a name', 'SELECT "\u0085"', 'query_invalid 1:9'],
    ['a control character in a comment', 'SELECT /*\v\x07*/ 1', 'query_invalid 1:11'],
    ['a mark of writing direction', 'SELECT\u200e1', 'query_invalid 1:7'],
    ['a space that the engine does not read', 'SELECT\u16801', 'query_invalid 1:7'],
    ['a lone surrogate', "SELECT '\ud800'", 'query_invalid 1:9'],
    ['after a wide space', 'SELECT\u00a0é', 'query_invalid 1:8'],
    ['after lines with wide spaces', 'SELECT\u2028\n\u3000é', 'query_invalid 2:2'],
    ['# comments with a wide space', 'SELECT 1 #\u00a0a', 'query_invalid 1:10'],
    ['non-ASCII letters', 'SELECT é', 'query_invalid 1:8'],
    ['typographic quotes', 'SELECT ‘a’', 'query_invalid 1:8'],
    ['a typographic minus', 'SELECT 1 − 1', 'query_invalid 1:10'],
    ['# comments', 'SELECT 1 # a', 'query_invalid 1:10'],
    ['// comments', 'SELECT 1 // a', 'query_invalid 1:10'],
    ['heredocs', 'SELECT $$a$$', 'query_invalid 1:8'],
    ['$ in a word', 'SELECT a$b', 'query_invalid 1:8'],
    ['hexadecimal strings', "SELECT x'27'", 'query_invalid 1:8'],
    ['binary strings', "SELECT b'01'", 'query_invalid 1:8'],
    ['braces', 'SELECT {a:String}', 'query_invalid 1:8'],
    ['@', 'SELECT @a', 'query_invalid 1:8'],
    ['@@', 'SELECT @@a', 'query_invalid 1:8'],
    ['\\G', 'SELECT 1\\G', 'query_invalid 1:9'],
    ['a semicolon inside', 'SELECT 1;\nSELECT 2', 'query_invalid 1:9'],
    ['two semicolons', 'SELECT 1;;', 'query_invalid 1:9'],
    ['an unclosed parenthesis', 'SELECT\n (1', 'query_invalid 2:2'],
    ['an extra parenthesis', 'SELECT 1)', 'query_invalid 1:9'],
    ['overlapping brackets', 'SELECT [(1])', 'query_invalid 1:11'],
    ['an unclosed string', "SELECT 'a", 'query_invalid 1:8'],
    ['an unclosed comment', 'SELECT /* a /* b */', 'query_invalid 1:8'],
    ['a quoted name with a quote', 'SELECT "a""b"', 'query_invalid 1:8'],
    ['a quoted name with a backslash', 'SELECT `a\\`b`', 'query_invalid 1:8'],
    ['a quoted name with a line break', 'SELECT "a\nb"', 'query_invalid 1:8'],
    ['an empty quoted name', 'SELECT ""', 'query_invalid 1:8'],
    [
      'states of aggregate functions',
      "SELECT CAST('x', 'AggregateFunction(sum, UInt8)')",
      'type_denied 1:18',
    ],
  ])('%s', async (_why, sql, expected) => {
    expect(await rejectionOf(sql)).toBe(expected);
  });
});

describe('tables', () => {
  test.each([
    ['not a table of the endpoint', 'SELECT * FROM users', 'table_denied 1:15'],
    ['on another line', 'SELECT *\r\nFROM\r  users', 'table_denied 3:3'],
    ['in another case', 'SELECT * FROM Edge_Logs', 'table_denied 1:15'],
    ['with a database', 'SELECT * FROM app.edge_logs', 'table_denied 1:15'],
    ['a function', 'SELECT * FROM numbers(1)', 'table_denied 1:15'],
    ['a table function after a comma', 'SELECT * FROM edge_logs, numbers(1)', 'table_denied 1:26'],
    ['a string', "SELECT * FROM 'a.csv'", 'table_denied 1:15'],
    ['a join in parentheses', 'SELECT * FROM (edge_logs JOIN users USING id)', 'table_denied 1:15'],
    [
      'after USING without parentheses',
      'SELECT 1 FROM edge_logs JOIN auth_logs USING id, users',
      'syntax_unsupported 1:48',
    ],
    ['after IN', 'SELECT 1 IN users', 'table_denied 1:13'],
    ['after IN, in parentheses', 'SELECT 1 IN ((users))', 'table_denied 1:15'],
    ['after IN, with a comma', 'SELECT 1 IN (users,)', 'table_denied 1:14'],
    ['after IN, with an alias', 'SELECT 1 IN (users AS u)', 'table_denied 1:14'],
    ['after IN, with a database', 'SELECT 1 IN (app.logs)', 'table_denied 1:14'],
    ['behind NOT IN', 'SELECT 1 NOT IN users', 'table_denied 1:17'],
    ['behind GLOBAL IN', 'SELECT 1 GLOBAL NOT IN users', 'table_denied 1:24'],
    ['in a call of in()', 'SELECT nullIn(1, users)', 'table_denied 1:18'],
    ['in a call of in(), quoted', 'SELECT `globalNotIn`(1, (users))', 'table_denied 1:26'],
    ['an alias of an expression after IN', 'WITH 1 AS x SELECT 1 IN x', 'table_denied 1:25'],
    ['an alias of a table', 'SELECT * FROM edge_logs AS x, x', 'table_denied 1:31'],
    ['its own WITH table in itself', 'WITH x AS (SELECT * FROM x) SELECT 1', 'table_denied 1:26'],
    ['a later WITH table', 'WITH x AS (SELECT * FROM y), y AS (SELECT 1) SELECT 1', 'table_denied 1:26'],
    [
      'a WITH table of an inner query',
      'SELECT * FROM (WITH x AS (SELECT 1) SELECT * FROM x), x',
      'table_denied 1:55',
    ],
    ['a WITH table of a parenthesized member', '(SELECT 1) UNION ALL SELECT * FROM x', 'table_denied 1:36'],
  ])('%s', async (_why, sql, expected) => {
    expect(await rejectionOf(sql)).toBe(expected);
  });
});

describe('functions', () => {
  test.each([
    ['not on the list', 'SELECT file(1)', 'function_denied 1:8'],
    ['that compiles patterns together', "SELECT multiMatchAny(a, ['x'])", 'function_denied 1:8'],
    [
      'that compiles patterns with edits together',
      "SELECT multiFuzzyMatchAny(a, 2, ['x'])",
      'function_denied 1:8',
    ],
    ['in another case', 'SELECT FILE(1)', 'function_denied 1:8'],
    ['quoted', 'SELECT `file`(1)', 'function_denied 1:8'],
    ['after a comment', 'SELECT file /* */ (1)', 'function_denied 1:8'],
    ['with a combinator, but no aggregate function', 'SELECT fileIf(1, 1)', 'function_denied 1:8'],
    ['with a database', 'SELECT app.f(1)', 'function_denied 1:12'],
    ['in APPLY', 'SELECT * APPLY(file) FROM edge_logs', 'function_denied 1:16'],
    ['in APPLY without parentheses', 'SELECT * APPLY file FROM edge_logs', 'function_denied 1:16'],
    ['in a lambda of APPLY', 'SELECT * APPLY(x -> file(x)) FROM edge_logs', 'function_denied 1:21'],
    ['in REPLACE', 'SELECT * REPLACE (file(id) AS id) FROM edge_logs', 'function_denied 1:19'],
    ['in a window', 'SELECT sum(ms) OVER (ORDER BY file(1)) FROM edge_logs', 'function_denied 1:31'],
    ['in LIMIT', 'SELECT 1 LIMIT file(1)', 'function_denied 1:16'],
    ['in WITH FILL', 'SELECT 1 AS a ORDER BY a WITH FILL TO file(1)', 'function_denied 1:39'],
    [
      'in INTERPOLATE',
      'SELECT 1 AS a ORDER BY a WITH FILL INTERPOLATE (a AS file(1))',
      'function_denied 1:54',
    ],
    ['as parameters', 'SELECT quantile(file(1))(ms) FROM edge_logs', 'function_denied 1:17'],
    ['without parentheses', 'SELECT CURRENT_USER', 'function_denied 1:8'],
    ['without parentheses, quoted', 'SELECT "currentUser"', 'function_denied 1:8'],
    ['without parentheses, and an element of it', 'SELECT hostName.1', 'function_denied 1:8'],
    ['DISTINCT in a non-aggregate function', 'SELECT toString(DISTINCT 1)', 'function_denied 1:8'],
    ['FILTER after a non-aggregate function', 'SELECT upper(1) FILTER (WHERE 1)', 'function_denied 1:8'],
  ])('%s', async (_why, sql, expected) => {
    expect(await rejectionOf(sql)).toBe(expected);
  });
});

describe('syntax', () => {
  test.each([
    ['another statement', 'SHOW TABLES', 'syntax_unsupported 1:1'],
    ['EXPLAIN', 'EXPLAIN SELECT 1', 'syntax_unsupported 1:1'],
    ['EXPLAIN in parentheses', 'SELECT (EXPLAIN SELECT 1)', 'syntax_unsupported 1:17'],
    ['EXPLAIN as a table', 'SELECT * FROM (EXPLAIN SELECT 1)', 'table_denied 1:15'],
    ['SETTINGS', 'SELECT 1 SETTINGS max_threads = 1', 'syntax_unsupported 1:10'],
    ['SETTINGS in a subquery', 'SELECT * FROM (SELECT 1 SETTINGS a = 1)', 'syntax_unsupported 1:25'],
    ['FORMAT', 'SELECT 1 FORMAT JSON', 'syntax_unsupported 1:10'],
    ['INTO OUTFILE', "SELECT 1 INTO OUTFILE 'a'", 'syntax_unsupported 1:10'],
    ['PARALLEL WITH', 'SELECT 1 PARALLEL WITH SELECT 2', 'syntax_unsupported 1:10'],
    ['RECURSIVE', 'WITH RECURSIVE x AS (SELECT 1) SELECT 1', 'syntax_unsupported 1:6'],
    ['WITH in a later member', 'SELECT 1 UNION ALL WITH 1 AS x SELECT x', 'syntax_unsupported 1:20'],
    ['WITH in a parenthesized member', '(WITH 1 AS x SELECT x) UNION ALL SELECT 1', 'syntax_unsupported 1:2'],
    ['FINAL', 'SELECT * FROM edge_logs FINAL', 'syntax_unsupported 1:25'],
    ['SAMPLE', 'SELECT * FROM edge_logs SAMPLE 0.1', 'syntax_unsupported 1:25'],
    ['column names after an alias', 'SELECT * FROM edge_logs AS e (a, b)', 'syntax_unsupported 1:30'],
    ['a lambda outside a call', 'SELECT x -> 1', 'syntax_unsupported 1:10'],
    ['a lambda in WITH', 'WITH x -> 1 AS f SELECT 1', 'syntax_unsupported 1:8'],
    ['a lambda in parentheses', 'SELECT arrayMap((x -> 1), [1])', 'syntax_unsupported 1:20'],
    ['a name for a lambda', 'SELECT arrayMap(x -> 1 AS f, [1])', 'syntax_unsupported 1:24'],
    ['a name inside a lambda', 'SELECT arrayMap(x -> (x AS y), [1])', 'syntax_unsupported 1:25'],
    ['a lambda as the value of a lambda', 'SELECT arrayMap(x -> y -> 1, [1])', 'syntax_unsupported 1:24'],
    ['a keyword as a column', 'SELECT from FROM edge_logs', 'syntax_unsupported 1:8'],
    ['a keyword as an alias', 'SELECT 1 AS from', 'syntax_unsupported 1:13'],
    ['two values without an operator', 'SELECT 1 WHERE 1 2', 'syntax_unsupported 1:18'],
    ['a ? without :', 'SELECT 1 ? 2', 'syntax_unsupported 1:13'],
    ['a type with internal data', 'SELECT 1::AggregateFunction(sum, UInt8)', 'type_denied 1:11'],
    ['an unexpected end', 'SELECT 1 +', 'syntax_unsupported 1:11'],
  ])('%s', async (_why, sql, expected) => {
    expect(await rejectionOf(sql)).toBe(expected);
  });
});

describe('names of WITH elements', () => {
  test.each([
    ['an endpoint table', 'WITH edge_logs AS (SELECT 1) SELECT 1', 'name_reserved 1:6'],
    ['an endpoint table in another case', 'WITH "Edge_Logs" AS (SELECT 1) SELECT 1', 'name_reserved 1:6'],
    ['the database of the endpoint', 'WITH app AS (SELECT 1) SELECT 1', 'name_reserved 1:6'],
    ['a column of the endpoint', "WITH 'mine' AS project SELECT 1", 'name_reserved 1:6'],
    ['the same twice', 'WITH x AS (SELECT 1), X AS (SELECT 2) SELECT 1', 'name_reserved 1:23'],
  ])('%s', async (_why, sql, expected) => {
    expect(await rejectionOf(sql)).toBe(expected);
  });
});

test('a rejection suggests the nearest allowed name', async () => {
  const hintOf = (sql: string) =>
    openSandbox()
      .check(sql)
      .catch((error: unknown) => error);
  expect(await hintOf('SELECT * FROM edge_log')).toMatchObject({ hint: 'Did you mean edge_logs?' });
  expect(await hintOf('SELECT toStartOfHuor(timestamp) FROM edge_logs')).toMatchObject({
    hint: 'Did you mean toStartOfHour?',
  });
});

describe('columns named like functions', () => {
  const saved = 'WITH t AS (SELECT * FROM app.t) SELECT 1';
  const accepts = (sql: string, columns?: ReadonlyMap<string, readonly TableColumn[]>) =>
    openSandbox({ boundSql: saved, ...(columns === undefined ? {} : { columns }) }).check(sql);

  test('are columns if the engine has described them', async () => {
    await expect(
      accepts('SELECT version FROM t', new Map([['t', [{ name: 'version', type: 'String' }]]])),
    ).resolves.toBeDefined();
  });
  test('are functions if no such column is known', async () => {
    await expect(accepts('SELECT version FROM t')).rejects.toMatchObject({
      code: 'sandbox.function_denied',
    });
  });
  test('are aliases if the query defines them', async () => {
    await expect(accepts('SELECT version FROM (SELECT 1 AS version)')).resolves.toBeDefined();
  });
});
