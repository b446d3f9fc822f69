// The command line: its commands, its exit codes, and one clear line for whatever goes wrong.
import { Command, CommanderError } from 'commander';
import type { AddCommand, CommandDeps } from './command.ts';
import { CommandError } from './command-error.ts';
import { addCapacity } from './commands/capacity.ts';
import { addDiff } from './commands/diff.ts';
import { addDoctor } from './commands/doctor.ts';
import { addFormat } from './commands/format.ts';
import { addNew } from './commands/new.ts';
import { addOpenapi } from './commands/openapi.ts';
import { addQuery } from './commands/query.ts';
import { addSeed } from './commands/seed.ts';
import { addServe } from './commands/serve.ts';
import { addTest } from './commands/test.ts';
import { addToken } from './commands/token.ts';
import { addTypes } from './commands/types.ts';
import { addValidate } from './commands/validate.ts';

const COMMANDS: readonly AddCommand[] = [
  addServe,
  addValidate,
  addTest,
  addDiff,
  addQuery,
  addToken,
  addSeed,
  addDoctor,
  addCapacity,
  addNew,
  addFormat,
  addTypes,
  addOpenapi,
];

export type ProgramDeps = Omit<CommandDeps, 'setExitCode'>;

/** Runs one command line (as in `process.argv`); resolves to the exit code, having printed why when it is not 0. */
export async function runProgram(argv: readonly string[], deps: ProgramDeps): Promise<number> {
  let exitCode = 0;
  const setExitCode = (code: number): void => {
    exitCode = code;
  };
  const program = createProgram({ ...deps, setExitCode });
  try {
    await program.parseAsync([...argv]);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // it has printed its own line
    const { note, paint } = deps.terminal;
    if (!(error instanceof CommandError)) {
      note(
        `${paint('red', 'millrace: a defect:')} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      return 3;
    }
    note(`${paint('red', 'millrace:')} ${error.message}`);
    return error.exitCode;
  }
}

function createProgram(deps: ProgramDeps & CommandDeps): Command {
  const program = new Command('millrace')
    .description('A folder of YAML files becomes an HTTP API over ClickHouse.')
    .version(deps.version)
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for the flags)')
    .configureOutput({
      writeOut: (text) => deps.terminal.print(text.trimEnd()),
      writeErr: (text) => deps.terminal.note(text.trimEnd()),
    })
    .exitOverride();
  for (const add of COMMANDS) add(program, deps);
  for (const command of program.commands) inheritExit(command);
  return program;
}

function inheritExit(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) inheritExit(each);
}
