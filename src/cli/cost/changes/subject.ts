// Reads a query for the kinds of changes: its conditions, and the columns of keys in them.
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  nodesOf,
  isNegated,
  nameOf,
  namesOf,
  operatorOf,
  sourceOf,
} from '../../../sql/clickhouse/tree/visit.ts';
import { stringValue } from '../../../sql/clickhouse/literal.ts';
import { plainType } from '../../../sql/types/traits.ts';
import type { ClickHouseType } from '../../../sql/types/type.ts';
import type { ChangeSubject, ReadTable } from './change.ts';

export function subjectOf(
  tree: Tree,
  tables: ReadonlyMap<string, ReadTable>,
  isSandboxed: boolean,
): ChangeSubject {
  const names = new Set(nodesOf(tree.root, 'table').map((table) => namesOf(tree, table).join('.')));
  const conditions = nodesOf(tree.root, 'where', 'prewhere', 'having', 'on').flatMap(({ parts }) =>
    parts.flatMap(partsOfCondition),
  );
  return {
    tree,
    tables: [...names].flatMap((name) => tables.get(name) ?? []),
    conditions,
    isSandboxed,
  };
}

/** Returns the parts of AND and OR. */
function partsOfCondition(node: Node): readonly Node[] {
  return node.kind === 'and' || node.kind === 'or' || node.kind === 'group'
    ? node.parts.flatMap(partsOfCondition)
    : [node];
}

/** Returns the type of a column if a key of one of the tables has it, and no table has one of this name with another type. */
export function keyType(subject: ChangeSubject, node: Node | undefined): ClickHouseType | undefined {
  return isKeyNamed(subject, columnName(subject, node)) ? typeOfColumn(subject, node) : undefined;
}

/** Returns the type of a column of a table; undefined if it is none, or tables disagree. */
export function typeOfColumn(subject: ChangeSubject, node: Node | undefined): ClickHouseType | undefined {
  const name = columnName(subject, node);
  const types = name === undefined ? [] : subject.tables.flatMap(({ columns }) => columns.get(name) ?? []);
  const [first] = types.map(plainType);
  return first !== undefined && types.every((each) => plainType(each).name === first.name)
    ? first
    : undefined;
}

/** Returns the last name of a column, as the table or an alias of it in the query has it. */
export function columnName({ tree }: ChangeSubject, node: Node | undefined): string | undefined {
  if (node?.kind !== 'column') return undefined;
  const name = namesOf(tree, node).at(-1);
  const alias = nodesOf(tree.root, 'alias').find(
    (each) => nameOf(tree, each) === name && each.parts[0]?.kind === 'column',
  );
  const [aliased] = alias?.parts ?? [];
  return aliased === undefined ? name : namesOf(tree, aliased).at(-1);
}

function isKeyNamed({ tables }: ChangeSubject, name: string | undefined): boolean {
  return name !== undefined && tables.some(({ keyColumns }) => keyColumns.has(name));
}

/** Returns true if a column of a key is in an expression. */
export function hasKey(subject: ChangeSubject, node: Node): boolean {
  return nodesOf(node, 'column').some((column) => isKeyNamed(subject, columnName(subject, column)));
}

/** Returns true for an expression without columns: literals, parameters and functions of them. */
export function isConstant(node: Node): boolean {
  return nodesOf(node, 'column', 'subquery', 'star', 'lambda').length === 0;
}

/** A comparison of an expression on the left with one on the right. */
export interface Compared {
  readonly left: Node;
  readonly operator: string;
  readonly right: Node;
}

const MIRRORED: Readonly<Record<string, string>> = { '=': '=', '<': '>', '>': '<', '<=': '>=', '>=': '<=' };

/** Returns a comparison with a constant on the right. */
export function comparedOf({ tree }: ChangeSubject, node: Node): Compared | undefined {
  const [left, right] = node.parts;
  if (node.kind !== 'binary' || left === undefined || right === undefined) return undefined;
  const written = operatorOf(tree, node);
  const operator = written === '==' ? '=' : written;
  if (isConstant(right)) return { left: bare(left), operator, right };
  const mirrored = MIRRORED[operator];
  return isConstant(left) && mirrored !== undefined
    ? { left: bare(right), operator: mirrored, right: left }
    : undefined;
}

/** Returns the value inside of parentheses. */
export function bare(node: Node): Node {
  const [inner] = node.parts;
  return node.kind === 'group' && inner !== undefined ? bare(inner) : node;
}

/** Returns the strings of `x IN ('a', 'b')`; undefined for other sets. */
export function listedStrings(
  subject: ChangeSubject,
  node: Node,
): { readonly left: Node; readonly strings: readonly string[] } | undefined {
  const [left, set] = node.parts;
  if (node.kind !== 'in' || isNegated(subject.tree, node) || left === undefined || set === undefined)
    return undefined;
  if (set.kind !== 'group' && set.kind !== 'tuple') return undefined;
  const strings = set.parts.map((each) => stringOf(subject, each));
  return strings.every((each) => each !== undefined) ? { left: bare(left), strings } : undefined;
}

/** Returns the value of a string literal. */
export function stringOf(subject: ChangeSubject, node: Node | undefined): string | undefined {
  return node?.kind === 'string' ? stringValue(written(subject, node)) : undefined;
}

/** Returns the value of a literal of digits. */
export function numberOf(subject: ChangeSubject, node: Node | undefined): number | undefined {
  const text = node?.kind === 'number' ? written(subject, node) : '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Returns a node as it is written. */
export function written({ tree }: ChangeSubject, node: Node): string {
  return sourceOf(tree, node);
}

/** Returns the arguments of a call of a function with one of these names, which are in lower case. */
export function calledWith(
  { tree }: ChangeSubject,
  node: Node | undefined,
  ...names: readonly string[]
): readonly Node[] | undefined {
  if (node?.kind !== 'call' || !names.includes(nameOf(tree, node).toLowerCase())) return undefined;
  const [list, ...others] = node.parts;
  return list?.kind === 'arguments' && others.length === 0 ? list.parts : undefined;
}
