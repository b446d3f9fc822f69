// Which rows of a result were not in the result before.
import { membersOf } from '../../formats/member.ts';
import { elementsOf } from '../../formats/members.ts';

/** The rows of a result, identified by the values of some columns. */
export interface KeyedRows {
  /** Each a JSON object, in the order of the result. */
  readonly rows: readonly string[];
  /** Of each row. */
  readonly keys: readonly string[];
}

/** Rows of a larger body are not compared. */
const MAX_BYTES = 4 * 2 ** 20;

/** The rows of a JSON body; undefined if a row lacks a column of the key, or they are too many to compare. */
export function keyedRows(body: Buffer, columns: readonly string[]): KeyedRows | undefined {
  if (body.length > MAX_BYTES) return undefined;
  const rows = elementsOf(body.toString());
  const keys: string[] = [];
  for (const row of rows) {
    const values = membersOf(row, columns);
    if (values.includes(undefined)) return undefined;
    keys.push(JSON.stringify(values));
  }
  return { rows, keys };
}

/** How often each key occurs. */
export type KeyCounts = ReadonlyMap<string, number>;

export function countKeys(keys: readonly string[]): KeyCounts {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/**
 * The rows whose key was not in the result before. Undefined if that may not be all that is new: no row of the result
 * before is left, so that others may have come and gone in between, or that it is empty now; or more rows than before share a key that was there
 * already.
 */
export function newRows(before: KeyCounts, { rows, keys }: KeyedRows): readonly string[] | undefined {
  if (before.size === 0) return rows;
  const counts = countKeys(keys);
  let isContinuous = false;
  for (const [key, count] of counts) {
    const had = before.get(key);
    if (had === undefined) continue;
    if (count > had) return undefined;
    isContinuous = true;
  }
  return isContinuous ? rows.filter((_, index) => !before.has(keys[index] ?? '')) : undefined;
}
