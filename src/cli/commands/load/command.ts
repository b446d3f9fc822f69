// `millrace load`, its flags and help.
import { Option, type Command } from 'commander';
import type { LoadFormat } from '../../../service/loading/load.ts';
import { CommandError } from '../../kit/command-error.ts';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import { FORMATS } from './source.ts';
import { load } from './load.ts';

interface LoadFlags {
  readonly table: string;
  readonly format?: LoadFormat;
  readonly rejects?: string;
  readonly again?: boolean;
}

export function addLoad(program: Command, deps: CommandDeps): void {
  withSettings(program.command('load <files...>'))
    .description(
      'Load rows from NDJSON, CSV or Parquet files, gzip or zstd or neither, into a table of the embedded engine: each file whole or not at all. A running service loads them itself.',
    )
    .requiredOption('--table <name>', 'the table, as database.table; its materialized views get the rows too')
    .addOption(
      new Option('--format <format>', 'of all files, and of - for standard input; default: by name').choices(
        FORMATS,
      ),
    )
    .option(
      '--rejects <file>',
      'load the good rows, and write the bad ones to this new file, with line and reason; default: one bad row, and nothing of its file is loaded',
    )
    .option('--again', 'load files whose rows are in the table already')
    .action(async (files: string[], flags: LoadFlags & Flags) => {
      const { table, format, rejects, again = false } = flags;
      const settings = await settingsOf(flags, deps);
      if (settings.clickhouse !== undefined)
        throw new CommandError(
          'Rows can only be loaded into the embedded engine: unset CLICKHOUSE_URL, or use clickhouse-client for the server',
          { exitCode: 2 },
        );
      const input = deps.streams.input;
      const clocks = { now: () => new Date(), monotonic: () => performance.now() };
      await load({ settings, files, table, format, rejects, again }, { ...deps, ...clocks, input });
    });
}
