// The ClickHouse interface without its transport: statements and what they return, by a real engine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FULL_ACCESS } from '../../../../src/service/app/local.ts';
import { openCore, type Core } from '../../../../src/service/app/core.ts';
import { after, clock } from '../../../../src/service/app/clock.ts';
import { createPrincipal } from '../../../../src/service/auth/principal.ts';
import type { Principal } from '../../../../src/service/auth/principal.ts';
import { NO_DIRECTIVES } from '../../../../src/service/cache/freshness.ts';
import { Problem } from '../../../../src/sql/base/problem.ts';
import type { AnswerClickHouse, ClickHouseContent } from '../../../../src/service/fronts/clickhouse/call.ts';
import { readRows } from '../../../../src/service/engine/rows.ts';
import { showsNullable, typeFacts } from '../../../../src/service/fronts/clickhouse/virtual/type-facts.ts';
import { createClickHouse } from '../../../../src/service/fronts/clickhouse/clickhouse.ts';
import { exceptionOf } from '../../../../src/service/fronts/clickhouse/exception-codes.ts';
import { startService, writeEndpoint, type TestService } from '../../../support/service.ts';

const PRINCIPALS: Readonly<Record<string, Principal>> = {
  all: FULL_ACCESS,
  north: createPrincipal('north', 'north', {
    endpoints: ['shop.*'],
    allow: ['sql'],
    parameters: { region: 'north' },
  }),
  lql: createPrincipal('lql', 'lql', { endpoints: ['*'], allow: ['lql'] }),
};

let service: TestService;
let core: Core;
let answer: AnswerClickHouse;

beforeAll(async () => {
  service = await startService({
    sql: [
      'CREATE DATABASE app',
      "CREATE TABLE app.orders (id UInt64, region String, note Nullable(String), at DateTime64(3)) ORDER BY id AS SELECT number, number % 2 ? 'north' : 'south', NULL, toDateTime64('2026-01-01 00:00:00', 3) FROM numbers(10)",
      `CREATE TABLE app.types (${TYPES.map((type, index) => `c${index} ${type}`).join(', ')}) ENGINE = Memory
        SETTINGS allow_suspicious_low_cardinality_types = 1, enable_time_time64_type = 1`,
    ],
  });
  const id = 'id: 00000000-0000-4000-8000-0000000000';
  const parameters = 'parameters: { region: { type: String, required: true } }\n';
  const orders = 'orders AS (SELECT id, region, note, at FROM app.orders WHERE region = @region)';
  await writeEndpoint(
    service,
    'shop.orders',
    `${id}91\nname: shop.orders\ndescription: Orders of one region.\n${parameters}query: WITH ${orders} SELECT id FROM orders\nmax_rows: 4\nsandbox: { enabled: true }\n`,
  );
  await writeEndpoint(
    service,
    'shop.stock',
    `${id}92\nname: shop.stock\n${parameters}query: WITH stock AS (SELECT id FROM app.orders WHERE region = @region) SELECT id FROM stock\nsandbox: { enabled: true }\n`,
  );
  await writeEndpoint(service, 'closed', `${id}93\nname: closed\nquery: SELECT id FROM app.orders\n`);
  const { settings, engine } = service;
  core = await openCore({
    settings,
    engine,
    link: undefined,
    observe: () => undefined,
    keyUse: { note: () => undefined },
    keyring: () => ({
      authenticate: (key) => {
        const principal = PRINCIPALS[key];
        return principal === undefined
          ? { kind: 'rejected', reason: 'unknown' }
          : { kind: 'accepted', principal, expires: Infinity };
      },
    }),
  });
  answer = createClickHouse({
    ...core,
    catalog: core.catalog.current,
    engine,
    clock,
    after,
    version: '26.7.2.1',
  });
});
afterAll(async () => {
  await core.close();
  await service.stop();
});

const TYPES: readonly string[] = [
  'UInt8', 'Nullable(Int256)', 'LowCardinality(UInt8)', 'SimpleAggregateFunction(sum, UInt64)', 'Float32', 'Bool',
  'Decimal(9, 2)', 'Nullable(Decimal(76, 4))', 'Array(Decimal(9, 2))', "Enum8('Nullable(Decimal(9, 2))' = 1)",
  'Date', 'Date32', 'DateTime', "Nullable(DateTime64(4, 'UTC'))", 'Array(DateTime64(3))', 'Tuple(x DateTime64(3))', 'Time64(3)',
  'LowCardinality(Nullable(DateTime))', 'SimpleAggregateFunction(max, Nullable(DateTime64(6)))', 'LowCardinality(Nullable(String))',
]; // prettier-ignore

test('what the engine says about types of columns', async () => {
  const names = 'data_type, is_nullable, numeric_precision, numeric_precision_radix, numeric_scale, datetime_precision';
  const schema = `SELECT ${names} FROM information_schema.columns WHERE table_name = 'types'`;
  const rows = (await readRows(service.engine, `SELECT * FROM (${schema})`)) as readonly (readonly unknown[])[];
  expect(rows).toHaveLength(TYPES.length);
  for (const [type, isNullable, ...digits] of rows) {
    const facts = typeFacts(String(type));
    expect([type, Number(facts.isNullable), ...facts.digits, facts.timeDigits]).toEqual([type, Number(isNullable), ...digits]);
  }
  const shown = (await readRows(service.engine, 'SELECT * FROM (SELECT type FROM system.columns WHERE table = \'types\')')) as readonly (readonly [string])[];
  expect(shown.filter(([type]) => showsNullable(type)).length).toBe(5);
}); // prettier-ignore

interface Asked {
  readonly key?: string;
  readonly database?: string;
  readonly format?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly queryId?: string;
}

async function ask(text: string, asked: Asked = {}): Promise<string> {
  const content: ClickHouseContent = {
    text,
    database: asked.database,
    defaultFormat: asked.format,
    protocolVersion: 0,
    parameters: new Map(Object.entries(asked.parameters ?? {})),
    settings: new Map(Object.entries(asked.settings ?? {})),
    queryId: asked.queryId,
    session: undefined,
    redact: false,
    labels: undefined,
    reservation: undefined,
    directives: NO_DIRECTIVES,
  };
  const { signal } = new AbortController();
  const { body } = await answer({
    requestId: 'request',
    key: asked.key ?? 'all',
    read: async () => content,
    record: {},
    signal: () => signal,
  });
  return body.toString();
}

/** ClickHouse's code of the exception, and the place in the text. */
async function fault(text: string, asked: Asked = {}): Promise<string> {
  const problem: unknown = await ask(text, asked).then(
    (body) => body,
    (error: unknown) => error,
  );
  if (!(problem instanceof Problem)) return `answered ${String(problem)}`;
  const [first] = problem.errors;
  const place = first?.line === undefined ? '' : ` at ${first.line}:${first.column}`;
  return `${exceptionOf(problem).code}${place}`;
}

const NORTH = { parameters: { region: 'north' } };
const ORDERS = { ...NORTH, database: 'shop.orders' };

describe('names', () => {
  test.each<[sql: string, asked: Asked]>([
    ['SELECT count() FROM orders', ORDERS],
    ['SELECT count() FROM `shop.orders`.orders', NORTH],
    ['SELECT count() FROM "shop.orders"."orders"', NORTH],
    ['SELECT count() FROM shop.orders.orders', NORTH],
    ['SELECT count() FROM `shop.orders`/* . */./* x */`orders`;', NORTH],
    ['SELECT count() FROM `shop.orders.orders`', NORTH],
    ['SELECT count(`shop.orders`.orders.id) FROM `shop.orders`.orders', NORTH],
    ['SELECT count() FROM `shop.orders`.orders AS o WHERE o.id >= 0', NORTH],
    ['SELECT count() FROM (SELECT `shop.orders`.orders.* FROM `shop.orders`.orders)', NORTH],
    ['SELECT count() FROM `shop.orders:region=north`.orders', {}],
    ['SELECT count() FROM orders', { database: 'shop.orders:region=%6eorth' }],
    ['SELECT count() FROM `shop.orders`.orders', { key: 'north' }],
    ['SELECT count() FROM orders', { key: 'north', database: 'shop.orders' }],
    [
      'SELECT count() FROM {d:Identifier}.{t:Identifier}',
      { parameters: { region: 'north', d: 'shop.orders', t: 'orders' } },
    ],
    ['\ufeffSELECT\u00a0count()\u2003FROM\u200borders\u3000;\u2028', ORDERS],
    ['SELECT\u202fcount()\vFROM `shop.orders`\u2060.\u200borders', NORTH],
  ])('%s', async (sql, asked) => {
    expect(await ask(sql, asked)).toBe('5\n');
  });

  test.each<[sql: string, asked: Asked, expected: string]>([
    ['SELECT 1 FROM orders', {}, '60 at 1:15'],
    ['SELECT 1 FROM shops.orders', {}, '81 at 1:15'],
    ['SELECT 1 FROM closed.t', {}, '81 at 1:15'],
    ['SELECT 1', { database: 'nothing' }, '81'],
    ['SELECT 1', { database: 'shop.orders', key: 'lql' }, '497'],
    ['SELECT 1\nFROM `shop.orders`.order', {}, '60 at 2:6'],
    ['SELECT 1 FROM order', ORDERS, '60 at 1:15'],
    ['SELECT * FROM app.orders', ORDERS, '81 at 1:15'],
    ['SELECT * FROM `shop.orders`.orders, `shop.stock`.stock', NORTH, '48'],
    ['SELECT * FROM `shop.orders`.orders, system.tables', NORTH, '48'],
    ['SELECT * FROM orders WHERE id IN (SELECT id FROM `shop.stock`.stock)', ORDERS, '48'],
    ['SELECT * FROM `shop.orders:region=a`.orders, `shop.orders:region=b`.orders AS x', {}, '48'],
    ['SELECT 1 FROM `shop.orders`.orders', {}, '457'],
    ['SELECT 1 FROM `shop.orders:region`.orders', {}, '457'],
    ['SELECT 1 FROM `shop.orders`.orders', { parameters: { region: 'a', sql: 'SELECT 2' } }, '457'],
    ['SELECT 1 FROM `shop.orders`.orders', { parameters: { region: 'a', nothing: '1' } }, '457'],
    ["SELECT 1 FROM `shop.orders`.`orders' UNION ALL SELECT 2`", NORTH, '60 at 1:15'],
  ])('%s is rejected', async (sql, asked, expected) => {
    expect(await fault(sql, asked)).toBe(expected);
  });

  test('a locked parameter cannot be changed', async () => {
    const south = { key: 'north', database: 'shop.orders', parameters: { region: 'south' } };
    const texts = [
      'SELECT DISTINCT region FROM orders',
      'SELECT DISTINCT region FROM `shop.orders:region=south`.orders',
    ];
    for (const sql of texts) {
      const shown = await ask(sql, south).catch((error: unknown) =>
        error instanceof Problem ? 'rejected' : 'failed',
      );
      expect(['north\n', 'rejected']).toContain(shown);
    }
  });
});

describe('places in the text as sent', () => {
  test.each([
    ['SELECT   nope\nFROM `shop.orders`.orders', '47 at 1:10'],
    ['SELECT id,\n  {x:UInt64} + nope FROM orders', '47 at 2:16'],
    ['SELECT version(),\n  timezone(), nope FROM orders', '47 at 2:15'],
    ['SELECT id FROM orders ORDER BY nope FORMAT JSON', '47 at 1:32'],
    ['SELECT sleep(1) FROM orders', '446 at 1:8'],
    ['SELECT 1; SELECT 2', '62 at 1:11'],
    ['SELECT\u00a0nope\u2028FROM orders', '47 at 1:8'],
    ['SELECT\u200eid FROM orders', '62 at 1:7'],
    ['\u200eSELECT id FROM orders', '62 at 1:1'],
    ['DESCRIBE (SELECT\n nope FROM orders)', '47 at 2:2'],
    ['DESCRIBE (SELECT version(),\n timezone(), nope FROM orders)', '47 at 2:14'],
  ])('%s', async (sql, expected) => {
    expect(
      await fault(sql, {
        ...ORDERS,
        parameters: { region: 'north', ...(sql.includes('{x:') ? { x: '1' } : {}) },
      }),
    ).toBe(expected);
  });
});

describe('placeholders', () => {
  test.each<[type: string, value: string, expected: string]>([
    ['UInt8', '5', '5'],
    ['Int64', '-9223372036854775808', '-9223372036854775808'],
    [
      'UInt256',
      '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      '115792089237316195423570985008687907853269984665640564039457584007913129639935',
    ],
    ['Float64', '-1.5e3', '-1500'],
    ['Bool', 'true', 'true'],
    ['String', "it's", "it\\'s"],
    ['String', String.raw`a\tb\\n`, String.raw`a\tb\\n`],
    ['String', "'; DROP TABLE x --", "\\'; DROP TABLE x --"],
    ['FixedString(3)', 'abc', 'abc'],
    ['Nullable(String)', String.raw`\N`, String.raw`\N`],
    ['Nullable(UInt8)', '7', '7'],
    ['LowCardinality(String)', 'x', 'x'],
    ['LowCardinality(Nullable(String))', String.raw`\N`, String.raw`\N`],
    ['Nullable( Float64 )', '1.5', '1.5'],
    ['SMALLINT', '-7', '-7'],
    ['TEXT', "it's", "it\\'s"],
    ['BOOLEAN', '1', 'true'],
    ['Date', '2026-01-02', '2026-01-02'],
    ['DateTime', '1700000000', '2023-11-14 22:13:20'],
    ['DateTime64(3)', '1700000000.123', '2023-11-14 22:13:20.123'],
    ['UUID', '61f0c404-5cb3-11e7-907b-a6006ad3dba0', '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
    ['Decimal(10, 2)', '1.5', '1.5'],
    ['Array(String)', "['a','b\\'c']", "['a','b\\'c']"],
    ['Array(Array(UInt8))', '[[1],[2,3]]', '[[1],[2,3]]'],
    ['Tuple(String, UInt8)', "('a',1)", "('a',1)"],
    ['Map(String, UInt8)', "{'k':1,'l':2}", "{'k':1,'l':2}"],
    ['Map(String, Array(UInt8))', '{}', '{}'],
    ["Enum8('a' = 1)", 'a', 'a'],
  ])('%s %s', async (type, value, expected) => {
    expect(await ask(`SELECT {x:${type}} AS x`, { parameters: { x: value } })).toBe(`${expected}\n`);
  });

  test.each<[sql: string, values: Readonly<Record<string, string>>, expected: string]>([
    ['SELECT {x:UInt8}', {}, '456 at 1:8'],
    ['SELECT 1, {x:UInt8}', { x: '300x' }, '457 at 1:11'],
    ['SELECT {x:UInt8}', { x: '-1' }, '457 at 1:8'],
    ['SELECT {x:UInt8}', { x: '256' }, '457 at 1:8'],
    ['SELECT 1 WHERE 1 IN ({x:Nullable(Int8)})', { x: '-129' }, '457 at 1:22'],
    ['SELECT {x:SMALLINT}', { x: '40000' }, '457 at 1:8'],
    ['SELECT {x:LowCardinality(Int8)}', { x: '300' }, '457 at 1:8'],
    ['SELECT {x:Nullable(Float64)}', { x: '1 + 1' }, '457 at 1:8'],
    ['SELECT {x:UInt8}', { x: '1), (2' }, '457 at 1:8'],
    ['SELECT 1 = {x:UInt99999999999}', { x: '1' }, '50 at 1:12'],
    ['SELECT {x:Float64}', { x: '1 + 1' }, '457 at 1:8'],
    ['SELECT {x:Bool}', { x: 'maybe' }, '457 at 1:8'],
    ['SELECT {x:Map(String, UInt8)}', { x: "{'a':1}, {'b':2}" }, '457 at 1:8'],
    ['SELECT {x:String}', { x: '\\' }, '457 at 1:8'],
    ['SELECT {x:String}', { x: '\\n'.repeat(200_000) }, '457 at 1:8'],
    ['SELECT {x:Array(UInt8)}', { x: '[1], (SELECT 1)' }, '632 at 1:8'],
    ['SELECT {x:Identifier}', { x: '1` FROM system.one -- ' }, '62 at 1:8'],
    ["SELECT {x:UInt8') + sleep(1)}", { x: '1' }, '62 at 1:8'],
    ['SELECT {x:AggregateFunction(sum, UInt8)}', { x: 'a' }, '50 at 1:8'],
  ])('%s is rejected', async (sql, parameters, expected) => {
    expect(await fault(sql, { parameters })).toBe(expected);
  });

  test('of the name of a parameter of the endpoint are given to both', async () => {
    expect(await ask('SELECT count() FROM orders WHERE region = {region:String}', ORDERS)).toBe('5\n');
  });

  test('with wide spaces in them', async () => {
    expect(await ask('SELECT {x\u00a0:\u2003Nullable\u200b(\u3000String)} AS x')).toBe(String.raw`\N` + '\n');
    const parameters = { x: '7' };
    expect(await ask('SELECT {\u00a0x:UInt8\ufeff} AS x', { parameters })).toBe('7\n');
  });

  test('before the clauses of the interface', async () => {
    const parameters = { n: '1' };
    expect(await ask('SELECT 1 AS a LIMIT {n:Int32} \nFORMAT JSONEachRow', { parameters })).toBe('{"a":1}\n');
  });

  test('in clauses that take literals only', async () => {
    const parameters = { n: '2', x: '1' };
    const sql = 'SELECT number FROM numbers({n:UInt8}) WHERE number >= {x:UInt8} LIMIT {n:UInt8} OFFSET 0';
    expect(await ask(sql, { parameters })).toBe('1\n');
  });
});

describe('clauses', () => {
  test.each<[sql: string, expected: string]>([
    ['SELECT 1 AS a FORMAT JSONEachRow', '{"a":1}\n'],
    ['SELECT 1 AS a FORMAT CSV;', '1\n'],
    ['SELECT 1 AS a\u00a0FORMAT\u2003JSONEachRow\u200b;\u3000', '{"a":1}\n'],
    ['SELECT 1 AS a\u2028SETTINGS\u202fmax_threads\u00a0=\u00a01\u00a0FORMAT\u00a0CSV', '1\n'],
    ['SELECT 1 AS a SETTINGS max_threads = 1 FORMAT CSV', '1\n'],
    ["SELECT 1 AS a FORMAT CSV SETTINGS max_threads = 1, log_comment = 'x'", '1\n'],
    ["SELECT ' FORMAT CSV' AS format", ' FORMAT CSV\n'],
    ['SELECT format FROM (SELECT 1 AS format)', '1\n'],
    ['SELECT 1 AS format', '1\n'],
    ['SELECT settings FROM (SELECT 1 AS settings)', '1\n'],
    ["SELECT toDateTime(0) AS t SETTINGS date_time_output_format = 'iso'", '1970-01-01T00:00:00Z\n'],
    ["SELECT number FROM numbers(9) SETTINGS max_result_rows = 2, result_overflow_mode = 'break'", '0\n1\n'],
    ['SELECT number FROM numbers(9) SETTINGS limit = 1', '0\n'],
    ['WITH events AS (SELECT 1 AS a) SELECT a FROM events', '1\n'],
    ['SELECT 1 SETTINGS join_use_nulls = 1', '1\n'],
    ["SET max_threads = 1, send_logs_level = 'none'", ''],
    ['USE default', ''],
  ])('%s', async (sql, expected) => {
    expect(await ask(sql)).toBe(expected);
  });

  test.each([
    ['SELECT 1 FORMAT Nothing', '73'],
    ['SELECT 1 SETTINGS nothing = 1', '115'],
    ["SELECT 1 SETTINGS session_timezone = 'Asia/Tokyo'", '164'],
    [
      'SELECT 1 AS a, 2 AS b FROM system.one AS x JOIN system.one AS y ON 1 SETTINGS join_use_nulls = 1',
      '164',
    ],
    ["SELECT 1 SETTINGS additional_table_filters = {'a.b': 'c = 1'}", '164'],
    ['SELECT 1 SETTINGS output_format_json_quote_64bit_integers = 7', '36'],
    ['SELECT number FROM numbers(9) SETTINGS max_result_rows = 2', '396'],
    ['SELECT 1 FROM (SELECT 1 SETTINGS max_threads = 1)', '62 at 1:25'],
    ["SELECT 1 INTO OUTFILE '/tmp/x'", '48 at 1:10'],
    ['SET max_result_rows = 1', '164'],
    ['SET nothing = 1', '115'],
    ['SET', '62'],
    ['USE `shop.orders`', '164'],
  ])('%s is rejected', async (sql, expected) => {
    expect(await fault(sql)).toBe(expected);
  });
});

describe('statements that are not queries', () => {
  test.each([
    'INSERT INTO t VALUES (1)',
    "insert into t format CSV\n1,'",
    'CREATE TABLE t (a Int8) ENGINE = Memory',
    'ALTER TABLE t DELETE WHERE 1',
    'DROP TABLE t',
    'TRUNCATE t',
    'OPTIMIZE TABLE t',
    'SYSTEM SHUTDOWN',
    'GRANT ALL ON *.* TO x',
    'ATTACH TABLE t',
    'RENAME TABLE a TO b',
    "BACKUP DATABASE x TO Disk('a')",
    '-- x\n/* y */ DELETE FROM t WHERE 1',
    'UPDATE t SET a = 1 WHERE 1',
  ])('%s', async (sql) => {
    expect(await fault(sql)).toMatch(/^164 at/);
  });

  test.each([
    ['EXPLAIN SELECT 1', '48'],
    ['CHECK TABLE t', '48'],
    ['BEGIN TRANSACTION', '48'],
    ['FOO', '62 at 1:1'],
    ['', '62 at 1:1'],
    ['SHOW NOTHING', '62 at 1:6'],
    ['SHOW TABLES', '60'],
    ['SHOW TABLES FROM nothing', '81'],
    ['DESCRIBE TABLE `shop.orders`.nothing', '60'],
    ['SHOW DATABASES WHERE', '62 at 1:21'],
    ['SHOW DATABASES WHERE missing = 1', '47 at 1:22'],
    ["SHOW SETTINGS\n-- of mine\nWHERE name =\n toString(toUInt8(concat('a', name)))", '6 at 4:11'],
    ["SHOW DATABASES WHERE name = 'x') OR (1", '62 at 1:32'],
    ["SHOW DATABASES WHERE name = 'x' LIMIT y", '62 at 1:39'],
    ['SHOW CREATE USER x', '48'],
    ['SHOW SETTING', '62 at 1:13'],
    ["KILL QUERY WHERE user = 'x'", '62 at 1:18'],
    ["KILL QUERY WHERE query_id = 'a' OR 1", '62 at 1:33'],
  ])('%s is rejected', async (sql, expected) => {
    expect(await fault(sql)).toBe(expected);
  });
});

describe('what tools ask first', () => {
  const TSV = { format: 'TSVWithNames' };
  const GRANTS = 'GRANT SELECT ON `shop.orders`.* TO `north`\nGRANT SELECT ON `shop.stock`.* TO `north`\n';
  test.each<[sql: string, asked: Asked, expected: string]>([
    ['SELECT 1', TSV, '1\n1\n'],
    ['SELECT version(), timezone()', TSV, 'version()\ttimezone()\n26.7.2.1\tUTC\n'],
    [
      'SELECT currentUser() AS u, DATABASE ()',
      { ...TSV, database: 'shop.orders' },
      'u\tDATABASE()\nlocal\tshop.orders\n',
    ],
    ["SELECT concat(version(), '!') AS v", {}, '26.7.2.1!\n'],
    [
      'SHOW DATABASES',
      { key: 'north' },
      'INFORMATION_SCHEMA\ninformation_schema\nshop.orders\nshop.stock\nsystem\n',
    ],
    ["SHOW DATABASES LIKE 'shop%' LIMIT 1", {}, 'shop.orders\n'],
    ['SHOW TABLES', { database: 'shop.orders' }, 'orders\n'],
    ['SHOW TABLES FROM shop.stock', {}, 'stock\n'],
    ["SHOW FULL TABLES FROM `shop.stock` NOT LIKE 'x'", {}, 'stock\tVIEW\n'],
    ["SHOW TABLES FROM shop.stock WHERE engine = 'View' AND name NOT LIKE '.inner%' LIMIT 5", {}, 'stock\n'],
    ["SHOW FULL TABLES FROM `shop.stock` WHERE table_type = 'VIEW'", {}, 'stock\tVIEW\n'],
    ["SHOW DATABASES WHERE name LIKE 'shop%' -- mine\n OR name = 'x'", {}, 'shop.orders\nshop.stock\n'],
    [
      "SHOW FULL COLUMNS FROM orders WHERE field = 'note'",
      ORDERS,
      'note\tNullable(String)\tYES\t\t\t\t\t\t\n',
    ],
    ['SHOW SETTING cloud_mode', {}, '0\n'],
    ["SHOW CLUSTER 'default'", {}, ''],
    ['SHOW DICTIONARIES FROM `shop.orders`', {}, ''],
    ['SHOW GRANTS FOR CURRENT_USER', { key: 'north' }, GRANTS],
    ['DESC `shop.stock`.stock SETTINGS describe_compact_output = 1', {}, 'id\tUInt64\n'],
    [
      'DESCRIBE TABLE `shop.orders`.orders',
      {},
      'id\tUInt64\t\t\t\t\t\nregion\tString\t\t\t\t\t\nnote\tNullable(String)\t\t\t\t\t\nat\tDateTime64(3)\t\t\t\t\t\n',
    ],
    [
      'DESC (SELECT id, count() AS n FROM orders GROUP BY id)',
      ORDERS,
      'id\tUInt64\t\t\t\t\t\nn\tUInt64\t\t\t\t\t\n',
    ],
    [
      'DESCRIBE (SELECT currentDatabase(), version() AS v)',
      {},
      'currentDatabase()\tString\t\t\t\t\t\nv\tString\t\t\t\t\t\n',
    ],
    ["SHOW COLUMNS FROM orders FROM `shop.orders` LIKE 'n%'", {}, 'note\tNullable(String)\tYES\t\t\t\n'],
    ['EXISTS TABLE `shop.orders`.orders', {}, '1\n'],
    ['EXISTS TABLE `shop.orders`.order', {}, '0\n'],
    ['EXISTS DATABASE closed', {}, '0\n'],
    [
      "SELECT database, name, engine, comment FROM system.tables WHERE name = 'orders'",
      {},
      'shop.orders\torders\tView\tOrders of one region.\n',
    ],
    [
      "SELECT name, type FROM system.columns WHERE database = 'shop.stock' AND table = 'stock'",
      {},
      'id\tUInt64\n',
    ],
    ["SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE table_schema = 'shop.stock'", {}, 'stock\n'],
    [
      "SELECT column_name, is_nullable FROM columns WHERE table_name = 'orders' LIMIT 1 OFFSET 2",
      { database: 'information_schema' },
      'note\tYES\n',
    ],
    ["SELECT count() FROM TABLES WHERE table_name = 'orders'", { database: 'INFORMATION_SCHEMA' }, '1\n'],
    [
      "SELECT t.name FROM system.tables AS t JOIN system.databases AS d ON system.tables.database = system.databases.name WHERE d.name = 'shop.stock'",
      {},
      'stock\n',
    ],
    ["SELECT 'shop.stock' IN (SELECT name FROM system.databases) AS y", {}, '1\n'],
    ['SELECT count() FROM system.parts', {}, '0\n'],
    ["SELECT value = '1' FROM system.settings WHERE name = 'cloud_mode'", {}, '0\n'],
    ['SELECT query FROM system.processes', { key: 'north' }, 'SELECT query FROM system.processes\n'],
    ['SELECT * FROM system.one', {}, '0\n'],
    ['SELECT number FROM system.numbers LIMIT 2', {}, '0\n1\n'],
    ['SHOW GRANTS', { key: 'north' }, GRANTS],
    [
      "SELECT '{rows_of_tables:String}' AS x FROM system.tables WHERE name = 'orders' AND name != '{rows_of_tables:String}'",
      {},
      '{rows_of_tables:String}\n',
    ],
  ])('%s', async (sql, asked, expected) => {
    expect(await ask(sql, asked)).toBe(expected);
  });

  test('the definition of a table', async () => {
    const shown = await ask('SHOW CREATE TABLE `shop.orders`.orders FORMAT Raw');
    expect(shown).toContain('CREATE TABLE `shop.orders`.`orders`\n(\n    `id` UInt64,');
    expect(shown).toContain(') ENGINE = View');
  });

  test.each([
    ['SELECT * FROM system.nothing', '60 at 1:15'],
    ['SELECT * FROM system.query_thread_log', '60 at 1:15'],
    ["SELECT * FROM merge('system', 'tables')", '60 at 1:15'],
    ["SELECT * FROM file('/etc/passwd')", '60 at 1:15'],
    ['SELECT * FROM numbers(100000000)', '60 at 1:15'],
    ['WITH tables AS (SELECT 1 AS a) SELECT * FROM tables, system.columns', '36 at 1:6'],
    ["SELECT getSetting('max_threads')", '446 at 1:8'],
    ['SELECT missing(1)', '46 at 1:8'],
  ])('%s is rejected', async (sql, expected) => {
    expect(await fault(sql)).toBe(expected);
  });
});

test('every virtual table can be read', async () => {
  let tables = 0;
  for (const database of ['system', 'information_schema']) {
    const names = await ask(`SHOW TABLES FROM ${database}`);
    for (const name of names.trim().split('\n'))
      tables +=
        (await ask(`SELECT count() >= 0 FROM (SELECT * FROM ${database}.${name} LIMIT 1)`)).length / 2;
  }
  expect(tables).toBeGreaterThan(80);
});

test('KILL QUERY ends queries of the same key, by their ids', async () => {
  const slow =
    'SELECT count() FROM system.numbers AS a CROSS JOIN system.numbers AS b WHERE cityHash64(a.number, b.number) = 1';
  const run = fault(slow, { queryId: 'slow' });
  const kill = "KILL QUERY WHERE query_id = 'slow'";
  expect(await ask(kill, { key: 'north' })).toBe('');
  await expect.poll(() => ask(`${kill} TEST`)).toMatch(/^unknown_status\tslow\t/);
  expect(await fault('SELECT 1', { queryId: 'slow' })).toBe('216');
  expect(await ask(kill)).toBe(`waiting\tslow\tlocal\t${slow}\n`);
  expect(await run).toBe('394');
  expect(await ask(`${kill} SYNC`)).toBe('');
});
