// The sandbox's check of a consumer's query.
import { ask, type RowSource } from '../context.ts';
import { within } from '../figures.ts';

export const sandbox: RowSource = {
  name: 'sandbox check of one text',
  prepare: async (context) => {
    const checks = context.start('sandbox-checks.ts', [await context.folder('checks')]);
    await checks.says(/ready/);
    const measure = (work: string) => () => ask(checks, { work, seconds: context.seconds });
    return {
      contenders: [
        { name: "the engine's EXPLAIN AST of it", measure: measure('explain') },
        { name: 'unseen, with the second opinion', measure: measure('unseen'), bar: within(1) },
        { name: 'seen before', measure: measure('seen'), bar: within(0.02) },
      ],
    };
  },
};
