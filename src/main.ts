// The process: its arguments, environment, streams and signals handed to the command line.
import { readFileSync } from 'node:fs';
import { openEngine } from './app/engine.ts';
import { readUses } from './app/keys.ts';
import { openLocal } from './app/local.ts';
import { openService } from './app/service.ts';
import { openTrial } from './app/trial.ts';
import { leaveWorkers, workers } from './app/workers.ts';
import { runProgram } from './cli/program.ts';
import { createTerminal } from './cli/terminal.ts';
import { createLog } from './observe/log.ts';
import { createPlainLog } from './observe/plain.ts';

/** Runs one command line and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  const terminal = createTerminal(process.stdout, process.stderr, process.env);
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.exitCode = await runProgram(argv, {
    version: (manifest as { version: string }).version, // our own manifest
    env: process.env,
    terminal,
    openEngine,
    openService,
    openLocal,
    openTrial,
    readUses,
    workers,
    openLog: (level, isDevelopment) =>
      isDevelopment && level !== 'silent' ? createPlainLog(terminal.note) : createLog(level, process.stdout),
    onSignal: ({ stop, reload }) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop(signal));
      process.on('SIGHUP', reload);
    },
  });
  leaveWorkers();
}
