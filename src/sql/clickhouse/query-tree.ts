// Parses the engine's own reading of a query, from the output of EXPLAIN QUERY TREE, and the parts of its nodes by their headings.

/** One line of the tree: a node (`KIND id: 1, attributes`) or the heading of a part of the node above it. */
export interface TreeLine {
  /** Node kind or heading. */
  readonly kind: string;
  readonly isNode: boolean;
  /** Digits; '' for a heading. A node that is printed several times has one id. */
  readonly id: string;
  /** The text after a node's id. */
  readonly attributes: string;
  readonly children: TreeLine[];
}

/** Characters; larger trees are rejected unread. A query of maximum length and common shape has a third of this. */
const MAX_TREE = 4_000_000;
const MAX_LINE_DEPTH = 1_500;

/** The parsed tree, or why it cannot be read. */
type TreeLines = { readonly root: TreeLine } | { readonly fault: 'too_large' | 'malformed' };

/** Parses the output of `EXPLAIN QUERY TREE`, which indents by two spaces per level. */
export function parseTreeLines(tree: string): TreeLines {
  if (tree.length > MAX_TREE) return { fault: 'too_large' };
  const root = line('ROOT', '', '');
  const open: TreeLine[] = [root];
  for (const source of tree.split('\n')) {
    if (source.trim() === '') continue;
    const indent = source.length - source.trimStart().length;
    const depth = indent / 2 + 1;
    const parent = open[depth - 1];
    if (depth > MAX_LINE_DEPTH) return { fault: 'too_large' };
    if (parent === undefined || depth > open.length) return { fault: 'malformed' };
    const child = parseLine(source.trimStart());
    parent.children.push(child);
    open.length = depth;
    open.push(child);
  }
  return { root };
}

function parseLine(source: string): TreeLine {
  // One expression for the whole line takes most of the time of a check: it backtracks over long attributes.
  const at = source.indexOf(ID);
  const kind = at < 0 ? '' : source.slice(0, at);
  if (!NODE_KIND.test(kind)) return line(source.trimEnd(), '', '');
  let end = at + ID.length;
  while (isDigit(source.charCodeAt(end))) end++;
  if (end === at + ID.length) return line(source.trimEnd(), '', '');
  return line(kind, source.slice(at + ID.length, end), source.slice(end));
}

const ID = ' id: ';
const NODE_KIND = /^[A-Z_]+(?: [A-Z]+)*$/;

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function line(kind: string, id: string, attributes: string): TreeLine {
  return { kind, isNode: id !== '', id, attributes, children: [] };
}

/** An attribute's value up to `next`, or to the end of the line; undefined unless it occurs exactly once. */
export function attribute(node: TreeLine, name: string, next?: string): string | undefined {
  const { attributes } = node;
  const label = `, ${name}: `;
  const at = attributes.indexOf(label);
  if (at < 0 || attributes.includes(label, at + label.length)) return undefined;
  const value = attributes.slice(at + label.length);
  if (next === undefined) return value;
  const end = value.indexOf(`, ${next}: `);
  return end < 0 ? undefined : value.slice(0, end);
}

interface Heading {
  /** Tables; values that are elements of SELECT or WITH; or other values. */
  readonly holds: 'tables' | 'items' | 'values';
  /** It is true if it may be a part of a query whose rows are groups. */
  readonly isOfGroups?: true;
  /** It is true if it is a part of a query that a tree with resolved names has as well. */
  readonly isOfQuery?: true;
  /** It is true if what is below it may give a name to more than a value. */
  readonly definesNames?: true;
}

const TABLES: Heading = { holds: 'tables' };
const VALUES: Heading = { holds: 'values' };
const OF_QUERY: Heading = { holds: 'values', isOfQuery: true };
const OF_GROUPS: Heading = { holds: 'values', isOfQuery: true, isOfGroups: true };

/** The headings whose contents are known. */
const HEADINGS: ReadonlyMap<string, Heading> = new Map([
  ['WITH', { holds: 'items', isOfGroups: true, definesNames: true }],
  ['PROJECTION', { holds: 'items', isOfQuery: true, isOfGroups: true }],
  ['JOIN TREE', { holds: 'tables', isOfQuery: true, isOfGroups: true }],
  ['TABLE EXPRESSION', TABLES],
  ['LEFT TABLE EXPRESSION', TABLES],
  ['RIGHT TABLE EXPRESSION', TABLES],
  ['JOIN EXPRESSION', VALUES],
  ['JOIN EXPRESSIONS', VALUES],
  ['PREWHERE', OF_QUERY],
  ['WHERE', OF_GROUPS],
  ['GROUP BY', OF_GROUPS],
  ['HAVING', OF_GROUPS],
  ['WINDOW', { holds: 'values', isOfQuery: true, definesNames: true }],
  ['QUALIFY', OF_QUERY],
  ['ORDER BY', OF_GROUPS],
  ['INTERPOLATE', OF_QUERY],
  ['LIMIT BY LIMIT', OF_QUERY],
  ['LIMIT BY OFFSET', OF_QUERY],
  ['LIMIT BY', OF_QUERY],
  ['LIMIT', OF_GROUPS],
  ['OFFSET', OF_GROUPS],
  ['QUERIES', VALUES],
  ['ARGUMENTS', VALUES],
  ['PARAMETERS', VALUES],
  ['PARTITION BY', VALUES],
  ['FRAME BEGIN OFFSET', VALUES],
  ['FRAME END OFFSET', VALUES],
  ['FILL FROM', VALUES],
  ['FILL TO', VALUES],
  ['FILL STEP', VALUES],
  ['FILL STALENESS', VALUES],
  ['INTERPOLATE_EXPRESSION', VALUES],
  ['EXPRESSION', VALUES],
]);

/** The parts of a query in a tree with resolved names. */
export const QUERY_HEADINGS: readonly string[] = [...HEADINGS].flatMap(([name, { isOfQuery }]) =>
  isOfQuery === true ? [name] : [],
);

/** Says what is below a heading; undefined for one that is not known. */
export function headingOf(kind: string): Heading | undefined {
  const isNumbered = /^(?:EXPRESSION |REPLACEMENTS \d+$|REPLACEMENT NAME )/.test(kind);
  return HEADINGS.get(kind) ?? (isNumbered ? VALUES : undefined);
}
