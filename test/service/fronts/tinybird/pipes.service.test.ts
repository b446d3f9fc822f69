// Tinybird's API over a real service: pipes in every format, their parameters and lists, queries over them, keys, and what is not served.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  LIMITED,
  PAGE,
  PLAIN,
  signed,
  startTinybirdWorld,
  TOKEN,
  type Envelope,
  type TinybirdWorld,
} from './world.ts';

let world: TinybirdWorld;
beforeAll(async () => {
  world = await startTinybirdWorld();
});
afterAll(() => world.stop());

const jsonOf = async (response: Response): Promise<Envelope> => (await response.json()) as Envelope; // as ClickHouse writes it
const get = async (path: string, init?: RequestInit): Promise<Envelope & { status: number }> => {
  const response = await world.ask(path, init);
  return { ...(await jsonOf(response)), status: response.status };
};
const q = (sql: string): string => `q=${encodeURIComponent(sql)}`;
const TOP = '/v0/pipes/top_pages.json';
const ROWS = [
  { page: '/a', views: 2, visitors: 2 },
  { page: '/b', views: 1, visitors: 1 },
];

describe('pipes', () => {
  test('the envelope, on the own port and at the path', async () => {
    const response = await world.ask(`${TOP}?site=mine`);
    expect(response.headers.get('Content-Type')).toBe('application/json; charset=UTF-8');
    const body = await jsonOf(response);
    expect(body).toEqual({
      meta: [
        { name: 'page', type: 'String' },
        { name: 'views', type: 'UInt64' },
        { name: 'visitors', type: 'UInt64' },
      ],
      data: ROWS,
      rows: 2,
      rows_before_limit_at_least: 2,
      statistics: { elapsed: expect.any(Number), rows_read: 2, bytes_read: 0 },
    });
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const atPath = await world.call(`/tinybird${TOP}`, { headers });
    expect([atPath.status, (await jsonOf(atPath)).data]).toEqual([200, ROWS]);
    expect(atPath.headers.get('Millrace-Endpoint')).toMatch(/^top_pages@/);
  });

  test('formats by the end of the path', async () => {
    const text = async (end: string) => (await world.ask(`/v0/pipes/top_pages.${end}`)).text();
    expect(await text('csv')).toBe('"page","views","visitors"\n"/a",2,2\n"/b",1,1\n');
    const lines = (await text('ndjson')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(ROWS);
    expect(await text('parquet')).toMatch(/^PAR1/);
    expect(JSON.parse(await text('prometheus'))).toMatchObject({ code: 'format.not_acceptable' });
    const quoted = await get(`${TOP}?output_format_json_quote_64bit_integers=1`);
    expect(quoted.data[0]).toEqual({ page: '/a', views: '2', visitors: '2' });
    expect(await get(`${TOP}?output_format_json_quote_64bit_integers=x`)).toMatchObject({
      status: 400,
      code: 'request.parameters_invalid',
    });
  });

  test('parameters by name in the URL, forms and JSON; those of no pipe are ignored', async () => {
    const [, second] = ROWS;
    const later = '2024-01-03 00:00:00';
    const only = [{ ...second }];
    expect(
      (await get(`${TOP}?from=${encodeURIComponent(later)}&utm=x&sql=SELECT+1&format=csv`)).data,
    ).toEqual(only);
    const json = { 'Content-Type': 'application/json' };
    const asJson = { method: 'POST', headers: json, body: JSON.stringify({ from: later, unknown: [1] }) };
    expect((await get(TOP, asJson)).data).toEqual(only);
    const form = { method: 'POST', body: new URLSearchParams({ from: later }) };
    expect((await get(TOP, form)).data).toEqual(only);
    // The client of the vendor replaces this parameter by its own name.
    expect((await get(`${TOP}?from=ts-sdk`)).data).toEqual(ROWS);
    const visitors = '/v0/pipes/web.visitors.json';
    expect((await get(`${visitors}?pages=/b`)).rows).toBe(1);
    for (const both of ['pages=/a&pages=/b', 'pages=/a,/b'])
      expect((await get(`${visitors}?${both}`)).rows).toBe(2);
    expect(await get(`${TOP}?from=never`)).toMatchObject({
      status: 400,
      code: 'request.parameters_invalid',
      error: expect.stringMatching(/^from must be .*GET \/v0\/pipes lists those of a pipe\.$/),
    });
    expect(await get(`${TOP}?site=other`)).toMatchObject({ status: 403, code: 'auth.forbidden' });
  });

  test('personal data is redacted in every format, and large numbers are exact', async () => {
    for (const end of ['json', 'csv', 'ndjson', 'parquet']) {
      const text = await (await world.ask(`/v0/pipes/web.visitors.${end}`)).text();
      expect([end, text]).toEqual([end, expect.not.stringMatching(/example\.com/)]);
      if (end !== 'parquet') expect(text).toContain('9007199254740993');
    }
  });

  test('compression, validators, and nothing for shared caches', async () => {
    const first = await world.ask(TOP, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(first.headers.get('Cache-Control')).toBe('private, max-age=60');
    expect(first.headers.get('Referrer-Policy')).toBe('no-referrer');
    const etag = first.headers.get('ETag') ?? '';
    const again = await world.ask(TOP, { headers: { 'If-None-Match': etag } });
    expect([again.status, again.headers.get('Cache-Status')]).toEqual([304, expect.stringContaining('hit')]);
  });

  test('lists of pipes, for the key', async () => {
    const list = await world.ask('/v0/pipes');
    const { pipes } = (await list.json()) as { pipes: Record<string, unknown>[] }; // our own list
    expect(pipes.map(({ name }) => name)).toEqual(['closed', 'hosts', 'top_pages', 'web.visitors']);
    expect(pipes[2]).toEqual({
      id: '00000000-0000-4000-8000-0000000059a1',
      name: 'top_pages',
      description: 'The pages of a site with the most views',
      type: 'endpoint',
      endpoint: '00000000-0000-4000-8000-0000000059a1',
      nodes: [{ name: 'views' }, { name: 'counted' }],
      parameters: [
        { name: 'from', type: 'DateTime', description: '', required: false, default: '2024-01-01 00:00:00' },
      ],
    });
    const one = await world.ask('/v0/pipes/top_pages', { headers: { Authorization: `Bearer ${PLAIN}` } });
    expect(await one.json()).toMatchObject({ name: 'top_pages', nodes: [] });
    expect(await get('/v0/pipes/nothing')).toMatchObject({ status: 403, code: 'auth.forbidden' });
  });
});

describe('queries', () => {
  const over = (sql: string, pipe = TOP) => get(`${pipe}?${q(sql)}`);

  test('over what the pipe returns, and over its nodes', async () => {
    expect((await over('SELECT sum(views) AS n, max(_.page) AS last FROM _')).data).toEqual([{ n: 3, last: '/b' }]);
    expect((await over('SELECT t.page AS page FROM top_pages AS t, (SELECT 1) AS one WHERE page IN (SELECT page FROM _ WHERE views > 1) FORMAT JSON')).data)
      .toEqual([{ page: '/a' }]);
    expect((await over('SELECT count() AS n FROM views;')).data).toEqual([{ n: 3 }]);
    expect((await over('WITH _ AS (SELECT 7 AS n) SELECT n FROM _')).data).toEqual([{ n: 7 }]);
    const limited = await over('SELECT page FROM counted ORDER BY page LIMIT 1');
    expect(limited).toMatchObject({ rows: 1, rows_before_limit_at_least: 1 });
    const raw = { method: 'POST', body: 'SELECT count() AS n FROM _' };
    expect((await get(TOP, raw)).data).toEqual([{ n: 2 }]);
    expect((await get(`${TOP}?from=2024-01-03+00:00:00`, raw)).data).toEqual([{ n: 1 }]);
  }); // prettier-ignore

  test('what they cannot read or say', async () => {
    const faults: readonly (readonly [string, number, string, RegExp?])[] = [
      ['SELECT * FROM web.views', 400, 'sandbox.table_denied'],
      ['SELECT * FROM _ FORMAT CSV', 400, 'format.not_acceptable'],
      ['SELECT * FROM _ SETTINGS max_threads = 1', 400, 'sandbox.syntax_unsupported'],
      ['INSERT INTO views VALUES (1)', 403, 'clickhouse.read_only', /Send one SELECT\.$/],
      ['DESCRIBE _', 400, 'sandbox.syntax_unsupported'],
      ['SELECT nothing FROM\n _', 400, 'sandbox.function_denied', /line 1, column 8/],
      ['SELECT 1 FROM _, other_pipe', 400, 'sandbox.table_denied', /other_pipe.*line 1, column 18/],
      ['SELECT', 400, 'sandbox.syntax_unsupported'],
    ];
    for (const [sql, status, code, message = /./] of faults) {
      const found = await over(sql);
      expect([sql, found.status, found.code, found.error]).toEqual([sql, status, code, expect.stringMatching(message)]);
    }
    // Its final SELECT has a parameter.
    expect(await over('SELECT * FROM _', '/v0/pipes/web.visitors.json')).toMatchObject({
      status: 400,
      code: 'sandbox.table_denied',
      error: expect.stringMatching(/_ cannot be read by queries here.* Read a node/),
    });
    // Nothing of the final SELECT is in the message.
    expect(await over('SELECT page, (SELECT count() FROM seen) AS n\nFROM _', '/v0/pipes/hosts.json')).toMatchObject({
      status: 400,
      code: 'sandbox.function_denied',
      error: 'What the pipe returns cannot be read by queries. Read a node of the pipe by its name: GET /v0/pipes lists them.',
    });
    expect(await over('SELECT * FROM _', '/v0/pipes/closed.json')).toMatchObject({ status: 400, code: 'sandbox.disabled' });
    const plain = { headers: { Authorization: `Bearer ${PLAIN}` } };
    expect(await get(`${TOP}?${q('SELECT * FROM _')}`, plain)).toMatchObject({ status: 403, code: 'auth.forbidden' });
    expect(await get(`${TOP}?q=SELECT+1&q=SELECT+2`)).toMatchObject({ status: 400, code: 'request.query_conflict' });
  }); // prettier-ignore

  test('/v0/sql over the pipe that it names, or that of pipeline', async () => {
    const sql = (text: string, more = '') => world.ask(`/v0/sql?${q(text)}${more}`);
    expect(await (await sql('SELECT page, views FROM top_pages')).text()).toBe('/a\t2\n/b\t1\n');
    expect((await jsonOf(await sql('SELECT sum(views) AS n FROM _ FORMAT JSON', '&pipeline=top_pages'))).data).toEqual([{ n: 3 }]);
    expect(await (await sql('SELECT count() FROM `web.visitors` FORMAT CSV')).text()).toMatch(/cannot be read/);
    expect(await (await sql('SELECT uniq(page) AS n FROM seen FORMAT CSVWithNames', '&pipeline=web.visitors')).text()).toBe('"n"\n2\n');
    const post = { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'SELECT count() AS n FROM top_pages FORMAT JSON' };
    expect((await get('/v0/sql', post)).data).toEqual([{ n: 2 }]);
    for (const text of ['SELECT 1', 'SELECT * FROM web.views', 'SELECT * FROM counted', 'SELECT * FROM missing'])
      expect(await get(`/v0/sql?${q(text)}`)).toMatchObject({ status: 400, code: 'sandbox.table_denied' });
    expect(await get(`/v0/sql?${q('SELECT * FROM top_pages, closed')}`)).toMatchObject({ error: expect.stringContaining('several pipes') });
    for (const text of ['SELECT 1', 'SELECT max(page FROM top_pages'])
      expect(await get(`/v0/sql?${q(text)}`)).toMatchObject({ status: 400, error: expect.stringMatching(/^The query names no pipe/) });
    expect(await get('/v0/sql')).toMatchObject({ status: 400, code: 'sandbox.query_invalid' });
    expect(await get(`/v0/sql?${q('SELECT * FROM top_pages FORMAT Native')}`)).toMatchObject({ code: 'format.not_acceptable' });
    const plain = { headers: { Authorization: `Bearer ${PLAIN}` } };
    expect(await get(`/v0/sql?${q('SELECT * FROM top_pages')}`, plain)).toMatchObject({ status: 403, code: 'auth.forbidden' });
  }); // prettier-ignore
});

describe('keys', () => {
  test('in the URL on this front alone, once, and never in the log', async () => {
    const url = `${TOP}?token=${TOKEN}`;
    expect((await get(url)).data).toEqual(ROWS);
    const conflict = await get(url, { headers: { Authorization: `Bearer ${PLAIN}` } });
    expect(conflict).toMatchObject({ status: 400, code: 'auth.conflict' });
    const elsewhere = await fetch(`${world.service.address}/api/endpoints/query/top_pages?token=${TOKEN}`);
    expect(elsewhere.status).toBe(401);
    expect(JSON.stringify(world.observed)).not.toContain(TOKEN);
    const calls = world.observed.filter((each) => each.kind === 'request.finished');
    expect(calls.find(({ route }) => route === '/tinybird')).toMatchObject({ principal: 'mine', endpoint: 'top_pages' });
  }); // prettier-ignore

  test('unknown ones are answered as Tinybird does', async () => {
    for (const headers of [{ Authorization: 'Bearer unknown' }, { Authorization: 'Basic eDp5' }]) {
      const response = await world.ask(TOP, { headers });
      expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([403, null]);
      expect(await response.json()).toMatchObject({ code: expect.stringMatching(/^auth\./), error: expect.any(String) });
    }
  }); // prettier-ignore

  test('rates, in the fields that clients read', async () => {
    const init = { headers: { Authorization: `Bearer ${LIMITED}` } };
    const first = await world.ask(TOP, init);
    expect([first.status, first.headers.get('X-RateLimit-Limit'), first.headers.get('X-RateLimit-Remaining')])
      .toEqual([200, '2', '1']);
    await world.ask('/v0/sql?q=SELECT', init);
    const last = await world.ask(TOP, init);
    expect([last.status, Number(last.headers.get('Retry-After'))]).toEqual([429, expect.any(Number)]);
    expect(last.headers.get('X-RateLimit-Reset')).toBe(last.headers.get('Retry-After'));
    expect(await last.json()).toMatchObject({ code: 'rate.exceeded' });
  }); // prettier-ignore

  test('pages of allowed origins', async () => {
    const preflight = await fetch(`${world.own}${TOP}`, {
      method: 'OPTIONS',
      headers: {
        Origin: PAGE,
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    expect([preflight.status, preflight.headers.get('Access-Control-Allow-Origin')]).toEqual([204, PAGE]);
    const response = await world.ask(`${TOP}?token=${TOKEN}`, { headers: { Origin: PAGE } });
    expect(response.headers.get('Access-Control-Expose-Headers')).toContain('X-RateLimit-Remaining');
    const foreign = await world.ask(TOP, { headers: { Origin: 'https://evil.example.com' } });
    expect(foreign.headers.get('Access-Control-Allow-Origin')).toBeNull();
  });

  test('signed tokens have the pipes and values that they are fixed to', async () => {
    const scope = { type: 'PIPES:READ', resource: 'top_pages', fixed_params: { site: 'mine' } };
    const as = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
    const mine = as(signed({ scopes: [scope] }));
    expect((await get(TOP, mine)).data).toEqual(ROWS);
    expect((await get(`${TOP}?token=${signed({ scopes: [scope] })}`)).data).toEqual(ROWS);
    expect(await get(`${TOP}?site=other`, mine)).toMatchObject({ status: 403, code: 'auth.forbidden' });
    expect(await get('/v0/pipes/closed.json', mine)).toMatchObject({ status: 403, code: 'auth.forbidden' });
    expect(await get(`${TOP}?${q('SELECT 1 FROM _')}`, mine)).toMatchObject({ status: 403, code: 'auth.forbidden' });
    // The list has no other pipes, and no parameters that are fixed.
    const { pipes } = (await (await world.ask('/v0/pipes', mine)).json()) as { pipes: { name: string; parameters: { name: string }[] }[] }; // our own list
    expect(pipes.map(({ name, parameters }) => [name, parameters.map((each) => each.name)])).toEqual([['top_pages', ['from']]]);
    const rejected = [
      signed({ scopes: [scope] }, 'another-signing-key-0123456789-0123456789'),
      signed({ scopes: [scope] }, undefined, 'none'),
      signed({ scopes: [scope], exp: 1 }),
    ];
    for (const token of rejected) expect(await get(TOP, as(token))).toMatchObject({ status: 403, code: 'auth.invalid' });
    const unfit = await get(TOP, as(signed({ scopes: [{ ...scope, filter: 'site = 1' }] })));
    expect(unfit.error).toMatch(/^The field filter of a scope is not supported/);
    for (const token of rejected) expect(JSON.stringify(world.observed)).not.toContain(token);
  }); // prettier-ignore
});

test('what is not served says what to use', async () => {
  const paths: readonly (readonly [method: string, path: string, hint: RegExp])[] = [
    ['POST', '/v0/events?name=views', /Events API .*millrace load/],
    ['GET', '/v0/datasources', /Data Sources API/],
    ['POST', '/v0/pipes/top_pages/copy', /Copy .*materialized view/],
    ['POST', '/v0/pipes/top_pages/sink', /export of the endpoint/],
    ['POST', '/v0/pipes/top_pages', /endpoint file/],
    ['POST', '/v0/tokens/', /token create/],
    ['DELETE', '/v0/jobs/1', /Jobs API/],
    ['GET', '/v1/workspace', /millrace import/],
  ];
  for (const [method, path, hint] of paths) {
    const found = await get(path, { method });
    expect([path, found]).toEqual([
      path,
      expect.objectContaining({ status: 404, code: 'tinybird.not_served', error: expect.stringMatching(hint) }),
    ]);
  }
  expect(await get('/v0/nothing')).toMatchObject({ status: 404, code: 'route.unknown' });
  expect(await get('/')).toMatchObject({ status: 404, code: 'route.unknown' });
  expect(await get('/v0/sql', { method: 'DELETE' })).toMatchObject({ status: 405, code: 'route.method_not_allowed' });
  expect(await get(TOP, { method: 'POST', headers: { 'Content-Type': 'image/png' }, body: 'x' })).toMatchObject({
    status: 400,
    code: 'request.body_type_unsupported',
  });
}); // prettier-ignore
