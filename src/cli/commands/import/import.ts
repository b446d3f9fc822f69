// `millrace import`: queries of another tool's export as endpoint files, proved on the engine before they are written.
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packagePath } from '../../../service/config/package-files.ts';
import { createConverter } from '../../convert/convert.ts';
import { MAX_QUERIES, type ForeignQuery, type ReadExport } from '../../convert/export/foreign-query.ts';
import { readExport } from '../../convert/export/read-export.ts';
import { checkWritten, type CheckedFile, type NewFile } from '../check-written.ts';
import { CommandError } from '../../kit/command-error.ts';
import { readKnownTables, type KnownTables } from '../../kit/known-tables.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { assess, isOfNames, ownErrors } from './assess.ts';
import { convertQuery, type ConvertedQuery, type ConvertSettings } from './convert-query.ts';
import { databaseName } from './database-name.ts';
import { createDefinitions, definitionPath, type DefinitionDraft } from './definitions.ts';
import { draftsOf, withIncludes, withSettings, withWhole } from './drafts.ts';
import { endpointText, withStandIns, type EndpointDraft, type TextSettings } from './endpoint-text.ts';
import { readExportFiles } from './export-files.ts';
import type { ImportEngine, ImportOptions } from './options.ts';
import { proveFiles, type Proof } from './prove.ts';
import { isComplete } from './report.ts';
import { reportOf, type Made } from './made.ts';
import { viewsOf } from './views.ts';

/** Resolves to the exit code: 1 if an item is not converted completely. Rejects with CommandError (exit 2) if there is none. */
export async function importExport(options: ImportOptions, terminal: Terminal): Promise<number> {
  const { files, problems } = await readExportFiles(options.path);
  const read = readExport(files, options.from);
  const found = { ...read, problems: [...problems, ...read.problems] };
  if (found.queries.length + found.tables.length + found.others.length === 0)
    throw nothingFound(options, found);
  if (found.queries.length > MAX_QUERIES)
    throw new CommandError(
      `The export has ${found.queries.length} queries, more than ${MAX_QUERIES}: import parts of it`,
    );
  const report = await options.withEngine(async (on) => {
    const made = await make(found, { options, on, terminal });
    return reportOf(found, made, options, terminal);
  });
  await options.print(report, terminal);
  return isComplete(report) ? 0 : 1;
}

interface Making {
  readonly options: ImportOptions;
  readonly on: ImportEngine;
  readonly terminal: Terminal;
}

/** Converts, checks and runs all that the export has; writes nothing. */
async function make(found: ReadExport, making: Making): Promise<Made> {
  const { options, on } = making;
  const database = options.database ?? databaseName(options.path);
  const tables = await createDefinitions(on.engine, tableDrafts(found, database, options), options);
  const converter = createConverter();
  try {
    const known = await readKnownTables(on.engine);
    const settings: ConvertSettings = {
      converter,
      dialect: options.dialect,
      databaseOf: databasesOf(found, known, { own: database, given: options.database }),
      known,
    };
    const converted = await convertAll(found.queries, settings, making);
    const views = viewsOf(converted, { database, schema: options.schema, known });
    const created = await createDefinitions(on.engine, views.drafts, options);
    const checked = await checkDrafts(await withIncludes(draftsOf(converted, options.endpoints), settings), {
      ...making,
      settings,
    });
    const rows = fixturesOf(found, database, options.endpoints);
    const proof = await prove(checked, rows, making);
    const assessed = assess(checked.drafts, checked.files, proof.runs);
    return {
      database,
      converted,
      tables,
      views,
      created,
      assessed,
      texts: checked.texts,
      rows,
      rejected: proof.rejected,
    };
  } finally {
    making.terminal.progress('');
    await converter.close();
  }
}

function tableDrafts(
  { tables }: ReadExport,
  database: string,
  { schema }: ImportOptions,
): readonly DefinitionDraft[] {
  return tables.map((item) => {
    const { name, database: own = database } = item;
    return { item, database: own, name, path: definitionPath(schema, own, name), text: item.sql(own) };
  });
}

/** Rows for the tables of the export, as `millrace test` reads them. */
function fixturesOf({ tables }: ReadExport, database: string, endpoints: string): readonly NewFile[] {
  return tables.flatMap(({ name, database: own = database, rows }) =>
    rows === undefined
      ? []
      : [{ path: join(endpoints, 'fixtures', `${own}.${name}.${rows.format}`), text: rows.text }],
  );
}

/** Tables of the export have its database; others the one in which they are, or the given one. */
function databasesOf(
  { tables, queries }: ReadExport,
  known: KnownTables,
  { own, given }: { readonly own: string; readonly given: string | undefined },
): ConvertSettings['databaseOf'] {
  const relations = queries.flatMap(({ relation }) => relation ?? []);
  const defined = new Map([...tables, ...relations].map((each) => [each.name, each.database ?? own]));
  const tools = new Set(tables.map(({ tool }) => tool));
  return ({ reads = [], tool }, table) => {
    if (reads.includes(table)) return undefined;
    return defined.get(table) ?? known.tableOf?.([table])?.[0] ?? (tools.has(tool) ? own : given);
  };
}

async function convertAll(
  queries: readonly ForeignQuery[],
  settings: ConvertSettings,
  { terminal }: Making,
): Promise<readonly ConvertedQuery[]> {
  const converted: ConvertedQuery[] = [];
  for (const [index, query] of queries.entries()) {
    terminal.progress(`Converting ${index + 1} of ${queries.length}`);
    converted.push(await convertQuery(query, settings));
  }
  return converted;
}

interface CheckedDrafts {
  readonly drafts: readonly EndpointDraft[];
  readonly texts: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, CheckedFile>;
}

/** A draft whose includes do not compose has the queries that it reads inside. */
async function checkDrafts(
  drafts: readonly EndpointDraft[],
  { options, on, terminal, settings }: Making & { readonly settings: ConvertSettings },
): Promise<CheckedDrafts> {
  const { openTestRuntime, tenancy, engineSources, database } = options;
  const text: TextSettings = {
    schemaLine: schemaLine(options.endpoints),
    isForced: options.isForced,
    database,
  };
  const analysing = { ...on, terminal, openTestRuntime, tenancy, engineSources };
  const textOf = (draft: EndpointDraft): NewFile => ({ path: draft.path, text: endpointText(draft, text) });
  const first = new Map(drafts.map((draft) => [draft.path, textOf(draft)]));
  const files = new Map(await checkWritten([...first.values()], analysing));
  const final: EndpointDraft[] = [];
  for (const draft of drafts) {
    const errors = ownErrors(files.get(draft.path));
    const isBroken = draft.includes.size > 0 && errors.length > 0;
    final.push(withSettings(draft, errors) ?? (isBroken ? await withWhole(draft, settings) : draft));
  }
  const again = final.filter((draft, index) => draft !== drafts[index]).map(textOf);
  for (const file of again) first.set(file.path, file);
  const without = (files: readonly NewFile[]): readonly NewFile[] =>
    [...first.values()].filter(({ path }) => files.every((each) => each.path !== path));
  const changed = again.length === 0 ? [] : await checkWritten(again, analysing, without(again));
  for (const [path, found] of changed) files.set(path, found);
  const rest = final.filter(({ status }) => status === 'partly').map((draft) => textOf(withStandIns(draft)));
  const ofRest = rest.length === 0 ? [] : await checkWritten(rest, analysing, without(rest));
  for (const [path, { errors }] of ofRest) {
    const before = files.get(path);
    if (before !== undefined) files.set(path, { ...before, errors: errors.filter(isOfNames) });
  }
  return { drafts: final, texts: new Map([...first].map(([path, file]) => [path, file.text])), files };
}

/** Only files without errors are run. */
async function prove(
  { files }: CheckedDrafts,
  rows: readonly NewFile[],
  { options, on, terminal }: Making,
): Promise<Proof> {
  const { openTestRuntime, engineSources, endpoints } = options;
  const sound = [...files.values()].flatMap(({ inspected, errors }) =>
    inspected === undefined || errors.length > 0 ? [] : [inspected],
  );
  return proveFiles(sound, rows, {
    ...on,
    openTestRuntime,
    engineSources,
    fixtures: join(endpoints, 'fixtures'),
    progress: terminal.progress,
  });
}

function nothingFound({ path, from }: ImportOptions, { problems }: ReadExport): CommandError {
  const [first] = problems;
  const reason = first === undefined ? '' : `. ${first.file}:${first.line}: ${first.message}`;
  const what = from === undefined ? 'an export of a supported tool' : `an export of ${from}`;
  return new CommandError(`No queries found in ${path}: this is not ${what}${reason}`, { exitCode: 2 });
}

/** For editors, as `millrace new` writes it. */
function schemaLine(folder: string): string {
  const candidates = ['schemas', packagePath('schemas')];
  const found = candidates.find((path) => existsSync(path) && !relative('.', path).startsWith('..'));
  return `# yaml-language-server: $schema=${relative(folder, found ?? 'schemas')}/endpoint.schema.json\n`;
}
