// Reads the query of a view that materializes rows as a rollup: groups of one stored table by a rounded time and dimensions.
import { roundingOf } from '../../../../guard/rollups/functions.ts';
import { storedNames, storedSources } from '../../../../guard/rollups/levels.ts';
import { expressionText } from '../../../../service/endpoints/rollups/row-expression.ts';
import { commonWidth, widthText } from '../../../../service/endpoints/rollups/widths.ts';
import { editedSource } from '../../../../sql/clickhouse/clause.ts';
import type { Node, NodeKind, Tree } from '../../../../sql/clickhouse/tree/nodes.ts';
import { parseSentText } from '../../../../sql/clickhouse/tree/parse.ts';
import {
  argumentsOf,
  nameOf,
  namesIn,
  namesOf,
  partOf,
  sourceOf,
  textOf,
} from '../../../../sql/clickhouse/tree/visit.ts';

/** A rollup without its name. Not guaranteed: that it is valid. */
export interface ViewRollup {
  readonly from: string;
  readonly time: { readonly column: string; readonly every: string };
  readonly dimensions: readonly (string | Readonly<Record<string, string>>)[];
  readonly measures: readonly string[];
}

export interface ReadView {
  readonly rollup: ViewRollup;
  /** It is the same query with aggregates in place of their states. */
  readonly ofRows: string;
}

/** Why a query is no rollup, and the part of it that is the reason. */
export interface Obstacle {
  readonly message: string;
  readonly quoted?: string;
}

export function readView(sql: string): ReadView | Obstacle {
  const tree = parseSentText(sql);
  if (tree.fault !== undefined) return { message: 'its query could not be read' };
  const [select, other] = tree.root.kind === 'union' ? tree.root.parts : [tree.root];
  if (select?.kind !== 'select' || other !== undefined) return { message: 'it is not one SELECT' };
  const clause = select.parts.find(({ kind }) => !CLAUSES.has(kind));
  if (clause !== undefined) {
    const keyword = tree.cursor.text(clause.from);
    return { message: `a rollup has no ${keyword}: it groups all rows of a table`, quoted: keyword };
  }
  const [source, join] = partOf(select, 'from')?.parts ?? [];
  const isStored = source !== undefined && storedSources(tree).includes(source) && source.parts.length === 1;
  if (!isStored || join !== undefined) return { message: 'it does not read one stored table' };
  const items = itemsOf(tree, select);
  if ('message' in items) return items;
  const borrowed = borrowedName(tree, items);
  if (borrowed !== undefined) return borrowed;
  const { database, table } = storedNames(tree, source);
  const groups = readGroups(tree, items);
  if ('message' in groups) return groups;
  const measures = items.filter(({ isGroup }) => !isGroup);
  const rollup = { from: `${database}.${table}`, ...groups, measures: measuresOf(tree, measures) };
  return { rollup, ofRows: withoutStates(tree, measures) };
}

/** The order of the rows that a view inserts has no meaning. */
const CLAUSES: ReadonlySet<NodeKind> = new Set<NodeKind>(['list', 'from', 'group-by', 'order-by']);

interface ViewValue {
  /** The value with its name. */
  readonly node: Node;
  readonly value: Node;
  readonly name: string | undefined;
  /** If it is false, the value is one call. */
  readonly isGroup: boolean;
}

/** The values of the SELECT clause, and those that GROUP BY has beside them. */
function itemsOf(tree: Tree, select: Node): readonly ViewValue[] | Obstacle {
  const groups = partOf(select, 'group-by')?.parts ?? [];
  const modifier = groups.find(({ kind }) => kind === 'modifier');
  if (modifier !== undefined) return { message: 'it groups several times', quoted: sourceOf(tree, modifier) };
  const used = new Set<Node>();
  const isOf = (value: Node, name: string | undefined, position: number): boolean => {
    const found = groups.filter((group) => {
      const text = textOf(tree, group);
      return text === textOf(tree, value) || text === String(position) || isNamed(tree, group, name);
    });
    for (const each of found) used.add(each);
    return found.length > 0;
  };
  const items: ViewValue[] = [];
  for (const [index, node] of (partOf(select, 'list')?.parts ?? []).entries()) {
    const [value = node] = node.kind === 'alias' ? node.parts : [];
    const name = node.kind === 'alias' ? nameOf(tree, node) : undefined;
    const isGroup = isOf(value, name, index + 1);
    if (!isGroup && value.kind !== 'call') {
      const quoted = sourceOf(tree, value);
      return { message: `${quoted} is neither a group nor one aggregate`, quoted };
    }
    items.push({ node, value, name, isGroup });
  }
  const rest = groups.filter((each) => !used.has(each));
  return [...items, ...rest.map((value) => ({ node: value, value, name: undefined, isGroup: true }))];
}

function isNamed(tree: Tree, node: Node, name: string | undefined): boolean {
  const [own, ...path] = node.kind === 'column' ? namesOf(tree, node) : [];
  return name !== undefined && own === name && path.length === 0;
}

/** In the view, a name that another value of the query has is that value; in a rollup, it is a column of the table. */
function borrowedName(tree: Tree, items: readonly ViewValue[]): Obstacle | undefined {
  const computed = items.filter(({ value, name }) => name !== undefined && !isNamed(tree, value, name));
  for (const { value } of items) {
    const names = new Set(namesIn(tree, value).flatMap(({ name, isCalled }) => (isCalled ? [] : [name])));
    const other = computed.find((each) => each.value !== value && names.has(each.name ?? ''));
    if (other === undefined) continue;
    const quoted = sourceOf(tree, value);
    return { message: `${quoted} reads ${other.name ?? ''}, which is another value of the query`, quoted };
  }
  return undefined;
}

interface RoundedTime {
  readonly column: string;
  readonly period: number;
}

/** All values that are roundings of the time follow from its buckets. */
function readGroups(
  tree: Tree,
  items: readonly ViewValue[],
): Pick<ViewRollup, 'time' | 'dimensions'> | Obstacle {
  const times: RoundedTime[] = [];
  const dimensions: ViewRollup['dimensions'][number][] = [];
  for (const { value, name } of items.filter(({ isGroup }) => isGroup)) {
    const time = roundedTime(tree, value);
    if (time !== undefined) times.push(time);
    else if (value.kind === 'column') dimensions.push(namesOf(tree, value).join('.'));
    else if (name !== undefined) dimensions.push({ [name]: expressionText({ tree, node: value }) });
    else {
      const quoted = sourceOf(tree, value);
      return { message: `${quoted} has no name`, quoted };
    }
  }
  const [first, ...others] = times;
  if (first === undefined) return { message: 'it does not group by a rounded time' };
  const second = others.find(({ column }) => column !== first.column);
  if (second !== undefined)
    return { message: `it groups by two times, ${first.column} and ${second.column}`, quoted: second.column };
  const seconds = commonWidth(times.map(({ period }) => period));
  const isNew = (each: unknown, index: number): boolean =>
    dimensions.findIndex((other) => JSON.stringify(other) === JSON.stringify(each)) === index;
  return { time: { column: first.column, every: widthText(seconds) }, dimensions: dimensions.filter(isNew) };
}

function roundedTime(tree: Tree, value: Node): RoundedTime | undefined {
  if (value.kind !== 'call') return undefined;
  const list = argumentsOf(value);
  const rounding = roundingOf(
    nameOf(tree, value),
    list.map((each) => textOf(tree, each)),
  );
  const time = rounding && list[rounding.time];
  if (time?.kind !== 'column') return undefined;
  return { column: namesOf(tree, time).join('.'), period: rounding?.period ?? 1 };
}

/** `uniqState`, `sumSimpleState`, `countIfState` and `countStateIf` without the state. */
function aggregateName(tree: Tree, call: Node): string {
  return nameOf(tree, call).replace(/(?:Simple)?State(If)?$/, '$1');
}

/** An average is computed from a sum and a count. */
function measuresOf(tree: Tree, measures: readonly ViewValue[]): readonly string[] {
  const all = measures.flatMap(({ value: call }) => {
    const name = aggregateName(tree, call);
    const rest = expressionText({ tree, node: { ...call, from: call.at + 1 } });
    if (name === 'avg') return [`sum${rest}`];
    if (name !== 'avgIf') return [`${name}${rest}`];
    const condition = argumentsOf(call).at(-1) ?? call;
    return [`sumIf${rest}`, `countIf(${expressionText({ tree, node: condition })})`];
  });
  return all.length === 0 ? ['count()'] : [...new Set(all)];
}

/** The names of aggregates may also be those of columns, or of the table: they are left out. */
function withoutStates(tree: Tree, measures: readonly ViewValue[]): string {
  const { cursor } = tree;
  const edits = measures.flatMap(({ node, value }) => [
    { start: cursor.start(value.at), end: cursor.end(value.at), text: aggregateName(tree, value) },
    { start: cursor.end(value.to - 1), end: cursor.end(node.to - 1), text: '' },
  ]);
  return editedSource(cursor.sql, { start: 0, end: cursor.sql.length }, edits);
}
