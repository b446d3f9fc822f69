// The rows of a log view: a long list, of which those in view are rendered. Arrow keys choose a row, Enter opens it.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { Row } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import { useScroll } from '../result/use-scroll.ts';
import { visibleRows } from '../result/window.ts';
import { fittingColumns, logColumns, templateOf, widthOf, type LogColumn } from './log-columns.ts';
import { LogHead } from './log-head.tsx';
import type { LayoutProps } from './log-layout.ts';
import { LogRow } from './log-row.tsx';
import { matchesOf } from './matches.ts';
import { evenTops, measuredTops, type Tops } from './row-tops.ts';
import { dayOf } from './times.ts';
import type { LogView } from './view.ts';

/** As in the style sheet, in pixels. */
const ROW = 26;
const HEAD = 28;
/** Older rows are loaded this many rows before the end. */
const AHEAD = 60;

export interface LogRowsProps extends LayoutProps {
  readonly rows: readonly Row[];
  readonly view: LogView;
  readonly table: Table;
  readonly columns: readonly string[];
  readonly onColumns: (columns: readonly string[]) => void;
  /** Its words are marked in the messages. */
  readonly filter: string;
  /** The index of the row that the arrow keys move from. */
  readonly active: number;
  readonly onActive: (index: number) => void;
  readonly onOpen: (index: number) => void;
  readonly onCopy: (index: number) => void;
  readonly onClose: () => void;
  /** Close to the last row. */
  readonly onEnd: () => void;
  readonly onTop: (isAtTop: boolean) => void;
}

export function LogRows(props: LogRowsProps) {
  const { rows, active, onEnd, onTop, layout, filter } = props;
  const latest = useRef(props);
  latest.current = props;
  const open = useCallback((index: number) => latest.current.onOpen(index), []);
  const scroller = useRef<HTMLDivElement>(null);
  const place = useScroll(scroller);
  const all = useColumns(props, place.width);
  const columns = useMemo(() => fittingColumns(all, place.width), [all, place.width]);
  const width = widthOf(columns);
  const { tops, body } = useTops(scroller, { rows, isWrapped: layout.isWrapped, width: place.width });
  const shown = visibleRows(rows.length, place, tops.topOf);
  const matches = useMemo(() => matchesOf(filter), [filter]);
  useEffect(() => {
    if (rows.length > 0 && shown.end >= rows.length - AHEAD) onEnd();
  }, [shown.end, rows.length]);
  useEffect(() => onTop(place.top === 0), [place.top]);
  useKeepPlace(scroller, rows, tops);
  const onScrolled = useReveal(scroller, active, tops);
  return (
    <div
      class="log-rows mono"
      role="grid"
      tabIndex={0}
      ref={scroller}
      aria-label="Log rows, the newest first. Arrow keys choose a row, Enter opens it, c copies it"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={rows.length > 0 ? `log-${active}` : undefined}
      data-wrapped={layout.isWrapped}
      onWheel={onScrolled}
      onPointerDown={onScrolled}
      onKeyDown={(event) =>
        (event.target === scroller.current || event.key === 'Escape') && onKey(event, props)
      }
      style={{ '--log-columns': templateOf(columns), '--log-width': `${width}px` }}
    >
      <LogHead {...props} shown={columns} />
      <div role="rowgroup" style={{ height: `${shown.total}px` }}>
        <div role="presentation" ref={body} style={{ transform: `translateY(${shown.offset}px)` }}>
          {rows.slice(shown.first, shown.end).map((row, i) => (
            <LogRow
              key={shown.first + i}
              {...{ row, table: props.table, columns, matches, open }}
              level={props.view.level}
              index={shown.first + i}
              isActive={shown.first + i === active}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function useColumns(
  { rows, view, table, columns, layout }: LogRowsProps,
  room: number,
): readonly LogColumn[] {
  const { zone, page } = useExplorer();
  const shownZone = zone.value;
  const today = dayOf(page.epoch(), shownZone);
  return useMemo(
    () => logColumns({ rows, view, table, columns, layout, room, zone: shownZone, today }),
    // Rows that are added do not change the widths while they are read.
    [rows[0] === undefined, view, table, columns, layout, room, shownZone, today],
  );
}

interface TopsOptions {
  readonly rows: readonly Row[];
  readonly isWrapped: boolean;
  readonly width: number;
}

interface MeasuredTops {
  readonly tops: Tops;
  /** This element contains the rendered rows. */
  readonly body: RefObject<HTMLDivElement | null>;
}

/** Wrapped rows have the heights that the browser gives them, which are known once they are rendered. */
function useTops(
  scroller: RefObject<HTMLElement | null>,
  { rows, isWrapped, width }: TopsOptions,
): MeasuredTops {
  const body = useRef<HTMLDivElement>(null);
  const heights = useMemo(() => new WeakMap<Row, number>(), [width, isWrapped]);
  const [version, setVersion] = useState(0);
  const tops = useMemo(
    () => (isWrapped ? measuredTops(rows, heights, ROW) : evenTops(ROW)),
    [rows, heights, isWrapped, version],
  );
  useLayoutEffect(() => {
    if (!isWrapped || body.current === null || scroller.current === null) return;
    let [above, isChanged] = [0, false];
    for (const element of body.current.children) {
      const index = Number(element.getAttribute('aria-rowindex')) - 2;
      const row = rows[index];
      const height = element.getBoundingClientRect().height;
      const before = row === undefined ? height : (heights.get(row) ?? ROW);
      if (row === undefined || before === height) continue;
      heights.set(row, height);
      isChanged = true;
      if (tops.topOf(index) < scroller.current.scrollTop) above += height - before;
    }
    // The rows in view must not move while they are read.
    if (above !== 0) scroller.current.scrollTop += above;
    if (isChanged) setVersion(version + 1);
  });
  return { tops, body };
}

function onKey(event: KeyboardEvent, props: LogRowsProps): void {
  const { rows, active, onActive, onOpen, onCopy, onClose } = props;
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
  else if (event.key === 'Escape') onClose();
  else return;
  event.preventDefault();
}

/** Keeps what is read in its place if rows are added above it. */
function useKeepPlace(scroller: RefObject<HTMLElement | null>, rows: readonly Row[], tops: Tops): void {
  const before = useRef(rows);
  useLayoutEffect(() => {
    const first = before.current[0];
    before.current = rows;
    const { current } = scroller;
    if (current === null || first === undefined || current.scrollTop < ROW) return;
    const added = rows.indexOf(first);
    if (added > 0) current.scrollTop += tops.topOf(added);
  }, [rows]);
}

/** Scrolls to the active row; again when rows above it turn out to be higher, until the visitor scrolls: call what is returned then. */
function useReveal(scroller: RefObject<HTMLElement | null>, active: number, tops: Tops): () => void {
  const isReading = useRef(false);
  const before = useRef(active);
  useLayoutEffect(() => {
    if (before.current !== active) isReading.current = false;
    before.current = active;
    if (!isReading.current) reveal(scroller.current, active, tops);
  }, [active, tops]);
  return () => {
    isReading.current = true;
  };
}

function reveal(scroller: HTMLElement | null, index: number, { topOf }: Tops): void {
  if (scroller === null) return;
  const [top, bottom] = [topOf(index), topOf(index + 1) + HEAD]; // the header covers a part
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (bottom > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = bottom - scroller.clientHeight;
}
