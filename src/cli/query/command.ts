// `millrace query`, its flags and help.
import { Option, type Command } from 'commander';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { query, queryService } from './query.ts';
import { serviceAddress } from '../service-client.ts';

interface QueryFlags {
  readonly explain?: boolean;
  readonly meta?: boolean;
  readonly url?: string;
  readonly key?: string;
}

export function addQuery(program: Command, deps: CommandDeps): void {
  withSettings(program.command('query'))
    .description(
      'Run one endpoint from the shell and print its rows: in this process, or with --url on a running service.',
    )
    .argument('<endpoint>', 'name or UUID')
    .argument('[parameters...]', 'name=value')
    .option('--sql <text>', 'run this SQL over the tables of the endpoint')
    .option('--lql <text>', 'run this LQL over the tables of the endpoint')
    .option(
      '--explain',
      'print the final statement and its query plan, without running it; with --url, the consumer query as the service would run it',
    )
    .option(
      '--meta',
      'also print metadata: columns with their ClickHouse types, what was read, the cache state',
    )
    .option('--url <address>', 'address of a running service, such as http://127.0.0.1:4000')
    .option('--key <key>', 'the API key for --url (default: the environment variable MILLRACE_KEY)')
    .addOption(
      new Option('--output <form>', 'the output format').choices(['table', 'json', 'csv']).default('table'),
    )
    .action(async (endpoint: string, parameters: string[], flags: Flags & QueryFlags) => {
      const output = flags['output'] as 'table' | 'json' | 'csv'; // commander has validated the choice
      const { sql, lql, explain = false, meta = false, url, key } = flags;
      if (meta && output === 'csv')
        throw new CommandError('CSV has no metadata: add --output json, or leave out --meta', {
          exitCode: 2,
        });
      const asked = { endpoint, parameters, sql, lql, output, explain, meta };
      if (url !== undefined) {
        const address = serviceAddress(url, key ?? deps.env['MILLRACE_KEY']);
        return queryService(address, asked, deps.terminal);
      }
      if (key !== undefined)
        throw new CommandError('--key is for a running service: add --url', { exitCode: 2 });
      const settings = await settingsOf(flags, deps);
      await query({ ...asked, settings, observe: deps.openLog('silent', false) }, deps);
    });
}
