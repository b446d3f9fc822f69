// `millrace capacity`, its flags and help.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { capacity } from './capacity.ts';
import { settingsOf, type CommandDeps } from '../command.ts';

export function addCapacity(program: Command, deps: CommandDeps): void {
  program
    .command('capacity')
    .description('Print the CREATE WORKLOAD statements for the workloads used in the endpoint files.')
    .option('--endpoints <folder>', 'folder of endpoint files (default: MILLRACE_ENDPOINTS, or endpoints)')
    .addOption(
      new Option('--parent <name>', 'the parent of the workloads').default('all').argParser(plainName),
    )
    .addOption(new Option('--format <format>', 'the output format').choices(['sql', 'json']).default('sql'))
    .action(async (flags: { endpoints?: string; parent: string; format: 'sql' | 'json' }) => {
      const folder = flags.endpoints ?? (await settingsOf({}, deps)).endpoints;
      await capacity({ folder, parent: flags.parent, format: flags.format }, deps.terminal);
    });
}

function plainName(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError('Use letters, digits and underscores.');
}
