// Rows that one version of a query returns and the other does not: rows show it, the comparison reports it in both directions.
import { afterAll, expect, test } from 'vitest';
import { CHANGES, type ChangeCode } from '../../../src/cli/compare/changes.ts';
import { someOfEach } from '../../support/runs.ts';
import { alarms, modelOf } from './judge.ts';
import { ROW_PAIRS } from './pairs/rows.ts';
import { openProducts } from './pairs/schema.ts';

const world = await openProducts();
afterAll(() => world.close());

/** Whether each row of the second is among the first, as often. */
function contains(all: string, some: string): boolean {
  const rest = all.split('\n');
  return some.split('\n').every((line) => {
    const index = rest.indexOf(line);
    if (index >= 0) rest.splice(index, 1);
    return index >= 0;
  });
}

const classesOf = (codes: readonly string[]): readonly string[] =>
  [...new Set(codes.map((code) => CHANGES[code as ChangeCode].class))].toSorted(); // codes are those of `alarms`

const chosen = someOfEach(ROW_PAIRS, ({ name }) => name, { each: 2 });

test.each(chosen.map((pair) => [`${pair.isTable ? 'table: ' : ''}${pair.name}`, pair] as const))(
  '%s',
  async (_, { wide, narrow, isTable, areOthers }) => {
    const [more, fewer] = [await world.rows(wide), await world.rows(narrow)];
    expect([contains(more, fewer), contains(fewer, more)]).toEqual([!areOthers, false]);
    const [all, some] = [await modelOf(world, wide), await modelOf(world, narrow)];
    if (all === undefined || some === undefined) throw new Error('unreadable');
    expect(classesOf(alarms(some, all, isTable))).toEqual(
      areOthers ? ['breaking', 'security'] : ['security'],
    );
    expect(classesOf(alarms(all, some, isTable))).toEqual(
      areOthers ? ['breaking', 'security'] : ['breaking'],
    );
  },
);
