// Redaction of personal data in rows.
import { ask, type RowSource } from '../context.ts';
import { atLeast, within } from '../figures.ts';

export const redaction: RowSource = {
  name: 'redaction of 1,000 rows of 1.1 KB',
  prepare: async (context) => {
    const redacting = context.start('redaction.ts', []);
    await redacting.says(/ready/);
    const measure = (measurement: string) => () => ask(redacting, { measurement, seconds: context.seconds });
    return {
      contenders: [
        { name: 'three regular expressions', measure: measure('regexes') },
        { name: 'IP addresses and e-mail', measure: measure('scanner'), bar: within(12) },
        { name: 'all detectors', measure: measure('every') },
        {
          name: 'all detectors, five adversarial strings of 50 KB',
          measure: measure('hostile'),
          bar: within(100),
        },
      ],
    };
  },
};

/** Over `logs.all` and the sample data; `parts/source-redaction.ts` uses the same names. */
const QUERIES = [
  { query: 'newest rows', most: 2.5 },
  { query: 'count of a text', most: 2.5 },
  { query: 'groups by a path', most: 2.5 },
  { query: 'whole documents', most: undefined },
] as const;

/** Redaction of the tables that a consumer query reads, relative to the same query without. */
export const sourceRedaction: readonly RowSource[] = QUERIES.map(({ query, most }) => ({
  name: `redaction at the source: ${query}`,
  prepare: async (context) => {
    const runs = context.start('source-redaction.ts', [await context.sampleData('data')]);
    await runs.says(/ready/);
    const measure = (form: string) => () =>
      ask(runs, { measurement: `${query}, ${form}`, seconds: context.seconds });
    const bar = most === undefined ? {} : { bar: atLeast(1 / most) };
    return {
      contenders: [
        { name: 'tables as they are', measure: measure('as they are') },
        { name: 'redacted tables', measure: measure('redacted'), ...bar },
      ],
    };
  },
}));
