// Rows as a virtualised table. Arrow keys move between cells, Enter expands a row, c copies.
import { Fragment } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { printJson, type Json, type Row } from '../service/json.ts';
import type { Column } from '../service/listing.ts';
import type { Sort } from '../state/address.ts';
import { useExplorer } from '../state/context.ts';
import { useCopy } from '../parts/copy.tsx';
import { sortRows, tableColumns, type TableColumn } from './columns.ts';
import { RowDetail } from './row-detail.tsx';
import { moved, type Cell } from './cell-keys.ts';
import { columnLayout, visibleColumns, type ColumnLayout, type VisibleColumns } from './column-window.ts';
import { HEAD_HEIGHT, TableHead } from './table-head.tsx';
import { TableRow } from './table-row.tsx';
import { useScroll, type ScrollView } from './use-scroll.ts';
import { topOf, visibleRows } from './window.ts';

const HEIGHTS = { row: 30, detail: 300 };

interface Props {
  readonly rows: readonly Row[];
  /** Column types, if known. */
  readonly columns: readonly Column[];
}

export function TableView({ rows: unsorted, columns: typed }: Props) {
  const { address, change } = useExplorer();
  const { sort } = address.value;
  const columns = useMemo(() => tableColumns(unsorted), [unsorted]);
  const rows = useMemo(() => sortRows(unsorted, sort), [unsorted, sort]);
  const [expanded, setExpanded] = useState<readonly number[]>([]);
  const [chosen, setActive] = useState<Cell>({ row: 0, column: 0 });
  const active = {
    row: Math.min(chosen.row, rows.length - 1),
    column: Math.min(chosen.column, columns.length - 1),
  };
  const scroller = useRef<HTMLDivElement>(null);
  const layout = useMemo(() => columnLayout(columns), [columns]);
  const view = useScroll(scroller);
  const shown = useMemo(() => visibleColumns(layout, view), [layout, view.left, view.width]);
  const toggle = (row: number): void => setExpanded(toggled(expanded, row));
  const go = (cell: Cell): void => {
    setActive(cell);
    reveal(scroller.current, { top: topOf(cell.row, expanded, HEIGHTS), ...edgesOf(layout, cell.column) });
  };
  const onKey = useCellKeys({ rows, columns, active, toggle, go });
  const setSort = (column: string): void => {
    setExpanded([]);
    change({ sort: nextSort(sort, column) });
  };
  return (
    <div
      class="grid"
      role="grid"
      tabIndex={0}
      ref={scroller}
      aria-label="Rows. Arrow keys move, Enter expands a row, c copies the cell, Shift C the row"
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={`cell-${active.row}-${active.column}`}
      onKeyDown={(event) => event.target === scroller.current && onKey(event)}
      style={{ '--columns': shown.template, '--table-width': `${layout.edges.at(-1) ?? 0}px` }}
    >
      <TableHead {...{ columns, typed, shown, sort }} onSort={setSort} />
      <Body {...{ rows, columns, shown, expanded, active, view, toggle }} onPick={setActive} />
    </div>
  );
}

interface KeysOptions {
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn[];
  readonly active: Cell;
  readonly toggle: (row: number) => void;
  readonly go: (cell: Cell) => void;
}

function useCellKeys({ rows, columns, active, toggle, go }: KeysOptions): (event: KeyboardEvent) => void {
  const copy = useCopy();
  return (event) => {
    if (event.ctrlKey || event.metaKey) return;
    const row = rows[active.row];
    const next = moved(active, event.key, { rows: rows.length, columns: columns.length });
    if (next !== undefined) go(next);
    else if (event.key === 'Enter' || event.key === ' ') toggle(active.row);
    else if (event.key === 'c') copy(cellText(row?.[columns[active.column]?.name ?? '']), 'the cell');
    else if (event.key === 'C') copy(printJson(row ?? null, '  '), 'the row');
    else return;
    event.preventDefault();
  };
}

interface BodyProps extends Pick<KeysOptions, 'rows' | 'columns' | 'active' | 'toggle'> {
  readonly expanded: readonly number[];
  readonly shown: VisibleColumns;
  readonly view: ScrollView;
  readonly onPick: (cell: Cell) => void;
}

function Body({ rows, columns, shown, active, expanded, view, toggle, onPick }: BodyProps) {
  const { first, end, offset, total } = visibleRows(rows.length, view, (row) =>
    topOf(row, expanded, HEIGHTS),
  );
  return (
    <div class="grid-body" role="rowgroup" style={{ height: `${total}px` }}>
      <div role="presentation" style={{ transform: `translateY(${offset}px)` }}>
        {rows.slice(first, end).map((row, i) => {
          const index = first + i;
          const isOpen = expanded.includes(index);
          const activeColumn = active.row === index ? active.column : undefined;
          return (
            <Fragment key={index}>
              <TableRow {...{ row, index, columns, shown, isOpen, activeColumn, toggle, onPick }} />
              {isOpen && <RowDetail row={row} height={HEIGHTS.detail} />}
            </Fragment>
          );
        })}
      </div>
    </div>
  );
}

function toggled(rows: readonly number[], row: number): readonly number[] {
  return rows.includes(row) ? rows.filter((each) => each !== row) : [...rows, row].toSorted((a, b) => a - b);
}

function nextSort(sort: Sort | undefined, column: string): Sort | undefined {
  if (sort?.column !== column) return { column, isDescending: false };
  return sort.isDescending ? undefined : { column, isDescending: true };
}

function cellText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : printJson(value, '  ');
}

interface Edges {
  readonly left: number;
  readonly right: number;
}

function edgesOf({ edges }: ColumnLayout, column: number): Edges {
  const left = edges[column] ?? 0;
  // The first column together with the button that expands the row.
  return { left: column === 0 ? 0 : left, right: edges[column + 1] ?? left };
}

/** Scrolls as little as makes the cell visible; of a cell wider than the table, its beginning. */
function reveal(scroller: HTMLElement | null, { top, left, right }: Edges & { readonly top: number }): void {
  if (scroller === null) return;
  const bottom = top + HEIGHTS.row + HEAD_HEIGHT;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (bottom > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = bottom - scroller.clientHeight;
  if (left < scroller.scrollLeft) scroller.scrollLeft = left;
  else if (right > scroller.scrollLeft + scroller.clientWidth)
    scroller.scrollLeft = Math.min(left, right - scroller.clientWidth);
}
