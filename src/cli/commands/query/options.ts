// The options of a query, and the fields of its call.
import type { Settings } from '../../../service/config/settings.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import { splitPair } from '../../kit/name-value.ts';
import type { QueryOutput } from './reply.ts';

export interface QueryOptions {
  readonly settings: Settings;
  readonly endpoint: string;
  /** `name=value` pairs. */
  readonly parameters: readonly string[];
  readonly sql: string | undefined;
  readonly lql: string | undefined;
  readonly output: QueryOutput;
  /** Print the statement and its query plan instead of rows. */
  readonly explain: boolean;
  /** Print metadata too. */
  readonly meta: boolean;
  /** Print the rows of all pages, until there are so many; undefined: those of one page. */
  readonly allPages: number | undefined;
  readonly observe: Observe;
}

export function formOf(fields: ReadonlyMap<string, readonly string[]>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, values] of fields) for (const value of values) form.append(name, value);
  return form;
}

/** `cursor` replaces that of the parameters. */
export function fieldsOf(
  { parameters, sql, lql }: Pick<QueryOptions, 'parameters' | 'sql' | 'lql'>,
  cursor?: string,
): ReadonlyMap<string, readonly string[]> {
  const own: [string, string | undefined][] = [
    ['sql', sql],
    ['lql', lql],
  ];
  const fields = new Map<string, string[]>();
  for (const [name, value] of [...parameters.map(splitPair), ...own]) {
    if (value !== undefined) fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return cursor === undefined ? fields : fields.set('cursor', [cursor]);
}

export function formatOf({ output, meta }: Pick<QueryOptions, 'output' | 'meta'>): 'csv' | 'json' | 'ndjson' {
  if (output === 'csv') return 'csv';
  return meta ? 'json' : 'ndjson';
}

/** How commands of an author run an endpoint. */
export const LOCAL = {
  whenInUse: 'Ask the running service instead: --url http://127.0.0.1:4000, with a key in MILLRACE_KEY',
  isAuthoring: true,
};
