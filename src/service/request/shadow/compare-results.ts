// Compares the rows of two versions: columns, types, number and order of rows, and values. Reports columns and counts, never values.
import { setImmediate } from 'node:timers/promises';
import type { ColumnDifference, Difference } from '../../../sql/base/observation.ts';
import type { Column } from '../../engine/engine.ts';
import { linesOf, membersOf } from '../../formats/members.ts';
import { valueDifference, type NumberRule } from './compare-values.ts';
import { hasType, isFloat } from '../../../sql/types/traits.ts';
import { parseType } from '../../../sql/types/type.ts';

/** Rows in JSONEachRow, with numbers that are not finite as strings; and the columns, if the engine described them. */
export interface ComparedResult {
  readonly lines: Uint8Array;
  readonly columns: readonly Column[] | undefined;
}

/** Rows compared in one turn of the event loop, so that requests do not wait. */
const SLICE = 100;
/** Differences of one comparison; of more columns, the first are reported. */
const MAX_DIFFERENCES = 50;

/** The differences, in the order of the columns; empty if callers get the same. `tolerance` is relative. */
export async function compareResults(
  before: ComparedResult,
  after: ComparedResult,
  tolerance: number,
): Promise<readonly Difference[]> {
  const found = [...typeDifferences(before, after)];
  if (Buffer.compare(before.lines, after.lines) !== 0 || before.lines.length === 0) {
    const [old, now] = [linesOf(before.lines), linesOf(after.lines)];
    const names = namesOf({ ...before, rows: old }, { ...after, rows: now });
    found.push(...columnDifferences(names, Math.max(old.length, now.length)));
    found.push(...(await rowDifferences(old, now, rulesOf(before, after, { names, tolerance }))));
  }
  return merge(found).slice(0, MAX_DIFFERENCES);
}

/** The names of both results, in their order. */
type Names = readonly [before: readonly string[], after: readonly string[]];

interface Listed extends Pick<ComparedResult, 'columns'> {
  readonly rows: readonly string[];
}

/** Of the rows, because redaction can drop columns; of the described columns if a result has no rows. */
function namesOf(before: Listed, after: Listed): Names {
  const [first, second] = [before.rows[0], after.rows[0]];
  if (first !== undefined && second !== undefined)
    return [membersOf(first).map(({ name }) => name), membersOf(second).map(({ name }) => name)];
  if (before.columns === undefined || after.columns === undefined) return [[], []];
  return [before.columns.map(({ name }) => name), after.columns.map(({ name }) => name)];
}

function* columnDifferences([old, now]: Names, count: number): Generator<Difference> {
  const rows = Math.max(1, count);
  for (const column of old) if (!now.includes(column)) yield { column, difference: 'missing', rows };
  for (const column of now) if (!old.includes(column)) yield { column, difference: 'added', rows };
  const [first, second] = [
    old.filter((name) => now.includes(name)),
    now.filter((name) => old.includes(name)),
  ];
  const column = second.find((name, index) => name !== first[index]);
  if (column !== undefined) yield { column, difference: 'moved', rows };
}

function* typeDifferences(before: ComparedResult, after: ComparedResult): Generator<Difference> {
  const types = new Map(before.columns?.map(({ name, type }) => [name, type]));
  for (const { name, type } of after.columns ?? []) {
    const was = types.get(name);
    if (was !== undefined && was !== type) yield { column: name, difference: 'type', rows: 1 };
  }
}

type Rules = ReadonlyMap<string, NumberRule>;

/** How the columns that both results have are compared. */
function rulesOf(
  before: ComparedResult,
  after: ComparedResult,
  { names: [old, now], tolerance }: { readonly names: Names; readonly tolerance: number },
): Rules {
  const isFloat = (name: string, { columns }: ComparedResult): boolean =>
    hasFloats(columns?.find((column) => column.name === name));
  return new Map(
    old
      .filter((name) => now.includes(name))
      .map((name) => [name, { tolerance, isFloat: isFloat(name, before) && isFloat(name, after) }]),
  );
}

/** A column that is not described may have floating-point numbers. */
function hasFloats(column: { readonly type: string } | undefined): boolean {
  return column === undefined || hasType(parseType(column.type), isFloat);
}

async function rowDifferences(
  old: readonly string[],
  now: readonly string[],
  rules: Rules,
): Promise<readonly Difference[]> {
  const found: Difference[] = [];
  const count = Math.abs(old.length - now.length);
  if (count > 0) found.push({ column: undefined, difference: 'rows', rows: count });
  if (count === 0) {
    const inPlace = await pairDifferences(old, now, rules);
    if (inPlace.length === 0) return found;
  }
  // Rows that both have are left out, so that one row more does not make every later row a difference.
  const [keyed, others] = [await keysOf(old, rules), await keysOf(now, rules)];
  const [rest, otherRest] = [without(keyed, others), without(others, keyed)];
  found.push(...(await pairDifferences(textsOf(rest.left, old), textsOf(otherRest.left, now), rules)));
  const moved = rest.common.filter((key, index) => key !== otherRest.common[index]).length;
  if (moved > 0) found.push({ column: undefined, difference: 'order', rows: moved });
  return found;
}

/** Rows at the same position, as far as both have rows. */
async function pairDifferences(
  old: readonly string[],
  now: readonly string[],
  rules: Rules,
): Promise<readonly Difference[]> {
  const found: Difference[] = [];
  for (const [index, row] of old.entries()) {
    const other = now[index];
    if (other === undefined) break;
    if (row === other) continue;
    if (index % SLICE === SLICE - 1) await setImmediate();
    const values = new Map(membersOf(other).map(({ name, value }) => [name, value]));
    for (const { name: column, value } of membersOf(row)) {
      const [rule, second] = [rules.get(column), values.get(column)];
      if (rule === undefined || second === undefined) continue;
      const difference: ColumnDifference | undefined = valueDifference(value, second, rule);
      if (difference !== undefined) found.push({ column, difference, rows: 1 });
    }
  }
  return merge(found);
}

/** Of each row, the values of the columns that both results have, by name. */
async function keysOf(rows: readonly string[], rules: Rules): Promise<readonly string[]> {
  const names = [...rules.keys()];
  const keys: string[] = [];
  for (const [index, row] of rows.entries()) {
    if (index % SLICE === SLICE - 1) await setImmediate();
    const values = new Map(membersOf(row).map(({ name, value }) => [name, value]));
    keys.push(names.map((name) => values.get(name) ?? '').join(','));
  }
  return keys;
}

/** The positions of the keys that the others do not have, and those that both have, each as often as in both. */
function without(
  keys: readonly string[],
  others: readonly string[],
): { readonly left: readonly number[]; readonly common: readonly string[] } {
  const counts = new Map<string, number>();
  for (const key of others) counts.set(key, (counts.get(key) ?? 0) + 1);
  const [left, common]: [number[], string[]] = [[], []];
  for (const [index, key] of keys.entries()) {
    const count = counts.get(key) ?? 0;
    counts.set(key, count - 1);
    if (count > 0) common.push(key);
    else left.push(index);
  }
  return { left, common };
}

function textsOf(indexes: readonly number[], rows: readonly string[]): readonly string[] {
  return indexes.flatMap((index) => rows[index] ?? []);
}

/** One difference of each kind for each column, with the sum of their rows. */
function merge(found: readonly Difference[]): readonly Difference[] {
  const merged = new Map<string, Difference>();
  for (const each of found) {
    const key = `${each.difference} ${each.column ?? ''}`;
    merged.set(key, { ...each, rows: each.rows + (merged.get(key)?.rows ?? 0) });
  }
  return [...merged.values()];
}
