// Superset: datasets, saved queries and charts of an export. Source: https://superset.apache.org/docs/api and its export format
import type { Declaration } from '../../placeholders/template.ts';
import {
  dialectOfEngine,
  entriesOf,
  listOf,
  member,
  textOf,
  type ExportDocument,
  type DocumentPath,
} from '../../export/document.ts';
import type { ForeignQuery, OtherItem, ToolReader } from '../../export/foreign-query.ts';
import { chartSql } from './chart.ts';

export const SUPERSET: ToolReader = {
  isOwn: ({ documents }) => documents.some(isSuperset),
  read: ({ documents }) => ({ queries: readSuperset(documents), others: documents.flatMap(otherIn) }),
};

function isSuperset({ value, path }: ExportDocument): boolean {
  return (
    textOf(value, 'sqlalchemy_uri') !== undefined ||
    (textOf(value, 'table_name') !== undefined && member(value, 'columns') !== undefined) ||
    (textOf(value, 'slice_name') !== undefined && textOf(value, 'viz_type') !== undefined) ||
    (/(^|\/)queries\//.test(path) && textOf(value, 'sql') !== undefined)
  );
}

/** A dataset that is a table has no query, and neither has a dashboard. */
function otherIn({ value, file, locate }: ExportDocument): readonly OtherItem[] {
  const item = (kind: string, key: string, reason: string): readonly OtherItem[] => {
    const title = textOf(value, key) ?? '';
    return [{ tool: 'superset', kind, title, file, place: locate([key], 0), reason, isEmpty: true }];
  };
  if (isDashboard(value)) {
    const filters = listOf(member(value, 'metadata'), 'native_filter_configuration').length;
    const ofFilters = `. Its ${filters === 1 ? 'filter is' : `${filters} filters are`} left out: they are no parts of the charts' queries`;
    return item(
      'dashboard',
      'dashboard_title',
      `Each of its charts has a line of its own${filters === 0 ? '' : ofFilters}`,
    );
  }
  if (isText(value)) return item('chart', 'slice_name', 'The chart is a text');
  const isTable = textOf(value, 'table_name') !== undefined && member(value, 'columns') !== undefined;
  return isTable && textOf(value, 'sql') === undefined
    ? item('dataset', 'table_name', 'The dataset is a table')
    : [];
}

function isText(value: unknown): boolean {
  return /^(markup|separator|divider)$/.test(textOf(value, 'viz_type') ?? '');
}

function isDashboard(value: unknown): boolean {
  return textOf(value, 'dashboard_title') !== undefined && member(value, 'position') !== undefined;
}

export interface Dataset {
  readonly value: unknown;
  readonly document: ExportDocument;
  readonly engine: string | undefined;
}

function readSuperset(documents: readonly ExportDocument[]): readonly ForeignQuery[] {
  const engines = new Map(
    documents.flatMap(({ value }) => {
      const [uuid, uri] = [textOf(value, 'uuid'), textOf(value, 'sqlalchemy_uri')];
      return uuid === undefined || uri === undefined ? [] : [[uuid, engineOfUri(uri)] as const];
    }),
  );
  const engineOf = (value: unknown): string | undefined => engines.get(textOf(value, 'database_uuid') ?? '');
  const datasets = new Map(
    documents.flatMap((document): (readonly [string, Dataset])[] => {
      const { value } = document;
      const uuid = textOf(value, 'uuid');
      if (textOf(value, 'table_name') === undefined || uuid === undefined) return [];
      return [[uuid, { value, document, engine: engineOf(value) }]];
    }),
  );
  return documents.flatMap((document): readonly ForeignQuery[] => {
    const { value } = document;
    if (isText(value)) return [];
    if (textOf(value, 'slice_name') !== undefined) return [chartOf(document, datasets)];
    if (textOf(value, 'sqlalchemy_uri') !== undefined) return [];
    if (textOf(value, 'sql') === undefined) return []; // a table, which is no query
    return [datasetOf(document, engineOf(value))];
  });
}

/** `postgresql` of `postgresql+psycopg2://…`. */
function engineOfUri(uri: string): string {
  return /^([\w]+)(\+[\w]+)?:/.exec(uri)?.[1] ?? uri.slice(0, 20);
}

/** A virtual dataset or a saved query. */
function datasetOf(document: ExportDocument, engine: string | undefined): ForeignQuery {
  const { value } = document;
  const title = textOf(value, 'table_name') ?? textOf(value, 'label') ?? 'query';
  const description = textOf(value, 'description');
  return {
    tool: 'superset',
    kind: textOf(value, 'table_name') === undefined ? 'saved query' : 'dataset',
    title,
    segments: [title],
    ...(description === undefined ? {} : { description }),
    sql: textOf(value, 'sql') ?? '',
    dialect: dialectOfEngine(engine),
    ...(engine === undefined ? {} : { engine }),
    declarations: templateParameters(value),
    file: document.file,
    locate: (offset) => document.locate(['sql'], offset),
  };
}

/** Names that the dataset gives values to, as an object or as JSON. */
function templateParameters(value: unknown): readonly Declaration[] {
  const written = member(value, 'template_params');
  let found: unknown = written;
  if (typeof written === 'string' && written.length < 100_000) {
    try {
      found = JSON.parse(written);
    } catch {
      found = undefined;
    }
  }
  return entriesOf(found)
    .slice(0, 100)
    .flatMap(([name, item]): readonly Declaration[] => {
      if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean')
        return [{ name, default: item }];
      if (!Array.isArray(item)) return [];
      const items = (item as readonly unknown[]).filter(
        (each): each is string | number => typeof each === 'string' || typeof each === 'number',
      );
      return [{ name, isList: true, default: items }];
    });
}

function chartOf(document: ExportDocument, datasets: ReadonlyMap<string, Dataset>): ForeignQuery {
  const { value } = document;
  const title = textOf(value, 'slice_name') ?? 'chart';
  const description = textOf(value, 'description');
  const dataset = datasets.get(textOf(value, 'dataset_uuid') ?? '');
  const engine = dataset?.engine;
  const path: DocumentPath = ['slice_name'];
  const base = {
    tool: 'superset',
    kind: 'chart',
    title,
    segments: [title],
    ...(description === undefined ? {} : { description }),
    dialect: dialectOfEngine(engine),
    ...(engine === undefined ? {} : { engine }),
    file: document.file,
    locate: () => document.locate(path, 0),
  } as const;
  if (dataset === undefined)
    return {
      ...base,
      sql: '',
      declarations: [],
      reason: 'The dataset of the chart is not in the export: export both',
    };
  const chart = chartSql(value, dataset.value, base.dialect);
  if ('reason' in chart) return { ...base, sql: '', declarations: [], reason: chart.reason };
  return { ...base, sql: chart.sql, declarations: templateParameters(dataset.value) };
}
