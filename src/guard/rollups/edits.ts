// The edits that make a query read a relation of groups in place of the rows of its source.
import { editedSource, type Edit } from '../../sql/clickhouse/clause.ts';
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import type { Node, NodeKind, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { conjunctsOf, nameOf, partOf, spanOf } from '../../sql/clickhouse/tree/visit.ts';
import { columnName } from './column-names.ts';
import type { Level } from './levels.ts';
import { meaningOf, type ItemUse } from './meanings.ts';
import { type CompiledMeasure, type MeasureUse } from './measures.ts';
import {
  noDimension,
  unfitNode,
  type RoundedTime,
  type Term,
  type TimeComparison,
  type Unfit,
} from './term.ts';
import type { ReadTerm } from './terms.ts';

/** The needs of a query are collected while it is edited. */
export interface Needs {
  readonly named: Set<string>;
  readonly added: Set<string>;
  readonly measures: Set<CompiledMeasure>;
  readonly comparisons: Map<string, TimeComparison>;
  readonly roundings: RoundedTime[];
  /** Conditions on all rows. */
  readonly conditions: Term[];
  hasTime: boolean;
}

export interface EditContext {
  readonly tree: Tree;
  readonly read: ReadTerm;
  readonly uses: ReadonlyMap<Node, MeasureUse>;
  /** The name of the column of time. */
  readonly time: string;
}

/** The edits and needs of a query whose innermost SELECT is the first level; or why it has to read rows. */
export function editLevels(
  context: EditContext,
  levels: readonly Level[],
): { readonly edits: readonly Edit[]; readonly needs: Needs } | { readonly unfit: Unfit } {
  const needs: Needs = {
    named: new Set(),
    added: new Set(),
    measures: new Set(),
    comparisons: new Map(),
    roundings: [],
    conditions: [],
    hasTime: false,
  };
  const editing: Editing = { ...context, needs, used: new Map() };
  const edits: Edit[] = [];
  for (const level of levels.toReversed()) {
    const fault = level.isGrouping ? editGrouping(editing, level, edits) : editPlain(editing, level, edits);
    if (fault !== undefined) return { unfit: fault };
    const taken = addedNames(needs).find((name) => level.aliases.has(name) || level.items.has(name));
    if (taken !== undefined) return { unfit: { quoted: taken, text: 'is the name of another column' } };
  }
  if (needs.comparisons.size > MOST_COMPARISONS) return { unfit: { text: 'it compares too many times' } };
  return { edits, needs };
}

/** A rollup's bucket is read if no comparison divides it, so each of them is in the statement several times. */
const MOST_COMPARISONS = 32;

interface Editing extends EditContext {
  readonly needs: Needs;
  /** Names of the items that are read, by level. */
  readonly used: Map<Level, Set<string>>;
}

/** Clauses whose parts are no expressions over the rows or the groups. */
const OTHERS: ReadonlySet<NodeKind> = new Set<NodeKind>(['from', 'with', 'top', 'modifier']);

function editGrouping(editing: Editing, level: Level, edits: Edit[]): Unfit | undefined {
  for (const section of level.select.parts) {
    if (OTHERS.has(section.kind)) continue;
    for (const part of section.parts) {
      const own: Edit[] = [];
      const fault =
        editExpressions(editing, part, level, own) ??
        (section.kind === 'list' ? keepName(editing, part, level, own) : undefined);
      if (fault !== undefined) return fault;
      edits.push(...own);
    }
  }
  addConditions(editing, level);
  return editValues(editing, level, edits) ?? ungrouped(editing, level);
}

/** GROUP BY of constants alone does not always group, such as `GROUP BY ALL`. */
function ungrouped({ read }: Editing, level: Level): Unfit | undefined {
  const keys = partOf(level.select, 'group-by')?.parts;
  const isConstant = keys !== undefined && [...level.list.parts, ...keys].every((part) => read(part, level).kind === 'constant'); // prettier-ignore
  return isConstant ? { text: 'it reads rows, not groups' } : undefined;
}

/** Gives an item of a list the name that it has without the edits. */
function keepName(editing: Editing, part: Node, level: Level, edits: Edit[]): Unfit | undefined {
  if (part.kind === 'alias' || edits.length === 0) return undefined;
  const name = columnName(editing.tree, part);
  // Something else may have this name, or mean a column by it.
  if (name === undefined || level.names.has(name))
    return unfitNode(editing.tree, part, 'has no name (AS), and would get another one');
  const { end } = spanOf(editing.tree, part);
  edits.push({ start: end, end, text: ` AS ${quoteIdentifier(name)}` });
  return undefined;
}

/** The values of a WITH clause. */
function editValues(editing: Editing, level: Level, edits: Edit[]): Unfit | undefined {
  const values = partOf(level.select, 'with')?.parts.filter(({ kind }) => kind === 'with-value') ?? [];
  for (const value of values) {
    const fault = editExpressions(editing, value, level, edits);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Clauses that hold expressions, at any depth of these kinds. */
const CONTAINERS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'order-item', 'fill', 'interpolate', 'interpolated', 'limit-by', 'with-value', 'windows', 'named-window', 'window', 'order-by',
]); // prettier-ignore

/** Adds the edits of an expression, or of those in a part of a clause. */
function editExpressions(editing: Editing, part: Node, level: Level, edits: Edit[]): Unfit | undefined {
  if (CONTAINERS.has(part.kind)) {
    for (const each of part.parts) {
      const fault = editExpressions(editing, each, level, edits);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  const term = editing.read(part, level);
  if (term.kind === 'row') return term.cause ?? noDimension(editing.tree, part);
  if (term.kind === 'time') return unfitNode(editing.tree, part, 'is not rounded');
  collect(editing.needs, term);
  editNode(editing, part, level, edits);
  return undefined;
}

function collect(needs: Needs, { comparisons, roundings }: Term): void {
  for (const each of comparisons) needs.comparisons.set(`${each.operator} ${each.bound}`, each);
  for (const each of roundings) needs.roundings.push(each);
}

/** Adds the edits of an expression that has one value in each group. */
function editNode(editing: Editing, node: Node, level: Level, edits: Edit[]): void {
  const { tree, read, uses, needs } = editing;
  const use = uses.get(node);
  if (use !== undefined) {
    edits.push({ ...spanOf(tree, node), text: writeUse(editing, use, level) });
    return;
  }
  const { dimension } = read(node, level);
  const [inner] = node.parts;
  const isAround = node.kind === 'alias' || (node.kind === 'group' && inner !== undefined && read(inner, level).dimension === dimension); // prettier-ignore
  if (node.kind === 'column') {
    editColumn(editing, node, level, edits);
  } else if (dimension !== undefined && !isAround) {
    needs.added.add(dimension);
    edits.push({ ...spanOf(tree, node), text: quoteIdentifier(`#${dimension}`) });
  } else for (const part of node.parts) editNode(editing, part, level, edits);
}

function writeUse(editing: Editing, use: MeasureUse, level: Level): string {
  const { condition, measures, write } = use;
  for (const measure of measures) editing.needs.measures.add(measure);
  if (condition === undefined) return write(undefined);
  const edits: Edit[] = [];
  editNode(editing, condition, level, edits);
  return write(editedSource(editing.tree.cursor.sql, spanOf(editing.tree, condition), edits));
}

function editColumn(editing: Editing, node: Node, level: Level, edits: Edit[]): void {
  const { tree, read, needs, time } = editing;
  const meaning = meaningOf(tree, level, node);
  const { dimension } = read(node, level);
  if (meaning?.kind === 'column' && !meaning.isDirect && dimension !== undefined) {
    needs.added.add(dimension);
    edits.push({ ...spanOf(tree, node), text: quoteIdentifier(`#${dimension}`) });
    return;
  }
  for (const each of meaning?.uses ?? []) addUse(editing, each);
  if (meaning?.kind !== 'column') return;
  if (meaning.path[0] === time) needs.hasTime = true;
  else if (dimension !== undefined) needs.named.add(dimension);
}

function addUse({ used }: Editing, { level, name }: ItemUse): void {
  const names = used.get(level) ?? new Set();
  used.set(level, names.add(name));
}

/** Leaves the columns that are read above it, and adds those of the relation. */
function editPlain(editing: Editing, level: Level, edits: Edit[]): Unfit | undefined {
  const { tree, needs } = editing;
  for (const section of level.select.parts) {
    if (section.kind === 'order-by') edits.push({ ...spanOf(tree, section), text: '' });
    if (section.kind !== 'where' && section.kind !== 'prewhere') continue;
    for (const part of section.parts) {
      const fault = editExpressions(editing, part, level, edits);
      if (fault !== undefined) return fault;
    }
  }
  addConditions(editing, level);
  const fault = editValues(editing, level, edits);
  if (fault !== undefined) return fault;
  const kept = editItems(editing, level);
  if ('text' in kept) return kept;
  const added = level.hasStar ? [] : addedNames(needs).map(quoteIdentifier);
  const items = [...kept, ...added];
  edits.push({ ...spanOf(tree, level.list), text: items.length === 0 ? '1' : items.join(', ') });
  return undefined;
}

function addedNames({ added, measures }: Needs): readonly string[] {
  return [
    ...[...added].map((name) => `#${name}`),
    ...[...measures].map(({ measure: { name } }) => `#${name}`),
  ];
}

/** The texts of the items of a list that are read, by one another as well; or why one of them cannot be. */
function editItems(editing: Editing, level: Level): readonly string[] | Unfit {
  const kept = new Map<Node, string>();
  for (let before = -1; before < kept.size;) {
    before = kept.size;
    for (const item of level.list.parts.filter((each) => !kept.has(each) && isUsed(editing, level, each))) {
      const text = editItem(editing, level, item);
      if (typeof text !== 'string') return text;
      kept.set(item, text);
    }
  }
  return level.list.parts.flatMap((item) => kept.get(item) ?? []);
}

function isUsed({ tree, used }: Editing, level: Level, item: Node): boolean {
  if (item.kind === 'star') return true;
  const names = used.get(level) ?? new Set();
  if (item.kind === 'alias') return names.has(nameOf(tree, item));
  return [...level.items].some(([name, node]) => node === item && names.has(name));
}

/** `*` with the columns that it replaces, if they are read. */
function editReplaced(editing: Editing, level: Level, replaced: readonly Node[]): string | Unfit {
  const texts: string[] = [];
  for (const item of replaced.filter((each) => isUsed(editing, level, each))) {
    const text = editItem(editing, level, item);
    if (typeof text !== 'string') return text;
    texts.push(text);
  }
  return texts.length === 0 ? '*' : `* REPLACE (${texts.join(', ')})`;
}

function editItem(editing: Editing, level: Level, item: Node): string | Unfit {
  if (item.kind === 'star')
    return editReplaced(
      editing,
      level,
      item.parts.flatMap(({ parts }) => parts),
    );
  const edits: Edit[] = [];
  const term = editing.read(item, level);
  if (term.kind === 'row') return term.cause ?? noDimension(editing.tree, item);
  editNode(editing, item, level, edits);
  return editedSource(editing.tree.cursor.sql, spanOf(editing.tree, item), edits);
}

/** Adds what the source may leave out: the conditions of the saved query, and those on nothing but the time, which cannot fail. */
function addConditions({ read, needs }: Editing, level: Level): void {
  for (const section of level.select.parts) {
    if (section.kind !== 'where' && section.kind !== 'prewhere') continue;
    for (const part of section.parts.flatMap(conjunctsOf)) {
      const term = read(part, level);
      if (term.isTimeOnly || level.below === undefined) needs.conditions.push(term);
    }
  }
}

/** The relation in place of the table, under the name that qualifies its columns; it has no PREWHERE. */
export function sourceEdits(
  tree: Tree,
  source: Node,
  [first]: readonly Level[],
  relation: string,
): readonly Edit[] {
  const [table = source] = source.parts;
  const isNamed = source.at >= table.to;
  const prewhere = first && partOf(first.select, 'prewhere');
  const words = prewhere && spanOf(tree, { from: prewhere.from, to: prewhere.from + 1 });
  return [
    {
      ...spanOf(tree, table),
      text: isNamed ? relation : `${relation} AS ${quoteIdentifier(nameOf(tree, table))}`,
    },
    ...(words === undefined ? [] : [{ ...words, text: 'WHERE' }]),
  ];
}

export function applyEdits({ cursor: { sql } }: Tree, edits: readonly Edit[]): string {
  return editedSource(sql, { start: 0, end: sql.length }, edits);
}
