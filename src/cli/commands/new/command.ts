// `millrace new`, its flags and help.
import { Option, type Command } from 'commander';
import { DIALECTS } from '../../../sql/dialects/conversion.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { checkedSettings, withSchemaOptions } from '../../kit/schema-options.ts';
import { newVersion } from './new-version.ts';
import { newEndpoint } from './new.ts';
import { requireName } from './name.ts';
import { liftQuery, readSql } from './lift-query.ts';
import { type NewFlags, newFromForeign } from './from-foreign.ts';

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
