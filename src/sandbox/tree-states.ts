// Aggregate function states in the engine's own tree of a query: applies the rules of states.ts a second time.
import type { Complaint } from './consumer-text.ts';
import { attribute } from './query-tree.ts';
import type { TreeLine } from './query-tree.ts';
import { barredForm, makesStates, MAX_STATE_NAMES, takesStates, unnamedState } from './states.ts';
import { stringArgument } from './string-arguments.ts';
import { IN_FUNCTIONS } from './keywords.ts';

/** The context of a node: an element of SELECT or WITH, an argument of a function that accepts states, a table, or other. */
type Place = 'item' | 'argument' | 'table' | 'subquery' | 'other';

const PLACES: ReadonlyMap<string, Place> = new Map([
  ['PROJECTION', 'item'],
  ['WITH', 'item'],
  ['JOIN TREE', 'table'],
  ['TABLE EXPRESSION', 'table'],
  ['LEFT TABLE EXPRESSION', 'table'],
  ['RIGHT TABLE EXPRESSION', 'table'],
]);

interface Walk {
  readonly names: Set<string>;
  /** Whether any state was seen. */
  hasStates: boolean;
  /** The first violation of the rules for queries with states. */
  complaint: Complaint | undefined;
}

/** Checks a whole tree; `columns` are the state columns of the tables that are read. */
export function judgeStates(root: TreeLine, columns: readonly string[]): Complaint | undefined {
  const names = new Set(columns);
  for (let round = 0; round <= MAX_STATE_NAMES; round++) {
    const before = names.size;
    const walk: Walk = { names, hasStates: names.size > 0, complaint: undefined };
    visit(walk, root, 'table');
    if (!walk.hasStates) return undefined;
    if (walk.complaint !== undefined || names.size === before) return walk.complaint;
  }
  return barredForm('So many names');
}

function visit(walk: Walk, node: TreeLine, place: Place): void {
  const complaint = complaintAbout(walk, node, place);
  walk.complaint ??= complaint;
  const inside = insideOf(node, place);
  for (const child of node.children) visit(walk, child, inside);
}

/** The context of a node's children. */
function insideOf(node: TreeLine, place: Place): Place {
  if (!node.isNode) {
    if (node.kind === 'ARGUMENTS') return place;
    return PLACES.get(node.kind) ?? (node.kind === 'QUERIES' ? place : 'other');
  }
  if (node.kind === 'LIST') return place;
  const name = functionName(node).toLowerCase();
  if (name === 'exists') return 'subquery';
  return takesStates(name) || name === 'count' ? 'argument' : 'other';
}

function complaintAbout(walk: Walk, node: TreeLine, place: Place): Complaint | undefined {
  const { kind } = node;
  if (kind === 'UNION') return barredForm('UNION, INTERSECT or EXCEPT');
  if (kind === 'INTERPOLATE_EXPRESSION') return barredForm('INTERPOLATE with an expression');
  if (kind === 'MATCHER') return complaintAboutMatcher(node, place);
  if (kind === 'QUERY') {
    const isTable = place === 'table' || place === 'subquery' || node.attributes.includes(', is_cte: 1');
    return isTable ? undefined : barredForm('A query that is a value');
  }
  if (readsTable(node)) return barredForm('IN with a query or a table');
  return isState(walk, node, place) ? complaintAboutState(walk, node, place) : undefined;
}

function complaintAboutState(walk: Walk, node: TreeLine, place: Place): Complaint | undefined {
  walk.hasStates = true;
  if (place === 'argument') return undefined;
  if (place !== 'item') return barredForm('The state of an aggregate function inside another value');
  const alias = /^, alias: (.*?), (?:function_name|identifier): /s.exec(node.attributes)?.[1];
  if (alias !== undefined) walk.names.add(alias);
  return alias === undefined && node.kind === 'FUNCTION' ? unnamedState() : undefined;
}

function complaintAboutMatcher(node: TreeLine, place: Place): Complaint | undefined {
  const isWhole = place === 'item' || place === 'argument';
  const isStar = node.attributes.startsWith(', matcher_type: ASTERISK');
  const isPlain = node.children.every((list) =>
    list.children.every(({ kind }) => kind === 'EXCEPT COLUMN TRANSFORMER'),
  );
  return isWhole && isStar && isPlain
    ? undefined
    : barredForm('A * that is changed or stands inside another value');
}

function isState({ names }: Walk, node: TreeLine, place: Place): boolean {
  if (node.kind !== 'IDENTIFIER') return givesState(node);
  if (place === 'table') return false;
  const parts = attribute(node, 'identifier')?.replaceAll('`', '').split('.') ?? [];
  return parts.some((part) => names.has(part));
}

function givesState(node: TreeLine): boolean {
  const name = functionName(node);
  if (makesStates(name)) return true;
  return stringArgument(name)?.names === 'function' && makesStates(argumentsOf(node)[0]?.attributes ?? '');
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
