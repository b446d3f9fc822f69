// Worker processes that share one port, using Node's cluster module: https://nodejs.org/api/cluster.html
import cluster from 'node:cluster';
import type { Workers } from '../../kit/workers.ts';

/** Environment variable that holds a worker's index. */
const INDEX = 'MILLRACE_WORKER_INDEX';

export const workers: Workers = {
  index: cluster.isWorker ? Number(process.env[INDEX]) : undefined,
  fork: (index) => {
    const worker = cluster.fork({ [INDEX]: index });
    return {
      pid: worker.process.pid ?? 0,
      listening: new Promise((resolve) => worker.once('listening', () => resolve())),
      exited: new Promise((resolve) =>
        worker.once('exit', (code: number | null, signal: string | null) =>
          resolve({ code: code ?? -1, signal: signal ?? undefined }),
        ),
      ),
      signal: (name) => void worker.process.kill(name),
    };
  },
};

/** Closes the IPC channel to the primary, which would otherwise keep this process alive. */
export function leaveWorkers(): void {
  cluster.worker?.disconnect();
}
