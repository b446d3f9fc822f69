// Pairs of queries before and after a change: rows show what the change does.
import { afterAll, expect, test } from 'vitest';
import { modelOf, securityChanges } from './judge.ts';
import { FILTERS } from './pairs/filters.ts';
import { EQUAL, FEWER, OWN } from './pairs/harmless.ts';
import { JOINS } from './pairs/joins.ts';
import type { Pair } from './pairs/pair.ts';
import { openProducts } from './pairs/schema.ts';
import { FOREIGN, HIDDEN } from './pairs/values.ts';

const ALL: readonly Pair[] = [...JOINS, ...FILTERS, ...FOREIGN, ...HIDDEN, ...EQUAL, ...FEWER, ...OWN];

const world = await openProducts();
afterAll(() => world.close());

const linesOf = async (sql: string): Promise<readonly string[]> => (await world.rows(sql)).split('\n');

/** What a call of one tenant can see of the change. */
async function expectShown({ before, after, shown }: Pair): Promise<void> {
  switch (shown) {
    case 'other tenants':
      return expect([await world.leaks(before), await world.leaks(after)]).toEqual([false, true]);
    case 'equal':
      for (const database of ['alone', 'other', 'changed'] as const)
        expect(await world.rows(after, { database })).toBe(await world.rows(before, { database }));
      return;
    case 'more': {
      const values = new Set((await linesOf(before)).flatMap((line) => line.split('\t')));
      const lines = new Set(await linesOf(before));
      const isNew = (line: string): boolean =>
        !lines.has(line) || line.split('\t').some((value) => !values.has(value));
      return expect((await linesOf(after)).filter(isNew)).not.toEqual([]);
    }
    case 'fewer': {
      const lines = await linesOf(before);
      expect((await linesOf(after)).filter((line) => !lines.includes(line))).toEqual([]);
      return expect(await world.leaks(after)).toBe(false);
    }
    case 'own':
      return expect(await world.leaks(after)).toBe(false);
  }
}

const isDangerous = ({ shown }: Pair): boolean => shown === 'other tenants' || shown === 'more';

test.each(ALL.map((pair) => [`${pair.shown}: ${pair.name}`, pair] as const))('%s', async (_, pair) => {
  expect(pair.after).not.toBe(pair.before);
  await expectShown(pair);
  const [before, after] = [await modelOf(world, pair.before), await modelOf(world, pair.after)];
  const changes = securityChanges(before, after, pair.isTable);
  if (isDangerous(pair)) expect(changes).not.toEqual([]);
  else expect(changes).toEqual([]);
});

test('each pair has its own name', () => {
  const names = ALL.map(({ name, shown }) => `${shown} ${name}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
