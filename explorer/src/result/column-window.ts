// Computes the visible columns of a wide table: fixed widths in pixels, of which only those in view are rendered.
import type { TableColumn } from './columns.ts';

export interface ColumnLayout {
  /** Pixels from the left edge of the table to each column; one more entry for the right edge of the last. */
  readonly edges: readonly number[];
  /** The first so many columns stay at the left. */
  readonly pinned: number;
}

export interface VisibleColumns {
  /** The first rendered column that scrolls has this index. */
  readonly first: number;
  /** Exclusive end index. */
  readonly end: number;
  /** `grid-template-columns` of a row: the expand column, the pinned columns, one spacer, the visible columns. */
  readonly template: string;
}

const CHARACTER = 7.4;
const PADDING = 24;
/** The column with the button that expands a row, in pixels. */
export const EXPAND_WIDTH = 34;
const OVERSCAN = 200;

export interface LayoutOptions {
  readonly pinned?: number;
  /** Pixels, by name. */
  readonly widths?: Readonly<Record<string, number>>;
}

export function columnLayout(
  columns: readonly TableColumn[],
  { pinned = 0, widths = {} }: LayoutOptions = {},
): ColumnLayout {
  const edges = [EXPAND_WIDTH];
  for (const { name, width } of columns)
    edges.push((edges.at(-1) ?? 0) + (widths[name] ?? Math.round(width * CHARACTER + PADDING)));
  return { edges, pinned };
}

/** `view`: the visible part of the table, in pixels. The last column takes the space that is left. */
export function visibleColumns(
  { edges, pinned }: ColumnLayout,
  view: { readonly left: number; readonly width: number },
): VisibleColumns {
  const count = edges.length - 1;
  const scrolled = edges[pinned] ?? EXPAND_WIDTH;
  const left = view.left + scrolled - EXPAND_WIDTH - OVERSCAN;
  const found = edges.findIndex((edge, i) => i > pinned && edge > left);
  const first = found === -1 ? Math.max(pinned, count - 1) : found - 1;
  const after = edges.findIndex((edge, i) => i > first && edge >= view.left + view.width + OVERSCAN);
  const end = after === -1 ? count : Math.min(count, after);
  const widthOf = (index: number): string => `${(edges[index + 1] ?? 0) - (edges[index] ?? 0)}px`;
  const trackOf = (index: number): string =>
    index === count - 1 ? `minmax(${widthOf(index)}, 1fr)` : widthOf(index);
  const fixed = Array.from({ length: pinned }, (_, index) => trackOf(index));
  const tracks = Array.from({ length: Math.max(0, end - first) }, (_, index) => trackOf(first + index));
  const spacer = (edges[first] ?? scrolled) - scrolled;
  return { first, end, template: [`${EXPAND_WIDTH}px`, ...fixed, `${spacer}px`, ...tracks].join(' ') };
}

/** A pinned column stays at the left edge, since the column with the buttons scrolls away. Other columns have no style. */
export function pinnedStyle({ edges, pinned }: ColumnLayout, column: number): { readonly left?: string } {
  return column < pinned ? { left: `${(edges[column] ?? 0) - EXPAND_WIDTH}px` } : {};
}

/** The indexes of the columns that are rendered. */
export function renderedColumns(pinned: number, { first, end }: VisibleColumns): readonly number[] {
  const scrolled = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  return [
    ...Array.from({ length: pinned }, (_, index) => index),
    ...scrolled.filter((index) => index >= pinned),
  ];
}
