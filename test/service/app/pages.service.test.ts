// Keyset pages and metadata of answers over HTTP.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const TENANTS = { a: 'a-key-of-tenant-a', b: 'a-key-of-tenant-b' };
const ID = (last: number): string => `00000000-0000-4000-8000-0000000000${last}`;
const PATH = '/api/endpoints/query/';

let service: TestService;
beforeAll(async () => {
  const lock = (tenant: string) => ({
    endpoints: ['*'],
    allow: ['sql' as const, 'lql' as const],
    parameters: { tenant },
  });
  service = await startService({
    sql: [
      'CREATE DATABASE app',
      "CREATE TABLE app.events (at DateTime64(3, 'UTC'), id UInt64, tenant String) ENGINE = MergeTree ORDER BY (at, id)",
      // Three events of each moment, and five with equal keys; numbers beyond 2^53.
      "INSERT INTO app.events SELECT toDateTime64('2024-01-01', 3, 'UTC') + intDiv(number, 3), 9007199254740993 + number, if(number % 2 = 0, 'a', 'b') FROM numbers(60)",
      "INSERT INTO app.events SELECT toDateTime64('2024-01-01 00:00:07', 3, 'UTC'), 1, 'a' FROM numbers(5)",
      "CREATE TABLE app.many (at DateTime('UTC'), id UInt32) ENGINE = MergeTree ORDER BY (at, id) SETTINGS index_granularity = 128",
      "INSERT INTO app.many SELECT toDateTime('2024-01-01 00:00:00', 'UTC') + intDiv(number, 2), number FROM numbers(30000)",
    ],
    tokens: Object.entries(TENANTS).map(([name, key]) => ({ name, sha256: hashKey(key), ...lock(name) })),
  });
  const query = `query: SELECT at, id, tenant FROM app.events WHERE tenant = @tenant OR @tenant = 'all'\nparameters: { tenant: { type: String, default: all } }\n`;
  const files = {
    up: `page: { by: [at, id], size: 7, max: 50 }\n${query}`,
    down: `page: { by: [at DESC, id ASC], size: 4 }\ncache: { ttl: 60 }\n${query}`,
    ties: `page: { by: [at], size: 2 }\nmax_rows: 9\n${query}`,
    stuck: `page: { by: [tenant], size: 2 }\nmax_rows: 6\n${query}`,
    open: `page: { by: [id], size: 5 }\nsandbox: { enabled: true }\nquery: WITH t AS (SELECT at, id FROM app.events WHERE tenant = @tenant) SELECT * FROM t\nparameters: { tenant: { type: String, required: true } }\n`,
    cached: `page: { by: [id], size: 5 }\ncache: { ttl: 60 }\nsandbox: { enabled: true }\nquery: WITH t AS (SELECT at, id FROM app.events WHERE at < @end) SELECT * FROM t\nparameters: { end: { type: DateTime64(3), default: now/d } }\n`,
    many: `page: { by: [at, id], size: 100 }\nquery: SELECT at, id FROM app.many\n`,
    own: `query: SELECT @meta AS meta, @cursor AS cursor\nparameters: { meta: { type: String }, cursor: { type: String, default: none } }\n`,
  };
  for (const [index, [name, text]] of Object.entries(files).entries())
    await writeEndpoint(service, name, `id: ${ID(10 + index)}\nname: ${name}\n${text}`);
  await service.service.reload();
});
afterAll(() => service.stop());

interface Reply {
  readonly status: number;
  readonly code?: string;
  readonly result: readonly { readonly at: string; readonly id: string; readonly tenant: string }[];
  readonly next?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
  readonly text: string;
}

async function ask(path: string, key = KEY, init: RequestInit = {}): Promise<Reply> {
  const response = await service.call(`${PATH}${path}`, {
    ...init,
    headers: [['X-API-KEY', key], ...new Headers(init.headers)],
  });
  const text = await response.text();
  // Ids are larger than a double holds.
  const body = JSON.parse(text.replace(/"id":(\d+)/g, '"id":"$1"')) as Reply;
  return { ...body, status: response.status, headers: response.headers, text };
}

/** All pages, by `next`; `between` runs after each. */
async function pagesOf(
  path: string,
  between: (page: number) => Promise<void> = async () => {},
): Promise<readonly Reply[]> {
  const pages: Reply[] = [];
  let cursor: string | undefined;
  do {
    const page: Reply = await ask(
      `${path}${path.includes('?') ? '&' : '?'}${cursor === undefined ? '' : `cursor=${cursor}`}`,
    );
    expect(page).toMatchObject({ status: 200 });
    pages.push(page);
    cursor = page.next;
    await between(pages.length);
  } while (cursor !== undefined && pages.length < 100);
  return pages;
}

const keys = (pages: readonly Reply[]): readonly string[] =>
  pages.flatMap(({ result }) => result.map(({ at, id }) => `${at} ${id}`));

test.each([
  ['up', 65],
  ['up?page_size=1', 65],
  ['up?page_size=50', 65],
  ['up?tenant=b', 30],
  ['down', 65],
  ['ties', 65],
])('%s: every row once, in order', async (path, count) => {
  const all = keys(await pagesOf(path));
  expect(all).toHaveLength(count);
  expect(new Set(all).size).toBe(path.includes('=b') ? 30 : 61);
  if (path.startsWith('up')) expect(all).toEqual(all.toSorted());
});

test('rows inserted meanwhile: none twice, none missing', async () => {
  const before = keys(await pagesOf('up?page_size=3'));
  const run = (sql: string) => service.engine.execute(sql);
  let inserted = 0;
  const pages = await pagesOf('up?page_size=3', async () => {
    if (inserted >= 6) return;
    // Before, at and after the page that was read.
    await run(
      `INSERT INTO app.events SELECT toDateTime64('2023-12-31 23:59:59', 3, 'UTC') + number, 5 + ${inserted++}, 'new' FROM numbers(20)`,
    );
  });
  const rows = pages.flatMap(({ result }) => result);
  const old = rows.filter(({ tenant }) => tenant !== 'new').map(({ at, id }) => `${at} ${id}`);
  expect(old).toEqual(before);
  const all = keys(pages).filter((key) => !key.endsWith(' 1'));
  expect(new Set(all).size).toBe(all.length);
  await run("ALTER TABLE app.events DELETE WHERE tenant = 'new' SETTINGS mutations_sync = 1");
});

test('rows with equal keys that do not fit are a problem', async () => {
  expect(await ask('stuck')).toMatchObject({ status: 422, code: 'page.not_divisible' });
});

test('agents get the cursor of the next page, and send it as an argument', async () => {
  const call = async (given: Readonly<Record<string, unknown>>) => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'up', arguments: given },
    });
    const response = await service.call('/mcp', {
      method: 'POST',
      headers: {
        'X-API-KEY': KEY,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body,
    });
    const text = (await response.text()).replace(/^(?:event: .*\n)?data: /, '');
    return (JSON.parse(text) as { result: { structuredContent: { rows: unknown[]; next?: string } } }).result
      .structuredContent;
  };
  const first = await call({ page_size: 50 });
  const second = await call({ page_size: 50, cursor: first.next });
  expect([first.rows.length, second.rows.length > 0, second.next]).toEqual([50, true, undefined]);
});

describe('cursors', () => {
  test('belong to one call', async () => {
    const { next = '' } = await ask('up?tenant=a');
    const changed = `${next.slice(0, -2)}${next.endsWith('AA') ? 'BB' : 'AA'}`;
    expect((await ask(`up?tenant=a&cursor=${next}`)).status).toBe(200);
    expect((await ask(`up?tenant=a&page_size=2&cursor=${next}`)).result).toHaveLength(2);
    for (const path of [
      `up?tenant=b&cursor=${next}`,
      `up?cursor=${next}`,
      `down?tenant=a&cursor=${next}`,
      `up?tenant=a&cursor=${changed}`,
      `up?tenant=a&cursor=${next}A`,
      `up?tenant=a&cursor=${next}%3D`,
      'up?tenant=a&cursor=x',
      'up?tenant=a&cursor=%27%20OR%201%3D1',
      `up?tenant=a&cursor=${'A'.repeat(3000)}`,
    ])
      expect(await ask(path)).toMatchObject({ status: 400, code: 'request.cursor_invalid' });
  });

  test('of one tenant are invalid for another', async () => {
    const { next = '' } = await ask('up', TENANTS.a);
    expect(next).not.toBe('');
    expect((await ask(`up?cursor=${next}`, TENANTS.a)).result.every(({ tenant }) => tenant === 'a')).toBe(
      true,
    );
    expect(await ask(`up?cursor=${next}`, TENANTS.b)).toMatchObject({ code: 'request.cursor_invalid' });
  });

  test('continue the call that they were sent to, also from a cached response that calls written in another way share', async () => {
    const end = new Date(Date.now() - (Date.now() % 86_400_000)).toISOString();
    const sql = (text: string): string => `page_size=5&sql=${encodeURIComponent(text)}`;
    for (const query of [
      '',
      'end=now%2Fd',
      `end=${end}`,
      `end=${end.replace('T', ' ').replace('Z', '')}`,
      sql('SELECT id FROM t'),
      sql('SELECT  id  FROM t'),
      `${sql('SELECT id FROM t')}&dialect=clickhouse`,
    ]) {
      const { next = '' } = await ask(`cached?${query}`);
      expect(next).not.toBe('');
      const reply = await ask(`cached?${query}&cursor=${next}`);
      expect([query, reply.status, reply.result.length]).toEqual([query, 200, 5]);
    }
  });

  test.each([
    'cursor=1&cursor=2',
    'page_size=0',
    'page_size=51',
    'page_size=1e1',
    'page_size=-1',
    'meta=1',
    'meta=true&format=csv',
  ])('%s is rejected', async (query) => {
    expect(await ask(`up?${query}`)).toMatchObject({ status: 400, code: 'request.parameters_invalid' });
  });

  test('consumer queries are divided into pages only if they ask for it', async () => {
    const sql = `sql=${encodeURIComponent('SELECT id FROM t')}`;
    expect((await ask(`open?${sql}`, TENANTS.a)).next).toBeUndefined();
    expect((await ask(`open?${sql}&page_size=2`, TENANTS.a)).next).toBeDefined();
    expect(await ask(`open?${sql}&cursor=x`, TENANTS.a)).toMatchObject({ status: 400 });
  });

  test('are links in every format, and in cached responses', async () => {
    const { next = '' } = await ask('down?tenant=a&format=json');
    for (const format of ['json', 'ndjson', 'csv', 'parquet', 'arrow', 'json'])
      for (let times = 0; times < 2; times++) {
        const response = await service.call(`${PATH}down?tenant=a&format=${format}&cursor=`, {
          headers: { 'X-API-KEY': KEY },
        });
        expect(response.headers.get('Link')).toBe(`<?tenant=a&format=${format}&cursor=${next}>; rel="next"`);
        await response.arrayBuffer();
      }
    const body = JSON.stringify({ tenant: 'a', page_size: 4 });
    const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json' } };
    const posted = await ask(`down?cursor=${next}`, KEY, init);
    expect(posted.result).toEqual((await ask(`down?tenant=a&cursor=${next}`)).result);
  });
});

test('late pages read as few rows as the first ones', async () => {
  const read = async (from: string): Promise<number> => {
    const { meta } = await ask(`many?meta=true${from}`);
    return (meta?.['statistics'] as { rows_read: number } | undefined)?.rows_read ?? NaN;
  };
  const first = await ask('many?page_size=100');
  const second = await read(`&cursor=${first.next}`);
  let cursor = first.next;
  for (let page = 0; page < 20; page++) cursor = (await ask(`many?page_size=1000&cursor=${cursor}`)).next;
  expect(await read(`&cursor=${cursor}`)).toBeLessThanOrEqual(second * 1.3);
});

describe('metadata', () => {
  test('is beside the rows', async () => {
    const plain = await ask('down?tenant=a');
    const { meta, text } = await ask('down?tenant=a&meta=true');
    expect(text.slice(0, plain.text.length - 1)).toBe(plain.text.slice(0, -1));
    expect(meta).toMatchObject({
      columns: [
        { name: 'at', type: "DateTime64(3, 'UTC')" },
        { name: 'id', type: 'UInt64' },
        { name: 'tenant', type: 'String' },
      ],
      rows: 4,
      truncated: false,
      statistics: { elapsed: expect.any(Number) as number },
      cache: { status: 'hit' },
    });
    expect((await ask('down?tenant=a&meta=false')).text).toBe(plain.text);
  });

  test('has no counts of rows read for keys with locked parameters', async () => {
    const { meta } = await ask('up?meta=true', TENANTS.a);
    expect(meta?.['statistics']).toEqual({ elapsed: expect.any(Number) as number });
  });

  test('a parameter of this name has precedence', async () => {
    expect((await ask('own?meta=true&cursor=c')).text).toBe('{"result":[{"meta":"true","cursor":"c"}]}');
  });
});
