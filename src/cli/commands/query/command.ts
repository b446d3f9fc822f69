// `millrace query`, its flags and help.
import { Option, type Command } from 'commander';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import { CommandError } from '../../kit/command-error.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import { serviceAddress, type ServiceAddress } from '../../kit/service-client.ts';
import { followLocal, followService, type LiveOptions } from './connect.ts';
import { exportFile } from './export-file.ts';
import { query } from './query.ts';
import { queryService } from './query-service.ts';
import { unobserved } from '../../../sql/base/observation.ts';

interface QueryFlags {
  readonly sql?: string;
  readonly lql?: string;
  readonly explain?: boolean;
  readonly meta?: boolean;
  readonly all?: boolean;
  readonly live?: boolean;
  readonly export?: string;
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
      'print the statement as sent to the engine, its query plan, and the query before and after each rewrite, without running it; with --url, the consumer query as the service would run it, and the rewrites if the key sees statements',
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
    .option(
      '--live',
      'print the result, and again whenever it has changed, or only the new rows; ends with Ctrl-C',
    )
    .option(
      '--export <file>',
      'with --url: have the service make a file of all rows (.parquet, .csv, .ndjson, .arrow), and download it',
    )
    .option('--url <address>', 'address of a running service, such as http://127.0.0.1:4000')
    .option('--key <key>', 'the API key for --url (default: the environment variable MILLRACE_KEY)')
    .addOption(
      new Option('--output <form>', 'the output format').choices(['table', 'json', 'csv']).default('table'),
    )
    .action(async (endpoint: string, parameters: string[], flags: Flags & QueryFlags) => {
      const output = flags['output'] as 'table' | 'json' | 'csv'; // commander has validated the choice
      const { sql, lql, explain = false, meta = false } = flags;
      const allPages = allPagesOf(parameters, flags);
      if (meta && output === 'csv')
        throw new CommandError('CSV has no metadata: add --output json, or leave out --meta', {
          exitCode: 2,
        });
      const asked = { endpoint, parameters, sql, lql, output };
      const address = addressOf(flags, deps);
      if (flags.export !== undefined) return exported(asked, flags.export, { flags, address, deps });
      if (isLive(flags)) return live(asked, { flags, address, deps });
      const once = { ...asked, explain, meta, allPages };
      if (address !== undefined) return queryService(address, once, deps.terminal);
      const settings = await settingsOf(flags, deps);
      await query({ ...once, settings, observe: unobserved }, deps);
    });
}

/** Undefined: this process. Throws CommandError (exit 2). */
function addressOf({ url, key }: QueryFlags, { env }: CommandDeps): ServiceAddress | undefined {
  if (url !== undefined) return serviceAddress(url, key ?? env['MILLRACE_KEY']);
  if (key !== undefined) throw misuse('--key is for a running service: add --url');
  return undefined;
}

/** Throws CommandError (exit 2). */
function isLive({ live = false, all, meta, explain }: QueryFlags): boolean {
  if (live && all === true) throw misuse('Live calls have no pages: leave out --all or --live');
  if (live && meta === true) throw misuse('Live calls have no metadata: leave out --meta or --live');
  if (live && explain === true) throw misuse('--explain runs nothing: leave out --explain or --live');
  return live;
}

/** Throws CommandError (exit 2) for flags that say nothing about a file. */
async function exported(
  asked: Omit<LiveOptions, 'signal' | 'after'>,
  file: string,
  { flags, address, deps }: LiveContext & { readonly flags: QueryFlags },
): Promise<void> {
  const { all, live: isFollowed, meta, explain } = flags;
  if ([all, isFollowed, meta, explain].includes(true))
    throw misuse('--export makes a file of all rows: leave out --all, --live, --meta and --explain');
  if (address === undefined) throw misuse('--export is for a running service: add --url');
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  deps.onSignal({ stop, reload: stop });
  await exportFile(address, asked, { file, signal: abort.signal }, deps.terminal);
}

interface LiveContext {
  readonly flags: Flags;
  readonly address: ServiceAddress | undefined;
  readonly deps: CommandDeps;
}

/** Follows the endpoint until a signal, or the end of those who read the output. */
async function live(
  asked: Omit<LiveOptions, 'signal' | 'after'>,
  { flags, address, deps }: LiveContext,
): Promise<void> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  deps.onSignal({ stop, reload: stop });
  deps.streams.output.once('error', stop);
  const options = { ...asked, signal: abort.signal, after: REAL_TIME.after };
  if (address !== undefined) return followService(address, options, deps.terminal);
  const settings = await settingsOf(flags, deps);
  await followLocal({ ...options, settings, observe: unobserved }, deps);
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
