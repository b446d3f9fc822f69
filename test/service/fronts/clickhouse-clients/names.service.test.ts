// Names that clients write in other ways than the interface lists them: formats, databases with parameters, columns that do not exist;
// and placeholders without a value.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DATABASE, startClickHouseWorld, type ClickHouseWorld } from './world.ts';

let world: ClickHouseWorld;
beforeAll(async () => {
  world = await startClickHouseWorld();
});
afterAll(() => world.stop());

/** The rows in JSONCompact, or the code of the exception. */
async function rows(sql: string, fields: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const response = await world.ask(sql, { default_format: 'JSONCompact', ...fields });
  const text = await response.text();
  if (response.status !== 200) return Number(response.headers.get('X-ClickHouse-Exception-Code'));
  return (JSON.parse(text) as { data: unknown[] }).data; // as ClickHouse writes it
}

describe('formats in any case of letters', () => {
  test.each([
    ['SELECT 1 AS a FORMAT json', {}, 'JSON'],
    ['SELECT 1 AS a FORMAT JsonEachRow', {}, 'JSONEachRow'],
    ['SELECT 1 AS a format csvwithnames', {}, 'CSVWithNames'],
    ['SELECT 1 AS a FORMAT `native`', {}, 'Native'],
    ['SELECT 1 AS a FORMAT "TSV"', {}, 'TSV'],
    ['SELECT 1 AS a', { default_format: 'rowbinarywithnamesandtypes' }, 'RowBinaryWithNamesAndTypes'],
    ["SELECT 1 AS a SETTINGS default_format = 'parquet'", {}, 'Parquet'],
    ['SHOW TABLES FORMAT jsoncompact', {}, 'JSONCompact'],
    ['DESCRIBE TABLE orders FORMAT PRETTYCOMPACT', {}, 'PrettyCompact'],
    ['SELECT name FROM system.one AS name FORMAT vertical', {}, 'Vertical'],
  ])('%s %o', async (sql, fields, format) => {
    const response = await world.ask(sql.replace('SELECT name FROM', 'SELECT dummy FROM'), fields);
    expect([response.status, response.headers.get('X-ClickHouse-Format')]).toEqual([200, format]);
    await response.arrayBuffer();
  });

  test('in a header field', async () => {
    const response = await world.ask('SELECT 1 AS a', {}, { headers: { 'X-ClickHouse-Format': 'xml' } });
    expect(response.headers.get('X-ClickHouse-Format')).toBe('XML');
    await response.arrayBuffer();
  });

  test.each(['jsonn', 'mysqlwire', 'toString', 'json '])('%s is none', async (name) => {
    expect(await rows('SELECT 1', { default_format: name })).toBe(73);
  });
});

describe('placeholders without a value', () => {
  test.each([
    ['Nullable(String)'],
    ['Nullable(UInt8)'],
    ['Nullable( DateTime64(3) )'],
    ["Nullable(Enum8('a' = 1))"],
    ['LowCardinality(Nullable(String))'],
  ])('%s is NULL', async (type) => {
    const sql = `SELECT {x:${type}} AS a, toTypeName(a) AS b`;
    const expected = [[null, type.replace('( ', '(').replace(' )', ')')]];
    expect(await rows(sql)).toEqual(expected);
    expect(await rows(sql, { param_x: String.raw`\N` })).toEqual(expected);
  });

  test.each(['String', 'UInt8', 'Array(Nullable(String))', 'LowCardinality(String)', 'Identifier'])('%s is missing', async (type) => {
    expect(await rows(`SELECT {x:${type}} AS a`)).toBe(456);
  }); // prettier-ignore

  test('in a condition', async () => {
    const sql = 'SELECT toUInt8(count()) FROM orders WHERE {status:Nullable(String)} IS NULL OR toString(status) = {status:Nullable(String)}';
    expect(await rows(sql)).toEqual([[20]]);
    expect(await rows(sql, { param_status: 'new' })).toEqual([[7]]);
  }); // prettier-ignore
});

describe('columns and tables that do not exist are code 47, wherever they are', () => {
  test.each([
    'SELECT missing FROM orders',
    'SELECT missing.* FROM orders',
    'SELECT missing.*, id FROM orders AS o',
    'SELECT `shop.orders`.missing.* FROM orders',
    'SELECT o.*, missing.id.* FROM orders AS o',
    'SELECT count(missing.*) FROM orders',
    'SELECT missing.* EXCEPT id FROM orders',
    "SELECT missing.COLUMNS('a') FROM orders",
    'SELECT `mis sing`.* FROM orders',
    'SELECT "missing.a" FROM orders',
    'SELECT "missing.a"."b.c".d FROM orders',
    `SELECT ${'m'.repeat(240)} FROM orders`,
    'SELECT (SELECT missing.* FROM orders)',
    'SELECT * FROM (SELECT missing.* FROM orders)',
    'SELECT id FROM orders ORDER BY missing.*',
    'SELECT count() FROM orders AS o WHERE tuple(z.*) = 1',
    'WITH t AS (SELECT missing.* FROM orders) SELECT * FROM t',
    'SELECT missing.*',
    'SELECT missing',
    'SELECT missing.* FROM system.tables',
    'SELECT t.* FROM information_schema.columns AS x',
    'SELECT {x:Identifier}.* FROM orders',
    'DESCRIBE (SELECT missing.* FROM orders)',
    'SHOW TABLES WHERE missing = 1',
    'SELECT o.id FROM orders AS o JOIN customers AS c ON x.customer = c.name',
    'SELECT o.id FROM orders AS o LEFT JOIN customers AS c USING (missing)',
    'SELECT x FROM orders ARRAY JOIN missing AS x',
    'SELECT * APPLY(x -> missing) FROM orders',
    'SELECT COLUMNS(id, missing) FROM orders',
    'SELECT sum(id) OVER (PARTITION BY missing) FROM orders',
    'SELECT id FROM orders ORDER BY id, total WITH FILL INTERPOLATE (note AS missing)',
  ])('%s', async (sql) => {
    const response = await world.ask(sql, sql.includes('{x:') ? { param_x: 'missing' } : {});
    const text = await response.text();
    expect([text, response.headers.get('X-ClickHouse-Exception-Code')]).toEqual([expect.stringContaining('UNKNOWN_IDENTIFIER'), '47']);
  }); // prettier-ignore

  test('a star of a table has its place', async () => {
    const text = await (await world.ask('SELECT id,\n missing.*\nFROM orders')).text();
    expect(text).toContain('(line 2, column 2)');
  });
});

describe('a database by its name with parameters', () => {
  const NAME = `${DATABASE}:tenant=mine`;
  const COLUMNS = 18;

  test.each([
    [`SELECT toUInt8(count()) FROM system.tables WHERE database = '${NAME}'`, 2],
    [`SELECT toUInt8(count()) FROM system.columns WHERE database = '${NAME}'`, COLUMNS],
    [`SELECT toUInt8(count()) FROM system.columns WHERE database = '${NAME}' AND table = 'orders'`, COLUMNS - 2],
    [`SELECT toUInt8(count()) FROM system.databases WHERE name = '${NAME}'`, 1],
    [`SELECT toUInt8(count()) FROM information_schema.tables WHERE table_schema = '${NAME}'`, 2],
    [`SELECT toUInt8(count()) FROM information_schema.views WHERE table_schema IN ('${NAME}')`, 2],
    [`SELECT toUInt8(count()) FROM information_schema.columns WHERE table_schema = '${NAME}'`, COLUMNS],
    [`SELECT toUInt8(count()) FROM information_schema.schemata WHERE schema_name LIKE '${NAME}'`, 1],
    [`SELECT toUInt8(count()) FROM system.grants WHERE database = '${NAME}'`, 1],
    [`SELECT toUInt8(count()) FROM system.tables WHERE database = {db:String}`, 2],
  ])('%s', async (sql, expected) => {
    const fields = sql.includes('{db:') ? { param_db: NAME } : {};
    for (const database of [NAME, DATABASE, 'default'])
      expect([database, await rows(sql, { ...fields, database })]).toEqual([database, [[expected]]]);
  }); // prettier-ignore

  test('is in the lists of the request that uses it', async () => {
    const listed = 'SELECT name FROM system.databases WHERE name LIKE \'shop.orders%\' ORDER BY name';
    expect(await rows(listed, { database: NAME })).toEqual([[DATABASE], [NAME]]);
    expect(await rows(listed)).toEqual([[DATABASE]]);
    expect(await rows(`EXISTS DATABASE \`${NAME}\``)).toEqual([[1]]);
    expect(await rows(`EXISTS TABLE \`${NAME}\`.orders`)).toEqual([[1]]);
    expect(await rows(`SHOW TABLES FROM \`${NAME}\``)).toEqual([['customers'], ['orders']]);
    expect(await rows(`SHOW DATABASES LIKE '${NAME}'`, { database: NAME })).toEqual([[NAME]]);
  }); // prettier-ignore

  test('names of others have none', async () => {
    for (const name of ['private.notes:a=1', 'shop.saved:tenant=mine', 'no.such:a=1'])
      expect(await rows(`SELECT name FROM system.tables WHERE database = '${name}'`)).toEqual([]);
  });
});

test.each([
  ["WITH own AS MATERIALIZED (SELECT name FROM system.databases WHERE name = 'shop.visits') SELECT name FROM own", [['shop.visits']]],
  ['SELECT toUInt8(1 IS DISTINCT FROM 2)', [[1]]],
  ['SELECT toUInt8(3 IN numbers(4)), toUInt8(4 IN numbers(4))', [[1, 0]]],
])('of no table of a database: %s', async (sql, expected) => {
  expect(await rows(sql, { database: 'default' })).toEqual(expected);
}); // prettier-ignore

describe('the two virtual databases in one query', () => {
  test.each([
    ["SELECT views.table_name, tables.engine FROM information_schema.views JOIN system.tables ON views.table_name = tables.name AND views.table_schema = tables.database WHERE table_schema = 'shop.orders' ORDER BY 1", [['customers', 'View'], ['orders', 'View']]],
    ["SELECT i.table_name FROM information_schema.tables AS i JOIN system.tables AS s ON i.table_name = s.name AND i.table_schema = s.database WHERE s.database = 'shop.orders' ORDER BY 1", [['customers'], ['orders']]],
    ["SELECT i.table_name FROM information_schema.tables i, system.tables s WHERE i.table_name = s.name AND s.database = 'shop.visits' AND i.table_schema = s.database", [['visits']]],
    ["SELECT name FROM system.tables WHERE name IN (SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop.visits') AND database = 'shop.visits'", [['visits']]],
    ["SELECT information_schema.schemata.schema_name FROM information_schema.schemata WHERE information_schema.schemata.schema_name IN (SELECT name FROM system.databases WHERE name = 'shop.visits')", [['shop.visits']]],
    ["SELECT v.TABLE_NAME FROM INFORMATION_SCHEMA.VIEWS v JOIN system.one ON dummy = 0 WHERE v.TABLE_SCHEMA = 'shop.visits'", [['visits']]],
    ["SELECT table_name AS n FROM information_schema.views WHERE table_schema = 'shop.visits' UNION ALL SELECT name FROM system.tables WHERE database = 'shop.visits'", [['visits'], ['visits']]],
  ])('%s', async (sql, expected) => {
    expect(await rows(sql, { database: 'default' })).toEqual(expected);
  }); // prettier-ignore

  test('by names of the database of the request', async () => {
    const sql = "SELECT views.table_name FROM views JOIN system.tables AS t ON t.name = views.table_name WHERE t.database = 'shop.visits'";
    expect(await rows(sql, { database: 'information_schema' })).toEqual([['visits']]);
  }); // prettier-ignore

  test('but not with the tables of an endpoint', async () => {
    expect(await rows('SELECT 1 FROM orders, information_schema.views, system.one')).toBe(48);
  });
});
