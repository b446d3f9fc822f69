// Rows as a table: only those in sight are in the page. Arrow keys walk through the cells, Enter unfolds a row, c copies.
import { Fragment, type RefObject } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { isNested, preview, printJson, type Json, type Row } from '../service/json.ts';
import type { Column } from '../service/listing.ts';
import type { Sort } from '../state/address.ts';
import { useExplorer } from '../state/context.ts';
import { useCopy } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { sortRows, tableColumns, type TableColumn } from './columns.ts';
import { RowDetail } from './row-detail.tsx';
import { moved, type Cell } from './cell-keys.ts';
import { useScroll } from './use-scroll.ts';
import { topOf, visibleRows } from './window.ts';

const HEIGHTS = { row: 30, detail: 300 };
const HEAD = 34;
const CHARACTER = 7.4;
const PADDING = 24;
const FOLD_COLUMN = '34px';
const PREVIEW = 160;

interface Props {
  readonly rows: readonly Row[];
  /** Their types, where they are known. */
  readonly columns: readonly Column[];
}

export function TableView({ rows: unsorted, columns: typed }: Props) {
  const { address, change } = useExplorer();
  const { sort } = address.value;
  const columns = useMemo(() => tableColumns(unsorted), [unsorted]);
  const rows = useMemo(() => sortRows(unsorted, sort), [unsorted, sort]);
  const [unfolded, setUnfolded] = useState<readonly number[]>([]);
  const [active, setActive] = useState<Cell>({ row: 0, column: 0 });
  const scroller = useRef<HTMLDivElement>(null);
  const fold = (row: number): void => setUnfolded(toggled(unfolded, row));
  const go = (cell: Cell): void => {
    setActive(cell);
    reveal(scroller.current, topOf(cell.row, unfolded, HEIGHTS));
  };
  const onKey = useCellKeys({ rows, columns, active, fold, go });
  const setSort = (column: string): void => {
    setUnfolded([]);
    change({ sort: nextSort(sort, column) });
  };
  const template = [FOLD_COLUMN, ...columns.map((each, i) => track(each, i === columns.length - 1))].join(
    ' ',
  );
  return (
    <div
      class="grid"
      role="grid"
      tabIndex={0}
      ref={scroller}
      aria-label="Rows. Arrow keys move, Enter unfolds a row, c copies the cell, Shift c the row"
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={`cell-${active.row}-${active.column}`}
      onKeyDown={(event) => event.target === scroller.current && onKey(event)}
      style={{ '--columns': template }}
    >
      <Head columns={columns} typed={typed} sort={sort} onSort={setSort} />
      <Body {...{ rows, columns, unfolded, active, scroller, fold }} onPick={setActive} />
    </div>
  );
}

interface KeysOptions {
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn[];
  readonly active: Cell;
  readonly fold: (row: number) => void;
  readonly go: (cell: Cell) => void;
}

function useCellKeys({ rows, columns, active, fold, go }: KeysOptions): (event: KeyboardEvent) => void {
  const copy = useCopy();
  return (event) => {
    if (event.ctrlKey || event.metaKey) return;
    const row = rows[active.row];
    const next = moved(active, event.key, { rows: rows.length, columns: columns.length });
    if (next !== undefined) go(next);
    else if (event.key === 'Enter' || event.key === ' ') fold(active.row);
    else if (event.key === 'c') copy(cellText(row?.[columns[active.column]?.name ?? '']), 'the cell');
    else if (event.key === 'C') copy(printJson(row ?? null, '  '), 'the row');
    else return;
    event.preventDefault();
  };
}

interface BodyProps extends Pick<KeysOptions, 'rows' | 'columns' | 'active' | 'fold'> {
  readonly unfolded: readonly number[];
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly onPick: (cell: Cell) => void;
}

function Body({ rows, columns, active, unfolded, scroller, fold, onPick }: BodyProps) {
  const { first, end, offset, total } = visibleRows(rows.length, useScroll(scroller), unfolded, HEIGHTS);
  return (
    <div class="grid-body" role="rowgroup" style={{ height: `${total}px` }}>
      <div role="presentation" style={{ transform: `translateY(${offset}px)` }}>
        {rows.slice(first, end).map((row, i) => {
          const index = first + i;
          const isOpen = unfolded.includes(index);
          const activeColumn = active.row === index ? active.column : undefined;
          return (
            <Fragment key={index}>
              <TableRow {...{ row, index, columns, isOpen, activeColumn, fold, onPick }} />
              {isOpen && <RowDetail row={row} height={HEIGHTS.detail} />}
            </Fragment>
          );
        })}
      </div>
    </div>
  );
}

interface HeadProps {
  readonly columns: readonly TableColumn[];
  readonly typed: readonly Column[];
  readonly sort: Sort | undefined;
  readonly onSort: (column: string) => void;
}

function Head({ columns, typed, sort, onSort }: HeadProps) {
  return (
    <div class="grid-head" role="rowgroup" style={{ height: `${HEAD}px` }}>
      <div class="grid-row head" role="row" aria-rowindex={1}>
        <div role="columnheader" class="cell fold">
          <span class="visually-hidden">Unfold</span>
        </div>
        {columns.map(({ name, isNumeric }) => {
          const order = sort?.column !== name ? 'none' : sort.isDescending ? 'descending' : 'ascending';
          const type = typed.find((each) => each.name === name)?.type;
          return (
            <div key={name} role="columnheader" aria-sort={order} class="cell" data-numeric={isNumeric}>
              <button type="button" class="sort mono" onClick={() => onSort(name)} title={shortType(type)}>
                {name}
                {order !== 'none' && <Icon name={order === 'ascending' ? 'up' : 'down'} />}
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  readonly row: Row;
  readonly index: number;
  readonly columns: readonly TableColumn[];
  readonly isOpen: boolean;
  readonly activeColumn: number | undefined;
  readonly fold: (row: number) => void;
  readonly onPick: (cell: Cell) => void;
}

function TableRow({ row, index, columns, isOpen, activeColumn, fold, onPick }: RowProps) {
  return (
    <div class="grid-row" role="row" aria-rowindex={index + 2} data-open={isOpen}>
      <div role="gridcell" class="cell fold">
        <button
          type="button"
          class="fold-button"
          tabIndex={-1}
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Fold' : 'Unfold'} row ${index + 1}`}
          onClick={() => fold(index)}
        >
          <Icon name="open" />
        </button>
      </div>
      {columns.map(({ name, isNumeric }, column) => {
        const value = row[name];
        return (
          <div
            key={name}
            id={`cell-${index}-${column}`}
            role="gridcell"
            class="cell mono"
            data-kind={kindOf(value)}
            data-numeric={isNumeric}
            data-active={activeColumn === column}
            onClick={() => onPick({ row: index, column })}
            onDblClick={() => fold(index)}
          >
            {preview(value, PREVIEW)}
          </div>
        );
      })}
    </div>
  );
}

function toggled(rows: readonly number[], row: number): readonly number[] {
  return rows.includes(row) ? rows.filter((each) => each !== row) : [...rows, row].toSorted((a, b) => a - b);
}

function track({ width }: TableColumn, isLast: boolean): string {
  const pixels = `${Math.round(width * CHARACTER + PADDING)}px`;
  return isLast ? `minmax(${pixels}, 1fr)` : pixels;
}

function nextSort(sort: Sort | undefined, column: string): Sort | undefined {
  if (sort?.column !== column) return { column, isDescending: false };
  return sort.isDescending ? undefined : { column, isDescending: true };
}

function kindOf(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  return isNested(value) ? 'nested' : typeof value;
}

function cellText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : printJson(value, '  ');
}

/** Types of JSON columns name every path: the beginning says enough. */
function shortType(type: string | undefined): string {
  return type === undefined ? 'Sort' : `${type.slice(0, 60)}${type.length > 60 ? '…' : ''}`;
}

function reveal(scroller: HTMLElement | null, top: number): void {
  if (scroller === null) return;
  const bottom = top + HEIGHTS.row + HEAD;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (bottom > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = bottom - scroller.clientHeight;
}
