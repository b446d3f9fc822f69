// Makes definitions, endpoint files and views of an export, checked and run on the engine. Nothing is written.
import { createConverter } from '../../convert/convert.ts';
import type { ForeignQuery, ReadExport } from '../../convert/export/foreign-query.ts';
import { readKnownTables } from '../../kit/known-tables.ts';
import { assess } from './assess.ts';
import { checkAndRun } from './check-and-run.ts';
import { convertQuery, type ConvertedQuery, type ConvertSettings } from './convert-query.ts';
import { databaseName, relationsOf } from './database-name.ts';
import { createDefinitions, fixturesOf, tableDrafts, type DefinitionDraft } from './definitions.ts';
import { draftsOf, withIncludes } from './drafts.ts';
import type { Made } from './made.ts';
import type { Making } from './options.ts';
import { rollupsOf } from './rollups/view-rollups.ts';
import { viewsOf } from './views.ts';

/** Converts, checks and runs all that the export has; writes nothing. */
export async function make(found: ReadExport, making: Making): Promise<Made> {
  const { options, on } = making;
  const database = options.database ?? databaseName(options.path);
  const tables = await createDefinitions(on.engine, tableDrafts(found, database, options.schema), options);
  const converter = createConverter();
  try {
    const known = await readKnownTables(on.engine);
    const settings: ConvertSettings = {
      converter,
      dialect: options.dialect,
      relationOf: relationsOf(found, known, { own: database, given: options.database }),
      known,
      engineSources: options.engineSources,
    };
    const converted = await convertAll(found.queries, settings, making);
    const views = viewsOf(converted, { database, schema: options.schema, known });
    const created = await createDefinitions(on.engine, views.drafts, options);
    const isCreated = (view: DefinitionDraft): boolean =>
      created.known.has(view) || created.notes.get(view)?.length === 0;
    const rollups = await rollupsOf(converted, views, {
      engine: on.engine,
      endpoints: options.endpoints,
      isCreated,
    });
    const drafts = await withIncludes(draftsOf(converted, options.endpoints), settings);
    const rows = fixturesOf(found, database, options.endpoints);
    const { checked, proof } = await checkAndRun(drafts, rows, { ...making, settings });
    const assessed = assess(checked.drafts, checked.files, proof.runs);
    return {
      database,
      converted,
      tables,
      views,
      created,
      rollups,
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
