// Keyboard navigation between table cells.

export interface Cell {
  readonly row: number;
  readonly column: number;
}

interface Size {
  readonly rows: number;
  readonly columns: number;
}

const PAGE = 15;

const STEPS: Readonly<Record<string, (cell: Cell, size: Size) => Cell>> = {
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  PageDown: ({ row, column }) => ({ row: row + PAGE, column }),
  PageUp: ({ row, column }) => ({ row: row - PAGE, column }),
  Home: ({ column }) => ({ row: 0, column }),
  End: ({ column }, { rows }) => ({ row: rows - 1, column }),
};

/** The cell that a key moves to, within the table; undefined for other keys. */
export function moved(cell: Cell, key: string, size: Size): Cell | undefined {
  const next = STEPS[key]?.(cell, size);
  if (next === undefined) return undefined;
  return { row: within(next.row, size.rows), column: within(next.column, size.columns) };
}

function within(value: number, count: number): number {
  return Math.max(0, Math.min(count - 1, value));
}
