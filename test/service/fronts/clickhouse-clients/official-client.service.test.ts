// The official JavaScript client for Node.js against the ClickHouse interface of a real service.
import { createClient, type ClickHouseClient, type ClickHouseClientConfigOptions } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { KEY } from '../../../support/service.ts';
import { ANALYST, DATABASE, SAVED_ONLY, startClickHouseWorld, type ClickHouseWorld } from './world.ts';

let world: ClickHouseWorld;
let client: ClickHouseClient;
const opened: ClickHouseClient[] = [];

/** A client of the interface's path; without options, as the analyst. */
function open(options: ClickHouseClientConfigOptions = {}): ClickHouseClient {
  const made = createClient({
    url: world.service.address,
    pathname: '/clickhouse',
    password: ANALYST,
    database: DATABASE,
    log: { level: 127 },
    ...options,
  });
  opened.push(made);
  return made;
}

beforeAll(async () => {
  // A running query leaves a connection to the same key.
  world = await startClickHouseWorld({ settings: { connections: 6, shares: { consumers: 5, perKey: 3 } } });
  client = open();
});
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()));
  await world.stop();
});

async function json<Row>(query: string, more: Partial<Parameters<ClickHouseClient['query']>[0]> = {}) {
  const result = await client.query({ query, format: 'JSONEachRow', ...more });
  return result.json<Row>() as Promise<Row[]>; // of the formats by rows
}
const failure = (query: string): Promise<unknown> =>
  client.query({ query }).then(
    async (result) => result.text(),
    (error: unknown) => error,
  );

describe('rows', () => {
  test('of a table, by its name, by the database and the name, and by an alias', async () => {
    const expected = [{ id: 0 }, { id: 2 }];
    const settings = { clickhouse_settings: { output_format_json_quote_64bit_integers: 0 } } as const;
    for (const table of [
      'orders',
      '`shop.orders`.orders',
      '"shop.orders"."orders"',
      'orders AS o',
      '`shop.orders`.`orders` o',
    ])
      expect(await json(`SELECT id FROM ${table} ORDER BY id LIMIT 2`, settings)).toEqual(expected);
    const named =
      'SELECT `shop.orders`.orders.id AS id FROM `shop.orders`.orders ORDER BY `shop.orders`.`orders`.`id` LIMIT 2';
    expect(await json(named, settings)).toEqual(expected);
  });

  test('have the types of the engine', async () => {
    const result = await client.query({ query: 'SELECT * FROM orders ORDER BY id LIMIT 1', format: 'JSON' });
    const { meta, data, rows } = await result.json<Record<string, unknown>>();
    expect(meta?.map(({ type }) => type)).toEqual([
      'UInt64', "DateTime64(3, 'UTC')", 'Date', "Enum8('new' = 1, 'sent' = 2)", 'Decimal(18, 2)', 'Nullable(String)',
      'Array(String)', 'Map(String, String)', 'IPv4', 'UUID', 'Bool', 'Int128', 'LowCardinality(String)',
      'Tuple(a UInt8, b String)', 'Float64', 'String',
    ]); // prettier-ignore
    expect(rows).toBe(1);
    expect(data).toMatchObject([
      {
        placed: '2024-01-01 00:00:00.000',
        day: '2024-01-01',
        status: 'new',
        total: 0.25,
        note: null,
        tags: ['a', '0'],
        attrs: { color: 'red' },
        ip: '10.0.0.1',
        token: '00000000-0000-4000-8000-000000000000',
        paid: true,
        kind: 'retail',
        pair: { a: 0, b: '0' },
        ratio: 0,
      },
    ]);
  });

  test.each(['JSON', 'JSONStrings', 'JSONCompact', 'JSONCompactStrings', 'JSONColumnsWithMetadata', 'JSONObjectEachRow'] as const)(
    'in the format %s, which is read as one document',
    async (format) => {
      const result = await client.query({ query: 'SELECT id, status FROM orders ORDER BY id LIMIT 2', format });
      expect(JSON.stringify(await result.json())).toContain('new');
      expect(result.response_headers['x-clickhouse-format']).toBe(format);
    },
  ); // prettier-ignore

  test.each([
    'JSONEachRow', 'JSONStringsEachRow', 'JSONCompactEachRow', 'JSONCompactStringsEachRow', 'JSONCompactEachRowWithNames',
    'JSONCompactEachRowWithNamesAndTypes', 'JSONCompactStringsEachRowWithNames', 'JSONCompactStringsEachRowWithNamesAndTypes',
    'CSV', 'CSVWithNames', 'CSVWithNamesAndTypes', 'TabSeparated', 'TabSeparatedRaw', 'TabSeparatedWithNames',
    'TabSeparatedWithNamesAndTypes',
  ] as const)('in the format %s, as a stream', async (format) => {
    const result = await client.query({ query: 'SELECT id, status FROM orders ORDER BY id LIMIT 20', format });
    let lines = 0;
    for await (const rows of result.stream()) lines += rows.length;
    expect(lines).toBe(20 + (format.endsWith('WithNamesAndTypes') ? 2 : format.endsWith('WithNames') ? 1 : 0));
  }); // prettier-ignore

  test('as Parquet and Arrow', async () => {
    const query = 'SELECT id, status, total FROM orders ORDER BY id LIMIT 3';
    const read = async (format: string): Promise<Buffer> => {
      const settings = { output_format_arrow_compression_method: 'none' } as const;
      const { stream } = await client.exec({ query: `${query} FORMAT ${format}`, clickhouse_settings: settings });
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      return Buffer.concat(chunks);
    };
    const parquet = await read('Parquet');
    const file = Uint8Array.from(parquet).buffer;
    expect(await parquetReadObjects({ file, compressors })).toHaveLength(3);
    for (const format of ['Arrow', 'ArrowStream'])
      expect(tableFromIPC(await read(format)).schema.fields.map(({ name }) => name)).toEqual(['id', 'status', 'total']);
  }); // prettier-ignore

  test('without any', async () => {
    expect(await json('SELECT id FROM orders WHERE 0')).toEqual([]);
  });

  test('are those of the key alone', async () => {
    expect(await json("SELECT countIf(kind = 'CANARY') AS n, count() AS all FROM orders")).toMatchObject([
      { n: expect.anything(), all: expect.anything() },
    ]);
    const [row] = await json<{ n: number; all: number }>(
      "SELECT toUInt8(countIf(kind = 'CANARY')) AS n, toUInt8(count()) AS all FROM orders",
    );
    expect(row).toEqual({ n: 0, all: 20 });
  });
});

describe('parameters', () => {
  test.each([
    ['{x:UInt8}', 5, 5],
    ['{x:Int64}', '-9007199254740993', '-9007199254740993'],
    ['{x:String}', "it's \\ \t\n {y:String} ; --", "it's \\ \t\n {y:String} ; --"],
    ['{x:Nullable(String)}', null, null],
    ['{x:Array(String)}', ['a', "b'", '\\'], ['a', "b'", '\\']],
    ['{x:Array(Array(UInt8))}', [[1], [2, 3]], [[1], [2, 3]]],
    ['{x:Map(String, UInt8)}', { a: 1, b: 2 }, { a: 1, b: 2 }],
    ['{x:Bool}', true, true],
    ['{x:Date}', '2024-02-29', '2024-02-29'],
    ['{x:DateTime64(3)}', new Date('2024-02-29T12:30:45.678Z'), '2024-02-29 12:30:45.678'],
    ['{x:Float64}', 0.1, 0.1],
    ['{x:Decimal(10, 2)}', 1.25, 1.25],
  ])('%s', async (placeholder, value, expected) => {
    const settings = { output_format_json_quote_64bit_integers: 1 } as const;
    const rows = await json(`SELECT ${placeholder} AS x`, { query_params: { x: value }, clickhouse_settings: settings });
    expect(rows).toEqual([{ x: expected }]);
  }); // prettier-ignore

  test('in a condition, and as an identifier', async () => {
    const rows = await json<{ id: string }>(
      'SELECT toUInt8({column:Identifier}) AS n FROM {table:Identifier} WHERE status = {status:String} AND id IN {ids:Array(UInt64)} ORDER BY id',
      { query_params: { column: 'id', table: 'orders', status: 'new', ids: [0, 6, 7] } },
    );
    expect(rows).toEqual([{ n: 0 }, { n: 6 }]);
  });

  test('are values, never SQL', async () => {
    const rows = await json<{ n: number }>("SELECT toUInt8(count()) AS n FROM orders WHERE kind = {x:String}", {
      query_params: { x: "' OR 1 = 1 OR '" },
    });
    expect(rows).toEqual([{ n: 0 }]);
  }); // prettier-ignore

  test('of the endpoint, beside those of the query', async () => {
    const [row] = await json<{ n: number }>('SELECT toUInt8(count()) AS n FROM orders', {
      query_params: { min_total: 200 },
    });
    expect(row).toEqual({ n: 10 });
  });

  test('of the endpoint, in the name of the database, with a key that locks none', async () => {
    const free = open({ password: KEY, database: `${DATABASE}:tenant=mine,min_total=200` });
    const result = await free.query({
      query: 'SELECT toUInt8(count()) AS n FROM orders',
      format: 'JSONEachRow',
    });
    expect(await result.json()).toEqual([{ n: 10 }]);
  });

  test('that are required and absent name themselves', async () => {
    const free = open({ password: KEY });
    await expect(free.query({ query: 'SELECT count() FROM orders' })).rejects.toMatchObject({
      message: expect.stringContaining('param_tenant'),
    });
  });

  test('that the key locks cannot be changed', async () => {
    const query = { query: 'SELECT count() FROM orders', query_params: { tenant: 'other' } };
    const text = await client.query(query).then(
      async (result) => result.text(),
      (error: unknown) => String(error),
    );
    expect(text).not.toContain('CANARY');
  });
});

describe('errors', () => {
  test.each([
    ['SELECT missing FROM orders', '47', 'UNKNOWN_IDENTIFIER'],
    ['SELECT 1 FROM payments', '60', 'UNKNOWN_TABLE'],
    ['SELECT 1 FROM `shop.none`.orders', '81', 'UNKNOWN_DATABASE'],
    ['SELECT id FR orders WHERE', '62', 'SYNTAX_ERROR'],
    ['SELECT 1; SELECT 2', '62', 'SYNTAX_ERROR'],
    ['SELECT sleep(1) FROM orders', '446', 'FUNCTION_NOT_ALLOWED'],
    ['SELECT intDiv(1, id - id) FROM orders', '153', 'ILLEGAL_DIVISION'],
    ['INSERT INTO orders VALUES (1)', '164', 'READONLY'],
    ['DROP TABLE orders', '164', 'READONLY'],
    ['CREATE TABLE x (a UInt8) ENGINE = Memory', '164', 'READONLY'],
    ['SELECT * FROM orders SETTINGS readonly = 0, max_memory_usagee = 1', '115', 'UNKNOWN_SETTING'],
    ['SELECT {x:UInt8}', '456', 'UNKNOWN_QUERY_PARAMETER'],
  ])('%s: %s', async (query, code, type) => {
    expect(await failure(query)).toMatchObject({ code, type, message: expect.stringMatching(/\S/) });
  });

  test('of another endpoint, of one without a sandbox and of one that the key does not cover are alike', async () => {
    for (const database of ['private.notes', 'shop.saved', 'no.such'])
      expect(await failure(`SELECT 1 FROM \`${database}\`.notes`)).toMatchObject({ code: '81' });
  });

  test('of authentication', async () => {
    for (const password of ['', 'wrong'])
      await expect(open({ password }).query({ query: 'SELECT 1' })).rejects.toMatchObject({ code: '516' });
    await expect(
      open({ password: SAVED_ONLY }).query({ query: 'SELECT count() FROM orders' }),
    ).rejects.toMatchObject({ code: '497' });
  });

  test('leave the connection usable', async () => {
    const one = open({ max_open_connections: 1 });
    for (let round = 0; round < 3; round += 1) {
      await expect(one.query({ query: 'SELECT missing FROM orders' })).rejects.toMatchObject({ code: '47' });
      expect(await (await one.query({ query: 'SELECT 1', format: 'TabSeparated' })).text()).toBe('1\n');
    }
  });
});

describe('the rest of the client', () => {
  test('ping, without and with the check of the key', async () => {
    expect(await client.ping()).toEqual({ success: true });
    expect(await client.ping({ select: true })).toEqual({ success: true });
    expect(await open({ password: 'wrong' }).ping({ select: true })).toMatchObject({ success: false });
  });

  test('ids of queries are kept, or made', async () => {
    const own = await client.query({ query: 'SELECT 1', query_id: 'an-id-of-my-own' });
    expect(own.query_id).toBe('an-id-of-my-own');
    expect(own.response_headers['x-clickhouse-query-id']).toBe('an-id-of-my-own');
    await own.text();
    const made = await client.query({ query: 'SELECT 1' });
    expect(made.query_id).toMatch(/^[\da-f-]{36}$/);
    await made.text();
  });

  test('the summary has the rows of the result', async () => {
    const result = await client.exec({ query: 'SELECT id FROM orders WHERE id < 5 FORMAT CSV' });
    result.stream.resume();
    expect(result.summary).toMatchObject({
      result_rows: '3',
      elapsed_ns: expect.stringMatching(/^[1-9]\d*$/),
    });
  });

  test.each(['SET max_block_size = 1000', `USE \`${DATABASE}\``, "KILL QUERY WHERE query_id = 'none'"])(
    'command %s',
    async (query) => {
      expect(await client.command({ query })).toMatchObject({ query_id: expect.any(String) });
    },
  );

  test.each([
    [true, true],
    [true, false],
    [false, true],
  ])('compressed: response %s, request %s', async (response, request) => {
    const one = open({ compression: { response, request } });
    const result = await one.query({ query: 'SELECT * FROM orders ORDER BY id', format: 'JSONEachRow' });
    expect(await result.json()).toHaveLength(20);
    expect(result.response_headers['content-encoding']).toBe(response ? 'gzip' : undefined);
  });

  test('sessions and roles are accepted', async () => {
    const one = open({ session_id: 'a-session' });
    for (let round = 0; round < 2; round += 1)
      expect(await (await one.query({ query: 'SELECT 1', format: 'TabSeparated' })).text()).toBe('1\n');
  });

  test('a query that is aborted ends for the caller and in the service', async () => {
    const controller = new AbortController();
    const query = 'SELECT count() FROM orders AS a, orders AS b, orders AS c, orders AS d, orders AS e, orders AS f, orders AS g WHERE NOT ignore(a.note, b.note, g.tags)';
    const pending = client.query({ query, query_id: 'to-be-aborted', abort_signal: controller.signal });
    const running = async () => json("SELECT query_id FROM system.processes WHERE query_id = 'to-be-aborted'");
    await expect.poll(running).toHaveLength(1);
    controller.abort();
    await expect(pending).rejects.toThrow(/abort/i);
    await expect.poll(running).toEqual([]);
  }); // prettier-ignore

  test('a running query is killed by its id', async () => {
    const query = 'SELECT count() FROM orders AS a, orders AS b, orders AS c, orders AS d, orders AS e, orders AS f, orders AS g WHERE NOT ignore(a.tags, b.note, g.tags)';
    const pending = client.query({ query, query_id: 'to-be-killed' }).catch((error: unknown) => error);
    const running = async () => json("SELECT query_id FROM system.processes WHERE query_id = 'to-be-killed'");
    await expect.poll(running).toHaveLength(1);
    await client.command({ query: "KILL QUERY WHERE query_id = 'to-be-killed' ASYNC" });
    expect(await pending).toMatchObject({ code: '394', type: 'QUERY_WAS_CANCELLED' });
  }); // prettier-ignore

  test('rows above the limit of the endpoint are never cut in silence', async () => {
    const result = await client.query({
      query: 'SELECT a.id FROM orders AS a, orders AS b, orders AS c',
      format: 'JSONCompactEachRow',
    });
    expect(await result.json()).toHaveLength(1000);
    expect(result.response_headers).toHaveProperty('millrace-truncated', 'true');
  });

  test('a limit of the client: an error, or a break', async () => {
    const query = 'SELECT id FROM orders';
    const settings = { max_result_rows: '5' } as const;
    await expect(client.query({ query, clickhouse_settings: settings })).rejects.toMatchObject({
      code: '396',
    });
    const rows = await json(query, { clickhouse_settings: { ...settings, result_overflow_mode: 'break' } });
    expect(rows).toHaveLength(5);
  });
});
