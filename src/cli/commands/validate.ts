// `millrace validate`, its flags and help.
import { Option, type Command } from 'commander';
import { settingsOf, type CommandDeps } from '../command.ts';
import { validate } from '../validate.ts';

export function addValidate(program: Command, deps: CommandDeps): void {
  program
    .command('validate')
    .description('Show every mistake in endpoint files, at file:line:column. Exits 1 when there is one.')
    .argument('[paths...]', 'endpoint files or folders of them (default: the endpoints folder)')
    .addOption(
      new Option('--format <format>', 'how findings are printed').choices(['human', 'json']).default('human'),
    )
    .action(async (paths: string[], { format }: { format: 'human' | 'json' }) => {
      const chosen = paths.length > 0 ? paths : [(await settingsOf({}, deps)).endpoints];
      deps.setExitCode(await validate({ paths: chosen, format }, deps.terminal));
    });
}
