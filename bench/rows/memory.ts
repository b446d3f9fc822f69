// Memory of a service that waits, and how it grows under a steady load.
import { readFile } from 'node:fs/promises';
import { load, type RowSource, type Target } from '../context.ts';
import { within, type Figure } from '../figures.ts';
import { HIT, keptAnswer } from './kept-answer.ts';

const CONNECTIONS = 4;

export const memory: RowSource = {
  name: 'memory of a service with the embedded engine open',
  prepare: async (context) => {
    const service = await context.serve({
      endpoints: await keptAnswer(context),
      data: await context.folder('data'),
    });
    const idle = await residentMiB(service);
    const hit = { ...service, url: `${service.url}${HIT}` };
    return {
      unit: 'MiB',
      contenders: [
        { name: 'before the first call', measure: async () => figure(idle), bar: within(350, 'MiB') },
        {
          name: 'after a load of hits',
          measure: async () => {
            await load(hit, CONNECTIONS, context.seconds);
            return figure(await residentMiB(service));
          },
        },
      ],
    };
  },
};

function figure(mib: number): Figure {
  return { rate: 1, p50: mib, p99: mib };
}

/** Resident memory by Linux' own count. */
async function residentMiB({ process: { pid } }: Target): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
