// Where in a query the engine's rejection comes from. The engine does not say it: parts of the query are replaced by NULL, one by one, until
// those are found without which the rejection is gone.
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import type { Node, NodeKind, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { wordOf } from '../../../sql/clickhouse/tree/visit.ts';

/** Text in place of a range of the bound query. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The engine rejects the query with a replacement for the same reason, accepts it, or rejects it for another reason. */
export type Answer = 'same' | 'accepted' | 'other';
export type AskWith = (replacement: Replacement) => Promise<Answer>;

/** Calls of the engine for one rejection at most. */
const MAX_CALLS = 80;

/** The range of the part that is rejected, between two offsets of the bound query; undefined if no part is found. */
export async function locateFailure(
  tree: Tree,
  { start, end }: { readonly start: number; readonly end: number },
  ask: AskWith,
): Promise<{ readonly start: number; readonly end: number } | undefined> {
  const search = createSearch(tree, ask);
  const isInside = (node: Node): boolean => {
    const at = tree.cursor.start(node.from);
    return at >= start && at < end;
  };
  const units = unitsIn(tree.root).filter(({ node }) => isInside(node));
  const unit = await search.first(units);
  if (unit === undefined) return undefined;
  if (/^(?:LIMIT|OFFSET)$/.test(wordOf(tree, { at: unit.node.from - 1 })))
    return { start: tree.cursor.start(unit.node.from - 1), end: tree.cursor.end(unit.node.to - 1) };
  const found = unit.clause === 'limit' ? unit.around : await search.within(unit.node);
  return { start: tree.cursor.start(found.from), end: tree.cursor.end(found.to - 1) };
}

/** A value that is a whole element of a clause. */
interface Unit {
  readonly node: Node;
  readonly clause: NodeKind;
  /** The clause. */
  readonly around: Node;
  /** The clause accepts this text in its place. */
  readonly instead: string;
}

const STRUCTURE: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'union', 'subquery', 'select', 'with', 'with-table', 'from', 'source', 'join', 'windows', 'order-by',
]); // prettier-ignore

/** A value of a clause is replaced by a text that the clause accepts. */
const INSTEAD: Readonly<Partial<Record<NodeKind, string>>> = {
  list: 'NULL', where: '1', prewhere: '1', having: '1', qualify: '1', on: '1', 'group-by': 'NULL', 'order-item': 'NULL',
  limit: '1', 'limit-by': '1', offset: '1', 'array-join': '[NULL]', distinct: '1',
}; // prettier-ignore

/** The elements of the clauses of a query, and of the queries that it reads from. */
function unitsIn(node: Node): readonly Unit[] {
  const instead = INSTEAD[node.kind];
  return node.parts.flatMap((part): readonly Unit[] => {
    if (STRUCTURE.has(part.kind) || INSTEAD[part.kind] !== undefined) return unitsIn(part);
    return instead === undefined ? [] : [{ node: part, clause: node.kind, around: node, instead }];
  });
}

interface Search {
  /** The element without which the query has another answer; one without which it is accepted is preferred. */
  readonly first: (units: readonly Unit[]) => Promise<Unit | undefined>;
  /** The smallest part of a value that is rejected by itself, or together with what is beside it. */
  readonly within: (node: Node) => Promise<Node>;
}

function createSearch({ cursor }: Tree, askWith: AskWith): Search {
  let left = MAX_CALLS;
  const replaced = async (node: Node, text: string): Promise<Answer> => {
    if (left-- <= 0) return 'same';
    return askWith({ start: cursor.start(node.from), end: cursor.end(node.to - 1), text });
  };
  const textOf = (node: Node): string => cursor.slice(node.from, node.to);
  const first = async (units: readonly Unit[]): Promise<Unit | undefined> => {
    const found: Record<Answer, Unit[]> = { same: [], accepted: [], other: [] };
    for (const unit of units) {
      const text = insteadOf(unit);
      if (text !== undefined) found[await replaced(unit.node, text)].push(unit);
    }
    const all = found.accepted.length > 0 ? found.accepted : found.other;
    // Another clause may use a name that the SELECT clause defines.
    return all.find(({ clause }) => clause !== 'list') ?? all.at(-1);
  };
  /** A column by itself is right: in place of it, its name could mean something else in another clause. */
  const insteadOf = ({ node, clause, instead }: Unit): string | undefined => {
    if (node.kind === 'star' || node.kind === 'columns') return undefined;
    if (clause !== 'list') return instead;
    if (node.kind === 'column') return `any(${textOf(node)})`;
    const name = node.kind === 'alias' ? cursor.name(node.at) : undefined;
    return name === undefined ? instead : `${instead} AS ${quoteIdentifier(name)}`;
  };
  const within = async (node: Node): Promise<Node> => {
    const inner = valuesOf(node);
    if ((node.kind === 'alias' || node.kind === 'group') && inner[0] !== undefined) return within(inner[0]);
    const gone: Node[] = [];
    for (const each of inner) if ((await replaced(each, 'NULL')) !== 'same') gone.push(each);
    const [only] = gone;
    if (LISTS.has(node.kind)) return only !== undefined && gone.length === 1 ? within(only) : node;
    if (only !== undefined && node.parts.some((part) => isBody(part, only))) return within(only);
    // A value that is rejected in place of the whole is rejected by itself.
    for (const each of only === undefined ? inner : [only])
      if ((await replaced(node, textOf(each))) === 'same') return within(each);
    const unit = gone.length > 1 ? undefined : await first(subqueriesOf(node).flatMap(unitsIn));
    return unit === undefined ? node : within(unit.node);
  };
  return { first, within };
} // prettier-ignore

/** Nodes whose parts do not depend on each other. */
const LISTS: ReadonlySet<NodeKind> = new Set<NodeKind>(['and', 'or', 'tuple', 'array']);

/** Parts of a value that are values themselves, through what is only around them. */
function valuesOf(node: Node): readonly Node[] {
  return node.parts.flatMap((part) => {
    if (AROUND.has(part.kind)) return valuesOf(part);
    return NO_VALUES.has(part.kind) ? [] : [part];
  });
}

/** Returns whether a value is the body of a lambda among the arguments: it means nothing outside of it. */
function isBody(part: Node, value: Node): boolean {
  if (part.kind === 'arguments') return part.parts.some((each) => isBody(each, value));
  return part.kind === 'lambda' && part.parts.includes(value);
}

/** The queries that are values of a value. */
function subqueriesOf(node: Node): readonly Node[] {
  if (node.kind === 'subquery') return [node];
  return node.parts.flatMap((part) => (part.kind === 'select' ? [] : subqueriesOf(part)));
}

const AROUND: ReadonlySet<NodeKind> = new Set<NodeKind>(['arguments', 'filter', 'when', 'else', 'lambda']);
const NO_VALUES: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'type', 'over', 'window', 'parameters', 'parameter', 'subquery', 'table', 'star', 'columns', 'quantified',
]); // prettier-ignore
