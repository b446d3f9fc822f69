// Searches in stored strings that follow from searches in redacted ones: they do not decide whether a query fails.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExchange, type Exchange } from './exchange.ts';
import type { Query } from './tenants.ts';

let exchange: Exchange;
beforeAll(async () => {
  exchange = await openExchange('{ redact: true }');
  const addresses = { first: '"a ann b"@example.com', second: '"k bob j"@mail.other.org' };
  for (const [database, address] of Object.entries(addresses))
    await exchange.engine.execute(
      `INSERT INTO ${database}.t (id, ts, project, message) VALUES (77, '2024-01-01 09:00:00', 'mine', 'from ${address} x')`,
    );
});
afterAll(() => exchange.close());

const sql = (text: string): Query => ({ language: 'sql', dialect: 'clickhouse', text });

test.each([
  "SELECT count() FROM recent WHERE intDiv(1, toInt32(id) - 77) < 2 AND message LIKE '% ann %'",
  "SELECT id, intDiv(1, toInt32(id) - 77) AS x FROM recent WHERE x < 2 AND message LIKE '% ann %'",
])('%s', async (text) => {
  const [a, b] = await exchange.both(sql(text));
  expect(a).toEqual(b);
  expect(await exchange.statement(sql(text))).not.toContain("match(`message`, ' ann ')");
});

test('of a query that cannot fail, they are searched for', async () => {
  const query = sql("SELECT count() FROM recent WHERE message LIKE '% took %'");
  expect(await exchange.statement(query)).toContain("match(`message`, ' took ')");
});
