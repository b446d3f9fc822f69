// The supervisor of a run: `tsx supervisor.ts FOLDER`. When the runner ends, however it does, it kills the processes that
// belong to the run's temporary folder and removes the folder.
import { rm } from 'node:fs/promises';
import { endProcessesOf } from './owned-processes.ts';

const [, , folder = ''] = process.argv;

// A terminal signals the whole process group; the runner alone decides when it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// The other end is open as long as the runner lives.
for await (const _ of process.stdin);
endProcessesOf(folder);
await rm(folder, { recursive: true, force: true, maxRetries: 5 });
