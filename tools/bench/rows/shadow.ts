// Shadow runs of a next version: what callers of the version before notice.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context, RowSource, Target } from '../context.ts';
import type { Figure } from '../figures.ts';

/** Calls per second: the engine has spare capacity between them. */
const RATE = 50;
/** Longer than other rows: p99 of few calls is their maximum. */
const TIMES = 5;
const SHARES = { none: undefined, some: '5%', all: '100%' } as const;

export const shadow: RowSource = {
  name: 'shadow runs of the next version, uncached',
  prepare: async (context) => {
    const folder = await context.folder('versions');
    for (const [index, [name, share]] of Object.entries(SHARES).entries()) {
      await writeFile(
        join(folder, `${name}-1.yaml`),
        fileOf(name, index * 2 + 1, 'version: 1\ndefault: true'),
      );
      const rollout = share === undefined ? '' : `\nrollout: { shadow: ${share} }`;
      await writeFile(join(folder, `${name}-2.yaml`), fileOf(name, index * 2 + 2, `version: 2${rollout}`));
    }
    const service = await context.serve({ endpoints: folder, data: await context.folder('shadow-data') });
    const measure = (name: string) => () => paced(context, service, name);
    return {
      contenders: [
        { name: `no shadow, ${RATE} calls per second`, measure: measure('none') },
        {
          name: 'shadow of 5 % of calls',
          measure: measure('some'),
          bar: {
            text: 'p99 at most 1.02 x',
            isMet: ({ p99 }, reference) => p99 <= 1.02 * reference.p99,
          },
        },
        { name: 'shadow of all calls', measure: measure('all') },
      ],
    };
  },
};

/** A few milliseconds of work on one core, and 100 rows. */
function fileOf(name: string, number: number, version: string): string {
  return `id: 00000000-0000-4000-8000-00000000000${number}\nname: ${name}\n${version}\nquery: SELECT number % 100 AS key, sum(cityHash64(number)) AS hash FROM numbers(500000) GROUP BY key ORDER BY key\n`;
}

/** Calls at fixed times, however long they take: a slow call delays no other. */
async function paced({ seconds }: Context, { url, headers }: Target, name: string): Promise<Figure> {
  const took: number[] = [];
  const call = async (): Promise<void> => {
    const started = performance.now();
    const response = await fetch(`${url}/api/endpoints/query/${name}`, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${name}: ${response.status}`);
    took.push(performance.now() - started);
  };
  const begun = performance.now();
  const calls: Promise<void>[] = [];
  for (let index = 0; index < RATE * seconds * TIMES; index++) {
    const due = begun + (index * 1000) / RATE;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    calls.push(call());
  }
  await Promise.all(calls);
  took.sort((a, b) => a - b);
  const at = (share: number): number => took[Math.floor(took.length * share)] ?? 0;
  return { rate: took.length / ((performance.now() - begun) / 1000), p50: at(0.5), p99: at(0.99) };
}
