// Every format through the whole service: negotiated, named, truncated, redacted, cached.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAll } from '../../../src/service/engine/rows.ts';
import { FORMATS } from '../../../src/service/formats/formats.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

let service: TestService;
const id = (n: number): string => `id: 00000000-0000-4000-8000-0000000000${n}\n`;
const COLUMNS = `number AS n, toUInt64(18446744073709551615) AS big, if(number = 1, nan, 0.5) AS f, toDateTime64('2024-03-01 12:00:00.123456', 6, 'UTC') AS at,
  toIPv4('203.0.113.9') AS ip, 'ann@example.com' AS mail, '{"a": {"b": [1, "x"]}}'::JSON AS metadata, [toIPv4('203.0.113.9')] AS ips, CAST(NULL AS Nullable(String)) AS nothing`;

beforeAll(async () => {
  service = await startService();
  await writeEndpoint(
    service,
    'rows',
    `${id(91)}name: rows\nquery: |\n  WITH t AS (SELECT ${COLUMNS} FROM numbers(5)) SELECT * FROM t WHERE n < @n ORDER BY n\nparameters: { n: { type: UInt8, default: 5 } }\nsandbox: { enabled: true }\nmax_rows: 3\n`,
  );
  await writeEndpoint(
    service,
    'kept',
    `${id(92)}name: kept\nquery: SELECT number AS n, 'ann@example.com' AS mail, generateUUIDv4() AS run FROM numbers(2)\ncache: { ttl: 60 }\npii: { redact: false, columns: { n: mask, run: drop } }\n`,
  );
  await service.service.reload();
});
afterAll(() => service.stop());

const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  service.call(`/api/endpoints/query/${path}`, { headers });
/** A file of columns read again by the engine. */
async function read(
  body: ArrayBuffer,
  format: 'Parquet' | 'Arrow',
): Promise<{ rows: Record<string, unknown>[]; types: string[] }> {
  const bytes = `unhex('${Buffer.from(body).toString('hex')}')`;
  const limits = { time: 5, memory: 2 ** 30, readRows: 0, resultBytes: 2 ** 24 };
  const statement = {
    sql: `SELECT * FROM (SELECT * FROM format(${format}, ${bytes})) LIMIT 100`,
    parameters: {},
    limits,
    origin: 'saved',
    int64: 'string',
  } as const;
  const { chunks } = await service.engine.run(statement, { format: 'JSONEachRow' });
  const lines = Buffer.from(await readAll(chunks))
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  const types = (await service.engine.describe(statement)).map(({ name, type }) => `${name} ${type}`);
  return { rows: lines.map((line) => JSON.parse(line) as Record<string, unknown>), types };
}

describe('negotiation', () => {
  test.each<{ why: string; query?: string; accept?: string; type: string }>([
    { why: 'no preference', type: 'application/json' },
    { why: 'a parameter', query: '?format=csv', type: 'text/csv' },
    {
      why: 'a parameter wins over Accept',
      query: '?format=ndjson',
      accept: 'text/csv',
      type: 'application/x-ndjson',
    },
    { why: 'Accept', accept: 'text/csv', type: 'text/csv' },
    {
      why: 'the preferred type in Accept',
      accept: 'text/csv;q=0.5, application/vnd.apache.parquet;q=0.9',
      type: 'application/vnd.apache.parquet',
    },
    { why: 'a wildcard', accept: '*/*', type: 'application/json' },
    { why: 'a trailing wildcard', accept: 'text/csv, */*;q=0.1', type: 'text/csv' },
    { why: 'another name for it', accept: 'application/jsonl', type: 'application/x-ndjson' },
    {
      why: "a browser's",
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      type: 'application/json',
    },
    { why: 'no format is rejected', accept: 'application/json;q=0, text/csv', type: 'text/csv' },
    { why: 'arrow', query: '?format=arrow', type: 'application/vnd.apache.arrow.file' },
  ])('$why', async ({ query = '', accept, type }) => {
    const response = await ask(`rows${query}`, accept === undefined ? {} : { Accept: accept });
    expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([200, type]);
  });

  test.each<{ why: string; query?: string; accept?: string }>([
    { why: 'an unknown name', query: '?format=xml' },
    { why: 'a name of the language', query: '?format=constructor' },
    { why: 'an unsupported type', accept: 'image/png' },
    { why: 'everything excluded', accept: '*/*;q=0' },
  ])('406: $why', async ({ query = '', accept }) => {
    const response = await ask(`rows${query}`, accept === undefined ? {} : { Accept: accept });
    expect([response.status, await response.json()]).toMatchObject([406, { code: 'format.not_acceptable' }]);
  });
});

describe('rows', () => {
  test('as lines', async () => {
    const response = await ask('rows?format=ndjson');
    const lines = (await response.text()).split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(
      /^\{"n":0,"big":18446744073709551615,"f":0.5,"at":"2024-03-01T12:00:00.123456Z"/,
    );
    expect(response.headers.get('millrace-truncated')).toBe('true');
  });

  test('as CSV', async () => {
    const text = await (await ask('rows?format=csv&n=2')).text();
    expect(text.split('\r\n')).toEqual([
      'n,big,f,at,ip,mail,metadata,ips,nothing',
      '0,18446744073709551615,0.5,2024-03-01T12:00:00.123456Z,203.0.113.9,ann@example.com,"{""a"":{""b"":[1,""x""]}}","[""203.0.113.9""]",',
      '1,18446744073709551615,,2024-03-01T12:00:00.123456Z,203.0.113.9,ann@example.com,"{""a"":{""b"":[1,""x""]}}","[""203.0.113.9""]",',
      '',
    ]);
  });

  test.each(['Parquet', 'Arrow'] as const)(
    'as %s, with their types, truncated like all others',
    async (format) => {
      const response = await ask(`rows?format=${format.toLowerCase()}`);
      const { rows, types } = await read(await response.arrayBuffer(), format);
      expect([rows.length, response.headers.get('millrace-truncated')]).toEqual([3, 'true']);
      expect(rows[1]).toMatchObject({
        n: '1',
        big: '18446744073709551615',
        f: null,
        mail: 'ann@example.com',
        nothing: null,
      });
      expect(String(rows[0]?.['at'])).toContain('2024-03-01T12:00:00.123456Z');
      expect(JSON.parse(String(rows[0]?.['metadata']))).toEqual({ a: { b: [1, 'x'] } });
      expect(types).toContain('f Nullable(Float64)');
    },
  );

  test.each(Object.keys(FORMATS))('none, as %s', async (format) => {
    const response = await ask(`rows?n=0&format=${format}`);
    const body = Buffer.from(await response.arrayBuffer());
    expect([response.status, response.headers.get('millrace-truncated')]).toEqual([200, null]);
    if (format === 'csv') expect(body.toString()).toBe('n,big,f,at,ip,mail,metadata,ips,nothing\r\n');
    if (format === 'ndjson') expect(body.length).toBe(0);
  });

  test.each(['Parquet', 'Arrow'] as const)('of consumer queries, as %s', async (format) => {
    const response = await ask(
      `rows?format=${format.toLowerCase()}&sql=${encodeURIComponent('SELECT n * 2 AS twice FROM t LIMIT 2')}`,
    );
    expect((await read(await response.arrayBuffer(), format)).rows).toEqual([{ twice: '0' }, { twice: '2' }]);
  });
});

describe('redaction', () => {
  const REDACT = { 'SVC-ENDPOINT-REDACT-PII': 'true' };
  test.each(Object.keys(FORMATS))('holds in %s, native addresses too', async (format) => {
    const body = Buffer.from(await (await ask(`rows?format=${format}`, REDACT)).arrayBuffer());
    const found = ['ann@example.com', '203.0.113.9'].some((each) => body.includes(each));
    expect([body.length > 0, found]).toEqual([true, false]);
  });

  test('columns by name are removed or masked in columnar files', async () => {
    const { rows, types } = await read(
      await (await ask('kept?format=parquet', REDACT)).arrayBuffer(),
      'Parquet',
    );
    expect(rows).toEqual([
      { n: 'REDACTED', mail: 'REDACTED' },
      { n: 'REDACTED', mail: 'REDACTED' },
    ]);
    expect(types).toEqual(['n Nullable(String)', 'mail String']);
  });
});

test.each([
  { why: 'a saved query', path: 'rows' },
  { why: 'SQL', path: `rows?sql=${encodeURIComponent('SELECT f FROM t')}` },
  { why: 'LQL', path: 'rows?lql=s:f' },
])('NaN is a string if the caller prefers that: $why', async ({ path }) => {
  const floats = async (prefer: string): Promise<unknown> => {
    const { result } = (await (await ask(path, { Prefer: prefer })).json()) as {
      result: readonly { f: unknown }[];
    };
    return result.map(({ f }) => f);
  };
  expect(await floats('non-finite=string')).toContain('nan');
  expect(await floats('metadata')).toContain(null);
});

describe("the shape of BigQuery's results", () => {
  const sql =
    'SELECT at, (n, tuple(at))::Tuple(n UInt8, o Tuple(at DateTime64(3))) AS record, mail FROM t ORDER BY n';
  test.each([
    {
      why: 'the saved query',
      path: 'rows?n=1',
      row: { at: 1709294400123456, metadata: [{ a: [{ b: [1, 'x'] }] }] },
    },
    {
      why: 'consumer SQL',
      path: `rows?n=1&sql=${encodeURIComponent(sql)}`,
      row: { at: 1709294400123456, record: [{ n: 0, o: [{ at: 1709294400123000 }] }], mail: 'REDACTED' },
    },
    {
      why: 'LQL',
      path: 'rows?n=1&lql=s:at%20s:metadata',
      row: { at: 1709294400123456, metadata: [{ a: [{ b: [1, 'x'] }] }] },
    },
    { why: 'no rows', path: 'rows?n=0', row: undefined },
  ])('$why', async ({ path, row }) => {
    const response = await ask(path, { Prefer: 'result-shape=bigquery', 'SVC-ENDPOINT-REDACT-PII': 'true' });
    const { result } = (await response.json()) as { result: unknown[] };
    expect(result[0]).toEqual(row && expect.objectContaining(row));
  });
});

test('each format is cached separately', async () => {
  const formats = Object.keys(FORMATS);
  const bodies = await Promise.all(
    formats.map(async (format) => Buffer.from(await (await ask(`kept?format=${format}`)).arrayBuffer())),
  );
  for (const [index, format] of formats.entries()) {
    for (let times = 0; times < 2; times++) {
      const again = await ask(`kept?format=${format}`);
      expect(again.headers.get('cache-status')).toContain('hit');
      expect(Buffer.from(await again.arrayBuffer()).equals(bodies[index] ?? Buffer.alloc(0))).toBe(true);
    }
  }
});
