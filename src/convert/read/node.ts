// Access to the trees of node-sql-parser, which have no reliable types.
import { ReadError } from './read-error.ts';

/** A node: an object of a tree. */
export type Node = Readonly<Record<string, unknown>>;

/** The node, or undefined for null and everything else that is not an object. */
export function nodeOf(value: unknown): Node | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : undefined; // an object
}

/** The nodes of a list; a single node is a list of one. */
export function nodesOf(value: unknown): readonly Node[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map(nodeOf).filter((each) => each !== undefined);
}

/** A string or number; otherwise empty. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Throws if the node has a part under another key: nothing may be left out of a conversion silently. */
export function nothingElse(node: Node, known: readonly string[]): void {
  const unknown = Object.keys(node).find(
    (key) => !known.includes(key) && key !== 'loc' && !isEmpty(node[key]),
  );
  if (unknown !== undefined)
    throw new ReadError(0, `The clauses of this query could not be read: ${unknown}`);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true;
  if (typeof value !== 'object') return false;
  return Object.values(value).every(isEmpty);
}
