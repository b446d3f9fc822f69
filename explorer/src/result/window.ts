// Computes the visible rows of a long list, from where each row begins.

export interface Heights {
  readonly row: number;
  /** Added below an expanded row. */
  readonly detail: number;
}

export interface Visible {
  readonly first: number;
  /** Exclusive end index. */
  readonly end: number;
  /** Pixels above the first row. */
  readonly offset: number;
  /** Pixels of the whole list. */
  readonly total: number;
}

const OVERSCAN = 8;

/** The top of row `index`, in pixels, if all rows have one height and expanded ones add another. `expanded` is in ascending order. */
export function topOf(index: number, expanded: readonly number[], { row, detail }: Heights): number {
  return index * row + expanded.filter((each) => each < index).length * detail;
}

/** `top`: where a row begins, in pixels; of `count`, where the list ends. */
export function visibleRows(
  count: number,
  view: { readonly top: number; readonly height: number },
  top: (index: number) => number,
): Visible {
  const first = Math.max(0, rowAt(view.top, count, top) - OVERSCAN);
  const end = Math.min(count, rowAt(view.top + view.height, count, top) + OVERSCAN);
  return { first, end, offset: top(first), total: top(count) };
}

/** The row at a height, by bisection. */
function rowAt(y: number, count: number, top: (index: number) => number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (top(middle) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
