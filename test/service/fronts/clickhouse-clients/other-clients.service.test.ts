// Other clients, query builders and connectors of the npm registry against the ClickHouse interface of a real service.
import { createClient } from '@clickhouse/client';
import { createClient as createWebClient } from '@clickhouse/client-web';
import {
  ClickHouseClient,
  ClickHouseCompressionMethod,
  ClickHouseDataFormat,
} from '@depyronick/clickhouse-client';
import { ClickhouseDialect } from '@founderpath/kysely-clickhouse';
import { createQueryBuilder } from '@hypequery/clickhouse';
import { getRunner } from 'evidence-connector-clickhouse';
import { Kysely, type Dialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANALYST, DATABASE, startClickHouseWorld, type ClickHouseWorld } from './world.ts';

let world: ClickHouseWorld;
beforeAll(async () => {
  world = await startClickHouseWorld({ settings: { clickhousePort: 0 } });
});
afterAll(() => world.stop());

const options = () => ({
  url: world.service.address,
  pathname: '/clickhouse',
  username: 'default',
  password: ANALYST,
  database: DATABASE,
});

describe('the official client for browsers and edge functions', () => {
  test('rows, a stream, parameters, an error and ping', async () => {
    const client = createWebClient(options());
    const query = 'SELECT toUInt8(id) AS id FROM orders WHERE status = {status:String} ORDER BY id LIMIT 2';
    const result = await client.query({ query, query_params: { status: 'new' }, format: 'JSONEachRow' });
    expect(await result.json()).toEqual([{ id: 0 }, { id: 6 }]);
    const streamed = await client.query({ query: 'SELECT id FROM orders', format: 'JSONCompactEachRow' });
    let rows = 0;
    const reader = streamed.stream().getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) rows += next.value.length;
    expect(rows).toBe(20);
    await expect(client.query({ query: 'SELECT missing FROM orders' })).rejects.toMatchObject({ code: '47' });
    expect(await client.ping()).toEqual({ success: true });
    await client.close();
  });
});

describe('@depyronick/clickhouse-client, on a port of its own', () => {
  const open = (format: ClickHouseDataFormat, compression: ClickHouseCompressionMethod) => {
    const { hostname, port } = new URL(world.service.clickhouse ?? '');
    const silent = { debug: () => {}, error: () => {}, info: () => {}, log: () => {}, warn: () => {} };
    return new ClickHouseClient({
      host: hostname,
      port: Number(port),
      password: ANALYST,
      database: DATABASE,
      format,
      httpConfig: { compression },
      logger: silent as unknown as Console, // only these are called
    });
  };

  test.each([
    ClickHouseCompressionMethod.NONE,
    ClickHouseCompressionMethod.GZIP,
    ClickHouseCompressionMethod.DEFLATE,
    ClickHouseCompressionMethod.BROTLI,
  ])('rows and parameters, compressed by %s', async (compression) => {
    const client = open(ClickHouseDataFormat.JSON, compression);
    const query = 'SELECT toUInt8(id) AS id FROM orders WHERE status = {status:String} ORDER BY id LIMIT 2';
    expect(await client.queryPromise(query, { status: 'new' })).toEqual([{ id: 0 }, { id: 6 }]);
    expect(await client.ping()).toBe(true);
  });

  test('an error is its text', async () => {
    const client = open(ClickHouseDataFormat.JSON, ClickHouseCompressionMethod.NONE);
    await expect(client.queryPromise('SELECT missing FROM orders')).rejects.toMatch(
      /^Code: 47\. DB::Exception: .*\(UNKNOWN_IDENTIFIER\)/,
    );
  });
});

interface Order {
  readonly id: number;
  readonly status: string;
  readonly total: number;
  readonly placed: string;
  readonly customer: string;
}

describe('Kysely with a ClickHouse dialect', () => {
  const open = () =>
    new Kysely<{ orders: Order; 'shop.orders.orders': Order; customers: { name: string; email: string } }>({
      // Its types are of the other module system.
      dialect: new ClickhouseDialect({ options: options() }) as unknown as Dialect,
    });

  test('selects, groups, joins and nested queries', async () => {
    const db = open();
    const grouped = await db
      .selectFrom('orders')
      .select(({ fn }) => ['status', fn.countAll().as('n'), fn.max('total').as('highest')])
      .where('total', '>', 100)
      .where('status', 'in', ['new', 'sent'])
      .groupBy('status')
      .orderBy('status')
      .execute();
    expect(grouped.map(({ status }) => status)).toEqual(['new', 'sent']);
    const joined = await db
      .selectFrom('orders as o')
      .innerJoin('customers as c', 'c.name', 'o.customer')
      .select(['o.id', 'c.email'])
      .limit(3)
      .execute();
    expect(joined).toHaveLength(3);
    const nested = await db
      .with('cheap', (inner) => inner.selectFrom('orders').selectAll().where('total', '<', 50))
      .selectFrom('cheap')
      .select(({ fn }) => fn.countAll().as('n'))
      .execute();
    expect(nested).toHaveLength(1);
    await db.destroy();
  });

  test('a value with quotes is a value', async () => {
    const db = open();
    const rows = await db.selectFrom('orders').select('id').where('customer', '=', "' OR 1 = 1 --").execute();
    expect(rows).toEqual([]);
    await db.destroy();
  });

  test('introspection reads information_schema', async () => {
    const db = open();
    const tables = await db.introspection.getTables();
    expect(tables.map(({ name, schema }) => [schema, name])).toEqual([
      [DATABASE, 'customers'],
      [DATABASE, 'orders'],
    ]);
    expect(tables[0]?.columns.map(({ name, dataType }) => [name, dataType])).toEqual([
      ['name', 'String'],
      ['email', 'String'],
    ]);
    await db.destroy();
  });

  test('writes are rejected', async () => {
    const db = open();
    const order = { id: 1, status: 'new', total: 1, placed: '2024-01-01', customer: 'c' };
    await expect(db.insertInto('orders').values(order).execute()).rejects.toMatchObject({ code: '164' });
    await expect(db.deleteFrom('orders').where('id', '=', 1).execute()).rejects.toMatchObject({
      code: '164',
    });
    await db.destroy();
  });
});

describe('hypequery', () => {
  test('a query with a filter, sums and groups', async () => {
    const db = createQueryBuilder<{
      orders: { id: 'UInt64'; status: 'String'; total: 'Float64'; placed: 'DateTime' };
    }>(options());
    const rows = await db
      .table('orders')
      .select(['status'])
      .where('total', 'gt', 100)
      .sum('total', 'revenue')
      .groupBy('status')
      .orderBy('status', 'ASC')
      .execute();
    expect(rows.map(({ status }) => status)).toEqual(['new', 'sent']);
  });
});

describe("Evidence's connector", () => {
  test('runs the query of a source file', async () => {
    const url = `${world.service.address}/${encodeURIComponent(DATABASE)}?pathname=/clickhouse`;
    const run = getRunner({ url, username: 'default', password: ANALYST });
    const { rows, columnTypes } = await run('SELECT status, toUInt8(count()) AS n FROM orders GROUP BY status ORDER BY n', 'orders.sql');
    expect(rows).toEqual([
      { status: 'new', n: 7 },
      { status: 'sent', n: 13 },
    ]);
    expect(columnTypes).toHaveLength(2);
  }); // prettier-ignore
});

test('a client by its URL alone, with the path of the interface', async () => {
  const client = createClient({
    url: `http://default:${ANALYST}@${new URL(world.service.address).host}/${DATABASE}?pathname=/clickhouse`,
  });
  const result = await client.query({ query: 'SELECT currentDatabase() AS name', format: 'JSONEachRow' });
  expect(await result.json()).toEqual([{ name: DATABASE }]);
  await client.close();
});
