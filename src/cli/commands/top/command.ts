// Declares `millrace top`, its flags and help.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { ORDERS, type TopGroup, type TopOrder } from '../../../service/observe/top-calls.ts';
import { adminUrl, askAdmin } from '../../kit/admin-client.ts';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import { top, type TopReport } from './top.ts';

interface TopFlags {
  readonly admin?: string;
  readonly by: TopOrder;
  readonly group: TopGroup;
  readonly minutes: number;
  readonly every: number;
  readonly once?: boolean;
  readonly json?: boolean;
}

export function addTop(program: Command, deps: CommandDeps): void {
  withSettings(program.command('top'))
    .description(
      'Show the endpoints and keys whose calls take the most time, rows or errors, of a running service, again and again until Ctrl+C.',
    )
    .option(
      '--admin <url>',
      'the admin listener of the service (default: that of the data folder, or of the settings)',
    )
    .addOption(
      new Option('--by <order>', 'what is listed first').choices(Object.keys(ORDERS)).default('time'),
    )
    .addOption(
      new Option('--group <group>', 'a line for each')
        .choices(['endpoint', 'key', 'both'])
        .default('endpoint'),
    )
    .addOption(
      new Option(
        '--minutes <minutes>',
        'calls of the last minutes: of the process up to 60, of the table millrace.calls beyond',
      )
        .default(5)
        .argParser(whole),
    )
    .addOption(new Option('--every <seconds>', 'seconds between two tables').default(2).argParser(whole))
    .option('--once', 'print one table and end')
    .option('--json', 'print an object a line instead of a table')
    .action(async (flags: TopFlags & Flags) => {
      const settings = await settingsOf(flags, deps);
      const address = await adminUrl(flags.admin, settings);
      const { by, group, minutes } = flags;
      const query = { by, group, minutes: String(minutes) };
      const read = async (): Promise<TopReport> => (await askAdmin(address, '/top', query)) as TopReport; // of the service
      const shown = { isOnce: flags.once === true, isJson: flags.json === true, every: flags.every };
      await top(read, { ...shown, group, by }, { ...deps, after: REAL_TIME.after });
    });
}

function whole(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 1.');
}
