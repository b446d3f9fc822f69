// Redash: queries as its API returns them, one or a list. Source: https://redash.io/help/user-guide/integrations-and-api/api
import type { Declaration } from '../../placeholders/template.ts';
import {
  dialectOfEngine,
  listOf,
  member,
  textOf,
  type ExportDocument,
  type DocumentPath,
} from '../../export/document.ts';
import type { ForeignQuery, OtherItem, ToolReader } from '../../export/foreign-query.ts';

export const REDASH: ToolReader = {
  isOwn: ({ documents }) => documents.some(isRedash),
  read: ({ documents }) => ({ queries: readRedash(documents), others: documents.flatMap(dashboardIn) }),
};

/** A dashboard has no query of its own. */
function dashboardIn({ value, file, locate }: ExportDocument): readonly OtherItem[] {
  const title = textOf(value, 'name');
  const widgets = listOf(value, 'widgets');
  if (title === undefined || widgets.length === 0) return [];
  const texts = widgets.filter((each) => (member(each, 'visualization') ?? undefined) === undefined).length;
  const ofTexts =
    texts === 0 ? '' : `; ${texts === 1 ? 'one widget is a text' : `${texts} widgets are texts`}`;
  const reason = `Each query of its widgets has a line of its own${ofTexts}`;
  return [
    { tool: 'redash', kind: 'dashboard', title, file, place: locate(['name'], 0), reason, isEmpty: true },
  ];
}

function isRedash({ value }: ExportDocument): boolean {
  return itemsOf(value).some((item) => isQuery(item.value));
}

function isQuery(value: unknown): boolean {
  if (typeof member(value, 'query') !== 'string') return false;
  return ['data_source_id', 'latest_query_data_id', 'is_draft', 'query_hash', 'options', 'data_source'].some(
    (key) => member(value, key) !== undefined,
  );
}

/** A list of queries, a page of one, a query, or the queries of a dashboard's widgets, each once. */
function itemsOf(value: unknown): readonly { readonly path: DocumentPath; readonly value: unknown }[] {
  const widgets = listOf(value, 'widgets').flatMap((widget, index) => {
    const query = member(member(widget, 'visualization'), 'query');
    return query === undefined
      ? []
      : [{ path: ['widgets', index, 'visualization', 'query'], value: query, id: member(query, 'id') }];
  });
  if (widgets.length > 0)
    return widgets.filter(
      ({ id }, at) => id === undefined || widgets.findIndex((each) => each.id === id) === at,
    );
  if (Array.isArray(value)) return value.map((item: unknown, index) => ({ path: [index], value: item }));
  const results = ['results', 'queries'].find((key) => Array.isArray(member(value, key)));
  if (results === undefined) return [{ path: [], value }];
  return listOf(value, results).map((item, index) => ({ path: [results, index], value: item }));
}

function readRedash(documents: readonly ExportDocument[]): readonly ForeignQuery[] {
  const engines = enginesOf(documents);
  return documents.flatMap((document) =>
    itemsOf(document.value)
      .filter((item) => isQuery(item.value))
      .map((item) => queryOf(document, item, engines)),
  );
}

/** Data sources by number, from `/api/data_sources`. */
function enginesOf(documents: readonly ExportDocument[]): ReadonlyMap<unknown, string> {
  const engines = new Map<unknown, string>();
  for (const { value } of documents)
    for (const { value: item } of itemsOf(value)) {
      const type = textOf(item, 'type');
      if (type !== undefined && member(item, 'id') !== undefined) engines.set(member(item, 'id'), type);
    }
  return engines;
}

function queryOf(
  document: ExportDocument,
  { path, value }: { readonly path: DocumentPath; readonly value: unknown },
  engines: ReadonlyMap<unknown, string>,
): ForeignQuery {
  const title = textOf(value, 'name') ?? 'query';
  const description = textOf(value, 'description');
  const engine = textOf(member(value, 'data_source'), 'type') ?? engines.get(member(value, 'data_source_id'));
  const id = member(value, 'id');
  return {
    tool: 'redash',
    kind: 'query',
    title,
    segments: [title],
    ...(description === undefined ? {} : { description }),
    sql: textOf(value, 'query') ?? '',
    dialect: dialectOfEngine(engine),
    ...(engine === undefined ? {} : { engine }),
    ...(typeof id === 'number' ? { key: String(id) } : {}),
    declarations: listOf(member(value, 'options'), 'parameters').slice(0, 200).map(declarationOf),
    file: document.file,
    locate: (offset) => document.locate([...path, 'query'], offset),
  };
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['text', 'String'],
  ['number', 'Float64'],
  ['date', 'Date'],
  ['datetime-local', 'DateTime'],
  ['datetime-with-seconds', 'DateTime'],
  ['date-range', 'Date'],
  ['datetime-range', 'DateTime'],
  ['datetime-range-with-seconds', 'DateTime'],
]);

function declarationOf(parameter: unknown): Declaration {
  const name = textOf(parameter, 'name') ?? '';
  const kind = textOf(parameter, 'type') ?? 'text';
  const title = textOf(parameter, 'title');
  const value = plainOf(member(parameter, 'value'));
  const choices =
    textOf(parameter, 'enumOptions')
      ?.split('\n')
      .filter((each) => each !== '') ?? [];
  const isList =
    typeof member(parameter, 'multiValuesOptions') === 'object' &&
    member(parameter, 'multiValuesOptions') !== null;
  const type =
    TYPES.get(kind) ??
    (choices.length > 0 && choices.every((each) => /^-?\d{1,15}$/.test(each)) ? 'Int64' : undefined);
  return {
    name,
    ...(type === undefined ? {} : { type }),
    ...(title === undefined || title === name ? {} : { description: title }),
    ...(kind.includes('range') ? { isRange: true } : {}),
    ...(isList ? { isList } : {}),
    ...(choices.length === 0 ? {} : { enum: choices }),
    ...(value === undefined
      ? {}
      : kind === 'number' || choices.length > 0
        ? { default: value }
        : { example: value }),
  };
}

/** Dates relative to the current day, such as `d_now`, are no values. */
function plainOf(value: unknown): Declaration['default'] {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return value.startsWith('d_') || value === '' ? undefined : value;
  const [start, end] = [textOf(value, 'start'), textOf(value, 'end')];
  if (start !== undefined && end !== undefined) return [start, end]; // of a range
  if (!Array.isArray(value)) return undefined;
  const items = (value as readonly unknown[]).filter((each): each is string => typeof each === 'string');
  return items.length === value.length ? items : undefined;
}
