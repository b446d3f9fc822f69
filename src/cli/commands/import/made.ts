// Writes what an import has made, and reports every item of the export.
import { join } from 'node:path';
import type { ForeignQuery, ReadExport, SourceItem } from '../../convert/export/foreign-query.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { NewFile } from '../check-written.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { itemsOf, type Assessed } from './assess.ts';
import type { ConvertedQuery, PlacedNote } from './convert-query.ts';
import type { CreatedDefinitions, DefinitionDraft } from './definitions.ts';
import type { ImportOptions } from './options.ts';
import type { ImportedItem, ImportReport, WrittenFile } from './report.ts';
import type { ImportedRollups, RollupDraft } from './rollups/view-rollups.ts';
import type { Views } from './views.ts';
import { writeFileOf } from './write-files.ts';

export interface Made {
  readonly database: string;
  readonly converted: readonly ConvertedQuery[];
  readonly tables: CreatedDefinitions;
  readonly views: Views;
  readonly created: CreatedDefinitions;
  readonly rollups: ImportedRollups;
  readonly assessed: readonly Assessed[];
  /** The texts of endpoint files have their paths as keys. */
  readonly texts: ReadonlyMap<string, string>;
  /** Fixtures, and those that the tables do not take. */
  readonly rows: readonly NewFile[];
  readonly rejected: ReadonlyMap<string, Finding>;
}

type Write = (file: NewFile, folder: string) => Promise<WrittenFile>;

export async function reportOf(
  found: ReadExport,
  made: Made,
  { path, isDry, isForced, endpoints, schema }: ImportOptions,
  terminal: Terminal,
): Promise<ImportReport> {
  const write: Write = async (file, folder) => {
    const how = isDry ? 'printed' : await writeFileOf(file, folder, isForced);
    if (how === 'kept') terminal.note(`${file.path} already exists and is kept; --force overwrites it`);
    return { file: file.path, how };
  };
  const items: ImportedItem[] = [];
  for (const draft of [...definitionsOf(made.tables), ...definitionsOf(made.created)]) {
    const rollup = made.rollups.drafts.get(draft);
    if (rollup !== undefined) items.push(rollupItem(draft, rollup, await write(rollup, endpoints)));
    if (rollup?.isAlone === true) continue;
    items.push(...(await definitionItem(draft, made, (file) => write(file, schema))));
  }
  for (const file of made.rows.filter(({ path: each }) => !made.rejected.has(each)))
    await write(file, endpoints);
  for (const each of made.assessed) {
    const file = { path: each.draft.path, text: made.texts.get(each.draft.path) ?? '' };
    items.push(...itemsOf(each, await write(file, endpoints)));
  }
  items.push(...unmade(made), ...restOf(found));
  return {
    source: path,
    database: found.tables.length > 0 ? made.database : undefined,
    items: distinct(items).toSorted(byPlace),
  };
}

function definitionsOf({ notes, known }: CreatedDefinitions): readonly DefinitionDraft[] {
  return [...known, ...notes.keys()];
}

/** The line of the rollup that a view is. */
function rollupItem(
  { item }: DefinitionDraft,
  { name, isAlone }: RollupDraft,
  written: WrittenFile,
): ImportedItem {
  const message = 'No other query of the export reads what it writes: its view is not written';
  const notes = isAlone ? [noteOf(message, item.place, true)] : [];
  return { ...itemOf(item), kind: 'rollup', status: 'converted', written, rollup: name, notes };
}

/** The line of a table or view; none for the view of an endpoint, which has its own. */
async function definitionItem(
  draft: DefinitionDraft,
  { tables, created, rejected, rows, views, rollups }: Made,
  write: (file: NewFile) => Promise<WrittenFile>,
): Promise<readonly ImportedItem[]> {
  const notes = tables.notes.get(draft) ?? created.notes.get(draft) ?? [];
  const noRollup = rollups.notes.get(draft);
  const isKnown = tables.known.has(draft) || created.known.has(draft);
  const written = isKnown ? { file: draft.path, how: 'kept' as const } : await write(draft);
  const isOfEndpoint = [...views.byQuery].some(([query, each]) => each === draft && query.view === undefined);
  if (isOfEndpoint) return [];
  const fixture = rows.find(({ path }) =>
    path.includes(`${join('fixtures', `${draft.database}.${draft.name}`)}.`),
  );
  const finding = fixture && rejected.get(fixture.path);
  const ofRows: readonly PlacedNote[] =
    finding === undefined
      ? []
      : [
          {
            severity: 'not_converted',
            code: finding.code,
            message: `The rows of its fixture are left out: row ${finding.line}: ${finding.message}`,
            place: draft.item.place,
            inQuery: { line: finding.line, column: 1 },
          },
        ];
  const query = [...views.byQuery].find(([, each]) => each === draft)?.[0];
  const status =
    notes.length > 0 ? ('not' as const) : ofRows.length > 0 ? ('partly' as const) : ('converted' as const);
  const item = {
    ...itemOf(draft.item),
    status,
    written,
    relation: `${draft.database}.${draft.name}`,
    notes: [...notes, ...ofRows, ...(noRollup === undefined ? [] : [noRollup])],
  };
  return [...partsOf(query, status), item];
}

function partsOf(query: ForeignQuery | undefined, status: ImportedItem['status']): readonly ImportedItem[] {
  const notes = (part: SourceItem): readonly PlacedNote[] =>
    status === 'converted' ? [] : [noteOf('The node that reads it was not converted', part.place)];
  return (query?.parts ?? []).map((part) => ({ ...itemOf(part), status, notes: notes(part) }));
}

function itemOf({ tool, kind, title, file, place }: SourceItem & { readonly label?: string }): ImportedItem {
  return { tool, kind, title, file, place, status: 'not', notes: [] };
}

/** Queries of which nothing was made. */
function unmade({ converted, assessed, views }: Made): readonly ImportedItem[] {
  const made = new Set<ForeignQuery>(assessed.map(({ draft }) => draft.query));
  const names = new Set(
    assessed.map(({ draft }) => `${draft.query.file} ${draft.query.label ?? draft.query.title}`),
  );
  return converted
    .filter(({ query }) => !made.has(query) && !views.byQuery.has(query))
    .filter(
      ({ query }) => query.view !== undefined || !names.has(`${query.file} ${query.label ?? query.title}`),
    )
    .flatMap(({ query, notes, place, dialect }) => {
      const own = [...notes, ...(views.notes.get(query) ?? [])];
      const item: ImportedItem = {
        ...itemOf({ ...query, place }),
        title: query.label ?? query.title,
        dialect,
        notes: own,
      };
      return [...partsOf(query, 'not'), item];
    });
}

function noteOf(message: string, place: ImportedItem['place'], isEmpty = false): PlacedNote {
  const severity = isEmpty ? 'note' : 'not_converted';
  return { severity, code: 'statement', message, place, inQuery: { line: 1, column: 1 } };
}

/** Items without a query, and files that could not be read. */
function restOf({ others, problems }: ReadExport): readonly ImportedItem[] {
  return [
    ...others.map((other) => ({
      ...itemOf(other),
      status: other.isEmpty === true ? ('none' as const) : ('not' as const),
      notes: [noteOf(other.reason, other.place, other.isEmpty)],
    })),
    ...problems.map(({ file, line, message }) => {
      const place = { line, column: 1 };
      const title = file.split('/').at(-1) ?? file;
      return {
        tool: undefined,
        kind: 'file',
        title,
        file,
        place,
        status: 'not' as const,
        notes: [noteOf(message, place)],
      };
    }),
  ];
}

const ORDER = ['converted', 'partly', 'not', 'none'];

/** One line for an item that several queries have as a part: the best. */
function distinct(items: readonly ImportedItem[]): readonly ImportedItem[] {
  const found = new Map<string, ImportedItem>();
  for (const item of items) {
    const key =
      item.written === undefined || item.endpoint !== undefined
        ? `${item.file} ${item.kind} ${item.title} ${item.place.line}:${item.place.column}`
        : item.written.file;
    const before = found.get(key);
    const isBetter =
      before === undefined ||
      ORDER.indexOf(item.status) < ORDER.indexOf(before.status) ||
      item.written !== undefined;
    if (isBetter) found.set(key, item);
  }
  return [...found.values()];
}

function byPlace(one: ImportedItem, other: ImportedItem): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.place.line - other.place.line || one.place.column - other.place.column;
}
