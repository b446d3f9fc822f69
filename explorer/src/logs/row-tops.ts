// Computes where rows are in a long list: they have one height, or heights that are measured as rows are rendered.
import type { Row } from '../service/json.ts';

export interface Tops {
  /** Pixels above a row; of the number of rows, those of the whole list. */
  readonly topOf: (index: number) => number;
}

export function evenTops(height: number): Tops {
  return { topOf: (index) => index * height };
}

/** Rows that have not been measured are expected to have `estimate` pixels. */
export function measuredTops(rows: readonly Row[], heights: WeakMap<Row, number>, estimate: number): Tops {
  const tops = new Float64Array(rows.length + 1);
  for (const [index, row] of rows.entries())
    tops[index + 1] = (tops[index] ?? 0) + (heights.get(row) ?? estimate);
  return { topOf: (index) => tops[index] ?? 0 };
}
