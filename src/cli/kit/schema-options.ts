// Where the definitions of the tables are: the flags that commands share, and their default.
import { visible } from '../../service/observe/visible-text.ts';
import { existsSync, readdirSync } from 'node:fs';
import type { Command } from 'commander';
import type { Settings } from '../../service/config/settings.ts';
import type { LoadedSchema } from '../schema/load-schema.ts';
import { SchemaError } from '../schema/schema-files.ts';
import { CommandError } from './command-error.ts';
import { settingsOf, type CommandDeps } from './command.ts';
import type { Terminal } from './terminal.ts';

export interface SchemaFlags {
  readonly schema?: string;
  readonly schemaDatabase?: string;
  readonly engineSources?: string;
  readonly variables?: string;
}

export interface SchemaChoice {
  /** A folder of scripts or migrations, or a file. Not verified: that it exists. */
  readonly path: string;
  /** The database of names without one; undefined: `default`. */
  readonly database: string | undefined;
  /** Values of placeholders such as `${DATABASE}`, by the names that the person who runs the command has named. */
  readonly variables: ReadonlyMap<string, string | undefined>;
}

/** The folder that `millrace schema pull` writes. */
export const SCHEMA_FOLDER = 'schema';

/** Adds the flags to a command. */
export function withSchemaOptions(command: Command): Command {
  command
    .option(
      '--schema <path>',
      `folder or file of statements that create the tables: scripts, migrations, a dump (default: ${SCHEMA_FOLDER} if it has *.sql files, otherwise the seeds)`,
    )
    .option('--schema-database <name>', 'the database of tables that are named without one', 'default')
    .option(
      '--engine-sources <names>',
      'what queries, fixtures and the schema may reach outside of the tables: file, url, s3, …, comma-separated [MILLRACE_ENGINE_SOURCES; default: nothing]',
    );
  return withVariables(command);
}

/** Adds the flag that every command has which reads files that others may have written. */
export function withVariables(command: Command): Command {
  return command.option(
    '--variables <names>',
    'environment variables that the schema and the settings file may read, as in ${CLUSTER}, comma-separated [MILLRACE_VARIABLES; default: none]',
  );
}

/** The variables that files may read. Throws CommandError for a name that no variable has. */
function namedVariables(variables: string | undefined, { env }: Pick<CommandDeps, 'env'>): readonly string[] {
  const names = (variables ?? env['MILLRACE_VARIABLES'] ?? '').split(',').map((name) => name.trim());
  const named = names.filter((name) => name !== '');
  const wrong = named.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (wrong === undefined) return named;
  const source = variables === undefined ? 'MILLRACE_VARIABLES' : '--variables';
  throw new CommandError(
    `${source}: ${JSON.stringify(wrong)} is not a name of an environment variable; write names, separated by commas`,
    { exitCode: 2 },
  );
}

/**
 * The settings for a command that runs files which others may have written. What the engine may reach, and which variables files may
 * read, is taken from the flags and the environment only: the settings file may be part of what is checked. Rejects with CommandError.
 */
export async function checkedSettings(
  { engineSources, variables }: Pick<SchemaFlags, 'engineSources' | 'variables'>,
  deps: Pick<CommandDeps, 'env' | 'terminal' | 'workers'>,
): Promise<Settings> {
  const flags = engineSources === undefined ? {} : { engineSources };
  const settings = await settingsOf(flags, deps, namedVariables(variables, deps));
  if (settings.shown['engine_sources']?.source !== 'file') return settings;
  deps.terminal.note(
    'warning: engine_sources in the settings file does not apply here, since a change under review could set it; use --engine-sources or MILLRACE_ENGINE_SOURCES',
  );
  return { ...settings, engineSources: [] };
}

/** The path that the flag names, or the default. */
export function chooseSchema(
  { schema, schemaDatabase, variables }: SchemaFlags,
  { seeds }: Pick<Settings, 'seeds'>,
  { env }: Pick<CommandDeps, 'env'>,
): SchemaChoice {
  const path = schema ?? (hasScripts(SCHEMA_FOLDER) ? SCHEMA_FOLDER : seeds);
  const values = namedVariables(variables, { env }).map((name) => [name, env[name]] as const);
  return { path, database: schemaDatabase, variables: new Map(values) };
}

/** The same, if it exists. Throws CommandError if the flag names a path that does not. */
export function existingSchema(
  flags: SchemaFlags,
  settings: Pick<Settings, 'seeds'>,
  deps: Pick<CommandDeps, 'env'>,
): SchemaChoice | undefined {
  const choice = chooseSchema(flags, settings, deps);
  if (existsSync(choice.path)) return choice;
  if (flags.schema === undefined) return undefined;
  throw new CommandError(
    `${choice.path} does not exist; set the folder or file of the tables with --schema`,
    {
      exitCode: 2,
    },
  );
}

/** A folder of this name may also hold something else, such as JSON Schemas. */
function hasScripts(folder: string): boolean {
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('.sql'));
}

/** Why the engine was not asked, and what to do; `needsEngine` for commands without `--no-engine`. */
export function noTables(
  { seeds }: Pick<Settings, 'seeds'>,
  what: string,
  { needsEngine = false } = {},
): CommandError {
  const choices = [
    `Write their CREATE statements to ${SCHEMA_FOLDER} (millrace schema pull does)`,
    `${needsEngine ? 'or ' : ''}name a folder or dump with --schema`,
    ...(needsEngine ? [] : ['or pass --no-engine to go without']),
  ];
  return new CommandError(
    `${what}: no tables are known, since neither ${SCHEMA_FOLDER} nor ${seeds} exists. ${choices.join(', ')}`,
    { exitCode: 2 },
  );
}

/** Prints what could not be created, and what was left out. */
export function noteSchema(
  { findings, skipped }: Pick<LoadedSchema, 'findings' | 'skipped'>,
  terminal: Terminal,
): void {
  for (const { file, line, column, severity, message, code } of findings)
    terminal.note(visible(`${file}:${line}:${column}: ${severity}: ${message} (${code})`));
  noteSkipped(skipped, terminal);
}

/** Prints the kinds of statements that were left out. */
export function noteSkipped(skipped: LoadedSchema['skipped'], terminal: Terminal): void {
  if (skipped.size === 0) return;
  const kinds = [...skipped].map(([kind, count]) => `${count} ${kind}`);
  terminal.note(
    visible(`Statements of the schema that no query depends on were left out: ${kinds.join(', ')}`),
  );
}

/** Rethrows the error of a schema that cannot be read as one of the command. */
export function explainSchema(cause: unknown): never {
  if (!(cause instanceof SchemaError)) throw cause;
  throw new CommandError(`Cannot read the tables: ${cause.message}`, { exitCode: 2, cause });
}
