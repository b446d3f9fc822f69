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

const SPARE = 8;

/** The top of row `index`, in pixels. `unfolded` is in ascending order. */
export function topOf(index: number, unfolded: readonly number[], { row, detail }: Heights): number {
  return index * row + unfolded.filter((each) => each < index).length * detail;
}

export function visibleRows(
  count: number,
  view: { readonly top: number; readonly height: number },
  unfolded: readonly number[],
  heights: Heights,
): Visible {
  const first = Math.max(0, rowAt(view.top, count, unfolded, heights) - SPARE);
  const end = Math.min(count, rowAt(view.top + view.height, count, unfolded, heights) + SPARE);
  return { first, end, offset: topOf(first, unfolded, heights), total: topOf(count, unfolded, heights) };
}

/** The row at a height, by bisection. */
function rowAt(y: number, count: number, unfolded: readonly number[], heights: Heights): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (topOf(middle, unfolded, heights) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
