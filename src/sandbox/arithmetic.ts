// Sums and differences: of numbers they always succeed. Of times with digits of a second they overflow, and of intervals.
import type { Cursor } from '../sql/cursor.ts';
import { identifierName } from '../sql/literal.ts';
import type { Moments } from './moments.ts';

/** What is known of operands. */
export interface Operands {
  readonly cursor: Cursor;
  /** Opening brackets by the closing ones. */
  readonly openers: ReadonlyMap<number, number>;
  readonly moments: Moments;
  readonly isAggregate: (name: string) => boolean;
  /** Whether the call at this token is evaluated before any row is read. */
  readonly isConstant: (call: number) => boolean;
}

type Operand = 'number' | 'column' | 'constant' | 'aggregate' | 'unknown';

const NUMERIC = /^(?:Nullable\(|LowCardinality\()*(?:U?Int\d+|Float\d+|Bool)\)*$/;
const SIGNS: ReadonlySet<string | undefined> = new Set(['+', '-', '*', '/', '%']);

/** Whether the `+` or `-` at this token succeeds on every row. */
export function isTotalSum(operands: Operands, at: number): boolean {
  const { cursor } = operands;
  if (startsValue(cursor, at)) return true;
  const sides = [before(operands, at), after(operands, at)];
  // What is computed of a group is computed of rows that all conditions have left.
  if (sides.includes('aggregate')) return true;
  if (sides.every((side) => side === 'number' || side === 'column')) return !touchesConstant(operands, at);
  return sides.every((side) => side === 'number' || side === 'constant') && isAlone(operands, at);
}

/** Whether the token stands before a value, not between two. */
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

function before({ cursor, openers, moments, isAggregate, isConstant }: Operands, at: number): Operand {
  const kind = cursor.kind(at - 1);
  if (kind === 'number') return cursor.kind(at - 2) === '.' ? 'unknown' : 'number';
  if (kind === 'word' || kind === 'quoted') return moments.isColumnOf(at - 1, NUMERIC) ? 'column' : 'unknown';
  const open = kind === ')' ? openers.get(at - 1) : undefined;
  if (open === undefined) return 'unknown';
  if (cursor.word(open - 1) === 'OVER' || isAggregate(nameAt(cursor, open - 1))) return 'aggregate';
  return isName(cursor, open - 1) && isConstant(open - 1) ? 'constant' : 'unknown';
}

function after({ cursor, moments, isAggregate, isConstant }: Operands, at: number): Operand {
  const kind = cursor.kind(at + 1);
  if (kind === 'number') return isWhole(cursor, at + 2) ? 'number' : 'unknown';
  if (!isName(cursor, at + 1)) return 'unknown';
  if (cursor.kind(at + 2) === '(') {
    if (isAggregate(nameAt(cursor, at + 1))) return 'aggregate';
    const end = cursor.closing(at + 2);
    return isConstant(at + 1) && isWhole(cursor, end + 1) ? 'constant' : 'unknown';
  }
  const last = cursor.kind(at + 2) === '.' ? at + 3 : at + 1;
  return moments.isColumnOf(last, NUMERIC) && isWhole(cursor, last + 1) ? 'column' : 'unknown';
}

/** Whether no path, element or cast goes on at this token. */
function isWhole(cursor: Cursor, at: number): boolean {
  const kind = cursor.kind(at);
  return kind !== '.' && kind !== '[' && kind !== '::' && kind !== '(';
}

/** Whether a chain of signs reaches a call from here: `now64(3) - 5 - column`. Of columns and numbers alone it is false. */
function touchesConstant(operands: Operands, at: number): boolean {
  const { cursor } = operands;
  for (let i = at - 2; SIGNS.has(cursor.kind(i)); i -= 2) {
    if (!['number', 'column'].includes(before(operands, i))) return true;
  }
  return false;
}

/** One sum of constants: what it is added to further would be added to a time. */
function isAlone({ cursor, openers }: Operands, at: number): boolean {
  const first = cursor.kind(at - 1) === ')' ? (openers.get(at - 1) ?? at) - 1 : at - 1;
  const end = cursor.kind(at + 2) === '(' ? cursor.closing(at + 2) + 1 : at + 2;
  return !SIGNS.has(cursor.kind(first - 1)) && !SIGNS.has(cursor.kind(end));
}

function isName(cursor: Cursor, at: number): boolean {
  const kind = cursor.kind(at);
  return kind === 'word' || kind === 'quoted';
}

function nameAt(cursor: Cursor, at: number): string {
  return isName(cursor, at) ? (identifierName(cursor.text(at)) ?? '') : '';
}
