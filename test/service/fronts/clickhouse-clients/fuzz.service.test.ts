// Generated requests to the ClickHouse interface: header fields, settings, sessions, several statements, placeholders, names. None
// may fail with 500, hang, or show rows of others.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENGINE_FORMATS } from '../../../../src/service/formats/clickhouse-formats.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { runs } from '../../../support/runs.ts';
import { ANALYST, DATABASE, startClickHouseWorld, type ClickHouseWorld } from './world.ts';

const RUNS = runs(100, 300);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);

let world: ClickHouseWorld;
beforeAll(async () => {
  world = await startClickHouseWorld();
});
afterAll(() => world.stop());

const PIECES = [
  'SELECT', 'FROM', 'WHERE', 'id', 'count()', 'orders', 'customers', '`shop.orders`', '"shop.orders"', 'shop', '.', '.orders', ',', ';',
  '(', ')', '*', '1', "'a'", '{x:UInt8}', '{x:Identifier}', '{y:String}', '{', '}', '{x', ':', '--', '/*', '*/', '\n', 'FORMAT', 'JSON', 'Native',
  'SETTINGS', 'max_result_rows = 1', 'readonly = 0', '=', 'AS', 'x', 'system', 'system.tables', 'system.one', 'information_schema.columns',
  'SHOW', 'TABLES', 'DATABASES', 'CREATE', 'TABLE', 'LIKE', "'%'", 'DESCRIBE', 'EXISTS', 'USE', 'SET', 'KILL', 'QUERY', 'EXPLAIN', 'INSERT',
  'INTO', 'OUTFILE', 'VALUES', 'WITH', 'UNION ALL', 'JOIN', 'ON', 'IN', 'LIMIT', 'ORDER BY', 'GROUP BY', 'version()', 'currentDatabase()', 'database()',
  '`', '"', "'", '\\', '\0', '\u00a0', 'é', '\ud83d\ude00', 'notes', '`private.notes`', 'shop.orders', 'default', 'numbers(3)', 'NULL', '$$', '@', '#',
] as const; // prettier-ignore

const VALID = [
  'SELECT id FROM orders LIMIT 1',
  'SELECT `shop.orders`.orders.id FROM `shop.orders`.orders',
  'SELECT {x:UInt8} + id FROM {y:Identifier} SETTINGS max_block_size = 1 FORMAT JSON',
  "SELECT name FROM system.columns WHERE database = 'shop.orders'",
  'SHOW TABLES FROM `shop.orders`',
  'DESCRIBE TABLE "shop.orders"."orders"',
  "KILL QUERY WHERE query_id = 'x' SYNC",
  'WITH o AS (SELECT * FROM orders) SELECT count() FROM o AS a JOIN customers AS b ON a.customer = b.name',
] as const;

const piece = fc.constantFrom(...PIECES);
const soup = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(' '));
const glued = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
/** Statements that work, with something wrong in them. */
const nearly = fc
  .tuple(fc.constantFrom(...VALID), fc.nat(), piece, fc.boolean())
  .map(([sql, at, inserted, cut]) => {
    const place = at % (sql.length + 1);
    return cut ? sql.slice(0, place) : sql.slice(0, place) + inserted + sql.slice(place);
  });
const statement = fc.oneof(
  soup,
  glued,
  { arbitrary: nearly, weight: 2 },
  { arbitrary: fc.constantFrom(...VALID), weight: 2 },
  fc.string({ maxLength: 40, unit: anyCharacter }),
);

const value = fc.oneof(
  fc.constantFrom('', '0', '1', '-1', '18446744073709551616', 'true', "'", '\\N', '[1', '{}', 'a\tb', '\0', 'UTC', 'JSON', DATABASE, `${DATABASE}:tenant=other`, `${DATABASE}:`, 'x'.repeat(3000)),
  fc.string({ maxLength: 12, unit: anyCharacter }),
  soup,
); // prettier-ignore
const field = fc.oneof(
  fc.constantFrom(
    'query', 'database', 'default_format', 'param_x', 'param_y', 'param_tenant', 'param_min_total', 'param_', 'session_id', 'session_check', 'session_timeout',
    'query_id', 'compress', 'decompress', 'enable_http_compression', 'send_progress_in_http_headers', 'client_protocol_version', 'readonly', 'max_result_rows',
    'result_overflow_mode', 'max_execution_time', 'extremes', 'output_format_json_quote_64bit_integers', 'format_csv_delimiter', 'session_timezone', 'log_comment',
    'additional_table_filters', 'limit', 'offset', 'role', 'user', 'quota_key', 'stacktrace', 'http_response_headers', 'wait_end_of_query', 'x_structure',
  ),
  fc.string({ maxLength: 8 }),
); // prettier-ignore
const header = fc.constantFrom(
  'X-ClickHouse-Database', 'X-ClickHouse-Format', 'X-ClickHouse-User', 'X-ClickHouse-Quota', 'X-ClickHouse-Query-Id', 'Accept-Encoding', 'Content-Encoding',
  'Content-Type', 'User-Agent', 'X-ClickHouse-SSL-Certificate-Auth', 'Accept', 'X-Request-Id',
); // prettier-ignore
const headerValue = fc.oneof(
  fc.constantFrom('', '1', 'gzip', 'lz4', 'identity;q=0', 'application/json', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', DATABASE),
  fc.string({ maxLength: 20 }).map((text) => text.replace(/[^\x20-\x7e]/g, '').trim()),
); // prettier-ignore
const format = fc.constantFrom(...ENGINE_FORMATS.map(({ name }) => name));

const request = fc.record({
  body: statement,
  fields: fc.oneof(
    fc.constant<Record<string, string>>({ param_x: '1', param_y: 'orders' }),
    fc.dictionary(field, value, { maxKeys: 3 }),
  ),
  headers: fc.dictionary(header, headerValue, { maxKeys: 2 }),
  format,
});

test('generated requests', { timeout: 3_600_000 }, async () => {
  const statuses = new Map<number, number>();
  const check = fc.asyncProperty(request, async ({ body, fields, headers, format: chosen }) => {
    const query = new URLSearchParams({ database: DATABASE, default_format: chosen, ...fields }).toString();
    const response = await fetch(`${world.url}/?${query}`, {
      method: 'POST',
      body,
      headers: { ...headers, 'X-ClickHouse-Key': ANALYST },
      signal: AbortSignal.timeout(240_000),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    expect(bytes.includes('CANARY')).toBe(false);
    const code = response.headers.get('X-ClickHouse-Exception-Code');
    expect(response.status === 200).toBe(code === null);
    // 501 is for what ClickHouse has and this has not; 503 for a queue that other tests have filled.
    if (response.status >= 500) expect([501, 503]).toContain(response.status);
    const isCompressed = response.headers.has('Content-Encoding') || /^(?:1|true|yes|on)$/i.test(fields['compress'] ?? '');
    if (code !== null && !isCompressed) expect(bytes.toString()).toMatch(/^Code: \d+\. DB::Exception: /);
  }); // prettier-ignore
  await fc.assert(check, { seed: SEED, numRuns: RUNS, endOnFailure: true });
  // Requests that are all rejected would prove nothing.
  expect(statuses.get(200)).toBeGreaterThan(RUNS / 60);
});

test('methods, paths and bodies that are none', async () => {
  const key = { 'X-ClickHouse-Key': ANALYST };
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'QUERY']) {
    const response = await fetch(`${world.url}/?query=SELECT+1`, { method, headers: key });
    expect([method, response.status]).toEqual([method, expect.toSatisfy((status: number) => status < 500)]);
    await response.arrayBuffer();
  }
  for (const body of [new Uint8Array([0xff, 0xfe, 0x00]), new Uint8Array(70_000).fill(40), 'SELECT 1'.repeat(20_000)]) {
    const response = await fetch(`${world.url}/?database=${DATABASE}`, { method: 'POST', body, headers: key });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    await response.arrayBuffer();
  }
}); // prettier-ignore
