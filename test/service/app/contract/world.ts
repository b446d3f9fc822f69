// The service that the contract is tested on: endpoints and keys of every kind, and third-party clients.
import { execFile } from 'node:child_process';
import { expect } from 'vitest';
import { hashKey } from '../../../../src/service/auth/keyring.ts';
import { startGate, type Gate } from '../../../support/gate.ts';
import { startService, writeEndpoint, type TestService } from '../../../support/service.ts';

export interface World {
  readonly service: TestService;
  /** Where queries of the endpoint `gated` wait. */
  readonly gate: Gate;
  /** An endpoint called with fetch and the key for everything. */
  readonly query: (path: string, init?: RequestInit) => Promise<Response>;
  readonly json: (path: string, init?: RequestInit) => Promise<Json>;
  /** curl, as people use it: its output. */
  readonly curl: (path: string, ...args: readonly string[]) => Promise<string>;
}

export type Json = Record<string, unknown>;
/** What shows that a sentence holds; throws where it does not. */
export type Checks = Readonly<Record<string, (world: World) => Promise<unknown>>>;

const ENDPOINTS = {
  plain: `query: |
  SELECT @n AS n, @text AS text
parameters: { n: { type: UInt16, default: 7, max: 100 }, text: { type: String } }`,
  strict: `query: SELECT @project AS project, @limit AS limit
parameters: { project: { type: String, required: true }, limit: { type: UInt8, required: true } }`,
  lists: `query: SELECT @ids AS ids, @at AS at
parameters: { ids: { type: Array(UInt8), default: [] }, at: { type: DateTime64(6) } }`,
  lenient: `query: SELECT @n AS n
parameters: { n: { type: UInt8, default: 1 } }
unknown_parameters: ignore`,
  values: `query: |
  SELECT toDateTime64('2024-03-01 12:00:00.123456', 6, 'UTC') AS at, 9007199254740993 AS large, nan AS nothing,
    '{"a": {"b": [1]}}'::JSON AS metadata, 'ann@example.com' AS mail, 'a "quoted", text' AS text, number AS n
  FROM numbers(@rows)
parameters: { rows: { type: UInt16, default: 2 } }
max_rows: 3`,
  shaped: `query: |
  SELECT toDateTime64('2024-03-01 12:00:00.123456', 6, 'UTC') AS timestamp, toDate('2024-03-01') AS day,
    CAST(('/a', ['x', 'y'], [(1, toDateTime(5, 'UTC'))]), 'Tuple(path String, list Array(String), items Array(Tuple(n UInt8, at DateTime(\\'UTC\\'))))') AS request,
    '{"request": {"path": "/", "sizes": [1], "log": [{"level": {"name": "info"}}]}}'::JSON AS metadata,
    map('k', 1) AS counts, NULL::Nullable(DateTime) AS nothing, 18446744073709551615 AS large
result_shape: bigquery
cache: { ttl: 600 }`,
  floats: `query: SELECT nan AS n, 1 / 0 AS up, [-1 / 0] AS down, NULL::Nullable(Float64) AS none\ncache: { ttl: 600 }`,
  strings: 'query: SELECT 9007199254740993 AS large\nint64: string',
  kept: 'query: SELECT generateUUIDv4() AS run\ncache: { ttl: 600, min_refresh: 0 }',
  'kept-long': 'query: SELECT generateUUIDv4() AS run\ncache: { ttl: 600, min_refresh: 600 }',
  'kept-large': `query: SELECT repeat('abc', 1000) AS text\ncache: { ttl: 600 }`,
  open: 'query: SELECT 1 AS n\ncache: { ttl: 600, stale_if_error: 60, public: true }',
  'kept-rows': `query: SELECT 'ann@example.com' AS mail, number AS n FROM numbers(5)\nmax_rows: 3\ncache: { ttl: 60 }`,
  wide: `query: SELECT repeat('a text that repeats itself ', 100) AS text`,
  large: `query: SELECT randomPrintableASCII(2000) AS text FROM numbers(8000)\nmax_rows: 10000\nlimits: { memory: 1GiB }`,
  fails: `query: SELECT throwIf(number = 5000, 'secret-of-the-query') AS n FROM numbers(9000) SETTINGS max_block_size = 100\nmax_rows: 10000`,
  tables: `query: |
  WITH t AS (SELECT number AS n, 'one' AS name FROM numbers(3)) SELECT n FROM t
sandbox: { enabled: true }`,
  dialects: `query: |
  WITH t AS (SELECT number AS n FROM numbers(1)) SELECT n FROM t
sandbox: { enabled: true, dialects: [clickhouse, bigquery] }`,
  slow: 'query: SELECT sleep(3) AS slept\nlimits: { time: 1 }',
  followed: 'query: SELECT 1 AS n\nlive: { every: 60 }',
  'numbered.1': `query: SELECT 1 AS n\nversion: 1\ndeprecated: { since: 2026-01-01, sunset: 2030-01-01 }`,
  'numbered.2': 'query: SELECT 2 AS n\nversion: 2',
  'kept-numbers': 'query: SELECT sum(number) AS n FROM numbers(1000)\ncache: { ttl: 600 }',
  waits: 'query: SELECT sleepEachRow(1.5) AS slept FROM numbers(2)\nlimits: { concurrency: 1, queue: 1 }',
} as const;

export async function openWorld(): Promise<World> {
  const tokens = [
    { name: 'tenant', sha256: hashKey('tenant'), endpoints: ['strict'], parameters: { project: 'mine' } },
    { name: 'budgeted', sha256: hashKey('budgeted'), endpoints: ['*'], budget: { time: '600s/h' } },
    { name: 'spent', sha256: hashKey('spent'), endpoints: ['*'], budget: { read: '1KiB/day' } },
    { name: 'rated', sha256: hashKey('rated'), endpoints: ['plain'], rate: '2/h' },
    { name: 'author', sha256: hashKey('author'), endpoints: ['*'], statements: true },
    { name: 'shaped', sha256: hashKey('shaped'), endpoints: ['*'], result_shape: 'bigquery' as const },
    { name: 'redacted', sha256: hashKey('redacted'), endpoints: ['*'], pii: 'redact' as const },
  ];
  const service = await startService({ tokens, settings: { sendTimeout: 1 } });
  const gate = await startGate();
  const gated = `query: SELECT passed FROM ${gate.table}\nlimits: { concurrency: 1, queue: 1 }`;
  for (const [index, [name, text]] of Object.entries({ ...ENDPOINTS, gated }).entries()) {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, 'a')}`;
    await writeEndpoint(service, name, `id: ${id}\nname: ${name.replace(/[.]\d$/, '')}\n${text}\n`);
  }
  await service.service.reload();
  const query = (path: string, init?: RequestInit): Promise<Response> =>
    service.call(`/api/endpoints/query/${path}`, init);
  return {
    service,
    gate,
    query,
    json: async (path, init) => (await (await query(path, init)).json()) as Json,
    curl: (path, ...args) =>
      new Promise((resolve, reject) => {
        const url = `${service.service.address}${path}`;
        const all = ['-sS', '-H', 'X-API-KEY: a-key-for-everything', ...args, url];
        execFile('curl', all, { encoding: 'utf8' }, (error, out) =>
          error === null ? resolve(out) : reject(error),
        );
      }),
  };
}

/** A problem of this status and code, whole. */
export function problem(status: number, code: string | RegExp): Json {
  return {
    status,
    code: typeof code === 'string' ? code : expect.stringMatching(code),
    type: expect.stringMatching(/^\/problems\//),
    title: expect.any(String),
    detail: expect.any(String),
    hint: expect.any(String),
    instance: expect.stringMatching(/\S/),
  };
}
