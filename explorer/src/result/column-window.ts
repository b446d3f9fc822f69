// Computes the visible columns of a wide table: fixed widths in pixels, of which only those in view are rendered.
import type { TableColumn } from './columns.ts';

export interface ColumnLayout {
  /** Pixels from the left edge of the table to each column; one more entry for the right edge of the last. */
  readonly edges: readonly number[];
}

export interface VisibleColumns {
  readonly first: number;
  /** Exclusive end index. */
  readonly end: number;
  /** `grid-template-columns` of a row: the expand column, one spacer, the visible columns. */
  readonly template: string;
}

const CHARACTER = 7.4;
const PADDING = 24;
/** The column with the button that expands a row, in pixels. */
export const EXPAND_WIDTH = 34;
const OVERSCAN = 200;

export function columnLayout(columns: readonly TableColumn[]): ColumnLayout {
  const edges = [EXPAND_WIDTH];
  for (const { width } of columns) edges.push((edges.at(-1) ?? 0) + Math.round(width * CHARACTER + PADDING));
  return { edges };
}

/** `view`: the visible part of the table, in pixels. The last column takes the space that is left. */
export function visibleColumns(
  { edges }: ColumnLayout,
  view: { readonly left: number; readonly width: number },
): VisibleColumns {
  const count = edges.length - 1;
  const found = edges.findIndex((edge, i) => i > 0 && edge > view.left - OVERSCAN);
  const first = found === -1 ? Math.max(0, count - 1) : found - 1;
  const after = edges.findIndex((edge, i) => i > first && edge >= view.left + view.width + OVERSCAN);
  const end = after === -1 ? count : Math.min(count, after);
  const tracks = edges.slice(first, end).map((edge, i) => {
    const width = `${(edges[first + i + 1] ?? edge) - edge}px`;
    return first + i === count - 1 ? `minmax(${width}, 1fr)` : width;
  });
  const spacer = (edges[first] ?? EXPAND_WIDTH) - EXPAND_WIDTH;
  return { first, end, template: [`${EXPAND_WIDTH}px`, `${spacer}px`, ...tracks].join(' ') };
}
