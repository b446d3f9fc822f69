// The columns and paths that a query reads, from the engine's tree with all names resolved and unused columns removed.
import { parseQueryTree } from '../../../guard/sandbox/query-tree/tree.ts';
import { attribute, type TreeLine } from '../../../sql/clickhouse/query-tree.ts';

/** A path of a table, `column.element`; '' if nothing but the number of its rows is read. */
export interface PathRead {
  readonly table: string;
  readonly path: string;
}

/**
 * Reads the output of `EXPLAIN QUERY TREE run_passes = 1`. A table is an element of the outermost WITH clause that selects from a
 * table function. Undefined if the tree is too large or has an unexpected structure.
 */
export function readsInTree(text: string): readonly PathRead[] | undefined {
  const tree = parseQueryTree(text);
  if ('violation' in tree) return undefined;
  const sources = new Map<string, string>();
  visit(tree.root, (node) => {
    const name = cteName(node);
    if (name !== undefined && isTable(node)) sources.set(node.id, name);
  });
  const reads = new Map<string, PathRead>();
  const add = (read: PathRead): void => void reads.set(`${read.table} ${read.path}`, read);
  for (const table of sources.values()) add({ table, path: '' });
  const walk = (node: TreeLine): void => {
    const read = pathOf(node, sources);
    if (read === undefined) node.children.forEach(walk);
    else add(read);
  };
  walk(tree.root);
  return [...reads.values()];
}

function visit(node: TreeLine, use: (node: TreeLine) => void): void {
  use(node);
  for (const child of node.children) visit(child, use);
}

function cteName(node: TreeLine): string | undefined {
  return node.kind === 'QUERY' ? attribute(node, 'cte_name') : undefined;
}

function isTable(node: TreeLine): boolean {
  const from = node.children.find(({ kind }) => kind === 'JOIN TREE');
  return from?.children[0]?.kind === 'TABLE_FUNCTION';
}

/** Functions that read an element of their first argument, by name or number. */
const ELEMENT = new Set(['getSubcolumn', 'tupleElement']);

function pathOf(node: TreeLine, sources: ReadonlyMap<string, string>): PathRead | undefined {
  if (node.kind === 'COLUMN') {
    const table = sources.get(attribute(node, 'source_id') ?? '');
    const path = attribute(node, 'column_name', 'result_type');
    return table === undefined || path === undefined ? undefined : { table, path };
  }
  const name = node.kind === 'FUNCTION' ? attribute(node, 'function_name', 'function_type') : undefined;
  if (name === undefined || !ELEMENT.has(name)) return undefined;
  const [of, element] = node.children.find(({ kind }) => kind === 'ARGUMENTS')?.children[0]?.children ?? [];
  const read = of && pathOf(of, sources);
  const literal =
    element?.kind === 'CONSTANT' ? attribute(element, 'constant_value', 'constant_value_type') : undefined;
  const below = /^'([\w.]+)'$/.exec(literal ?? '')?.[1];
  return read && below !== undefined ? { ...read, path: `${read.path}.${below}` } : read;
}
