// Keys that share a run of one query in different layouts: each gets the locations of its own when the run fails.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { startGate, type Gate } from '../../support/gate.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const KEYS = ['the-first-key', 'the-second-key'] as const;

let service: TestService;
let gate: Gate;
beforeAll(async () => {
  gate = await startGate();
  const tokens = KEYS.map((key) => ({
    name: key,
    sha256: hashKey(key),
    endpoints: ['*'],
    allow: ['sql' as const, 'lql' as const],
  }));
  // A table: consumer queries may not read by a function.
  const sql = ['CREATE DATABASE app', `CREATE TABLE app.gated AS ${gate.table}`];
  service = await startService({ tokens, sql });
  const query = `WITH t AS (SELECT passed, concat('x', toString(passed)) AS name FROM app.gated) SELECT * FROM t`;
  const file = `query: ${query}\ncache: { ttl: 60 }\nsandbox: { enabled: true, dialects: [clickhouse, bigquery] }\n`;
  await writeEndpoint(service, 'shared', `id: 00000000-0000-4000-8000-000000000071\nname: shared\n${file}`);
  await service.service.reload();
});
afterAll(async () => {
  await service.stop();
  await gate.close();
});

test.each([
  {
    why: 'ClickHouse SQL',
    language: 'sql',
    dialect: 'clickhouse',
    layouts: ['SELECT toUInt8(name) FROM t', 'SELECT\n  -- of the second key\n  toUInt8(name)\nFROM t'],
    locations: [
      { line: 1, column: 8 },
      { line: 3, column: 3 },
    ],
  },
  {
    why: 'BigQuery SQL',
    language: 'sql',
    dialect: 'bigquery',
    layouts: [
      'SELECT DIV(5, passed - 1) AS n FROM t',
      'SELECT\n  /* of the second key */ DIV(5, passed - 1) AS n FROM t',
    ],
    locations: [
      { line: 1, column: 8 },
      { line: 2, column: 27 },
    ],
  },
  {
    why: 'LQL',
    language: 'lql',
    layouts: [
      String.raw`s:name name:~"(\p{L}{1000}|\p{N}{1000})"`,
      's:name\n  name:~"(\\p{L}{1000}|\\p{N}{1000})"',
    ],
    code: 'lql.regex_invalid',
    locations: [
      { line: 1, column: 14 },
      { line: 2, column: 9 },
    ],
  },
])('$why', async ({ language, dialect, layouts, code = 'query.failed', locations }) => {
  gate.shut();
  const before = gate.arrived();
  const ask = async (of: number) => {
    const headers = { 'X-API-KEY': KEYS[of] ?? '', 'Content-Type': 'application/json' };
    const body = JSON.stringify({ [language]: layouts[of], dialect });
    const response = await service.call('/api/endpoints/query/shared', { method: 'POST', headers, body });
    return { of, problem: (await response.json()) as { code: string; errors?: readonly object[] } };
  };
  const first = ask(0);
  await gate.reached(before + 1);
  // They came after the run had started: when it has failed, the first of them runs again, for all of them.
  const others = Array.from({ length: 20 }, (_, index) => ask(index % 2));
  gate.open();
  for (const { of, problem } of await Promise.all([first, ...others]))
    expect([of, problem]).toMatchObject([of, { code, errors: [locations[of]] }]);
  expect(gate.arrived() - before).toBeLessThan(others.length);
});
