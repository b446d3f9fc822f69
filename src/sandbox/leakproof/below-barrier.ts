// Conditions of a consumer query that are also evaluated inside the tables that it reads, of a WHERE directly over a table that
// the query reads once: leakproof ones below the barrier, where they select index ranges, and total ones beside the endpoint's own
// condition, where the engine evaluates them before it reads other columns. The consumer's WHERE evaluates them again.
import type { Cursor } from '../../sql/cursor.ts';
import type { Node, TokenRange } from '../../sql/tree/nodes.ts';
import { conjunctsOf, partOf, textOf } from '../../sql/tree/visit.ts';
import { usesNames } from './condition-ranges.ts';
import { CONSTANTS, UNITS } from '../../sql/tree/keywords.ts';
import type { LeakproofCheck } from './leakproof.ts';
import type { ReadTable } from '../read-table.ts';
import type { ScanResult } from '../scan/scanner.ts';
import type { SelectFinding } from '../scan/selects.ts';
import { storedColumns } from './stored-columns.ts';
import { totalCondition } from './total-conditions.ts';

/** Conditions on one table. */
export interface BelowBarrier {
  readonly alias: string;
  /** Leakproof ones, as the consumer's tokens, joined by spaces: columns of the table, which may be qualified with `alias`. */
  readonly conditions: readonly string[];
  /** Total ones, on columns of the stored table. */
  readonly stored: readonly string[];
}

/** The conditions that may be repeated inside the tables, by table. */
export function conditionsBelow(
  { tree, selects, sets, names, reads: count }: ScanResult,
  { isLeakproof, isRangeLeakproof, isReadByIndexes }: LeakproofCheck,
  tables: readonly ReadTable[],
): ReadonlyMap<string, BelowBarrier> {
  const { cursor } = tree;
  const found = new Map<string, BelowBarrier>();
  const reads = selects.flatMap(({ sources }) => sources.map(({ table }) => table));
  for (const select of selects) {
    const [source] = select.sources;
    if (source?.table === undefined || select.sources.length > 1 || select.isMultiplied) continue;
    const { table: name, alias = name } = source;
    const table = tables.find((each) => each.name === name);
    if (table === undefined || sets.has(name) || reads.filter((each) => each === name).length > 1) continue;
    if (!isNamedOnce(cursor, alias)) continue;
    const own = { alias, columns: new Set(table.columns.map((column) => column.name)) };
    const others = without(names, alias);
    const canRepeat = (range: TokenRange): boolean =>
      !isLeakproof && // there is no barrier
      !usesNames(cursor, range, others) &&
      isOwn(cursor, range, own) &&
      isRangeLeakproof(range);
    const columnOf = storedColumns(cursor, { table, alias, names });
    // Other rows than a redacted search selects must not make the query fail: a quoted local part may decide which are selected.
    const total = { cursor, columnOf, isRangeLeakproof, isImpliedEnough: isLeakproof };
    const [conditions, stored]: [string[], string[]] = [[], []];
    let terms = 0;
    for (const range of conjunctsIn(select)) {
      const all = terms + termsIn(cursor, range);
      const isCheap = all ** 2 * count <= MAX_STORED_TERMS ** 2;
      const sql =
        isCheap && isReadByIndexes(range)
          ? table.passes?.filtering && totalCondition(total, range)
          : undefined;
      if (sql !== undefined) {
        stored.push(sql);
        terms = all;
      } else if (canRepeat(range)) conditions.push(textOf({ cursor }, range));
    }
    if (conditions.length > 0 || stored.length > 0) found.set(name, { alias, conditions, stored });
  }
  return found;
}

/**
 * Names and operators in the conditions that are repeated inside a view. For each read of a table the engine takes time quadratic
 * in them there, which `max_execution_time` does not limit: 250 comparisons 0.1 s, 1,900 up to 20 s.
 */
const MAX_STORED_TERMS = 750;

/** Names, operators and brackets: the values of an IN cost little. */
function termsIn(cursor: Cursor, { from, to }: TokenRange): number {
  let terms = 0;
  for (let at = from; at < to; at++) if (!VALUES.has(cursor.kind(at))) terms++;
  return terms;
}

const VALUES: ReadonlySet<string | undefined> = new Set(['number', 'string', ',']);

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

function conjunctsIn({ node }: SelectFinding): readonly Node[] {
  const condition = partOf(node, 'where')?.parts[0];
  return condition === undefined ? [] : conjunctsOf(condition);
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
