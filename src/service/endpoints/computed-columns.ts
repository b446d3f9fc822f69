// Finds the columns of a table that are computed on read for a query: those that it reads, and those that these are computed from.
import { nameTokens, tokensOf } from '../../sql/clickhouse/tree/tokens.ts';
import type { ComputedColumn } from './table-engines.ts';

/** The names may be those of subcolumns; undefined means that all columns may be read. */
export type ReadNames = ReadonlySet<string> | undefined;

export interface UsedColumns {
  /** These are the computed columns among those that are read. */
  readonly used: readonly ComputedColumn[];
  /** These are the columns that are read, with the names in the expressions of computed ones. */
  readonly names: ReadNames;
}

export function usedColumns(computed: readonly ComputedColumn[], read: ReadNames): UsedColumns {
  if (read === undefined) return { used: computed, names: read };
  const names = new Set([...read].flatMap(wholeNames));
  let used: readonly ComputedColumn[] = [];
  for (;;) {
    const found = computed.filter(({ name }) => names.has(name));
    if (found.length === used.length) return { used, names };
    used = found;
    for (const { sql } of found) for (const name of namesIn(sql)) names.add(name);
  }
}

/** `a`, `a.b` and `a.b.c` of `a.b.c`: a name with dots may be a subcolumn. */
function wholeNames(name: string): readonly string[] {
  const parts = name.split('.');
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
}

function namesIn(sql: string): readonly string[] {
  return nameTokens(tokensOf(sql)).flatMap(({ name }) => wholeNames(name));
}
