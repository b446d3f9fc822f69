// `millrace schema`, its flags and help.
import type { Command } from 'commander';
import { EngineError } from '../../../service/engine/engine.ts';
import { CommandError } from '../../kit/command-error.ts';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import { SCHEMA_FOLDER } from '../../kit/schema-options.ts';
import { openEngineOrExplain } from '../../kit/open-engine.ts';
import { pull } from './pull.ts';

interface PullFlags {
  readonly out: string;
  readonly check?: boolean;
  readonly all?: boolean;
  readonly statistics?: boolean;
  readonly database?: string;
}

export function addSchema(program: Command, deps: CommandDeps): void {
  const schema = program
    .command('schema')
    .description('Manage the definitions of the tables that endpoints read.');
  withSettings(schema.command('pull'))
    .description(
      'Write the definitions of the tables, views, dictionaries and functions that the endpoints read, and of those that these read, from the ClickHouse server of CLICKHOUSE_URL into a folder. Exits 1 if an endpoint reads a table that the server does not have.',
    )
    .option('--out <folder>', 'the folder to write', SCHEMA_FOLDER)
    .option('--check', 'change nothing; print what differs on the server, and exit 1 if anything does')
    .option('--all', 'write all definitions, whether endpoints read them or not')
    .option('--database <name>', 'with --all: only those of one database')
    .option(
      '--statistics',
      'also write the sizes of the tables, for millrace cost: counts, none of columns with personal data or of tenants; it reads the columns of keys and indexes once',
    )
    .action(async ({ out, check, all, database, statistics, ...flags }: PullFlags & Flags) => {
      const settings = await settingsOf(flags, deps);
      if (settings.clickhouse === undefined) throw new CommandError(NO_SERVER, { exitCode: 2 });
      if (database !== undefined && all !== true)
        throw new CommandError('--database is used with --all', { exitCode: 2 });
      if (statistics === true && check === true)
        throw new CommandError('--statistics writes a file, and --check writes none', { exitCode: 2 });
      const options = {
        endpoints: settings.endpoints,
        out,
        isCheck: check === true,
        all: all === true ? { database } : undefined,
        measured: statistics === true ? { tenancy: settings.tenancy } : undefined,
      };
      const engine = await openEngineOrExplain(deps.openEngine, settings, () => undefined);
      try {
        deps.setExitCode(await pull(engine, options, deps).catch(explain));
      } finally {
        await engine.close(0);
      }
    });
}

const NO_SERVER =
  'The definitions come from a ClickHouse server: set CLICKHOUSE_URL, CLICKHOUSE_USER and CLICKHOUSE_PASSWORD';

function explain(cause: unknown): never {
  if (!(cause instanceof EngineError)) throw cause;
  throw new CommandError(`The server cannot be queried: ${cause.message}`, { exitCode: 2, cause });
}
