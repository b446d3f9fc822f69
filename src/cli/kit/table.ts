// Renders cells as an aligned table.
import { visible } from '../../service/observe/visible-text.ts';

const CELL_WIDTH = 60;

/** An aligned table; the first row is the header. Long cells are truncated, hidden characters become escapes. */
export function renderTable(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(shown));
  const [header = []] = cells;
  const widths = header.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...lines.slice(0, 1), widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)];
}

function shown(cell: string): string {
  const text = visible(cell.slice(0, 2 * CELL_WIDTH));
  return text.length > CELL_WIDTH ? `${text.slice(0, CELL_WIDTH - 1)}…` : text;
}
