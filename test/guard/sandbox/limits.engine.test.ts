// Denial of service: oversized queries are rejected before they reach the engine; large queries within the limits still run.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bound, openSandbox, openWorld } from './fixture.ts';
import type { World } from './fixture.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.oracle.close());

const times = (count: number, text: string) => text.repeat(count);
const list = (count: number, text: string, by: string) => Array.from({ length: count }, () => text).join(by);
const sources = list(6, 'SELECT id, lower(event_message) AS text FROM edge_logs', ' UNION ALL ');
const doubling = (levels: number) =>
  `WITH c0 AS (SELECT id FROM edge_logs)${Array.from(
    { length: levels },
    (_, i) => `, c${i + 1} AS (SELECT id FROM c${i} UNION ALL SELECT id FROM c${i})`,
  ).join('')} SELECT count() FROM c${levels}`;

describe('rejected by the scanner alone', () => {
  test.each([
    ['3,000 brackets', `SELECT ${times(3000, '[')}1${times(3000, ']')}`],
    ['60,000 terms', `SELECT ${list(60_000, '1', '+')}`],
    ['400 nested subqueries', `${times(400, 'SELECT * FROM (')}SELECT 1${times(400, ')')}`],
    ['a string of 1.2 MB', `SELECT '${times(1_200_000, 'a')}'`],
    ['5,000 UNIONs', list(5000, 'SELECT 1', ' UNION ALL ')],
    ['tables that double in size', doubling(14)],
    ['9,000 words', `SELECT ${list(4500, '1', ',')}`],
    ['33 signs before a value', `SELECT ${times(33, '- ')}1`],
    ['200 operators in a row', `SELECT ${list(201, '1', '*')}`],
    ['101 patterns', `SELECT ${list(101, "match(event_message, 'a')", ' OR ')} FROM edge_logs`],
    ['101 patterns of operators', `SELECT ${list(101, "event_message REGEXP 'a'", ' AND ')} FROM edge_logs`],
    ['2,000 nested CASEs', `SELECT ${times(1500, 'CASE WHEN 1 THEN ')}1${times(1500, ' END')}`],
    ['1,900 joins', `SELECT 1 FROM edge_logs${times(1900, ', edge_logs')}`],
  ])('%s', async (_why, sql) => {
    await expect(openSandbox().check(sql)).rejects.toMatchObject({ code: 'sandbox.too_large', status: 400 });
  });
});

describe('accepted by the scanner and the query tree check', () => {
  test.each([
    ['a few doublings', doubling(4)],
    [
      'twenty counts over a union of six sources',
      `WITH rows_of AS (${sources}) ${list(20, "SELECT count() FROM rows_of WHERE text LIKE 'x%'", ' UNION ALL ')}`,
    ],
    ['a string of 60 kB', `SELECT '${times(60_000, 'a')}'`],
    ['3,900 terms of AND', `SELECT ${list(3900, '1', ' AND ')}`],
    ['3,900 elements of IN', `SELECT id IN (${list(3900, "'x'", ', ')}) FROM edge_logs`],
    ['parentheses nested to the limit', `SELECT ${times(48, '(')}1${times(48, ')')}`],
    ['60 kB of comments', `SELECT 1${times(15_000, '/**/')}`],
    ['100 patterns', `SELECT ${list(100, "match(event_message, 'a')", ' OR ')} FROM edge_logs`],
    ['64 SELECTs', list(64, 'SELECT 1', ' UNION ALL ')],
  ])('%s', async (_why, sql) => {
    await expect(openSandbox({ explain: world.explain }).check(sql)).resolves.toBeDefined();
  });
});

test('a small table may be read at most 500 times, however few tokens that has', async () => {
  const small = openSandbox({
    boundSql: bound('WITH edge_logs AS (SELECT id FROM a.b) SELECT id FROM edge_logs'),
  });
  await expect(small.check(doubling(8))).resolves.toBeDefined(); // 256 times
  await expect(small.check(doubling(9))).rejects.toMatchObject({
    code: 'sandbox.too_large',
    hint: expect.stringContaining('fewer SELECTs'),
  });
});

test('a tree that is nested too deeply is rejected unread', async () => {
  const nested = list(40, list(100, '1', '+'), ' AND ');
  const check = openSandbox({ explain: world.explain }).check(`SELECT ${nested}`);
  await expect(check).rejects.toMatchObject({ code: 'sandbox.too_large' });
});
