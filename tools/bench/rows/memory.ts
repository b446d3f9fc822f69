// Memory of an idle service, and its growth under steady load.
import { readFile } from 'node:fs/promises';
import { load, type RowSource, type Target } from '../context.ts';
import { within, type Figure } from '../figures.ts';
import { HIT, cachedResponse } from './cached-response.ts';

const CONNECTIONS = 4;

export const memory: RowSource = {
  name: 'memory of a service with the embedded engine',
  prepare: async (context) => {
    const service = await context.serve({
      endpoints: await cachedResponse(context),
      data: await context.folder('data'),
    });
    const idle = await residentMiB(service);
    const hit = { ...service, url: `${service.url}${HIT}` };
    return {
      unit: 'MiB',
      contenders: [
        { name: 'before the first call', measure: async () => figure(idle), bar: within(350, 'MiB') },
        {
          name: 'after a load of cache hits',
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

/** Resident memory of the service and its engine process as Linux counts it; shared pages are counted twice. */
async function residentMiB({ process: { pid } }: Target): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const pids = [String(pid), ...children.trim().split(' ').filter(Boolean)];
  const all = await Promise.all(pids.map(residentOf));
  return all.reduce((total, each) => total + each, 0);
}

async function residentOf(pid: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
