// `millrace query`, its flags and help.
import { Option, type Command } from 'commander';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../command.ts';
import { query } from './query.ts';

export function addQuery(program: Command, deps: CommandDeps): void {
  withSettings(program.command('query'))
    .description('Run one endpoint from the shell and print its rows.')
    .argument('<endpoint>', 'name or UUID')
    .argument('[parameters...]', 'name=value')
    .option('--sql <text>', 'run this SQL over the tables of the endpoint')
    .option('--lql <text>', 'run this LQL over the tables of the endpoint')
    .option('--explain', 'print the final statement and its query plan, without running it')
    .addOption(
      new Option('--output <form>', 'the output format').choices(['table', 'json', 'csv']).default('table'),
    )
    .action(async (endpoint: string, parameters: string[], flags: Flags & { explain?: boolean }) => {
      const settings = await settingsOf(flags, deps);
      const observe = deps.openLog('silent', false);
      const output = flags['output'] as 'table' | 'json' | 'csv'; // commander has validated the choice
      const { sql, lql, explain = false } = flags;
      await query({ settings, observe, endpoint, parameters, sql, lql, output, explain }, deps);
    });
}
