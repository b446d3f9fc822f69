// Whether `+` and `-` succeed on every row: between constants, and between aggregates.
import type { Cursor } from '../../sql/cursor.ts';
import { identifierName } from '../../sql/literal.ts';

/** What is known about operands. */
export interface Operands {
  readonly cursor: Cursor;
  /** Index of each closing bracket to that of its opening bracket. */
  readonly openers: ReadonlyMap<number, number>;
  readonly isAggregate: (name: string) => boolean;
  /** Whether the call at this token is evaluated before any row is read. */
  readonly isConstant: (call: number) => boolean;
}

type Operand = 'number' | 'constant' | 'aggregate' | 'unknown';

const OPERATORS: ReadonlySet<string | undefined> = new Set(['+', '-', '*', '/', '%']);

/**
 * Whether the `+` or `-` at this token succeeds on every row: between constants, or between aggregates. With a column on
 * one side it may wrap around, and index entries are then pruned incorrectly.
 */
export function isTotalSum(operands: Operands, at: number): boolean {
  const sides = [before(operands, at), after(operands, at)];
  // Aggregates are computed from rows that have passed all conditions.
  if (sides.includes('aggregate')) return true;
  return sides.every((side) => side === 'number' || side === 'constant') && isAlone(operands, at);
}

/** Whether the token precedes a value rather than separating two. */
export function startsValue(cursor: Cursor, at: number): boolean {
  const kind = cursor.kind(at - 1);
  if (kind === 'word') return BEFORE_SIGNS.has(cursor.word(at - 1) ?? '');
  return kind !== 'quoted' && kind !== 'number' && kind !== 'string' && kind !== ')' && kind !== ']';
}

const BEFORE_SIGNS: ReadonlySet<string> = new Set(
  'SELECT DISTINCT WHERE PREWHERE HAVING QUALIFY AND OR NOT BY ON BETWEEN WHEN THEN ELSE IN LIMIT OFFSET'.split(
    ' ',
  ),
);

function before({ cursor, openers, isAggregate, isConstant }: Operands, at: number): Operand {
  const kind = cursor.kind(at - 1);
  if (kind === 'number') return cursor.kind(at - 2) === '.' ? 'unknown' : 'number';
  const open = kind === ')' ? openers.get(at - 1) : undefined;
  if (open === undefined) return 'unknown';
  if (cursor.word(open - 1) === 'OVER' || isAggregate(nameAt(cursor, open - 1))) return 'aggregate';
  return isName(cursor, open - 1) && isConstant(open - 1) ? 'constant' : 'unknown';
}

function after({ cursor, isAggregate, isConstant }: Operands, at: number): Operand {
  const kind = cursor.kind(at + 1);
  if (kind === 'number') return isWhole(cursor, at + 2) ? 'number' : 'unknown';
  if (!isName(cursor, at + 1) || cursor.kind(at + 2) !== '(') return 'unknown';
  if (isAggregate(nameAt(cursor, at + 1))) return 'aggregate';
  return isConstant(at + 1) && isWhole(cursor, cursor.closing(at + 2) + 1) ? 'constant' : 'unknown';
}

/** Whether no path, element access or cast continues at this token. */
function isWhole(cursor: Cursor, at: number): boolean {
  const kind = cursor.kind(at);
  return kind !== '.' && kind !== '[' && kind !== '::' && kind !== '(';
}

/** A single sum of constants: anything further that it is added to would be added to a time. */
function isAlone({ cursor, openers }: Operands, at: number): boolean {
  const first = cursor.kind(at - 1) === ')' ? (openers.get(at - 1) ?? at) - 1 : at - 1;
  const end = cursor.kind(at + 2) === '(' ? cursor.closing(at + 2) + 1 : at + 2;
  return !OPERATORS.has(cursor.kind(first - 1)) && !OPERATORS.has(cursor.kind(end));
}

function isName(cursor: Cursor, at: number): boolean {
  const kind = cursor.kind(at);
  return kind === 'word' || kind === 'quoted';
}

function nameAt(cursor: Cursor, at: number): string {
  return isName(cursor, at) ? (identifierName(cursor.text(at)) ?? '') : '';
}
