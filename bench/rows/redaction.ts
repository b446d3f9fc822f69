// Redaction of personal data in rows.
import { ask, type RowSource } from '../context.ts';
import { within } from '../figures.ts';

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
