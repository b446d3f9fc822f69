// The rows of a log view: a long list of one height, of which those in view are rendered. Arrow keys choose a row, Enter opens it.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { preview, type Row } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import { Visible } from '../parts/visible.tsx';
import { useScroll } from '../result/use-scroll.ts';
import { visibleRows } from '../result/window.ts';
import { valueAt } from './row-values.ts';
import { severityOf } from './severity.ts';
import { timeText } from './times.ts';
import type { LogView } from './view.ts';

const ROW = 26;
/** As in the style sheet, in pixels. */
const GAP = 12;
const PADDING = 29;
const HEIGHTS = { row: ROW, detail: 0 };
/** Characters of one value: the panel shows all of them. */
const MAX_TEXT = 500;
/** Older rows are loaded this many rows before the end. */
const AHEAD = 60;

export interface LogRowsProps {
  readonly rows: readonly Row[];
  readonly view: LogView;
  readonly table: Table;
  readonly columns: readonly string[];
  /** The index of the row that the arrow keys move from. */
  readonly active: number;
  readonly onActive: (index: number) => void;
  readonly onOpen: (index: number) => void;
  readonly onCopy: (index: number) => void;
  /** Close to the last row. */
  readonly onEnd: () => void;
  readonly onTop: (isAtTop: boolean) => void;
}

export function LogRows(props: LogRowsProps) {
  const { rows, view, table, columns, active, onEnd, onTop } = props;
  const latest = useRef(props);
  latest.current = props;
  const open = useCallback((index: number) => latest.current.onOpen(index), []);
  const scroller = useRef<HTMLDivElement>(null);
  const place = useScroll(scroller);
  const shown = visibleRows(rows.length, place, [], HEIGHTS);
  useEffect(() => {
    if (rows.length > 0 && shown.end >= rows.length - AHEAD) onEnd();
  }, [shown.end, rows.length]);
  useEffect(() => onTop(place.top === 0), [place.top]);
  useKeepPlace(scroller, rows);
  useLayoutEffect(() => reveal(scroller.current, active), [active]);
  const tracks = tracksOf(props);
  return (
    <div
      class="log-rows mono"
      role="grid"
      tabIndex={0}
      ref={scroller}
      aria-label="Log rows, the newest first. Arrow keys choose a row, Enter opens it, c copies it"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={rows.length > 0 ? `log-${active}` : undefined}
      onKeyDown={(event) => onKey(event, props)}
      style={{ '--log-columns': tracks.template, '--log-width': `${tracks.width}px` }}
    >
      <div class="log-row log-head" role="row" aria-rowindex={1}>
        <span role="columnheader">time</span>
        {view.level !== undefined && <span role="columnheader">level</span>}
        {columns.map((path) => (
          <span key={path} role="columnheader" title={path} class="log-column">
            <Visible text={path.replace(/^metadata\./, '')} />
          </span>
        ))}
        {view.message !== undefined && <span role="columnheader">message</span>}
      </div>
      <div role="rowgroup" style={{ height: `${shown.total}px` }}>
        <div role="presentation" style={{ transform: `translateY(${shown.offset}px)` }}>
          {rows.slice(shown.first, shown.end).map((row, i) => (
            <LogRow
              key={shown.first + i}
              {...{ row, view, table, columns, open }}
              index={shown.first + i}
              isActive={shown.first + i === active}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** The columns of the grid, and the width below which the rows scroll. */
function tracksOf({ view, columns }: LogRowsProps): { readonly template: string; readonly width: number } {
  const tracks: readonly (readonly [number, string])[] = [
    [190, '190px'],
    ...(view.level === undefined ? [] : [[72, '72px'] as const]),
    ...columns.map(() => [80, 'minmax(80px, 180px)'] as const),
    ...(view.message === undefined ? [] : [[240, 'minmax(240px, 1fr)'] as const]),
  ];
  const width = tracks.reduce((sum, [least]) => sum + least + GAP, PADDING - GAP);
  return { template: tracks.map(([, track]) => track).join(' '), width };
}

interface LogRowProps extends Pick<LogRowsProps, 'view' | 'table' | 'columns'> {
  readonly row: Row;
  readonly index: number;
  readonly isActive: boolean;
  /** The same function each time. */
  readonly open: (index: number) => void;
}

/** A row that did not change is the same element, which Preact does not compare again. */
function LogRow({ row, index, view, table, columns, isActive, open }: LogRowProps) {
  const { zone } = useExplorer();
  const shownZone = zone.value;
  return useMemo(() => {
    const level = view.level === undefined ? undefined : valueAt(row, table, view.level);
    const time = preview(row[view.time], MAX_TEXT);
    return (
      <div
        class="log-row"
        role="row"
        id={`log-${index}`}
        aria-rowindex={index + 2}
        aria-selected={isActive}
        data-severity={severityOf(level)}
        onClick={() => open(index)}
      >
        <span role="gridcell" class="log-time" title={time}>
          {timeText(time, shownZone)}
        </span>
        {view.level !== undefined && (
          <span role="gridcell" class="log-level">
            <Visible text={preview(level ?? undefined, MAX_TEXT)} />
          </span>
        )}
        {columns.map((path) => (
          <span key={path} role="gridcell" class="log-column">
            <Visible text={preview(valueAt(row, table, path) ?? undefined, MAX_TEXT)} />
          </span>
        ))}
        {view.message !== undefined && (
          <span role="gridcell" class="log-message">
            <Visible text={messageOf(row, table, view.message)} />
          </span>
        )}
      </div>
    );
  }, [row, index, view, table, columns, isActive, shownZone]);
}

function messageOf(row: Row, table: Table, path: string): string {
  return preview(valueAt(row, table, path), MAX_TEXT).replaceAll('\n', ' ');
}

function onKey(event: KeyboardEvent, { rows, active, onActive, onOpen, onCopy }: LogRowsProps): void {
  if (event.ctrlKey || event.metaKey || event.altKey || rows.length === 0) return;
  const { currentTarget } = event;
  const height = currentTarget instanceof HTMLElement ? currentTarget.clientHeight : 0;
  const page = Math.max(1, Math.floor(height / ROW) - 2);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: rows.length - 1,
  };
  const next = steps[event.key];
  if (next !== undefined) onActive(Math.min(rows.length - 1, Math.max(0, next)));
  else if (event.key === 'Enter') onOpen(active);
  else if (event.key === 'c') onCopy(active);
  else return;
  event.preventDefault();
}

/** Keeps what is read in its place if rows are added above it. */
function useKeepPlace(scroller: { readonly current: HTMLElement | null }, rows: readonly Row[]): void {
  const before = useRef(rows);
  useLayoutEffect(() => {
    const first = before.current[0];
    before.current = rows;
    const { current } = scroller;
    if (current === null || first === undefined || current.scrollTop < ROW) return;
    const added = rows.indexOf(first);
    if (added > 0) current.scrollTop += added * ROW;
  }, [rows]);
}

function reveal(scroller: HTMLElement | null, index: number): void {
  if (scroller === null) return;
  const [top, bottom] = [index * ROW, (index + 2) * ROW]; // the header covers one row
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (bottom > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = bottom - scroller.clientHeight;
}
