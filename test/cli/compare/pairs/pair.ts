// A change of a query, the class that it must have, and what rows show it.

/** What a call sees after the change. */
export type Shown =
  /** The result depends on other tenants' rows, and did not before. */
  | 'other tenants'
  /** Values or rows that no result had before, of the caller's own tenant. */
  | 'more'
  /** Equal rows, whatever is stored. */
  | 'equal'
  /** Not more rows than before, and nothing of other tenants. */
  | 'fewer'
  /** Other rows or columns, calculated from what could be read before; nothing of other tenants. */
  | 'own';

export interface Pair {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  /** Whether both are tables of a sandbox, which consumers read in full, instead of saved queries. */
  readonly isTable: boolean;
  readonly shown: Shown;
}

type Row = readonly [name: string, before: string, after: string];

/** Saved queries before and after. */
export function pairs(shown: Shown, rows: readonly Row[]): readonly Pair[] {
  return rows.map(([name, before, after]) => ({ name, before, after, isTable: false, shown }));
}

type Edit = readonly [name: string, from: string, to: string];

/** Edits of one saved query. Each replaces the first occurrence; '' stands for the end. */
export function edits(shown: Shown, before: string, rows: readonly Edit[]): readonly Pair[] {
  return pairs(
    shown,
    rows.map(([name, from, to]) => [name, before, edited(before, from, to)]),
  );
}

function edited(before: string, from: string, to: string): string {
  if (from === '') return `${before}${to}`;
  if (!before.includes(from)) throw new Error(`${from} is not in ${before}`);
  return before.replace(from, () => to);
}

/** The same changes in tables of a sandbox. */
export function asTables(all: readonly Pair[]): readonly Pair[] {
  return all.map((pair) => ({ ...pair, isTable: true }));
}
