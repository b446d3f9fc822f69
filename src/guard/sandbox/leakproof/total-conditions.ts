// Conditions that succeed on every row whatever its values, by the types of their operands and the form of their literals. They
// may be evaluated on rows of any tenant, in any order, and so beside the endpoint's own condition. A condition that is only
// leakproof may still fail by the row: operators do on values of type Dynamic, and a pattern is read when there is a row.
import { quoteString, stringValue } from '../../../sql/clickhouse/literal.ts';
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  argumentsOf,
  endsWithComma,
  firstOf,
  isNegated,
  operatorOf,
  textOf,
  wordOf,
  type TreeTokens,
} from '../../../sql/clickhouse/tree/visit.ts';
import {
  isDate,
  isDateTime,
  isFloat as isFloatType,
  isNativeNumber,
  isNullable,
  plainType,
} from '../../../sql/types/traits.ts';
import { innerType, type ClickHouseType } from '../../../sql/types/type.ts';
import { isConstantCall } from './functions.ts';
import type { LeakproofCheck } from './leakproof.ts';
import { hasTextKeys, type StoredColumn } from './stored-columns.ts';

export interface TotalContext {
  readonly tree: TreeTokens;
  /** The column that a node reads; undefined if it cannot be used. */
  readonly columnOf: (node: Node) => StoredColumn | undefined;
  readonly isPartLeakproof: LeakproofCheck['isPartLeakproof'];
  /** It is true if a condition may also be true of other rows: its negation may not, nor may it if the query can fail on them. */
  readonly isImpliedEnough: boolean;
}

/**
 * A condition as SQL, with its columns as `columnOf` writes them, or one that it implies, which `isImpliedEnough` allows; undefined unless
 * it is total.
 */
export function totalCondition(context: TotalContext, node: Node): string | undefined {
  const [inner] = node.parts;
  if (node.kind === 'group') return inner && totalCondition(context, inner);
  if (node.kind === 'or') return joined(context, node.parts, ' OR ');
  if (node.kind === 'and') return joined(context, node.parts, ' AND ');
  if (node.kind !== 'not') return predicateSql(context, node);
  if (inner === undefined || !context.isPartLeakproof(node)) return undefined; // NaN
  return wrap('NOT ', totalCondition({ ...context, isImpliedEnough: false }, inner));
}

function joined(context: TotalContext, nodes: readonly Node[], operator: string): string | undefined {
  const parts = nodes.map((node) => totalCondition(context, node));
  return parts.includes(undefined) ? undefined : wrap('', parts.join(operator));
}

function wrap(before: string, sql: string | undefined): string | undefined {
  return sql === undefined ? undefined : `${before}(${sql})`;
}

/** What values of one kind are compared with: each other, without conversions that can fail. */
type Kind = 'text' | 'number' | 'time' | 'list' | 'map';

interface Operand {
  readonly sql: string;
  readonly kind: Kind | undefined;
  readonly isLiteral: boolean;
  readonly isNullable: boolean;
  /** A column of integers: no NaN or infinity, which cannot be converted. */
  readonly isWhole?: boolean;
  /** A column that may hold NaN, of which index analysis takes `!=` and NOT for the opposite. */
  readonly isFloat?: boolean;
  /** A value of a map: for an index of its keys, one that is absent is not the empty string that it is. */
  readonly isElement?: boolean;
}

const COMPARISONS: ReadonlySet<string> = new Set(['=', '!=', '<', '>', '<=', '>=']);

const EQUALITIES: ReadonlySet<string> = new Set(['=', '!=']);

function predicateSql(context: TotalContext, node: Node): string | undefined {
  const [value, right] = node.parts;
  if (node.kind === 'binary' && value !== undefined && right !== undefined && node.parts.length === 2)
    return binarySql(context, node, [value, right]);
  if (node.kind === 'between' || node.kind === 'in' || node.kind === 'test') {
    const left = value && operandOf(context, value);
    if (left === undefined || left.isLiteral) return undefined;
    if (node.kind === 'test') return testSql(context, node, left);
    const not = isNegated(context.tree, node) ? 'NOT ' : '';
    if (not !== '' && (left.isFloat === true || left.isElement === true)) return undefined;
    return node.kind === 'between'
      ? betweenSql(context, node, { left, not })
      : inSql(context, node, { left, not });
  }
  const operand = impliedBy(context, node) === undefined ? operandOf(context, node) : undefined;
  return operand?.kind === 'number' && !operand.isLiteral ? operand.sql : undefined;
}

/** A redacted column, of which only a search for a string that no replacement has is total. */
function impliedBy({ isImpliedEnough, columnOf }: TotalContext, node: Node): StoredColumn | undefined {
  const column = isImpliedEnough ? columnOf(node) : undefined;
  return column?.implied === undefined ? undefined : column;
}

function binarySql(
  context: TotalContext,
  node: Node,
  [value, operand]: readonly [Node, Node],
): string | undefined {
  const { tree } = context;
  const operator = operatorOf(tree, node);
  const not = isNegated(tree, node) ? 'NOT ' : '';
  const column = impliedBy(context, value);
  if (column !== undefined)
    return operator === 'LIKE' && not === '' ? impliedSql(context, column, operand) : undefined;
  const left = operandOf(context, value);
  if (left === undefined || left.isLiteral) return undefined;
  if (COMPARISONS.has(operator)) {
    const right = operandOf(context, operand);
    if (right === undefined || !areComparable(left, right)) return undefined;
    if (operator === '!=' && (left.isFloat === true || right.isFloat === true)) return undefined;
    // A bloom filter on times rejects one of another type.
    if (right.kind === 'time' && EQUALITIES.has(operator)) return undefined;
    return `${left.sql} ${wordOf(tree, node)} ${right.sql}`;
  }
  if (not !== '' && (left.isFloat === true || left.isElement === true)) return undefined;
  const isSafe =
    /^I?LIKE$/.test(operator) &&
    left.kind === 'text' &&
    isPattern(tree, operand) &&
    isPatternOf(left, textOf(tree, operand));
  return isSafe ? `${left.sql} ${not}${operator} ${textOf(tree, operand)}` : undefined;
}

/** `IS NULL`, `IS NOT NULL`. */
function testSql({ tree }: TotalContext, node: Node, left: Operand): string | undefined {
  if (!/ NULL$/i.test(textOf(tree, node))) return undefined;
  return `${left.sql} ${isNegated(tree, node) ? 'IS NOT NULL' : 'IS NULL'}`;
}

interface Negatable {
  readonly left: Operand;
  readonly not: string;
}

function inSql({ tree }: TotalContext, node: Node, { left, not }: Negatable): string | undefined {
  const [, list] = node.parts;
  const isPlain = operatorOf(tree, node) === 'IN'; // not GLOBAL
  return list !== undefined && isPlain && isListFor(tree, left, list)
    ? `${left.sql} ${not}IN ${textOf(tree, list)}`
    : undefined;
}

/** Of a redacted column: a search for a string that no replacement has, and nothing else. */
function impliedSql(
  { tree }: TotalContext,
  { sql, implied }: StoredColumn,
  pattern: Node,
): string | undefined {
  if (!isPattern(tree, pattern)) return undefined;
  const value = stringValue(textOf(tree, pattern));
  const regex = value === undefined ? undefined : implied?.(value);
  return regex === undefined ? undefined : `match(${sql}, ${quoteString(regex)})`;
}

function betweenSql(context: TotalContext, { parts }: Node, { left, not }: Negatable): string | undefined {
  const [low, high] = parts.slice(1).map((bound) => operandOf(context, bound));
  if (low === undefined || high === undefined || !areComparable(left, low) || !areComparable(left, high))
    return undefined;
  return `${left.sql} ${not}BETWEEN ${low.sql} AND ${high.sql}`;
}

/** A time as people write it. A malformed one fails when the query is analysed, but for a Nullable column only on a row. */
const TIME = /^'\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d{1,6})?)?'$/;

function areComparable(left: Operand, right: Operand): boolean {
  if (left.kind === undefined || left.kind === 'list' || left.kind === 'map') return false;
  // Times of different scales can overflow.
  if (left.kind === right.kind) return left.kind !== 'time' || right.isLiteral;
  return left.kind === 'time' && !left.isNullable && right.isLiteral && TIME.test(right.sql);
}

function isListFor(tree: TreeTokens, { kind }: Operand, list: Node): boolean {
  if (list.kind !== 'tuple' && list.kind !== 'group') return false;
  const isLiteral = (node: Node): boolean =>
    kind === 'text'
      ? node.kind === 'string'
      : kind === 'number' && node.kind === 'number' && node.to - node.from === 1; // no sign
  return list.parts.length > 0 && !endsWithComma(tree, list) && list.parts.every(isLiteral);
}

/** A pattern of LIKE without escapes. */
function isPattern(tree: TreeTokens, node: Node): boolean {
  return node.kind === 'string' && !textOf(tree, node).includes('\\');
}

/** An absent value of a map may match a pattern of nothing but `%`. */
function isPatternOf({ isElement }: Operand, literal: string): boolean {
  return isElement !== true || /[^%']/.test(literal);
}

/** A regular expression of plain characters, dots, repetitions of them, and alternatives. */
const REGEX = /^\^?(?:[\w /:,=&@%;<>!~"-][*+?]?|\\[.dwsDWS/-][*+?]?|\.[*+?]?|\|)*\$?$/;

/** The functions of one column, by their name in lower case: the kinds of the column, of a literal after it, and of the result. */
const FUNCTIONS: ReadonlyMap<
  string,
  { of: readonly Kind[]; and?: 'text' | 'regex'; gives: Kind; ofWhole?: boolean }
> = new Map([
  ['lower', { of: ['text'], gives: 'text' }],
  ['upper', { of: ['text'], gives: 'text' }],
  ['length', { of: ['text', 'list', 'map'], gives: 'number' }],
  ['empty', { of: ['text', 'list', 'map'], gives: 'number' }],
  ['notempty', { of: ['text', 'list', 'map'], gives: 'number' }],
  ['isnull', { of: ['text', 'number', 'time', 'list', 'map'], gives: 'number' }],
  ['isnotnull', { of: ['text', 'number', 'time', 'list', 'map'], gives: 'number' }],
  ['position', { of: ['text'], and: 'text', gives: 'number' }],
  ['positioncaseinsensitive', { of: ['text'], and: 'text', gives: 'number' }],
  ['startswith', { of: ['text'], and: 'text', gives: 'number' }],
  ['endswith', { of: ['text'], and: 'text', gives: 'number' }],
  ['match', { of: ['text'], and: 'regex', gives: 'number' }],
  ['has', { of: ['list'], and: 'text', gives: 'number' }],
  ['mapcontains', { of: ['map'], and: 'text', gives: 'number' }],
  ['toint64', { of: ['number'], gives: 'number', ofWhole: true }],
  ['tofloat64', { of: ['number'], gives: 'number', ofWhole: true }],
] as const);

/** What a value is; undefined if it may fail, or is not known. */
function operandOf(context: TotalContext, node: Node): Operand | undefined {
  const literal = { sql: textOf(context.tree, node), isLiteral: true, isNullable: false };
  if (node.kind === 'string') return { ...literal, kind: 'text' };
  if (node.kind === 'number') return { ...literal, kind: 'number' };
  if (firstOf(node).kind !== 'call') return columnOperand(context, node);
  if (isTime(context, node)) return { ...literal, kind: 'time' };
  return node.kind === 'call' ? callOperand(context, node) : undefined;
}

const TIMES =
  /^(?:now|now64|today|yesterday|toDate|toDate32|toDateTime|toDateTime64|toStartOf\w+|parseDateTime\w+)$/i;

/** A call of literals that yields a time, and intervals: evaluated before any row is read. */
function isTime({ tree, isPartLeakproof }: TotalContext, node: Node): boolean {
  const isMoment = TIMES.test(textOf(tree, { from: node.from, to: node.from + 1 }));
  return isMoment && isOfTimes(tree, node) && isPartLeakproof(node);
}

function isOfTimes(tree: TreeTokens, node: Node): boolean {
  const isSum = node.kind === 'binary' && /^[-+]$/.test(operatorOf(tree, node));
  const isCall = node.kind === 'call' && node.parts.length === 1 && isConstantCall(wordOf(tree, node));
  const isValue = /^(?:number|string|group|tuple|interval|arguments|sign)$/.test(node.kind);
  return (isSum || isCall || isValue) && node.parts.every((part) => isOfTimes(tree, part));
}

function columnOperand({ columnOf }: TotalContext, node: Node): Operand | undefined {
  const column = columnOf(node);
  if (column === undefined || column.implied !== undefined) return undefined;
  const { sql, type } = column;
  const kind = kindOf(type);
  const isElement = sql.endsWith(']');
  // A bloom filter on the values of a map rejects a string beside a time.
  if (kind === 'time' && isElement) return undefined;
  const isFloat = kind === 'number' && !isWhole(type);
  return {
    sql,
    kind,
    isLiteral: false,
    isNullable: isNullable(type),
    isWhole: isWhole(type),
    isFloat,
    isElement,
  };
}

function callOperand(context: TotalContext, call: Node): Operand | undefined {
  const { tree } = context;
  const [list, ...after] = call.parts;
  if (list?.kind !== 'arguments' || after.length > 0 || endsWithComma(tree, list)) return undefined;
  const [value, literal, ...others] = argumentsOf(call);
  const name = textOf(tree, { from: call.at, to: call.at + 1 });
  const form = FUNCTIONS.get(name.toLowerCase());
  const argument = value && columnOperand(context, value);
  if (form === undefined || argument?.kind === undefined || !form.of.includes(argument.kind))
    return undefined;
  if (form.ofWhole === true && argument.isWhole !== true) return undefined;
  const isComplete = form.and === undefined ? literal === undefined : literal?.kind === 'string';
  if (!isComplete || others.length > 0 || value?.from !== list.from + 1) return undefined;
  const text = literal === undefined ? '' : textOf(tree, literal);
  if (form.and === 'regex' && (argument.isElement === true || !REGEX.test(stringValue(text) ?? '(')))
    return undefined;
  const more = literal === undefined ? '' : `, ${text}`;
  return { ...argument, isFloat: false, sql: `${name}(${argument.sql}${more})`, kind: form.gives };
}

/** Undefined for types of which comparisons are not known to succeed. */
function kindOf(type: ClickHouseType): Kind | undefined {
  const plain = plainType(type);
  if (plain.name === 'String') return 'text';
  if (isNativeNumber(plain)) return 'number';
  if (isDate(plain) || isDateTime(plain)) return 'time';
  if (plain.name === 'Map') return hasTextKeys(plain) ? 'map' : undefined;
  const element = plain.name === 'Array' ? kindOf(innerType(plain)) : undefined;
  return element === undefined || element === 'list' || element === 'map' ? undefined : 'list';
}

function isWhole(type: ClickHouseType): boolean {
  const plain = plainType(type);
  return isNativeNumber(plain) && !isFloatType(plain);
}
