// Rows of megabytes, which threads transform: the same responses as for short rows.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

/** Of the texts of the row: together more than two megabytes. */
const TIMES = 60_000;
const REPEATED = 'from u1@ex.com, "10.0.0.1"; ';
const REDACTED = 'from REDACTED, "REDACTED"; ';
const REDACT = { 'SVC-ENDPOINT-REDACT-PII': 'true' };

let service: TestService;
beforeAll(async () => {
  service = await startService();
  const row = `tuple(repeat('${REPEATED}', ${TIMES})) AS long, ['a@b.example'] AS list, number AS n`;
  const query = `SELECT ${row} FROM numbers(3)`;
  const long = (id: number, name: string, more: string): Promise<unknown> =>
    writeEndpoint(
      service,
      name,
      `id: 00000000-0000-4000-8000-0000000000${id}\nname: ${name}\nquery: |\n  ${query}\n${more}`,
    );
  await long(61, 'long', 'pii: { redact: false, detectors: [ip, email] }\nmax_rows: 2\n');
  await long(62, 'paged', 'page: { by: [n], size: 2 }\n');
  await long(63, 'dropped', 'pii: { redact: true, columns: { long: drop } }\n');
  await writeEndpoint(
    service,
    'open',
    'id: 00000000-0000-4000-8000-000000000064\nname: open\nquery: WITH logs AS (SELECT 1 AS n) SELECT n FROM logs\nsandbox: { enabled: true }\n',
  );
  await service.service.reload();
});
afterAll(() => service.stop());

const ask = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  service.call(`/api/endpoints/query/${path}`, { headers });
const rowsOf = async (response: Promise<Response>): Promise<readonly Record<string, unknown>[]> => {
  const { result } = (await (await response).json()) as { result: Record<string, unknown>[] }; // our own envelope
  return result;
};
const rowsWith = (text: string, list: string) =>
  [0, 1].map((n) => ({ long: [text.repeat(TIMES)], list: [list], n }));

describe('long rows', () => {
  test('as they are, and redacted', async () => {
    expect(await rowsOf(ask('long'))).toEqual(rowsWith(REPEATED, 'a@b.example'));
    expect(await rowsOf(ask('long', REDACT))).toEqual(rowsWith(REDACTED, 'REDACTED'));
  });

  test('in the shape of BigQuery', async () => {
    const headers = { ...REDACT, Prefer: 'result-shape=bigquery' };
    expect(await rowsOf(ask('long', headers))).toEqual(rowsWith(REDACTED, 'REDACTED'));
  });

  test('as NDJSON and CSV', async () => {
    const lines = (await (await ask('long?format=ndjson', REDACT)).text()).trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(rowsWith(REDACTED, 'REDACTED'));
    const csv = await (await ask('long?format=csv', REDACT)).text();
    const long = JSON.stringify([REDACTED.repeat(TIMES)]).replaceAll('"', '""');
    expect(csv).toBe(`long,list,n\r\n${[0, 1].map((n) => `"${long}","[""REDACTED""]",${n}\r\n`).join('')}`);
  });

  test.each(['parquet', 'arrow'])('as %s', async (format) => {
    const response = await ask(`long?format=${format}`, REDACT);
    expect(response.status).toBe(200);
    const body = Buffer.from(await response.arrayBuffer());
    expect(body.includes('u1@ex.com')).toBe(false);
  });

  test('with a column that is dropped', async () => {
    expect(await rowsOf(ask('dropped'))).toEqual([0, 1, 2].map((n) => ({ list: ['REDACTED'], n })));
  });

  test('in pages', async () => {
    const first = (await (await ask('paged')).json()) as { result: { n: number }[]; next: string }; // our own envelope
    expect(first.result.map(({ n }) => n)).toEqual([0, 1]);
    const rest = await rowsOf(ask(`paged?cursor=${first.next}`));
    expect(rest.map(({ n }) => n)).toEqual([2]);
  });

  test('through the ClickHouse interface', async () => {
    const sql = `SELECT repeat('${REPEATED}', ${TIMES}) AS x, n FROM logs`;
    const send = (format: string): Promise<Response> =>
      fetch(`${service.service.address}/clickhouse?database=open`, {
        method: 'POST',
        headers: { 'X-ClickHouse-Key': KEY, ...REDACT },
        body: `${sql} FORMAT ${format}`,
      });
    expect(await (await send('JSONEachRow')).text()).toBe(
      `${JSON.stringify({ x: REDACTED.repeat(TIMES), n: 1 })}\n`,
    );
    expect(await (await send('TSV')).text()).toBe(`${REDACTED.repeat(TIMES)}\t1\n`);
  });
});
