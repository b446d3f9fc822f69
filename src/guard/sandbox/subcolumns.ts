// Subcolumns that a consumer query reads (JSON paths, elements of tuples) are selected where the stored table is read, each
// under its own dotted name: the engine then reads them alone, and not the whole column. `*` and COLUMNS must not show them. Not of columns
// that the query uses whole in a way that gives their subcolumns another meaning: keys of GROUP BY, columns of ARRAY JOIN and of USING.
import { attribute, type TreeLine } from '../../sql/clickhouse/query-tree.ts';
import type { Node, NodeKind, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { hasPath, namesOf, someNode, walk } from '../../sql/clickhouse/tree/visit.ts';
import { subcolumnType } from '../../sql/types/subcolumn-type.ts';
import type { ClickHouseType } from '../../sql/types/type.ts';
import { columnUses } from './column-uses.ts';
import type { Subcolumn } from './columns.ts';
import type { TokenEdit } from './lexed-query.ts';
import { sourceOfSubcolumns } from './pass-through.ts';
import type { ReadTable } from './read-table.ts';
import { hasStar, type SelectFinding, type StarFinding } from './scan/findings.ts';
import type { ScanResult } from './scan/scanner.ts';
import { subcolumnFault } from './string-arguments.ts';
import type { ReadSubcolumns } from './verdict.ts';

/** What the query may read alone. */
export interface SubcolumnPlan {
  /** Uses of columns are written as uses of their subcolumns; `*` and COLUMNS leave out columns whose names have a dot. */
  readonly edits: readonly TokenEdit[];
  /** Columns of which subcolumns may be read, by table, with their types. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, ClickHouseType>>;
}

/** More in one query cost more to analyse than they save. */
const MAX_SUBCOLUMNS = 100;

/** Undefined if the query reads no subcolumn, or if its meaning could change. */
export function planSubcolumns(scanned: ScanResult, tables: readonly ReadTable[]): SubcolumnPlan | undefined {
  const wanted = columnsWithPaths(scanned.tree);
  const uses = columnUses(scanned, tables);
  if (wanted.size === 0 && uses.size === 0) return undefined;
  const whole = columnsReadWhole(scanned);
  const columns = new Map<string, ReadonlyMap<string, ClickHouseType>>();
  for (const table of tables) {
    if (table.passes === undefined || scanned.sets.has(table.name)) continue;
    const readable = table.columns
      .filter(({ name }) => uses.has(name) || (wanted.has(name) && !whole.has(name)))
      .filter(({ name }) => isClear(name, table, scanned))
      .flatMap(({ name }) => {
        const type = table.typeOf(name);
        return type === undefined ? [] : [[name, type] as const];
      });
    if (readable.length > 0) columns.set(table.name, new Map(readable));
  }
  if (columns.size === 0) return undefined;
  if (isGroupedByStar(scanned, columns)) return undefined;
  const exceptions = withoutDotted(scanned.selects, columns);
  const readable = new Set([...columns.values()].flatMap((each) => [...each.keys()]));
  const replaced = [...uses].flatMap(([column, all]) => (readable.has(column) ? all : []));
  return exceptions && { edits: [...exceptions, ...replaced], columns };
}

/** Names that a dot and a name, a type or a subobject follow. */
function columnsWithPaths(tree: Tree): ReadonlySet<string> {
  const found = new Set<string>();
  walk(tree.root, (node) => {
    if (node.kind !== 'column') return;
    const names = namesOf(tree, node);
    for (const name of hasPath(tree, node) ? names : names.slice(0, -1)) found.add(name);
  });
  return found;
}

/** Returns whether a path that begins with this name can only mean a subcolumn of the table's column. */
function isClear(name: string, table: ReadTable, { names, tables }: ScanResult): boolean {
  if (sourceOfSubcolumns(table, name) === undefined) return false;
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return false; // it becomes part of a pattern
  if (tables.has(name)) return false;
  const others = [...names, ...tables, ...table.columns.map((column) => column.name)];
  return !names.has(name) && !others.some((other) => other.startsWith(`${name}.`));
}

/** Returns the text after matchers; undefined if one of them could show columns of another source under the same name. */
function withoutDotted(
  selects: readonly SelectFinding[],
  columns: SubcolumnPlan['columns'],
): readonly TokenEdit[] | undefined {
  const edits: TokenEdit[] = [];
  for (const select of selects) {
    for (const star of select.stars) {
      const hidden = hiddenFrom(star, select, columns);
      if (hidden === undefined) return undefined;
      const at = star.end + 1;
      if (hidden.size > 0)
        edits.push({ from: at, to: at, sql: `EXCEPT ('^(?:${[...hidden].join('|')})[.]')` });
    }
  }
  return edits;
}

/** Names of columns whose subcolumns the star would show; undefined if they cannot be distinguished from others. */
function hiddenFrom(
  { isQualified, qualifier }: StarFinding,
  { sources }: SelectFinding,
  columns: SubcolumnPlan['columns'],
): ReadonlySet<string> | undefined {
  const matched = isQualified ? sources.filter(({ alias }) => alias === qualifier) : sources;
  if (isQualified && matched.length !== 1) return undefined;
  const hidden = new Set(matched.flatMap(({ table }) => [...(columns.get(table ?? '')?.keys() ?? [])]));
  if (hidden.size > 0 && matched.some(({ table }) => table === undefined)) return undefined;
  return hidden;
}

/**
 * The subcolumns that the engine itself found in the query; `root` is its tree of the query with the edits of `plan`. None if there
 * are too many.
 */
export function subcolumnsIn(
  root: TreeLine,
  { columns }: SubcolumnPlan,
  { names, tables }: ScanResult,
  readTables: readonly ReadTable[],
): Omit<ReadSubcolumns, 'joined'> {
  const identifiers = identifiersByTable(root, columns);
  const qualifiers = ['', ...[...names, ...tables].map((name) => `${name}.`)];
  const found = new Map<string, readonly Subcolumn[]>();
  const onlyParts = new Map<string, ReadonlySet<string>>();
  let count = 0;
  for (const [table, readable] of columns) {
    const prefixes = [...readable].flatMap(([column, type]) =>
      qualifiers.map((qualifier) => ({ column, type, prefix: `${qualifier}${column}.` })),
    );
    const paths = new Map<string, Subcolumn>();
    const others = new Set<string>();
    for (const identifier of identifiers.get(table) ?? []) {
      const match = prefixes.find(({ prefix }) => identifier.startsWith(prefix));
      if (match === undefined) {
        identifier.split('.').forEach((name) => others.add(name));
        continue;
      }
      const { column, type, prefix } = match;
      const path = identifier.slice(prefix.length);
      const redaction = readTables.find(({ name }) => name === table)?.redaction;
      const isRead =
        subcolumnType(type, path) !== undefined && // otherwise it is one of another table's column of the same name
        redaction?.canRead({ column, path }) !== false &&
        subcolumnFault(`${column}.${path}`) === undefined;
      if (isRead) paths.set(`${column}.${path}`, { column, path });
      else others.add(column);
    }
    count += paths.size;
    if (count > MAX_SUBCOLUMNS) return { subcolumns: new Map(), onlyParts: new Map() };
    found.set(table, [...paths.values()]);
    onlyParts.set(table, new Set([...readable.keys()].filter((column) => !others.has(column))));
  }
  return { subcolumns: found, onlyParts };
}

/** The identifiers in the queries that read each of the tables, and in their subqueries, which may be correlated. */
function identifiersByTable(
  root: TreeLine,
  tables: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map([...tables.keys()].map((table) => [table, new Set<string>()] as const));
  const walk = (node: TreeLine, inScope: readonly Set<string>[]): void => {
    if (node.isNode && node.kind === 'IDENTIFIER') {
      const identifier = attribute(node, 'identifier') ?? '';
      for (const identifiers of inScope) identifiers.add(identifier);
    }
    const read = node.kind === 'QUERY' ? sourcesOf(node).flatMap((name) => found.get(name) ?? []) : [];
    const scope = read.length === 0 ? inScope : [...new Set([...inScope, ...read])];
    for (const child of node.children) walk(child, scope);
  };
  walk(root, []);
  return found;
}

/** The names in a query's FROM, without those in subqueries. */
function sourcesOf(query: TreeLine): readonly string[] {
  const names = (node: TreeLine): readonly string[] => {
    if (node.kind === 'QUERY' || node.kind === 'UNION') return [];
    return node.kind === 'IDENTIFIER' ? [attribute(node, 'identifier') ?? ''] : node.children.flatMap(names);
  };
  return query.children.filter(({ kind }) => kind === 'JOIN TREE').flatMap(names);
}

const LISTS: ReadonlySet<NodeKind> = new Set<NodeKind>(['using', 'array-join']);
const NAMES: ReadonlySet<NodeKind> = new Set<NodeKind>(['column', 'column-name', 'interpolated']);

/** Names of columns, or of anything else. */
function columnsReadWhole({ tree, selects }: ScanResult): ReadonlySet<string> {
  const whole = new Set<string>();
  // A subcolumn of a key is not a key; a subcolumn of a multiplied column is not multiplied.
  const isAll = selects.some(({ isMultiplied }) => isMultiplied) || isGroupedQuery(tree);
  walk(tree.root, (node) => {
    const names = NAMES.has(node.kind) ? namesOf(tree, node) : [];
    if (isAll && names.length > 0 && !hasPath(tree, node)) whole.add(names.at(-1) ?? '');
    if (LISTS.has(node.kind)) for (const name of namesBelow(tree, node)) whole.add(name);
  });
  return whole;
}

/** Returns whether `*` may be a key of GROUP BY, and includes one of the columns. */
function isGroupedByStar({ tree, selects }: ScanResult, columns: ReadonlyMap<string, unknown>): boolean {
  if (!isGroupedQuery(tree)) return false;
  return selects.some(
    (select) => select.sources.some(({ table }) => columns.has(table ?? '')) && hasStar(select),
  );
}

function isGroupedQuery({ root }: Tree): boolean {
  return someNode(root, ({ kind }) => kind === 'group-by');
}

function namesBelow(tree: Tree, list: Node): readonly string[] {
  const names: string[] = [];
  walk(list, (node) => {
    if (NAMES.has(node.kind)) names.push(...namesOf(tree, node));
  });
  return names;
}
