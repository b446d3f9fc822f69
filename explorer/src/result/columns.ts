// A table's columns derived from rows: names, kinds and widths; and sorting rows.
import { isDecimal, isNested, isNumber, preview, type Json, type Row } from '../service/json.ts';
import { visibleText } from '../parts/hidden-characters.ts';
import type { Sort } from '../state/address.ts';

export interface TableColumn {
  readonly name: string;
  readonly isNumeric: boolean;
  /** In characters of the table's font. */
  readonly width: number;
}

const LOOKED_AT = 200;
const WIDEST = 42;
const NARROWEST = 8;

/** ClickHouse gives every row the same columns. */
export function tableColumns(rows: readonly Row[]): readonly TableColumn[] {
  const sample = rows.slice(0, LOOKED_AT);
  return Object.keys(rows[0] ?? {}).map((name) => {
    const longest = sample.reduce(
      (most, row) => Math.max(most, visibleText(preview(row[name], WIDEST)).length),
      name.length + 2,
    );
    const values = sample.map((row) => row[name]).filter((value) => value !== null);
    const isNumeric = values.length > 0 && values.every((value) => isNumber(value));
    return { name, isNumeric, width: Math.min(WIDEST, Math.max(NARROWEST, longest)) };
  });
}

/** Sorts rows by one column. The sort is stable; null and missing values come last. */
export function sortRows(rows: readonly Row[], sort: Sort | undefined): readonly Row[] {
  if (sort === undefined) return rows;
  const direction = sort.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [x, y] = [a[sort.column] ?? null, b[sort.column] ?? null];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return direction * compare(x, y);
  });
}

function compare(a: Json, b: Json): number {
  if (isNumber(a) && isNumber(b)) {
    const [x, y] = [isDecimal(a) ? Number(String(a)) : a, isDecimal(b) ? Number(String(b)) : b];
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const [x, y] = [textOf(a), textOf(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function textOf(value: Json): string {
  return isNested(value) ? preview(value, LOOKED_AT) : String(value);
}
