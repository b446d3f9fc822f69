// What every command receives, and how commands load the settings.
import { Option, type Command } from 'commander';
import type { Uses } from '../../service/auth/key-use.ts';
import { leadsOutside } from '../../service/config/leads-outside.ts';
import { settingNames, type Settings } from '../../service/config/settings.ts';
import { loadSettings } from '../../service/config/load-settings.ts';
import type { Finding } from '../../sql/base/finding.ts';
import { nearest } from '../../sql/base/nearest.ts';
import { describeFinding } from '../../service/observe/describe.ts';
import type { Log, LogSettings } from '../../service/observe/log.ts';
import { CommandError } from './command-error.ts';
import { SETTINGS_GROUP } from './help.ts';
import type { Terminal } from './terminal.ts';
import type {
  OpenEngine,
  OpenLocal,
  OpenMcp,
  OpenService,
  OpenTestRuntime,
  ServeDeps,
  Streams,
} from './dependencies.ts';
import type { Workers } from './workers.ts';

/** Access to the process for commands. */
export interface CommandDeps {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly openEngine: OpenEngine;
  readonly openService: OpenService;
  readonly openLocal: OpenLocal;
  readonly openTestRuntime: OpenTestRuntime;
  readonly openMcp: OpenMcp;
  /** For commands that speak a protocol over them; others use `terminal`. */
  readonly streams: Streams;
  /** How often each key was used, over all restarts and replicas. */
  readonly readUses: (settings: Settings) => Promise<Uses>;
  /** Where observations are written: human-readable lines or a structured log. */
  readonly openLog: (settings: LogSettings, isDevelopment: boolean) => Promise<Log>;
  readonly onSignal: ServeDeps['onSignal'];
  readonly workers: Workers;
  /** Sets the exit code for a command that has not failed; 0 by default. */
  readonly setExitCode: (code: number) => void;
}

/** Adds one command with its flags and help to the program. */
export type AddCommand = (program: Command, deps: CommandDeps) => void;

export type Flags = Readonly<Record<string, string | undefined>>;

/** Adds a flag for each setting. */
export function withSettings(command: Command): Command {
  const add = (flags: string, description: string): void =>
    void command.addOption(new Option(flags, description).helpGroup(SETTINGS_GROUP));
  add('--config <file>', 'settings file (default: millrace.yaml)');
  for (const { flag, env, description, default: value } of settingNames()) {
    const note = value === undefined || value === '' ? '' : `; default: ${JSON.stringify(value)}`;
    add(`${flag} <value>`, `${description} [${env}${note}]`);
  }
  return command;
}

/** Loads the settings for a command with these `flags`; the file may read `variables`, default: all. Rejects with CommandError. */
export async function settingsOf(
  flags: Flags,
  { env, terminal, workers }: Pick<CommandDeps, 'env' | 'terminal' | 'workers'>,
  variables?: readonly string[],
): Promise<Settings> {
  if (workers.index === undefined) for (const line of unknownVariables(env)) terminal.note(line);
  const named = settingNames().map(({ key }) => [key, flags[camelCase(key)]]);
  const path = flags['config'] ?? 'millrace.yaml';
  const loaded = await loadSettings({
    flags: Object.fromEntries(named) as Flags, // pairs of strings, built above
    env,
    variables,
    file: { path, required: flags['config'] !== undefined },
  });
  if ('settings' in loaded) return loaded.settings;
  // The messages of findings quote the file, which may be one that the link should not show.
  const describe = leadsOutside(path) ? describePlace : describeFinding;
  const [first = '', ...details] = loaded.diagnostics.map(describe);
  throw new CommandError(`settings: ${first}`, { exitCode: 2, details });
}

function describePlace({ file, line, column, code }: Finding): string {
  return `${file}:${line}:${column}: an error (${code}) that is not quoted, since the link leads out of its folder`;
}

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Set by the container platform for a service of this name, by the tests, or for other containers. */
const FOREIGN =
  /^MILLRACE_(?:(?:.+_)?SERVICE_(?:HOST|PORT.*)|(?:.+_)?PORT_\d+_(?:TCP|UDP).*|TEST_.*|WORKER_INDEX|KEY|VARIABLES|ANALYSIS_CACHE|(?:CLICKHOUSE|CONSUMER|REDIS)_PASSWORD)$/;

/** Warnings about variables that look like settings, but are none. */
function unknownVariables(env: CommandDeps['env']): readonly string[] {
  const known = new Set(settingNames().map((name) => name.env));
  return Object.keys(env)
    .filter((name) => name.startsWith('MILLRACE_') && !known.has(name) && !FOREIGN.test(name))
    .toSorted()
    .map((name) => {
      const guess = nearest(name, known);
      return `warning: ${name} is not a setting and is ignored${guess === undefined ? '' : `; did you mean ${guess}?`}`;
    });
}
