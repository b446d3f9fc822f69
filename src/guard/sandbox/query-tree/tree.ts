// Parses the engine's own reading of a consumer query; a tree that cannot be read is a violation.
import { parseTreeLines, type TreeLine } from '../../../sql/clickhouse/query-tree.ts';
import type { Violation } from '../lexed-query.ts';

/** The parsed tree, or why the engine's output is not one that can be checked. */
export type TreeResult = { readonly root: TreeLine } | { readonly violation: Violation };

const VIOLATIONS = {
  too_large: { code: 'sandbox.too_large', message: 'The query is nested too deeply' },
  malformed: {
    code: 'sandbox.check_mismatch',
    message: 'The engine’s query tree has an unexpected structure',
  },
} as const;

/** Parses the output of `EXPLAIN QUERY TREE`. */
export function parseQueryTree(tree: string): TreeResult {
  const parsed = parseTreeLines(tree);
  return 'fault' in parsed ? { violation: VIOLATIONS[parsed.fault] } : parsed;
}
