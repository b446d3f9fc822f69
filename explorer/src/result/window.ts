// Computes the visible rows of a long list: all rows have one height; expanded rows add a second, fixed height.

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

/** The top of row `index`, in pixels. `expanded` is in ascending order. */
export function topOf(index: number, expanded: readonly number[], { row, detail }: Heights): number {
  return index * row + expanded.filter((each) => each < index).length * detail;
}

export function visibleRows(
  count: number,
  view: { readonly top: number; readonly height: number },
  expanded: readonly number[],
  heights: Heights,
): Visible {
  const first = Math.max(0, rowAt(view.top, count, expanded, heights) - OVERSCAN);
  const end = Math.min(count, rowAt(view.top + view.height, count, expanded, heights) + OVERSCAN);
  return { first, end, offset: topOf(first, expanded, heights), total: topOf(count, expanded, heights) };
}

/** The row at a height, by bisection. */
function rowAt(y: number, count: number, expanded: readonly number[], heights: Heights): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (topOf(middle, expanded, heights) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
