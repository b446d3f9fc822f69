// `millrace new`, its flags and help.
import { Option, type Command } from 'commander';
import { DIALECTS, type ForeignDialect } from '../../../sql/dialects/conversion.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { knownTables } from '../../kit/schema-engine.ts';
import { checkedSettings, type SchemaFlags, withSchemaOptions } from '../../kit/schema-options.ts';
import { checkWritten } from '../check-written.ts';
import { readKnownTables } from '../../kit/known-tables.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import { renderFinding } from '../../kit/caret.ts';
import { convertSql } from './foreign-sql.ts';
import { newVersion } from './new-version.ts';
import { newEndpoint, type NewOptions } from './new.ts';
import { requireName } from './name.ts';
import { liftQuery, readSql } from './lift-query.ts';

interface NewFlags extends SchemaFlags {
  readonly fromSql?: string;
  readonly dialect?: ForeignDialect;
  readonly endpoints?: string;
  readonly stdout?: boolean;
  readonly page?: string | true;
  readonly newVersion?: boolean;
}

export function addNew(program: Command, deps: CommandDeps): void {
  const command = program
    .command('new')
    .description(
      'Create an endpoint file from a template or a query. Exits 1 if a part of a query in another dialect was not converted, or the engine rejects the result over the tables of the repository.',
    )
    .argument('<name>', 'the name of the endpoint')
    .option(
      '--from-sql <file>',
      'start from this query (- for standard input); literals in its conditions become parameters',
    )
    .addOption(
      new Option(
        '--dialect <dialect>',
        'the query is SQL of this database system: convert it to ClickHouse SQL (default: it is ClickHouse SQL)',
      ).choices(DIALECTS),
    )
    .option(
      '--page [keys]',
      'with pages, by these columns of the result, such as "timestamp DESC, id DESC" (default: the ORDER BY of the query)',
    )
    .option(
      '--new-version',
      'the endpoint exists: write its next version, a copy of the newest one that is compared with it (rollout)',
    )
    .option('--endpoints <folder>', 'folder of endpoint files (default: MILLRACE_ENDPOINTS, or endpoints)')
    .option('--stdout', 'print the file instead of writing it');
  withSchemaOptions(command).action(async (name: string, flags: NewFlags) => {
    requireName(name);
    const { fromSql, dialect } = flags;
    const isPrinted = flags.stdout === true;
    if (flags.newVersion === true) {
      if (fromSql !== undefined)
        throw new CommandError('--new-version copies the newest version: remove --from-sql', { exitCode: 2 });
      if (flags.page !== undefined)
        throw new CommandError('--new-version copies the newest version: remove --page', { exitCode: 2 });
      const folder = flags.endpoints ?? (await checkedSettings(flags, deps)).endpoints;
      return newVersion({ name, folder, isPrinted }, deps.terminal);
    }
    if (dialect !== undefined && fromSql === undefined)
      throw new CommandError('--dialect needs a query: name its file with --from-sql', { exitCode: 2 });
    const folder = flags.endpoints ?? (await checkedSettings(flags, deps)).endpoints;
    const sql = fromSql === undefined ? undefined : await readSql(fromSql);
    const { page } = flags;
    const options = { name, folder, isPrinted, page };
    if (sql !== undefined && dialect !== undefined)
      return newFromForeign({ sql, dialect, flags, options }, deps);
    const lifted = sql === undefined ? undefined : liftQuery(sql);
    await newEndpoint({ ...options, lifted }, deps.terminal);
  });
}

interface ForeignQuery {
  readonly sql: string;
  readonly dialect: ForeignDialect;
  readonly flags: NewFlags;
  readonly options: Omit<NewOptions, 'lifted'>;
}

/**
 * The databases of tables and the types of columns come from the tables of the repository, if there are any; with them, the
 * engine analyses the query as well.
 */
async function newFromForeign(
  { sql, dialect, flags, options }: ForeignQuery,
  deps: CommandDeps,
): Promise<void> {
  const { terminal } = deps;
  const settings = await checkedSettings(flags, deps);
  const withEngine = knownTables(flags, settings, deps);
  const file = flags.fromSql === undefined || flags.fromSql === '-' ? '<stdin>' : flags.fromSql;
  const create = async (engine?: Engine, schema?: LoadedSchema): Promise<void> => {
    const tables = engine && (await readKnownTables(engine));
    const { lifted, source, isWhole } = await convertSql({ sql, file, dialect, tables }, terminal);
    const written = await newEndpoint({ ...options, lifted, source }, terminal);
    // The notes have said what was not converted; the engine would reject only that.
    const isChecked = engine !== undefined && schema !== undefined && isWhole;
    const { tenancy, engineSources } = settings;
    const analysing = { terminal, openTestRuntime: deps.openTestRuntime, tenancy, engineSources };
    const checked = isChecked ? await checkWritten([written], { ...analysing, engine, schema }) : undefined;
    const errors = checked?.get(written.path)?.errors ?? [];
    for (const error of errors)
      for (const line of renderFinding(error, written.text, terminal)) terminal.note(line);
    if (!isWhole || errors.length > 0) deps.setExitCode(1);
  };
  await (withEngine === undefined ? create() : withEngine(create));
}
