// What consumers see of engine failures: our message at their location, and nothing that they did not write.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAILURE_CODES } from '../../../src/guard/sandbox/failure-messages.ts';
import { consumerFailure } from '../../../src/guard/sandbox/failure.ts';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import { bound, codeOf, openSandbox, openWorld } from './fixture.ts';
import type { World } from './fixture.ts';

let world: World;
let sandbox: Sandbox;
const COLUMNS = ['id', 'timestamp', 'event_message', 'path', 'ms', 'metadata', 'tags', 'status'].map(
  (name) => ({ name, type: 'String' }),
);

beforeAll(async () => {
  world = await openWorld();
  sandbox = openSandbox({ explain: world.explain, columns: new Map([['edge_logs', COLUMNS]]) });
});
afterAll(() => world.oracle.close());

/** Runs a query that fails, and returns what the consumer sees: location, message and hint. */
async function messageFor(sql: string, of = sandbox): Promise<string | undefined> {
  const verdict = await of.check(sql);
  const { sql: statement } = of.assemble(verdict, 10);
  const error = await world.run(statement).then(
    () => new Error('it ran'),
    (reason: unknown) => reason,
  );
  const failure = { engineCode: codeOf(error), message: String(error) };
  const options = consumerFailure(verdict, failure, of);
  const [detail] = options?.errors ?? [];
  if (detail === undefined) return undefined;
  const place = detail.line === undefined ? '' : `${detail.line}:${detail.column} `;
  return `${place}${detail.message}${options?.hint === undefined ? '' : ` ${options.hint}`}`;
}

describe('errors of the consumer', () => {
  test.each([
    [
      'an unknown column',
      'SELECT id,\n  pth FROM edge_logs',
      '2:3 There is no column or alias pth here Did you mean path?',
    ],
    [
      'an unknown path',
      'SELECT e.foo FROM edge_logs AS e',
      '1:8 There is no column or alias e.foo here The columns of edge_logs are id, timestamp, event_message, path, ms, metadata, tags, status.',
    ],
    [
      'the star of an unknown table',
      'SELECT e.id,\n  missing.* FROM edge_logs AS e',
      '2:3 There is no column or alias missing.* here The columns of edge_logs are id, timestamp, event_message, path, ms, metadata, tags, status.',
    ],
    [
      'a quoted name with a dot',
      'SELECT id, `no.such`.a FROM edge_logs',
      '1:12 There is no column or alias `no.such`.a here The columns of edge_logs are id, timestamp, event_message, path, ms, metadata, tags, status.',
    ],
    [
      'a name too long to be found in a message',
      `SELECT ${'a'.repeat(220)} FROM edge_logs`,
      'The query has a column or alias that does not exist',
    ],
    [
      'after comments',
      '/* é\n */ SELECT foo FROM edge_logs',
      '2:12 There is no column or alias foo here The columns of edge_logs are id, timestamp, event_message, path, ms, metadata, tags, status.',
    ],
    [
      'argument types of a function',
      'SELECT toStartOfHour(id) FROM edge_logs',
      '1:8 toStartOfHour does not accept arguments of this type',
    ],
    [
      'operand types of an operator',
      'SELECT id + timestamp FROM edge_logs',
      '1:11 + does not accept arguments of this type',
    ],
    [
      'too few arguments',
      'SELECT toStartOfHour() FROM edge_logs',
      '1:8 toStartOfHour has the wrong number of arguments',
    ],
    [
      'not in GROUP BY',
      'SELECT id, count() FROM edge_logs',
      '1:8 id must be in GROUP BY or inside an aggregate function Add it to GROUP BY, or write any(…) around it.',
    ],
    [
      'nested aggregates',
      'SELECT max(count()) FROM edge_logs',
      '1:12 An aggregate function is nested in another one, or used where none is allowed Write conditions on aggregates in HAVING; aggregate an aggregate in a subquery.',
    ],
    ['an alias twice', 'SELECT 1 AS a, 2 AS a', '1:13 a is an alias of two different expressions'],
    [
      'a string that is not a number',
      "SELECT toUInt8('abc') FROM edge_logs",
      '1:16 A string cannot be converted to the required type',
    ],
    [
      'a column of strings that are not numbers',
      'SELECT toInt64(event_message) FROM edge_logs',
      '1:8 A string cannot be converted to the required type Use the function whose name ends in OrNull or OrZero, such as toInt64OrNull.',
    ],
    [
      'a string that is not a time',
      "SELECT id FROM edge_logs WHERE timestamp > '2024-99-01'",
      '1:44 A string is not a valid time',
    ],
    ['a regular expression', "SELECT match(path, '(') FROM edge_logs", '1:8 A regular expression is invalid'],
    ['division by zero', 'SELECT intDiv(1, 0)', '1:8 Division by zero'],
    [
      'columns of a union',
      'SELECT id FROM edge_logs UNION ALL SELECT id, path FROM edge_logs',
      'The types or the number of columns do not match',
    ],
    [
      'a scalar subquery with several rows',
      'SELECT (SELECT id FROM edge_logs)',
      'A scalar subquery returned more than one row',
    ],
    ['a string that is not a UUID', "SELECT toUUID('zz')", '1:15 A string is not a UUID'],
    [
      'a string that is not an IPv4 address',
      "SELECT id, toIPv4('zz') FROM edge_logs",
      '1:19 A string is not an IPv4 address',
    ],
    ['a string that is not an IPv6 address', "SELECT toIPv6('zz')", '1:15 A string is not an IPv6 address'],
    [
      'a column of strings that are not UUIDs',
      'SELECT toUUID(path) FROM edge_logs',
      '1:8 A string is not a UUID',
    ],
    [
      'a cast in a WITH element of the consumer',
      "WITH own AS (SELECT toInt64(lower('ABC')) AS x) SELECT x FROM own",
      '1:21 A string cannot be converted to the required type Use the function whose name ends in OrNull or OrZero, such as toInt64OrNull.',
    ],
    [
      'a value that is not in an enum',
      "SELECT CAST('x', 'Enum8(\\'a\\' = 1)')",
      '1:13 A value is not one of the values of its enum',
    ],
    [
      'a position of zero',
      'SELECT substring(path, 0) FROM edge_logs',
      '1:8 Positions in strings, arrays and tuples start at 1',
    ],
    [
      'a type in LowCardinality',
      "SELECT CAST(1, 'LowCardinality(UInt8)')",
      '1:16 LowCardinality of this type is not allowed: remove it',
    ],
    [
      'an alias of itself',
      'SELECT a + 1 AS b, b + 1 AS a',
      '1:17 There is no column or alias b here The query has no FROM.',
    ],
    [
      'an array of different depth',
      'SELECT arrayConcat([1], [[1]])',
      'The types of the values have no common type',
    ],
    [
      'WITH FILL',
      'SELECT id FROM edge_logs ORDER BY id WITH FILL STEP 0',
      'WITH FILL requires constant bounds and a step of the type of its column',
    ],
    ['a decimal', "SELECT toDecimal32('99999999999', 2)", "1:20 '99999999999' is out of range"],
    ['a date', "SELECT toDate('zz')", '1:15 A string is not a valid date'],
  ])('%s', async (_why, sql, expected) => {
    expect(await messageFor(sql)).toBe(expected);
  });
});

test('error codes have the engine’s names', async () => {
  const codes = FAILURE_CODES.map(([code]) => code);
  const sql = `SELECT toString(arrayMap(code -> errorCodeToName(code), [${codes.join(', ')}]))`;
  expect(await world.run(sql)).toContain(FAILURE_CODES.map(([, name]) => `'${name}'`).join(','));
});

test('existing and missing tables are reported identically', async () => {
  const there = await messageFor("SELECT default.users IN ('x')");
  const inNoDatabase = await messageFor("SELECT nothere.users IN ('x')");
  const notThere = await messageFor("SELECT default.nousers IN ('x')");
  expect(there).toBe('1:8 There is no column or alias default.users here The query has no FROM.');
  expect(inNoDatabase).toBe('1:8 There is no column or alias nothere.users here The query has no FROM.');
  expect(notThere).toBe('1:8 There is no column or alias default.nousers here The query has no FROM.');
});

describe('errors of the endpoint are not reported as the consumer’s', () => {
  test.each([
    ['a column', 'WITH t AS (SELECT nope AS a FROM app.logs) SELECT 1', 'SELECT a FROM t'],
    [
      'a conversion',
      'WITH t AS (SELECT toInt64(event_message) AS a FROM app.logs) SELECT 1',
      'SELECT a FROM t',
    ],
    ['a table', 'WITH t AS (SELECT 1 AS a FROM app.nothere) SELECT 1', 'SELECT a FROM t'],
    ['a UUID', 'WITH t AS (SELECT toUUID(event_message) AS a FROM app.logs) SELECT 1', 'SELECT a FROM t'],
    [
      'a regular expression',
      "WITH t AS (SELECT match(path, '(') AS a FROM app.logs) SELECT 1",
      'SELECT a FROM t',
    ],
  ])('%s', async (_why, saved, sql) => {
    expect(await messageFor(sql, openSandbox({ boundSql: bound(saved) }))).toBeUndefined();
  });
});

test.each([
  ['the same name many times counts once', "'a' ".repeat(500), true],
  [
    'of many names, the first are looked for',
    Array.from({ length: 500 }, (_, n) => `'a${n}'`).join(' '),
    false,
  ],
])('%s', async (_, names, isLocated) => {
  const verdict = await sandbox.check('SELECT id FROM edge_logs');
  const message = `Code: 47. DB::Exception: Unknown expression identifier ${names} 'id' in scope SELECT id FROM edge_logs. (UNKNOWN_IDENTIFIER)`;
  const options = consumerFailure(verdict, { engineCode: 47, message }, { columns: new Set() });
  expect(options?.errors?.[0]).toEqual(
    isLocated ? expect.objectContaining({ line: 1, column: 8 }) : expect.not.objectContaining({ line: 1 }),
  );
});

test.each(['', ' (UNKNOWN_IDENTIFIER)', ' (UNKNOWN_IDENTIFIER) (version 26.7.2.1 (official build))'])(
  'the scope is read with what follows it: %s',
  async (end) => {
    const verdict = await sandbox.check('SELECT id FROM edge_logs');
    const fault = (scope: string) => {
      const message = `Code: 47. DB::Exception: Unknown expression identifier in scope ${scope}.${end}`;
      return consumerFailure(verdict, { engineCode: 47, message }, { columns: new Set() })?.errors?.[0];
    };
    expect(fault('SELECT id FROM edge_logs')).toEqual({
      message: 'The query has a column or alias that does not exist',
    });
    for (const scope of ['SELECT id, secret FROM edge_logs', 'edge_logs'])
      expect(fault(scope)).toBeUndefined();
  },
);

test('no message repeats the engine’s', async () => {
  const verdict = await sandbox.check('SELECT id FROM edge_logs');
  for (let engineCode = 0; engineCode < 1_000; engineCode++) {
    const message = `Code: ${engineCode}. Secret table \`app.logs\`, setting 'max_memory_usage', in scope SELECT secret`;
    const options = consumerFailure(verdict, { engineCode, message }, { columns: new Set() });
    expect(JSON.stringify(options) ?? '').not.toMatch(/secret|app\.logs|max_memory/i);
  }
});
