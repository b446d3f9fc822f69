// What queries do with their parameters, by the engine's tree.
import { afterAll, expect, test } from 'vitest';
import { rolesOf } from '../../../src/guard/query/flow/parameter-roles.ts';
import { openTwoTenants } from './world.ts';

const world = await openTwoTenants();
afterAll(world.close);

const ROWS: readonly (readonly [where: string, roles: string])[] = [
  ['tenant = @tenant', 'tenant: equality'],
  ['@tenant == tenant', 'tenant: equality'],
  ['tenant IN (@tenant)', 'tenant: equality'],
  ['tenant IN (@tenant, @word)', 'tenant: equality; word: equality'],
  ['(tenant, user_id) = (@tenant, @user)', 'tenant: equality; user: equality'],
  ['has(@tenants, tenant)', 'tenants: equality'],
  ["@tenant = '' OR tenant = @tenant", 'tenant: equality, test'],
  ['empty(@tenant) OR tenant = @tenant', 'tenant: equality, test'],
  ['tenant = coalesce(@tenant, tenant)', 'tenant: test'],
  ['tenant LIKE @tenant', 'tenant: pattern'],
  ["tenant ILIKE concat('%', @word, '%')", 'word: pattern'],
  ["match(path, concat('^', @word))", 'word: pattern'],
  ['startsWith(path, @word) AND user_id >= @user', 'user: range; word: pattern'],
  ['position(path, @word) > 0', 'word: pattern'],
  ['NOT (tenant != @tenant)', 'tenant: equality'],
  ['ts > now() - INTERVAL @user SECOND', 'user: range'],
  ['user_id IN (SELECT id FROM logs.users WHERE tenant = @tenant)', 'tenant: equality'],
  ['@flag', 'flag: condition'],
  ['@flag = 1', 'flag: test'],
];

test.each(ROWS)('%s', async (where, expected) => {
  const { root } = await world.model(`SELECT path FROM logs.events WHERE ${where}`);
  const shown = [...rolesOf(root)].map(([name, roles]) => `${name}: ${[...roles].toSorted().join(', ')}`);
  expect(shown.toSorted().join('; ')).toBe(expected);
});

test.each([
  [
    'SELECT path, @word AS w FROM logs.events GROUP BY path ORDER BY @flag LIMIT @count',
    'count: limit; flag: output; word: output',
  ],
  ['SELECT countIf(tenant = @tenant) FROM logs.events', 'tenant: equality'],
  [
    'SELECT e.path FROM logs.events AS e JOIN logs.users AS u ON u.id = e.user_id AND u.tenant = @tenant',
    'tenant: equality',
  ],
])('%s', async (query, expected) => {
  const { root } = await world.model(query);
  const shown = [...rolesOf(root)].map(([name, roles]) => `${name}: ${[...roles].toSorted().join(', ')}`);
  expect(shown.toSorted().join('; ')).toBe(expected);
});
