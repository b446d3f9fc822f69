// A pull request end to end: a repository of endpoint files, changed in six ways, and the complete output of validate, test and
// diff for each, in golden files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, scratch } from '../../support/command.ts';
import { some } from '../../support/runs.ts';

const GOLDEN = join(import.meta.dirname, '../../golden/pull-request');
const FILE = 'endpoints/orders.by-day.yaml';
const BASE: Readonly<Record<string, string>> = {
  'seeds/tables.sql': `CREATE DATABASE IF NOT EXISTS shop;
CREATE TABLE shop.orders (tenant String, day Date, id UInt64, email String, price Decimal(10, 2)) ENGINE = MergeTree ORDER BY (tenant, day);
`,
  'endpoints/fixtures/shop.orders.ndjson': `{"tenant":"a","day":"2024-05-01","id":1,"email":"ann@example.com","price":5}
{"tenant":"a","day":"2024-05-01","id":2,"email":"bob@example.com","price":7.5}
{"tenant":"b","day":"2024-05-02","id":3,"email":"cyd@example.com","price":1}
`,
  [FILE]: `id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30
name: orders.by-day
description: Orders of a tenant, by day.

query: |
  WITH orders AS (
    SELECT day, id, price
    FROM shop.orders
    WHERE tenant = @tenant AND day >= @since
  )
  SELECT day, count() AS orders, sum(price) AS total
  FROM orders
  GROUP BY day
  ORDER BY day

parameters:
  tenant: { type: String, required: true, description: Whose orders. }
  since: { type: Date, default: '2024-01-01', description: The first day. }

max_rows: 400
sandbox: { enabled: true }
tenancy: { parameter: tenant }
pii: { redact: true, detectors: [ip, email] }

examples:
  - name: two orders in a day
    parameters: { tenant: a }
    expect: { columns: [day, orders, total], result: [{ day: '2024-05-01', orders: 2, total: 12.5 }] }
  - name: another tenant
    parameters: { tenant: b }
    expect: { rows: 1 }
  - name: consumer queries read only the tenant's orders
    parameters: { tenant: b }
    sql: SELECT count() AS n FROM orders
    expect: { result: [{ n: 1 }] }
  - name: nothing beyond the tables
    parameters: { tenant: b }
    sql: SELECT email FROM shop.orders
    expect: { status: 400, code: sandbox.table_denied }
`,
};

interface Change {
  readonly name: string;
  readonly why: string;
  readonly edit: (text: string) => string;
  /** Of validate, test and diff. */
  readonly codes: readonly [validate: number, test: number, diff: number];
}

const replace =
  (from: string, to: string) =>
  (text: string): string => {
    if (!text.includes(from)) throw new Error(`the file has no ${from}`);
    return text.replace(from, to);
  };

const CHANGES: readonly Change[] = [
  {
    name: '1-words',
    why: 'a description and a new optional parameter with a use',
    edit: (text) =>
      replace(
        '@since\n',
        '@since AND (@until IS NULL OR day <= @until)\n',
      )(
        replace(
          'first day. }\n',
          'first day. }\n  until: { type: Date, description: The last day. }\n',
        )(text),
      ),
    codes: [0, 0, 0],
  },
  {
    name: '2-typo',
    why: 'a missing column',
    edit: replace('sum(price)', 'sum(prise)'),
    codes: [1, 1, 1],
  },
  {
    name: '3-column',
    why: 'a column renamed, examples and all',
    edit: (text) => text.replaceAll('total', 'revenue'),
    codes: [0, 0, 1],
  },
  {
    name: '4-tenant',
    why: 'the tenant condition removed',
    edit: replace(
      'tenant = @tenant AND day >= @since',
      "(tenant = @tenant OR tenant != '') AND day >= @since",
    ),
    codes: [1, 1, 1],
  },
  {
    name: '5-redaction',
    why: 'less redaction, with a reason',
    edit: (text) =>
      replace(
        'detectors: [ip, email]',
        'detectors: [ip]',
      )(
        replace(
          'max_rows: 400\n',
          'max_rows: 400\nallow_security:\n  redaction.detector_removed: No column holds an address of a person any more.\n',
        )(text),
      ),
    codes: [0, 0, 0],
  },
  {
    name: '6-narrower',
    why: 'a parameter made required, and fewer rows',
    edit: (text) =>
      replace(
        "since: { type: Date, default: '2024-01-01'",
        'since: { type: Date, required: true',
      )(replace('max_rows: 400', 'max_rows: 100')(text))
        .replaceAll('parameters: { tenant: a }', "parameters: { tenant: a, since: '2024-01-01' }")
        .replaceAll('parameters: { tenant: b }', "parameters: { tenant: b, since: '2024-01-01' }"),
    codes: [0, 0, 1],
  },
];

test.each(some(CHANGES, 2))('$name: $why', async ({ name, edit, codes }) => {
  const cwd = scratch();
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd });
  for (const [path, text] of Object.entries(BASE)) {
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'base');
  writeFileSync(join(cwd, FILE), edit(readFileSync(join(cwd, FILE), 'utf8')));

  const commands = [['validate'], ['test'], ['diff', 'main']];
  const done = await Promise.all(commands.map((args) => run(args, { cwd })));
  const shown = done.map(({ code, out, err }, index) => {
    const command = `$ millrace ${commands[index]?.join(' ')}`;
    return [command, out + err, `exit ${code}`, ''].join('\n').replace(/\d+(\.\d+)? m?s\b/g, 'n ms');
  });
  await expect(shown.join('\n')).toMatchFileSnapshot(join(GOLDEN, `${name}.txt`));
  expect(done.map(({ code }) => code)).toEqual(codes);
});
