// Rows as the engine writes them: every type that contains strings, redacted and parsed again.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import { readAll } from '../../../src/service/engine/rows.ts';
import { createRedactor } from '../../../src/guard/redact/redactor.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const folder = await mkdtemp(join(tmpdir(), 'millrace-redact-'));
const engine = await createEmbeddedEngine({
  ...REAL_TIME,
  path: join(folder, 'data'),
  memory: 2 ** 30,
  observe: () => {},
  connections: 1,
  queue: 1,
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

/** A map keyed by e-mail, a tuple, arrays, JSON, enumerations, native addresses, odd characters. */
const SQL = `
  SELECT
    'from 203.0.113.9' AS text,
    map('ann@example.com', 1, 'bob@example.com', 2) AS map,
    [('::1', 1)]::Array(Tuple(address String, hits UInt8)) AS tuples,
    '{"user": {"name": "Ann", "mail": "ann@example.com"}, "hops": ["10.0.0.1", "10.0.0.2"]}'::JSON AS metadata,
    toIPv4('203.0.113.9') AS v4,
    toIPv6('2001:db8::1') AS v6,
    toLowCardinality('ann@example.com') AS low,
    CAST(NULL AS Nullable(String)) AS nothing,
    char(255, 0, 10, 34, 92) || ' ::1' AS odd,
    toUInt64(4111111111111111) AS number,
    toDateTime64('2026-11-21 01:48:09.231029', 6, 'UTC') AS timestamp
  FROM numbers(3)`;

test('rows of the engine', async () => {
  const limits = { time: 30, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 24 };
  const statement = { sql: SQL, parameters: {}, limits, origin: 'saved', int64: 'number' } as const;
  const { chunks } = await engine.run(statement, { format: 'JSONEachRow' });
  const { redactLines } = createRedactor({ columns: { 'metadata.user.name': 'drop' } });
  const rows = Buffer.from(redactLines(await readAll(chunks)))
    .toString()
    .trimEnd()
    .split('\n');
  const row = {
    text: 'from REDACTED',
    map: { REDACTED: 1, REDACTED_2: 2 },
    tuples: [{ address: 'REDACTED', hits: 1 }],
    metadata: { hops: ['REDACTED', 'REDACTED'], user: { mail: 'REDACTED' } },
    v4: 'REDACTED',
    v6: 'REDACTED',
    low: 'REDACTED',
    nothing: null,
    odd: '\ufffd\0\n"\\ REDACTED',
    number: 4111111111111111,
    timestamp: '2026-11-21T01:48:09.231029Z',
  };
  expect(rows.map((line): unknown => JSON.parse(line))).toEqual([row, row, row]);
});
