// Consumer queries compared with the same queries as saved endpoints: over the sample, and over a large table.
import { ask, type RowSource } from '../context.ts';
import type { Bar } from '../figures.ts';
import { BY_HAND } from '../parts/consumer-query-texts.ts';

const BAR: Bar = {
  text: 'p50 at most 1.3 x, rows and bytes read at most 1.1 x',
  isMet: (own, hand) =>
    own.p50 <= 1.3 * hand.p50 &&
    (own.read?.rows ?? Infinity) <= 1.1 * (hand.read?.rows ?? 0) &&
    (own.read?.bytes ?? Infinity) <= 1.1 * (hand.read?.bytes ?? 0),
};

function queriesOver(name: string, isLarge: boolean): RowSource {
  return {
    name,
    prepare: async (context) => {
      const count = String(isLarge ? context.tableRows : 0);
      const queries = context.start('consumer-queries.ts', [await context.sampleData('data'), count]);
      await queries.says(/ready/);
      const measure = (work: string) => () => ask(queries, { work, seconds: context.seconds });
      return {
        rows: BY_HAND.map((query) => ({
          name: `${name}: ${query.name}`,
          contenders: [
            { name: 'saved endpoint, by hand', measure: measure(`${query.name}, by hand`) },
            { name: 'consumer query', measure: measure(`${query.name}, consumer`), bar: BAR },
          ],
        })),
      };
    },
  };
}

export const consumerQueries: readonly RowSource[] = [
  queriesOver('consumer query, sample', false),
  queriesOver('consumer query, large table', true),
];
