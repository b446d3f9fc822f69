// The command line: its commands, exit codes and error messages.
import { Command, CommanderError, Help, type Option } from 'commander';
import { SETTINGS_GROUP, type AddCommand, type CommandDeps } from './kit/command.ts';
import { MissingPackageError } from '../sql/base/observation.ts';
import { CommandError, noteError } from './kit/command-error.ts';
import type { Terminal } from './kit/terminal.ts';

/** In the order of the help. Each is loaded on demand: loading all takes longer than running most of them. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  init: async () => (await import('./commands/init/command.ts')).addInit,
  serve: async () => (await import('./commands/serve/command.ts')).addServe,
  validate: async () => (await import('./commands/validate/command.ts')).addValidate,
  cost: async () => (await import('./commands/cost/command.ts')).addCost,
  why: async () => (await import('./commands/why/command.ts')).addWhy,
  top: async () => (await import('./commands/top/command.ts')).addTop,
  exposure: async () => (await import('./commands/exposure/command.ts')).addExposure,
  test: async () => (await import('./commands/test/command.ts')).addTest,
  schema: async () => (await import('./commands/schema/command.ts')).addSchema,
  diff: async () => (await import('./commands/diff/command.ts')).addDiff,
  impact: async () => (await import('./commands/impact/command.ts')).addImpact,
  conformance: async () => (await import('./commands/conformance/command.ts')).addConformance,
  query: async () => (await import('./commands/query/command.ts')).addQuery,
  mcp: async () => (await import('./commands/mcp/command.ts')).addMcp,
  lsp: async () => (await import('./commands/lsp/command.ts')).addLsp,
  redact: async () => (await import('./commands/redact/command.ts')).addRedact,
  token: async () => (await import('./commands/token/command.ts')).addToken,
  seed: async () => (await import('./commands/seed/command.ts')).addSeed,
  load: async () => (await import('./commands/load/command.ts')).addLoad,
  rollup: async () => (await import('./commands/rollup/command.ts')).addRollup,
  doctor: async () => (await import('./commands/doctor/command.ts')).addDoctor,
  capacity: async () => (await import('./commands/capacity/command.ts')).addCapacity,
  new: async () => (await import('./commands/new/command.ts')).addNew,
  import: async () => (await import('./commands/import/command.ts')).addImport,
  reconvert: async () => (await import('./commands/reconvert/command.ts')).addReconvert,
  format: async () => (await import('./commands/format/command.ts')).addFormat,
  types: async () => (await import('./commands/types/command.ts')).addTypes,
  openapi: async () => (await import('./commands/openapi/command.ts')).addOpenapi,
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
  const program = createProgram(await loadCommands(argv), { ...deps, setExitCode });
  try {
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

/** The named command; none for the version; all commands for the help and for suggestions. */
async function loadCommands([, , name = '']: readonly string[]): Promise<readonly AddCommand[]> {
  if (name === '--version' || name === '-V') return [];
  const loads = Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]] : Object.values(COMMANDS);
  return Promise.all(loads.flatMap((load) => load?.() ?? []));
}

function createProgram(commands: readonly AddCommand[], deps: CommandDeps): Command {
  const program = new Command('millrace')
    .description('Turn a folder of YAML files into an HTTP API over ClickHouse.')
    .version(deps.version)
    .showSuggestionAfterError()
    .showHelpAfterError('(run with --help for all options)')
    .configureHelp({ optionDescription: describeOption, groupItems: settingsLast })
    .configureOutput({
      writeOut: (text) => printLines(text, deps.terminal.print),
      writeErr: (text) => printLines(text, deps.terminal.note),
    })
    .exitOverride();
  for (const add of commands) add(program, deps);
  for (const command of program.commands) inheritExit(command);
  return program;
}

/** An option that can be repeated has an empty list by default, which its description explains or need not mention. */
function describeOption(option: Option): string {
  return new Help().optionDescription(option).replace(' (default: [])', '');
}

/** A command's own options come first. */
function settingsLast<T extends Command | Option>(
  all: T[],
  visible: T[],
  groupOf: (item: T) => string,
): Map<string, T[]> {
  const groups = new Help().groupItems(all, visible, groupOf);
  const settings = groups.get(SETTINGS_GROUP);
  if (settings === undefined) return groups;
  groups.delete(SETTINGS_GROUP);
  return groups.set(SETTINGS_GROUP, settings);
}

function inheritExit(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) inheritExit(each);
}
