// Redaction below consumer queries: no response depends on personal data.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRedactor } from '../../src/redact/redactor.ts';
import { openExchange, TRACES, type Exchange } from './exchange.ts';
import { LAUNDERING, LAUNDERING_BIGQUERY, LAUNDERING_LQL } from './laundering.ts';
import type { Query } from './tenants.ts';

let exchange: Exchange;
beforeAll(async () => {
  exchange = await openExchange();
});
afterAll(() => exchange.close());

const sql = (text: string): Query => ({ language: 'sql', dialect: 'clickhouse', text });

/** Whether the query itself has what the pass over rows finds, which shows in names of columns and in constants. */
const hasOwn = createRedactor({ detectors: ['ip', 'email'] });
const isOwn = ({ text }: Query): boolean =>
  hasOwn.redactText(text.replaceAll('`', '')) !== text.replaceAll('`', '');

const ALL: readonly Query[] = [
  ...LAUNDERING.map(sql),
  ...LAUNDERING_BIGQUERY.map((text): Query => ({ language: 'sql', dialect: 'bigquery', text })),
  ...LAUNDERING_LQL.map((text): Query => ({ language: 'lql', text })),
];

const AT_ONCE = 4;

/** Queries whose responses differ, have a trace of a secret, or in which the pass over rows finds something. */
async function failuresOf(queries: readonly Query[]): Promise<readonly string[]> {
  const failures: string[] = [];
  const rest = queries.values();
  const work = async (): Promise<void> => {
    for (const query of rest) {
      const [a, b] = await exchange.both(query);
      statuses.set(a.status, (statuses.get(a.status) ?? 0) + 1);
      if (process.env['SHOW'] !== undefined)
        console.log(query.text, '\n   ', a.status, a.body.slice(0, 1500));
      const isSame = a.status === b.status && a.body === b.body;
      const isFound = TRACES.test(a.body + b.body) || a.isChanged || b.isChanged;
      if (!isSame || (isFound && !isOwn(query)))
        failures.push(
          `${query.text}: ${a.status} ${a.body.slice(0, 600)} / ${b.status} ${b.body.slice(0, 600)}`,
        );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failures;
}

const statuses = new Map<number, number>();

test('responses are the same when every secret is exchanged for another', { timeout: 600_000 }, async () => {
  expect(await failuresOf(ALL)).toEqual([]);
  expect(statuses.get(200)).toBeGreaterThan(ALL.length * 0.7);
});
