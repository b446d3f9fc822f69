// Formats, read by third-party readers.
import { tableFromIPC } from 'apache-arrow';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects, parquetSchema, parquetMetadata } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { expect } from 'vitest';
import { FORMATS } from '../../../../src/service/formats/formats.ts';
import { problem, type Checks } from './world.ts';

const NAMES = Object.keys(FORMATS);

export const FORMATTED: Checks = {
  'The format is that of `format`, otherwise the preferred one of `Accept`, otherwise JSON.': async ({
    query,
  }) => {
    const type = async (path: string, accept = '*/*'): Promise<string | undefined> =>
      (await query(path, { headers: { Accept: accept } })).headers.get('content-type')?.split(';')[0];
    expect(await type('plain?format=csv', 'application/json')).toBe('text/csv');
    expect(await type('plain', 'text/csv;q=0.5, application/x-ndjson')).toBe('application/x-ndjson');
    expect(await type('plain')).toBe('application/json');
  },
  'Parameters of a media range in `Accept` exclude no format, unless its `Content-Type` has that parameter with another value.':
    async ({ query }) => {
      const accepting = (accept: string): Promise<Response> =>
        query('plain', { headers: { Accept: accept } });
      for (const [name, { contentType }] of Object.entries(FORMATS)) {
        expect([name, (await accepting(contentType)).headers.get('content-type')]).toEqual([
          name,
          contentType,
        ]);
        const [type = ''] = contentType.split(';');
        expect((await accepting(`${type}; version="1;2,3"`)).headers.get('content-type')).toBe(contentType);
      }
      expect((await accepting('text/csv; header=absent')).status).toBe(406);
      expect((await accepting('application/json; charset=iso-8859-1')).status).toBe(406);
    },
  'An unsupported format is rejected with 406.': async ({ json }) => {
    expect(await json('plain?format=xml')).toMatchObject(problem(406, 'format.not_acceptable'));
    expect(await json('plain', { headers: { Accept: 'image/png' } })).toMatchObject(
      problem(406, 'format.not_acceptable'),
    );
  },
  'An `Accept` longer than 500 characters is rejected with 406; with `format`, `Accept` is ignored.': async ({
    json,
    query,
  }) => {
    const init = { headers: { Accept: `*/*, ${'a/b,'.repeat(125)}` } };
    expect(await json('plain', init)).toMatchObject(problem(406, 'format.not_acceptable'));
    expect((await query('plain?format=json', init)).status).toBe(200);
  },
  'NDJSON is one JSON object per line, and nothing else.': async ({ query }) => {
    const lines = (await (await query('values?format=ndjson')).text()).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual([0, 1]);
  },
  'CSV follows RFC 4180, with a header line.': async ({ query }) => {
    const rows: unknown = parse(await (await query('values?format=csv&rows=1')).text(), { columns: true });
    expect(rows).toEqual([
      {
        at: '2024-03-01T12:00:00.123456Z',
        large: '9007199254740993',
        nothing: '',
        metadata: '{"a":{"b":[1]}}',
        mail: 'ann@example.com',
        text: 'a "quoted", text',
        n: '0',
      },
    ]);
  },
  'Parquet is a valid Parquet file with typed columns.': async ({ query }) => {
    const file = await (await query('values?format=parquet')).arrayBuffer();
    const types = parquetSchema(parquetMetadata(file)).children.map(({ element }) => [
      element.name,
      element.type,
    ]);
    expect(types).toEqual(
      expect.arrayContaining([
        ['large', 'INT64'],
        ['nothing', 'DOUBLE'],
        ['text', 'BYTE_ARRAY'],
      ]),
    );
    const rows = await parquetReadObjects({ file, compressors });
    expect(rows).toMatchObject([
      { large: 9_007_199_254_740_993n, text: 'a "quoted", text', nothing: null },
      { n: 1n },
    ]);
    expect(rows.map(({ at }) => (at as Date).toISOString().slice(0, 23))).toContain(
      '2024-03-01T12:00:00.123',
    ); // a Date has milliseconds
  },
  'Arrow is a valid Arrow IPC file with typed columns.': async ({ query }) => {
    const response = await query('values?format=arrow');
    const table = tableFromIPC(new Uint8Array(await response.arrayBuffer()));
    expect(table.schema.fields.map(({ name, type }) => `${name} ${String(type)}`)).toEqual(
      expect.arrayContaining(['large Uint64', 'nothing Float64', 'at Timestamp<MICROSECOND, UTC>']),
    );
    expect([table.numRows, table.get(0)?.['large'], table.get(1)?.['n']]).toEqual([
      2,
      9_007_199_254_740_993n,
      1n,
    ]);
  },
  'Truncation, redaction and caching work the same in every format.': async ({ query }) => {
    for (const format of NAMES) {
      const headers = { 'SVC-ENDPOINT-REDACT-PII': 'true' };
      const first = await query(`kept-rows?format=${format}`, { headers });
      const again = await query(`kept-rows?format=${format}`, { headers });
      expect([format, first.status, first.headers.get('millrace-truncated')]).toEqual([format, 200, 'true']);
      expect(again.headers.get('cache-status')).toContain('hit');
      const bytes = Buffer.from(await again.arrayBuffer());
      expect(bytes.equals(Buffer.from(await first.arrayBuffer()))).toBe(true);
      expect(bytes.includes('ann@example.com')).toBe(false);
    }
  },
  'A query that fails partway through its rows returns a problem document in every format.': async ({
    query,
    curl,
  }) => {
    for (const format of NAMES) {
      const response = await query(`fails?format=${format}`);
      expect(response.headers.get('content-type')).toContain('application/problem+json');
      expect(await response.json()).toMatchObject(problem(500, 'endpoint.failed'));
      const out = await curl(
        `/api/endpoints/query/fails?format=${format}`,
        '-o',
        '/dev/null',
        '-w',
        '%{http_code} %{errormsg}',
      );
      expect(out.trim()).toBe('500');
    }
  },
};
