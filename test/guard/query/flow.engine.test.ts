// Which stored columns flow into result columns, and how.
import { afterAll, expect, test } from 'vitest';
import type { ColumnFlow } from '../../../src/guard/query/flow/flow.ts';
import { FLOWS } from './flows.ts';
import { openTwoTenants } from './world.ts';

const world = await openTwoTenants();
afterAll(() => world.close());

/** `users.email value, users.id condition`, sorted. */
function textOf(flow: readonly ColumnFlow[]): string {
  const texts = flow.map(({ table, column, kind }) => `${table.replace(/^other\./, '')}.${column} ${kind}`);
  return [...new Set(texts)].toSorted().join(', ');
}

test.each(FLOWS)('%s', async (sql, ...expected) => {
  const { columns } = await world.model(sql);
  expect(columns.map(({ flow }) => textOf(flow))).toEqual(expected);
});
