// Reads of the clock in queries, and the times at which their results change, compared with the engine.
import { afterAll, describe, expect, test } from 'vitest';
import { clockReads, commonEvery, functionCalls } from '../../../src/sql/clickhouse/clock-reads.ts';
import { openOracle } from './oracle.ts';

const oracle = openOracle();
afterAll(() => oracle.close());

const ZONES = ['UTC', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Chatham'];

describe('a rounded time', () => {
  test.each<readonly [sql: string, every: number]>([
    ['toStartOfMinute(now())', 60],
    ['toStartOfFiveMinutes(now())', 300],
    ['toStartOfTenMinutes(now())', 300],
    ['toStartOfHour(now())', 900],
    ['toStartOfHour(now() - INTERVAL 1 DAY)', 900],
    ['toStartOfMinute(now() + INTERVAL 30 SECOND)', 30],
    ['toStartOfDay(now())', 900],
    ['toDate(now())', 900],
    ['toMonday(now())', 900],
    ['toStartOfMonth(now())', 900],
    ['toStartOfInterval(now(), INTERVAL 7 MINUTE)', 60],
    ['toStartOfInterval(now(), INTERVAL 6 HOUR)', 900],
    ['toStartOfInterval(now(), INTERVAL 45 SECOND)', 45],
    ["dateTrunc('hour', now())", 900],
    ["date_trunc('minute', now())", 60],
  ])('%s changes every %i seconds at most', async (sql, every) => {
    expect(commonEvery(clockReads(`SELECT ${sql}`))).toBe(every);
    // In every zone, all times between two multiples have one value: six days of 45-second steps around a change of DST.
    for (const zone of ZONES) {
      const time = `toDateTime(1711700000 - 1711700000 % 900 + number * 45 + offset, '${zone}')`;
      const value = sql.replace(/now\(\)/, time);
      const wrong = await oracle.ask(
        `SELECT count() FROM (SELECT intDiv(toUnixTimestamp(${time}), ${every}) AS bucket, uniqExact(${value}) AS values FROM numbers(4000) ARRAY JOIN [0, 1, 44] AS offset GROUP BY bucket HAVING values > 1)`,
      );
      expect([zone, wrong.trim()]).toEqual([zone, '0']);
    }
  });

  test.each([
    'now()',
    'toUnixTimestamp(now())',
    'toStartOfHour(ts) < now()',
    "toStartOfInterval(now(), INTERVAL 1 HOUR, toDateTime('2024-01-01 00:00:30'))",
    'toStartOfInterval(now(), INTERVAL n MINUTE)',
    'toStartOfHour(now() - n)',
    'toDateTime(now())',
    'rand()',
    'generateUUIDv4()',
    'current_timestamp',
  ])('%s is not one', (sql) => {
    const reads = clockReads(`SELECT ${sql} FROM t`);
    expect(reads).toHaveLength(1);
    expect(commonEvery(reads)).toBeUndefined();
  });

  test('columns of such names are no reads', () => {
    expect(clockReads('SELECT now, t.today, rand FROM t')).toEqual([]);
    expect(commonEvery(clockReads('SELECT today(), toStartOfMinute(now())'))).toBe(60);
  });
});

test('every function of the engine that is not deterministic is known', async () => {
  const names = (await oracle.ask(`SELECT name FROM system.functions WHERE deterministic = 0`))
    .trim()
    .split('\n');
  const unknown = names.filter((name) => clockReads(`SELECT ${name}(1)`).length === 0 && !OTHERS.test(name));
  expect(unknown).toEqual([]);
  expect(functionCalls('SELECT dictGet(1), a, b(2)')).toEqual(['dictget', 'b']);
});

/** Lookups, which are sources; properties of the server and of blocks, which do not change with time. */
const OTHERS =
  /^(?:dict|joinGet|file$|hasColumnInTable$|catboost|naiveBayes|timeSeries|block|rowNumber|shard|current|default|enabled|auth|session|server|get|host|fullHost|display|FQDN|user$|DATABASE$|SCHEMA$|timezone$|version$|revision$|buildId$|chdb$|tcpPort$|transactionID$|arrayJoin$|unnest$|arrayPartial(?:Reverse)?Sort$|lowCardinality|dumpColumn|toColumnTypeName$|isConstant$|financial|__)/i;
