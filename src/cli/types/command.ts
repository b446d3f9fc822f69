// `millrace types`, its flags and help.
import type { Command } from 'commander';
import { settingsOf, type CommandDeps } from '../command.ts';
import { withSchemaEngine } from '../schema-engine.ts';
import { existingSchema, noteSchema, withSchemaOptions, type SchemaFlags } from '../schema-options.ts';
import { types, type TypesOptions } from './types.ts';

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
    const settings = await settingsOf({}, deps);
    const schema = existingSchema(flags, settings, deps);
    const withEngine: TypesOptions['withEngine'] =
      schema === undefined
        ? undefined
        : (use) =>
            withSchemaEngine({ settings, schema, openEngine: deps.openEngine }, (engine, _, loaded) => {
              noteSchema(loaded, deps.terminal);
              return use(engine);
            });
    const folder = flags.endpoints ?? settings.endpoints;
    const { headerPrefix } = settings;
    const options = {
      folder,
      names,
      headerPrefix,
      out: flags.out,
      isCheck: flags.check === true,
      withEngine,
    };
    deps.setExitCode(await types(options, deps.terminal));
  });
}
