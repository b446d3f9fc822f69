// `millrace types`, its flags and help.
import type { Command } from 'commander';
import type { CommandDeps } from '../../kit/command.ts';
import { knownTables } from '../../kit/schema-engine.ts';
import { checkedSettings, type SchemaFlags, withSchemaOptions } from '../../kit/schema-options.ts';
import { types } from './types.ts';

interface TypesFlags extends SchemaFlags {
  readonly out?: string;
  readonly check?: boolean;
  readonly endpoints?: string;
}

export function addTypes(program: Command, deps: CommandDeps): void {
  const command = program
    .command('types')
    .description(
      'Write a TypeScript module for the endpoints: names, parameters, rows, and a small client based on fetch.',
    )
    .argument('[names...]', 'endpoints (default: all)')
    .option('--out <file>', 'the file to write (default: standard output)')
    .option('--check', 'change nothing; exit 1 if the file is out of date')
    .option('--endpoints <folder>', 'folder of endpoint files (default: MILLRACE_ENDPOINTS, or endpoints)');
  withSchemaOptions(command).action(async (names: string[], flags: TypesFlags) => {
    const settings = await checkedSettings(flags, deps);
    const withEngine = knownTables(flags, settings, deps);
    const folder = flags.endpoints ?? settings.endpoints;
    const { headerPrefix } = settings;
    const options = {
      folder,
      engineSources: settings.engineSources,
      names,
      headerPrefix,
      out: flags.out,
      isCheck: flags.check === true,
      withEngine,
    };
    deps.setExitCode(await types(options, deps.terminal));
  });
}
