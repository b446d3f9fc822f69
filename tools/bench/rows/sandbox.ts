// The sandbox's check of a consumer query.
import { ask, type RowSource } from '../context.ts';
import { within, type Bar } from '../figures.ts';

export const sandbox: RowSource = {
  name: 'sandbox check of one query',
  prepare: async (context) => {
    const checks = context.start('sandbox-checks.ts', [await context.folder('checks')]);
    await checks.says(/ready/);
    const bar: Bar = {
      text: 'p50 at most 1 x + 0.2 ms',
      isMet: (own, explain) => own.p50 <= explain.p50 + 0.2,
    };
    const measure = (measurement: string) => () => ask(checks, { measurement, seconds: context.seconds });
    return {
      contenders: [
        { name: "the engine's EXPLAIN AST", measure: measure('explain') },
        { name: 'new query, with the query-tree check', measure: measure('unseen'), bar },
        { name: 'known query with other values', measure: measure('values'), bar },
        { name: 'repeated query', measure: measure('seen'), bar: within(0.02) },
      ],
    };
  },
};
