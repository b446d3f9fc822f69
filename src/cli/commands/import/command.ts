// `millrace import`, its flags and help.
import { existsSync, statSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { DIALECTS } from '../../../sql/dialects/conversion.ts';
import type { TemplateDialect } from '../../convert/placeholders/template.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { withSchemaEngine } from '../../kit/schema-engine.ts';
import {
  checkedSettings,
  chooseSchema,
  noteSchema,
  SCHEMA_FOLDER,
  type SchemaFlags,
  withSchemaOptions,
} from '../../kit/schema-options.ts';
import { collect, printAndWrite, readWrites } from '../../kit/write-reports.ts';
import { EXPORT_TOOLS, type ExportTool } from '../../convert/export/foreign-query.ts';
import { importExport } from './import.ts';
import type { ImportOptions } from './options.ts';
import { printJson, printMarkdown, printTable } from './print.ts';

interface ImportFlags extends SchemaFlags {
  readonly from?: ExportTool;
  readonly dialect?: TemplateDialect;
  readonly endpoints?: string;
  readonly database?: string;
  readonly format: keyof typeof PRINTERS;
  readonly write: readonly string[];
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

const PRINTERS = { table: printTable, markdown: printMarkdown, json: printJson };

export function addImport(program: Command, deps: CommandDeps): void {
  const command = program
    .command('import')
    .description(
      'Create endpoint files from the queries of another tool: exports of Metabase, Superset, Grafana, Tinybird and Redash, and dbt projects. Each is checked and run on the embedded engine. Exits 1 if an item is not converted completely.',
    )
    .argument('<path>', 'the export: a folder, a file, or a zip archive')
    .addOption(
      new Option('--from <tool>', 'the tool (default: the ones whose files are there)').choices(EXPORT_TOOLS),
    )
    .addOption(
      new Option(
        '--dialect <dialect>',
        'the SQL of queries whose export does not name the database system',
      ).choices([...DIALECTS, 'clickhouse']),
    )
    .option('--endpoints <folder>', 'folder of endpoint files (default: MILLRACE_ENDPOINTS, or endpoints)')
    .option(
      '--database <name>',
      'the database of the tables of the export, and of those that queries name without one and that are not known (default: the name of the project)',
    )
    .option('--force', 'overwrite files that exist; endpoints keep their id')
    .option('--dry-run', 'only report, write no files')
    .addOption(
      new Option('--format <format>', 'the output format').choices(Object.keys(PRINTERS)).default('table'),
    )
    .option('--write <format=file>', 'also write a report to a file; can be repeated', collect, []);
  withSchemaOptions(command).action(async (path: string, flags: ImportFlags) => {
    const options = await optionsOf(path, flags, deps);
    deps.setExitCode(await importExport(options, deps.terminal));
  });
}

/** Rejects with CommandError (exit 2) for flags that are not valid. */
async function optionsOf(path: string, flags: ImportFlags, deps: CommandDeps): Promise<ImportOptions> {
  const { from, dialect, database } = flags;
  if (database !== undefined && !/^[A-Za-z_]\w*$/.test(database))
    throw new CommandError(`Invalid database name "${database}": use letters, digits and "_"`, {
      exitCode: 2,
    });
  const settings = await checkedSettings(flags, deps);
  const schema = chooseSchema(flags, settings, deps);
  const isThere = existsSync(schema.path);
  if (isThere && !statSync(schema.path).isDirectory())
    throw new CommandError(`${schema.path} is a file: name the folder of the definitions with --schema`, {
      exitCode: 2,
    });
  const { openEngine, openTestRuntime, terminal } = deps;
  const onEngine = { settings, schema: isThere ? schema : undefined, openEngine };
  return {
    path,
    from,
    dialect,
    endpoints: flags.endpoints ?? settings.endpoints,
    // The definitions of the export are written there: it need not exist.
    schema: isThere || flags.schema !== undefined ? schema.path : SCHEMA_FOLDER,
    database,
    isForced: flags.force === true,
    isDry: flags.dryRun === true,
    tenancy: settings.tenancy,
    engineSources: settings.engineSources,
    withEngine: (use) =>
      withSchemaEngine(onEngine, (engine, scratch, loaded) => {
        noteSchema(loaded, terminal);
        return use({ engine, scratch, schema: loaded });
      }),
    openTestRuntime,
    print: printAndWrite(PRINTERS[flags.format], readWrites(flags.write, PRINTERS)),
  };
}
