// `millrace format`, its flags and help.
import type { Command } from 'commander';
import type { CommandDeps } from '../../kit/command.ts';
import { checkedSettings, type SchemaFlags, withVariables } from '../../kit/schema-options.ts';
import { format } from './format.ts';

interface FormatFlags extends Pick<SchemaFlags, 'variables'> {
  readonly check?: boolean;
}

export function addFormat(program: Command, deps: CommandDeps): void {
  const command = program
    .command('format')
    .description('Format endpoint files: key order, whitespace, quotes. Values and comments are not changed.')
    .argument('[paths...]', 'endpoint files or folders (default: the endpoints folder)')
    .option('--check', 'change nothing; exit 1 if a file is not formatted');
  withVariables(command).action(async (paths: string[], { check = false, ...flags }: FormatFlags) => {
    const chosen = paths.length > 0 ? paths : [(await checkedSettings(flags, deps)).endpoints];
    deps.setExitCode(await format({ paths: chosen, isCheck: check }, deps.terminal));
  });
}
