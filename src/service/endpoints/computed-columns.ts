// Finds the columns of a table that are computed on read for a query: those that it reads, and those that these are computed from.
import { nameTokens, tokensOf } from '../../sql/clickhouse/tree/tokens.ts';
import type { ComputedColumn } from './table-engines.ts';

/** The computed columns among those that are read, which may be subcolumns; undefined: all are. */
export function usedColumns(
  computed: readonly ComputedColumn[],
  read: ReadonlySet<string> | undefined,
): readonly ComputedColumn[] {
  if (read === undefined || computed.length === 0) return computed;
  const names = new Set([...read].flatMap(wholeNames));
  let used: readonly ComputedColumn[] = [];
  for (;;) {
    const found = computed.filter(({ name }) => names.has(name));
    if (found.length === used.length) return found;
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
