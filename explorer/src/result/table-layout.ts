// Holds how the visitor arranged a table: which columns are hidden or stay at the left, how wide they are, and what is searched.
import { useState } from 'preact/hooks';
import { useLayoutMemory } from '../parts/use-layout-memory.ts';
import { preview, type Row } from '../service/json.ts';
import type { TableColumn } from './columns.ts';

export interface TableLayout {
  readonly hidden: readonly string[];
  /** These columns stay at the left, in this order, while the others scroll. */
  readonly pinned: readonly string[];
  /** Pixels; others are as wide as their content. */
  readonly widths: Readonly<Record<string, number>>;
}

export interface TableState {
  readonly layout: TableLayout;
  readonly onLayout: (part: Partial<TableLayout>) => void;
  /** The letter case of the text does not matter; an empty text finds all rows. */
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** The column to scroll to; another object each time. */
  readonly wanted: { readonly column: string } | undefined;
  readonly find: (column: string) => void;
}

const INITIAL: TableLayout = { hidden: [], pinned: [], widths: {} };

/** `place`: the endpoint. */
export function useTableState(place: string): TableState {
  const [layout, onLayout] = useLayoutMemory(`table.${place}`, INITIAL);
  const [search, onSearch] = useState('');
  const [wanted, setWanted] = useState<{ readonly column: string }>();
  return { layout, onLayout, search, onSearch, wanted, find: (column) => setWanted({ column }) };
}

/** The columns that are shown, the pinned ones first; at least one. */
export function shownColumns(
  columns: readonly TableColumn[],
  { hidden, pinned }: TableLayout,
): readonly TableColumn[] {
  const [out, first] = [new Set(hidden), new Set(pinned)];
  const shown = columns.filter(({ name }) => !out.has(name));
  const order = pinned.flatMap((name) => shown.find((each) => each.name === name) ?? []);
  const all = [...order, ...shown.filter(({ name }) => !first.has(name))];
  return all.length === 0 ? columns.slice(0, 1) : all;
}

/** The length of the text of a value that is searched. */
const MAX_TEXT = 10_000;

/** The rows with the text in a column that is shown. */
export function matchingRows(
  rows: readonly Row[],
  columns: readonly TableColumn[],
  pattern: RegExp | undefined,
): readonly Row[] {
  if (pattern === undefined) return rows;
  const names = columns.map(({ name }) => name);
  const once = new RegExp(pattern.source, 'i'); // a global one goes on where it ended
  return rows.filter((row) => names.some((name) => hasMatch(row[name], once)));
}

function hasMatch(value: Row[string] | undefined, pattern: RegExp): boolean {
  if (value === null || value === undefined) return false;
  return pattern.test(typeof value === 'string' ? value : preview(value, MAX_TEXT));
}

/** Finds the text itself, in any letter case; undefined for no text. */
export function searchPattern(search: string): RegExp | undefined {
  const text = search.trim();
  return text === '' ? undefined : new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'gi');
}
