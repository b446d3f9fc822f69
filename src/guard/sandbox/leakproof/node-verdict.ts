// Whether a node of a condition succeeds on every row if its parts do, whatever its arguments are, or may fail.
import { stringValue } from '../../../sql/clickhouse/literal.ts';
import { QUANTIFIERS } from '../../../sql/clickhouse/tree/keywords.ts';
import type { Node, NodeKind } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  areBetweenCommas,
  argumentsOf,
  endsWithComma,
  firstOf,
  isNegated,
  nameOf,
  namesIn,
  operatorOf,
  partOf,
  someNode,
  textOf,
  wordOf,
  type Subtree,
} from '../../../sql/clickhouse/tree/visit.ts';
import type { KnownTypes } from '../known-types.ts';
import { isArithmetic, isTotalArithmetic, isTotalSign, type Operands } from './arithmetic.ts';
import {
  isFailingType,
  isFixedInterval,
  isIntervalCall,
  isLiteralArgument,
  makesInterval,
  mayBeTable,
} from './constants.ts';
import { isTriedType, literalArguments } from './functions.ts';
import type { Place } from './place.ts';

/** The verdict on a node depends on this besides its parts. */
export interface Check extends Subtree, Operands {
  /** It is true if the text is of the endpoint's author. */
  readonly isAuthors: boolean;
  /** Returns whether a call converts a time into another. */
  readonly isMoment: (call: Node) => boolean;
  readonly hasNulls: boolean;
  readonly isReadablePattern: PatternCheck;
  /** Returns whether a value is a column whose order is that of its text, or that has no order that an index uses. */
  readonly keepsText: (node: Node) => boolean;
}

/** A node succeeds if its parts do, whatever its arguments are, or not. */
type NodeVerdict = 'parts' | 'whole' | 'fails';

/** Nodes that succeed if their parts do. What is not listed here, nor checked below, fails. */
const HARMLESS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'union', 'subquery', 'select', 'with', 'with-value', 'distinct', 'list', 'from', 'source', 'table', 'final', 'sample', 'join', 'on',
  'using', 'array-join', 'where', 'prewhere', 'having', 'qualify', 'group-by', 'modifier', 'windows', 'named-window', 'window',
  'order-by', 'order-item', 'fill', 'limit', 'limit-by', 'offset', 'fetch', 'settings', 'alias', 'number', 'string', 'constant',
  'placeholder', 'column-name', 'except', 'group', 'tuple', 'array', 'case', 'when', 'else', 'typed', 'parameters',
  'arguments', 'filter', 'over', 'lambda', 'parameter', 'index', 'type', 'and', 'or', 'concat', 'not', 'between', 'conditional', 'test',
]); // prettier-ignore

const CHECKS: ReadonlyMap<NodeKind, (check: Check, place: Place) => boolean> = new Map<
  NodeKind,
  (check: Check, place: Place) => boolean
>([
  ['binary', isTotalOperator],
  ['sign', (check, { node }) => isTotalSign(check, node)],
  ['interval', (check, place) => isFixedInterval(place.node) && isHarmlessInterval(check, place)],
  ['in', (_, { node }) => node.parts[1] !== undefined && !mayBeTable(node.parts[1])],
  ['cast', isTotalCast],
  // The engine may read these as operators.
  ['star', isHarmlessMatcher],
  ['columns', isHarmlessMatcher],
  ['column', (check, { node }) => !/^(?:DIV|MOD|APPLY|ZONE|INTERVAL)$/.test(wordOf(check, node))],
  ['quantified', (check, { node }) => wordOf(check, node) === 'EXISTS'], // the others become IN
  ['access', (_, { node }) => node.parts[1] === undefined || node.to - node.parts[1].from === 1],
  ['with-table', (_, { node }) => node.parts[0]?.from === node.from + 2], // neither columns nor MATERIALIZED
  ['replace', ({ isAuthors }, { node }) => isAuthors && node.parts.length === 1],
]);

/** What is not known to succeed fails. */
export function verdictOn(check: Check, place: Place): NodeVerdict {
  const { node } = place;
  if (node.kind === 'call') return verdictOnCall(check, place);
  const succeeds = CHECKS.get(node.kind)?.(check, place) ?? HARMLESS.has(node.kind);
  return succeeds ? 'parts' : 'fails';
}

const COMPARISONS: ReadonlySet<string> = new Set(['=', '!=', '<', '>', '<=', '>=', '<=>', 'IS']);

/** Not of `%`, DIV, MOD and AT TIME ZONE: division by zero, overflow. */
function isTotalOperator(check: Check, place: Place): boolean {
  const { node } = place;
  const [, right] = node.parts;
  const operator = operatorOf(check, node);
  if (right === undefined) return false;
  if (/^(?:I?LIKE|REGEXP)$/.test(operator))
    return right.kind === 'string' && check.isReadablePattern(operator, right, isNegated(check, node));
  if (COMPARISONS.has(operator)) return !QUANTIFIERS.has(wordOf(check, firstOf(right)));
  if (!isArithmetic(check, node)) return false;
  const isInterval = right.kind === 'interval' || isIntervalCall(check, right); // which is checked as well
  return operator !== '%' && (isInterval || isTotalArithmetic(check, place));
}

/** Added to a constant, or the width of toStartOfInterval: a column moved by an interval may overflow or not be a date. */
function isHarmlessInterval(check: Check, { node, around }: Place): boolean {
  if (around === undefined) return false;
  const [first] = around.node.parts;
  if (first === undefined || first === node) return false;
  if (around.node.kind === 'binary')
    return /^[-+]$/.test(operatorOf(check, around.node)) && first.kind === 'call' && check.isConstant(first);
  const call = around.node.kind === 'arguments' ? around.around?.node : undefined;
  return call !== undefined && /^toStartOfInterval$/i.test(wordOf(check, call));
}

/** Accepts stars of results and aggregates: which columns others read is not known here. */
function isHarmlessMatcher(check: Check, { around }: Place): boolean {
  const call = around?.node.kind === 'arguments' ? around.around?.node : undefined;
  return around?.node.kind === 'list' || (call !== undefined && check.isAggregate(nameOf(check, call)));
}

/** `literal::Type`, or any value as a String, which only NULL cannot become. */
function isTotalCast(check: Check, { node: { parts } }: Place): boolean {
  const [value, type] = parts;
  if (value === undefined || type === undefined || isFailingType(textOf(check, type))) return false;
  return (
    value.kind === 'string' || value.kind === 'number' || (isText(check, type) && check.keepsText(value))
  );
}

function isText(check: Check, type: Node): boolean {
  return textOf(check, type).toUpperCase() === 'STRING' && !check.hasNulls;
}

function verdictOnCall(check: Check, place: Place): NodeVerdict {
  const { node } = place;
  const name = nameOf(check, node);
  if (isTotalCall(check, node, name)) return 'parts';
  if (check.isMoment(node)) return 'whole';
  if (!check.isConstant(node)) return 'fails';
  const isInterval = makesInterval(check, node);
  if (!isInterval) return 'whole';
  return !/^cast$/i.test(name) && isHarmlessInterval(check, place) ? 'whole' : 'fails';
}

/** Returns whether a call succeeds if its arguments do. */
function isTotalCall(check: Check, call: Node, name: string): boolean {
  if (check.isAggregate(name)) return true; // above every filter
  const values = argumentsOf(call);
  const [first] = values;
  const last = values.at(-1);
  const list = call.parts.at(-1);
  if (first === undefined || last === undefined || partOf(call, 'parameters') !== undefined) return false;
  if (list?.kind !== 'arguments' || endsWithComma(check, list)) return false;
  if (/^position/i.test(name) && !areBetweenCommas(check, values)) return false; // an IN
  if (/^tostring$/i.test(name) && values.length === 1 && check.keepsText(first)) return true;
  if (/^cast$/i.test(name)) return isTextual(check, values);
  const isString = last.kind === 'string';
  if (PATTERN_CALLS.test(name) && isString && !check.isReadablePattern(name, last, /^not/i.test(name)))
    return false;
  if (/^accuratecastornull$/i.test(name) && !(isString && isTriedType(textOf(check, last)))) return false;
  const needed = literalArguments(name, check.isAuthors);
  return needed !== undefined && haveLiterals(check, values, needed);
}

/** `CAST(x AS String)`: its argument is checked as well. */
function isTextual(check: Check, [value, type]: readonly Node[]): boolean {
  if (value === undefined || type === undefined || !check.keepsText(value)) return false;
  if (type.kind === 'type') return isText(check, type);
  return type.kind === 'string' && textOf(check, type) === "'Nullable(String)'";
}

/** Returns whether those arguments that must be literals are; arguments are separated by commas. */
function haveLiterals(
  check: Check,
  values: readonly Node[],
  needed: 'none' | 'rest' | 'first' | 'one array',
): boolean {
  const [first, ...others] = values;
  if (needed === 'none') return true;
  if (needed === 'one array') return values.length === (first?.kind === 'lambda' ? 2 : 1);
  if (!areBetweenCommas(check, values) || values.some(({ kind }) => kind === 'in')) return false;
  if (needed === 'first') return first?.kind === 'string' && others.length > 0;
  return others.every((each) => isLiteralArgument(check, each));
}

const PATTERN_CALLS = /^(?:match|noti?like)$/i;

/** Returns whether indexes read the pattern of an operator or a function, a string, as it is meant. */
export type PatternCheck = (operator: string, pattern: Node, isNegated: boolean) => boolean;

const MAP = /\bMap\(/;

/**
 * Checks the patterns of one query over columns of these types. Of a regular expression indexes drop one byte of what may be absent, not one
 * character; and an index of the keys of a map finds no row for a key that other rows do not have either, although the value of an absent key
 * is an empty string, which a pattern may match.
 */
export function createPatternCheck(tree: Subtree, types: KnownTypes): PatternCheck {
  const readsMaps = types.someText(MAP) && readsElements(tree);
  return (operator, literal, isNegated) => {
    const pattern = stringValue(textOf(tree, literal));
    if (pattern === undefined) return false;
    const isRegex = /^(?:match|regexp)$/i.test(operator);
    if (isRegex && /\P{ASCII}/u.test(pattern) && /[*?{]/.test(pattern)) return false;
    if (!readsMaps) return true;
    return !isNegated && (isRegex ? /^[\w /:,=@;<>-]+$/.test(pattern) : /[^%]/.test(pattern));
  };
}

function readsElements(tree: Subtree): boolean {
  return (
    someNode(tree.root, ({ kind }) => kind === 'index') ||
    namesIn(tree, tree.root).some(({ name }) => /^arrayelement$/i.test(name))
  );
}
