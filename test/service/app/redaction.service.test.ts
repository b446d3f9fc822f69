// Personal data through the whole service: who can request its redaction, and that it cannot be bypassed.
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openService, type Service } from '../../../src/service/app/service.ts';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { FORMATS } from '../../../src/service/formats/formats.ts';
import { openLive } from '../../support/live-client.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const GUARDED = 'a-key-whose-answers-are-redacted';
const MAIL = 'ann.b@example.com';
const IP = '203.0.113.9';
const ROW = `'${MAIL}' AS email, '${IP}' AS ip, 'from ${IP}:443' AS event_message, '12:34:56' AS time,
  '{"user": {"mail": "${MAIL}", "name": "Ann"}, "hops": ["10.0.0.1", "[::1]:80"]}'::JSON AS metadata,
  map('${MAIL}', '${IP}') AS seen`;
const file = (n: number, name: string, rest: string): string =>
  `id: 00000000-0000-4000-8000-0000000000${n}\nname: ${name}\nquery: |\n  WITH people AS (SELECT ${ROW.replaceAll('\n', '\n  ')}) SELECT * FROM people\nsandbox: { enabled: true }\n${rest}`;

let service: TestService;
let collector: Server;
/** What the collector of traces has received. */
let exported = '';
let redis: RedisServer;
let replica: Service | undefined;

beforeAll(async () => {
  redis = await startRedis();
  collector = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (part: string) => (exported += part));
    request.on('end', () => response.setHeader('Content-Type', 'application/json').end('{}'));
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  const { port } = collector.address() as AddressInfo; // it listens on a port
  service = await startService({
    tokens: [
      { name: 'guarded', sha256: hashKey(GUARDED), endpoints: ['*'], allow: ['sql', 'lql'], pii: 'redact' },
    ],
    settings: {
      piiHashKey: 'a secret of the operator',
      traces: { endpoint: `http://127.0.0.1:${port}`, headers: {}, ratio: 0, resource: {} },
    },
  });
  await writeEndpoint(service, 'open', file(20, 'open', ''));
  await writeEndpoint(service, 'kept', file(21, 'kept', 'cache: { ttl: 60 }\n'));
  await writeEndpoint(service, 'lively', file(26, 'lively', 'live: { every: 1 }\n'));
  await writeEndpoint(
    service,
    'always',
    file(22, 'always', 'cache: { ttl: 60 }\npii: { redact: true, kind: true }\n'),
  );
  const columns = '{ email: hash, ip: drop, metadata.user.name: mask }';
  await writeEndpoint(
    service,
    'ruled',
    file(23, 'ruled', `pii: { redact: false, detectors: [email], columns: ${columns} }\n`),
  );
  await service.engine.execute('CREATE DATABASE people');
  await service.engine.execute(
    `CREATE TABLE people.all ENGINE = MergeTree ORDER BY tuple() AS SELECT ${ROW}, 7 AS id`,
  );
  const query = 'SELECT hex(email) AS h, reverse(ip) AS r, id FROM people.all';
  const atSource = 'at: source, columns: { id: hash }';
  const id = 'id: 00000000-0000-4000-8000-00000000002';
  const cached = 'cache: { ttl: 60 }\n';
  await writeEndpoint(
    service,
    'source',
    `${id}4\nname: source\nquery: ${query}\n${cached}pii: { redact: false, ${atSource} }\n`,
  );
  await writeEndpoint(
    service,
    'broken',
    `${id}5\nname: broken\nquery: SELECT toUInt8(event_message) AS n FROM people.all\npii: { redact: true, ${atSource} }\n`,
  );
  // The rule is for a column that the query gives another name, in each variant or in one.
  const named = 'pii: { redact: true, columns: { metadata.user.name: mask } }\n';
  const choice = 'parameters: { c: { choices: { m: id AS m, metadata: metadata }, default: metadata } }\n';
  await writeEndpoint(
    service,
    'idle',
    `${id}7\nname: idle\nquery: WITH t AS (SELECT metadata AS m FROM people.all) SELECT m FROM t\nsandbox: { enabled: true }\n${cached}${named}`,
  );
  await writeEndpoint(
    service,
    'partly',
    `${id}8\nname: partly\nquery: SELECT @c, id FROM people.all\n${choice}${named}`,
  );
  // Two columns are the same stored one, and one of them has a rule; in the second endpoint, a number about many rows needs none.
  const twice = (digit: string, name: string, columns: string, more = ''): Promise<void> =>
    writeEndpoint(
      service,
      name,
      `${id.slice(0, -1)}${digit}0\nname: ${name}\nquery: WITH t AS (SELECT ${columns} FROM people.all) SELECT * FROM t\nsandbox: { enabled: true }\n${cached}pii: { redact: true, columns: { contact: drop } }\n${more}`,
    );
  await twice(
    '9',
    'twice',
    'id, email AS contact /* if @b */, email AS other /* end */',
    'parameters: { b: { type: Bool } }\n',
  );
  await twice('1', 'counted', 'any(email) AS contact, uniq(email) AS other');
  await service.service.reload();
});
afterAll(async () => {
  await Promise.all([service.stop(), replica?.close('test')]);
  collector.close();
  await redis.kill();
});

const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  service.call(`/api/endpoints/query/${path}`, { headers });
const own = (path: string, sql: string, headers?: Record<string, string>): Promise<Response> =>
  ask(`${path}?sql=${encodeURIComponent(sql)}`, headers);
const REDACT = { 'SVC-ENDPOINT-REDACT-PII': 'true' };
const leaks = (text: string): boolean =>
  text.includes(MAIL) || text.includes(IP) || text.includes('10.0.0.1');

const MCP_CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'query', arguments: { endpoint: 'kept', sql: 'SELECT email FROM people' } },
});

/** The entry points that read the header, each with the text that a call returns. */
const ENTRIES: Readonly<Record<string, (headers: Record<string, string>) => Promise<string>>> = {
  api: async (headers) => (await ask('kept', headers)).text(),
  'a consumer query': async (headers) => (await own('kept', 'SELECT email FROM people', headers)).text(),
  bigquery: async (headers) =>
    (await ask('kept', { ...headers, Prefer: 'result-shape=bigquery', Accept: 'application/json' })).text(),
  live: async (headers) => {
    const client = await openLive(`${service.service.address}/api/endpoints/query/lively`, {
      headers: { ...headers, 'X-API-KEY': KEY },
    });
    await expect.poll(() => client.events.length, { timeout: 120_000 }).toBeGreaterThan(0);
    client.close();
    return JSON.stringify(client.events);
  },
  mcp: async (headers) => {
    const accept = 'application/json, text/event-stream';
    const fields = { 'Content-Type': 'application/json', Accept: accept, ...headers };
    return (await service.call('/mcp', { method: 'POST', headers: fields, body: MCP_CALL })).text();
  },
  'the ClickHouse interface': async (headers) => {
    const body = 'SELECT email FROM `kept`.`people` FORMAT JSON';
    return (await service.call('/clickhouse', { method: 'POST', headers, body })).text();
  },
};

describe('who can request it', () => {
  test('not requested: rows are unchanged', async () => {
    expect(leaks(await (await ask('open')).text())).toBe(true);
  });

  test.each([
    { why: 'plain', value: 'true' },
    { why: 'in uppercase', value: 'TRUE' },
    { why: 'with spaces', value: '  true ' },
    { why: 'beside other values', value: 'false, true' },
  ])('a header: $why', async ({ value }) => {
    const text = await (await ask('open', { 'svc-endpoint-redact-pii': value })).text();
    expect(leaks(text)).toBe(false);
    expect(text).toContain('"time":"12:34:56"');
  });

  test('the same header twice, in either order', async () => {
    for (const values of [
      ['true', 'false'],
      ['false', 'true'],
    ]) {
      const lines = values.map((value) => `SVC-ENDPOINT-REDACT-PII: ${value}`);
      const text = await raw(service.service.address, ['GET /api/endpoints/query/open HTTP/1.1', ...lines]);
      expect([text.startsWith('HTTP/1.1 200'), leaks(text)]).toEqual([true, false]);
    }
  });

  test.each([
    { why: 'the key', path: 'open', headers: { 'X-API-KEY': GUARDED } },
    {
      why: 'the key, a header asks for the opposite',
      path: 'kept',
      headers: { 'X-API-KEY': GUARDED, 'SVC-ENDPOINT-REDACT-PII': 'false' },
    },
    { why: 'the file', path: 'always', headers: {} },
    {
      why: 'the file, a header asks for the opposite',
      path: 'always',
      headers: { 'SVC-ENDPOINT-REDACT-PII': 'false' },
    },
  ])('$why', async ({ path, headers }) => {
    for (const query of [
      '',
      '?format=json',
      '?redact=false',
      '?sql=SELECT%20*%20FROM%20people',
      '?lql=s:email%20s:ip%20s:metadata%20s:seen',
    ]) {
      const response = await ask(
        path + (path === 'always' && query.startsWith('?redact') ? '' : query.replace('?redact=false', '')),
        headers,
      );
      expect([query, response.status, leaks(await response.text())]).toEqual([query, 200, false]);
    }
  });

  describe.each(['true', '1', 'yes', 'on', 'TRUE;q=1', 'no', '"false"', '0;q=1', 'false, 1', ', on'])(
    'the value %s of the header asks for it',
    (value) => {
      test.each(Object.keys(ENTRIES))('%s', async (entry) => {
        const headers = { 'SVC-ENDPOINT-REDACT-PII': value };
        expect(leaks((await ENTRIES[entry]?.({})) ?? '')).toBe(true);
        const text = await ENTRIES[entry]?.(headers);
        expect([text?.includes('REDACTED'), leaks(text ?? '')]).toEqual([true, false]);
      });
    },
  );

  test.each(['', '0', 'false', 'FALSE', ' False ', '\t0 ', '0, false', ', '])(
    'the value %j of the header does not',
    async (value) => {
      for (const entry of Object.values(ENTRIES))
        expect(leaks(await entry({ 'SVC-ENDPOINT-REDACT-PII': value }))).toBe(true);
    },
  );

  test('a cached response of one value is never served for the other', async () => {
    for (const value of ['1', 'false', 'yes', '0', 'TRUE;q=1', '', 'on', '1', 'false']) {
      const isPlain = ['', '0', 'false'].includes(value);
      for (let round = 0; round < 2; round++) {
        const response = await ask('kept', { 'SVC-ENDPOINT-REDACT-PII': value });
        expect([value, leaks(await response.text())]).toEqual([value, isPlain]);
      }
    }
  });

  test('the listing has the redaction that applies to the key', async () => {
    const listed = async (key: string): Promise<Record<string, boolean>> => {
      const response = await service.call('/api/endpoints', { headers: { 'X-API-KEY': key } });
      const { result } = (await response.json()) as { result: { name: string; pii: { redact: boolean } }[] };
      return Object.fromEntries(result.map(({ name, pii }) => [name, pii.redact]));
    };
    expect(await listed(KEY)).toMatchObject({ open: false, always: true });
    expect(await listed(GUARDED)).toMatchObject({ open: true, always: true });
  });
});

describe('what is cached', () => {
  test('is never served for another redaction, in either order, also when repeated', async () => {
    for (let round = 0; round < 3; round++) {
      expect(leaks(await (await ask('kept')).text())).toBe(true);
      expect(leaks(await (await ask('kept', REDACT)).text())).toBe(false);
      expect(leaks(await (await ask('kept', { 'X-API-KEY': GUARDED })).text())).toBe(false);
      const sql = 'SELECT email, ip FROM people';
      expect(leaks(await (await own('kept', sql, REDACT)).text())).toBe(false);
      expect(leaks(await (await own('kept', sql)).text())).toBe(true);
    }
    expect((await ask('kept', REDACT)).headers.get('cache-status')).toContain('hit');
  });

  test('outside this process contains no personal data either', async () => {
    replica = await openService({
      settings: { ...service.settings, port: 0, adminPort: 0, redisUrl: redis.url, redisTimeout: 10_000 },
      engine: service.engine,
      extraTokens: [{ name: 'k', sha256: service.keyHash, endpoints: ['*'] }],
      observe: () => undefined,
    });
    const url = `${replica.address}/api/endpoints/query/always`;
    const response = await fetch(url, { headers: { 'X-API-KEY': KEY } });
    expect(await response.text()).toContain('REDACTED:email');
    await expect.poll(() => everythingIn(redis)).toContain('REDACTED:email');
    expect(leaks(await everythingIn(redis))).toBe(false);
  });
});

describe('what is redacted', () => {
  test('nested data, arrays, keys of maps', async () => {
    const { result } = (await (await ask('always')).json()) as { result: unknown };
    expect(result).toEqual([
      {
        email: 'REDACTED:email',
        ip: 'REDACTED:ip',
        event_message: 'from REDACTED:ip:443',
        time: '12:34:56',
        metadata: {
          hops: ['REDACTED:ip', '[REDACTED:ip]:80'],
          user: { mail: 'REDACTED:email', name: 'Ann' },
        },
        seen: { 'REDACTED:email': 'REDACTED:ip' },
      },
    ]);
  });

  test('columns by name, on request', async () => {
    expect(leaks(await (await ask('ruled')).text())).toBe(true);
    const { result } = (await (await ask('ruled', REDACT)).json()) as { result: [Record<string, unknown>] };
    const [row] = result;
    expect(row).toMatchObject({
      event_message: `from ${IP}:443`,
      metadata: { user: { mail: 'REDACTED', name: 'REDACTED' } },
    });
    expect([row['email'], 'ip' in row]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), false]);
  });

  test('an endpoint with a rule that applies to nothing is not served', async () => {
    const seen: number = service.observed.length;
    for (const response of [await ask('idle'), await ask('idle'), await own('idle', 'SELECT m FROM t')]) {
      const text = await response.text();
      expect([response.status, leaks(text), text.includes('Ann')]).toEqual([500, false, false]);
      expect(JSON.parse(text)).toMatchObject({ code: 'endpoint.failed' });
    }
    const reason = 'neither the result nor a table for consumer queries has a column metadata.user.name';
    expect(inspect(service.observed.slice(seen), { depth: 9 })).toContain(reason);
    expect(await (await ask('partly')).json()).toMatchObject({
      result: [{ metadata: { user: { name: 'REDACTED' } } }],
    });
  });

  test('an endpoint that returns a redacted column again, under a name without a rule, is not served', async () => {
    const seen: number = service.observed.length;
    for (const response of [await ask('twice'), await ask('twice'), await own('twice', 'SELECT id FROM t')]) {
      const text = await response.text();
      expect([response.status, leaks(text)]).toEqual([500, false]);
      expect(JSON.parse(text)).toMatchObject({ code: 'endpoint.failed' });
    }
    const reason =
      'other of the table t of the sandbox is people.all.email, which pii.columns redacts only as contact';
    expect(inspect(service.observed.slice(seen), { depth: 9 })).toContain(reason);
    expect(await (await ask('counted')).json()).toMatchObject({ result: [{ other: expect.any(Number) }] });
  });

  test.each([
    'SELECT toUInt8(email) FROM people',
    'SELECT throwIf(1, email) FROM people',
    'SELECT email + 1 FROM people',
  ])('no message shows a value: %s', async (sql) => {
    const response = await own('open', sql);
    expect([response.status >= 400, leaks(await response.text())]).toEqual([true, false]);
  });
});

describe('what a consumer query computes (docs/secure/personal-data.md)', () => {
  test.each([
    "concat('ip=', ip)",
    "ip || ' ' || email",
    'upper(email)',
    '(ip, email)',
    'groupArray(ip)',
    'map(email, 1)',
    'toJSONString(metadata)',
    'encodeURLComponent(email)',
  ])('is found: %s', async (expression) => {
    const response = await own('open', `SELECT ${expression} AS x FROM people`, REDACT);
    const text = await response.text();
    expect([response.status, text.includes('REDACTED')]).toEqual([200, true]);
    expect(leaks(text.toLowerCase())).toBe(false);
  });

  test.each<{ expression: string; gives: unknown }>([
    { expression: "concat('v', ip)", gives: 'vREDACTED' },
    { expression: 'substring(email, 1, 5)', gives: 'REDAC' },
    { expression: "splitByChar('@', email)", gives: ['REDACTED'] },
    { expression: "replaceOne(ip, 'R', '-')", gives: '-EDACTED' },
    { expression: 'reverse(ip)', gives: 'DETCADER' },
    { expression: 'hex(email)', gives: '5245444143544544' },
    { expression: 'base64Encode(email)', gives: 'UkVEQUNURUQ=' },
    { expression: "cityHash64(ip) = cityHash64('REDACTED')", gives: 1 },
    { expression: "email LIKE 'ann%'", gives: 0 },
    { expression: 'metadata.user.mail', gives: 'REDACTED' },
    { expression: 'mapKeys(seen)', gives: ['REDACTED'] },
  ])('is computed from redacted values: $expression', async ({ expression, gives }) => {
    const response = await own('open', `SELECT ${expression} AS x FROM people`, REDACT);
    expect([response.status, await response.json()]).toEqual([200, { result: [{ x: gives }] }]);
  });

  test('follows the rules by name, whatever the result is called', async () => {
    const sql = 'SELECT email AS a, hex(metadata.user.name::String) AS b FROM people';
    const ruled = (text: string): Promise<Response> => own('ruled', text, REDACT);
    const saved = (await (await ask('ruled', REDACT)).json()) as { result: [{ email: string }] };
    expect(await (await ruled(sql)).json()).toEqual({
      result: [{ a: saved.result[0].email, b: Buffer.from('REDACTED').toString('hex').toUpperCase() }],
    });
    const dropped = await ruled('SELECT ip FROM people');
    expect([dropped.status, leaks(await dropped.text())]).toEqual([422, false]);
    // The key of the hash is a parameter of the statement, which no consumer can name.
    const key = await ruled('SELECT {millrace_pii_inner_pad:String} AS k FROM people');
    expect(key.status).toBe(400);
  });

  test('is logged without values, if it fails', async () => {
    const before = service.observed.length;
    for (const sql of ['SELECT toUInt8(email) FROM people', 'SELECT toDate(event_message) FROM people'])
      expect((await own('ruled', sql, REDACT)).status).toBe(422);
    const logged = service.observed.slice(before).map((each) => inspect(each, { depth: 9 }));
    expect(logged.join('\n')).toContain('query.failed');
    expect(logged.join('\n')).not.toMatch(/ann\.b|203\.0\.113|[0-9a-f]{100}/);
  });

  test('is checked without running it: the dry run shows the query alone', async () => {
    const url = `/api/endpoints/explain/ruled?sql=${encodeURIComponent('SELECT email FROM people')}`;
    const text = await (await service.call(url, { headers: REDACT })).text();
    expect(leaks(text) || /millrace_|replaceRegexp/.test(text)).toBe(false);
  });

  test('is described in OpenAPI without values', async () => {
    const text = await (await service.call('/openapi.json', { headers: { 'X-API-KEY': GUARDED } })).text();
    expect([text.includes('ruled'), leaks(text), text.includes('millrace_pii')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('a saved query with at: source', () => {
  const hexOf = (text: string): string => Buffer.from(text).toString('hex').toUpperCase();
  const rowsOf = async (headers?: Record<string, string>): Promise<unknown> =>
    ((await (await ask('source', headers)).json()) as { readonly result: unknown }).result;

  test('computes from redacted values if redaction is required, cached apart from the other', async () => {
    for (let round = 0; round < 2; round++) {
      expect(await rowsOf()).toEqual([{ h: hexOf(MAIL), r: '9.311.0.302', id: 7 }]);
      const redacted = { h: hexOf('REDACTED'), r: 'DETCADER', id: expect.stringMatching(/^[0-9a-f]{32}$/) };
      expect(await rowsOf(REDACT)).toEqual([redacted]);
      expect(await rowsOf({ 'X-API-KEY': GUARDED })).toEqual([redacted]);
    }
  });

  test.each(Object.keys(FORMATS))('is the same in %s', async (format) => {
    const response = await ask(`source?format=${format}`, REDACT);
    const body = Buffer.from(await response.arrayBuffer());
    expect([response.status, body.includes(hexOf(MAIL)), body.includes('DETCADER')]).toEqual([
      200,
      false,
      true,
    ]);
  });

  test('fails without values in the response and in the log', async () => {
    const before = service.observed.length;
    const response = await ask('broken');
    const logged = service.observed
      .slice(before)
      .map((each) => inspect(each, { depth: 9 }))
      .join('\n');
    expect([response.status, logged.includes('endpoint.failed')]).toEqual([500, true]);
    expect(`${await response.text()}\n${logged}`).not.toMatch(/ann\.b|203\.0\.113|[0-9a-f]{100}/);
  });
});

test('traces carry nothing unredacted: neither values, nor queries, nor keys of hashes', async () => {
  const traced = (last: string) => ({ traceparent: `00-${'d'.repeat(31)}${last}-${'e'.repeat(16)}-01` });
  const calls = [
    ask('always', traced('1')),
    ask('source', { ...REDACT, ...traced('2') }),
    own('ruled', 'SELECT email, metadata FROM people', { ...REDACT, ...traced('3') }),
    own('ruled', `SELECT toUInt8(email) FROM people WHERE ip != '${IP}'`, { ...REDACT, ...traced('4') }),
    own('ruled', 'SELECT email FROM nowhere', { ...REDACT, ...traced('5') }),
    ask('broken', traced('6')),
  ];
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 200, 422, expect.any(Number), 500]);
  for (const last of '123456') await expect.poll(() => exported).toContain(`${'d'.repeat(31)}${last}`);
  expect(exported).toContain('millrace.endpoint');
  expect(exported).not.toMatch(/ann\.b|203\.0\.113|10\.0\.0\.1|SELECT|[0-9a-f]{100}/);
});

/** Sends lines as they are; resolves with the whole reply. */
async function raw(address: string, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.write(
    `${[...lines, `Host: ${hostname}`, `X-API-KEY: ${KEY}`, 'Connection: close'].join('\r\n')}\r\n\r\n`,
  );
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(socket, 'close');
  return text;
}

/** All values of a Redis, as text. */
async function everythingIn({ url }: RedisServer): Promise<string> {
  const { createClient } = await import('@keyv/redis');
  const client = createClient({ url });
  await client.connect();
  try {
    const keys = await client.keys('*');
    const values = await Promise.all(keys.map((key) => client.get(key).catch(() => '')));
    return values.join('\n');
  } finally {
    await client.close();
  }
}
