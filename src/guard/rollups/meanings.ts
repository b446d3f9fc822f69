// Resolves the names in a level: to columns of the stored table, or to expressions of a list or of a level below.
import type { Node, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { namesOf } from '../../sql/clickhouse/tree/visit.ts';
import type { Level } from './levels.ts';

/** A name in a level means a column of the stored table, or an expression of the list or of a level below. */
export type Meaning =
  | { readonly kind: 'column'; readonly path: readonly string[]; readonly isDirect: boolean; readonly uses: readonly ItemUse[] }
  | { readonly kind: 'expression'; readonly node: Node; readonly level: Level; readonly uses: readonly ItemUse[] }; // prettier-ignore

export interface ItemUse {
  readonly level: Level;
  readonly name: string;
}

/** Returns the expression of a name at a node; undefined if it has none that is known. */
export function meaningOf(tree: Tree, level: Level, node: Node): Meaning | undefined {
  return inSelect(tree, { level, path: namesOf(tree, node), at: node, isDirect: true, depth: 0 });
}

interface Lookup {
  readonly level: Level;
  readonly path: readonly string[];
  /** This node has the name: inside of its own definition, an alias means a column. */
  readonly at: Node;
  readonly isDirect: boolean;
  readonly depth: number;
}

const DEEPEST = 32;

function inSelect(tree: Tree, lookup: Lookup): Meaning | undefined {
  const { level, path, at, depth } = lookup;
  const [first = '', ...rest] = path;
  if (depth > DEEPEST || path.length > DEEPEST) return undefined;
  const alias = level.aliases.get(first);
  const isItself = alias !== undefined && alias.from <= at.from && at.to <= alias.to;
  if (alias === undefined || isItself) return inSource(tree, lookup);
  const uses = [{ level, name: first }];
  if (rest.length === 0) return { kind: 'expression', node: alias, level, uses };
  return ofElement(tree, { ...lookup, at: alias }, alias, rest);
}

/** A name after that of a column means a part of its value. */
function ofElement(tree: Tree, lookup: Lookup, column: Node, rest: readonly string[]): Meaning | undefined {
  if (column.kind !== 'column') return undefined;
  const path = [...namesOf(tree, column), ...rest];
  return inSelect(tree, { ...lookup, path, at: column, isDirect: false, depth: lookup.depth + 1 });
}

function inSource(tree: Tree, lookup: Lookup): Meaning | undefined {
  const { level, path } = lookup;
  const [first = '', ...rest] = path;
  const isQualified = rest.length > 0 && level.qualifiers.has(first);
  if (!isQualified) return inColumns(tree, lookup);
  // Elements of a column that has the name of the table are found first.
  return hasColumn(level, first) ? undefined : inColumns(tree, { ...lookup, path: rest });
}

/** Returns whether the source of a level has a column of a name, or one whose name begins with it and a dot. */
function hasColumn({ below, columns }: Level, name: string): boolean {
  if (below === undefined) return columns.all.has(name);
  return below.heads.has(name) || (below.hasStar && hasColumn(below, name));
}

/** Returns whether `*` of a level over the stored table leaves out a column. */
function isHidden({ columns }: Level, path: readonly string[]): boolean {
  return path.some((_, index) => columns.hidden.has(path.slice(0, index + 1).join('.')));
}

function inColumns(tree: Tree, lookup: Lookup): Meaning | undefined {
  const { level, path, isDirect, depth } = lookup;
  const { below } = level;
  if (below === undefined) return { kind: 'column', path, isDirect: isDirect && path.length === 1, uses: [] };
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).join('.');
    const item = below.items.get(name);
    if (item === undefined) continue;
    if (length < path.length)
      return ofElement(tree, { ...lookup, level: below, depth: depth + 1 }, item, path.slice(length));
    return { kind: 'expression', node: item, level: below, uses: [{ level: below, name }] };
  }
  const isPassed = below.hasStar && !(below.below === undefined && isHidden(below, path));
  return isPassed ? inColumns(tree, { ...lookup, level: below, depth: depth + 1 }) : undefined;
}
