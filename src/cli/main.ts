// Connects the command line to the process: arguments, environment, streams and signals.
import type { ProcessLog, ProcessLogOptions } from '../service/app/log.ts';
import { readVersion } from '../service/app/version.ts';
import { runProgram } from './program.ts';
import { leaveWorkers, workers } from './commands/serve/worker-processes.ts';
import type { OpenEngine } from './kit/dependencies.ts';
import { createTerminal } from './kit/terminal.ts';

/** After a signal, how long the readers of the output may take for the rest of it. */
const FINISH_MS = 1000;

/** Runs one command line and sets the exit code. `around` is for programs that run several and share their engines. */
export async function main(
  argv: readonly string[],
  around: (open: OpenEngine) => OpenEngine = (open) => open,
): Promise<void> {
  const terminal = createTerminal(process.stdout, process.stderr, process.env);
  let opened: Promise<ProcessLog> | undefined;
  const log = (): Promise<ProcessLog> =>
    (opened ??= openLog({
      output: process.stdout,
      errors: process.stderr,
      note: terminal.note,
      worker: workers.index,
    }));
  let isStopped = false;
  process.exitCode = await runProgram(argv, {
    version: readVersion(),
    env: process.env,
    terminal,
    // Loaded on demand: loading them takes longer than running most commands.
    openEngine: around(async (...given) => (await import('../service/app/engine.ts')).openEngine(...given)),
    openService: async (given) => (await import('../service/app/service.ts')).openService(given),
    openLocal: async (given) => (await import('../service/app/local.ts')).openLocal(given),
    openTestRuntime: async (given) => (await import('../service/app/test-runtime.ts')).openTestRuntime(given),
    openMcp: async (given) => (await import('../service/app/mcp-stdio.ts')).openMcpStdio(given),
    streams: { input: process.stdin, output: process.stdout },
    readUses: async (given) => (await import('../service/app/keys.ts')).readUses(given),
    workers,
    openLog: async (...given) => (await log()).open(...given),
    onSignal: ({ stop, reload }) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const)
        process.once(signal, () => {
          isStopped = true;
          stop(signal);
        });
      process.on('SIGHUP', reload);
    },
  });
  leaveWorkers();
  // Output that is not read would keep the process running.
  if (isStopped && !(await (await log()).finish(FINISH_MS))) process.exit();
}

async function openLog(options: ProcessLogOptions): Promise<ProcessLog> {
  return (await import('../service/app/log.ts')).createProcessLog(options);
}
