// What names stand for inside one part of a query: ClickHouse takes an alias of a SELECT for a column of that name in WHERE.
import { itemsOf, nameOf, wordOf, type SqlNode } from './sql-tree.ts';

/** Each meaning of a name; none where it is no alias. */
export type Aliases = (name: string) => readonly (readonly SqlNode[])[];

/** `shared` and every `expression AS name`, also without the word AS, at any depth. */
export function aliasesIn(nodes: readonly SqlNode[], shared: Aliases): Aliases {
  const found = new Map<string, (readonly SqlNode[])[]>();
  for (const { name, meaning } of namedItems(nodes)) found.set(name, [...(found.get(name) ?? []), meaning]);
  return (name) => [...shared(name), ...(found.get(name) ?? [])];
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

/** The name at `index` where it stands behind AS, or right behind an operand. */
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

/** From behind the last keyword that begins a clause: `SELECT x AS y`, `FROM t AS u`. */
function meaningOf(item: readonly SqlNode[], index: number): readonly SqlNode[] {
  const end = wordOf(item[index - 1]) === 'AS' ? index - 1 : index;
  const start = item.slice(0, end).findLastIndex((node) => CLAUSES.has(wordOf(node))) + 1;
  return item.slice(start, end);
}

const CLAUSES: ReadonlySet<string> = new Set(
  'SELECT DISTINCT FROM JOIN WITH WHERE PREWHERE HAVING QUALIFY ON BY LIMIT'.split(' '),
);

/** Words that are no operands and no names where one could stand. */
const RESERVED: ReadonlySet<string> = new Set([
  ...CLAUSES,
  ...(
    'AS AND OR NOT IN IS NULL LIKE ILIKE BETWEEN CASE WHEN THEN ELSE END INTERVAL UNION ALL EXCEPT INTERSECT ' +
    'GROUP ORDER ASC DESC NULLS FIRST LAST OFFSET FETCH WINDOW OVER PARTITION ROWS RANGE USING INNER LEFT RIGHT FULL ' +
    'CROSS OUTER ANY ASOF SEMI ANTI GLOBAL ARRAY FINAL SAMPLE SETTINGS DIV MOD EXISTS FILTER FILL STEP TO'
  ).split(' '),
]);
