// `millrace new`, its flags and help.
import type { Command } from 'commander';
import { settingsOf, type CommandDeps } from '../command.ts';
import { newEndpoint, readSql } from './new.ts';

export function addNew(program: Command, deps: CommandDeps): void {
  program
    .command('new')
    .description('Create an endpoint file from a template or a query.')
    .argument('<name>', 'the name of the endpoint')
    .option(
      '--from-sql <file>',
      'start from this query (- for standard input); literals in its conditions become parameters',
    )
    .option('--endpoints <folder>', 'folder of endpoint files (default: MILLRACE_ENDPOINTS, or endpoints)')
    .option('--stdout', 'print the file instead of writing it')
    .action(async (name: string, flags: { fromSql?: string; endpoints?: string; stdout?: boolean }) => {
      const folder = flags.endpoints ?? (await settingsOf({}, deps)).endpoints;
      const sql = flags.fromSql === undefined ? undefined : await readSql(flags.fromSql);
      await newEndpoint({ name, folder, sql, isPrinted: flags.stdout === true }, deps.terminal);
    });
}
