// Redaction below consumer queries: no response depends on personal data.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRedactor } from '../../../src/guard/redact/redactor.ts';
import { some } from '../../support/runs.ts';
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

/** Of all queries a share, all of them with `npm run test:all`. */
const ALL: readonly Query[] = [
  ...some(LAUNDERING, 10).map(sql),
  ...some(LAUNDERING_BIGQUERY, 2).map((text): Query => ({ language: 'sql', dialect: 'bigquery', text })),
  ...some(LAUNDERING_LQL, 2).map((text): Query => ({ language: 'lql', text })),
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

test.each(['level', 'maybe', 'fixed', 'attrs.key_client', 'typed.user.email'])(
  'compared with texts, %s has the values that it has otherwise',
  async (column) => {
    const texts = ['error', 'info', 'REDACTED', 'redacted', '10.1.1.1', 'ann1@example.com', '/items/1'];
    const equal = texts.map((text, n) => `countIf(${column} = '${text}') AS n${n}`).join(', ');
    const other = `countIf(NOT ${column} != 'info'), countIf(${column} NOT IN ('error', 'seen')), countIf(${column} IN ('REDACTED', 'x'))`;
    for (const list of [
      `${equal}, ${other}`,
      `countIf(${column} = 'error') AS n, countIf(${column} != 'info')`,
    ]) {
      const only = sql(`SELECT ${list} FROM t`);
      const twice = sql(`${only.text} WHERE (SELECT max(toString(${column})) FROM t) != '#'`);
      const [a, b] = await exchange.both(only);
      expect(a).toEqual(b);
      expect(a.status).toBe(200);
      expect(a).toEqual(await exchange.once(twice));
    }
  },
);

test('comparing a column needs no expression that redacts', async () => {
  const statement = await exchange.statement(
    sql("SELECT count() FROM t WHERE level = 'error' AND maybe != 'a'"),
  );
  expect(statement).toContain("if(toString(`level`) IN ('error'), toString(`level`), 'REDACTED') AS `level`");
  expect(statement).toContain("if(isNull(`maybe`) OR `maybe` IN ('a'), `maybe`, 'REDACTED') AS `maybe`");
  expect(statement).not.toContain('replaceRegexp');
});
