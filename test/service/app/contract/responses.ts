// Responses: their content and header fields.
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { problem, type Checks, type World } from './world.ts';

const withHeaders = (headers: Record<string, string>): RequestInit => ({ headers });
const asked = (control: string): RequestInit => withHeaders({ 'Cache-Control': control });
const prefer = (shape: string): RequestInit => withHeaders({ Prefer: `result-shape=${shape}` });

const SHAPED_ROW = {
  timestamp: 1709294400123456,
  day: '2024-03-01',
  request: [{ path: '/a', list: ['x', 'y'], items: [{ n: 1, at: 5000000 }] }],
  metadata: [{ request: [{ log: [{ level: [{ name: 'info' }] }], path: '/', sizes: [1] }] }],
  counts: [{ k: 1 }],
  nothing: null,
  large: 'LARGE',
};
const REDACT = 'SVC-ENDPOINT-REDACT-PII';

/** The first event with what comes before it, or the whole body if there is none. */
async function firstEvent({ body }: Response): Promise<string> {
  let text = '';
  for await (const bytes of body ?? []) {
    text += Buffer.from(bytes).toString();
    if (/^event:[^]*\n\n/m.test(text)) break; // which cancels the body
  }
  return text;
}

const EVENTS = { headers: { Accept: 'text/event-stream' } };

export const FOLLOWED: Checks = {
  'An endpoint with live calls answers `Accept: text/event-stream`, and the parameter `live=true`, with server-sent events, the first one with the result.':
    async ({ query }) => {
      for (const response of [await query('followed', EVENTS), await query('followed?live=true')]) {
        expect([response.headers.get('content-type'), await firstEvent(response)]).toEqual([
          'text/event-stream',
          expect.stringMatching(
            /^retry: 2000\n\nevent: result\nid: \S+\ndata: \{"result":\[\{"n":1\}\]\}\n\n$/,
          ),
        ]);
      }
    },
  '`Last-Event-ID`, and the parameter `last_event_id`, leave out a result that the caller has already.':
    async ({ query }) => {
      const id = /id: (\S+)/.exec(await firstEvent(await query('followed', EVENTS)))?.[1] ?? '';
      const again = { headers: { ...EVENTS.headers, 'Last-Event-ID': id } };
      for (const response of [
        await query('followed', again),
        await query(`followed?live=true&last_event_id=${id}`),
      ]) {
        const reader = response.body?.getReader();
        expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('retry: 2000\n\n');
        await reader?.cancel();
      }
    },
  'Other endpoints answer 406, or 400 to `live=true`.': async ({ json }) => {
    expect(await json('strict?project=a&limit=1', EVENTS)).toMatchObject(
      problem(406, 'format.not_acceptable'),
    );
    expect(await json('plain?live=true')).toMatchObject(problem(400, 'live.unavailable'));
  },
};

export const ANSWERS: Checks = {
  'A successful response is 200 with `{"result": [...]}`.': async ({ query }) => {
    const response = await query('plain');
    expect([response.status, Object.keys((await response.json()) as object)]).toEqual([200, ['result']]);
  },
  "Rows beyond the endpoint's maximum are truncated, and the body and header fields indicate it.": async ({
    query,
  }) => {
    const response = await query('values?rows=4');
    expect(response.headers.get('millrace-truncated')).toBe('true');
    expect(await response.json()).toMatchObject({
      result: [{ n: 0 }, { n: 1 }, { n: 2 }],
      truncated: true,
    });
    expect((await query('values?rows=3')).headers.get('millrace-truncated')).toBeNull();
  },
  'Timestamps are ISO 8601 in UTC with `Z`.': async ({ json }) =>
    expect(await json('values')).toMatchObject({ result: [{ at: '2024-03-01T12:00:00.123456Z' }, {}] }),
  '64-bit integers are JSON numbers with all their digits, or strings if the endpoint is configured so.':
    async ({ query }) => {
      expect(await (await query('values')).text()).toContain('"large":9007199254740993,');
      expect(await (await query('strings')).text()).toContain('"large":"9007199254740993"');
    },
  'Non-finite floats are null.': async ({ json }) =>
    expect(await json('values')).toMatchObject({ result: [{ nothing: null }, {}] }),
  '`Prefer: non-finite=string` returns NaN and infinities as the strings `nan`, `inf` and `-inf`, in JSON and NDJSON, with a cached response of its own, and `Preference-Applied` confirms it.':
    async ({ query }) => {
      const preferred = withHeaders({ Prefer: 'non-finite=string' });
      const bodies: Readonly<Record<string, string>> = {
        json: '{"result":[{"n":"nan","up":"inf","down":["-inf"],"none":null}]}',
        ndjson: '{"n":"nan","up":"inf","down":["-inf"],"none":null}\n',
      };
      for (const [format, body] of Object.entries(bodies)) {
        for (let times = 0; times < 3; times++) {
          const response = await query(`floats?format=${format}`, preferred);
          expect(response.headers.get('preference-applied')).toBe('non-finite=string');
          expect(await response.text()).toBe(body);
          const plain = await query(`floats?format=${format}`);
          expect([plain.headers.get('preference-applied'), await plain.text()]).toEqual([
            null,
            body.replace(/"-?(?:nan|inf)"/g, 'null'),
          ]);
        }
      }
      const csv = await query('floats?format=csv', preferred);
      expect(csv.headers.get('preference-applied')).toBeNull();
    },
  'Nested metadata is nested JSON.': async ({ json }) =>
    expect(await json('values')).toMatchObject({ result: [{ metadata: { a: { b: [1] } } }, {}] }),
  '`Prefer: result-shape=bigquery` returns timestamps as integer microseconds and nested objects as arrays of objects, in JSON and NDJSON, and `Preference-Applied` confirms it.':
    async ({ query }) => {
      const answer = await query('shaped', prefer('bigquery'));
      expect(answer.headers.get('preference-applied')).toBe('result-shape=bigquery');
      const row = JSON.stringify(SHAPED_ROW).replace('"LARGE"', '18446744073709551615');
      expect(await answer.text()).toBe(`{"result":[${row}]}`);
      expect(await (await query('shaped?format=ndjson', prefer('bigquery'))).text()).toBe(`${row}\n`);
      const redacted = withHeaders({ 'X-API-KEY': 'redacted', Prefer: 'result-shape=bigquery' });
      expect(await (await query('values', redacted)).text()).toContain('"mail":"REDACTED"');
    },
  "The result shape of a request takes precedence over that of the key, and that over the endpoint's; an unknown one is ignored.":
    async ({ query }) => {
      const shapeOf = async (path: string, headers: Record<string, string>): Promise<unknown> => {
        const response = await query(path, withHeaders(headers));
        const isShaped = /"(?:at|timestamp)":1709294400123456/.test(await response.text());
        return [isShaped, response.headers.get('preference-applied')];
      };
      const key = { 'X-API-KEY': 'shaped' };
      expect(await shapeOf('values', {})).toEqual([false, null]);
      expect(await shapeOf('values', key)).toEqual([true, null]);
      expect(await shapeOf('shaped', {})).toEqual([true, null]);
      for (const Prefer of [
        'result-shape=standard',
        'wait=1, Result-Shape="Standard"; a=b, result-shape=bigquery',
      ])
        expect(await shapeOf('shaped', { ...key, Prefer })).toEqual([false, 'result-shape=standard']);
      const unknown = ['result-shape=avro', 'result-shapes=standard', 'x="a, result-shape=standard, b"'];
      for (const Prefer of [...unknown, `result-shape=standard${', a'.repeat(170)}`, 'return=minimal'])
        expect(await shapeOf('shaped', { Prefer })).toEqual([true, null]);
    },
  'CSV, Parquet and Arrow are the same in every result shape, without `Preference-Applied`.': async ({
    query,
  }) => {
    for (const format of ['csv', 'parquet', 'arrow']) {
      const [one, other] = await Promise.all(
        ['standard', 'bigquery'].map((shape) => query(`values?format=${format}`, prefer(shape))),
      );
      expect(await one?.text()).toBe(await other?.text());
      expect(other?.headers.get('preference-applied')).toBeNull();
    }
  },
  '`meta=true` and `Prefer: metadata` add `meta` to a response in JSON, with `columns`, `rows`, `truncated`, `statistics` and `cache`; `Preference-Applied` confirms the preference.':
    async ({ query }) => {
      const bare = await (await query('values')).text();
      for (const [path, headers, applied] of [
        ['values?meta=true', {}, null],
        ['values', { Prefer: 'metadata' }, 'metadata'],
      ] as const) {
        const answer = await query(path, withHeaders(headers));
        expect(answer.headers.get('preference-applied')).toBe(applied);
        const text = await answer.text();
        expect(text.startsWith(`${bare.slice(0, -1)},"meta":{`)).toBe(true);
        const { meta } = JSON.parse(text) as { meta: object };
        expect(Object.keys(meta)).toEqual(['columns', 'rows', 'truncated', 'statistics', 'cache']);
      }
    },
  'Other formats reject `meta=true` with 400 and ignore the preference.': async ({ query }) => {
    expect((await query('values?meta=true&format=csv')).status).toBe(400);
    const ignored = await query('values?format=csv', withHeaders({ Prefer: 'metadata' }));
    expect([ignored.status, ignored.headers.get('preference-applied')]).toEqual([200, null]);
  },
  'Each result shape has its own cached response and entity tag, also when served repeatedly.': async ({
    query,
  }) => {
    const seen = async (shape: string): Promise<unknown> => {
      const response = await query('shaped', prefer(shape));
      expect(response.headers.get('preference-applied')).toBe(`result-shape=${shape}`);
      return [response.headers.get('etag'), await response.text()];
    };
    const [standard, bigquery] = [await seen('standard'), await seen('bigquery')];
    expect(standard).not.toEqual(bigquery);
    for (let times = 0; times < 3; times++)
      expect([await seen('standard'), await seen('bigquery')]).toEqual([standard, bigquery]);
    const { headers } = await query('shaped', prefer('bigquery'));
    expect(headers.get('cache-status')).toContain('millrace; hit');
    expect(headers.get('vary')?.split(', ')).toContain('Prefer');
  },
  '`ETag` is a strong validator of the bytes as sent, and a matching `If-None-Match` returns 304.': async ({
    query,
  }) => {
    const etag = (await query('wide')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect((await query('wide', withHeaders({ 'If-None-Match': etag }))).status).toBe(304);
    expect((await query('wide', withHeaders({ 'If-None-Match': `"other", ${etag}` }))).status).toBe(304);
    expect(
      (await query('wide', withHeaders({ 'Accept-Encoding': 'identity' }))).headers.get('etag'),
    ).not.toBe(etag);
  },
  'Endpoints without caching send `Cache-Control: no-store`.': async ({ query }) =>
    expect((await query('plain')).headers.get('cache-control')).toBe('no-store'),
  'A 304 has the header fields of the 200 that it replaces, with the entity tag of the coding that this would have.':
    async ({ query }) => {
      await query('kept-large');
      for (const coding of ['gzip', 'br', 'identity']) {
        const accept = { 'Accept-Encoding': coding };
        const { headers } = await query('kept-large', withHeaders(accept));
        const condition = {
          ...accept,
          'If-None-Match': headers.get('etag') ?? '',
          'Cache-Control': 'max-age=500',
        };
        const unchanged = await query('kept-large', withHeaders(condition));
        expect(unchanged.status).toBe(304);
        for (const name of ['etag', 'vary', 'cache-control', 'millrace-endpoint'])
          expect([name, unchanged.headers.get(name)]).toEqual([name, headers.get(name)]);
      }
    },
  'Cached responses send `Cache-Control: private, max-age` with the whole lifetime, `Age`, which caches subtract from it, and `Cache-Status`.':
    async ({ query }) => {
      await query('kept');
      const { headers } = await query('kept');
      expect(headers.get('cache-control')).toBe('private, max-age=600');
      expect([headers.get('age'), headers.get('cache-status')]).toEqual([
        expect.stringMatching(/^\d+$/),
        expect.stringMatching(/^millrace; hit; ttl=\d+$/),
      ]);
    },
  'Responses of open data that are the same for every key send `Cache-Control: public, max-age, s-maxage`, with the stale periods of the endpoint.':
    async ({ query }) => {
      const control = async (init?: RequestInit): Promise<string | null> =>
        (await query('open', init)).headers.get('cache-control');
      expect(await control()).toBe('public, max-age=600, s-maxage=600, stale-if-error=60');
      expect(await control(withHeaders({ 'X-API-KEY': 'redacted' }))).toBe('private, max-age=600');
    },
  '`Cache-Control: no-cache` forces a new run, at most every `min_refresh` seconds.': async ({ query }) => {
    const run = async (name: string, init?: RequestInit): Promise<string> => (await query(name, init)).text();
    const first = await run('kept');
    expect(await run('kept', asked('no-cache'))).not.toBe(first);
    const floored = await run('kept-long');
    expect(await run('kept-long', asked('no-cache'))).toBe(floored);
  },
  '`max-age` in a request excludes older cached responses.': async ({ query }) => {
    const first = await (await query('kept')).text();
    await setTimeout(1100);
    expect(await (await query('kept', asked('max-age=300'))).text()).toBe(first);
    expect(await (await query('kept', asked('max-age=1'))).text()).not.toBe(first);
  },
  '`only-if-cached` returns 504 when there is no cached response.': async ({ json }) => {
    expect(await json('kept-rows?format=ndjson', asked('only-if-cached'))).toMatchObject({
      code: 'cache.miss',
      status: 504,
    });
  },
  '`Vary` lists the request header fields that a response depends on.': async ({ query }) => {
    const vary = (await query('plain')).headers.get('vary')?.split(', ');
    expect(vary).toEqual(
      expect.arrayContaining(['Accept', 'Accept-Encoding', 'Prefer', 'Authorization', 'X-API-KEY', REDACT]),
    );
  },
  '`Server-Timing` has the metrics auth, plan, queue, engine, redact and encode.': async ({ query }) => {
    const stages = (await query('plain')).headers.get('server-timing')?.split(', ');
    expect(stages?.map((each) => each.replace(/;dur=[\d.]+$/, ''))).toEqual([
      'auth',
      'plan',
      'queue',
      'engine',
      'redact',
      'encode',
    ]);
  },
  "`Millrace-Dialect` is the dialect that the SQL of a call was run as; a dialect after the endpoint's first is used only if it is requested, or if the query has a construct of it.":
    async ({ query }) => {
      const dialectOf = async (sql: string, dialect = ''): Promise<string | null> => {
        const fields = new URLSearchParams({ sql, dialect }).toString();
        return (await query(`dialects?${fields}`)).headers.get('millrace-dialect');
      };
      expect(await dialectOf('SELECT\u00a0round(2.5) AS n FROM t')).toBe('clickhouse');
      expect(await dialectOf('SELECT round(2.5) AS n FROM t', 'bigquery')).toBe('bigquery');
      expect(await dialectOf('SELECT safe_divide(n, 2) AS n FROM t')).toBe('bigquery');
      expect((await query('plain')).headers.get('millrace-dialect')).toBeNull();
    },
  '`X-Request-Id` is that of the request if valid, otherwise a new one.': async ({ query }) => {
    const requestIdOf = async (id?: string): Promise<string | null> =>
      (await query('plain', id === undefined ? {} : withHeaders({ 'X-Request-Id': id }))).headers.get(
        'x-request-id',
      );
    expect(await requestIdOf('my-id.1')).toBe('my-id.1');
    const [one, two] = [await requestIdOf(), await requestIdOf('has "quotes" and spaces')];
    expect([one, two]).toEqual([expect.stringMatching(/^[\w-]{8,}$/), expect.stringMatching(/^[\w-]{8,}$/)]);
    expect(one).not.toBe(two);
  },
  "`Millrace-Endpoint` is the endpoint's name and revision; `Millrace-Version` the number of the version, if it has [versions](../author/versions.md).":
    async ({ query }) => {
      const [plain, first] = [(await query('plain')).headers, (await query('numbered@1')).headers];
      expect(plain.get('millrace-endpoint')).toMatch(/^plain@[0-9a-f]{12}$/);
      expect([plain.get('millrace-version'), first.get('millrace-version')]).toEqual([null, '1']);
    },
  'A deprecated endpoint or version has `Deprecation` (RFC 9745), `Sunset` (RFC 8594) if a day is set, and a `Link` to its successor (`rel="successor-version"`), also in 304 and in problem responses, once it is certain which version the call is for.':
    async ({ query }) => {
      const whole = await query('numbered@1');
      const etag = whole.headers.get('etag') ?? '';
      const same = await query('numbered@1', withHeaders({ 'If-None-Match': etag }));
      const failed = await query('numbered@1?sql=SELECT%201');
      expect([whole.status, same.status, failed.status]).toEqual([200, 304, 400]);
      for (const { headers } of [whole, same, failed])
        expect(['deprecation', 'sunset', 'link'].map((name) => headers.get(name))).toEqual([
          '@1767225600',
          'Tue, 01 Jan 2030 00:00:00 GMT',
          expect.stringContaining('numbered>; rel="successor-version"'),
        ]);
      expect((await query('numbered')).headers.has('deprecation')).toBe(false);
    },
  '`RateLimit` and `RateLimit-Policy` are sent when a rate limit applies, and with the unit `qu` for budgets, when a query had to run.':
    async ({ query }) => {
      const spent = await query('plain', withHeaders({ 'X-API-KEY': 'budgeted' }));
      expect(spent.headers.get('ratelimit-policy')).toContain('qu=');
      const { headers } = await query('plain', withHeaders({ 'X-API-KEY': 'rated' }));
      expect([headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual([
        '"key";q=2;w=3600',
        expect.stringMatching(/^"key";r=1;t=/),
      ]);
      expect((await query('plain')).headers.has('ratelimit')).toBe(false);
    },
  'Bodies over 1 KiB are compressed according to `Accept-Encoding`, with zstd, br, gzip or deflate.': async (
    world,
  ) => {
    expect(await codingOf(world, 'wide', 'zstd, br, gzip')).toBe('zstd');
    expect(await codingOf(world, 'wide', 'zstd;q=0.5, br')).toBe('br');
    expect(await codingOf(world, 'wide', 'gzip')).toBe('gzip');
    expect(await codingOf(world, 'wide', 'deflate')).toBe('deflate');
    expect(await codingOf(world, 'wide', '')).toBeUndefined();
    expect(await codingOf(world, 'plain', 'gzip')).toBeUndefined();
    expect(await world.curl('/api/endpoints/query/wide', '--compressed')).toContain(
      'a text that repeats itself',
    );
  },
  'The header `SVC-ENDPOINT-REDACT-PII: true` adds redaction, as does any other value (`1`, `yes`, `on`, `TRUE;q=1`) except an empty one, `0` and `false` in any case. Sent more than once, or as a list, one value that adds it is enough. No value disables redaction.':
    async ({ query }) => {
      const mail = async (headers: Record<string, string>): Promise<string> =>
        (await query('values?rows=1', { headers })).text();
      expect(await mail({})).toContain('ann@example.com');
      for (const value of ['true', '1', 'yes', 'on', 'TRUE;q=1', 'false, true'])
        expect(await mail({ [REDACT]: value })).not.toContain('ann@example.com');
      for (const value of ['', '0', 'false', 'FALSE'])
        expect(await mail({ [REDACT]: value })).toContain('ann@example.com');
      for (const value of ['false', '0', 'no', ''])
        expect(await mail({ 'X-API-KEY': 'redacted', [REDACT]: value })).not.toContain('ann@example.com');
    },
};

function codingOf({ service }: World, name: string, accepted: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-API-KEY': 'a-key-for-everything', 'Accept-Encoding': accepted };
    request(`${service.service.address}/api/endpoints/query/${name}`, { headers }, (response) => {
      response.resume();
      resolve(response.headers['content-encoding']);
    })
      .on('error', reject)
      .end();
  });
}
