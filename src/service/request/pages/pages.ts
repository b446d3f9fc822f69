// Keyset pages: the statement of a page, and where its rows end.
import type { Endpoint, PagePolicy } from '../../endpoints/endpoint.ts';
import { pageKeyType } from '../../endpoints/page-key-type.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Column, Engine, Statement } from '../../engine/engine.ts';
import type { Bindings } from '../../params/binder.ts';
import type { RawValue } from '../../params/reading.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import { areColumns } from './page-keys.ts';
import { openCursor, sealCursor, type CursorScope } from './page-cursor.ts';
import type { CallContent } from '../call.ts';
import type { ConsumerQuery } from '../consumer/consumer-query.ts';
import type { PlannedQuery } from '../planned-query.ts';
import type { Describe } from '../../endpoints/describe.ts';
import { runProblem } from '../engine-problems.ts';
import type { TransformContext, Transformer } from '../transform/transformer.ts';
import { isDateTime, plainTypeOf } from '../../../sql/types/traits.ts';

type Fields = ReadonlyMap<string, readonly RawValue[]>;

/** One page of a call. */
export interface Page {
  readonly policy: PagePolicy;
  /** Rows. */
  readonly size: number;
  readonly scope: CursorScope;
  /** The time that its relative times refer to, for the next page; undefined: it has none. */
  readonly at: number | undefined;
}

/** The page that a call asks for. */
export interface OpenedPage {
  readonly page: Page;
  /** The keys of the last row before it; undefined: it is the first page. */
  readonly after: readonly string[] | undefined;
  /** The time of the first page, which relative times refer to; milliseconds since 1970. Undefined: the time of the call. */
  readonly at: number | undefined;
}

interface PageCall {
  readonly content: Pick<CallContent, 'fields' | 'format'>;
  readonly consumerQuery: ConsumerQuery | undefined;
  readonly bindings: Bindings;
}

/** Undefined: the rows are not divided into pages. Throws Problem `request.parameters_invalid` and `request.cursor_invalid`. */
export function openPage(
  endpoint: Endpoint,
  { content: { fields, format }, consumerQuery, bindings }: PageCall,
): OpenedPage | undefined {
  const { page: policy } = endpoint;
  if (policy === undefined || typeof format !== 'string') return undefined;
  const [size, cursor] = [oneOf(fields, 'page_size'), oneOf(fields, 'cursor')];
  // Consumers' queries have a LIMIT of their own, unless they ask for pages.
  if (consumerQuery !== undefined && size === undefined && cursor === undefined) return undefined;
  const scope = { endpoint, secret: policy.secret, source: sourceOf(bindings, consumerQuery) };
  const page = { policy, size: readSize(size, policy), scope };
  const isRelative = bindings.until !== Infinity || consumerQuery?.language === 'lql';
  if (cursor === undefined)
    return { page: { ...page, at: isRelative ? bindings.now : undefined }, after: undefined, at: undefined };
  const opened = openCursor(scope, cursor);
  if (opened === undefined) throw new Problem('request.cursor_invalid');
  const at = isRelative ? opened.at : undefined;
  return { page: { ...page, at }, after: opened.keys, at };
}

/** What a cursor continues, besides the endpoint. */
function sourceOf({ source }: Bindings, query: ConsumerQuery | undefined): string {
  return query === undefined
    ? source
    : JSON.stringify([source, query.language, query.dialect ?? null, query.text]);
}

interface PagedQuery {
  readonly endpoint: Endpoint;
  readonly opened: OpenedPage;
  readonly query: PlannedQuery;
}

export interface PlanPageDeps {
  readonly describe: Pick<Describe, 'result'>;
  readonly engine: Pick<Engine, 'describe'>;
}

/**
 * The query of one page. Throws Problem `endpoint.failed`, and `request.parameters_invalid` if a consumer query does not return the
 * keys.
 */
export async function planPage(
  deps: PlanPageDeps,
  { endpoint, opened: { page, after }, query }: PagedQuery,
): Promise<PlannedQuery> {
  const { keys } = page.policy;
  const isConsumers = query.consumerQuery !== undefined;
  const types =
    after || isConsumers ? keyTypes(keys, await columnsOf(deps, endpoint, query), isConsumers) : [];
  const values = Object.fromEntries(
    (after ?? []).map((value, index) => [parameterName(index), bound(value, types[index])]),
  );
  const names = keys.map(({ name }) => name);
  const isOpen = areColumns(query.consumerQuery?.canonicalSql ?? endpoint.unlimited, names);
  const paged = (statement: Statement): Statement => ({
    ...statement,
    sql: pageStatement(isConsumers ? withoutLimit(statement.sql, endpoint) : endpoint.unlimited, {
      endpoint,
      page,
      types: after ? types : [],
      isOpen,
    }),
    parameters: { ...statement.parameters, ...values },
  });
  const { retry } = query;
  return {
    ...query,
    statement: paged(query.statement),
    ...(retry && {
      retry: () => {
        const again = retry();
        return again && paged(again);
      },
    }),
    // A cached response has the cursor of its call: one that is written in another way has the same rows, but not the same cursor.
    canonical: JSON.stringify([query.canonical, page.size, after ?? null, page.scope.source]),
  };
}

/** The columns of a query's result; undefined: they are not known. */
async function columnsOf(
  { describe, engine }: PlanPageDeps,
  endpoint: Endpoint,
  query: PlannedQuery,
): Promise<readonly Column[] | undefined> {
  if (query.consumerQuery === undefined) return describe.result(endpoint);
  return engine.describe(query.statement).catch((cause: unknown) => {
    throw runProblem(cause, query, new AbortController().signal);
  });
}

/** Statements of consumers end in the limit of the endpoint; the conditions of a page come before it. */
function withoutLimit(sql: string, { maxRows }: Endpoint): string {
  const limit = ` LIMIT ${maxRows + 1}`;
  if (!sql.endsWith(limit)) throw new Error('a statement of a consumer ends in its limit');
  return sql.slice(0, -limit.length);
}

/** Times are ISO 8601 in UTC, of which the engine does not read the `Z` here. */
function bound(value: string, type = ''): string {
  return isDateTime(plainTypeOf(type)) ? value.replace(/Z$/, '') : value;
}

/** Parameters of files cannot have this name (`page.reserved_name`). */
function parameterName(index: number): string {
  return `page_key_${index}`;
}

function oneOf(fields: Fields, name: string): string | undefined {
  const values = (fields.get(name) ?? []).filter((value) => value !== '' && value !== null);
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.length === 1 && typeof value !== 'object') return String(value);
  throw invalid(name, 'Expected one value');
}

function readSize(text: string | undefined, { size, max }: PagePolicy): number {
  if (text === undefined) return size;
  const value = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  throw invalid('page_size', `Expected a whole number from 1 to ${max}`);
}

function invalid(parameter: string, message: string): Problem {
  return new Problem('request.parameters_invalid', { errors: [{ parameter, message }] });
}

function keyTypes(
  keys: PagePolicy['keys'],
  columns: readonly Column[] | undefined,
  isConsumers: boolean,
): readonly string[] {
  return keys.map(({ name }) => {
    const column = columns?.find((each) => each.name === name);
    const type = column && pageKeyType(column.type);
    if (type !== undefined) return type;
    if (!isConsumers)
      throw new Problem('endpoint.failed', { detail: `The column ${name} cannot be the key of a page` });
    const all = keys.map((key) => key.name).join(', ');
    throw invalid(
      'page_size',
      `Pages need the columns ${all} in the result of the query, as the table has them`,
    );
  });
}

interface PageStatement {
  readonly endpoint: Endpoint;
  readonly page: Page;
  /** Of the keys after which the page begins; none for the first page. */
  readonly types: readonly string[];
  /** Whether the engine may evaluate the conditions on the keys where it reads tables. */
  readonly isOpen: boolean;
}

/**
 * Above any possible row count, so that no condition on a computed key is evaluated below: where the engine reads tables, it would
 * compute and compare keys of other tenants' rows, some of which it cannot, and leave out rows of this one by their index entries.
 */
const BARRIER_ROWS = 10n ** 18n;

/** Rows with the key of the last one are all there (WITH TIES): so no page ends between rows of equal keys. */
function pageStatement(rows: string, { endpoint, page, types, isOpen }: PageStatement): string {
  const { policy, size } = page;
  const named = policy.keys.map(({ name, descending }) => ({ name: quoteIdentifier(name), descending }));
  const order = named.map(({ name, descending }) => `${name} ${descending ? 'DESC' : 'ASC'}`).join(', ');
  const where = types.length === 0 ? '' : `WHERE ${afterKeys(named, types)}\n`;
  const source = isOpen ? rows : `SELECT * FROM (\n${rows}\n) LIMIT ${BARRIER_ROWS}`;
  const ordered = `SELECT * FROM (\n${source}\n)\n${where}ORDER BY ${order}\nLIMIT ${size + 1} WITH TIES`;
  return `SELECT * FROM (\n${ordered}\n) LIMIT ${endpoint.maxRows + 1}`;
}

/** `a <= x AND (a < x OR (a = x AND b < y))`: the first part reaches the sort key of a table. */
function afterKeys(
  keys: readonly { readonly name: string; readonly descending: boolean }[],
  types: readonly string[],
): string {
  const value = (index: number): string => `{${parameterName(index)}:${types[index]}}`;
  const compare = (index: number, or: '' | '='): string =>
    `${keys[index]?.name} ${keys[index]?.descending === true ? '<' : '>'}${or} ${value(index)}`;
  const cases = keys.map((_, last) => {
    const equal = keys.slice(0, last).map(({ name }, index) => `${name} = ${value(index)}`);
    return `(${[...equal, compare(last, '')].join(' AND ')})`;
  });
  return `${compare(0, '=')} AND (${cases.join(' OR ')})`;
}

/** The rows of a page; `next` if there may be more. */
export interface PageRows {
  readonly lines: Uint8Array;
  readonly rows: number;
  readonly truncated: false;
  readonly next: string | undefined;
}

const LF = 0x0a;

/**
 * Ends a page after `size` rows, or after the last row with the same key. If these are more than the maximum of rows, it ends
 * before the first row with this key: the rows are sorted by their keys. Throws Problem `page.not_divisible`.
 */
export async function cutPage(
  reading: KeyReading,
  lines: Uint8Array,
  { policy, size, scope, at }: Page,
  maxRows: number,
): Promise<PageRows> {
  const ends: number[] = [];
  for (let lf = lines.indexOf(LF); lf !== -1; lf = lines.indexOf(LF, lf + 1)) ends.push(lf + 1);
  const keysAt = keysReader(reading, { lines, ends, policy });
  const isEqual = async (a: number, b: readonly string[]): Promise<boolean> =>
    (await keysAt(a)).every((key, index) => key === b[index]);
  const through = async (rows: number): Promise<PageRows> => {
    const keys = await keysAt(rows - 1);
    const next = sealCursor(scope, { keys, at });
    if (next === undefined || keys.some((key) => key.includes('\uFFFD')))
      throw new Problem('page.not_divisible', {
        detail: 'A key of the last row is too long, or is not text',
      });
    return { lines: lines.subarray(0, ends[rows - 1]), rows, truncated: false, next };
  };
  if (ends.length <= size) return { lines, rows: ends.length, truncated: false, next: undefined };
  const first = await keysAt(size);
  if (!(await isEqual(size - 1, first))) return through(size);
  if (ends.length <= maxRows) return through(ends.length);
  const rows = await firstIndex(size - 1, (row) => isEqual(row, first));
  if (rows > 0) return through(rows);
  const detail = `More than ${maxRows} rows have the same keys (${policy.keys.map(({ name }) => name).join(', ')})`;
  throw new Problem('page.not_divisible', { detail });
}

/** What reads the keys of rows: a row can have many megabytes. */
export interface KeyReading {
  readonly transformer: Pick<Transformer, 'whole'>;
  readonly context: TransformContext;
}

interface PagedRows extends Pick<Page, 'policy'> {
  readonly lines: Uint8Array;
  /** The index after each row. */
  readonly ends: readonly number[];
}

/** Reads the keys of rows by their index, of each row once. */
function keysReader(
  { transformer, context }: KeyReading,
  { lines, ends, policy: { keys } }: PagedRows,
): (row: number) => Promise<readonly string[]> {
  const names = keys.map(({ name }) => name);
  const known = new Map<number, readonly string[]>();
  return async (row) => {
    const before = known.get(row);
    if (before !== undefined) return before;
    const line = lines.subarray(ends[row - 1] ?? 0, ends[row]);
    const { bytes } = await transformer.whole({ kind: 'members', names }, line, context);
    const members = JSON.parse(Buffer.from(bytes).toString()) as readonly (string | null)[]; // what the transform writes
    const values = members.map((value) => value ?? '');
    known.set(row, values);
    return values;
  };
}

/** The first index up to `last` for which a condition holds that holds for `last`, and for all after the first. */
async function firstIndex(last: number, holds: (index: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [0, last];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await holds(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}
