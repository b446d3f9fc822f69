// What the engine itself makes of names that may be calls without parentheses: the scanner only reads the text.
import { attribute, type TreeLine } from '../../../sql/clickhouse/query-tree.ts';
import type { FunctionPolicy } from '../functions/policy.ts';
import { rejection, type LexedQuery } from '../lexed-query.ts';
import { overDefaults, RESOLVE, type DefaultsContext } from '../over-defaults.ts';
import type { Explain } from '../explain.ts';
import { SERVER_VALUES, serverValueViolation } from '../scan/server-values.ts';
import { parseQueryTree } from './tree.ts';

/** What the query reads, and the engine to ask. */
export interface ResolveContext extends DefaultsContext {
  readonly evaluate: Explain;
  readonly functions: FunctionPolicy;
}

/**
 * Rejects a query with such names, at the tokens `unresolved`, unless the engine resolves each to a column or an alias. Where it cannot
 * resolve the query, they count as calls. The query must have passed the checks.
 * @throws Problem sandbox.function_denied
 */
export async function rejectServerValues(
  text: LexedQuery,
  [at]: readonly number[],
  { evaluate, functions, ...context }: ResolveContext,
): Promise<void> {
  if (at === undefined) return;
  const { cursor } = text;
  const explained = await evaluate(`${RESOLVE}${overDefaults(text, context)}`);
  const tree = explained.kind === 'tree' ? parseQueryTree(explained.text) : undefined;
  if (tree !== undefined && 'root' in tree && !callsServerValue(tree.root, functions)) return;
  throw rejection(cursor.sql, cursor.start(at), serverValueViolation(cursor.text(at)));
}

function callsServerValue(node: TreeLine, functions: FunctionPolicy): boolean {
  if (node.kind === 'FUNCTION') {
    const name = attribute(node, 'function_name', 'function_type');
    if (name === undefined || (SERVER_VALUES.has(name.toLowerCase()) && !functions.allows(name))) return true;
  }
  return node.children.some((child) => callsServerValue(child, functions));
}
