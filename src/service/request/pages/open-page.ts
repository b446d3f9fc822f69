// Reads which page a call asks for.
import type { Endpoint, PagePolicy } from '../../endpoints/endpoint.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Bindings } from '../../params/binder.ts';
import type { RawValue } from '../../params/reading.ts';
import { openCursor } from './page-cursor.ts';
import type { CallContent } from '../call.ts';
import type { ConsumerQuery } from '../consumer/consumer-query.ts';
import type { Page } from './page-statement.ts';

type Fields = ReadonlyMap<string, readonly RawValue[]>;

export interface OpenedPage {
  readonly page: Page;
  /** The last row of the previous page has these keys; they are undefined for the first page. */
  readonly after: readonly string[] | undefined;
  /**
   * The first page was made at this time, which relative times refer to, in milliseconds since 1970; undefined means the time of the call.
   */
  readonly at: number | undefined;
}

interface PageCall {
  readonly content: Pick<CallContent, 'fields' | 'format'>;
  readonly consumerQuery: ConsumerQuery | undefined;
  readonly bindings: Bindings;
}

/** Returns undefined if the rows are not divided into pages. Throws Problem `request.parameters_invalid` and `request.cursor_invalid`. */
export function openPage(
  endpoint: Endpoint,
  { content: { fields, format }, consumerQuery, bindings }: PageCall,
): OpenedPage | undefined {
  const { page: policy } = endpoint;
  if (policy === undefined || typeof format !== 'string') return undefined;
  const [size, cursor] = [oneOf(fields, 'page_size'), oneOf(fields, 'cursor')];
  // A consumer query has its own LIMIT, unless it asks for pages.
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

/** Returns what a cursor continues, besides the endpoint. */
function sourceOf({ source }: Bindings, query: ConsumerQuery | undefined): string {
  return query === undefined
    ? source
    : JSON.stringify([source, query.language, query.dialect ?? null, query.text]);
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

export function invalid(parameter: string, message: string): Problem {
  return new Problem('request.parameters_invalid', { errors: [{ parameter, message }] });
}
