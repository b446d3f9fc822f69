// Processes that share one port, by Node's cluster: https://nodejs.org/api/cluster.html
import cluster from 'node:cluster';
import type { Workers } from '../cli/workers.ts';

/** How a worker is told which one it is. */
const INDEX = 'MILLRACE_WORKER_INDEX';

export const workers: Workers = {
  index: cluster.isWorker ? Number(process.env[INDEX]) : undefined,
  fork: (index) => {
    const worker = cluster.fork({ [INDEX]: index });
    return {
      pid: worker.process.pid ?? 0,
      listening: new Promise((resolve) => worker.once('listening', () => resolve())),
      exited: new Promise((resolve) => worker.once('exit', (code: number | null) => resolve(code ?? -1))),
      signal: (name) => void worker.process.kill(name),
    };
  },
};

/** The line to the process that started this one would keep it alive. */
export function leaveWorkers(): void {
  cluster.worker?.disconnect();
}
