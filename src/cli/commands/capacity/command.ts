// `millrace capacity`, its flags and help.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { capacity } from './capacity.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { checkedSettings, type SchemaFlags, withVariables } from '../../kit/schema-options.ts';

interface CapacityFlags extends Pick<SchemaFlags, 'variables'> {
  readonly endpoints?: string;
  readonly parent: string;
  readonly format: 'sql' | 'json';
}

export function addCapacity(program: Command, deps: CommandDeps): void {
  const command = program
    .command('capacity')
    .description('Print the CREATE WORKLOAD statements for the workloads used in the endpoint files.')
    .option('--endpoints <folder>', 'folder of endpoint files (default: MILLRACE_ENDPOINTS, or endpoints)')
    .addOption(
      new Option('--parent <name>', 'the parent of the workloads').default('all').argParser(plainName),
    )
    .addOption(new Option('--format <format>', 'the output format').choices(['sql', 'json']).default('sql'));
  withVariables(command).action(async (flags: CapacityFlags) => {
    const folder = flags.endpoints ?? (await checkedSettings(flags, deps)).endpoints;
    await capacity({ folder, parent: flags.parent, format: flags.format }, deps.terminal);
  });
}

function plainName(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError('Use letters, digits and underscores.');
}
