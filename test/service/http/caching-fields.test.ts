// Caching header fields of both ways to a cached response, by the ordinary path and by the cached fast path: golden values at
// virtual times, over the real cache and real connections.
import { request } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { momentOf } from '../../../src/service/cache/clock.ts';
import type { CachePolicy } from '../../../src/service/cache/freshness.ts';
import { createReadThrough, type Ask, type ReadThrough } from '../../../src/service/cache/read-through.ts';
import { createStore } from '../../../src/service/cache/store.ts';
import { createWatch, type Watch } from '../../../src/service/cache/watch.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { createCompression } from '../../../src/service/http/compression.ts';
import { createServer, type ServerOptions } from '../../../src/service/fronts/server.ts';
import { createSlowClients } from '../../../src/service/http/slow-clients.ts';
import { realAfter, payload } from '../cache/fixture.ts';
import type { Answer, Call, SharedCaching } from '../../../src/service/request/call.ts';
import { createVirtualTime, type VirtualTime } from '../../support/virtual-time.ts';

const PLAIN: CachePolicy = { ttl: 60, minRefresh: 20, staleWhileRevalidate: 0, staleIfError: 600 };
const STALE: CachePolicy = { ttl: 60, minRefresh: 20, staleWhileRevalidate: 300, staleIfError: 0 };
const UNTIL_DATA: CachePolicy = {
  ttl: 3600,
  check: 5,
  minRefresh: 2,
  staleWhileRevalidate: 0,
  staleIfError: 0,
};

/** What the endpoint in the path is. */
const ENDPOINTS: Readonly<Record<string, { policy: CachePolicy; shared?: SharedCaching; watched?: true }>> = {
  plain: { policy: PLAIN },
  stale: { policy: STALE },
  watched: { policy: UNTIL_DATA, watched: true },
  open: { policy: PLAIN, shared: PLAIN },
  'open-stale': { policy: STALE, shared: { staleWhileRevalidate: 300, staleIfError: 30 } },
  'open-watched': { policy: UNTIL_DATA, shared: UNTIL_DATA, watched: true },
  'open-for-a-time': { policy: PLAIN, shared: { staleWhileRevalidate: 0, staleIfError: 0 } },
};

let app: FastifyInstance;
let address = '';
let time: VirtualTime;
let reads: ReadThrough;
let watch: Watch;
let isDown: boolean;
/** Resolves the runs that wait. */
let release: (() => void) | undefined;
let isHeld: boolean;

const NOTHING_RAN = {
  successor: undefined,
  dialect: undefined,
  preferences: [],
  timing: { auth: 0, plan: 0, queue: 0, engine: 0, redact: 0, encode: 0 },
  read: undefined,
  summary: { resultRows: 0, elapsedNs: 0 },
} as const;
const ENGINE_FAILED = new Error('the engine failed');

async function run(): Promise<ReturnType<typeof payload>> {
  if (isDown) throw ENGINE_FAILED;
  if (isHeld) await new Promise<void>((resolve) => (release = resolve));
  return payload(`{"result":[]}`, 3000); // long enough to be compressed
}

async function respond(call: Call): Promise<Answer> {
  const { directives } = await call.read();
  const { policy, shared, watched } = ENDPOINTS[call.endpoint] ?? { policy: PLAIN };
  const job = { key: call.endpoint, policy, watch: watched === true ? watch : undefined, run };
  const ask: Ask = { ...job, directives, signal: () => new AbortController().signal };
  const found = await reads.read(ask);
  if (found.kind === 'absent') throw new Problem('cache.miss');
  return {
    ...found.entry,
    ...NOTHING_RAN,
    endpoint: { name: call.endpoint, revision: 'r1', version: undefined, deprecated: undefined },
    outcome: found.outcome,
    shared,
    replay: () => reads.peek(job),
    admitAgain: () => [],
  };
}

const unused = (): never => {
  throw new Error('this test does not use it');
};

beforeEach(async () => {
  time = createVirtualTime();
  const { clock, after } = time;
  [isDown, isHeld, release] = [false, false, undefined];
  const observe = (): void => undefined;
  watch = createWatch({ ask: async () => ({ value: 'same', at: momentOf(clock) }), clock });
  const store = createStore({
    memoryBytes: 2 ** 20,
    entryBytes: 2 ** 16,
    compressOver: 2 ** 20,
    remote: undefined,
    clock,
    observe,
  });
  const excusesStale = (cause: unknown): boolean => cause === ENGINE_FAILED;
  reads = createReadThrough({ store, clock, after, random: () => 0.5, observe, excusesStale });
  const options: ServerOptions = {
    respond,
    endStreams: () => undefined,
    explain: unused,
    list: unused,
    admitKey: unused,
    openapi: unused,
    texts: { llms: unused, guide: unused, endpoint: async () => undefined, count: unused },
    readiness: unused,
    fronts: [],
    answerForeign: () => false,
    disclosesCauses: false,
    compression: await createCompression(2 ** 20),
    slowClients: createSlowClients({ seconds: 60, bytes: 2 ** 20, after: realAfter, observe }),
    headerPrefix: 'SVC',
    corsOrigins: undefined,
    newId: () => 'id',
    observe,
    beginTrace: () => undefined,
    clientAddress: () => undefined,
    now: () => performance.now(),
    requestTimeout: 60,
    after: realAfter,
  };
  app = createServer(options);
  address = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  release?.();
  await app.close();
});

interface Got {
  readonly status: number;
  readonly isFast: boolean;
  readonly fields: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Init {
  readonly method?: string;
  readonly body?: string;
}

/** By Node's client: fetch would add `Cache-Control: no-cache` to conditional requests. */
function get(
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body }: Init = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(body.length) };
    const options = {
      method,
      agent: false,
      headers: { 'Accept-Encoding': 'identity', ...length, ...headers },
    };
    const sent = request(`${address}/api/endpoints/query/${path}`, options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        const { date: _date, 'server-timing': timing = '', ...fields } = response.headers;
        resolve({
          status: response.statusCode ?? 0,
          isFast: /^auth;dur=[\d.]+$/.test(String(timing)),
          fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])),
          text: Buffer.concat(parts).toString('latin1'),
        });
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Never remembered by the fast path. */
const ORDINARY = { 'Cache-Control': 'an-unknown-directive' };

const shown = ({ fields }: Got): readonly (string | undefined)[] => [
  fields['cache-control'],
  fields['age'],
  fields['cache-status'],
];

test('a client that has the response already gets the same 304 on the fast path as on the ordinary path', async () => {
  for (const [endpoint, coding] of [
    ['plain', 'identity'],
    ['open', 'gzip'],
  ] as const) {
    const accepted = { 'Accept-Encoding': coding };
    const { fields } = await get(endpoint, accepted);
    const known = { ...accepted, 'If-None-Match': `"other", W/${fields['etag']}` };
    const ordinary = await get(endpoint, { ...known, ...ORDINARY });
    const repeated = [await get(endpoint, known), await get(endpoint, known)];
    expect(ordinary).toMatchObject({ status: 304, isFast: false, text: '' });
    expect(repeated).toEqual([
      { ...ordinary, isFast: true },
      { ...ordinary, isFast: true },
    ]);
    const other = await get(endpoint, { ...accepted, 'If-None-Match': '"other"' });
    expect(other).toMatchObject({ status: 200, isFast: true });
  }
});

interface Row {
  readonly why: string;
  readonly endpoint: string;
  /** Seconds after the first call. */
  readonly after: number;
  readonly headers?: Record<string, string>;
  readonly expected: readonly (string | undefined)[];
}

describe('max-age is the whole lifetime, and Age says how much of it has passed', () => {
  test.each<Row>([
    {
      why: 'at once',
      endpoint: 'plain',
      after: 0,
      expected: ['private, max-age=60', '0', 'millrace; hit; ttl=60'],
    },
    {
      why: 'before half of it',
      endpoint: 'plain',
      after: 25,
      expected: ['private, max-age=60', '25', 'millrace; hit; ttl=35'],
    },
    {
      why: 'after half of it',
      endpoint: 'plain',
      after: 45,
      expected: ['private, max-age=60', '45', 'millrace; hit; ttl=15'],
    },
    {
      why: 'in its last second',
      endpoint: 'plain',
      after: 59.5,
      expected: ['private, max-age=60', '59', 'millrace; hit; ttl=0'],
    },
    {
      why: 'for no-cache within min_refresh',
      endpoint: 'plain',
      after: 15,
      headers: { 'Cache-Control': 'no-cache' },
      expected: ['private, max-age=60', '15', 'millrace; hit; ttl=45'],
    },
    {
      why: 'for no-cache after min_refresh',
      endpoint: 'plain',
      after: 25,
      headers: { 'Cache-Control': 'no-cache' },
      expected: ['private, max-age=60', '0', 'millrace; fwd=request; stored; ttl=60'],
    },
    {
      why: 'for max-age',
      endpoint: 'plain',
      after: 30,
      headers: { 'Cache-Control': 'max-age=40' },
      expected: ['private, max-age=60', '30', 'millrace; hit; ttl=30'],
    },
    {
      why: 'stale while revalidating',
      endpoint: 'stale',
      after: 75,
      expected: ['private, max-age=60', '75', 'millrace; hit; ttl=-15'],
    },
    {
      why: 'of checked data',
      endpoint: 'watched',
      after: 3,
      expected: ['private, max-age=5', '3', 'millrace; hit; ttl=2; detail=unchanged'],
    },
    {
      why: 'of data that is checked again',
      endpoint: 'watched',
      after: 100,
      expected: ['private, max-age=5', '0', 'millrace; hit; ttl=5; detail=unchanged'],
    },
    {
      why: 'of checked data near ttl, which no check prolongs',
      endpoint: 'watched',
      after: 3598,
      expected: ['private, max-age=5', '3', 'millrace; hit; ttl=2; detail=unchanged'],
    },
    {
      why: 'of open data',
      endpoint: 'open',
      after: 25,
      expected: ['public, max-age=60, s-maxage=60, stale-if-error=600', '25', 'millrace; hit; ttl=35'],
    },
    {
      why: 'of open data, stale',
      endpoint: 'open-stale',
      after: 75,
      expected: [
        'public, max-age=60, s-maxage=60, stale-while-revalidate=300, stale-if-error=30',
        '75',
        'millrace; hit; ttl=-15',
      ],
    },
    {
      why: 'of open data that is checked',
      endpoint: 'open-watched',
      after: 4,
      expected: ['public, max-age=5, s-maxage=5', '4', 'millrace; hit; ttl=1; detail=unchanged'],
    },
    {
      why: 'of open data without stale periods',
      endpoint: 'open-for-a-time',
      after: 59,
      expected: ['public, max-age=60, s-maxage=60', '59', 'millrace; hit; ttl=1'],
    },
  ])('$why ($endpoint)', async ({ endpoint, after, headers = {}, expected }) => {
    await get(endpoint); // by the ordinary path, which remembers it for the fast path
    await time.advance(after * 1000);
    isHeld = endpoint.includes('stale'); // what refreshes it behind these calls
    const ordinary = await get(endpoint, { ...ORDINARY, ...headers });
    expect(ordinary.isFast).toBe(false);
    if (headers['Cache-Control'] === undefined) {
      const fast = await get(endpoint);
      expect(shown(fast)).toEqual(expected);
      if (!endpoint.includes('stale')) expect(fast).toEqual({ ...ordinary, isFast: true });
      const unchanged = await get(endpoint, { 'If-None-Match': fast.fields['etag'] ?? '' });
      expect(withoutBody(unchanged)).toEqual({ ...withoutBody(fast), status: 304 });
    }
    expect(shown(ordinary)).toEqual(expected);
  });

  test('stale after a failure', async () => {
    await get('open');
    await time.advance(90_000);
    isDown = true;
    for (const headers of [{}, ORDINARY])
      expect(shown(await get('open', headers))).toEqual([
        'public, max-age=60, s-maxage=60, stale-if-error=600',
        '90',
        expect.stringMatching(/^millrace; (?:fwd=stale|hit); ttl=-30$/), // a hit while the key rests after the failure
      ]);
  });

  test('coalesced: of the time since the run began', async () => {
    isHeld = true;
    const first = get('plain');
    await expect.poll(() => release !== undefined).toBe(true);
    const second = get('plain', ORDINARY);
    await expect.poll(async () => (await countConnections()) > 1).toBe(true);
    await time.advance(7000);
    release?.();
    const [stored, collapsed] = await Promise.all([first, second]);
    expect([stored, collapsed].map(shown)).toEqual([
      ['private, max-age=60', '7', 'millrace; fwd=uri-miss; stored; ttl=53'],
      [
        'private, max-age=60',
        '7',
        expect.stringMatching(/^millrace; (?:fwd=uri-miss; collapsed|hit); ttl=53$/),
      ],
    ]);
  });
});

const countConnections = (): Promise<number> =>
  new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );

/** A 304 has the fields of the 200, but for those of the body. */
function withoutBody({ status, fields }: Got): Omit<Got, 'text' | 'isFast'> {
  const { 'content-type': _type, 'content-length': _length, 'content-encoding': _coding, ...rest } = fields;
  const { connection: _connection, 'keep-alive': _keepAlive, ...lasting } = rest;
  return { status, fields: lasting };
}

describe('entity tags in a coding', () => {
  const codings = ['zstd', 'br', 'gzip', 'deflate', 'identity'];

  test.each(codings)('a 304 has the tag that a 200 has in %s', async (coding) => {
    const accept = { 'Accept-Encoding': coding };
    await get('plain', accept);
    for (let times = 0; times < 2; times++) {
      const whole = await get('plain', accept);
      const tag = whole.fields['etag'] ?? '';
      expect([whole.status, tag.endsWith(`-${coding}"`)]).toEqual([200, coding !== 'identity']);
      for (const condition of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const unchanged = await get('plain', { ...accept, 'If-None-Match': condition });
        expect([unchanged.status, unchanged.text]).toEqual([304, '']);
        expect(withoutBody(unchanged)).toEqual({ ...withoutBody(whole), status: 304 });
      }
      const head = await get('plain', { ...accept, 'If-None-Match': tag }, { method: 'HEAD' });
      expect([head.status, head.fields['etag']]).toEqual([304, tag]);
    }
  });

  test.each(codings)('the tag of %s is that of no other coding, for shared caches', async (coding) => {
    const { fields } = await get('open', { 'Accept-Encoding': coding });
    for (const other of codings.filter((each) => each !== coding)) {
      const condition = { 'If-None-Match': fields['etag'] ?? '' };
      const whole = await get('open', { 'Accept-Encoding': other, ...condition });
      expect([whole.status, whole.fields['etag'] === fields['etag']]).toEqual([200, false]);
    }
  });

  test.each(codings)('a client with %s has the content of the others', async (coding) => {
    const { fields } = await get('plain', { 'Accept-Encoding': coding });
    for (const other of codings) {
      const accept = { 'Accept-Encoding': other };
      const unchanged = await get('plain', { ...accept, 'If-None-Match': fields['etag'] ?? '' });
      const { etag } = (await get('plain', accept)).fields;
      expect([unchanged.status, unchanged.fields['etag']]).toEqual([304, etag]);
    }
  });

  test('of several tags, the one of the coding counts', async () => {
    const [gzip, br] = [
      await get('open', { 'Accept-Encoding': 'gzip' }),
      await get('open', { 'Accept-Encoding': 'br' }),
    ];
    const condition = `${gzip.fields['etag']}, ${br.fields['etag']}`;
    const unchanged = await get('open', { 'Accept-Encoding': 'br', 'If-None-Match': condition });
    expect([unchanged.status, unchanged.fields['etag']]).toEqual([304, br.fields['etag']]);
  });
});

describe('what shared caches may store', () => {
  test('no answer to a request with a body, which they do not see', async () => {
    for (const init of [
      { method: 'POST', body: '{}' },
      { method: 'QUERY', body: '{}' },
      { method: 'POST' },
      { method: 'GET', body: '{}' },
    ]) {
      const answer = await get('open', { 'Content-Type': 'application/json' }, init);
      expect([init.method, answer.fields['cache-control']]).toEqual([init.method, 'private, max-age=60']);
    }
    for (const method of ['GET', 'HEAD'])
      expect((await get('open', {}, { method })).fields['cache-control']).toMatch(/^public/);
  });

  test('they tell responses apart by everything that changes one', async () => {
    const { fields } = await get('open');
    expect(fields['vary']?.split(', ')).toEqual(
      expect.arrayContaining([
        'Accept',
        'Accept-Encoding',
        'Prefer',
        'Authorization',
        'X-API-KEY',
        'SVC-ENDPOINT-REDACT-PII',
        'SVC-ENDPOINT-ROLLUPS',
      ]),
    );
  });
});
