// The front used in tests of the remote engine rejects what a ClickHouse server rejects, in the same form.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClickHouseFront } from '../../support/clickhouse-front/front.ts';
import type { ClickHouseFront } from '../../support/clickhouse-front/front.ts';
import { eventually } from '../../support/eventually.ts';

const folder = await mkdtemp(join(tmpdir(), 'millrace-front-'));
let front: ClickHouseFront;

beforeAll(async () => {
  front = await openClickHouseFront({
    path: join(folder, 'data'),
    users: { default: { password: '', profile: [] }, reader: { password: 'r', profile: ['--readonly=1'] } },
  });
  await ask('', 'CREATE TABLE t (id UInt8, name String) ENGINE = MergeTree ORDER BY id');
});
afterAll(async () => {
  await front.close();
  await rm(folder, { recursive: true });
});

interface Reply {
  readonly status: number;
  readonly code: string | null;
  readonly body: string;
  readonly headers: Headers;
}

async function ask(
  search: string,
  body: string | Uint8Array<ArrayBuffer> | FormData,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(`${front.url}/?${search}`, { method: 'POST', body, headers });
  const code = response.headers.get('X-ClickHouse-Exception-Code');
  return { status: response.status, code, body: await response.text(), headers: response.headers };
}

describe('rejected', () => {
  it.each([
    { why: 'an unknown setting', search: 'max_threadz=1', body: 'SELECT 1', status: 404, code: '115' },
    {
      why: 'a value that a setting cannot have',
      search: 'max_threads=x',
      body: 'SELECT 1',
      status: 400,
      code: '27',
    },
    { why: 'several statements', search: '', body: 'SELECT 1; SELECT 2', status: 400, code: '62' },
    { why: 'an expression that is no statement', search: '', body: '1 + 1', status: 400, code: '62' },
    { why: 'a wrong password', search: 'user=reader&password=x', body: 'SELECT 1', status: 403, code: '516' },
    {
      why: 'a setting of a read-only user',
      search: 'user=reader&password=r&max_threads=1',
      body: 'SELECT 1',
      status: 500,
      code: '164',
    },
    {
      why: 'writing by a read-only user',
      search: 'user=reader&password=r',
      body: "INSERT INTO t VALUES (1, 'a')",
      status: 500,
      code: '164',
    },
    {
      why: 'rows that are not of their format',
      search: 'query=INSERT INTO t FORMAT JSONEachRow',
      body: '{"id":',
      status: 500,
      code: '32',
    },
    { why: 'a missing parameter', search: '', body: 'SELECT {x:UInt8}', status: 500, code: '456' },
  ])('$why: code $code', async ({ search, body, status, code }) => {
    expect(await ask(search, body)).toMatchObject({ status, code });
  });

  it.each([
    { why: 'a second query with the id of a running one', search: 'query_id=one', code: '216' },
    { why: 'a session that another request uses', search: 'session_id=one', code: '373' },
  ])('$why: code $code', async ({ search, code }) => {
    const endless = new AbortController();
    const body = 'SELECT count() FROM system.numbers';
    const first = fetch(`${front.url}/?${search}`, { method: 'POST', body, signal: endless.signal });
    const ended = first.then(() => 'answered', String);
    await eventually(async () => expect(await ask(search, 'SELECT 1')).toMatchObject({ code }));
    endless.abort();
    expect(await ended).toContain('AbortError');
  });
});

describe('accepted', () => {
  it.each([
    {
      why: 'rows in the body, the statement in the URL',
      search: 'query=INSERT INTO t FORMAT CSV',
      body: '1,one\n2,two\n',
    },
    { why: 'rows after the statement', search: '', body: 'INSERT INTO t FORMAT TSV\n1\tone\n2\ttwo\n' },
    { why: 'values', search: 'query=INSERT INTO t VALUES', body: "(1, 'one'), (2, 'two')" },
    {
      why: 'binary rows',
      search: 'query=INSERT INTO t FORMAT RowBinary',
      body: Buffer.from('\x01\x03one\x02\x03two', 'latin1'),
    },
    {
      why: 'compressed rows',
      search: 'query=INSERT INTO t FORMAT CSV',
      body: gzipSync('1,one\n2,two\n'),
      coding: 'gzip',
    },
  ])('$why', async ({ search, body, coding }) => {
    const inserted = await ask(search, body, coding === undefined ? {} : { 'Content-Encoding': coding });
    expect(inserted).toMatchObject({ status: 200, code: null });
    expect((await ask('', 'SELECT * FROM t ORDER BY id FORMAT TSV')).body).toBe('1\tone\n2\ttwo\n');
    await ask('', 'TRUNCATE TABLE t');
  });

  it('an INSERT without rows', async () => {
    expect(await ask('query=INSERT INTO t FORMAT JSONEachRow', '')).toMatchObject({ status: 200 });
  });

  it('parameters of a multipart body', async () => {
    const form = new FormData();
    form.set('query', 'SELECT {x:UInt8} + 1');
    form.set('param_x', '41');
    expect((await ask('', form)).body).toBe('42\n');
  });
});

it('states format, type and cost of the rows', async () => {
  const { headers } = await ask('', 'SELECT number FROM numbers(7) FORMAT CSVWithNames');
  expect(headers.get('Content-Type')).toBe('text/csv; charset=UTF-8; header=present');
  expect(headers.get('X-ClickHouse-Format')).toBe('CSVWithNames');
  expect(JSON.parse(headers.get('X-ClickHouse-Summary') ?? '')).toMatchObject({ read_rows: '7' });
});

it('compresses errors as it compresses rows', async () => {
  const url = `${front.url}/?enable_http_compression=1&query=SELECT+nothing_here`;
  const { request } = await import('node:http');
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const call = request(url, { method: 'POST', headers: { 'Accept-Encoding': 'gzip' } }, (response) => {
      const parts: Buffer[] = [];
      response
        .on('data', (part: Buffer) => parts.push(part))
        .once('end', () => resolve(Buffer.concat(parts)));
    });
    call.once('error', reject).end();
  });
  expect(gunzipSync(bytes).toString()).toContain('UNKNOWN_IDENTIFIER');
});
