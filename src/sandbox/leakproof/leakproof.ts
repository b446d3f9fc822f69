// Whether the conditions of a consumer query can fail on a row. Those that cannot may be pushed down into the tables that it
// reads; any other query runs above a barrier, as with leakproof functions and security_barrier views in PostgreSQL. The engine
// evaluates conditions on rows and index entries of other tenants, and a failure there would reveal information about them.
import type { Cursor } from '../../sql/cursor.ts';
import { identifierName } from '../../sql/literal.ts';
import type { FunctionPolicy } from '../functions/policy.ts';
import type { LeakproofContext } from './context.ts';
import { isTotalSum, startsValue } from './arithmetic.ts';
import { isBounded } from './bounded.ts';
import { conditionRanges } from './condition-ranges.ts';
import { createFloats, type Floats } from './floats.ts';
import { createMisread } from './misread-comparisons.ts';
import { enclosing, isCall } from './operands.ts';
import { createPatternCheck, PATTERN_CALLS, type PatternCheck } from './patterns.ts';
import { isPlainText } from './plain-texts.ts';
import type { TokenRange, Tree } from '../../sql/tree/nodes.ts';
import { isConstantCall, isRounding, isTriedType, literalArguments } from './functions.ts';
import { createMoments } from './time-conversions.ts';
import type { Moments } from './time-conversions.ts';
import { makesNulls } from './null-sources.ts';
import { mixesScales } from './time-scales.ts';
import { CONSTANTS, UNITS } from '../../sql/tree/keywords.ts';

/**
 * Whether everything that an endpoint's WITH clause computes succeeds on every row: a consumer's condition on a computed
 * column is pushed down as a condition on the source of the computation.
 */
export function isClauseLeakproof(clause: Cursor, context: Omit<LeakproofContext, 'names'>): boolean {
  const walk = walkOf(clause, context, true);
  return walk !== undefined && succeeds(walk, { from: 0, to: clause.length });
}

/** Fails closed: false for anything not known to succeed on every row. */
export interface LeakproofCheck {
  readonly isLeakproof: boolean;
  /** The same for a part of the query. */
  readonly isRangeLeakproof: (range: TokenRange) => boolean;
  /** Whether indexes read a part of the query as it is meant. */
  readonly isReadByIndexes: (range: TokenRange) => boolean;
}

/** The query has passed the scanner. */
export function checkLeakproof(tree: Tree, context: LeakproofContext): LeakproofCheck {
  const { cursor } = tree;
  const walk = walkOf(cursor, context, false);
  const isRangeLeakproof = (range: TokenRange) =>
    walk !== undefined && isBounded(cursor, range, context.names) && succeeds(walk, range);
  const isLeakproof = walk !== undefined && conditionRanges(tree, context.names).every(isRangeLeakproof);
  const isReadByIndexes = ({ from, to }: TokenRange): boolean => {
    for (let at = from; at < to; at++) if (walk?.isMisread(at) !== false) return false;
    return true;
  };
  return { isLeakproof, isRangeLeakproof, isReadByIndexes };
}

/** Undefined if no condition is certain to succeed. */
function walkOf(
  cursor: Cursor,
  context: Omit<LeakproofContext, 'names'> & Partial<Pick<LeakproofContext, 'names'>>,
  isAuthors: boolean,
): Walk | undefined {
  const brackets = cursor.brackets();
  if ('code' in brackets) return undefined;
  const types = [...context.types.values()].flat();
  if (types.some((type) => /decimal/i.test(type))) return undefined; // they can overflow, even in comparisons
  if (mixesScales(cursor, types)) return undefined;
  const openers = new Map([...brackets].map(([open, close]) => [close, open]));
  return {
    cursor,
    isAuthors,
    functions: context.functions,
    openers,
    moments: createMoments(cursor, context),
    hasNulls: types.some((type) => /nullable/i.test(type)) || makesNulls(cursor),
    floats: createFloats(cursor, context, openers),
    isMisread: isAuthors ? () => false : createMisread(cursor, context, openers),
    isReadablePattern: createPatternCheck(cursor, types),
    keepsText: (range) => isPlainText(cursor, range, context),
  };
}

function succeeds(walk: Walk, { from, to }: TokenRange): boolean {
  for (let at = from; at < to;) {
    const next = step(walk, at);
    if (next === undefined) return false;
    at = next;
  }
  return true;
}

interface Walk {
  readonly cursor: Cursor;
  /** Whether the text is of the endpoint's author. */
  readonly isAuthors: boolean;
  readonly functions: FunctionPolicy;
  /** Index of each closing bracket to that of its opening bracket. */
  readonly openers: ReadonlyMap<number, number>;
  readonly moments: Moments;
  readonly hasNulls: boolean;
  readonly floats: Floats;
  readonly isMisread: (at: number) => boolean;
  readonly isReadablePattern: PatternCheck;
  /** Whether a value is a column whose order is that of its text, or that has no order that an index uses. */
  readonly keepsText: (range: TokenRange) => boolean;
}

/** Division by zero and overflow; parsing; functions without an argument list. */
const FAILING_WORDS: ReadonlySet<string> = new Set(['DIV', 'MOD', 'APPLY', 'ZONE']);
const PATTERNS: ReadonlySet<string> = new Set(['LIKE', 'ILIKE', 'REGEXP']);

/** Values overflow, as does infinity times zero; numbers are subtracted from times. */
const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/']);

/** A sign between or before numbers, or before an interval, which is checked separately; `*` for all columns. */
function isHarmlessSign(cursor: Cursor, at: number): boolean {
  const [before, sign, next] = [cursor.kind(at - 1), cursor.kind(at), cursor.kind(at + 1)];
  if (cursor.word(at + 1) === 'INTERVAL' || INTERVAL_CALL.test(cursor.text(at + 1))) return true;
  if (sign === '*' && (next === ')' || next === ',' || AFTER_STAR.has(cursor.word(at + 1)))) return true;
  if (next !== 'number') return false;
  return before === 'number' ? opensValue(cursor, at - 2) : opensValue(cursor, at - 1);
}

/** Whether a value begins after this token: after any other token a number is an element of a tuple. */
function opensValue(cursor: Cursor, at: number): boolean {
  const kind = cursor.kind(at);
  return OPENS_VALUE.has(kind) || ARITHMETIC.has(kind ?? '') || BEFORE_VALUE.has(cursor.word(at));
}

const AFTER_STAR: ReadonlySet<string | undefined> = new Set(['FROM', 'EXCEPT', 'REPLACE']);
const BEFORE_VALUE: ReadonlySet<string | undefined> = new Set('WHERE AND OR BETWEEN THEN ELSE'.split(' '));
const OPENS_VALUE: ReadonlySet<string | undefined> = new Set('( [ , = != < > <= >='.split(' '));

/** The index to continue at; undefined if something may fail. */
function step(walk: Walk, at: number): number | undefined {
  const { cursor } = walk;
  const kind = cursor.kind(at);
  const word = cursor.word(at) ?? '';
  if (kind === '%' || FAILING_WORDS.has(word)) return undefined;
  if (walk.floats.isOverlooked(at) || walk.isMisread(at)) return undefined;
  if (kind === '{') return cursor.closing(at) + 1; // a parameter of the endpoint
  if (kind === '::') return afterCast(walk, at);
  if (ARITHMETIC.has(kind ?? '')) return isHarmlessSign(cursor, at) || isTotal(walk, at) ? at + 1 : undefined;
  if (word === 'INTERVAL') return isHarmlessInterval(walk, at) ? at + 1 : undefined;
  if (PATTERNS.has(word)) {
    if (!isPattern(cursor, at + 1)) return undefined;
    return walk.isReadablePattern(word === 'REGEXP' ? 'match' : word, at + 1) ? at + 1 : undefined;
  }
  if (word === 'IN') return isTotalIn(walk, at) ? at + 1 : undefined;
  if (QUANTIFIERS.has(word) && COMPARISONS.has(cursor.kind(at - 1))) return undefined; // the engine rewrites it to IN
  if (isCall(cursor, at)) return afterCall(walk, at);
  return at + 1;
}

const QUANTIFIERS: ReadonlySet<string> = new Set(['ANY', 'ALL', 'SOME']);
const COMPARISONS: ReadonlySet<string | undefined> = new Set(['=', '!=', '<', '>', '<=', '>=']);

function isTotal(walk: Walk, at: number): boolean {
  const { cursor, openers, functions } = walk;
  if (cursor.kind(at) !== '+' && cursor.kind(at) !== '-') return false;
  const isAggregate = (name: string): boolean => functions.aggregates(name);
  const isConstantAt = (call: number): boolean => isCall(cursor, call) && isConstant(walk, call);
  return isTotalSum({ cursor, openers, isAggregate, isConstant: isConstantAt }, at);
}

/**
 * If the right side is a query or a table, the engine converts values of the left side to its type, which fails for those that an Enum does
 * not have, and prunes others by index incorrectly.
 */
function isTotalIn({ cursor }: Walk, at: number): boolean {
  let left = at - 1;
  while (cursor.word(left) === 'NOT' || cursor.word(left) === 'GLOBAL') left--;
  if (startsValue(cursor, left + 1)) return false; // the function of that name
  return !readsTable(cursor, at + 1);
}

function readsTable(cursor: Cursor, at: number): boolean {
  let first = at;
  while (cursor.kind(first) === '(') first++;
  const kind = cursor.kind(first);
  if (kind !== 'word' && kind !== 'quoted') return false;
  if (/^(?:SELECT|WITH|FROM|VALUES)$/.test(cursor.word(first) ?? '')) return true;
  return cursor.kind(first + 1) !== '(' && !CONSTANTS.has(cursor.word(first) ?? '');
}

function afterCall(walk: Walk, at: number): number | undefined {
  const { cursor, functions, moments } = walk;
  const name = identifierName(cursor.text(at)) ?? '';
  const needed = literalArguments(name, walk.isAuthors);
  const end = cursor.closing(at + 1);
  if (isRounding(name) && cursor.kind(end - 2) === '-') return undefined;
  const isTried = !/^accuratecastornull$/i.test(name) || isTriedType(cursor.text(end - 1));
  if (PATTERN_CALLS.test(name)) {
    const isLast = cursor.kind(end - 1) === 'string' && cursor.kind(end - 2) === ',';
    if (isLast && !walk.isReadablePattern(name, end - 1)) return undefined;
  }
  if (needed !== undefined && isTried && haveLiterals(cursor, at, needed)) return at + 2;
  if (/^tostring$/i.test(name) && walk.keepsText({ from: at + 2, to: end })) return at + 2;
  if (functions.aggregates(name)) return at + 2; // above every filter
  if (moments.isMoment(at)) return end + 1;
  if (name.toLowerCase() === 'cast') return afterCastCall(walk, at);
  if (!isConstant(walk, at)) return undefined;
  return !makesInterval(cursor, at) || isHarmlessInterval(walk, at) ? end + 1 : undefined;
}

/** Whether those arguments of the call at `at` that must be literals are; arguments are separated by commas. */
function haveLiterals(cursor: Cursor, at: number, needed: 'none' | 'rest' | 'first' | 'one array'): boolean {
  if (needed === 'none') return true;
  const end = cursor.closing(at + 1);
  const commas: number[] = [];
  for (let i = at + 2; i < end; i = cursor.after(i)) {
    if (cursor.kind(i) === ',') commas.push(i);
    if (['FROM', 'FOR', 'PLACING', 'IN'].includes(cursor.word(i) ?? '') && needed !== 'one array')
      return false; // arguments without commas
  }
  const [first] = commas;
  if (needed === 'one array') return commas.length === (hasLambda(cursor, at + 2) ? 1 : 0);
  if (needed === 'first') return cursor.kind(at + 2) === 'string' && first === at + 3;
  return commas.every((comma, index) => {
    const next = commas[index + 1] ?? end;
    return isLiteral(cursor, comma + 1, next) || isInterval(cursor, comma + 1, next);
  });
}

function hasLambda(cursor: Cursor, at: number): boolean {
  return cursor.kind(cursor.after(at)) === '->';
}

/** A literal, or a parameter of the endpoint. */
function isLiteral(cursor: Cursor, from: number, to: number): boolean {
  if (cursor.kind(from) === '{') return cursor.closing(from) + 1 === to;
  const start = cursor.kind(from) === '-' ? from + 1 : from;
  const kind = cursor.kind(start);
  if (to !== start + 1 || (kind !== 'string' && kind !== 'number')) return false;
  return !FAILING_TYPE.test(cursor.text(start));
}

function isInterval(cursor: Cursor, from: number, to: number): boolean {
  if (/nano/i.test(cursor.slice(from, to))) return false;
  if (cursor.word(from) === 'INTERVAL') return isFixedInterval(cursor, from);
  return INTERVAL_CALL.test(cursor.text(from)) && cursor.kind(from + 1) === '(';
}

const INTERVAL_CALL = /^toInterval[A-Z][a-z]+$/i;

/** The pattern of LIKE and similar operators is a single literal with nothing appended. */
function isPattern(cursor: Cursor, at: number): boolean {
  const after = cursor.kind(at + 1);
  return cursor.kind(at) === 'string' && after !== '||' && after !== '.' && after !== '[' && after !== '::';
}

/**
 * A call of literals is evaluated before any row is read. Types and units occur where no column can; a column may have the
 * name of one.
 */
function isConstant({ cursor }: Walk, at: number): boolean {
  const end = cursor.closing(at + 1);
  for (let i = at; i < end; i++) {
    const kind = cursor.kind(i);
    if (kind === '*' || kind === '->' || kind === '%') return false;
    if ((kind === 'word' || kind === 'quoted') && !isConstantName(cursor, i)) return false;
  }
  return !/dec|numeric|fixed/i.test(cursor.slice(at, end));
}

function isConstantName(cursor: Cursor, at: number): boolean {
  const word = cursor.word(at) ?? '';
  if (cursor.word(at - 1) === 'AS' || cursor.kind(at - 1) === '::') return true; // a type
  if (UNITS.has(word) && cursor.word(at - 2) === 'INTERVAL') return true;
  if (word === 'INTERVAL') return isFixedInterval(cursor, at); // elsewhere it is a name
  if (/^(?:AS|NULL|TRUE|FALSE)$/.test(word)) return true;
  return cursor.kind(at + 1) === '(' && isConstantCall(identifierName(cursor.text(at)) ?? '');
}

/** Calls that accept intervals and return moments. */
const MOVES = /^(?:date|timestamp)_?(?:add|sub)$|^(?:add|sub)date$|^toStartOfInterval$|^toDateTime64$/i;

function makesInterval(cursor: Cursor, at: number): boolean {
  return /interval/i.test(cursor.slice(at, cursor.closing(at + 1))) && !MOVES.test(cursor.text(at));
}

/** `INTERVAL 1 DAY`, `INTERVAL -1 DAY`, `INTERVAL '1 day'`: the same for every row. */
function isFixedInterval(cursor: Cursor, at: number): boolean {
  const value = cursor.kind(at + 1) === '-' ? at + 2 : at + 1;
  const kind = cursor.kind(value);
  return (kind === 'number' || kind === 'string') && cursor.kind(value + 1) !== '.';
}

/** Added to a constant, or the width of toStartOfInterval: a column moved by an interval may overflow or not be a date. */
function isHarmlessInterval(walk: Walk, at: number): boolean {
  const { cursor, openers } = walk;
  if (cursor.word(at) === 'INTERVAL' && !isFixedInterval(cursor, at)) return false;
  const before = cursor.kind(at - 1);
  if (before === '+' || before === '-') {
    const open = openers.get(at - 2);
    return open !== undefined && isCall(cursor, open - 1) && isConstant(walk, open - 1);
  }
  if (before !== ',') return false;
  const around = enclosing(openers, at);
  return around !== undefined && /^toStartOfInterval$/i.test(cursor.text(around - 1));
}

/** `literal::Type`, or any value as a String, which only NULL cannot become. */
function afterCast(walk: Walk, at: number): number | undefined {
  const { cursor } = walk;
  const before = cursor.kind(at - 1);
  const end = cursor.kind(at + 2) === '(' ? cursor.closing(at + 2) + 1 : at + 2;
  if (FAILING_TYPE.test(cursor.slice(at + 1, end))) return undefined;
  // After a dot, a number is an element of a tuple.
  if (before === 'string' || (before === 'number' && cursor.kind(at - 2) !== '.')) return end;
  return isText(walk, at + 1, end) && walk.keepsText({ from: chainStart(cursor, at - 1), to: at })
    ? end
    : undefined;
}

/** Of `a.b.c`, by its last token. */
function chainStart(cursor: Cursor, last: number): number {
  let at = last;
  while (cursor.kind(at - 1) === '.') at -= 2;
  return at;
}

/** Values of these types can fail, or cause a column that they are added to to fail; indexes do not pad those of a fixed length. */
const FAILING_TYPE = /dec|numeric|interval|fixed/i;

/** `CAST(x AS String)`: its argument is checked as well. */
function afterCastCall(walk: Walk, at: number): number | undefined {
  const { cursor } = walk;
  const end = cursor.closing(at + 1);
  if (isConstant(walk, at)) return makesInterval(cursor, at) ? undefined : end + 1;
  const as = end - 2;
  const isTextual = cursor.word(as) === 'AS' && isText(walk, end - 1, end);
  const isQuoted = cursor.kind(as) === ',' && /^'(?:Nullable\(String\))'$/.test(cursor.text(end - 1));
  return (isTextual || isQuoted) && walk.keepsText({ from: at + 2, to: as }) ? at + 2 : undefined;
}

function isText({ cursor, hasNulls }: Walk, from: number, to: number): boolean {
  return to === from + 1 && cursor.word(from) === 'STRING' && !hasNulls;
}
