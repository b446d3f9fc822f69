// The types of the columns and paths that a part of a query names.
import { parseType } from '../../sql/types/type.ts';
import type { Node } from '../../sql/tree/nodes.ts';
import {
  definitionsIn,
  nameOf,
  namesOf,
  operatorOf,
  textOf,
  walk,
  type Subtree,
} from '../../sql/tree/visit.ts';
import { subcolumnType } from '../../sql/types/subcolumn-type.ts';
import { isArithmetic } from './arithmetic.ts';
import type { NamedTypes } from './context.ts';

export interface ColumnTypes {
  /**
   * Whether a node, or one below it, is a column of such a type, or a name of the query, which may be of any type. What calls of the
   * functions `except` are of does not count.
   */
  readonly mentions: (node: Node, type: RegExp, except?: RegExp) => boolean;
  /** What defines the name that a node is, if the query does. */
  readonly definitionsOf: (column: Node) => readonly Node[];
}

export function createColumnTypes(tree: Subtree, { types, names }: NamedTypes): ColumnTypes {
  const all = [...new Set([...types.values()].flat())];
  let definitions: ReturnType<typeof definitionsIn> | undefined; // most queries need none
  const defining = (name: string): readonly Node[] =>
    names?.has(name) === true ? ((definitions ??= definitionsIn(tree)).get(name) ?? []) : [];
  /** Of a name of the query: none of the difference of two values, a number. */
  const ownTypes = (name: string): readonly string[] => {
    if (names?.has(name) !== true) return [];
    const known = defining(name);
    const isNumber = known.every(({ kind, parts: [value] }) => kind === 'alias' && isDifference(tree, value));
    return isNumber && known.length > 0 ? [] : all;
  };
  const columnTypes = (name: string, path: readonly string[]): readonly string[] =>
    (types.get(name) ?? []).map((type) => pathType(type, path));

  /** Of a name and the path after it. A name after a dot may be that of the column. */
  function typesOf(path: readonly string[]): readonly string[] {
    return path.flatMap((name, index) => {
      const before = path[index - 1];
      const own = path.length > index + 1 ? [] : ownTypes(name);
      if (before === undefined) return names?.has(name) === true ? own : columnTypes(name, path.slice(1));
      return types.has(before) ? [] : [...columnTypes(name, path.slice(index + 1)), ...own];
    });
  }

  let known: ReadonlyMap<Node, readonly string[]> | undefined;
  const typesAt = (node: Node): readonly string[] =>
    (known ??= new Map([...pathsIn(tree)].map(([each, path]) => [each, typesOf(path)]))).get(node) ?? [];
  const mentions: ColumnTypes['mentions'] = (node, type, except) => {
    if (node.kind === 'call' && except?.test(nameOf(tree, node)) === true) return false;
    const isDefined = node.kind === 'alias' || node.kind === 'parameter';
    const found = isDefined ? ownTypes(nameOf(tree, node)) : typesAt(node);
    return found.some((each) => type.test(each)) || node.parts.some((part) => mentions(part, type, except));
  };
  return { mentions, definitionsOf: (column) => defining(namesOf(tree, column).at(-1) ?? '') };
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

/** Of documents and tuples, the type at the path. */
function pathType(type: string, path: readonly string[]): string {
  if (path.length === 0 || !/^(?:JSON|Tuple|Nullable\(JSON)/.test(type)) return type;
  const inner = subcolumnType(parseType(type), path.join('.'));
  if (inner === undefined) return type;
  return `${inner.name}(${inner.name === 'Dynamic' ? '' : JSON.stringify(inner)})`;
}
