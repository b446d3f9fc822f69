// Tables whose rows a consumer query aggregates in a way that does not depend on their order.
import type { Cursor } from '../sql/cursor.ts';
import type { LexedQuery } from './lexed-query.ts';
import type { FunctionPolicy } from './functions/policy.ts';
import type { ScanResult } from './scan/scanner.ts';
import type { SelectFinding } from './scan/selects.ts';

/** Aggregate functions of a set of values, with combinators that choose among them. */
const OF_SETS = /^(?:count|sum|avg|min|max|uniq\w*|quantiles?\w*|median)(?:If|OrNull|OrDefault|Distinct)*$/i;

/** The endpoint's tables that are read only by SELECTs that aggregate their rows as a set. */
export function unorderedTables(
  { cursor }: LexedQuery,
  { selects, tables, sets }: ScanResult,
  functions: FunctionPolicy,
): ReadonlySet<string> {
  const unordered = new Set([...tables].filter((table) => !sets.has(table)));
  for (const select of selects) {
    if (isOfSets(cursor, select, functions)) continue;
    for (const { table } of select.sources) unordered.delete(table ?? '');
  }
  return unordered;
}

function isOfSets(
  cursor: Cursor,
  { start, end, sources }: SelectFinding,
  functions: FunctionPolicy,
): boolean {
  if (sources.length !== 1) return false;
  let isAggregated = false;
  for (let at = start; at < end; at = cursor.after(at)) {
    if (cursor.word(at) === 'GROUP' && cursor.word(at + 1) === 'BY') isAggregated = true;
  }
  for (let at = start; at < end; at++) {
    if (cursor.word(at) === 'OVER') return false;
    const name = nameOfCall(cursor, at);
    if (name === undefined || !functions.allowsAggregate(name)) continue;
    if (!OF_SETS.test(name)) return false;
  }
  return isAggregated;
}

function nameOfCall(cursor: Cursor, at: number): string | undefined {
  return cursor.kind(at + 1) === '(' ? cursor.name(at) : undefined;
}
