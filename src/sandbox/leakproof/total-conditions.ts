// Conditions that succeed on every row whatever its values, by the types of their operands and the form of their literals. They
// may be evaluated on rows of any tenant, in any order, and so beside the endpoint's own condition. A condition that is only
// leakproof may still fail by the row: operators do on values of type Dynamic, and a pattern is read when there is a row.
import type { Cursor } from '../../sql/cursor.ts';
import { quoteString } from '../../sql/literal.ts';
import { stringValue } from '../../sql/string-literal.ts';
import { innerType, type ClickHouseType } from '../../sql/type.ts';
import { UNITS } from '../../sql/tree/keywords.ts';
import type { TokenRange } from './condition-ranges.ts';
import { conjunctsOf, insideParentheses, textOf } from './conjuncts.ts';
import { isConstantCall } from './functions.ts';
import type { LeakproofCheck } from './leakproof.ts';
import { hasTextKeys, type StoredColumn } from './stored-columns.ts';

export interface TotalContext {
  readonly cursor: Cursor;
  /** The column that is named at a token; undefined if it cannot be used. */
  readonly columnAt: (at: number) => StoredColumn | undefined;
  readonly isRangeLeakproof: LeakproofCheck['isRangeLeakproof'];
  /** Whether a condition may also be true of other rows: its negation may not, nor may it if the query can fail on them. */
  readonly isImpliedEnough: boolean;
}

/**
 * A condition as SQL, with its columns as `columnAt` writes them, or one that it implies, which `isImpliedEnough` allows; undefined unless
 * it is total.
 */
export function totalCondition(context: TotalContext, range: TokenRange): string | undefined {
  const { cursor } = context;
  const inner = insideParentheses(cursor, range);
  if (inner !== undefined) return totalCondition(context, inner);
  const options = optionsOf(cursor, range);
  if (options.length > 1) return joined(context, options, ' OR ');
  const parts = conjunctsOf(cursor, range);
  if (parts.length > 1) return joined(context, parts, ' AND ');
  if (cursor.word(range.from) !== 'NOT') return predicateSql(context, range);
  if (!context.isRangeLeakproof(range)) return undefined; // NaN
  const exact = { ...context, isImpliedEnough: false };
  return wrap('NOT ', totalCondition(exact, { ...range, from: range.from + 1 }));
}

function joined(context: TotalContext, ranges: readonly TokenRange[], operator: string): string | undefined {
  const parts = ranges.map((range) => totalCondition(context, range));
  return parts.includes(undefined) ? undefined : wrap('', parts.join(operator));
}

function wrap(before: string, sql: string | undefined): string | undefined {
  return sql === undefined ? undefined : `${before}(${sql})`;
}

/** The parts between OR. */
function optionsOf(cursor: Cursor, { from, to }: TokenRange): readonly TokenRange[] {
  const ranges: TokenRange[] = [];
  let start = from;
  for (let at = from; at < to; at = cursor.after(at)) {
    if (cursor.word(at) !== 'OR') continue;
    ranges.push({ from: start, to: at });
    start = at + 1;
  }
  return [...ranges, { from: start, to }];
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
  readonly next: number;
}

const COMPARISONS: ReadonlySet<string | undefined> = new Set(['=', '!=', '<', '>', '<=', '>=']);

const EQUALITIES: ReadonlySet<string | undefined> = new Set(['=', '!=']);

function predicateSql(context: TotalContext, { from, to }: TokenRange): string | undefined {
  const { cursor } = context;
  const column = context.isImpliedEnough ? context.columnAt(from) : undefined;
  if (column?.implied !== undefined) return impliedSql(context, column, to);
  const left = operandAt(context, { from, to });
  if (left === undefined || left.isLiteral) return undefined;
  let at = left.next;
  if (at === to) return left.kind === 'number' ? left.sql : undefined;
  if (COMPARISONS.has(cursor.kind(at))) {
    const right = operandAt(context, { from: at + 1, to });
    if (right?.next !== to || !areComparable(left, right)) return undefined;
    if (cursor.kind(at) === '!=' && (left.isFloat === true || right.isFloat === true)) return undefined;
    // A bloom filter on times rejects one of another type.
    if (right.kind === 'time' && EQUALITIES.has(cursor.kind(at))) return undefined;
    return `${left.sql} ${cursor.text(at)} ${right.sql}`;
  }
  if (cursor.word(at) === 'IS') {
    const end = cursor.word(at + 1) === 'NOT' ? at + 2 : at + 1;
    const isWhole = end + 1 === to && cursor.word(end) === 'NULL';
    return isWhole ? `${left.sql} ${end === at + 1 ? 'IS NULL' : 'IS NOT NULL'}` : undefined;
  }
  const not = cursor.word(at) === 'NOT' ? 'NOT ' : '';
  if (not !== '') at++;
  if (not !== '' && (left.isFloat === true || left.isElement === true)) return undefined;
  const word = cursor.word(at) ?? '';
  if (word === 'BETWEEN') return betweenSql(context, { left, not }, { from: at + 1, to });
  const right = { from: at + 1, to };
  const isSafe =
    word === 'IN'
      ? isListFor(context, left, right)
      : /^I?LIKE$/.test(word) &&
        left.kind === 'text' &&
        isPattern(cursor, right) &&
        isPatternOf(left, cursor.text(right.from));
  return isSafe ? `${left.sql} ${not}${word} ${textOf(cursor, right)}` : undefined;
}

/** Of a redacted column: a search for a string that no replacement has, and nothing else. */
function impliedSql(
  { cursor }: TotalContext,
  { sql, next, implied }: StoredColumn,
  to: number,
): string | undefined {
  const pattern = { from: next + 1, to };
  if (cursor.word(next) !== 'LIKE' || !isPattern(cursor, pattern)) return undefined;
  const value = stringValue(cursor.text(next + 1));
  const regex = value === undefined ? undefined : implied?.(value);
  return regex === undefined ? undefined : `match(${sql}, ${quoteString(regex)})`;
}

function betweenSql(
  context: TotalContext,
  { left, not }: { readonly left: Operand; readonly not: string },
  { from, to }: TokenRange,
): string | undefined {
  const low = operandAt(context, { from, to });
  if (low === undefined || context.cursor.word(low.next) !== 'AND') return undefined;
  const high = operandAt(context, { from: low.next + 1, to });
  if (high?.next !== to || !areComparable(left, low) || !areComparable(left, high)) return undefined;
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

function isListFor({ cursor }: TotalContext, { kind }: Operand, range: TokenRange): boolean {
  const list = insideParentheses(cursor, range);
  if (list === undefined || list.from === list.to) return false;
  for (let at = list.from; at < list.to; at += 2) {
    const isLiteral = kind === 'text' ? cursor.kind(at) === 'string' : /^[\d.]/.test(cursor.text(at));
    const isLast = at + 1 === list.to;
    if (!isLiteral || (kind !== 'text' && kind !== 'number')) return false;
    if (!isLast && (cursor.kind(at + 1) !== ',' || at + 2 === list.to)) return false;
  }
  return true;
}

/** A pattern of LIKE without escapes. */
function isPattern(cursor: Cursor, { from, to }: TokenRange): boolean {
  return to === from + 1 && cursor.kind(from) === 'string' && !cursor.text(from).includes('\\');
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

/** The operand at the beginning of a range. */
function operandAt(context: TotalContext, { from, to }: TokenRange): Operand | undefined {
  const { cursor } = context;
  const literal = { isLiteral: true, isNullable: false };
  const kind = cursor.kind(from);
  if (kind === 'string') return { ...literal, sql: cursor.text(from), kind: 'text', next: from + 1 };
  const sign = kind === '-' ? 1 : 0;
  const afterNumber = from + sign + 1;
  if (cursor.kind(afterNumber - 1) === 'number')
    return { ...literal, sql: textOf(cursor, { from, to: afterNumber }), kind: 'number', next: afterNumber };
  if (cursor.kind(from + 1) !== '(') return columnOperand(context, from);
  const time = { from, to: endOfOperand(cursor, from, to) };
  if (isTime(context, time)) return { ...literal, sql: textOf(cursor, time), kind: 'time', next: time.to };
  return callOperand(context, from);
}

/** The time in `timestamp BETWEEN now() - INTERVAL 1 DAY AND now()` ends before the AND. */
function endOfOperand(cursor: Cursor, from: number, to: number): number {
  let at = from;
  while (at < to && cursor.word(at) !== 'AND') at = cursor.after(at);
  return at;
}

const TIMES =
  /^(?:now|now64|today|yesterday|toDate|toDate32|toDateTime|toDateTime64|toStartOf\w+|parseDateTime\w+)$/i;
const OF_TIMES: ReadonlySet<string | undefined> = new Set('( ) , + - number string word'.split(' '));

/** A call of literals that yields a time, and intervals: evaluated before any row is read. */
function isTime({ cursor, isRangeLeakproof }: TotalContext, { from, to }: TokenRange): boolean {
  for (let at = from; at < to; at++) {
    if (!OF_TIMES.has(cursor.kind(at))) return false;
    const word = cursor.word(at);
    const isInterval = word === 'INTERVAL' || (UNITS.has(word ?? '') && cursor.word(at - 2) === 'INTERVAL');
    if (word === undefined || isInterval) continue;
    if (cursor.kind(at + 1) !== '(' || !isConstantCall(cursor.text(at))) return false;
  }
  return TIMES.test(cursor.text(from)) && isRangeLeakproof({ from, to });
}

function columnOperand({ columnAt }: TotalContext, at: number): Operand | undefined {
  const column = columnAt(at);
  if (column === undefined || column.implied !== undefined) return undefined;
  const { sql, type, next } = column;
  const kind = kindOf(type);
  // A bloom filter on the values of a map rejects a string beside a time.
  if (kind === 'time' && sql.endsWith(']')) return undefined;
  const isFloat = kind === 'number' && !isWhole(type);
  const isElement = sql.endsWith(']');
  return {
    sql,
    kind,
    isLiteral: false,
    isNullable: isNullable(type),
    isWhole: isWhole(type),
    isFloat,
    isElement,
    next,
  };
}

function callOperand(context: TotalContext, at: number): Operand | undefined {
  const { cursor } = context;
  const name = cursor.text(at);
  const form = FUNCTIONS.get(name.toLowerCase());
  const argument = columnOperand(context, at + 2);
  const end = cursor.closing(at + 1);
  if (form === undefined || argument?.kind === undefined || !form.of.includes(argument.kind))
    return undefined;
  if (form.ofWhole === true && argument.isWhole !== true) return undefined;
  const hasLiteral = cursor.kind(argument.next) === ',' && cursor.kind(argument.next + 1) === 'string';
  const last = form.and === undefined ? argument.next : argument.next + 2;
  if (last !== end || (form.and !== undefined && !hasLiteral)) return undefined;
  const literal = cursor.text(end - 1);
  if (form.and === 'regex' && (argument.isElement === true || !REGEX.test(stringValue(literal) ?? '(')))
    return undefined;
  const more = form.and === undefined ? '' : `, ${literal}`;
  return {
    ...argument,
    isFloat: false,
    sql: `${name}(${argument.sql}${more})`,
    kind: form.gives,
    next: end + 1,
  };
}

/** Undefined for types of which comparisons are not known to succeed. */
function kindOf(type: ClickHouseType): Kind | undefined {
  if (type.name === 'Nullable' || type.name === 'LowCardinality') return kindOf(innerType(type));
  if (type.name === 'String') return 'text';
  if (/^(?:U?Int(?:8|16|32|64)|Float(?:32|64)|Bool)$/.test(type.name)) return 'number';
  if (/^(?:Date|Date32|DateTime|DateTime64)$/.test(type.name)) return 'time';
  if (type.name === 'Map') return hasTextKeys(type) ? 'map' : undefined;
  const element = type.name === 'Array' ? kindOf(innerType(type)) : undefined;
  return element === undefined || element === 'list' || element === 'map' ? undefined : 'list';
}

function isNullable(type: ClickHouseType): boolean {
  return type.name === 'Nullable' || (type.name === 'LowCardinality' && isNullable(innerType(type)));
}

function isWhole(type: ClickHouseType): boolean {
  const isOuter = type.name === 'Nullable' || type.name === 'LowCardinality';
  return isOuter ? isWhole(innerType(type)) : /^(?:U?Int(?:8|16|32|64)|Bool)$/.test(type.name);
}
