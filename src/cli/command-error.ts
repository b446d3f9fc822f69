// An expected failure of a command: a one-line message and the exit code.

/** Exit codes of every command: 1 findings or failure, 2 usage error, 3 internal defect. */
export type ExitCode = 1 | 2 | 3;

export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, options: { readonly exitCode?: ExitCode; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CommandError';
    this.exitCode = options.exitCode ?? 1;
  }
}
