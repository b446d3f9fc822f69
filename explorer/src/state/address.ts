// Page state in the URL fragment, for sharing, history and reloading. The key is never part of it.
import { isDialect, type Dialect } from '../service/dialects.ts';
import type { Language } from '../service/listing.ts';

export type View = 'table' | 'chart' | 'json' | 'code';
export type QueryKind = 'saved' | Language;

export interface Sort {
  readonly column: string;
  readonly isDescending: boolean;
}

/** The columns that the chart shows; undefined: chosen by the page. */
export interface ChartChoice {
  readonly time?: string;
  /** Empty: rows are not split into series. */
  readonly series?: string;
  /** Empty: every numeric column. */
  readonly value?: string;
}

/** What the log view shows. */
export interface LogsAddress {
  /** Undefined: the first one that the endpoint has. */
  readonly table: string | undefined;
  /** LQL. */
  readonly filter: string;
  /** As `writeRange` has it; unreadable: the last hour. */
  readonly range: string;
  /** Paths; undefined: those of the view. */
  readonly columns: readonly string[] | undefined;
  /** Paths of facets beside those of the view. */
  readonly facets?: readonly string[] | undefined;
  /** The key of the row that is open. */
  readonly row?: string | undefined;
}

export const ALL_LOGS: LogsAddress = {
  table: undefined,
  filter: '',
  range: 'now-1h..now',
  columns: undefined,
};

export interface Address {
  /** Undefined if none is selected. */
  readonly endpoint: string | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: QueryKind;
  /** The dialect of consumer SQL; undefined: detected by the service. */
  readonly dialect: Dialect | undefined;
  /** The consumer queries of all languages, including the hidden one. */
  readonly texts: Readonly<Record<Language, string>>;
  /** Undefined: the view that suits the rows. */
  readonly view: View | undefined;
  readonly sort: Sort | undefined;
  readonly chart?: ChartChoice | undefined;
  /** The language of the view `code`. */
  readonly code: string | undefined;
  /** Undefined: the log view is not shown. */
  readonly logs?: LogsAddress | undefined;
  /** Where the page of rows begins; undefined: the first page. */
  readonly cursor?: string | undefined;
  /** The name of the saved view that this was opened from. */
  readonly saved?: string | undefined;
}

export const NOWHERE: Address = {
  endpoint: undefined,
  parameters: {},
  query: 'saved',
  dialect: undefined,
  texts: { sql: '', lql: '' },
  view: undefined,
  sort: undefined,
  code: undefined,
};

const VIEWS: readonly string[] = ['table', 'chart', 'json', 'code'] satisfies View[];
/** Parameter names cannot contain these. */
const OWN = {
  query: ':query',
  dialect: ':dialect',
  sql: ':sql',
  lql: ':lql',
  view: ':view',
  sort: ':sort',
  time: ':time',
  series: ':series',
  value: ':value',
  code: ':code',
  cursor: ':cursor',
  saved: ':saved',
  logs: ':logs',
  filter: ':filter',
  range: ':range',
  column: ':column',
  facet: ':facet',
  row: ':row',
} as const;

/** Parses `#/logs.all?project=abc&:view=chart`; unreadable parts are ignored. */
export function readAddress(fragment: string): Address {
  const [path = '', search = ''] = splitOnce(fragment.replace(/^#\/?/, ''), '?');
  const fields = new URLSearchParams(search);
  const own: readonly string[] = Object.values(OWN);
  const parameters = Object.fromEntries([...fields].filter(([name]) => !own.includes(name)));
  const query = fields.get(OWN.query);
  return {
    endpoint: path === '' ? undefined : decode(path),
    parameters,
    query: query === 'sql' || query === 'lql' ? query : 'saved',
    dialect: readDialect(fields.get(OWN.dialect)),
    texts: { sql: fields.get(OWN.sql) ?? '', lql: fields.get(OWN.lql) ?? '' },
    view: readView(fields.get(OWN.view)),
    sort: readSort(fields.get(OWN.sort)),
    chart: readChart(fields),
    code: fields.get(OWN.code) ?? undefined,
    ...(fields.has(OWN.logs) ? { logs: readLogs(fields) } : {}),
    ...(fields.get(OWN.cursor) ? { cursor: fields.get(OWN.cursor) ?? '' } : {}),
    ...(fields.get(OWN.saved) ? { saved: fields.get(OWN.saved) ?? '' } : {}),
  };
}

export function writeAddress(address: Address): string {
  const { endpoint, parameters, query, dialect, texts, view, sort, chart, code } = address;
  if (endpoint === undefined) return '#/';
  const fields = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''));
  if (query !== 'saved') {
    fields.set(OWN.query, query);
    fields.set(OWN[query], texts[query]);
    if (query === 'sql' && dialect !== undefined) fields.set(OWN.dialect, dialect);
  }
  if (view !== undefined) fields.set(OWN.view, view);
  if (sort !== undefined) fields.set(OWN.sort, `${sort.isDescending ? '-' : ''}${sort.column}`);
  for (const name of CHART_FIELDS) if (chart?.[name] !== undefined) fields.set(OWN[name], chart[name]);
  if (view === 'code' && code !== undefined) fields.set(OWN.code, code);
  for (const name of ['cursor', 'saved'] as const)
    if (address[name] !== undefined) fields.set(OWN[name], address[name]);
  if (address.logs !== undefined) writeLogs(fields, address.logs);
  const search = fields.toString().replaceAll('%3A', ':');
  return `#/${encodeURIComponent(endpoint)}${search === '' ? '' : `?${search}`}`;
}

function readDialect(text: string | null): Dialect | undefined {
  return text !== null && isDialect(text) ? text : undefined;
}

function readView(text: string | null): View | undefined {
  return text !== null && VIEWS.includes(text) ? (text as View) : undefined; // checked above
}

const MAX_COLUMNS = 50;

function readLogs(fields: URLSearchParams): LogsAddress {
  const columns = fields.getAll(OWN.column).slice(0, MAX_COLUMNS);
  return {
    table: fields.get(OWN.logs) || undefined,
    filter: fields.get(OWN.filter) ?? '',
    range: fields.get(OWN.range) ?? ALL_LOGS.range,
    columns: fields.has(OWN.column) ? columns.filter((path) => path !== '') : undefined,
    ...(fields.has(OWN.facet) ? { facets: fields.getAll(OWN.facet).slice(0, MAX_COLUMNS) } : {}),
    ...(fields.get(OWN.row) ? { row: fields.get(OWN.row) ?? '' } : {}),
  };
}

/** No columns at all are one that is empty. */
function writeLogs(fields: URLSearchParams, logs: LogsAddress): void {
  const { table, filter, range, columns, facets, row } = logs;
  fields.set(OWN.logs, table ?? '');
  if (filter !== '') fields.set(OWN.filter, filter);
  if (range !== ALL_LOGS.range) fields.set(OWN.range, range);
  for (const path of columns?.length === 0 ? [''] : (columns ?? [])) fields.append(OWN.column, path);
  for (const path of facets ?? []) fields.append(OWN.facet, path);
  if (row !== undefined) fields.set(OWN.row, row);
}

const CHART_FIELDS = ['time', 'series', 'value'] as const;

function readChart(fields: URLSearchParams): ChartChoice | undefined {
  const given = CHART_FIELDS.filter((name) => fields.has(OWN[name]));
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.map((name) => [name, fields.get(OWN[name]) ?? '']));
}

function readSort(text: string | null): Sort | undefined {
  if (text === null || text === '') return undefined;
  const isDescending = text.startsWith('-');
  return { column: isDescending ? text.slice(1) : text, isDescending };
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
