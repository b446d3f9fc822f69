// `millrace diff` of a changed shared file: the changes of each endpoint that includes it, at its line.
import { expect, test } from 'vitest';
import type { Finished } from '../../support/command.ts';
import { repository } from '../../support/git-repository.ts';

const TABLES = `CREATE DATABASE IF NOT EXISTS shop;
CREATE TABLE shop.orders (tenant String, id UInt64, price Decimal(18, 2), at DateTime) ENGINE = MergeTree ORDER BY (tenant, at);
`;
const SHARED = `tables:
  orders: |
    SELECT id, price, at
    FROM shop.orders
    WHERE tenant = @tenant
parameters:
  tenant: { type: String, required: true }
policies:
  tenancy: { parameter: tenant, columns: [tenant] }
`;
const include = 'include: [{ from: shop, tables: [orders], policies: [tenancy] }]';
const file = (id: number, name: string, query: string, more = include): string =>
  `id: 00000000-0000-4000-8000-00000000000${id}\nname: ${name}\ndescription: Orders.\n${more}\nquery: ${query}\n`;
const FILES = {
  'endpoints/shop.shared.yaml': SHARED,
  'endpoints/list.yaml': file(1, 'list', 'SELECT * FROM orders ORDER BY at'),
  'endpoints/total.yaml': file(2, 'total', 'SELECT sum(price) AS total FROM orders'),
  // Over the result of another endpoint: it includes the shared file indirectly.
  'endpoints/half.yaml': file(3, 'half', 'SELECT total / 2 AS half FROM whole', 'include: [{ endpoint: total, result: whole }]\ntenancy: { parameter: tenant, columns: [tenant] }'), // prettier-ignore
  'endpoints/other.yaml': file(4, 'other', 'SELECT 1 AS one', 'tenancy: { none: no tables }'),
  'seeds/1.sql': TABLES,
};

interface Change {
  readonly endpoint: string;
  readonly class: string;
  readonly code: string;
  readonly file: string;
  readonly line: number;
}

const changesIn = ({ out }: Finished): readonly Change[] =>
  (JSON.parse(out) as { changes: Change[] }).changes; // what the command documents

test('a column of another type breaks each endpoint that returns it', async () => {
  const { write, diff } = repository(FILES);
  write('endpoints/shop.shared.yaml', SHARED.replace('SELECT id, price, at', 'SELECT id, price, at, 1 AS one').replace('price, at, 1', 'toFloat64(price) AS price, at, 1')); // prettier-ignore
  const finished = await diff('main', '--format', 'json');
  const breaking = changesIn(finished).filter((each) => each.class === 'breaking');
  expect([finished.code, breaking.map(({ endpoint, code }) => `${endpoint} ${code}`).toSorted()]).toEqual([
    1,
    ['half column.type_changed', 'list column.type_changed', 'total column.type_changed'],
  ]);
});

test('a condition on the tenant that is removed is a security change of each endpoint over it', async () => {
  const { write, diff } = repository(FILES);
  write('endpoints/shop.shared.yaml', SHARED.replace('tenant = @tenant', 'tenant = @tenant OR id > 5'));
  const finished = await diff('main', '--format', 'json');
  const weaker = changesIn(finished).filter((each) => each.class === 'security');
  expect([finished.code, [...new Set(weaker.map(({ endpoint }) => endpoint))].toSorted()]).toEqual([
    1,
    ['half', 'list', 'total'],
  ]);
  for (const change of weaker) expect(change.file).toBe('endpoints/shop.shared.yaml');
});

test('tenancy that is removed from the policies is a security change of those that include it', async () => {
  const { write, diff } = repository(FILES);
  const policies = 'policies:\n  tenancy: { none: public }\n';
  write('endpoints/shop.shared.yaml', SHARED.replace(/policies:\n.*\n/, policies));
  const weaker = changesIn(await diff('main', '--format', 'json')).filter(
    (each) => each.class === 'security',
  );
  expect(weaker.map(({ endpoint, code }) => `${endpoint} ${code}`).toSorted()).toEqual(
    ['list', 'total'].map((name) => `${name} tenancy.removed`),
  );
});
