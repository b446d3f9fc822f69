// Tables and views of an export as files of the schema folder, created on the engine that proves them.
import { join } from 'node:path';
import type { ReadExport, SourceItem } from '../../convert/export/foreign-query.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';
import { loadSchema, type LoadedSchema } from '../../schema/load-schema.ts';
import type { NewFile } from '../check-written.ts';
import type { PlacedNote } from './convert-query.ts';
import type { ImportOptions } from './options.ts';

export interface DefinitionDraft extends NewFile {
  readonly item: SourceItem;
  readonly database: string;
  readonly name: string;
}

/** In a folder of its database, as `millrace schema pull` writes it. */
export function definitionPath(schema: string, database: string, name: string): string {
  return join(schema, database, `${name}.sql`);
}

export interface CreatedDefinitions {
  /** Definitions without a note were created on the engine. */
  readonly notes: ReadonlyMap<DefinitionDraft, readonly PlacedNote[]>;
  /** The repository has these already, and they stay. */
  readonly known: ReadonlySet<DefinitionDraft>;
  readonly loaded: LoadedSchema;
}

/** Creates what the engine does not have; with `isForced`, also what it has. Rejects with EngineError if the engine is lost. */
export async function createDefinitions(
  engine: Engine,
  drafts: readonly DefinitionDraft[],
  { isForced, engineSources }: Pick<ImportOptions, 'isForced' | 'engineSources'>,
): Promise<CreatedDefinitions> {
  const present = await tablesOf(engine);
  const isPresent = ({ database, name }: DefinitionDraft): boolean => present.has(`${database}.${name}`);
  const known = new Set(isForced ? [] : drafts.filter(isPresent));
  for (const { database, name } of isForced ? drafts.filter(isPresent) : [])
    await engine.execute(`DROP TABLE IF EXISTS ${database}.${name} SYNC`);
  const added = drafts.filter((draft) => !known.has(draft));
  const loaded = await loadSchema(engine, added, { engineSources });
  const notes = added.map((draft) => {
    const findings = loaded.findings.filter(({ file }) => file === draft.path);
    return [
      draft,
      findings.map(({ message, line, column, code }): PlacedNote => ({
        severity: 'not_converted',
        code,
        message: `The engine does not create it: ${message}`,
        place: draft.item.place,
        inQuery: { line, column },
      })),
    ] as const;
  });
  return { notes: new Map(notes), known, loaded };
}

async function tablesOf(engine: Engine): Promise<ReadonlySet<string>> {
  const rows = await readRows(engine, "SELECT database || '.' || name FROM system.tables");
  return new Set(rows.map((row) => String(Array.isArray(row) ? row[0] : row)));
}

export function tableDrafts(
  { tables }: ReadExport,
  database: string,
  schema: string,
): readonly DefinitionDraft[] {
  // Some file systems do not tell `T.sql` and `t.sql` apart.
  const taken = new Map<string, string>();
  return tables.map((item) => {
    const { name, database: own = database } = item;
    let path = definitionPath(schema, own, name);
    for (let n = 2; (taken.get(path.toLowerCase()) ?? name) !== name; n++)
      path = definitionPath(schema, own, `${name}_${n}`);
    taken.set(path.toLowerCase(), name);
    return { item, database: own, name, path, text: item.sql(own) };
  });
}

/** Rows for the tables of the export, as `millrace test` reads them. */
export function fixturesOf({ tables }: ReadExport, database: string, endpoints: string): readonly NewFile[] {
  return tables.flatMap(({ name, database: own = database, rows }) =>
    rows === undefined
      ? []
      : [{ path: join(endpoints, 'fixtures', `${own}.${name}.${rows.format}`), text: rows.text }],
  );
}
