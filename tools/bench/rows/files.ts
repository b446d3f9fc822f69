// Folders of many endpoint files: a full load, and a change to one file.
import { ask, type RowSource } from '../context.ts';
import { within } from '../figures.ts';

export const files: RowSource = {
  name: 'endpoint files',
  prepare: async (context) => {
    const loading = context.start('endpoint-files.ts', [await context.folder('files')]);
    await loading.says(/ready/);
    const measure = (measurement: string) => () => ask(loading, { measurement, seconds: context.seconds });
    return {
      contenders: [
        { name: '1,000 loaded', measure: measure('1000'), bar: within(1000) },
        { name: '10,000 loaded', measure: measure('10000'), bar: within(6000) },
        {
          name: 'longest event-loop block while loading 10,000',
          measure: measure('hold'),
          bar: within(35),
        },
        { name: 'one of 10,000 changed, until in service', measure: measure('change'), bar: within(300) },
      ],
    };
  },
};
