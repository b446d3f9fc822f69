// Makes the calls of a log view, each as any caller can send it: rows here, the histogram in histogram.ts, facets in facets.ts. A screen
// sends at most three engine queries and one explanation (`basisOf`), whose SQL the histogram and the facets read; and one of each for
// every facet whose values the filter chooses.
import type { Ask, ConsumerQuery } from '../service/client.ts';
import { sandboxOf, type Endpoint, type Table } from '../service/listing.ts';
import { append, filtersOf, withTable } from './lql-edit.ts';
import { unnameable, writePath } from './lql-path.ts';
import { isoOf, microsOf, sqlField, sqlName, sqlTime } from './sql.ts';
import { isOrderedByLql, tableOf, type LogView } from './view.ts';

/** What a screen shows. The same object for all of its calls, so that they are about the same rows. */
export interface LogQuestion {
  readonly endpoint: Endpoint;
  readonly view: LogView;
  /** Of the form; those that bound the time are replaced. */
  readonly parameters: Readonly<Record<string, string>>;
  /** As the user wrote it; its `s:` and `c:` clauses have no effect here. */
  readonly lql: string;
  readonly bounds: Bounds;
  /** The range of an open question ends now, so that new rows belong to it. */
  readonly isOpen?: boolean;
}

/** Milliseconds since 1970; `to` is exclusive, as far as the parameters of the endpoint are. */
export interface Bounds {
  readonly from: number;
  readonly to: number;
}

export interface RowsPage {
  /** The rows up to and including this time, as a row has it: of the oldest row that is known. */
  readonly before?: string | undefined;
  /** Omits the rows at that time. */
  readonly isStrict?: boolean;
  /** Of the previous page, for endpoints with pages. */
  readonly cursor?: string | undefined;
  /** Rows; LQL alone returns up to `max_rows`. */
  readonly limit?: number | undefined;
}

/** Where `basisOf` puts the fields. */
export interface Basis {
  /** To explain: the SQL of the result is what `rowsOf`, `histogramOf` and `facetsOf` need. */
  readonly ask: Ask;
  /** Expressions over its columns, by path. */
  readonly expressions: ReadonlyMap<string, string>;
  /** Its columns that are not columns of the table. */
  readonly added: readonly string[];
}

/** Returns whether the key may send the SQL of histograms and facets. */
export function canSendSql({ endpoint }: Pick<LogQuestion, 'endpoint'>): boolean {
  return sandboxOf(endpoint)?.languages.includes('sql') ?? false;
}

/** Returns whether `rowsOf` needs the SQL of `basisOf`: LQL orders by the column `timestamp` only. */
export function rowsNeedSql({ view }: Pick<LogQuestion, 'view'>): boolean {
  return !isOrderedByLql(view);
}

/** Returns whether pages of rows are those of the endpoint, so that the next one needs a cursor. */
export function hasPages({ endpoint, view }: Pick<LogQuestion, 'endpoint' | 'view'>): boolean {
  const { page } = endpoint;
  const table = tableOf(view, endpoint);
  if (page == null || table === undefined || !isOrderedByLql(view)) return false;
  const keys = page.by.map((key) => key.split(' ')[0] ?? '');
  const isNewestFirst = /^timestamp\s+desc$/i.test(page.by[0] ?? '');
  return isNewestFirst && keys.every((key) => table.columns.some(({ name }) => name === key));
}

/** The newest rows, or a page of older ones. `sql` is the explained basis, if `rowsNeedSql`. */
export function rowsOf(question: LogQuestion, page: RowsPage = {}, sql?: string): Ask {
  if (sql !== undefined) return sqlAsk(question, rowsSql(question, page, sql));
  const { endpoint, view } = question;
  const limit = Math.min(page.limit ?? endpoint.max_rows, endpoint.page?.max ?? endpoint.max_rows);
  const paged = {
    page_size: String(limit),
    ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
  };
  const isPaged = hasPages(question);
  const micros = isPaged ? undefined : endOf(page);
  const bound = micros === undefined ? '' : `${timeClause(view.time)}:<${isoOf(micros)}`;
  return ask(question, { language: 'lql', text: append(filterText(question), bound) }, isPaged ? paged : {});
}

/** The query to explain, with the fields that the histogram and the facets need. */
export function basisOf(question: LogQuestion): Basis {
  const { endpoint, view } = question;
  const table = tableOf(view, endpoint) ?? { name: view.table, columns: [] };
  const paths = [...new Set([view.time, ...(view.level === undefined ? [] : [view.level]), ...view.facets])];
  const named = paths.filter(isNamed);
  const isWhole = named.length < paths.length || rowsNeedSql(question);
  const prefix = freeName(table);
  const added = named.map((_, index) => `${prefix}${index}`);
  const selects = named.map((path, index) => `s:${writePath(path)}@${added[index]}`);
  const text = [filterText(question), ...(isWhole ? ['s:*'] : []), ...selects].join(' ');
  const expressions = paths.map((path) => {
    const index = named.indexOf(path);
    return [path, index < 0 ? sqlField(table, path) : sqlName(`${prefix}${index}`)] as const;
  });
  return { ask: ask(question, { language: 'lql', text }), expressions: new Map(expressions), added };
}

/** The filters of the question, with the bounds of time that no parameter holds. */
export function filterText(question: LogQuestion): string {
  const { lql, view } = question;
  return boundClauses(question).reduce(append, withTable(filtersOf(lql), view.table));
}

/** A call of the endpoint with this query, within the bounds. */
export function ask(
  question: LogQuestion,
  own: ConsumerQuery,
  more: Readonly<Record<string, string>> = {},
): Ask {
  const parameters = { ...question.parameters, ...boundParameters(question), ...more };
  return { endpoint: question.endpoint.name, parameters, own };
}

/** The same with SQL, in the dialect of ClickHouse. */
export function sqlAsk(question: LogQuestion, text: string): Ask {
  const dialects = sandboxOf(question.endpoint)?.dialects ?? [];
  const dialect = dialects.length > 1 ? ({ dialect: 'clickhouse' } as const) : {};
  return ask(question, { language: 'sql', text, ...dialect });
}

function rowsSql(question: LogQuestion, page: RowsPage, sql: string): string {
  const { endpoint, view } = question;
  const time = sqlName(view.time);
  const micros = endOf(page);
  const added = basisOf(question).added.map(sqlName).join(', ');
  return [
    added === '' ? 'SELECT *' : `SELECT * EXCEPT (${added})`,
    `FROM (\n${sql}\n)`,
    ...whereLines([
      ...outerBounds(question),
      ...(micros === undefined ? [] : [`${time} < ${sqlTime(micros)}`]),
    ]),
    `ORDER BY ${time} DESC`,
    `LIMIT ${Math.min(page.limit ?? endpoint.max_rows, endpoint.max_rows)}`,
  ].join('\n');
}

/** `WHERE` with the bounds that neither parameters nor LQL can hold, and with these conditions. */
export function outerWhere(question: LogQuestion, more: readonly string[] = []): readonly string[] {
  return whereLines([...outerBounds(question), ...more]);
}

function whereLines(conditions: readonly string[]): readonly string[] {
  return conditions.length === 0 ? [] : [`WHERE ${conditions.join(' AND ')}`];
}

/** The exclusive end of a page. A time of a row may have more digits than LQL compares: later ones in its microsecond are included. */
function endOf({ before, isStrict = false }: RowsPage): bigint | undefined {
  const micros = before === undefined ? undefined : microsOf(before);
  return micros === undefined ? undefined : micros + (isStrict ? 0n : 1n);
}

function boundParameters({ endpoint, view, bounds }: LogQuestion): Readonly<Record<string, string>> {
  const { from, to } = view;
  return {
    ...(from === undefined ? {} : { [from]: boundText(endpoint, from, { ms: bounds.from, end: 'from' }) }),
    ...(to === undefined ? {} : { [to]: boundText(endpoint, to, { ms: bounds.to, end: 'to' }) }),
  };
}

/** A bound as its parameter can hold it: without milliseconds, the range is wider. */
export function boundText(
  { parameters }: Endpoint,
  name: string,
  { ms, end }: { readonly ms: number; readonly end: keyof Bounds },
): string {
  const type = parameters.find((each) => each.name === name)?.type ?? '';
  if (type.includes('DateTime64')) return new Date(ms).toISOString();
  const seconds = end === 'from' ? Math.floor(ms / 1000) : Math.ceil(ms / 1000);
  return new Date(seconds * 1000).toISOString().replace('.000', '');
}

/** Bounds that a parameter is only guessed to hold are written as well. */
function boundClauses(question: LogQuestion): readonly string[] {
  const { view } = question;
  if (!isNamed(view.time)) return [];
  const name = timeClause(view.time);
  const { from, to } = openBounds(question);
  return [
    ...(from === undefined ? [] : [`${name}:>=${isoOf(from)}`]),
    ...(to === undefined ? [] : [`${name}:<${isoOf(to)}`]),
  ];
}

function outerBounds(question: LogQuestion): readonly string[] {
  const { view } = question;
  if (isNamed(view.time)) return [];
  const { from, to } = openBounds(question);
  const name = sqlName(view.time);
  return [
    ...(from === undefined ? [] : [`${name} >= ${sqlTime(from)}`]),
    ...(to === undefined ? [] : [`${name} < ${sqlTime(to)}`]),
  ];
}

function openBounds({ view, bounds }: LogQuestion): {
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
} {
  return {
    from: view.isDeclared && view.from !== undefined ? undefined : microsAt(bounds.from),
    to: view.isDeclared && view.to !== undefined ? undefined : microsAt(bounds.to),
  };
}

function microsAt(ms: number): bigint {
  return BigInt(Math.trunc(ms)) * 1000n;
}

function isNamed(path: string): boolean {
  return unnameable(path) === undefined;
}

function timeClause(path: string): string {
  return path === 'timestamp' ? 't' : writePath(path);
}

/** A prefix of names that no column of the table has. */
function freeName({ columns }: Table): string {
  let prefix = 'x';
  while (columns.some(({ name }) => name.startsWith(prefix) && /^\d*$/.test(name.slice(prefix.length))))
    prefix += '_';
  return prefix;
}
