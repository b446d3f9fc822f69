// The cost per statement of running the engine in a separate process.
import { ask, type RowSource } from '../context.ts';
import type { Bar } from '../figures.ts';

const BAR: Bar = {
  text: 'p50 at most 0.5 ms more',
  isMet: ({ p50 }, reference) => p50 <= reference.p50 + 0.5,
};

const MEASUREMENTS = { small: 'SELECT 1', rows: '100 rows of 300 bytes' };

export const engineProcess: readonly RowSource[] = Object.entries(MEASUREMENTS).map(
  ([measurement, what]) => ({
    name: `engine process: ${what}`,
    prepare: async (context) => {
      const measure = async (where: string) => {
        const calls = context.start('engine-calls.ts', [await context.folder(where), where]);
        await calls.says(/ready/);
        return () => ask(calls, { measurement, seconds: context.seconds });
      };
      return {
        contenders: [
          { name: 'the engine in the same process', measure: await measure('inside') },
          { name: 'in a process of its own', measure: await measure('apart'), bar: BAR },
        ],
      };
    },
  }),
);
