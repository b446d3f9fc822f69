// A table's columns derived from rows: names, kinds and widths; and sorting rows.
import { isDecimal, isNested, isNonFinite, isNumber, preview, type Json, type Row } from '../service/json.ts';
import { onOneLine, visibleText } from '../parts/hidden-characters.ts';
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
      (most, row) => Math.max(most, visibleText(shownText(row[name], WIDEST)).length),
      name.length + 2,
    );
    const values = sample.map((row) => row[name]).filter((value) => value !== null);
    const isNumeric =
      values.some((value) => isNumber(value)) &&
      values.every((value) => isNumber(value) || isNonFinite(value));
    return { name, isNumeric, width: Math.min(WIDEST, Math.max(NARROWEST, longest)) };
  });
}

/** Returns the value as its cell shows it, in about `limit` characters. */
export function shownText(value: Json | undefined, limit: number): string {
  return onOneLine(preview(value, limit));
}

/** Sorts rows by one column. The sort is stable; texts such as `nan` come after numbers, null and missing values last. */
export function sortRows(rows: readonly Row[], sort: Sort | undefined): readonly Row[] {
  if (sort === undefined) return rows;
  const direction = sort.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [x, y] = [a[sort.column] ?? null, b[sort.column] ?? null];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    if (isNumber(x) !== isNumber(y)) return Number(isNumber(y)) - Number(isNumber(x));
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
