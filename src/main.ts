// Connects the command line to the process: arguments, environment, streams and signals.
import { after, clock } from './app/clock.ts';
import { readVersion } from './app/version.ts';
import { leaveWorkers, workers } from './app/workers.ts';
import { runProgram } from './cli/program.ts';
import { createTerminal } from './cli/terminal.ts';
import { createLog, forTerminal, logStream, withPid } from './observe/log.ts';
import { createPlainLog } from './observe/plain.ts';

const STDOUT = 1;

/** Lines of worker processes, which share standard output, have their process id. */
function logOf(worker: number | undefined): ReturnType<typeof logStream> {
  const file = logStream(STDOUT, after);
  const stream = process.stdout.isTTY ? forTerminal(file) : file;
  return worker === undefined ? stream : withPid(stream, process.pid);
}

/** Runs one command line and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  const terminal = createTerminal(process.stdout, process.stderr, process.env);
  process.exitCode = await runProgram(argv, {
    version: readVersion(),
    env: process.env,
    terminal,
    // Loaded on demand: loading them takes longer than running most commands.
    openEngine: async (...given) => (await import('./app/engine.ts')).openEngine(...given),
    openService: async (given) => (await import('./app/service.ts')).openService(given),
    openLocal: async (given) => (await import('./app/local.ts')).openLocal(given),
    openTestRuntime: async (given) => (await import('./app/test-runtime.ts')).openTestRuntime(given),
    openMcp: async (given) => (await import('./app/mcp-stdio.ts')).openMcpStdio(given),
    streams: { input: process.stdin, output: process.stdout },
    readUses: async (given) => (await import('./app/keys.ts')).readUses(given),
    workers,
    openLog: (level, isDevelopment) =>
      isDevelopment && level !== 'silent'
        ? createPlainLog(terminal.note)
        : createLog(level, logOf(workers.index), clock.epoch),
    onSignal: ({ stop, reload }) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop(signal));
      process.on('SIGHUP', reload);
    },
  });
  leaveWorkers();
}
