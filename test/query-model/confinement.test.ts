// Which queries are confined by a parameter, and that queries that are reported as open do show rows of another tenant.
import { afterAll, describe, expect, test } from 'vitest';
import { UnreadableTree } from '../../src/query-model/tree-lines.ts';
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
      expect(await world.model(sql).then(openSources, faultOf)).not.toEqual([]);
      if (isHidden === undefined) expect(await world.leaks(sql)).toBe(true);
    },
  );
});

/** A query that is not understood counts as open. */
function faultOf(error: unknown): readonly string[] {
  if (error instanceof UnreadableTree) return [error.message];
  throw error;
}
