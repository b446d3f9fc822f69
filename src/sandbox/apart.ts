// Whether the names of a query and those of the endpoint's tables are apart, so that a table needs no scope of its own.
import type { Cursor } from '../sql/cursor.ts';
import type { Outline } from '../sql/outline.ts';
import type { TreeLine } from '../sql/query-tree.ts';
import { tableReferences } from '../sql/table-references.ts';
import type { LexedQuery } from './lexed-query.ts';
import type { TableColumn } from './statement.ts';

/** What may give a name to more than a value, or members of a union another scope. */
const DEFINING: ReadonlySet<string | undefined> = new Set(['WITH', 'UNION', 'INTERSECT', 'WINDOW']);

/** Names in lower case that a query must not define: those of the saved query, and of columns of its tables. */
export type TakenNames = ReadonlySet<string>;

/**
 * `clause` holds the tokens of the saved query's WITH clause. Names of columns are left out if the clause has them as values only:
 * a value is looked up in the scope of its own query first, where the engine has found it when it described the table, while
 * tables and functions are looked up in the queries around it before those of the server. Undefined if a column is named by the
 * number of its subquery in the whole statement.
 */
export function takenNames(
  clause: Cursor,
  { identifiers, elements }: Outline,
  columns: readonly TableColumn[],
): TakenNames | undefined {
  if (columns.some(({ name }) => name.includes('_subquery'))) return undefined;
  const names = [...identifiers, ...columns.map(({ name }) => name)];
  const taken = new Set(
    names.flatMap((name) => [name, ...name.split('.')]).map((name) => name.toLowerCase()),
  );
  for (const name of onlyValues(clause, elements, columns)) taken.delete(name);
  return taken;
}

/** Names of columns, in lower case, that no table and no function of the clause has; none if not all of its tables are known. */
function onlyValues(
  clause: Cursor,
  elements: Outline['elements'],
  columns: readonly TableColumn[],
): ReadonlySet<string> {
  const { references, faults } = tableReferences(clause);
  const values = new Set(faults.length > 0 ? [] : columns.map(({ name }) => name.toLowerCase()));
  for (const { name } of elements) values.delete(name.toLowerCase());
  for (let at = 0; at < clause.length; at++) {
    const isTable = references.some(({ start, end }) => clause.start(at) >= start && clause.end(at) <= end);
    if (isTable || clause.kind(at + 1) === '(') values.delete(clause.name(at)?.toLowerCase() ?? '');
  }
  return values;
}

/**
 * The engine resolves a WITH table where it is used, so that names of the query around it have a meaning inside. This is true
 * only of queries that define nothing but aliases, none of which the saved query or its tables have: by their tokens, by the
 * names that the scanner has read, and by the engine's own tree of the query.
 */
export function isApart(
  { cursor }: LexedQuery,
  { names, tree, taken }: { names: ReadonlySet<string>; tree: TreeLine; taken: TakenNames },
): boolean {
  for (let at = 0; at < cursor.length; at++) {
    if (cursor.kind(at) === '->' || DEFINING.has(cursor.word(at))) return false;
  }
  if ([...names].some((name) => taken.has(name.toLowerCase()))) return false;
  return hasOnlyAliases(tree, names);
}

/** Aliases are the first attribute of a node, and a name may contain anything: so each must be one that the scanner has read. */
function hasOnlyAliases(node: TreeLine, names: ReadonlySet<string>, isProjected = false): boolean {
  const { kind, isNode, attributes, children } = node;
  if (kind === 'LAMBDA' || DEFINING.has(kind)) return false;
  // The engine numbers all subqueries of a statement, and the result column of such a one is named by its number.
  if (kind === 'QUERY' && isProjected) return false;
  if (isNode && attributes.includes(ALIAS)) {
    const rest = attributes.startsWith(ALIAS) ? attributes.slice(ALIAS.length) : '';
    if (![...names].some((name) => rest === name || rest.startsWith(`${name}, `))) return false;
  }
  return children.every((child) =>
    hasOnlyAliases(child, names, kind !== 'JOIN TREE' && (isProjected || kind === 'PROJECTION')),
  );
}

const ALIAS = ', alias: ';
