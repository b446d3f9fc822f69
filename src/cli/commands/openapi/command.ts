// `millrace openapi`, its flags and help.
import type { Command } from 'commander';
import type { CommandDeps } from '../../kit/command.ts';
import { openapi } from './openapi.ts';
import { knownTables } from '../../kit/schema-engine.ts';
import { checkedSettings, type SchemaFlags, withSchemaOptions } from '../../kit/schema-options.ts';
import { write } from '../../kit/write-file.ts';

interface OpenapiFlags extends SchemaFlags {
  readonly out?: string;
  readonly endpoints?: string;
  readonly server: string;
}

export function addOpenapi(program: Command, deps: CommandDeps): void {
  const command = program
    .command('openapi')
    .description(
      'Write the OpenAPI 3.1 document of the endpoints, as GET /openapi.json returns it for an unrestricted key.',
    )
    .option('--out <file>', 'the file to write (default: standard output)')
    .option('--endpoints <folder>', 'folder of endpoint files (default: MILLRACE_ENDPOINTS, or endpoints)')
    .option('--server <url>', 'URL or path of the service', '/');
  withSchemaOptions(command).action(async (flags: OpenapiFlags) => {
    const settings = await checkedSettings(flags, deps);
    const withEngine = knownTables(flags, settings, deps);
    const folder = flags.endpoints ?? settings.endpoints;
    const { headerPrefix, contact } = settings;
    const { version, terminal } = deps;
    const { text, unknown } = await openapi({
      folder,
      engineSources: settings.engineSources,
      headerPrefix,
      contact,
      version,
      server: flags.server,
      withEngine,
    });
    if (unknown.length > 0)
      terminal.note(`No row schemas for ${unknown.join(', ')}: their tables are unknown (see --schema)`);
    if (flags.out === undefined) return terminal.write(text);
    await write(flags.out, text);
    terminal.note(`Wrote ${flags.out}`);
  });
}
