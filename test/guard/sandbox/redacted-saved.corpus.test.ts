// Saved queries with `pii: { at: source }`: no response depends on personal data, whatever the query computes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExchange, TRACES, type Exchange } from './exchange.ts';
import { some } from '../../support/runs.ts';

let exchange: Exchange;
beforeAll(async () => {
  exchange = await openExchange();
  for (const database of ['first', 'second']) {
    await exchange.engine.execute(
      `CREATE TABLE ${database}.replaced ENGINE = ReplacingMergeTree ORDER BY id AS SELECT id, ip, user_id FROM ${database}.t`,
    );
    await exchange.engine.execute(
      `CREATE TABLE ${database}.texts ENGINE = MergeTree ORDER BY () AS SELECT ip AS a, path AS b, message AS c, maybe, user_id FROM ${database}.t WHERE id IN (0, 1)`,
    );
    await exchange.engine.execute(
      `CREATE TABLE ${database}.people ENGINE = MergeTree ORDER BY id AS SELECT id, CAST(concat('{"user":{"name":"', surname, '"},"people":[{"name":"', surname, '"},{"name":"x"}]}'), 'JSON') AS doc FROM ${database}.t LIMIT 3`,
    );
    await exchange.engine.execute(
      `CREATE TABLE ${database}.two_paths ENGINE = MergeTree ORDER BY id AS SELECT number AS id, ['/items/a', '/items/b'][number + 1] AS path FROM numbers(2)`,
    );
  }
});
afterAll(() => exchange.close());

const HOW = `redact: true, detectors: [ip, email, phone], columns: { phone_number: mask, surname: mask, note: drop, user_id: hash,
  doc.user.name: mask, attrs.user.name: mask }`;
const AT_SOURCE = `{ ${HOW}, at: source }`;

/** Queries whose results show personal data in another form. */
const LAUNDERING = [
  'SELECT id, hex(ip) AS h FROM DB.t ORDER BY id',
  'SELECT id, reverse(email) AS r, substring(ip, 1, 4) AS s FROM DB.t WHERE project = @project ORDER BY id',
  "SELECT count() AS n FROM DB.t WHERE email LIKE 'ann1%'",
  "WITH x AS (SELECT id, splitByChar('.', ip) AS parts FROM DB.t) SELECT id, parts[4] AS p FROM x ORDER BY id",
  'SELECT a.id, toUInt32(b.v4) AS n FROM DB.t AS a JOIN DB.t b ON a.id = b.id ORDER BY a.id',
  'SELECT r.id, length(ip) AS n FROM DB.replaced AS r FINAL ORDER BY id',
  'SELECT id, (SELECT groupArray(reverse(surname)) FROM DB.t) AS s FROM DB.t ORDER BY id',
  "SELECT id FROM DB.t WHERE id IN (SELECT id FROM DB.t WHERE startsWith(ip, '10.')) ORDER BY id",
  'SELECT id, hex(toString(doc.user.email)) AS h FROM DB.t ORDER BY id',
  "SELECT id, base64Encode(attrs['client']) AS h FROM DB.t ORDER BY id",
  'SELECT r FROM (SELECT reverse(ip) AS r FROM DB.t UNION ALL SELECT hex(email) FROM DB.t) ORDER BY r',
  'SELECT id, arrayMap(x -> hex(x), tags) AS h FROM DB.t ARRAY JOIN tags AS each ORDER BY id',
  'SELECT uniqExact(ip) AS n, cityHash64(groupArray(phone_number)) AS h FROM DB.t',
  'SELECT row_number() OVER (ORDER BY email, id) AS n, id FROM DB.t ORDER BY id',
];

test.each(some(LAUNDERING, 2))('%s', async (query) => {
  const [a, b] = await exchange.saved(query, AT_SOURCE);
  expect([a.status, b]).toEqual([200, a]);
  expect([TRACES.test(a.body), a.isChanged]).toEqual([false, false]);
  const [c, d] = await exchange.saved(query, `{ ${HOW} }`);
  expect(c.body, 'redaction of the result alone').not.toBe(d.body);
});

test.each([
  [
    'SELECT id, ip, email, path FROM DB.t WHERE project = @project AND id < 2 ORDER BY id',
    [{ id: 1, ip: 'REDACTED', email: 'REDACTED', path: '/items/1' }],
  ],
  ['SELECT count() AS n FROM DB.t WHERE project = @project', [{ n: 32 }]],
  [
    'SELECT count() AS n FROM DB.t WHERE (@project IS NULL OR project = @project) AND id BETWEEN 1 AND 10',
    [{ n: 8 }],
  ],
  [
    'SELECT uniqExact(user_id) AS users, min(length(user_id)) AS digits FROM DB.t',
    [{ users: 6, digits: 32 }],
  ],
  ['SELECT upper(project) AS project FROM DB.t WHERE project = @project LIMIT 1', []],
  ["SELECT count() AS n FROM DB.t AS a CROSS JOIN DB.two_paths WHERE path = '/items/1'", [{ n: 20 }]],
  ["SELECT TRIM(BOTH '/' FROM path) AS p FROM DB.t WHERE id = 1", [{ p: 'items/1' }]],
  ['SELECT DISTINCT surname FROM DB.t', [{ surname: 'REDACTED' }]],
])('%s is computed from redacted values', async (query, expected) => {
  const { body } = await exchange.savedOnce(query, AT_SOURCE);
  expect(
    body
      .split('\n')
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line)),
  ).toEqual(expected);
});

test.each(['@guess', "'10.1.1.7'"])('a row that is equal to the guess %s is not evaluated', async (guess) => {
  // Of the first database, row 7 has this address, and a division by zero.
  const query = `SELECT count() AS n FROM DB.t WHERE ip = ${guess} AND intDiv(1, id - 7) < 2`;
  const [a, b] = await exchange.saved(query, AT_SOURCE);
  expect(a).toEqual(b);
  expect(await exchange.savedStatement(query, AT_SOURCE)).not.toContain('WHERE `ip` =');
});

test('texts that are only returned through a star are redacted together', async () => {
  const length = async (query: string): Promise<number> =>
    (await exchange.savedStatement(query, AT_SOURCE)).length;
  const one = await length('SELECT maybe FROM DB.texts');
  const star = await length('SELECT * FROM DB.texts');
  const named = await length('SELECT a, b, c, maybe FROM DB.texts');
  expect(star).toBeLessThan(2.5 * one); // those that can be NULL apart from the others
  expect(named).toBeGreaterThan(3 * one);
  const { body } = await exchange.savedOnce("SELECT * FROM DB.texts WHERE upper(b) = '/ITEMS/0'", AT_SOURCE);
  expect(JSON.parse(body)).toMatchObject({
    a: 'REDACTED',
    b: '/items/0',
    c: 'request from REDACTED took 0 ms',
    maybe: null,
  });
});

test.each([
  ["ip = 'REDACTED'", 'mine', 40],
  ["path = 'REDACTED'", 'mine', 0],
  ['ip = @project', 'REDACTED', 40],
  ['(@project IS NULL OR ip = @project)', 'REDACTED', 40],
])('%s with the parameter %s compares redacted values', async (condition, project, n) => {
  const query = `SELECT count() AS n FROM DB.t WHERE ${condition} AND @project IS NOT NULL`;
  const { body } = await exchange.savedOnce(query, AT_SOURCE, project);
  expect(JSON.parse(body)).toEqual({ n });
});

test('a dropped column does not exist, and neither do computed ones', async () => {
  expect((await exchange.savedOnce('SELECT note FROM DB.t', AT_SOURCE)).status).toBe(500);
});

test('conditions on the sort key read as little as without redaction', async () => {
  const sql = await exchange.savedStatement(
    "SELECT count() AS n FROM DB.t AS l WHERE l.project = @project AND ts < '2024-01-01 00:10:00'",
    AT_SOURCE,
  );
  expect(sql).toContain('FROM (SELECT * FROM first.t WHERE `project` = {project:');
});

/** The engine's names of what the rule for `doc.user.name` is about. */
const NAMES = [
  'doc.user.name', 'doc.user.name.:String', '`doc.user.name`.:`String`', 'doc.^user', 'doc.^`user`', 'doc.user.^name', 'doc.user[].name', 'doc.user.:JSON.name',
  'doc.user.:`Array(JSON)`.name', 'doc.user[].name.:`Array(String)`', 'doc.people[].name', 'doc.people[].name.:String', 'doc.people.:`Array(JSON)`.name',
  'doc.people[].^name', 'doc.people.:`Array(JSON)`', 'doc.people[]', 'doc.people', "tupleElement(doc, 'user')", "tupleElement(doc.^user, 'name')", 'doc',
]; // prettier-ignore

test.each(some(NAMES, 5))('%s is redacted in the result, at the source and for consumers', async (name) => {
  const rules = 'redact: true, columns: { doc.user.name: mask, doc.people.name: mask }';
  const hidden = `hex(toString(${name}))`;
  const consumer = exchange.over('people', `{ ${rules} }`);
  const asked = [`SELECT id, ${name}, ${hidden} AS h FROM t`, `SELECT count() AS n FROM t WHERE ${hidden} = '5ED8'`];
  const answers = [
    // A rule applies to a result column by its name.
    ...(name.includes('(') ? [] : [await exchange.saved(`SELECT id, ${name} FROM DB.people ORDER BY id`, `{ ${rules} }`)]),
    await exchange.saved(`SELECT id, ${name}, ${hidden} AS h FROM DB.people ORDER BY id`, `{ ${rules}, at: source }`),
    ...(await Promise.all(asked.map((text) => consumer({ language: 'sql', dialect: 'clickhouse', text })))),
  ];
  for (const [a, b] of answers) {
    expect([a.body, a.status]).toEqual([b.body, 200]);
    expect(a.body).not.toMatch(TRACES);
  }
}); // prettier-ignore

test.each([
  ['SELECT * FROM (SELECT id, path FROM DB.t)', ['id', 'path'], false],
  ['WITH x AS (SELECT id, path FROM DB.t), y AS (SELECT * FROM x) SELECT y.* FROM y', ['id', 'path'], false],
  ['SELECT count(*) AS n, max(id * 2) AS m FROM DB.t', ['n', 'm'], false],
  ['SELECT * FROM (SELECT id FROM DB.t UNION ALL SELECT id + 1 FROM DB.t) WHERE id IN (1, 2)', ['id'], false],
  ['SELECT * EXCEPT (id) FROM DB.replaced', ['ip', 'user_id'], true],
  ['SELECT DISTINCT ON (id) * FROM DB.replaced', ['id', 'ip', 'user_id'], true],
  ['SELECT TOP 1 * FROM DB.replaced', ['id', 'ip', 'user_id'], true],
  ['SELECT id FROM DB.t WHERE id IN (SELECT * FROM (SELECT id FROM DB.two_paths))', ['id'], false],
  ['SELECT id, tuple(*) AS every FROM DB.replaced LIMIT 1', ['id', 'every'], true],
  ['WITH tuple(*) AS every SELECT * FROM (SELECT every FROM DB.replaced)', ['every'], true],
])('%s redacts the columns that it needs', async (query, expected, isWhole) => {
  const sql = await exchange.savedStatement(query, AT_SOURCE);
  const { status, body } = await exchange.savedOnce(query, AT_SOURCE);
  expect([status, TRACES.test(body)]).toEqual([200, false]);
  expect(Object.keys(JSON.parse(body.split('\n')[0] ?? '') as object)).toEqual(expected);
  expect(sql.includes('user_id')).toBe(isWhole);
});

test('hashes of columns that no table has are rejected: the rows are not hashed again', async () => {
  const pii = '{ redact: true, at: source, columns: { who: hash } }';
  const { status, body } = await exchange.savedOnce('SELECT surname AS who FROM DB.t', pii);
  expect([status, TRACES.test(body)]).toEqual([500, false]);
});

test.each([
  ["SELECT * FROM merge('DB', 't')", '15', 'merge(…) cannot be redacted'],
  ["SELECT dictGet('DB.d', 'a', toUInt64(1)) AS x, ip FROM DB.t", '8', 'dictGet reads values'],
  ["SELECT joinGet('DB.j', 'a', 1) AS x, ip FROM DB.t", '8', 'joinGet reads values'],
  ['SELECT id FROM DB.t WHERE id IN DB.ids', '', 'the values of IN'],
  ["SELECT id FROM DB.t PREWHERE project = 'mine'", '', 'PREWHERE cannot'],
  ['SELECT id FROM DB.t SAMPLE 0.1', '', 'SAMPLE cannot'],
  ['SELECT id FROM view(SELECT * FROM DB.t)', '', 'view(…) cannot be redacted'],
  ['SELECT id FROM DB.by_tenant(p = 1)', '', 'DB.by_tenant(…) cannot'.replace('DB', 'first')],
  ['SELECT id FROM (DB.t AS a JOIN DB.t AS b ON a.id = b.id)', '', 'a join in parentheses'],
  [
    'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r',
    '',
    'WITH RECURSIVE',
  ],
  ['SELECT 1 AS one', '', 'reads no table'],
])('%s is a finding', async (query, _, message) => {
  await expect(exchange.savedOnce(query, AT_SOURCE)).rejects.toThrow(message);
});

/** Types, and two values of each: an expression over `number`, which is 0 or 1. */
const TYPES: readonly (readonly [type: string, value: string])[] = [
  ['UInt8', 'number'],
  ['Int64', '-9007199254740993 + number'],
  ['UInt64', '18446744073709551614 + number'],
  ['UInt256', 'toUInt256(1000) + number'],
  ['Float64', 'number / 8 - 1.5'],
  ['Float32', 'number + 0.1'],
  ['Decimal(18, 4)', 'toDecimal64(number + 1.5, 4)'],
  ['Bool', 'number = 1'],
  ['UUID', "toUUID(concat('123e4567-e89b-12d3-a456-42661417400', toString(number)))"],
  ['Date', "toDate('2024-01-31') + number"],
  ['Date32', "toDate32('1924-01-31') + number"],
  ["DateTime('UTC')", "toDateTime('2024-01-31 10:20:30', 'UTC') + number"],
  ["DateTime64(3, 'UTC')", "toDateTime64('2024-01-31 10:20:30.125', 3, 'UTC') + number"],
  ["Nullable(DateTime('UTC'))", "if(number = 0, NULL, toDateTime('2024-01-31 10:20:30', 'UTC'))"],
  ["DateTime('Asia/Kolkata')", "toDateTime('2024-01-31 10:20:30', 'Asia/Kolkata') + number"],
  ['String', "concat('a\"/\\\\é', char(10), toString(number))"],
  ['FixedString(4)', 'toString(number)'],
  ['Nullable(String)', "if(number = 0, NULL, 'x')"],
  ['Nullable(UInt32)', 'if(number = 0, NULL, 7)'],
  ['LowCardinality(String)', "concat('x', toString(number))"],
  ['LowCardinality(Nullable(String))', "if(number = 0, NULL, 'x')"],
  ['IPv4', "toIPv4(concat('10.1.2.', toString(number)))"],
  ['IPv6', "toIPv6(concat('2001:db8::', toString(number)))"],
  ["Enum8('a' = 0, 'b' = 1)", "if(number = 0, 'a', 'b')"],
  ['Array(UInt64)', '[number, 2]'],
  ['Array(String)', "['x/', toString(number)]"],
  ['Array(Nullable(IPv4))', "[toIPv4('10.0.0.1'), NULL]"],
  ["Array(DateTime('UTC'))", "[toDateTime('2024-01-31 10:20:30', 'UTC') + number]"],
  ['Tuple(UInt8, String)', "(number, 'x')"],
  ['Tuple(a UInt8, b String)', "(number, 'x')"],
  ['Map(String, UInt8)', "map('k', number)"],
  ['SimpleAggregateFunction(anyLast, Nullable(String))', "if(number = 0, NULL, 'x')"],
  ["SimpleAggregateFunction(max, DateTime('UTC'))", "toDateTime('2024-01-31 10:20:30', 'UTC') + number"],
  ['SimpleAggregateFunction(groupArrayArray, Array(String))', "['x/', toString(number)]"],
  ['LowCardinality(Nullable(FixedString(4)))', 'if(number = 0, NULL, toString(number))'],
  ['Point', '(number, 1.5)'],
];

test('the hash of each type in the engine is that of rows', async () => {
  const values = TYPES.map(
    ([type, value], index) => `CAST(${value}, '${type.replaceAll("'", "\\'")}') AS v${index}`,
  );
  await exchange.engine.execute(
    `CREATE TABLE first.typed_values ENGINE = MergeTree ORDER BY id AS SELECT number AS id, ${values.join(', ')} FROM numbers(2)`,
  );
  const columns = `columns: { ${TYPES.map((_, index) => `v${index}: hash`).join(', ')} }`;
  const query = 'SELECT * FROM DB.typed_values ORDER BY id';
  const ofRows = await exchange.savedOnce(query, `{ redact: true, ${columns} }`);
  const inEngine = await exchange.savedOnce(query, `{ redact: true, at: source, ${columns} }`);
  const [first, second] = [ofRows, inEngine].map(({ status, body }) => {
    expect([status, body]).toEqual([200, body]);
    return body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  });
  expect(first).toHaveLength(2);
  for (const [index, [type]] of TYPES.entries()) {
    const hashes = [first, second].map((lines) => lines?.map((line) => line[`v${index}`]));
    expect([type, hashes[1]]).toEqual([type, hashes[0]]);
    expect([type, JSON.stringify(hashes[0])]).toEqual([type, expect.stringMatching(/"[0-9a-f]{32}"/)]);
  }
});
