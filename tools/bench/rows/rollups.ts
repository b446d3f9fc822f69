// Queries over months of a generated table, from its rows and from its rollup; and what a rollup costs.
import { ask, type RowSource } from '../context.ts';
import { atLeast, within, type Bar, type Row } from '../figures.ts';
import { QUERIES } from '../parts/rollup-queries.ts';

/** Rows of the busy project; the table has an eighth more. */
const ROWS = 100_000_000;
const DAYS = 90;
const NAME = `rollup of ${ROWS.toLocaleString('en')} rows`;

const OF_QUERY: Bar = {
  text: 'p50 at most 1/10, rows read at most 1/50',
  isMet: (own, rows) =>
    10 * own.p50 <= rows.p50 && 50 * (own.read?.rows ?? Infinity) <= (rows.read?.rows ?? 0),
};

const ROWS_OF_HOUR = ROWS / DAYS / 24;

const OF_ENDS: Bar = {
  text: 'at most 2 hours of rows more',
  isMet: (own, aligned) => (own.read?.rows ?? Infinity) <= (aligned.read?.rows ?? 0) + 2 * ROWS_OF_HOUR,
};

export const rollups: RowSource = {
  name: NAME,
  prepare: async (context) => {
    const runs = context.start('rollups.ts', [await context.folder('rollups'), String(ROWS)]);
    await runs.says(/ready/);
    const measure = (measurement: string) => () => ask(runs, { measurement, seconds: context.seconds });
    const queries = QUERIES.map(({ name }): Row => ({
      name: `${NAME}: ${name}`,
      contenders: [
        { name: 'rows', measure: measure(`${name}, rows`) },
        { name: 'rollup', measure: measure(`${name}, rollup`), bar: OF_QUERY },
      ],
    }));
    return {
      rows: [
        ...queries,
        {
          name: `${NAME}: ends of a range by hour`,
          contenders: [
            { name: 'whole hours', measure: measure('aligned') },
            { name: 'to the microsecond', measure: measure('ragged'), bar: OF_ENDS },
          ],
        },
        {
          name: `${NAME}: planning an unseen query`,
          contenders: [
            { name: 'saved', measure: measure('plan saved'), bar: within(0.3) },
            { name: "a consumer's, with the engine's check", measure: measure('plan consumer') },
          ],
        },
        ...[1000, 10_000].map((rows): Row => ({
          name: `${NAME}: inserts of ${rows.toLocaleString('en')} rows as JSON`,
          contenders: [
            { name: 'no rollup', measure: measure(`insert ${rows} plain`) },
            { name: 'a rollup by minute', measure: measure(`insert ${rows} rolled`), bar: atLeast(0.77) },
            {
              name: 'minutes, hours and days, with uniq and p95',
              measure: measure(`insert ${rows} stacked`),
            },
          ],
        })),
        {
          name: `${NAME}: filling 10,000,000 rows`,
          contenders: [
            { name: "the engine's INSERT SELECT", measure: measure('fill by hand') },
            { name: 'filled and compared', measure: measure('fill'), bar: atLeast(0.5) },
          ],
        },
      ],
    };
  },
};
