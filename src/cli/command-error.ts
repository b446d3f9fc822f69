// A command that cannot do what it was asked: one clear line, and how the process exits.

/** Exit codes of every command: 1 findings or a refusal, 2 misuse, 3 a defect of ours. */
export type ExitCode = 1 | 2 | 3;

export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, options: { readonly exitCode?: ExitCode; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CommandError';
    this.exitCode = options.exitCode ?? 1;
  }
}
