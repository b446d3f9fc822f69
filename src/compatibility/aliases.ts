// Resolves aliases in one part of a query: in WHERE, ClickHouse resolves an alias of the SELECT before a column of that
// name.
import { itemsOf, nameOf, wordOf, type SqlNode } from './sql-tree.ts';

/** The expressions that a name is an alias of; empty if it is none. */
export type Aliases = (name: string) => readonly (readonly SqlNode[])[];

/** Every alias of `nodes` (`expression AS name`, or without AS), at any depth. */
export function aliasesIn(nodes: readonly SqlNode[]): Aliases {
  const found = new Map<string, (readonly SqlNode[])[]>();
  for (const { name, meaning } of namedItems(nodes)) found.set(name, [...(found.get(name) ?? []), meaning]);
  return (name) => found.get(name) ?? [];
}

interface NamedItem {
  readonly name: string;
  readonly meaning: readonly SqlNode[];
}

function* namedItems(nodes: readonly SqlNode[]): Generator<NamedItem> {
  for (const item of itemsOf(nodes)) {
    for (const [index, node] of item.entries()) {
      if (node.kind === 'group') yield* namedItems(node.nodes);
      const name = aliasAt(item, index);
      if (name !== undefined) yield { name, meaning: meaningOf(item, index) };
    }
  }
}

/** The name at `index` if it follows AS, or directly follows an operand. */
function aliasAt(item: readonly SqlNode[], index: number): string | undefined {
  const name = nameOf(item[index]);
  const before = item[index - 1];
  if (name === undefined || wordOf(before) === 'AS') return name;
  if (RESERVED.has(wordOf(item[index]))) return undefined;
  return endsOperand(before) && !RESERVED.has(wordOf(before)) ? name : undefined;
}

function endsOperand(node: SqlNode | undefined): boolean {
  if (node === undefined) return false;
  return node.kind !== 'token' || /[\p{L}\p{N}_"'`”’]$/u.test(node.text);
}

/** The aliased expression: begins after the last clause keyword, as in `SELECT x AS y`, `FROM t AS u`. */
function meaningOf(item: readonly SqlNode[], index: number): readonly SqlNode[] {
  const end = wordOf(item[index - 1]) === 'AS' ? index - 1 : index;
  const start = item.slice(0, end).findLastIndex((node) => CLAUSES.has(wordOf(node))) + 1;
  return item.slice(start, end);
}

const CLAUSES: ReadonlySet<string> = new Set(
  'SELECT DISTINCT FROM JOIN WITH WHERE PREWHERE HAVING QUALIFY ON BY LIMIT'.split(' '),
);

/** Keywords that are neither an operand nor a name at such a position. */
const RESERVED: ReadonlySet<string> = new Set([
  ...CLAUSES,
  ...(
    'AS AND OR NOT IN IS NULL LIKE ILIKE BETWEEN CASE WHEN THEN ELSE END INTERVAL UNION ALL EXCEPT INTERSECT ' +
    'GROUP ORDER ASC DESC NULLS FIRST LAST OFFSET FETCH WINDOW OVER PARTITION ROWS RANGE USING INNER LEFT RIGHT FULL ' +
    'CROSS OUTER ANY ASOF SEMI ANTI GLOBAL ARRAY FINAL SAMPLE SETTINGS DIV MOD EXISTS FILTER FILL STEP TO'
  ).split(' '),
]);
