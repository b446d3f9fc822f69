// `millrace import`: queries of another tool's export as endpoint files.
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createConverter } from '../../convert/convert.ts';
import type { TemplateDialect } from '../../convert/placeholders/template.ts';
import { CommandError } from '../command-error.ts';
import { packaged } from '../samples.ts';
import type { KnownTables } from '../known-tables.ts';
import type { Terminal } from '../terminal.ts';
import { convertQuery, type ConvertedQuery } from './convert-query.ts';
import { createUniqueNames, endpointName } from './endpoint-names.ts';
import { readExportFiles } from './export-files.ts';
import { MAX_QUERIES, type ExportTool, type ForeignQuery } from '../../convert/export/foreign-query.ts';
import { readExport } from '../../convert/export/read-export.ts';
import type { ImportedQuery, ImportedTable, ImportReport } from './report.ts';
import { writeEndpoint, writeTable, type WriteSettings } from './write-endpoints.ts';

export interface ImportOptions {
  readonly path: string;
  readonly from: ExportTool | undefined;
  readonly dialect: TemplateDialect | undefined;
  readonly endpoints: string;
  readonly schema: string;
  readonly database: string | undefined;
  readonly isForced: boolean;
  /** Only report. */
  readonly isDry: boolean;
  /** The known tables, for queries that are not ClickHouse SQL; undefined without tables. */
  readonly readTables: () => Promise<KnownTables | undefined>;
  readonly print: (report: ImportReport, terminal: Terminal) => Promise<void>;
}

/** Resolves to the exit code: 1 if a query is not converted completely. Rejects with CommandError (exit 2) if there is none. */
export async function importExport(options: ImportOptions, terminal: Terminal): Promise<number> {
  const { files, problems } = await readExportFiles(options.path);
  const found = readExport(files, options.from);
  const all = [...problems, ...found.problems];
  if (found.queries.length + found.tables.length === 0) throw nothingFound(options, all);
  if (found.queries.length > MAX_QUERIES)
    throw new CommandError(
      `The export has ${found.queries.length} queries, more than ${MAX_QUERIES}: import parts of it`,
      { exitCode: 2 },
    );
  const settings: WriteSettings = { ...options, schemaLine: schemaLine(options.endpoints) };
  const queries = await importQueries(found.queries, options, { settings, terminal });
  const tables: ImportedTable[] = [];
  for (const table of found.tables) {
    const written = options.isDry ? 'printed' : await writeTable(table, settings);
    const file = join(options.schema, `${table.name}.sql`);
    noteWritten(file, written, terminal);
    tables.push({ name: table.name, file, written });
  }
  const report: ImportReport = { source: options.path, queries, tables, problems: all };
  await options.print(report, terminal);
  return all.length > 0 || queries.some(({ status }) => status !== 'converted') ? 1 : 0;
}

interface Output {
  readonly settings: WriteSettings;
  readonly terminal: Terminal;
}

async function importQueries(
  found: readonly ForeignQuery[],
  { dialect, database, isDry, endpoints, readTables }: ImportOptions,
  { settings, terminal }: Output,
): Promise<readonly ImportedQuery[]> {
  const isForeign = found.some((query) => (query.dialect ?? dialect ?? 'clickhouse') !== 'clickhouse');
  const known = isForeign ? await readTables() : undefined;
  const converter = createConverter();
  const unique = createUniqueNames();
  const queries: ImportedQuery[] = [];
  try {
    for (const [index, query] of found.entries()) {
      terminal.progress(`query ${index + 1} of ${found.length}`);
      const converted = await convertQuery(query, { converter, dialect, database, known });
      if (!isWritable(converted)) {
        queries.push({ ...converted, endpoint: undefined, file: undefined, written: undefined });
        continue;
      }
      const endpoint = unique(endpointName(query.segments, query.tool));
      const file = join(endpoints, `${endpoint}.yaml`);
      const written = isDry ? 'printed' : await writeEndpoint(endpoint, converted, settings);
      noteWritten(file, written, terminal);
      queries.push({ ...converted, endpoint, file, written });
    }
  } finally {
    terminal.progress('');
    await converter.close();
  }
  return queries;
}

function isWritable(converted: ConvertedQuery): converted is ConvertedQuery & { readonly sql: string } {
  return converted.sql !== undefined;
}

function noteWritten(file: string, written: ImportedTable['written'], { note }: Terminal): void {
  if (written === 'skipped') note(`${file} already exists and is kept; --force overwrites it`);
}

function nothingFound({ path, from }: ImportOptions, problems: ImportReport['problems']): CommandError {
  const [first] = problems;
  const reason = first === undefined ? '' : `. ${first.file}:${first.line}: ${first.message}`;
  const what = from === undefined ? 'an export of a supported tool' : `an export of ${from}`;
  return new CommandError(`No queries found in ${path}: this is not ${what}${reason}`, { exitCode: 2 });
}

/** For editors, as `millrace new` writes it. */
function schemaLine(folder: string): string {
  const candidates = ['schemas', packaged('schemas')];
  const found = candidates.find((path) => existsSync(path) && !relative('.', path).startsWith('..'));
  return `# yaml-language-server: $schema=${relative(folder, found ?? 'schemas')}/endpoint.schema.json\n`;
}
