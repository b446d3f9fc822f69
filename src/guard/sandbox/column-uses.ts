// Uses of a column that one of its subcolumns answers: `length(array)`, `map['key']`, `tuple.1`, `x IS NULL`. Over a stored table
// the engine reads the subcolumn by itself; over the endpoint's table it does if the query names the subcolumn.
import { quoteIdentifier, stringValue } from '../../sql/clickhouse/literal.ts';
import type { Node, NodeKind, TokenRange, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import {
  endsWithComma,
  hasPath,
  isBeforeDot,
  nameOf,
  namesOf,
  sourceOf,
  testOf,
  textOf,
  walk,
  wordOf,
} from '../../sql/clickhouse/tree/visit.ts';
import { typeArguments, type ClickHouseType } from '../../sql/types/type.ts';
import type { TokenEdit } from './lexed-query.ts';
import type { ReadTable } from './read-table.ts';
import { hasStar, type SelectFinding } from './scan/findings.ts';
import type { ScanResult } from './scan/scanner.ts';

/**
 * What to write in place of uses, by column: only of columns of which the whole query uses nothing but subcolumns, and of one
 * table alone. Result columns keep their names.
 */
export function columnUses(
  { tree, selects }: ScanResult,
  tables: readonly ReadTable[],
): ReadonlyMap<string, readonly TokenEdit[]> {
  const shown = new Set(selects.filter(hasStar).flatMap(({ sources }) => sources.map(({ table }) => table)));
  const ownerOf = (name: string): ReadTable | undefined => {
    const [table, other] = tables.filter(({ typeOf }) => typeOf(name) !== undefined);
    return table === undefined || other !== undefined || shown.has(table.name) ? undefined : table;
  };
  const found = usesIn({ tree, ownerOf }, tree.root);
  return found.length === 0 ? new Map() : replacementsOf(tree, selects, found);
}

/** The outermost uses, in the order of their tokens. */
function usesIn(context: UseContext, node: Node): readonly ColumnUse[] {
  const use = useOf(context, node);
  return use === undefined ? node.parts.flatMap((part) => usesIn(context, part)) : [use];
}

function replacementsOf(
  tree: Tree,
  selects: readonly SelectFinding[],
  found: readonly ColumnUse[],
): ReadonlyMap<string, readonly TokenEdit[]> {
  const naming = createNaming(selects);
  const used = new Set(found.map(({ at }) => at));
  const whole = new Set<string>();
  walk(tree.root, (node) => {
    if (NAMED.has(node.kind)) whole.add(nameOf(tree, node));
    if (node.kind !== 'column' && node.kind !== 'column-name') return;
    namesOf(tree, node).forEach((name, index, { length }) => {
      const isPath = index === 0 && (length > 1 || hasPath(tree, node));
      if (!isPath && !used.has(node.from + 2 * index)) whole.add(name);
    });
  });
  const replacements = new Map<string, TokenEdit[]>();
  for (const { from, to, column, sql, title } of found) {
    const named = naming({ from, to });
    if (named === 'part' || (named === 'whole' && title === undefined)) whole.add(column);
    const all = replacements.get(column) ?? [];
    replacements.set(column, all);
    all.push({ from, to, sql: named === 'whole' ? `${sql} AS ${quoteIdentifier(title ?? column)}` : sql });
  }
  return new Map([...replacements].filter(([column]) => !whole.has(column)));
}

/** Nodes with names that the query defines. */
const NAMED: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'alias', 'source', 'table', 'with-table', 'with-value', 'parameter', 'interpolated', 'named-window',
]); // prettier-ignore

/** The tokens from index `from` up to, but excluding, `to`. */
interface ColumnUse extends TokenRange {
  /** The column, and the index of its token. */
  readonly column: string;
  readonly at: number;
  /** The same value as SQL over the subcolumn. */
  readonly sql: string;
  /** The name that the engine gives to a result column of this use; undefined if a query cannot contain it as a name. */
  readonly title: string | undefined;
}

interface UseContext {
  readonly tree: Tree;
  /** It returns the table of a column; undefined if its subcolumns cannot be read. */
  readonly ownerOf: (column: string) => ReadTable | undefined;
}

/** A column, qualified or not, with its type. */
interface TypedName {
  readonly column: string;
  readonly at: number;
  /** As written. */
  readonly sql: string;
  readonly type: ClickHouseType;
}

/** The use that a node is; undefined if it is none. */
function useOf(context: UseContext, node: Node): ColumnUse | undefined {
  const [value] = node.kind === 'call' ? (node.parts[0]?.parts ?? []) : node.parts;
  const name = value && typedName(context, value);
  if (name === undefined || isBeforeDot(context.tree, node)) return undefined;
  const use = node.kind === 'call' ? callUse(context, node, name) : elementUse(context, node, name);
  return use && { from: node.from, to: node.to, column: name.column, at: name.at, ...use };
}

/** A name of one token, or of three: `table.column`. */
function typedName({ tree, ownerOf }: UseContext, node: Node): TypedName | undefined {
  const names = node.kind === 'column' ? namesOf(tree, node) : [];
  const column = names.at(-1);
  if (column === undefined || names.length > 2) return undefined;
  const type = ownerOf(column)?.typeOf(column);
  return type && { column, at: node.to - 1, sql: textOf(tree, node), type };
}

type UseText = Pick<ColumnUse, 'sql' | 'title'>;

/** `map['key']`, `tuple.1`, `column IS NULL`. */
function elementUse(
  { tree, ownerOf }: UseContext,
  node: Node,
  { column, sql, type }: TypedName,
): UseText | undefined {
  const [, index] = node.parts;
  if (node.kind === 'index' && type.name === 'Map') {
    const key = keyOf(tree, index);
    if (key === undefined || ownerOf(column)?.hasMapKeys !== true) return undefined;
    return { sql: `${sql} . ${quoteIdentifier(`key_${key}`)}`, title: undefined };
  }
  if (node.kind === 'access' && type.name === 'Tuple') {
    const literal = wordOf(tree, node);
    const element = /^[1-9]\d{0,3}$/.test(literal) ? typeArguments(type).at(Number(literal) - 1) : undefined;
    if (element === undefined) return undefined;
    const title = `tupleElement(${column}, ${literal})`;
    return { sql: `${sql} . ${quoteIdentifier(element.name ?? literal)}`, title };
  }
  const test = node.kind === 'test' && type.name === 'Nullable' ? testOf(tree, node) : '';
  if (test === 'IS NOT NULL') return { sql: `not ( ${sql} . null )`, title: `isNotNull(${column})` };
  return test === 'IS NULL' ? { sql: `${sql} . null`, title: `isNull(${column})` } : undefined;
}

/** The text of a string that names a key. */
function keyOf(tree: Tree, literal: Node | undefined): string | undefined {
  const key = literal?.kind === 'string' ? stringValue(sourceOf(tree, literal)) : undefined;
  return key !== undefined && KEY.test(key) ? key : undefined;
}

/** Other keys are spelled by the engine in its own way. */
const KEY = /^[\w.-]{1,100}$/;

/** Functions of one column, by the type of the column: what they are over the subcolumn. */
const FUNCTIONS: ReadonlyMap<string, { readonly of: RegExp; readonly sql: (column: string) => string }> =
  new Map([
    ['length', { of: /^(?:Array|Map)$/, sql: (column: string) => `${column} . size0` }],
    ['empty', { of: /^(?:Array|Map)$/, sql: (column: string) => `( ${column} . size0 = 0 )` }],
    ['notEmpty', { of: /^(?:Array|Map)$/, sql: (column: string) => `( ${column} . size0 != 0 )` }],
    ['isNull', { of: /^Nullable$/, sql: (column: string) => `${column} . null` }],
    ['isNotNull', { of: /^Nullable$/, sql: (column: string) => `not ( ${column} . null )` }],
    ['mapKeys', { of: /^Map$/, sql: (column: string) => `${column} . keys` }],
    ['mapValues', { of: /^Map$/, sql: (column: string) => `${column} . values` }],
  ]);

function callUse({ tree }: UseContext, node: Node, { column, sql, type }: TypedName): UseText | undefined {
  const [list, ...after] = node.parts;
  const call = nameOf(tree, node);
  if (list?.kind !== 'arguments' || after.length > 0 || list.at !== list.from) return undefined;
  const [, second, ...others] = list.parts;
  if (others.length > 0 || endsWithComma(tree, list)) return undefined;
  if (second === undefined) {
    const form = FUNCTIONS.get(call);
    return form?.of.test(type.name) === true
      ? { sql: form.sql(sql), title: `${call}(${column})` }
      : undefined;
  }
  const key = keyOf(tree, second);
  if (call !== 'mapContains' || type.name !== 'Map' || key === undefined) return undefined;
  return { sql: `has ( ${sql} . keys , '${key}' )`, title: undefined };
}

/** The part is inside no such item; is one; or is inside one, so that its name cannot be kept if the part is written otherwise. */
export type Naming = 'none' | 'whole' | 'part';

/** Which of a query's parts name result columns. */
function createNaming(selects: readonly SelectFinding[]): (part: TokenRange) => Naming {
  // Of two that contain a token, the inner one begins later.
  const items = selects
    .flatMap((select) => select.items.map(({ node }) => node))
    .toSorted((a, b) => a.from - b.from);
  return ({ from, to }) => {
    const item = items.findLast((each) => each.from <= from && to <= each.to);
    if (item === undefined || item.kind === 'alias') return 'none';
    return item.from === from && item.to === to ? 'whole' : 'part';
  };
}
