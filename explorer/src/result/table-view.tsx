// Rows as a virtualised table. Arrow keys move between cells, Enter expands a row, c copies.
import { Fragment } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { preview, printJson, type Json, type Row } from '../service/json.ts';
import type { Column } from '../service/listing.ts';
import type { Sort } from '../state/address.ts';
import { useExplorer } from '../state/context.ts';
import { useCopy } from '../parts/copy.tsx';
import { counted } from '../parts/words.ts';
import { sortRows, tableColumns, type TableColumn } from './columns.ts';
import { RowDetail } from './row-detail.tsx';
import { moved, type Cell } from './cell-keys.ts';
import {
  columnLayout,
  EXPAND_WIDTH,
  visibleColumns,
  type ColumnLayout,
  type VisibleColumns,
} from './column-window.ts';
import { HEAD_HEIGHT, TableHead } from './table-head.tsx';
import { matchingRows, searchPattern, shownColumns, type TableState } from './table-layout.ts';
import { TableRow } from './table-row.tsx';
import { useScroll, type ScrollView } from './use-scroll.ts';
import { topOf, visibleRows } from './window.ts';

const HEIGHTS = { row: 30, detail: 300 };

interface Props {
  readonly rows: readonly Row[];
  /** Column types, if known. */
  readonly columns: readonly Column[];
  readonly state: TableState;
}

/** The columns and rows as the visitor arranged them. */
function useArranged(all: readonly Row[], { layout, search }: TableState, sort: Sort | undefined) {
  const existing = useMemo(() => tableColumns(all), [all]);
  const columns = useMemo(() => shownColumns(existing, layout), [existing, layout.hidden, layout.pinned]);
  const pattern = useMemo(() => searchPattern(search), [search]);
  const found = useMemo(() => matchingRows(all, columns, pattern), [all, columns, pattern]);
  const rows = useMemo(() => sortRows(found, sort), [found, sort]);
  const places = useMemo(() => {
    const pinned = columns.filter(({ name }) => layout.pinned.includes(name)).length;
    return columnLayout(columns, { pinned, widths: layout.widths });
  }, [columns, layout]);
  return { columns, pattern, rows, places };
}

export function TableView({ rows: all, columns: typed, state }: Props) {
  const { address, change } = useExplorer();
  const { sort } = address.value;
  const { layout, onLayout, wanted } = state;
  const { columns, pattern, rows, places } = useArranged(all, state, sort);
  const [expanded, setExpanded] = useState<readonly number[]>([]);
  const [chosen, setActive] = useState<Cell>({ row: 0, column: 0 });
  const active = {
    row: Math.max(0, Math.min(chosen.row, rows.length - 1)),
    column: Math.min(chosen.column, columns.length - 1),
  };
  const scroller = useRef<HTMLDivElement>(null);
  const view = useScroll(scroller);
  const shown = useMemo(() => visibleColumns(places, view), [places, view.left, view.width]);
  useEffect(() => setExpanded([]), [pattern, sort]);
  const toggle = (row: number): void => setExpanded(toggled(expanded, row));
  const go = (cell: Cell): void => {
    setActive(cell);
    reveal(scroller.current, topOf(cell.row, expanded, HEIGHTS), edgesOf(places, cell.column));
  };
  useEffect(() => {
    const column = columns.findIndex(({ name }) => name === wanted?.column);
    if (column < 0) return;
    go({ row: active.row, column });
    scroller.current?.focus();
  }, [wanted, columns.length]);
  const onKey = useCellKeys({ rows, columns, active, toggle, go });
  return (
    <div class="table-frame">
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
        onPointerOver={({ target }) => titleCell(target, rows, columns)}
        style={{
          '--columns': shown.template,
          '--first-column': String(places.pinned + 3),
          '--table-width': `${places.edges.at(-1) ?? 0}px`,
        }}
      >
        <TableHead
          {...{ columns, typed, places, shown, sort, layout, onLayout }}
          onSort={(column) => change({ sort: nextSort(sort, column) })}
        />
        <Body
          {...{ rows, columns, places, shown, expanded, active, view, toggle }}
          marks={pattern === undefined ? NO_MARKS : [pattern]}
          onPick={setActive}
        />
      </div>
      {pattern !== undefined && <Found count={rows.length} of={all.length} search={state.search} />}
    </div>
  );
}

interface FoundProps {
  readonly count: number;
  readonly of: number;
  readonly search: string;
}

function Found({ count, of, search }: FoundProps) {
  return (
    <p class="grid-found" role="status">
      {count.toLocaleString('en')} of {counted(of, 'row')} with “{search.trim()}”
    </p>
  );
}

const NO_MARKS: readonly RegExp[] = [];
/** Characters of a tooltip. */
const MAX_TITLE = 2000;

/** A value that is cut off has a tooltip with more of it. */
function titleCell(target: EventTarget | null, rows: readonly Row[], columns: readonly TableColumn[]): void {
  const cell = target instanceof HTMLElement ? target.closest<HTMLElement>('[id^=cell-]') : null;
  if (cell === null || cell.scrollWidth <= cell.clientWidth) return;
  const [, row = '', column = ''] = /^cell-(\d+)-(\d+)$/.exec(cell.id) ?? [];
  cell.title = preview(rows[Number(row)]?.[columns[Number(column)]?.name ?? ''], MAX_TITLE);
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
  readonly places: ColumnLayout;
  readonly shown: VisibleColumns;
  readonly marks: readonly RegExp[];
  readonly view: ScrollView;
  readonly onPick: (cell: Cell) => void;
}

function Body(props: BodyProps) {
  const { rows, columns, places, shown, marks, active, expanded, view, toggle, onPick } = props;
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
              <TableRow
                {...{ row, index, columns, places, shown, marks, isOpen, activeColumn, toggle, onPick }}
              />
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

/** Returns the edges of a column that scrolls beside the pinned ones; a pinned one is always in view and has none. */
function edgesOf({ edges, pinned }: ColumnLayout, column: number): Edges | undefined {
  if (column < pinned) return undefined;
  const left = edges[column] ?? 0;
  const covered = (edges[pinned] ?? 0) - EXPAND_WIDTH;
  // The first column together with the button that expands the row.
  return { left: column === pinned ? 0 : left - covered, right: edges[column + 1] ?? left };
}

/** Scrolls as little as makes the cell visible; of a cell wider than the table, its beginning. */
function reveal(scroller: HTMLElement | null, top: number, edges: Edges | undefined): void {
  if (scroller === null) return;
  const bottom = top + HEIGHTS.row + HEAD_HEIGHT;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (bottom > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = bottom - scroller.clientHeight;
  if (edges === undefined) return;
  const { left, right } = edges;
  if (left < scroller.scrollLeft) scroller.scrollLeft = left;
  else if (right > scroller.scrollLeft + scroller.clientWidth)
    scroller.scrollLeft = Math.min(left, right - scroller.clientWidth);
}
