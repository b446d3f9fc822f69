// `millrace import`, its flags and help.
import { existsSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { DIALECTS } from '../../dialects/conversion.ts';
import type { TemplateDialect } from '../../convert/placeholders/template.ts';
import { CommandError } from '../command-error.ts';
import type { CommandDeps } from '../command.ts';
import { knownTables } from '../schema-engine.ts';
import { checkedSettings, SCHEMA_FOLDER, type SchemaFlags, withSchemaOptions } from '../schema-options.ts';
import { readKnownTables } from '../known-tables.ts';
import { collect, printAndWrite, readWrites } from '../write-reports.ts';
import { EXPORT_TOOLS, type ExportTool } from '../../convert/export/foreign-query.ts';
import { importExport, type ImportOptions } from './import.ts';
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
      'Create endpoint files from the queries of another tool: exports of Metabase, Superset, Grafana, Tinybird and Redash, and dbt projects. Exits 1 if a query is not converted completely.',
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
    .option('--database <name>', 'the database of tables that queries name without one')
    .option('--force', 'overwrite files that exist; endpoints keep their id')
    .option('--dry-run', 'only report, write no files')
    .addOption(
      new Option('--format <format>', 'the output format').choices(Object.keys(PRINTERS)).default('table'),
    )
    .option('--write <format=file>', 'also write a report to a file; can be repeated', collect, []);
  withSchemaOptions(command).action(async (path: string, flags: ImportFlags) => {
    const { from, dialect, database } = flags;
    if (database !== undefined && !/^[A-Za-z_]\w*$/.test(database))
      throw new CommandError(`Invalid database name "${database}": use letters, digits and "_"`, {
        exitCode: 2,
      });
    const settings = await checkedSettings(flags, deps);
    const schema = flags.schema ?? SCHEMA_FOLDER;
    const print = printAndWrite(PRINTERS[flags.format], readWrites(flags.write, PRINTERS));
    const options: ImportOptions = {
      path,
      from,
      dialect,
      endpoints: flags.endpoints ?? settings.endpoints,
      schema,
      database,
      isForced: flags.force === true,
      isDry: flags.dryRun === true,
      // Data sources of Tinybird are written there: it need not exist.
      readTables: async () =>
        existsSync(schema) ? knownTables(flags, settings, deps)?.(readKnownTables) : undefined,
      print,
    };
    deps.setExitCode(await importExport(options, deps.terminal));
  });
}
