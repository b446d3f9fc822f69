// Conditions over the columns of a row, such as `errors > 100 AND share >= 0.05`: read with the grammar of ClickHouse, and evaluated
// here. No part of one reaches an engine.
import type { TextFinding } from '../base/finding.ts';
import { stringValue } from '../clickhouse/literal.ts';
import type { Node, NodeKind, Tree } from '../clickhouse/tree/nodes.ts';
import { parseList } from '../clickhouse/tree/parse-part.ts';
import { sourceOf, spanOf, testOf, textOf, wordOf } from '../clickhouse/tree/visit.ts';
import { arithmetic, compareValues, logical, type RowValue } from './values.ts';

/** The values of a row by column, as JSON has them. */
export type JsonRow = Readonly<Record<string, unknown>>;

/** Evaluates a part of a condition. Throws ConditionError. */
export type Evaluate = (row: JsonRow) => RowValue;

/** A column that a condition names, and where. */
export interface NamedColumn {
  readonly name: string;
  /** The offset in the text, in UTF-16 code units. */
  readonly start: number;
  /** The condition asks only if it is NULL. */
  readonly isTested?: true;
}

/** A comparison of a column with a number or a string, which other parts of the condition do not change. */
export interface ConditionBound {
  readonly column: string;
  readonly value: number | string;
}

export interface RowCondition {
  readonly text: string;
  readonly columns: readonly NamedColumn[];
  readonly tree: Tree;
  readonly root: Node;
  readonly bounds: readonly ConditionBound[];
  /** All parts are such comparisons: none computes with columns, or compares two. */
  readonly isBounded: boolean;
  /** True, false, or null if it is not known, as in SQL. Throws ConditionError. */
  readonly test: (row: JsonRow) => boolean | null;
}

/** Why a condition cannot be read, and from where on. */
export type ConditionFault = Omit<TextFinding, 'code'>;

export type ReadCondition =
  | { readonly kind: 'condition'; readonly condition: RowCondition }
  | { readonly kind: 'fault'; readonly fault: ConditionFault };

const MAX_CONDITION = 2000;

class Unsupported extends Error {
  readonly node: Node;

  constructor(node: Node, message: string) {
    super(message);
    this.node = node;
  }
}

const HINT =
  'Write comparisons of columns with AND, OR, NOT, IN, BETWEEN and IS NULL, and compute all else in the query';

function fault(start: number, message: string): ReadCondition {
  return { kind: 'fault', fault: { start, message, hint: HINT } };
}

/** Reads a condition. Never throws for its contents. */
export function readCondition(text: string): ReadCondition {
  if (text.length > MAX_CONDITION)
    return fault(0, `a condition has at most ${MAX_CONDITION} characters, and this one has ${text.length}`);
  const tree = parseList(text);
  const { cursor } = tree;
  const brackets = cursor.brackets();
  if ('code' in brackets) return fault(brackets.start, brackets.message);
  if (cursor.length === 0) return fault(0, 'the condition is empty');
  if (tree.fault !== undefined) return fault(cursor.start(tree.fault.at), tree.fault.message);
  const [item, other] = tree.root.parts;
  const root = item?.parts[0];
  if (item === undefined || root === undefined || other !== undefined)
    return fault(other === undefined ? 0 : spanOf(tree, other).start, 'a condition is one expression');
  if (root.to !== cursor.length || root.from !== 0)
    return fault(cursor.start(root.from === 0 ? root.to : 0), `${cursor.text(root.from === 0 ? root.to : 0)} is not part of a condition`); // prettier-ignore
  return compileRoot(text, tree, root);
}

function compileRoot(text: string, tree: Tree, root: Node): ReadCondition {
  const columns: NamedColumn[] = [];
  try {
    const evaluate = compile({ tree, columns }, root);
    const test = (row: JsonRow): boolean | null => logical(evaluate(row));
    return { kind: 'condition', condition: { text, columns, tree, root, ...boundsOf(tree, root), test } };
  } catch (error) {
    if (error instanceof Unsupported) return fault(spanOf(tree, error.node).start, error.message);
    throw error;
  }
}

interface Compiling {
  readonly tree: Tree;
  readonly columns: NamedColumn[];
}

type Compile = (context: Compiling, node: Node) => Evaluate;

function compile(context: Compiling, node: Node): Evaluate {
  const own = COMPILE.get(node.kind);
  if (own !== undefined) return own(context, node);
  throw new Unsupported(node, `${shortened(sourceOf(context.tree, node))} is not available in a condition`);
}

function partAt(context: Compiling, node: Node, index: number): Evaluate {
  const found = node.parts[index];
  if (found === undefined) throw new Unsupported(node, 'a part of the condition is missing');
  return compile(context, found);
}

const compileLiteral: Compile = ({ tree }, node) => {
  const value = literalOf(tree, node);
  return () => value;
};

const compileNot: Compile = (context, node) => {
  const operand = partAt(context, node, 0);
  return (row) => {
    const value = logical(operand(row));
    return value === null ? null : !value;
  };
};

const compileSign: Compile = (context, node) => {
  const operand = partAt(context, node, 0);
  const sign = context.tree.cursor.text(node.at);
  return (row) => arithmetic(sign, 0, operand(row));
};

/** AND, or with `decides` OR: a member with that value decides, and one that is not known leaves it open. */
const compileChain =
  (decides: boolean): Compile =>
  (context, node) => {
    const members = node.parts.map((each) => compile(context, each));
    return (row) => {
      let isOpen = false;
      for (const member of members) {
        const value = logical(member(row));
        if (value === decides) return decides;
        if (value === null) isOpen = true;
      }
      return isOpen ? null : !decides;
    };
  };

function shortened(source: string): string {
  return source.length > 60 ? `${source.slice(0, 60)}…` : source;
}

function compileColumn({ tree, columns }: Compiling, node: Node): Evaluate {
  if (node.to !== node.from + 1)
    throw new Unsupported(node, `${sourceOf(tree, node)} has a dot: a condition names columns of the result`);
  const name = tree.cursor.name(node.from) ?? '';
  columns.push({ name, start: spanOf(tree, node).start });
  return (row) => (Object.hasOwn(row, name) ? scalarOf(row[name]) : null);
}

function scalarOf(value: unknown): RowValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value;
  return { kind: 'other' };
}

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '>': (order) => order > 0,
  '<=': (order) => order <= 0,
  '>=': (order) => order >= 0,
};
const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/']);

const compileBinary: Compile = (context, node) => {
  const { tree } = context;
  const [left, right] = [partAt(context, node, 0), partAt(context, node, 1)];
  const operator = operatorOf(tree, node);
  if (ARITHMETIC.has(operator)) return (row) => arithmetic(operator, left(row), right(row));
  const accepts = Object.hasOwn(COMPARISONS, operator) ? COMPARISONS[operator] : undefined;
  if (accepts === undefined) throw new Unsupported(node, `${operator} is not available in a condition`);
  const isEquality = operator === '=' || operator === '==' || operator === '!=' || operator === '<>';
  return (row) => {
    const order = compareValues(left(row), right(row), isEquality);
    return order === null ? null : accepts(order);
  };
};

function operatorOf(tree: Tree, node: Node): string {
  const [, second] = node.parts;
  return textOf(tree, { from: node.at, to: second?.from ?? node.at + 1 })
    .replaceAll(/[\s(]/g, '')
    .toUpperCase();
}

const compileBetween: Compile = (context, node) => {
  const [value, low, high] = [partAt(context, node, 0), partAt(context, node, 1), partAt(context, node, 2)];
  const isNot = wordOf(context.tree, node) === 'NOT';
  return (row) => {
    const [from, to] = [compareValues(value(row), low(row)), compareValues(value(row), high(row))];
    if ((from !== null && from < 0) || (to !== null && to > 0)) return isNot;
    return from === null || to === null ? null : !isNot;
  };
};

function compileIn(context: Compiling, node: Node): Evaluate {
  const [value, set] = node.parts;
  if (value === undefined || set === undefined) throw new Unsupported(node, 'IN needs a list of values');
  if (set.kind !== 'group' && set.kind !== 'tuple')
    throw new Unsupported(set, 'IN needs a list of values in parentheses');
  const evaluate = compile(context, value);
  const values = set.parts.map((each) => literalOf(context.tree, each));
  const isNot = textOf(context.tree, { from: node.at, to: set.from }).toUpperCase().includes('NOT');
  return (row) => {
    const tested = evaluate(row);
    if (tested === null) return null;
    const orders = new Set(values.map((each) => compareValues(tested, each, true)));
    if (orders.has(0)) return !isNot;
    return orders.has(null) ? null : isNot;
  };
}

const compileTest: Compile = (context, node) => {
  const operand = partAt(context, node, 0);
  const named = node.parts[0]?.kind === 'column' ? context.columns.pop() : undefined;
  if (named !== undefined) context.columns.push({ ...named, isTested: true });
  const test = testOf(context.tree, node);
  if (test === 'IS NULL') return (row) => operand(row) === null;
  if (test === 'IS NOT NULL') return (row) => operand(row) !== null;
  throw new Unsupported(node, `${test} is not available in a condition`);
};

/** What is not listed is not available. */
const COMPILE: ReadonlyMap<NodeKind, Compile> = new Map([
  ['number', compileLiteral],
  ['string', compileLiteral],
  ['constant', compileLiteral],
  ['column', compileColumn],
  ['group', (context, node) => partAt(context, node, 0)],
  ['and', compileChain(false)],
  ['or', compileChain(true)],
  ['not', compileNot],
  ['sign', compileSign],
  ['binary', compileBinary],
  ['between', compileBetween],
  ['in', compileIn],
  ['test', compileTest],
]);

/** The value of a literal. Throws Unsupported for anything else. */
function literalOf(tree: Tree, node: Node): RowValue {
  const [only] = node.parts;
  if (node.kind === 'group' && only !== undefined) return literalOf(tree, only);
  const source = textOf(tree, node).replaceAll(' ', '');
  if (node.kind === 'number') {
    if (DECIMAL.test(source) && Number.isFinite(Number(source)) && isExact(source)) return Number(source);
    throw new Unsupported(node, `${source} is not a decimal number that can be compared exactly`);
  }
  if (node.kind === 'constant') return CONSTANTS[source.toUpperCase()] ?? null;
  const value = node.kind === 'string' ? stringValue(textOf(tree, node)) : undefined;
  if (value === undefined) throw new Unsupported(node, `${shortened(sourceOf(tree, node))} is not a value`);
  return value;
}

const DECIMAL = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const CONSTANTS: Readonly<Record<string, boolean>> = { TRUE: true, FALSE: false };

function isExact(source: string): boolean {
  return !/^-?\d+$/.test(source) || Number.isSafeInteger(Number(source));
}

/** The comparisons of columns with values. */
function boundsOf(tree: Tree, root: Node): Pick<RowCondition, 'bounds' | 'isBounded'> {
  const found: ConditionBound[] = [];
  const isPlain = (node: Node): boolean => {
    if (node.kind === 'and' || node.kind === 'or' || node.kind === 'not' || node.kind === 'group')
      return node.parts.map(isPlain).every(Boolean); // each one is looked at
    if (node.kind === 'test') return node.parts[0]?.kind === 'column';
    if (node.kind === 'binary' && ARITHMETIC.has(operatorOf(tree, node))) return false;
    if (node.kind !== 'binary' && node.kind !== 'between' && node.kind !== 'in') return false;
    return addBounds(tree, node, found);
  };
  const isBounded = isPlain(root);
  return { bounds: found, isBounded };
}

function addBounds(tree: Tree, node: Node, found: ConditionBound[]): boolean {
  const leaves = node.parts.flatMap((each) => (each.kind === 'tuple' || each.kind === 'group' ? each.parts : [each])); // prettier-ignore
  const named = leaves.filter(({ kind }) => kind === 'column');
  const [column] = named;
  if (column === undefined || named.length !== 1) return false;
  for (const each of leaves) {
    if (each === column) continue;
    if (each.kind !== 'number' && each.kind !== 'string') return false;
    const value = literalOf(tree, each);
    if (typeof value !== 'number' && typeof value !== 'string') return false;
    found.push({ column: tree.cursor.name(column.from) ?? '', value });
  }
  return true;
}
