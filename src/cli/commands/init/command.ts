// `millrace init`, its flags and help.
import { Option, type Command } from 'commander';
import { CommandError } from '../../kit/command-error.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { init, updateSchemas } from './init.ts';
import { TEMPLATES, type Template } from './templates.ts';

interface InitFlags {
  readonly template: Template;
  readonly update?: boolean;
}

export function addInit(program: Command, deps: CommandDeps): void {
  program
    .command('init')
    .description(
      'Create a repository of endpoints: example endpoints, tables with sample rows, schemas for editors, CI workflows and a pre-commit hook. Existing files are kept.',
    )
    .argument('[folder]', 'the folder, which is created if it does not exist', '.')
    .addOption(
      new Option('--template <name>', `what to start from: ${describeTemplates()}`)
        .choices(Object.keys(TEMPLATES))
        .default('events'),
    )
    .option('--update', 'only replace the schemas in schemas/ by those of this version')
    .action(async (folder: string, { template, update = false }: InitFlags, command: Command) => {
      if (!update) return init({ folder, template, version: deps.version }, deps.terminal);
      if (command.getOptionValueSource('template') === 'cli')
        throw new CommandError('--update changes only the schemas: leave out --template', { exitCode: 2 });
      await updateSchemas(folder, deps.terminal);
    });
}

function describeTemplates(): string {
  return Object.entries(TEMPLATES)
    .map(([name, { summary }]) => `${name} (${summary})`)
    .join(', ');
}
