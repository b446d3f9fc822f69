// Conditions of a consumer query that may also be evaluated below the barrier, where they select index ranges: those that cannot
// fail on a row, of a WHERE directly over a table that the query reads once. Above the barrier they are evaluated again.
import type { Cursor } from '../../sql/cursor.ts';
import { endOf, usesNames } from './condition-ranges.ts';
import type { TokenRange } from './condition-ranges.ts';
import type { LexedQuery } from '../lexed-query.ts';
import { CONSTANTS, UNITS } from '../keywords.ts';
import type { LeakproofCheck } from './leakproof.ts';
import type { ScanResult } from '../scan/scanner.ts';
import type { SelectFinding } from '../scan/selects.ts';
import type { TableColumn } from '../statement.ts';

/** Conditions on one table: they refer to its columns, and may qualify them with `alias`. */
export interface BelowBarrier {
  readonly alias: string;
  /** The consumer's tokens, joined by spaces. */
  readonly conditions: readonly string[];
}

/** The conditions that may be repeated below the barrier, by table. `columns` are those of each table. */
export function conditionsBelow(
  { cursor }: LexedQuery,
  { selects, sets, names }: ScanResult,
  { isRangeLeakproof }: LeakproofCheck,
  columns: ReadonlyMap<string, readonly TableColumn[]>,
): ReadonlyMap<string, BelowBarrier> {
  const found = new Map<string, BelowBarrier>();
  const reads = selects.flatMap(({ sources }) => sources.map(({ table }) => table));
  for (const select of selects) {
    const [source] = select.sources;
    if (source?.table === undefined || select.sources.length > 1 || select.isMultiplied) continue;
    const { table, alias = table } = source;
    if (sets.has(table) || reads.filter((each) => each === table).length > 1) continue;
    if (!isNamedOnce(cursor, alias)) continue;
    const own = { alias, columns: new Set(columns.get(table)?.map(({ name }) => name)) };
    const conditions = conjunctsOf(cursor, whereOf(cursor, select))
      .filter((range) => !usesNames(cursor, range, without(names, alias)))
      .filter((range) => isOwn(cursor, range, own) && isRangeLeakproof(range))
      .map(({ from, to }) => joinTokens(cursor, from, to));
    if (conditions.length > 0) found.set(table, { alias, conditions });
  }
  return found;
}

/** Whether only the source has this name: as an alias of a value it would mean something else before a dot. */
function isNamedOnce(cursor: Cursor, alias: string): boolean {
  const others = Array.from({ length: cursor.length }, (_, at) => at).filter((at) => {
    return cursor.name(at) === alias && cursor.kind(at + 1) !== '.' && cursor.kind(at - 1) !== '.';
  });
  return others.length === 1;
}

function without(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return new Set([...names].filter((each) => each !== name));
}

function joinTokens(cursor: Cursor, from: number, to: number): string {
  return Array.from({ length: to - from }, (_, index) => cursor.text(from + index)).join(' ');
}

function whereOf(cursor: Cursor, { start, end }: SelectFinding): TokenRange {
  for (let at = start; at < end; at = cursor.after(at)) {
    if (cursor.word(at) === 'WHERE') return { from: at + 1, to: Math.min(end, endOf(cursor, at + 1)) };
  }
  return { from: end, to: end };
}

/** Operators that bind less than AND, or contain an AND of their own. */
const LOOSE: ReadonlySet<string | undefined> = new Set(['OR', 'CASE', 'AS']);

/** The parts between AND; BETWEEN keeps the next AND. The whole if there is an operator that binds less. */
function conjunctsOf(cursor: Cursor, { from, to }: TokenRange): readonly TokenRange[] {
  const ranges: TokenRange[] = [];
  let start = from;
  let isBetween = false;
  for (let at = from; at < to; at = cursor.after(at)) {
    const word = cursor.word(at);
    if (word === 'BETWEEN') isBetween = true;
    else if (LOOSE.has(word) || cursor.kind(at) === '?' || cursor.kind(at) === '->') return [{ from, to }];
    if (word !== 'AND') continue;
    if (!isBetween) {
      ranges.push({ from: start, to: at });
      start = at + 1;
    }
    isBetween = false;
  }
  return [...ranges, { from: start, to }].filter((range) => range.to > range.from);
}

interface Own {
  readonly alias: string;
  readonly columns: ReadonlySet<string>;
}

const OPERATORS: ReadonlySet<string | undefined> = new Set(
  'AND OR NOT LIKE ILIKE REGEXP IN IS BETWEEN INTERVAL'.split(' '),
);

function readsName(cursor: Cursor, from: number): boolean {
  let at = from;
  while (cursor.kind(at) === '(') at++;
  return (cursor.kind(at) === 'word' || cursor.kind(at) === 'quoted') && cursor.kind(at + 1) !== '(';
}

/** Whether all names are columns of the table, which no subquery and no function that multiplies rows uses. */
function isOwn(cursor: Cursor, { from, to }: TokenRange, { alias, columns }: Own): boolean {
  for (let at = from; at < to; at++) {
    const kind = cursor.kind(at);
    if (kind === '->') return false; // arguments of lambdas are names too
    if (kind !== 'word' && kind !== 'quoted') continue;
    const word = cursor.word(at);
    const name = cursor.name(at) ?? '';
    if (cursor.kind(at - 1) === '.' || cursor.kind(at - 1) === '::') continue;
    if (word === 'IN' && readsName(cursor, at + 1)) return false;
    if (OPERATORS.has(word) || CONSTANTS.has(word ?? '')) continue;
    if (UNITS.has(word ?? '') && cursor.word(at - 2) === 'INTERVAL') continue;
    const isCall = cursor.kind(at + 1) === '(';
    if (isCall && !/^(?:arrayjoin|unnest|case|exists|any|all|some)$/i.test(name)) continue;
    const isQualified = name === alias && cursor.kind(at + 1) === '.' && !columns.has(name);
    const column = isQualified ? (cursor.name(at + 2) ?? '') : name;
    if (isCall || !columns.has(column)) return false;
  }
  return true;
}
