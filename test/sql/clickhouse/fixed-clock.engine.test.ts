// Freezing the clock: types compared with the engine, and queries in which a name is not a call.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { readRows } from '../../../src/service/engine/rows.ts';
import { fixClock } from '../../../src/sql/clickhouse/fixed-clock.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const NOW = Date.parse('2024-02-29T12:34:56.789Z');

let engine: Engine;
beforeAll(async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'millrace-')), 'engine');
  engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path,
    connections: 1,
    queue: 10,
    memory: 2 ** 30,
    observe: () => undefined,
  });
});
afterAll(() => engine.close(0));

async function row(sql: string): Promise<unknown[]> {
  const [found] = await readRows(engine, sql);
  return found as unknown[]; // one row
}

describe('every function that returns the current time', () => {
  test.each([
    { call: 'now()', value: '2024-02-29T12:34:56Z' },
    { call: "now('Asia/Tokyo')", value: '2024-02-29T12:34:56Z' },
    { call: 'NOW ( /* in any case */ )', value: '2024-02-29T12:34:56Z' },
    { call: '`now`()', value: '2024-02-29T12:34:56Z' },
    { call: 'current_timestamp()', value: '2024-02-29T12:34:56Z' },
    { call: 'CURRENT_TIMESTAMP', value: '2024-02-29T12:34:56Z' },
    { call: 'localtimestamp()', value: '2024-02-29T12:34:56Z' },
    { call: 'LOCALTIMESTAMP', value: '2024-02-29T12:34:56Z' },
    { call: 'now64()', value: '2024-02-29T12:34:56.789Z' },
    { call: 'now64(0)', value: '2024-02-29T12:34:56Z' },
    { call: 'now64(6)', value: '2024-02-29T12:34:56.789000Z' },
    { call: "now64(9, 'America/New_York')", value: '2024-02-29T12:34:56.789000000Z' },
    { call: 'now64(1 + 1)', value: '2024-02-29T12:34:56.78Z' },
    { call: 'today()', value: '2024-02-29' },
    { call: 'CURRENT_DATE', value: '2024-02-29' },
    { call: 'current_date()', value: '2024-02-29' },
    { call: 'curdate()', value: '2024-02-29' },
    { call: 'yesterday()', value: '2024-02-28' },
    { call: 'UTCTimestamp()', value: '2024-02-29T12:34:56Z' },
    { call: 'UTC_TIMESTAMP()', value: '2024-02-29T12:34:56Z' },
    { call: 'localtime()', value: '12:34:56' },
    { call: 'nowInBlock()', value: '2024-02-29T12:34:56Z' },
    { call: "nowInBlock('Asia/Tokyo')", value: '2024-02-29T12:34:56Z' },
    { call: 'nowInBlock64()', value: '2024-02-29T12:34:56.789Z' },
    { call: 'nowInBlock64(6)', value: '2024-02-29T12:34:56.789000Z' },
  ])('$call', async ({ call, value }) => {
    const asked = (sql: string): string => `SELECT toTypeName(${sql}), isConstant(${sql}), ${sql}`;
    const fixed = fixClock(call, NOW);
    expect(fixed).not.toBe(call);
    const [type, isConstant] = await row(asked(call));
    expect(await row(asked(fixed))).toEqual([type, isConstant, value]);
  });

  test('every alias in the engine is known', async () => {
    const [names] = await row(
      `SELECT groupArray(name) FROM system.functions
       WHERE lower(name) IN ('now', 'now64', 'nowinblock', 'nowinblock64', 'today', 'yesterday', 'utctimestamp', 'localtime')
          OR alias_to IN ('now', 'now64', 'nowInBlock', 'nowInBlock64', 'today', 'yesterday', 'UTCTimestamp', 'localtime')`,
    );
    const calls = (names as string[]).map((name) => `${name}()`);
    expect(calls.filter((call) => fixClock(call, NOW) === call)).toEqual([]);
  });
});

describe('everything else is unchanged', () => {
  test.each([
    { why: 'a string', sql: "SELECT 'now()'" },
    { why: 'a comment', sql: 'SELECT 1 /* now() */ -- today()' },
    { why: 'a heredoc', sql: 'SELECT $x$now()$x$' },
    { why: 'a column', sql: 'SELECT now, today, t.current_date FROM t' },
    { why: 'a quoted column', sql: 'SELECT "CURRENT_DATE" FROM t' },
    { why: 'a function of something else', sql: 'SELECT t.now()' },
    { why: 'an alias', sql: 'SELECT 1 AS current_date, current_date + 1' },
    { why: 'a table of WITH', sql: 'WITH current_date AS (SELECT 1 AS a) SELECT a FROM current_date' },
    { why: 'the parameter of a lambda', sql: 'SELECT arrayMap(current_date -> 1, [1])' },
    { why: 'a longer name', sql: 'SELECT nowadays(), toTodays(), know()' },
    { why: 'a case that the engine rejects', sql: 'SELECT YESTERDAY(), nowinblock()' },
    { why: 'arguments that the engine rejects', sql: "SELECT today('Asia/Tokyo'), yesterday(1)" },
  ])('$why', ({ sql }) => {
    expect(fixClock(sql, NOW)).toBe(sql);
  });
});

test('nested calls and surrounding code are preserved', () => {
  expect(fixClock('SELECT a, now() - INTERVAL 1 HOUR, now64(toUInt8(now() > 0)) FROM t', NOW)).toBe(
    "SELECT a, toDateTime(1709210096) - INTERVAL 1 HOUR, toDateTime64(toDecimal128('1709210096.789', 9), toUInt8(toDateTime(1709210096) > 0)) FROM t",
  );
});

test.each(['1970-01-01T00:00:00.000Z', '2105-12-31T23:59:59.999Z'])('%s is supported', async (moment) => {
  const fixed = fixClock('SELECT now64(3), now(), today()', Date.parse(moment));
  expect(await row(fixed)).toEqual([moment, moment.replace(/\.\d+/, ''), moment.slice(0, 10)]);
});
