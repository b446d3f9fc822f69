// What an endpoint answered to a query, and whether that was expected.
import { isDeepStrictEqual } from 'node:util';
import type { ConsumerQuery, Expected } from '../../kit/consumer-queries.ts';

/** The answer to one query. */
export interface Answered {
  /** 0: no response. */
  readonly status: number;
  /** The problem's code, or why there was no response. */
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** 1-based location in the query, if known. */
  readonly location: { readonly line: number; readonly column: number } | undefined;
  readonly hint: string | undefined;
  readonly dialect: string | undefined;
  /** The rows of a successful response. */
  readonly result: readonly unknown[] | undefined;
}

export interface ConformanceOutcome {
  readonly query: ConsumerQuery;
  /** Without the rows. */
  readonly answered: Omit<Answered, 'result'>;
  readonly rows: number | undefined;
  /** Why it failed; undefined if it passed. */
  readonly failure: string | undefined;
}

/** Compares an answer with what its query expects; without an expectation, 200 passes. */
export function outcomeOf(query: ConsumerQuery, { result, ...answered }: Answered): ConformanceOutcome {
  const rows = result?.length;
  return { query, answered, rows, failure: failureOf(query.expected ?? {}, { ...answered, result }) };
}

function failureOf(expected: Expected, { status, code, message, result }: Answered): string | undefined {
  if (status === 200 && result === undefined) return message ?? 'the response has no rows';
  const wanted = expected.status ?? (expected.code === undefined ? 200 : undefined);
  if (wanted !== undefined && status !== wanted)
    return status === 200 ? `expected ${wanted}, got 200` : (message ?? 'no message');
  if (expected.code !== undefined && code !== expected.code)
    return `expected ${expected.code}, got ${code ?? status}`;
  if (expected.rows !== undefined && result?.length !== expected.rows)
    return `expected ${expected.rows} rows, got ${result?.length ?? 'none'}`;
  if (expected.result !== undefined && !isDeepStrictEqual(result, expected.result))
    return `expected ${shown(expected.result)}, got ${shown(result)}`;
  return undefined;
}

const MAX_SHOWN = 300;

function shown(rows: unknown): string {
  const text = JSON.stringify(rows) ?? 'no rows';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}
