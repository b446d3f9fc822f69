// The commands, their flags and their help.
import { Command, CommanderError, Option } from 'commander';
import { loadSettings, settingNames, type Settings } from '../config/settings.ts';
import type { Observe } from '../core/observation.ts';
import { describeDiagnostic } from '../observe/log.ts';
import { CommandError } from './command-error.ts';
import { reportPreflight } from './doctor.ts';
import { withLocal } from './local.ts';
import { query } from './query.ts';
import { openEngineOrExplain, seed, serve } from './serve.ts';
import type { Terminal } from './terminal.ts';
import { createToken } from './token.ts';
import { validate } from './validate.ts';
import type { OpenEngine, OpenLocal, OpenService } from './wiring.ts';

export interface ProgramDeps {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly openEngine: OpenEngine;
  readonly openService: OpenService;
  readonly openLocal: OpenLocal;
  /** Where observations go: lines for a person, or a structured log. */
  readonly openLog: (level: Settings['logLevel'], isDevelopment: boolean) => Observe;
  readonly onSignal: Parameters<typeof serve>[1]['onSignal'];
}

type Flags = Readonly<Record<string, string | undefined>>;

/** Runs one command line (as in `process.argv`); resolves to the exit code, having printed why when it is not 0. */
export async function runProgram(argv: readonly string[], deps: ProgramDeps): Promise<number> {
  let exitCode = 0;
  const program = createProgram(deps, (code) => {
    exitCode = code;
  });
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

function createProgram(deps: ProgramDeps, setExitCode: (code: number) => void): Command {
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
  addServe(program, deps);
  addValidate(program, deps, setExitCode);
  addQuery(program, deps);
  addToken(program, deps);
  addSeed(program, deps);
  addDoctor(program, deps, setExitCode);
  for (const command of program.commands) inheritExit(command);
  return program;
}

function inheritExit(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) inheritExit(each);
}

function addServe(program: Command, deps: ProgramDeps): void {
  withSettings(program.command('serve'))
    .description('Serve the endpoints; reload on change. SIGHUP reloads, SIGTERM drains and exits.')
    .option('--dev', 'development: a key made for this run, sample calls printed, a readable log')
    .action(async (flags: Flags & { dev?: boolean }) => {
      const settings = await settingsOf(flags, deps);
      const isDevelopment = flags.dev === true;
      const observe = deps.openLog(settings.logLevel, isDevelopment);
      await serve({ settings, isDevelopment, observe }, deps);
    });
}

function addValidate(program: Command, deps: ProgramDeps, setExitCode: (code: number) => void): void {
  program
    .command('validate')
    .description('Show every mistake in endpoint files, at file:line:column. Exits 1 when there is one.')
    .argument('[paths...]', 'endpoint files or folders of them (default: the endpoints folder)')
    .addOption(
      new Option('--format <format>', 'how findings are printed').choices(['human', 'json']).default('human'),
    )
    .action(async (paths: string[], { format }: { format: 'human' | 'json' }) => {
      const chosen = paths.length > 0 ? paths : [(await settingsOf({}, deps)).endpoints];
      setExitCode(await validate({ paths: chosen, format }, deps.terminal));
    });
}

function addQuery(program: Command, deps: ProgramDeps): void {
  withSettings(program.command('query'))
    .description('Run one endpoint from the shell and print its rows.')
    .argument('<endpoint>', 'name or UUID')
    .argument('[parameters...]', 'name=value')
    .option('--sql <text>', 'your own SQL over the tables of the endpoint')
    .option('--lql <text>', 'your own LQL over the tables of the endpoint')
    .option('--explain', 'print the final statement and its plan, no rows')
    .addOption(
      new Option('--output <form>', 'how rows are printed')
        .choices(['table', 'json', 'csv'])
        .default('table'),
    )
    .action(async (endpoint: string, parameters: string[], flags: Flags & { explain?: boolean }) => {
      const settings = await settingsOf(flags, deps);
      const observe = deps.openLog('silent', false);
      const output = flags['output'] as 'table' | 'json' | 'csv'; // commander has checked the choice
      const { sql, lql, explain = false } = flags;
      await query({ settings, observe, endpoint, parameters, sql, lql, output, explain }, deps);
    });
}

function addToken(program: Command, deps: ProgramDeps): void {
  const token = program.command('token').description('Keys of the tokens file.');
  token
    .command('create')
    .description('Make a key, add its hash to the tokens file, show the key once.')
    .argument('<name>', 'whose key it is')
    .option('--tokens <file>', 'the tokens file (default: MILLRACE_TOKENS, or tokens.yaml)')
    .option('--endpoints <globs...>', 'endpoints it may call, such as "logs.*"', ['*'])
    .option('--allow <languages...>', 'own queries it may send: sql, lql', [])
    .option('--parameter <pairs...>', 'locked parameters, name=value', [])
    .option('--expires <time>', 'when it ends, as 2027-01-01T00:00:00Z')
    .action(async (name: string, flags: TokenFlags) => {
      const file = flags.tokens ?? (await settingsOf({}, deps)).tokens ?? 'tokens.yaml';
      const { endpoints, allow, parameter: parameters, expires } = flags;
      await createToken({ file, name, endpoints, allow, parameters, expires }, deps.terminal);
    });
}

interface TokenFlags {
  readonly tokens?: string;
  readonly endpoints: readonly string[];
  readonly allow: readonly string[];
  readonly parameter: readonly string[];
  readonly expires: string | undefined;
}

function addSeed(program: Command, deps: ProgramDeps): void {
  withSettings(program.command('seed'))
    .description('Load the sample data into the embedded engine, or make it anew.')
    .action(async (flags: Flags) => {
      const settings = await settingsOf(flags, deps);
      if (settings.clickhouse !== undefined) {
        throw new CommandError('Sample data goes into the embedded engine only; unset CLICKHOUSE_URL', {
          exitCode: 2,
        });
      }
      const engine = await openEngineOrExplain(deps.openEngine, settings, deps.openLog('silent', false));
      try {
        await seed(engine, settings, deps.terminal, true);
      } finally {
        await engine.close(0);
      }
    });
}

function addDoctor(program: Command, deps: ProgramDeps, setExitCode: (code: number) => void): void {
  withSettings(program.command('doctor'))
    .description("Try the walls around consumers' queries, one attack at a time. Exits 1 when one is open.")
    .action(async (flags: Flags) => {
      const settings = await settingsOf(flags, deps);
      const observe = deps.openLog('silent', false);
      const findings = await withLocal({ settings, observe }, deps, (local) => local.preflight());
      setExitCode(reportPreflight(findings, deps.terminal));
    });
}

/** Adds a flag for each setting. */
function withSettings(command: Command): Command {
  command.option('--config <file>', 'settings file (default: millrace.yaml)');
  for (const { flag, env, description, default: value } of settingNames()) {
    const note = value === undefined || value === '' ? '' : `; default: ${JSON.stringify(value)}`;
    command.option(`${flag} <value>`, `${description} [${env}${note}]`);
  }
  return command;
}

async function settingsOf(flags: Flags, { env }: ProgramDeps): Promise<Settings> {
  const named = settingNames().map(({ key }) => [key, flags[camelCase(key)]]);
  const path = flags['config'] ?? 'millrace.yaml';
  const loaded = await loadSettings({
    flags: Object.fromEntries(named) as Flags, // pairs of texts, made above
    env,
    file: { path, required: flags['config'] !== undefined },
  });
  if ('settings' in loaded) return loaded.settings;
  throw new CommandError(`settings: ${loaded.diagnostics.map(describeDiagnostic).join('\n  ')}`, {
    exitCode: 2,
  });
}

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
