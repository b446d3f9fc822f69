// `millrace format`, its flags and help.
import type { Command } from 'commander';
import { settingsOf, type CommandDeps } from '../command.ts';
import { format } from './format.ts';

export function addFormat(program: Command, deps: CommandDeps): void {
  program
    .command('format')
    .description('Format endpoint files: key order, whitespace, quotes. Values and comments are not changed.')
    .argument('[paths...]', 'endpoint files or folders (default: the endpoints folder)')
    .option('--check', 'change nothing; exit 1 if a file is not formatted')
    .action(async (paths: string[], { check = false }: { check?: boolean }) => {
      const chosen = paths.length > 0 ? paths : [(await settingsOf({}, deps)).endpoints];
      deps.setExitCode(await format({ paths: chosen, isCheck: check }, deps.terminal));
    });
}
