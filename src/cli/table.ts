// Renders rows as an aligned table or as CSV.

export type Row = Readonly<Record<string, unknown>>;

const CELL_WIDTH = 60;

/** Rows as an aligned table; long values are truncated. */
export function renderTable(rows: readonly Row[]): string[] {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((column) => cellText(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...lines.slice(0, 1), widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)];
}

function cellText(value: unknown): string {
  // oxlint-disable-next-line no-control-regex -- data must not send escape sequences to the terminal
  const text = plainText(value).replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
  return text.length > CELL_WIDTH ? `${text.slice(0, CELL_WIDTH - 1)}…` : text;
}

/** Rows as CSV (RFC 4180) with a header line; nested values as JSON. */
export function renderCsv(rows: readonly Row[]): string[] {
  const columns = Object.keys(rows[0] ?? {});
  return [columns, ...rows.map((row) => columns.map((column) => plainText(row[column])))].map(csvLine);
}

function csvLine(cells: readonly string[]): string {
  return cells.map(quoteCsv).join(',');
}

function quoteCsv(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
