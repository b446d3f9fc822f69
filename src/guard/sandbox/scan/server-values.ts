// Names that the engine reads as calls without parentheses, unless the SELECT around them has a column or an alias of that name.
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { firstOf, nameOf, namesIn, someNode, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { Violation } from '../lexed-query.ts';
import type { Scan } from './scan.ts';
import type { SelectFinding, SourceFinding } from './findings.ts';

/** Functions of the engine that need no parentheses and show the server's user or database; in lower case. */
export const SERVER_VALUES: ReadonlySet<string> = new Set([
  'currentuser',
  'current_user',
  'session_user',
  'user',
  'currentdatabase',
  'current_database',
  'database',
  'schema',
]);

/** Subqueries in FROM inside each other; a name from deeper inside counts as a call. */
const MAX_DEPTH = 16;

/**
 * Returns whether the bare name at the token `index` may be such a call. It is none if the SELECT reads a column of that name, or if the
 * name stands after the SELECT clause that defines it and no later name can lead back to it.
 */
export function isServerValue(scan: Scan, index: number, name: string): boolean {
  if (!SERVER_VALUES.has(name.toLowerCase()) || scan.surface.functions.allows(name)) return false;
  const select = innermost(scan, index);
  if (select === undefined) return true;
  const last = select.items.at(-1)?.end ?? Infinity;
  const isDefined = index >= last && !select.definesLater && isAlias(scan, select, name);
  return !isDefined && !reads(scan, select, name, 0);
}

export function serverValueViolation(shown: string, isHinted = true): Violation {
  return {
    code: 'sandbox.function_denied',
    message: `${shown} is not a column here, and the function of that name is not allowed`,
    ...(isHinted && {
      hint: 'Qualify a column of that name with its table, or give the alias another name.',
    }),
  };
}

/** Returns whether the engine has to say what the name at the token `index` is, which may be a call: it is no column of a table of its SELECT. */
export function isUnresolved(scan: Scan, index: number, name: string): boolean {
  if (!SERVER_VALUES.has(name.toLowerCase()) || scan.surface.functions.allows(name)) return false;
  const sources = innermost(scan, index)?.sources ?? [];
  return !sources.some(({ table }) => table !== undefined && scan.surface.columnsOf(table).has(name));
}

/** The SELECT around a token: the last that begins before it and has not ended. */
function innermost({ findings: { selects } }: Scan, index: number): SelectFinding | undefined {
  return selects.findLast(({ start, end }) => start <= index && index < end);
}

/** Returns whether an element of the SELECT clause is one value with that alias. */
function isAlias({ tree }: Scan, { items }: SelectFinding, name: string): boolean {
  return items.some(
    ({ node }) =>
      node.kind === 'alias' &&
      nameOf(tree, node) === name &&
      wordOf(tree, { at: node.at - 1 }) === 'AS' &&
      !isSeveral(tree, node),
  );
}

/**
 * Returns whether an element may be several columns, of which none has its alias: a matcher, after which `REPLACE value AS name` changes a
 * column only if there is one, or `untuple`, whose alias is only the first part of the names.
 */
function isSeveral(tree: Tree, node: Node): boolean {
  if (namesIn(tree, node).some(({ name }) => /^(?:columns|untuple)$/i.test(name))) return true;
  return (
    firstOf(node).kind === 'star' || someNode(node, ({ kind, from, at }) => kind === 'star' && from < at)
  );
}

/** Returns whether FROM has a column of that name. */
function reads(scan: Scan, { sources }: SelectFinding, name: string, depth: number): boolean {
  return depth < MAX_DEPTH && sources.some((source) => provides(scan, source, name, depth));
}

function provides(scan: Scan, { table, at }: SourceFinding, name: string, depth: number): boolean {
  if (table !== undefined) return scan.surface.columnsOf(table).has(name);
  const own = nameOf(scan.tree, { at });
  const { selects, withTables } = scan.findings;
  const begins = own === '' ? [at] : withTables.filter((each) => each.name === own).map((each) => each.at);
  return (
    begins.length > 0 &&
    begins.every((begin) => {
      const inner = selects.find(({ start }) => start > begin);
      return inner !== undefined && returns(scan, inner, name, depth + 1);
    })
  );
}

/** Returns whether a SELECT certainly returns a column of that name. */
function returns(scan: Scan, select: SelectFinding, name: string, depth: number): boolean {
  const { tree } = scan;
  const words = select.items.filter(({ start, end }) => end - start === 1);
  const isItem = words.some(({ node }) => nameOf(tree, { at: node.from }) === name);
  const isWhole = words.some(({ node }) => node.kind === 'star');
  return isItem || isAlias(scan, select, name) || (isWhole && reads(scan, select, name, depth));
}
