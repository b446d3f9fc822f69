// The cost of never evaluating a consumer's condition on another tenant's rows, by kind of query.
import { ask, type RowSource } from '../context.ts';

/** Over `logs.all` and the sample data; `parts/isolation.ts` uses the same names. */
const QUERIES = ['newest rows', 'a window by hour', 'rows by a text', 'rows by a JSON path'] as const;

export const isolation: readonly RowSource[] = QUERIES.map((query) => ({
  name: `consumer's query: ${query}`,
  prepare: async (context) => {
    const runs = context.start('isolation.ts', [await context.sampleData('data')]);
    await runs.says(/ready/);
    const measure = (form: string) => () =>
      ask(runs, { measurement: `${query}, ${form}`, seconds: context.seconds });
    return {
      contenders: [
        { name: 'not isolated', measure: measure('open') },
        { name: 'isolated by settings: it cannot fail on a row', measure: measure('set') },
        { name: 'behind a barrier: it could', measure: measure('barred') },
      ],
    };
  },
}));
