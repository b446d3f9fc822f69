// `millrace query`, its flags and help.
import { Option, type Command } from 'commander';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { query, queryService } from './query.ts';
import { serviceAddress } from '../service-client.ts';

interface QueryFlags {
  readonly sql?: string;
  readonly lql?: string;
  readonly explain?: boolean;
  readonly meta?: boolean;
  readonly all?: boolean;
  readonly maxRows?: number;
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
    .option('--all', 'print the rows of all pages, from the first one or from cursor=…')
    .addOption(
      new Option('--max-rows <rows>', 'with --all: request no further page after so many rows')
        .argParser(readRows)
        .default(DEFAULT_MAX_ROWS),
    )
    .option('--url <address>', 'address of a running service, such as http://127.0.0.1:4000')
    .option('--key <key>', 'the API key for --url (default: the environment variable MILLRACE_KEY)')
    .addOption(
      new Option('--output <form>', 'the output format').choices(['table', 'json', 'csv']).default('table'),
    )
    .action(async (endpoint: string, parameters: string[], flags: Flags & QueryFlags) => {
      const output = flags['output'] as 'table' | 'json' | 'csv'; // commander has validated the choice
      const { sql, lql, explain = false, meta = false, url, key } = flags;
      const allPages = allPagesOf(parameters, flags);
      if (meta && output === 'csv')
        throw new CommandError('CSV has no metadata: add --output json, or leave out --meta', {
          exitCode: 2,
        });
      const asked = { endpoint, parameters, sql, lql, output, explain, meta, allPages };
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

const DEFAULT_MAX_ROWS = 100_000;
const MAX_ROWS = 100_000_000;

function readRows(text: string): number {
  const rows = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : Infinity;
  if (rows <= MAX_ROWS) return rows;
  throw new CommandError(`Invalid --max-rows "${text}": use a whole number from 1 to ${MAX_ROWS}`, {
    exitCode: 2,
  });
}

/** With --all, the number of rows after which no further page is requested. Throws CommandError (exit 2). */
function allPagesOf(parameters: readonly string[], flags: QueryFlags): number | undefined {
  const { all = false, maxRows = DEFAULT_MAX_ROWS, meta, explain, sql, lql } = flags;
  if (!all) return undefined;
  if (meta === true) throw misuse('--all prints rows only: leave out --meta');
  if (explain === true) throw misuse('--explain is about one page: leave out --all');
  const isSized = parameters.some((each) => each.startsWith('page_size='));
  if ((sql ?? lql) !== undefined && !isSized)
    throw misuse(
      'Queries of your own come in pages if they ask for it: add page_size=…, such as page_size=1000',
    );
  return maxRows;
}

function misuse(message: string): CommandError {
  return new CommandError(message, { exitCode: 2 });
}
