// `millrace import`, its flags and help.
import { Option, type Command } from 'commander';
import { DIALECTS } from '../../convert/conversion.ts';
import type { TemplateDialect } from '../../convert/placeholders/template.ts';
import { CommandError } from '../command-error.ts';
import { settingsOf, type CommandDeps } from '../command.ts';
import { collect, printAndWrite, readWrites } from '../write-reports.ts';
import { EXPORT_TOOLS, type ExportTool } from './foreign-query.ts';
import { importExport } from './import.ts';
import { printJson, printMarkdown, printTable } from './print.ts';

interface ImportFlags {
  readonly from?: ExportTool;
  readonly dialect?: TemplateDialect;
  readonly endpoints?: string;
  readonly schema: string;
  readonly database?: string;
  readonly format: keyof typeof PRINTERS;
  readonly write: readonly string[];
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

const PRINTERS = { table: printTable, markdown: printMarkdown, json: printJson };

export function addImport(program: Command, deps: CommandDeps): void {
  program
    .command('import')
    .description(
      'Create endpoint files from the queries of another tool: exports of Metabase, Superset, Grafana, Tinybird and Redash, and dbt projects. Exits 1 if a query is not translated completely.',
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
    .option('--schema <folder>', 'folder of table definitions, for data sources of Tinybird', 'schema')
    .option('--database <name>', 'the database of tables that queries name without one')
    .option('--force', 'overwrite files that exist; endpoints keep their id')
    .option('--dry-run', 'only report, write no files')
    .addOption(
      new Option('--format <format>', 'the output format').choices(Object.keys(PRINTERS)).default('table'),
    )
    .option('--write <format=file>', 'also write a report to a file; can be repeated', collect, [])
    .action(async (path: string, flags: ImportFlags) => {
      const { from, dialect, schema, database } = flags;
      if (database !== undefined && !/^[A-Za-z_]\w*$/.test(database))
        throw new CommandError(`Invalid database name "${database}": use letters, digits and "_"`, {
          exitCode: 2,
        });
      const endpoints = flags.endpoints ?? (await settingsOf({}, deps)).endpoints;
      const print = printAndWrite(PRINTERS[flags.format], readWrites(flags.write, PRINTERS));
      const options = { path, from, dialect, endpoints, schema, database, print };
      const isForced = flags.force === true;
      deps.setExitCode(
        await importExport({ ...options, isForced, isDry: flags.dryRun === true }, deps.terminal),
      );
    });
}
