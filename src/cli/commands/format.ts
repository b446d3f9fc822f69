// `millrace format`, its flags and help.
import type { Command } from 'commander';
import { settingsOf, type CommandDeps } from '../command.ts';
import { format } from '../format.ts';

export function addFormat(program: Command, deps: CommandDeps): void {
  program
    .command('format')
    .description('Write endpoint files in one form: order of keys, blanks, quotes. Values and comments stay.')
    .argument('[paths...]', 'endpoint files or folders of them (default: the endpoints folder)')
    .option('--check', 'change nothing; exit 1 when a file is in another form')
    .action(async (paths: string[], { check = false }: { check?: boolean }) => {
      const chosen = paths.length > 0 ? paths : [(await settingsOf({}, deps)).endpoints];
      deps.setExitCode(await format({ paths: chosen, isCheck: check }, deps.terminal));
    });
}
