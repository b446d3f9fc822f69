// `millrace types`, its flags and help.
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { settingsOf, type CommandDeps } from '../command.ts';
import { withSchemaEngine } from '../schema-engine.ts';
import { types, type TypesOptions } from './types.ts';

interface TypesFlags {
  readonly out?: string;
  readonly check?: boolean;
  readonly endpoints?: string;
  readonly schema?: string;
}

export function addTypes(program: Command, deps: CommandDeps): void {
  program
    .command('types')
    .description(
      'Write a TypeScript module for the endpoints: names, parameters, rows, and a small client based on fetch.',
    )
    .argument('[names...]', 'endpoints (default: all)')
    .option('--out <file>', 'the file to write (default: standard output)')
    .option('--check', 'change nothing; exit 1 if the file is out of date')
    .option('--endpoints <folder>', 'folder of endpoint files (default: MILLRACE_ENDPOINTS, or endpoints)')
    .option('--schema <folder>', 'folder of *.sql files that create the tables (default: the seeds)')
    .action(async (names: string[], flags: TypesFlags) => {
      const settings = await settingsOf({}, deps);
      const schema = flags.schema ?? settings.seeds;
      const withEngine: TypesOptions['withEngine'] = existsSync(schema)
        ? (use) => withSchemaEngine({ settings, schema, openEngine: deps.openEngine }, use)
        : undefined;
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
