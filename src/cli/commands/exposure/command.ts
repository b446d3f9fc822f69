// `millrace exposure`, its flags and help.
import { Option, type Command } from 'commander';
import type { CommandDeps } from '../../kit/command.ts';
import { knownTables } from '../../kit/schema-engine.ts';
import { checkedSettings, noTables, type SchemaFlags, withSchemaOptions } from '../../kit/schema-options.ts';
import { exposure } from './exposure.ts';

interface ExposureFlags extends SchemaFlags {
  readonly format: 'human' | 'json';
}

export function addExposure(program: Command, deps: CommandDeps): void {
  const command = program
    .command('exposure')
    .description(
      'Print what endpoints expose: the tables that they read and what confines them, where each column comes from, redaction, caching, and which keys may call them.',
    )
    .argument('[paths...]', 'endpoint files or folders (default: the endpoints folder)')
    .addOption(
      new Option('--format <format>', 'the output format').choices(['human', 'json']).default('human'),
    );
  withSchemaOptions(command).action(async (paths: string[], flags: ExposureFlags) => {
    const settings = await checkedSettings(flags, deps);
    const withTables = knownTables(flags, settings, deps);
    if (withTables === undefined)
      throw noTables(settings, 'Queries cannot be analysed', { needsEngine: true });
    const options = {
      paths: paths.length > 0 ? paths : [settings.endpoints],
      format: flags.format,
      tokens: settings.tokens,
      tenancy: settings.tenancy,
      engineSources: settings.engineSources,
      withTables,
    };
    await exposure(options, deps.terminal);
  });
}
