// The age of data on a whole service: header fields, caches, formats, pages, agents, metrics, and stale data as an error.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const HOUR = 3600;
const file = (n: number, name: string, query: string, rest: string): string =>
  `id: 00000000-0000-4000-8000-0000000000${n}\nname: ${name}\nquery: ${query}\n${rest}\n`;
const ROWS = 'SELECT at, id, source FROM f.rows WHERE source = @source';
const SOURCE = 'parameters: { source: { type: String, default: old } }';
const FRESH = 'fresh: { column: at, within: 600 }';
const ERROR = 'fresh: { column: at, within: 600, otherwise: error }';
const ENDPOINTS: Readonly<Record<string, string>> = {
  marked: file(10, 'marked', ROWS, `${SOURCE}\n${FRESH}`),
  kept: file(11, 'kept', ROWS, `${SOURCE}\n${FRESH}\ncache: { ttl: 3600, min_refresh: 0 }`),
  strict: file(12, 'strict', ROWS, `${SOURCE}\n${ERROR}`),
  'strict-kept': file(13, 'strict-kept', ROWS, `${SOURCE}\n${ERROR}\ncache: { ttl: 3600, min_refresh: 0 }`),
  paged: file(14, 'paged', ROWS, `${SOURCE}\n${FRESH}\npage: { by: [at desc, id], size: 1 }`),
  open: file(
    15,
    'open',
    'WITH t AS (SELECT now() - 9999 AS at) SELECT at FROM t',
    `${ERROR}\nsandbox: { enabled: true }`,
  ),
  nullable: file(16, 'nullable', "SELECT CAST(NULL, 'Nullable(DateTime)') AS at", FRESH),
  followed: file(17, 'followed', ROWS, `${SOURCE}\n${ERROR}\nlive: { every: 60 }`),
};

let service: TestService;
let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
  service = await startService({
    settings: { redisUrl: redis.url, redisTimeout: 10_000 },
    sql: [
      'CREATE DATABASE f',
      "CREATE TABLE f.rows (at DateTime64(3, 'Asia/Tokyo'), id UInt8, source String) ENGINE = MergeTree ORDER BY id",
      `INSERT INTO f.rows SELECT now64(3) - ${HOUR} - number, number, 'old' FROM numbers(3)`,
      `INSERT INTO f.rows SELECT now64(3) - number, number, 'new' FROM numbers(3)`,
      `INSERT INTO f.rows SELECT now64(3) + if(number = 0, ${HOUR}, -${2 * HOUR}), number, 'ahead' FROM numbers(2)`,
      `INSERT INTO f.rows SELECT now64(3) - ${HOUR}, 1, 'late'`,
    ],
  });
  for (const [name, text] of Object.entries(ENDPOINTS)) await writeEndpoint(service, name, text);
  await service.service.reload();
});
afterAll(async () => {
  await service.stop();
  await redis.kill();
});

const ask = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  service.call(`/api/endpoints/query/${path}`, { headers });
const age = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
  const response = await ask(path, headers);
  await response.arrayBuffer();
  const seconds = response.headers.get('millrace-data-age');
  return {
    status: response.status,
    age: seconds === null ? undefined : Number(seconds),
    isStale: response.headers.get('millrace-data-stale') === 'true',
    cache: response.headers.get('cache-status')?.split(';')[1]?.trim(),
    control: response.headers.get('cache-control'),
  };
};
const near = (seconds: number) => expect.closeTo(seconds, -2.3); // a hundred seconds

describe('the age of data', () => {
  test.each(['json', 'ndjson', 'csv', 'parquet', 'arrow'])(
    'is that of the newest row, as %s',
    async (format) => {
      expect(await age(`marked?format=${format}`)).toMatchObject({
        status: 200,
        age: near(HOUR),
        isStale: true,
      });
      expect(await age(`marked?source=new&format=${format}`)).toMatchObject({ age: near(0), isStale: false });
      expect(await age(`marked?source=ahead&format=${format}`)).toMatchObject({
        age: near(2 * HOUR),
        isStale: true,
      });
      expect(await age(`marked?source=none&format=${format}`)).toEqual({
        status: 200,
        age: undefined,
        isStale: true,
        cache: undefined,
        control: 'no-store',
      });
      expect(await age(`nullable?format=${format}`)).toMatchObject({ age: undefined, isStale: true });
    },
  );

  test('of cached responses is that of now, and they are fresh for no longer than their data', async () => {
    for (const cache of ['fwd=uri-miss', 'hit', 'hit']) {
      const found = await age('kept?source=new');
      expect(found).toMatchObject({ age: near(0), isStale: false, cache });
      expect(Number(/max-age=(\d+)/.exec(found.control ?? '')?.[1])).toBeLessThanOrEqual(600);
      expect(await age('kept')).toMatchObject({ age: near(HOUR), isStale: true, cache });
    }
    const again = await ask('kept', { 'If-None-Match': '*' });
    expect([again.status, again.headers.get('millrace-data-stale')]).toEqual([304, 'true']);
  });

  test('is in the metadata, for agents, in the log and in metrics', async () => {
    const { meta } = (await (await ask('kept?meta=true')).json()) as { meta: object };
    expect(meta).toMatchObject({ data: { age: near(HOUR), stale: true } });
    for (let n = 0; n < 2; n++) {
      const response = await service.call('/mcp', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'kept', arguments: {} },
        }),
      });
      expect(await response.text()).toMatch(/The newest data is 36\d\d s old, which is more/);
    }
    const finished = service.observed.findLast(
      (each) => each.kind === 'request.finished' && each.endpoint === 'kept',
    );
    expect(finished).toMatchObject({ dataAge: { seconds: near(HOUR), isStale: true } });
    const metrics = await (await fetch(`${service.service.admin}/metrics`)).text();
    const newest = /millrace_data_newest_timestamp_seconds{endpoint="kept"} ([\d.e+]+)/.exec(metrics)?.[1];
    expect(Number(newest)).toEqual(near(Date.now() / 1000)); // of source=new, although older rows were read since
    expect(metrics).toMatch(/millrace_data_stale_total{endpoint="marked"} \d\d/);
  });

  test('of pages is that of the first one; consumer queries have none', async () => {
    const first = await ask('paged?source=new');
    const { next } = (await first.json()) as { next: string };
    expect(first.headers.get('millrace-data-age')).toMatch(/^\d+$/);
    expect(await age(`paged?source=new&cursor=${next}`)).toMatchObject({ age: undefined, isStale: false });
    expect(await age('open?sql=SELECT+1+AS+n+FROM+t')).toMatchObject({
      status: 200,
      age: undefined,
      isStale: false,
    });
  });
});

describe('stale data as an error', () => {
  test.each(['', '&format=parquet'])('is 503, also without rows %s', async (format) => {
    const response = await ask(`strict?source=old${format}`);
    expect([response.status, await response.json()]).toMatchObject([
      503,
      {
        code: 'data.stale',
        detail: expect.stringMatching(/^The data may be 600 s old, and the newest at is 36\d\d s old$/),
      },
    ]);
    expect(response.headers.get('retry-after')).toBe('1');
    const none = (await (await ask(`strict?source=none${format}`)).json()) as object;
    expect(none).toMatchObject({
      code: 'data.stale',
      detail: expect.stringContaining('no row of the result'),
    });
    expect(await age(`strict?source=new${format}`)).toMatchObject({ status: 200, age: near(0) });
  });

  test('is not served from the cache, which is read again', async () => {
    expect(await age('strict-kept?source=late')).toMatchObject({ status: 503 });
    expect(await age('strict-kept?source=late')).toMatchObject({ status: 503 });
    await service.engine.execute("INSERT INTO f.rows SELECT now64(3), 9, 'late'");
    expect(await age('strict-kept?source=late', { 'Cache-Control': 'only-if-cached' })).toMatchObject({
      status: 503,
    });
    expect(await age('strict-kept?source=late')).toMatchObject({ status: 200, age: near(0), isStale: false });
    expect(await age('strict-kept?source=late')).toMatchObject({ status: 200, cache: 'hit' });
  });

  test('does not end live calls', async () => {
    const controller = new AbortController();
    const response = await service.call('/api/endpoints/query/followed', {
      headers: { Accept: 'text/event-stream' },
      signal: controller.signal,
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    controller.abort();
  });
});
