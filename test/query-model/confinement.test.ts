// Which queries are confined by a parameter, and that queries that are reported as open do show rows of another tenant.
import { afterAll, describe, expect, test } from 'vitest';
import { CONFINED, OPEN } from './queries.ts';
import { openSources, openTwoTenants } from './world.ts';

const world = await openTwoTenants();
afterAll(() => world.close());

describe('confined by the tenant', () => {
  test.each(CONFINED)('%s', async (_, sql) => {
    expect(openSources(await world.model(sql))).toEqual([]);
    expect(await world.leaks(sql)).toBe(false);
  });
});

describe('not confined by the tenant', () => {
  test.each(OPEN.map(([why, sql, isHidden]) => ({ why, sql, isHidden })))(
    '$why',
    async ({ sql, isHidden }) => {
      expect(openSources(await world.model(sql))).not.toEqual([]);
      if (isHidden === undefined) expect(await world.leaks(sql)).toBe(true);
    },
  );
});
