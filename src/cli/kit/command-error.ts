// An expected failure of a command: its message, details and the exit code.
import type { Terminal } from './terminal.ts';

/** Exit codes of every command: 1 findings or failure, 2 usage error, 3 internal defect. */
export type ExitCode = 1 | 2 | 3;

export interface CommandErrorOptions {
  readonly exitCode?: ExitCode;
  readonly cause?: unknown;
  /** Printed below the message, each on a line of its own. */
  readonly details?: readonly string[];
}

export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly details: readonly string[];

  constructor(message: string, options: CommandErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CommandError';
    this.exitCode = options.exitCode ?? 1;
    this.details = options.details ?? [];
  }
}

/** Prints the message and the details; `prefix` is printed in front of the message. */
export function noteError(
  { message, details }: CommandError,
  { note }: Pick<Terminal, 'note'>,
  prefix = '',
): void {
  note(`${prefix}${message}`);
  for (const detail of details) note(`  ${detail}`);
}
