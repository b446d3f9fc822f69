// Results in ClickHouse's own formats: equal, byte for byte, to those of an engine with default settings.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLocal, type Local } from '../../src/app/local.ts';
import { ENGINE_FORMATS, type EngineFormat } from '../../src/format/clickhouse-formats.ts';
import { localCall, type Answer } from '../../src/request/call.ts';
import { startService, writeEndpoint, type TestService } from '../support/service.ts';
import { TYPE_ROWS } from '../support/clickhouse-types.ts';

/** Values that formats write in different ways, beside one of each type. */
const VALUES = [
  ...TYPE_ROWS.filter(({ type }) => !type.includes('AggregateFunction')).map(({ value }) => value),
  'toInt64(-9223372036854775808)',
  'toUInt256(\'115792089237316195423570985008687907853269984665640564039457584007913129639935\')',
  "CAST(123456789.5, 'Decimal64(4)')",
  'inf',
  '-inf',
  'toFloat32(0.1)',
  "'a\"b\\\\c/d\\n\\t\\r\\0<&>\\'é漢'",
  "unhex('C328FF')",
  "toFixedString('é', 4)",
  "toDateTime('2024-01-01 00:00:00')",
  "toDateTime64('2024-01-01 00:00:00.120', 3)",
  "toDate32('1900-01-01')",
  "toIPv6('2001:db8::1.2.3.4')",
  "map('k', 1, 'l', 2)",
  "['x', NULL, 'y\"']",
  "CAST(('a', 1), 'Tuple(s String, n UInt8)')",
  'CAST(NULL, \'Nullable(String)\')',
  "''",
  "' spaces '",
  '\'{"a":[1,{"b":null}],"c":"2024-01-01"}\'::JSON',
  "'text'::Dynamic",
  "42::Dynamic",
  "NULL::Dynamic",
  "'s'::Variant(String, UInt64)",
];
const COLUMNS = VALUES.map((value, index) => `${value} AS c${index}`);
const TABLE = `SELECT number AS n, 'row ' || toString(number) AS s FROM numbers(5)`;

let folder: string;
let plain: Session;
let service: TestService;
let local: Local;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-formats-'));
  plain = new Session(join(folder, 'plain'), { connectionArgs: ['--session_timezone=UTC'] });
  service = await startService({ sql: ['CREATE DATABASE app', `CREATE TABLE app.a ORDER BY n AS ${TABLE}`] });
  const query = 'query: WITH a AS (SELECT n, s FROM app.a) SELECT * FROM a\nmax_rows: 3\nsandbox: { enabled: true }\n';
  const id = 'id: 00000000-0000-4000-8000-0000000000';
  await writeEndpoint(service, 'open', `${id}98\nname: open\n${query}`);
  await writeEndpoint(service, 'guarded', `${id}97\nname: guarded\n${query}pii: { redact: true }\n`);
  local = await openLocal({ ...service, observe: () => undefined });
});
afterAll(async () => {
  await local.close();
  await service.stop();
  plain.close();
  await rm(folder, { recursive: true, force: true });
});

interface Asked extends Omit<Partial<EngineFormat>, 'engine'> {
  readonly endpoint?: string;
}

function answer(sql: string, engine: string, { endpoint = 'open', ...options }: Asked = {}): Promise<Answer> {
  const format: EngineFormat = { engine, settings: {}, ...options };
  const fields = new Map([
    ['sql', [sql]],
    ['dialect', ['clickhouse']],
  ]);
  return local.path.answer(localCall({ requestId: 'test', endpoint }, fields, format));
}

async function text(sql: string, engine: string, options: Asked = {}): Promise<string> {
  return (await answer(sql, engine, options)).body.toString();
}

async function written(sql: string, engine: string): Promise<Buffer> {
  return Buffer.from((await plain.queryAsync(sql, { format: engine })).bytes());
}

/** Without the time that the query took, and without random identifiers of files. */
function comparable(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  const marker = text.slice(-16);
  return (text.startsWith('Obj') ? text.replaceAll(marker, 'marker') : text)
    .replace(/"elapsed": ?[\d.e-]+/, '"elapsed":0')
    .replace(/<elapsed>[\d.e-]+/, '<elapsed>0')
    .replaceAll(/"elapsed_ns":"\d+"/g, '"elapsed_ns":"0"');
}

/** What is around the first difference. */
function difference(expected: string, result: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === result[at]) at++;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 40), at + 60));
  return `${around(expected)} became ${around(result)}`;
}

describe.each(ENGINE_FORMATS)('$name', ({ name }) => {
  test.each(['open', 'guarded'])('values of each type: %s', async (endpoint) => {
    const failures: string[] = [];
    const compare = async (columns: readonly string[]): Promise<void> => {
      const sql = `SELECT ${columns.join(', ')}`;
      const expected = await written(sql, name).then(comparable, (cause: Error) => `error ${cause.message.slice(0, 80)}`);
      const result = await answer(sql, name, { endpoint }).then(
        ({ body }) => comparable(body),
        (cause: Error) => `error ${(cause.cause as Error | undefined)?.message.slice(0, 80) ?? cause.message}`,
      );
      if (expected.startsWith('error') && columns.length > 1) for (const column of columns) await compare([column]);
      else if (result !== expected)
        failures.push(`${columns.length} ${columns[0]}: ${difference(expected, result)}`);
    };
    const isGuarded = endpoint === 'guarded';
    await compare(COLUMNS.filter((column) => !(isGuarded && /1\.2\.3\.4|tuple\(\)|::1|JSON/.test(column))));
    expect(failures).toEqual([]);
  });
});
