// The types of the columns and paths that a part of a query names.
import { plainType } from '../../../sql/types/traits.ts';
import type { ClickHouseType } from '../../../sql/types/type.ts';
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  definitionsIn,
  nameOf,
  namesOf,
  operatorOf,
  textOf,
  walk,
  type Subtree,
} from '../../../sql/clickhouse/tree/visit.ts';
import { subcolumnType } from '../../../sql/types/subcolumn-type.ts';
import { isArithmetic } from './arithmetic.ts';
import type { TypeTest } from '../known-types.ts';
import type { NamedTypes } from './context.ts';

export interface ColumnTypes {
  /**
   * Returns whether a node, or one below it, is a column of such a type, or a name of the query, which may be of any type. What calls of the
   * functions `except` are of does not count.
   */
  readonly mentions: (node: Node, type: TypeTest, except?: RegExp) => boolean;
  /** Returns the nodes that define the name that a node is, if the query does. */
  readonly definitionsOf: (column: Node) => readonly Node[];
}

export function createColumnTypes(tree: Subtree, { types, names }: NamedTypes): ColumnTypes {
  // Most queries do not need them.
  let definitions: ReturnType<typeof definitionsIn> | undefined;
  const defining = (name: string): readonly Node[] =>
    names?.has(name) === true ? ((definitions ??= definitionsIn(tree)).get(name) ?? []) : [];
  /** Returns the types that a name of the query may have; none for the difference of two values, a number. */
  const ownTypes = (name: string): readonly ClickHouseType[] => {
    if (names?.has(name) !== true) return [];
    const known = defining(name);
    const isNumber = known.every(({ kind, parts: [value] }) => kind === 'alias' && isDifference(tree, value));
    if (isNumber && known.length > 0) return [];
    return types.all;
  };
  /** Returns whether a name is that of a subquery or of a WITH element, whose columns the query names. */
  const isDerived = (source: string | undefined): boolean =>
    defining(source ?? '').some(({ kind, parts: [table] }) => {
      return kind === 'with-table' || (table !== undefined && (table.kind === 'subquery' || isNamed(table)));
    });
  const isNamed = (table: Node): boolean => names?.has(nameOf(tree, table)) === true;
  const columnTypes = (name: string, path: readonly string[]): readonly ClickHouseType[] =>
    types.of(name).map((type) => pathType(type, path));

  /** Returns the types of a name with the path after it. A name after a dot may be that of the column. */
  function typesOf(path: readonly string[]): readonly ClickHouseType[] {
    return path.flatMap((name, index) => {
      const before = path[index - 1];
      if (before === undefined && names?.has(name) === true) return path.length > 1 ? [] : ownTypes(name);
      if (before !== undefined && types.of(before).length > 0) return [];
      const isOwn = index === 1 && path.length === 2 && isDerived(path[0]);
      return [...columnTypes(name, path.slice(index + 1)), ...(isOwn ? ownTypes(name) : [])];
    });
  }

  let known: ReadonlyMap<Node, readonly ClickHouseType[]> | undefined;
  const typesAt = (node: Node): readonly ClickHouseType[] =>
    (known ??= new Map([...pathsIn(tree)].map(([each, path]) => [each, typesOf(path)]))).get(node) ?? [];
  const mentions: ColumnTypes['mentions'] = (node, type, except) => {
    if (node.kind === 'call' && except?.test(nameOf(tree, node)) === true) return false;
    const isDefined = node.kind === 'alias' || node.kind === 'parameter';
    const found = isDefined ? ownTypes(nameOf(tree, node)) : typesAt(node);
    return found.some(type) || node.parts.some((part) => mentions(part, type, except));
  };
  const definitionsOf = (column: Node): readonly Node[] => {
    const [first = '', second, ...others] = namesOf(tree, column);
    if (second === undefined) return defining(first);
    return others.length === 0 && isDerived(first) && types.of(first).length === 0 ? defining(second) : [];
  };
  return { mentions, definitionsOf };
}

/** The columns of a query with the paths after them, and paths of other values. */
function pathsIn(tree: Subtree): ReadonlyMap<Node, readonly string[]> {
  const paths = new Map<Node, readonly string[]>();
  const rests = new Map<Node, readonly string[]>();
  walk(tree.root, (node) => {
    const rest = rests.get(node) ?? [];
    if (node.kind === 'column') paths.set(node, [...namesOf(tree, node), ...rest]);
    if (node.kind !== 'access') return;
    const [base] = node.parts;
    const path = [textOf(tree, { from: node.at, to: node.at + 1 }), ...rest];
    if (base?.kind === 'column' || base?.kind === 'access') rests.set(base, path);
    else paths.set(node, ['', ...path]);
  });
  return paths;
}

function isDifference(tree: Subtree, value: Node | undefined): boolean {
  if (value?.kind === 'group') return isDifference(tree, value.parts[0]);
  if (value === undefined || !isArithmetic(tree, value)) return false;
  return operatorOf(tree, value) === '-' || value.parts.some((part) => isDifference(tree, part));
}

/** Returns the type at a path of a document or tuple. */
function pathType(type: ClickHouseType, path: readonly string[]): ClickHouseType {
  if (path.length === 0 || !PARTED.has(plainType(type).name)) return type;
  return subcolumnType(type, path.join('.')) ?? type;
}

const PARTED: ReadonlySet<string> = new Set(['JSON', 'Tuple']);
