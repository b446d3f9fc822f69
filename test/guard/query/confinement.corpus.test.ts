// Which queries are confined by a parameter, and that queries that are reported as open do show rows of another tenant.
import { afterAll, describe, expect, test } from 'vitest';
import { UnreadableTree } from '../../../src/guard/query/tree/tree-lines.ts';
import type { QueryModel } from '../../../src/guard/query/model.ts';
import { some } from '../../support/runs.ts';
import { HARMLESS, HOLES } from './holes.ts';
import { CONFINED, OPEN } from './queries.ts';
import { openSources, openTwoTenants } from './world.ts';

const world = await openTwoTenants();
afterAll(() => world.close());

/** Queries whose results are also compared: every third, all of them with `npm run test:all`. */
const RUN: ReadonlySet<string> = new Set(
  [CONFINED, OPEN, HOLES, HARMLESS].flatMap((queries) => some(queries, 5).map(([, sql]) => sql)),
);

describe('confined by the tenant', () => {
  test.each(CONFINED)('%s', async (_, sql) => {
    expect(openSources(await world.model(sql))).toEqual([]);
    if (RUN.has(sql)) expect(await world.leaks(sql)).toBe(false);
  });
});

describe('not confined by the tenant', () => {
  test.each(OPEN.map(([why, sql, isHidden]) => ({ why, sql, isHidden })))(
    '$why',
    async ({ sql, isHidden }) => {
      expect(await world.model(sql).then(openSources, faultOf)).not.toEqual([]);
      if (isHidden === undefined && RUN.has(sql)) expect(await world.leaks(sql)).toBe(true);
    },
  );
});

/** Parameters by which one of the queries seems to be confined. */
const TENANTS = ['tenant', 'id', 'five', 'digits', 'large', 'list', 'uuid', 'empty', 'word', 'ip'];

/** Columns that hold the tenant in the tables of these queries. */
const COLUMNS = new Set(['tenant', 'tenant_id', 'body.tenant']);

describe('not confined, although it seems so', () => {
  test.each(HOLES.map(([why, sql, isHidden]) => ({ why, sql, isHidden })))(
    '$why',
    async ({ sql, isHidden }) => {
      const open = (model: QueryModel): readonly string[] => openSources(model, TENANTS);
      const isShared = (name: string): boolean => /[.](?:plans|names)$/.test(name);
      expect(await world.model(sql, { columns: COLUMNS, isShared }).then(open, faultOf)).not.toEqual([]);
      if (isHidden === undefined && RUN.has(sql)) expect(await world.leaks(sql)).toBe(true);
    },
  );
});

describe('confined, although it seems otherwise', () => {
  test.each(HARMLESS)('%s', async (_, sql) => {
    expect(openSources(await world.model(sql, { columns: COLUMNS }), TENANTS)).toEqual([]);
    if (RUN.has(sql)) expect(await world.leaks(sql)).toBe(false);
  });
});

test('many alternatives within each other', async () => {
  let condition = 'tenant = @tenant';
  for (let level = 0; level < 60; level++)
    condition = level % 2 === 0 ? `(${condition} OR ms = ${level})` : `(${condition} AND ms > ${level})`;
  const model = await world.model(`SELECT path FROM logs.events WHERE ${condition}`);
  expect(openSources(model)).toEqual(['events']);
});

/** A query that is not understood counts as open. */
function faultOf(error: unknown): readonly string[] {
  if (error instanceof UnreadableTree) return [error.message];
  throw error;
}
