// Choices and optional parts through a whole service: calls, cached responses, consumer queries, and what is published of them.
import Ajv from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const FILE = `id: 00000000-0000-4000-8000-000000000071
name: shop.orders
description: Orders.
query: |
  WITH orders AS (
    SELECT id, country, amount, @label AS label FROM shop.orders
    WHERE shop = @shop AND @filter
      /* if @least */ AND amount >= @least /* end */
  )
  SELECT id, @columns FROM orders ORDER BY @order
parameters:
  shop: { type: String, required: true }
  least: { type: Int64, min: 0 }
  label: { choices: { country: country, size: "amount > @large ? 'large' : 'small'" }, default: country }
  large: { type: Int64, default: 500 }
  filter: { choices: { all: 1 = 1, some: amount > 60 OR country = 'SE' }, default: all }
  columns: { choices: { few: amount, many: "amount, label, country AS land" }, default: few }
  order: { choices: { id: id, largest: amount DESC, country: country }, multiple: true, default: id }
cache: { ttl: 60 }
sandbox: { enabled: true }
examples: [{ name: all, parameters: { shop: north } }]
`;
const SIZES = `id: 00000000-0000-4000-8000-000000000073
name: shop.sizes
query: |
  /* if @size = large */ SELECT id, amount FROM shop.orders WHERE amount > 500 /* end */
  /* if not @size = large */ SELECT id FROM shop.orders WHERE 1 /* if @size */ AND amount < 60 /* end */ /* end */
  ORDER BY id
parameters: { size: { type: String } }
cache: { ttl: 60 }
`;
const ROWS = 'shop.orders?shop=north';
const PATH = `/api/endpoints/query/${ROWS}`;
const LOCKED = 'a-key-locked-to-one-variant';

let service: TestService;
beforeAll(async () => {
  service = await startService({
    sql: [
      'CREATE DATABASE shop',
      'CREATE TABLE shop.orders (shop String, id UInt64, country String, amount Int64) ENGINE = MergeTree ORDER BY shop',
      "INSERT INTO shop.orders VALUES ('north', 1, 'NO', 100), ('north', 2, 'SE', 50), ('north', 3, 'NO', 900), ('south', 4, 'SE', 70), ('south', 5, 'NO', 990)",
    ],
    tokens: [
      {
        name: 'locked',
        sha256: hashKey(LOCKED),
        endpoints: ['*'],
        allow: ['sql', 'lql'],
        parameters: { label: 'size', shop: 'north' },
      },
    ],
  });
  await writeEndpoint(service, 'orders', FILE);
  await writeEndpoint(service, 'sizes', SIZES);
  await service.service.reload();
});
afterAll(() => service.stop());

const ids = async (query: string): Promise<unknown> =>
  (await service.rows(`${ROWS}&${query}`)).map(({ id }) => id);

describe('a call', () => {
  test.each<[query: string, ids: readonly number[]]>([
    ['', [1, 2, 3]],
    ['order=largest', [3, 1, 2]],
    ['order=country,largest', [3, 1, 2]],
    ['order=country&order=id', [1, 3, 2]],
    ['order[]=country&order[]=largest', [3, 1, 2]],
    ['least=100', [1, 3]],
    ['least=', [1, 2, 3]],
    ['filter=some', [1, 2, 3]],
    ['filter=some&least=60', [1, 3]],
  ])('%s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  test.each([
    ['size=large', [3, 5], ['id', 'amount']],
    ['size=other', [2], ['id']],
    ["size=large' OR 1", [2], ['id']],
    ['size=', [1, 2, 3, 4, 5], ['id']],
    ['', [1, 2, 3, 4, 5], ['id']],
  ])('a whole query by a value: %s', async (query, expected, columns) => {
    const rows = await service.rows(`shop.sizes?${query}`);
    expect(rows.map(({ id }) => id)).toEqual(expected);
    expect(Object.keys(rows[0] ?? {})).toEqual(columns);
  });

  test('columns by choice', async () => {
    const [row] = await service.rows(`${ROWS}&columns=many&label=size`);
    expect(row).toEqual({ id: 1, amount: 100, label: 'small', land: 'NO' });
    expect((await service.rows(`${ROWS}&columns=few`))[0]).toEqual({ id: 1, amount: 100 });
  });

  test('in a body, a list', async () => {
    const body = JSON.stringify({ shop: 'north', order: ['country', 'largest'] });
    const headers = { 'Content-Type': 'application/json' };
    const rows = await service.rows('shop.orders', { method: 'POST', body, headers });
    expect(rows.map(({ id }) => id)).toEqual([3, 1, 2]);
  });

  test.each([
    "filter=all' OR 1 = 1 --",
    'filter=1 = 1',
    'filter=ALL',
    'filter=constructor',
    'filter=__proto__',
    'order=id,id',
    'order=id;DROP TABLE shop.orders',
    'order=["id",["largest"]]',
    'least=1 OR 1',
    'order=id,',
  ])('%s is rejected before anything is planned', async (query) => {
    const [name = '', ...value] = query.split('=');
    const response = await service.call(`${PATH}&${name}=${encodeURIComponent(value.join('='))}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'request.parameters_invalid' });
  });

  test('is cached by the names that it sends', async () => {
    const cacheOf = async (query: string) =>
      (await service.call(`${PATH}&${query}`)).headers.get('Cache-Status');
    expect(await cacheOf('order=largest,id')).toContain('fwd=uri-miss');
    expect(await cacheOf('order=largest,id')).toContain('hit');
    expect(await cacheOf('order=id,largest')).toContain('fwd=uri-miss');
    expect(await cacheOf('order=largest,id&least=50')).toContain('fwd=uri-miss');
    expect(await cacheOf('order=largest&order=id&filter=all')).toContain('hit');
  });
});

describe('a consumer query', () => {
  const query = async (text: string, more: string, language = 'sql') =>
    service.rows(`${ROWS}&${more}&${language}=${encodeURIComponent(text)}`);

  test('reads the tables of the variant that the parameters choose', async () => {
    const sql = 'SELECT label, count() AS n FROM orders GROUP BY label ORDER BY label';
    expect(await query(sql, '')).toEqual([
      { label: 'NO', n: 2 },
      { label: 'SE', n: 1 },
    ]);
    expect(await query(sql, 'label=size&least=60')).toEqual([
      { label: 'large', n: 1 },
      { label: 'small', n: 1 },
    ]);
    expect(await query('s:label', 'label=size&least=900', 'lql')).toEqual([{ label: 'large' }]);
  });

  test('cannot read what the variant leaves out, in any of them', async () => {
    for (const more of ['', 'label=size', 'filter=some', 'least=0', 'label=size&filter=some&least=1']) {
      const text = 'SELECT count() AS n, countIf(id > 3) AS others FROM orders';
      const [row] = await query(text, more);
      expect(row).toMatchObject({ others: 0 });
      const response = await service.call(
        `${PATH}&${more}&sql=${encodeURIComponent('SELECT * FROM shop.orders')}`,
      );
      expect(response.status).toBe(400);
    }
  });

  test('of a key that is locked to a choice gets no other', async () => {
    const headers = { 'X-API-KEY': LOCKED };
    const sql = encodeURIComponent('SELECT DISTINCT label FROM orders ORDER BY label');
    expect(await service.rows(`shop.orders?sql=${sql}`, { headers })).toEqual([
      { label: 'large' },
      { label: 'small' },
    ]);
    expect((await service.call('/api/endpoints/query/shop.orders?label=country', { headers })).status).toBe(
      403,
    );
  });
});

describe('what is published', () => {
  const FRAGMENTS = /DESC|1 = 1|> 60|'large'|@large|AS land/;

  test('the listing has names and columns, and no fragment', async () => {
    const text = await (await service.call('/api/endpoints')).text();
    expect(text).not.toMatch(FRAGMENTS);
    const { result } = JSON.parse(text) as { result: Record<string, unknown>[] };
    expect(result[0]).toMatchObject({
      parameters: expect.arrayContaining([
        expect.objectContaining({ name: 'filter', type: 'String', enum: ['all', 'some'], default: 'all' }),
        expect.objectContaining({
          name: 'order',
          type: 'Array(String)',
          enum: ['id', 'largest', 'country'],
          multiple: true,
        }),
      ]),
      columns: [{ name: 'id' }, { name: 'amount' }],
    });
    const variants = result[0]?.['variants'] as { columns: { name: string }[] }[];
    expect(variants.map(({ columns }) => columns.map(({ name }) => name).join(' '))).toEqual([
      'id amount',
      'id amount label land',
    ]);
  });

  describe('tables that depend on the parameters', () => {
    const TABLES = `id: 00000000-0000-4000-8000-000000000072
name: shop.tables
query: |
  WITH o AS (SELECT id, @label AS label, 1 AS one /* if @more */ , country /* end */ /* if @kind = a */ , shop /* end */ /* if @kind and not @kind = a */ , amount /* end */ FROM shop.orders)
    /* if @more */ , extra AS (SELECT id FROM o) /* end */
  SELECT id FROM o ORDER BY @order
parameters:
  label: { choices: { country: country, amount: amount }, default: country }
  more: { type: Bool }
  kind: { type: String }
  order: { choices: { id: id, label: label }, default: id }
sandbox: { enabled: true }
`;
    const KEYS = { country: 'a-key-locked-to-country', more: 'a-key-locked-to-more' };
    let tables: TestService;
    beforeAll(async () => {
      const locks = {
        country: { label: 'country', more: false, kind: 'a' },
        more: { more: true, label: 'amount', kind: 'b' },
      };
      tables = await startService({
        sql: [
          'CREATE DATABASE shop',
          'CREATE TABLE shop.orders (shop String, id UInt64, country String, amount Int64) ENGINE = MergeTree ORDER BY shop',
          "INSERT INTO shop.orders VALUES ('north', 1, 'NO', 100)",
        ],
        tokens: (['country', 'more'] as const).map((name) => ({
          name,
          sha256: hashKey(KEYS[name]),
          endpoints: ['*'],
          allow: ['sql' as const],
          parameters: locks[name],
        })),
      });
      await writeEndpoint(tables, 'tables', TABLES);
      await tables.service.reload();
    });
    afterAll(() => tables.stop());

    const listed = async (key: string): Promise<unknown> => {
      const response = await tables.call('/api/endpoints', { headers: { 'X-API-KEY': key } });
      const { result } = (await response.json()) as { result: { sandbox: { tables: unknown } }[] };
      return result[0]?.sandbox.tables;
    };
    const column = (name: string, type: string) => ({ name, type });
    const some = { conditional: true };

    test('are listed with all their columns, and those that not every call has are marked', async () => {
      expect(await listed(KEY)).toEqual([
        {
          name: 'o',
          columns: [
            column('id', 'UInt64'),
            { ...column('label', 'String'), ...some },
            column('one', 'UInt8'),
            { ...column('shop', 'String'), ...some },
            { ...column('amount', 'Int64'), ...some },
            { ...column('country', 'String'), ...some },
          ],
        },
        { name: 'extra', columns: [column('id', 'UInt64')], ...some },
      ]);
    });

    test('are listed without what a locked parameter excludes', async () => {
      expect(await listed(KEYS.more)).toEqual([
        {
          name: 'o',
          columns: [
            column('id', 'UInt64'),
            column('label', 'Int64'),
            column('one', 'UInt8'),
            column('country', 'String'),
            column('amount', 'Int64'),
          ],
        },
        { name: 'extra', columns: [column('id', 'UInt64')] },
      ]);
      expect(await listed(KEYS.country)).toEqual([
        {
          name: 'o',
          columns: [
            column('id', 'UInt64'),
            column('label', 'String'),
            column('one', 'UInt8'),
            column('shop', 'String'),
          ],
        },
      ]);
    });

    test('are described to agents in all variants, or in that of the parameters', async () => {
      const describeTables = async (args: object): Promise<string> => {
        const response = await tables.call('/mcp', {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'describe_tables', arguments: { endpoint: 'shop.tables', ...args } },
          }),
        });
        return response.text();
      };
      const all = await describeTables({});
      for (const text of [
        'label: String (depends',
        'table extra (depends on the parameters)',
        '- one: UInt8',
      ])
        expect(all).toContain(text);
      const one = await describeTables({ parameters: { label: 'amount' } });
      expect(one).toContain('label: Int64');
      expect(one).not.toMatch(/depends on|extra/);
      const sampled = await describeTables({ table: 'o' });
      expect(sampled).toMatch(/- one: UInt8[^\\]*1/);
      expect(sampled).not.toMatch(/not available/);
      expect(await describeTables({ table: 'extra' })).toContain('parameters that this table depends on');
      expect(await describeTables({ parameters: { label: 'nothing' } })).toContain(
        'request.parameters_invalid',
      );
    });
  });

  test('rows are as OpenAPI describes them', async () => {
    const document = (await (await service.call('/openapi.json')).json()) as {
      paths: Record<
        string,
        {
          get: {
            responses: { 200: { content: Record<string, { schema: { properties: { result: object } } }> } };
          };
        }
      >;
    };
    const path = Object.values(document.paths).find((each) => JSON.stringify(each).includes('shop_orders'));
    expect(JSON.stringify(document)).not.toMatch(FRAGMENTS);
    const schema = path?.get.responses[200].content['application/json']?.schema.properties.result;
    expect(JSON.stringify(schema)).toContain('oneOf');
    const check = new Ajv.default({ strict: false, validateFormats: false }).compile(schema ?? {});
    for (const query of ['', 'columns=many', 'columns=few&least=60', 'columns=many&order=largest,id']) {
      const rows = await service.rows(`${ROWS}&${query}`);
      expect({ query, isValid: check(rows) }).toEqual({ query, isValid: true });
    }
  });
});
