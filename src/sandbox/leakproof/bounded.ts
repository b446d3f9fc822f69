// How large the values of a condition can become, and how much work they are. Evaluated on index entries and rows of other tenants, a
// condition must need neither more memory nor more time because of a value than it may have: the failure would reveal it.
import type { Cursor } from '../../sql/cursor.ts';
import { identifierName } from '../../sql/literal.ts';
import { programSize } from '../../sql/regex.ts';
import { stringValue } from '../../sql/string-literal.ts';
import type { TokenRange } from '../../sql/tree/nodes.ts';
import { usesNames } from './condition-ranges.ts';
import { isCombining, makesArrays } from './functions.ts';

/** Characters of a string that a condition may return for some rows and not for others. */
const MAX_LITERAL = 200;
/** Values that are combined to larger ones, by functions and operators together. */
const MAX_COMBINED = 16;
/** Steps of all regular expressions: a character of a value may need all of them. */
const MAX_STEPS = 500;

/** Whether all values are at most some times as large as the columns that they are made of, and the work grows with their size alone. */
export function isBounded(cursor: Cursor, { from, to }: TokenRange, names: ReadonlySet<string>): boolean {
  let [combined, steps] = [0, 0];
  for (let at = from; at < to; at++) {
    const kind = cursor.kind(at);
    if (kind === 'string' && cursor.end(at) - cursor.start(at) > MAX_LITERAL) return false;
    if (comparesArrays(cursor, at) || nestsLoops(cursor, at)) return false;
    steps += stepsOf(cursor, at);
    if (steps > MAX_STEPS) return false;
    const span = spanOf(cursor, at, { from, to });
    if (span === undefined) continue;
    // A name of the query itself may be that of a combined value, and the text of an array is longer than the array.
    if (usesNames(cursor, span, names) || callsArrays(cursor, span)) return false;
    combined += kind === '||' ? 1 : commasIn(cursor, span);
    if (combined > MAX_COMBINED) return false;
  }
  return true;
}

/** `hasAny` of two lists that are both made of values: each element of one is looked for in the other. */
function comparesArrays(cursor: Cursor, at: number): boolean {
  if (cursor.kind(at + 1) !== '(' || !/^has(?:any|all)$/i.test(cursor.name(at) ?? '')) return false;
  const end = cursor.closing(at + 1);
  for (let each = at + 2; each < end; each = cursor.after(each)) {
    const begins = cursor.kind(each - 1) === '(' || cursor.kind(each - 1) === ',';
    if (begins && cursor.kind(each) === '[' && !hasName(cursor, each)) return false;
  }
  return true;
}

/** A lambda that goes through a list for each element of another. */
function nestsLoops(cursor: Cursor, at: number): boolean {
  if (cursor.kind(at) !== '->') return false;
  let to = at + 1;
  while (to < cursor.length && cursor.kind(to) !== ')' && cursor.kind(to) !== ',') to = cursor.after(to);
  for (let each = at + 1; each < to; each++) {
    if (cursor.kind(each) === '->') return true;
    if (cursor.kind(each + 1) === '(' && /^(?:has|array)/i.test(cursor.name(each) ?? '')) return true;
  }
  return false;
}

/** The steps of a regular expression. */
function stepsOf(cursor: Cursor, at: number): number {
  const isCall = cursor.kind(at + 1) === '(' && /^(?:match|extract(?:all)?)$/i.test(cursor.name(at) ?? '');
  if (!isCall && cursor.word(at) !== 'REGEXP') return 0;
  const pattern = isCall ? cursor.closing(at + 1) - 1 : at + 1;
  return programSize(stringValue(cursor.text(pattern)) ?? '');
}

/** What is combined at a token: the arguments of a call, the elements of an array; of an operator, all that may be its operands. */
function spanOf(cursor: Cursor, at: number, range: TokenRange): TokenRange | undefined {
  const kind = cursor.kind(at);
  if (kind === '||') return range;
  const isArray = kind === '[' && !AFTER_VALUE.has(cursor.kind(at - 1));
  if (isArray) return hasName(cursor, at) ? { from: at + 1, to: cursor.closing(at) } : undefined;
  const isCall = (kind === 'word' || kind === 'quoted') && cursor.kind(at + 1) === '(';
  if (!isCall || !isCombining(identifierName(cursor.text(at)) ?? '')) return undefined;
  return { from: at + 2, to: cursor.closing(at + 1) };
}

const AFTER_VALUE: ReadonlySet<string | undefined> = new Set(['word', 'quoted', ')', ']']);

function hasName(cursor: Cursor, open: number): boolean {
  for (let at = open + 1; at < cursor.closing(open); at++)
    if (cursor.kind(at) === 'word' || cursor.kind(at) === 'quoted') return true;
  return false;
}

function callsArrays(cursor: Cursor, { from, to }: TokenRange): boolean {
  for (let at = from; at < to; at++)
    if (cursor.kind(at + 1) === '(' && makesArrays(cursor.name(at) ?? '')) return true;
  return false;
}

function commasIn(cursor: Cursor, { from, to }: TokenRange): number {
  let commas = 0;
  for (let at = from; at < to; at++) if (cursor.kind(at) === ',') commas++;
  return commas;
}
