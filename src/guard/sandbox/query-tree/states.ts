// Aggregate function states in the engine's own tree of a query: applies the rules of scan/states.ts a second time.
import type { Violation } from '../lexed-query.ts';
import { attribute, type TreeLine, headingOf } from '../../../sql/clickhouse/query-tree.ts';
import { formDenied, returnsStates, MAX_STATE_NAMES, acceptsStates, unnamedState } from '../scan/states.ts';
import { stringArgument } from '../string-arguments.ts';
import { IN_FUNCTIONS } from '../../../sql/clickhouse/tree/keywords.ts';

/** The context of a node: an element of SELECT or WITH, an argument of a function that accepts states, a table, or other. */
type NodeContext = 'item' | 'argument' | 'table' | 'subquery' | 'other';

const CONTEXTS = { items: 'item', tables: 'table', values: 'other' } as const;

interface Walk {
  readonly names: Set<string>;
  /** It is true if any state was seen. */
  hasStates: boolean;
  /** The first violation of the rules for queries with states. */
  violation: Violation | undefined;
}

/** Checks a whole tree; `columns` are the state columns of the tables that are read. */
export function checkTreeStates(root: TreeLine, columns: readonly string[]): Violation | undefined {
  const names = new Set(columns);
  for (let round = 0; round <= MAX_STATE_NAMES; round++) {
    const before = names.size;
    const walk: Walk = { names, hasStates: names.size > 0, violation: undefined };
    visit(walk, root, 'table');
    if (!walk.hasStates) return undefined;
    if (walk.violation !== undefined || names.size === before) return walk.violation;
  }
  return formDenied('A longer chain of aliases');
}

function visit(walk: Walk, node: TreeLine, context: NodeContext): void {
  const violation = violationAt(walk, node, context);
  walk.violation ??= violation;
  const inside = insideOf(node, context);
  for (const child of node.children) visit(walk, child, inside);
}

/** The context of a node's children. */
function insideOf(node: TreeLine, context: NodeContext): NodeContext {
  if (!node.isNode) {
    if (node.kind === 'ARGUMENTS') return context;
    return node.kind === 'QUERIES' ? context : CONTEXTS[headingOf(node.kind)?.holds ?? 'values'];
  }
  if (node.kind === 'LIST') return context;
  const name = functionName(node).toLowerCase();
  if (name === 'exists') return 'subquery';
  return acceptsStates(name) || name === 'count' ? 'argument' : 'other';
}

function violationAt(walk: Walk, node: TreeLine, context: NodeContext): Violation | undefined {
  const { kind } = node;
  if (kind === 'UNION') return formDenied('A set operation such as UNION');
  if (kind === 'INTERPOLATE_EXPRESSION') return formDenied('INTERPOLATE with an expression');
  if (kind === 'MATCHER') return matcherViolation(node, context);
  if (kind === 'QUERY') {
    const isTable = context === 'table' || context === 'subquery' || node.attributes.includes(', is_cte: 1');
    return isTable ? undefined : formDenied('A scalar subquery');
  }
  if (readsTable(node)) return formDenied('IN with a subquery or a table');
  return isState(walk, node, context) ? stateViolation(walk, node, context) : undefined;
}

function stateViolation(walk: Walk, node: TreeLine, context: NodeContext): Violation | undefined {
  walk.hasStates = true;
  if (context === 'argument') return undefined;
  if (context !== 'item') return formDenied('An aggregate function state inside an expression');
  const alias = /^, alias: (.*?), (?:function_name|identifier): /s.exec(node.attributes)?.[1];
  if (alias !== undefined) walk.names.add(alias);
  return alias === undefined && node.kind === 'FUNCTION' ? unnamedState() : undefined;
}

function matcherViolation(node: TreeLine, context: NodeContext): Violation | undefined {
  const isWhole = context === 'item' || context === 'argument';
  const isStar = node.attributes.startsWith(', matcher_type: ASTERISK');
  const isPlain = node.children.every((list) =>
    list.children.every(({ kind }) => kind === 'EXCEPT COLUMN TRANSFORMER'),
  );
  return isWhole && isStar && isPlain ? undefined : formDenied('A * with modifiers or inside an expression');
}

function isState({ names }: Walk, node: TreeLine, context: NodeContext): boolean {
  if (node.kind !== 'IDENTIFIER') return givesState(node);
  if (context === 'table') return false;
  const parts = attribute(node, 'identifier')?.replaceAll('`', '').split('.') ?? [];
  return parts.some((part) => names.has(part));
}

function givesState(node: TreeLine): boolean {
  const name = functionName(node);
  if (returnsStates(name)) return true;
  return stringArgument(name)?.names === 'function' && returnsStates(argumentsOf(node)[0]?.attributes ?? '');
}

/** `x IN name`. */
function readsTable(node: TreeLine): boolean {
  return IN_FUNCTIONS.has(functionName(node).toLowerCase()) && argumentsOf(node)[1]?.kind === 'IDENTIFIER';
}

function functionName(node: TreeLine): string {
  return (node.kind === 'FUNCTION' ? attribute(node, 'function_name', 'function_type') : undefined) ?? '';
}

function argumentsOf(node: TreeLine): readonly TreeLine[] {
  return node.children.find((part) => part.kind === 'ARGUMENTS')?.children[0]?.children ?? [];
}
