// Keyset pages: the statement of a page, and where its rows end.
import type { Describe } from '../catalog/describe.ts';
import type { Endpoint, PagePolicy } from '../catalog/endpoint.ts';
import { pageKeyType } from '../catalog/page-key-type.ts';
import { Problem } from '../core/problem.ts';
import type { Bindings } from '../params/binder.ts';
import type { RawValue } from '../params/reading.ts';
import { quoteIdentifier } from '../sql/literal.ts';
import { memberOf } from '../format/member.ts';
import { openCursor, sealCursor, type CursorScope } from './page-cursor.ts';
import type { CallContent } from './call.ts';
import type { ConsumerQuery } from './consumer-query.ts';
import type { Plan } from './plan.ts';

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
  if (consumerQuery !== undefined) {
    const sent = size === undefined ? cursor && 'cursor' : 'page_size';
    if (sent !== undefined)
      throw invalid(sent, 'Pages are of the saved query: use LIMIT in a query of your own');
    return undefined;
  }
  const scope = { endpoint, secret: policy.secret, source: bindings.source };
  const page = { policy, size: readSize(size, policy), scope };
  const isRelative = bindings.until !== Infinity;
  if (cursor === undefined)
    return { page: { ...page, at: isRelative ? bindings.now : undefined }, after: undefined, at: undefined };
  const opened = openCursor(scope, cursor);
  if (opened === undefined) throw new Problem('request.cursor_invalid');
  const at = isRelative ? opened.at : undefined;
  return { page: { ...page, at }, after: opened.keys, at };
}

interface PlannedCall {
  readonly endpoint: Endpoint;
  readonly opened: OpenedPage;
  readonly plan: Plan;
}

/** The plan of one page. Throws Problem `endpoint.failed`. */
export async function planPage(
  describe: Pick<Describe, 'result'>,
  { endpoint, opened: { page, after }, plan }: PlannedCall,
): Promise<Plan> {
  const types = after === undefined ? [] : await keyTypes(describe, endpoint, page.policy);
  const sql = pageStatement(endpoint, page, types);
  const values = Object.fromEntries(
    (after ?? []).map((value, index) => [parameterName(index), bound(value, types[index])]),
  );
  const parameters = { ...plan.statement.parameters, ...values };
  const canonical = JSON.stringify([plan.canonical, page.size, after ?? null]);
  return { ...plan, statement: { ...plan.statement, sql, parameters }, canonical };
}

/** Times are ISO 8601 in UTC, of which the engine does not read the `Z` here. */
function bound(value: string, type = ''): string {
  return type.startsWith('DateTime') ? value.replace(/Z$/, '') : value;
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

async function keyTypes(
  describe: Pick<Describe, 'result'>,
  endpoint: Endpoint,
  { keys }: PagePolicy,
): Promise<readonly string[]> {
  const columns = await describe.result(endpoint);
  return keys.map(({ name }) => {
    const column = columns?.find((each) => each.name === name);
    const type = column && pageKeyType(column.type);
    if (type !== undefined) return type;
    throw new Problem('endpoint.failed', { detail: `The column ${name} cannot be the key of a page` });
  });
}

/** Rows with the key of the last one are all there (WITH TIES): so no page ends between rows of equal keys. */
function pageStatement(
  { unlimited, maxRows }: Endpoint,
  { policy: { keys }, size }: Page,
  types: readonly string[],
): string {
  const named = keys.map(({ name, descending }) => ({ name: quoteIdentifier(name), descending }));
  const order = named.map(({ name, descending }) => `${name} ${descending ? 'DESC' : 'ASC'}`).join(', ');
  const where = types.length === 0 ? '' : `WHERE ${afterKeys(named, types)}\n`;
  const page = `SELECT * FROM (\n${unlimited}\n)\n${where}ORDER BY ${order}\nLIMIT ${size + 1} WITH TIES`;
  return `SELECT * FROM (\n${page}\n) LIMIT ${maxRows + 1}`;
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
 * before the first row with this key. Throws Problem `page.not_divisible`.
 */
export function cutPage(lines: Uint8Array, { policy, size, scope, at }: Page, maxRows: number): PageRows {
  const ends: number[] = [];
  for (let lf = lines.indexOf(LF); lf !== -1; lf = lines.indexOf(LF, lf + 1)) ends.push(lf + 1);
  const keysAt = (row: number): readonly string[] => {
    const bytes = lines.subarray(ends[row - 1] ?? 0, ends[row]);
    const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    return policy.keys.map(({ name }) => memberOf(line, name) ?? '');
  };
  const isEqual = (a: number, b: readonly string[]): boolean =>
    keysAt(a).every((key, index) => key === b[index]);
  const through = (rows: number): PageRows => {
    const next = sealCursor(scope, { keys: keysAt(rows - 1), at });
    if (next === undefined || keysAt(rows - 1).some((key) => key.includes('\uFFFD')))
      throw new Problem('page.not_divisible', {
        detail: 'A key of the last row is too long, or is not text',
      });
    return { lines: lines.subarray(0, ends[rows - 1]), rows, truncated: false, next };
  };
  if (ends.length <= size) return { lines, rows: ends.length, truncated: false, next: undefined };
  const first = keysAt(size);
  if (!isEqual(size - 1, first)) return through(size);
  if (ends.length <= maxRows) return through(ends.length);
  let rows = size - 1;
  while (rows > 0 && isEqual(rows - 1, first)) rows--;
  if (rows > 0) return through(rows);
  const detail = `More than ${maxRows} rows have the same keys (${policy.keys.map(({ name }) => name).join(', ')})`;
  throw new Problem('page.not_divisible', { detail });
}
