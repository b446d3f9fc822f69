// The table of request log fields: names are unique, and the table of calls takes what the fields give it.
import { afterAll, expect, test } from 'vitest';
import { CALL_COLUMNS, REQUEST_FIELDS } from '../../../src/service/observe/request-fields.ts';
import { quoteString } from '../../../src/sql/clickhouse/literal.ts';
import { openOracle } from '../../sql/clickhouse/oracle.ts';

const oracle = openOracle();
afterAll(() => oracle.close());

const FINISHED = {
  kind: 'request.finished', requestId: 'r-1', method: 'GET', route: '/r', endpoint: undefined, revision: undefined,
  principal: undefined, status: 200, bytes: 1234, ms: 1.5,
} as const; // prettier-ignore

const FULL = {
  ...FINISHED, endpoint: 'logs.all', revision: 'abc', version: 2, deprecated: true, principal: 'customer', clientName: 'curl', labels: { team: 'a' }, code: 'internal.error',
  rows: 3, cache: 'miss', timing: { auth: 1, plan: 2, queue: 3, engine: 4, redact: 5, encode: 6 }, client: '::1',
  read: { rows: 10, bytes: 20 }, cause: new Error('one'), shadow: [{ column: 'a', difference: 'value', rows: 1 }],
  trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: undefined, isSampled: true },
} as const; // prettier-ignore

test.each([
  ['columns', CALL_COLUMNS.map(({ name }) => name)],
  ['attributes', Object.values(REQUEST_FIELDS).flatMap(({ attribute = [] }) => attribute)],
])('%s have different names', (_, names) => {
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  { why: 'as little as there is', request: FINISHED },
  { why: 'everything', request: FULL },
])('the engine reads each column as it was written: $why', async ({ why, request }) => {
  const structure = CALL_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ');
  const row = Object.fromEntries(
    CALL_COLUMNS.map(({ name, value }) => [name, value(request, 1_700_000_000_123)]),
  );
  const answer = await oracle.ask(
    `SELECT * FROM format(JSONEachRow, ${quoteString(structure)}, ${quoteString(JSON.stringify(row))}) SETTINGS date_time_input_format = 'best_effort', output_format_json_quote_64bit_integers = 0`,
    'JSONEachRow',
  );
  const read = JSON.parse(answer) as Record<string, unknown>; // one row, by the query above
  const { timestamp, ...written } = JSON.parse(JSON.stringify(row)) as Record<string, unknown>; // as JSON has it
  expect(read).toMatchObject(written);
  expect([timestamp, read['timestamp']]).toEqual(['2023-11-14T22:13:20.123Z', '2023-11-14 22:13:20.123']);
  const empty = Object.values(read).filter(
    (value) => value === '' || value === 0 || JSON.stringify(value) === '{}',
  );
  expect(empty.length === 0).toBe(why === 'everything');
});
