// Views of an export as definitions of the schema folder: those that materialize rows, and those that other queries read.
import type { ForeignQuery } from '../../convert/export/foreign-query.ts';
import type { KnownTables } from '../../kit/known-tables.ts';
import type { ConvertedQuery, PlacedNote } from './convert-query.ts';
import { definitionPath, type DefinitionDraft } from './definitions.ts';
import { fixedQuery } from './fixed-query.ts';
import { printable } from '../../convert/printable.ts';

export interface Views {
  readonly drafts: readonly DefinitionDraft[];
  /** The definition that a query of the export is. */
  readonly byQuery: ReadonlyMap<ForeignQuery, DefinitionDraft>;
  /** Why a view is no definition. */
  readonly notes: ReadonlyMap<ForeignQuery, readonly PlacedNote[]>;
}

export interface ViewSettings {
  readonly database: string;
  readonly schema: string;
  readonly known: KnownTables;
}

const NAME = /^[A-Za-z_]\w*$/;

export function viewsOf(
  converted: readonly ConvertedQuery[],
  { database, schema, known }: ViewSettings,
): Views {
  const byQuery = new Map<ForeignQuery, DefinitionDraft>();
  const notes = new Map<ForeignQuery, readonly PlacedNote[]>();
  for (const { query, sql, status, parameters } of converted) {
    const { view, relation } = query;
    const fixed = sql === undefined ? undefined : fixedQuery(sql, view === undefined ? [] : parameters);
    if (view !== undefined && sql !== undefined && fixed === undefined)
      notes.set(query, [withParameters(query)]);
    const of = relation?.database ?? database;
    const name = relation?.name ?? view?.name;
    const isOther = view === undefined && parameters.length > 0;
    if (fixed === undefined || status !== 'converted' || name === undefined || isOther) continue;
    // The names are those of the export, and become paths.
    if (!NAME.test(of) || !NAME.test(name)) continue;
    if (relation !== undefined && known.tableOf?.([of, name])?.join('.') === `${of}.${name}`) continue;
    const head = view?.sql(database) ?? `CREATE VIEW ${of}.${name} AS`;
    byQuery.set(query, {
      item: { ...query, title: query.label ?? query.title, place: query.locate(0) },
      database: of,
      name,
      path: definitionPath(schema, of, name),
      text: `${head}\n${printable(fixed)};\n`,
    });
  }
  return { drafts: [...byQuery.values()], byQuery, notes };
}

function withParameters(query: ForeignQuery): PlacedNote {
  return {
    severity: 'not_converted',
    code: 'statement',
    message: 'The rows that it writes depend on parameters without defaults: write their values',
    place: query.locate(0),
    inQuery: { line: 1, column: 1 },
  };
}
