// Finds the tables that the engine reads before it has a plan: those of scalar subqueries, and of subqueries in IN. The plan has their
// results.
import { parseTreeLines, type TreeLine } from '../../sql/clickhouse/query-tree.ts';

/** Before a query, so that the result is the text for `readTables`. */
export const EXPLAIN_TREE = 'EXPLAIN QUERY TREE ';

/** Below these headings, a table is read; below others are expressions. */
const RELATIONS = /^(?:JOIN TREE|(?:LEFT |RIGHT )?TABLE EXPRESSIONS?|QUERIES)$/;
const QUERIES: ReadonlySet<string> = new Set(['QUERY', 'UNION']);

/** The names of tables as `database.table`. */
export interface TablesOfQuery {
  readonly ofSubqueries: ReadonlySet<string>;
  /** A table can be in both. */
  readonly others: ReadonlySet<string>;
}

/** A tree that cannot be read has none. */
export function readTables(text: string): TablesOfQuery {
  const parsed = parseTreeLines(text);
  const found = { ofSubqueries: new Set<string>(), others: new Set<string>() };
  if ('root' in parsed)
    for (const line of parsed.root.children) visit(line, { isValue: false, isFirst: false }, found);
  return found;
}

interface Place {
  /** True below an expression of the query around it. */
  readonly isValue: boolean;
  /** True inside of a subquery that is run first. */
  readonly isFirst: boolean;
}

function visit(
  line: TreeLine,
  place: Place,
  found: Readonly<Record<keyof TablesOfQuery, Set<string>>>,
): void {
  const { kind, isNode, attributes, children } = line;
  if (isNode && kind === 'TABLE')
    found[place.isFirst ? 'ofSubqueries' : 'others'].add(/table_name: ([^,]+)/.exec(attributes)?.[1] ?? '');
  const below = placeBelow(line, place);
  for (const child of children) visit(child, below, found);
}

function placeBelow(line: TreeLine, { isValue, isFirst }: Place): Place {
  if (!line.isNode) return { isValue: isValue || !RELATIONS.test(line.kind), isFirst };
  if (!QUERIES.has(line.kind)) return { isValue, isFirst };
  return { isValue: false, isFirst: isFirst || (isValue && !isCorrelated(line)) };
}

/** The plan reads the tables of these. */
function isCorrelated({ children }: TreeLine): boolean {
  return children.some(({ kind }) => kind === 'CORRELATED COLUMNS');
}
