// Decides where the rows of a page end.
import { Problem } from '../../../sql/base/problem.ts';
import { sealCursor } from './page-cursor.ts';
import type { TransformContext, Transformer } from '../transform/transformer.ts';
import type { Page } from './page-statement.ts';

/** `next` is defined if there may be more rows. */
export interface PageRows {
  readonly lines: Uint8Array;
  readonly rows: number;
  readonly truncated: false;
  readonly next: string | undefined;
}

const LF = 0x0a;

/**
 * Ends a page after `size` rows, or after the last row with the same key. If these are more than the maximum of rows, it ends
 * before the first row with this key: the rows are sorted by their keys. Throws Problem `page.not_divisible`.
 */
export async function cutPage(
  reading: KeyReading,
  lines: Uint8Array,
  { policy, size, scope, at }: Page,
  maxRows: number,
): Promise<PageRows> {
  const ends: number[] = [];
  for (let lf = lines.indexOf(LF); lf !== -1; lf = lines.indexOf(LF, lf + 1)) ends.push(lf + 1);
  const keysAt = keysReader(reading, { lines, ends, policy });
  const isEqual = async (a: number, b: readonly string[]): Promise<boolean> =>
    (await keysAt(a)).every((key, index) => key === b[index]);
  const through = async (rows: number): Promise<PageRows> => {
    const keys = await keysAt(rows - 1);
    const next = sealCursor(scope, { keys, at });
    if (next === undefined || keys.some((key) => key.includes('\uFFFD')))
      throw new Problem('page.not_divisible', {
        detail: 'A key of the last row is too long, or is not text',
      });
    return { lines: lines.subarray(0, ends[rows - 1]), rows, truncated: false, next };
  };
  if (ends.length <= size) return { lines, rows: ends.length, truncated: false, next: undefined };
  const first = await keysAt(size);
  if (!(await isEqual(size - 1, first))) return through(size);
  if (ends.length <= maxRows) return through(ends.length);
  const rows = await firstIndex(size - 1, (row) => isEqual(row, first));
  if (rows > 0) return through(rows);
  const detail = `More than ${maxRows} rows have the same keys (${policy.keys.map(({ name }) => name).join(', ')})`;
  throw new Problem('page.not_divisible', { detail });
}

/** A transformer reads the keys of rows, since a row can have many megabytes. */
export interface KeyReading {
  readonly transformer: Pick<Transformer, 'whole'>;
  readonly context: TransformContext;
}

interface PagedRows extends Pick<Page, 'policy'> {
  readonly lines: Uint8Array;
  /** It has the index after each row. */
  readonly ends: readonly number[];
}

/** Reads the keys of rows by their index, of each row once. */
function keysReader(
  { transformer, context }: KeyReading,
  { lines, ends, policy: { keys } }: PagedRows,
): (row: number) => Promise<readonly string[]> {
  const names = keys.map(({ name }) => name);
  const known = new Map<number, readonly string[]>();
  return async (row) => {
    const before = known.get(row);
    if (before !== undefined) return before;
    const line = lines.subarray(ends[row - 1] ?? 0, ends[row]);
    const { bytes } = await transformer.whole({ kind: 'members', names }, line, context);
    const members = JSON.parse(Buffer.from(bytes).toString()) as readonly (string | null)[]; // what the transform writes
    const values = members.map((value) => value ?? '');
    known.set(row, values);
    return values;
  };
}

/** Returns the first index up to `last` for which the condition holds. It must hold for `last`, and for every index after the first. */
async function firstIndex(last: number, holds: (index: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [0, last];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await holds(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}
