// The log views of an endpoint: declared in its file, or inferred from the columns of its tables.
import { sandboxOf, type Endpoint, type Sandbox, type Table } from '../service/listing.ts';
import { fieldOf, fieldsOf, type Field } from './fields.ts';
import { isNameable } from './sql.ts';

/** Paths are written as in LQL, but with `metadata.` in full. */
export interface LogView {
  readonly table: string;
  /** The column of the time of a row. */
  readonly time: string;
  readonly message: string | undefined;
  readonly level: string | undefined;
  readonly columns: readonly string[];
  readonly facets: readonly string[];
  /** The parameters that bound the times of the rows. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly isDeclared: boolean;
}

/** The view with these facets beside its own; those that the table does not have are left out. */
export function withFacets(view: LogView, paths: readonly string[] = [], table: Table | undefined): LogView {
  const added = paths.filter((path) => !view.facets.includes(path) && table && fieldOf(table, path));
  return added.length === 0
    ? view
    : { ...view, facets: [...view.facets, ...new Set(added)].slice(0, MAX_SHOWN) };
}

const TIMES = ['timestamp', 'time', 'ts', 'event_time'];
const MESSAGES = ['event_message', 'message', 'body', 'msg', 'text'];
const LEVELS = [
  'level',
  'severity_text',
  'severitytext',
  'severity',
  'error_severity',
  'status_code',
  'status',
];
const FROMS = ['from', 'start', 'since', 'iso_timestamp_start', 'start_time', 'begin'];
const TOS = ['to', 'end', 'until', 'iso_timestamp_end', 'end_time'];
const MAX_FACETS = 12;
const MAX_SHOWN = 24;

/** The declared views, otherwise one for each table with a time column. None if the key may not send the queries of the view. */
export function logViewsOf(endpoint: Endpoint): readonly LogView[] {
  const sandbox = sandboxOf(endpoint);
  if (sandbox?.tables == null || !sandbox.languages.includes('lql')) return [];
  const views = declaredViews(endpoint) ?? inferredViews(endpoint, sandbox);
  return views.flatMap((view) => showable(view, sandbox) ?? []);
}

/** Returns whether LQL alone returns the newest rows: it orders by the column `timestamp`. */
export function isOrderedByLql({ time }: LogView): boolean {
  return time === 'timestamp';
}

/** The table of a view. */
export function tableOf(view: LogView, { sandbox }: Pick<Endpoint, 'sandbox'>): Table | undefined {
  return sandbox.enabled ? sandbox.tables?.find(({ name }) => name === view.table) : undefined;
}

/** The view without the fields that the key cannot read; undefined if that is its time. */
function showable(view: LogView, { tables, languages }: Sandbox): LogView | undefined {
  const table = tables?.find(({ name }) => name === view.table);
  if (table === undefined || !/^[A-Za-z_]\w*$/.test(view.table)) return undefined;
  const isReadable = (path: string): boolean => {
    const field = fieldOf(table, path);
    return field !== undefined && isNameable(field.column);
  };
  if (!isReadable(view.time) || !(isOrderedByLql(view) || languages.includes('sql'))) return undefined;
  const { message, level } = view;
  return {
    ...view,
    message: message !== undefined && isReadable(message) ? message : undefined,
    level: level !== undefined && isReadable(level) ? level : undefined,
    columns: view.columns.filter(isReadable),
    facets: view.facets.filter(isReadable),
  };
}

function declaredViews({ view }: Endpoint): readonly LogView[] | undefined {
  return view?.logs?.map((each) => ({
    ...each,
    message: each.message ?? undefined,
    level: each.level ?? undefined,
    from: each.from ?? undefined,
    to: each.to ?? undefined,
    isDeclared: true,
  }));
}

function inferredViews(endpoint: Endpoint, { tables, default_table: first }: Sandbox): readonly LogView[] {
  const views = (tables ?? []).flatMap((table) => inferredView(endpoint, table) ?? []);
  return views.toSorted((a, b) => Number(b.table === first) - Number(a.table === first));
}

function inferredView(endpoint: Endpoint, table: Table): LogView | undefined {
  const fields = fieldsOf(table);
  const columns = fields.filter(({ path, column }) => path === column);
  const times = columns.filter((field) => isInstant(table, field));
  const time = preferred(times, TIMES) ?? times[0];
  if (time === undefined) return undefined;
  const message = preferred(columns, MESSAGES);
  const level = preferred(fields.filter(isComparable), LEVELS);
  const used = new Set([time, message, level]);
  return {
    table: table.name,
    time: time.path,
    message: message?.path,
    level: level?.path,
    columns:
      message === undefined
        ? columns.flatMap(({ path }) => (path === time.path ? [] : path)).slice(0, 4)
        : [],
    facets: [
      ...(level === undefined ? [] : [level.path]),
      ...fields.filter((field) => field.isLowCardinality && !used.has(field)).map(({ path }) => path),
    ].slice(0, MAX_FACETS),
    from: boundingParameter(endpoint, FROMS),
    to: boundingParameter(endpoint, TOS),
    isDeclared: false,
  };
}

/** By last segment, ignoring case; the earlier in `names`, and then the shorter path, the better. */
function preferred(fields: readonly Field[], names: readonly string[]): Field | undefined {
  const rankOf = ({ path }: Field): number =>
    names.indexOf(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
  return fields
    .filter((field) => rankOf(field) >= 0)
    .toSorted((a, b) => rankOf(a) - rankOf(b) || a.path.split('.').length - b.path.split('.').length)[0];
}

function isInstant(table: Table, { column, kind }: Field): boolean {
  const type = table.columns.find(({ name }) => name === column)?.type ?? '';
  return kind === 'time' && type.includes('DateTime');
}

function isComparable({ kind }: Field): boolean {
  return kind === 'string' || kind === 'number' || kind === 'boolean';
}

/** An optional time parameter with a usual name. */
function boundingParameter({ parameters }: Endpoint, names: readonly string[]): string | undefined {
  const times = parameters.filter(({ type, locked }) => isTimeParameter(type) && locked !== true);
  return times.find(({ name }) => names.includes(name.toLowerCase()))?.name;
}

function isTimeParameter(type: string): boolean {
  return /^(?:Nullable\()?DateTime/.test(type);
}
