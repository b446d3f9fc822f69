// The command line: its commands, exit codes and error messages.
import { Command, CommanderError } from 'commander';
import type { AddCommand, CommandDeps } from './kit/command.ts';
import { MissingPackageError } from '../sql/base/observation.ts';
import { CommandError, noteError } from './kit/command-error.ts';
import { HELP } from './kit/help.ts';
import type { Terminal } from './kit/terminal.ts';

/** A command, which is loaded when it runs: loading all of them takes longer than running most of them. */
interface Listed {
  /** The line of the help of all commands. */
  readonly summary: string;
  readonly load: () => Promise<AddCommand>;
}

/** In the order of the help. */
const COMMANDS: Readonly<Record<string, Listed>> = {
  init: {
    summary: 'Create a repository of endpoints with examples, schemas and CI workflows',
    load: async () => (await import('./commands/init/command.ts')).addInit,
  },
  serve: {
    summary: 'Serve the endpoints and reload them on change',
    load: async () => (await import('./commands/serve/command.ts')).addServe,
  },
  validate: {
    summary: 'Report every error in endpoint files, with file:line:column',
    load: async () => (await import('./commands/validate/command.ts')).addValidate,
  },
  cost: {
    summary: 'Estimate what the calls of examples read from tables of real size',
    load: async () => (await import('./commands/cost/command.ts')).addCost,
  },
  exposure: {
    summary: 'Print which tables and columns endpoints expose, and to which keys',
    load: async () => (await import('./commands/exposure/command.ts')).addExposure,
  },
  test: {
    summary: 'Run the examples of endpoint files against fixtures',
    load: async () => (await import('./commands/test/command.ts')).addTest,
  },
  watch: {
    summary: 'Print when a watch would have fired',
    load: async () => (await import('./commands/watch/command.ts')).addWatch,
  },
  schema: {
    summary: 'Manage the definitions of the tables that endpoints read',
    load: async () => (await import('./commands/schema/command.ts')).addSchema,
  },
  diff: {
    summary: 'Show how changes of endpoint files affect callers and security',
    load: async () => (await import('./commands/diff/command.ts')).addDiff,
  },
  impact: {
    summary: 'List the consumer queries that a change of endpoint files breaks',
    load: async () => (await import('./commands/impact/command.ts')).addImpact,
  },
  conformance: {
    summary: 'Run a folder of queries against an endpoint',
    load: async () => (await import('./commands/conformance/command.ts')).addConformance,
  },
  query: {
    summary: 'Run one endpoint from the shell and print its rows',
    load: async () => (await import('./commands/query/command.ts')).addQuery,
  },
  mcp: {
    summary: 'Serve the Model Context Protocol over standard input and output',
    load: async () => (await import('./commands/mcp/command.ts')).addMcp,
  },
  lsp: {
    summary: 'Serve the Language Server Protocol over standard input and output',
    load: async () => (await import('./commands/lsp/command.ts')).addLsp,
  },
  redact: {
    summary: 'Report what redaction does to a sample of rows',
    load: async () => (await import('./commands/redact/command.ts')).addRedact,
  },
  token: {
    summary: 'Manage the keys in the tokens file',
    load: async () => (await import('./commands/token/command.ts')).addToken,
  },
  seed: {
    summary: 'Load the seeds into the embedded engine',
    load: async () => (await import('./commands/seed/command.ts')).addSeed,
  },
  load: {
    summary: 'Load rows from files into a table of the embedded engine',
    load: async () => (await import('./commands/load/command.ts')).addLoad,
  },
  rollup: {
    summary: 'Create, fill and compare the rollups of the files',
    load: async () => (await import('./commands/rollup/command.ts')).addRollup,
  },
  doctor: {
    summary: 'Test the SQL sandbox, and the privileges and settings of the server',
    load: async () => (await import('./commands/doctor/command.ts')).addDoctor,
  },
  why: {
    summary: 'Print why a call took its time, and what would make it faster',
    load: async () => (await import('./commands/why/command.ts')).addWhy,
  },
  top: {
    summary: 'Show the endpoints and keys that take the most time',
    load: async () => (await import('./commands/top/command.ts')).addTop,
  },
  capacity: {
    summary: 'Print the CREATE WORKLOAD statements for the workloads of the files',
    load: async () => (await import('./commands/capacity/command.ts')).addCapacity,
  },
  new: {
    summary: 'Create an endpoint file from a template or a query',
    load: async () => (await import('./commands/new/command.ts')).addNew,
  },
  import: {
    summary: 'Create endpoint files from the queries of another tool',
    load: async () => (await import('./commands/import/command.ts')).addImport,
  },
  reconvert: {
    summary: 'Find converted queries that this release converts otherwise',
    load: async () => (await import('./commands/reconvert/command.ts')).addReconvert,
  },
  format: {
    summary: 'Format endpoint files',
    load: async () => (await import('./commands/format/command.ts')).addFormat,
  },
  types: {
    summary: 'Write a TypeScript module for the endpoints',
    load: async () => (await import('./commands/types/command.ts')).addTypes,
  },
  openapi: {
    summary: 'Write the OpenAPI 3.1 document of the endpoints',
    load: async () => (await import('./commands/openapi/command.ts')).addOpenapi,
  },
};

/** The names of all commands. */
export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

export type ProgramDeps = Omit<CommandDeps, 'setExitCode'>;

/** Runs one command line (as in `process.argv`); resolves to the exit code. Prints the error if it is not 0. */
export async function runProgram(argv: readonly string[], deps: ProgramDeps): Promise<number> {
  let exitCode = 0;
  const setExitCode = (code: number): void => {
    exitCode = code;
  };
  const program = createProgram(deps);
  try {
    await addCommands(program, argv, { ...deps, setExitCode });
    for (const command of program.commands) inheritExit(command);
    await program.parseAsync([...argv]);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has printed its own message
    return reportError(error, deps.terminal);
  }
}

/** Prints an error of a command; returns the exit code. */
function reportError(error: unknown, terminal: Terminal): number {
  const { note, paint } = terminal;
  const prefix = `${paint('red', 'millrace:')} `;
  if (isOfFile(error) || error instanceof MissingPackageError) {
    note(`${prefix}${error.message}`);
    return 1;
  }
  if (error instanceof CommandError) {
    noteError(error, terminal, prefix);
    return error.exitCode;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  printLines(`${paint('red', 'millrace: internal error:')} ${stack}`, note);
  return 3;
}

function printLines(text: string, print: Terminal['print']): void {
  for (const line of text.trimEnd().split('\n')) print(line);
}

const FILE_CODES: ReadonlySet<unknown> = new Set(
  'EACCES EDQUOT EEXIST EISDIR ENAMETOOLONG ENOENT ENOSPC ENOTDIR EPERM EROFS'.split(' '),
);

/** Returns whether the file system rejected a path, such as a folder where a file is to be written. The message names both. */
function isOfFile(error: unknown): error is Error {
  return error instanceof Error && 'path' in error && 'code' in error && FILE_CODES.has(error.code);
}

/** Adds the command that a command line names; the others are listed in the help and suggested. */
async function addCommands(program: Command, argv: readonly string[], deps: CommandDeps): Promise<void> {
  const [first, second] = argv.slice(2).filter((word) => !word.startsWith('-'));
  const named = first === 'help' ? second : first;
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    if (name === named) (await load())(program, deps);
    else program.command(name);
    program.commands.at(-1)?.summary(summary);
  }
}

function createProgram(deps: ProgramDeps): Command {
  return new Command('millrace')
    .description('Turn a folder of YAML files into an HTTP API over ClickHouse.')
    .version(deps.version)
    .showSuggestionAfterError()
    .showHelpAfterError('(run with --help for all options)')
    .configureHelp(HELP)
    .configureOutput({
      writeOut: (text) => printLines(text, deps.terminal.print),
      writeErr: (text) => printLines(text, deps.terminal.note),
    })
    .exitOverride();
}

function inheritExit(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) inheritExit(each);
}
