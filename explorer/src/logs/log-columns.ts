// The columns of the rows of a log view: what they show, in which order, and how wide they are.
import { preview, type Row } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { zoneName } from '../time-range/range-words.ts';
import type { Zone } from '../time-range/range.ts';
import type { LogLayout } from './log-layout.ts';
import { valueAt } from './row-values.ts';
import { timeText } from './times.ts';
import type { LogView } from './view.ts';

export interface LogColumn {
  readonly kind: 'time' | 'level' | 'field' | 'message';
  /** The path of its field. */
  readonly path: string;
  readonly label: string;
  /** Pixels; of the message, the least. */
  readonly width: number;
}

export interface ColumnsOptions {
  readonly rows: readonly Row[];
  readonly view: LogView;
  readonly table: Table;
  /** Paths of the columns between level and message. */
  readonly columns: readonly string[];
  readonly layout: Pick<LogLayout, 'widths' | 'hidden'>;
  readonly zone: Zone;
  /** Pixels of the list. */
  readonly room: number;
  /** The day is written as `dayOf` writes it; times of that day are shown without it. */
  readonly today: string;
}

const CHARACTER = 7.25;
const PADDING = 4;
const GAP = 12;
/** The padding and border of a row have this many pixels, as in the style sheet. */
const EDGES = 29;
const LOOKED_AT = 200;
export const [NARROWEST, WIDEST] = [40, 1200];
const [LEAST_FIELD, MOST_FIELD, MOST_LEVEL] = [60, 220, 110];
const [LEAST_MESSAGE, LEAST_OF_ALL] = [240, 120];
/** Pixels of a list that has room for a time, a level and a message. */
const NARROW = 560;
/** The fields leave this many pixels to the message if the visitor has not chosen their widths. */
const READABLE = 420;

export function logColumns(options: ColumnsOptions): readonly LogColumn[] {
  const { rows, view, table, columns, layout, room, zone, today } = options;
  const sample = rows.slice(0, LOOKED_AT);
  const fitting = (label: string, textOf: (row: Row) => string): number => {
    const longest = sample.reduce((most, row) => Math.max(most, textOf(row).length), label.length + 1);
    return Math.ceil(longest * CHARACTER + PADDING);
  };
  const fieldText = (path: string) => (row: Row) => preview(valueAt(row, table, path) ?? undefined, 60);
  const sized = (column: LogColumn): LogColumn => ({
    ...column,
    width: Math.round(Math.min(WIDEST, Math.max(NARROWEST, layout.widths[column.path] ?? column.width))),
  });
  const { time, level, message } = view;
  const timeLabel = `time, ${zoneName(zone)}`;
  const timeWidth = fitting(timeLabel, (row) => timeText(preview(row[time], 40), zone, today));
  const levelWidth =
    level === undefined ? 0 : Math.min(MOST_LEVEL, fitting('level', fieldText(level)) + PADDING);
  const share = (room - timeWidth - levelWidth - READABLE) / Math.max(1, columns.length) - GAP;
  const most = message === undefined ? MOST_FIELD : Math.min(MOST_FIELD, share);
  const all: readonly LogColumn[] = [
    sized({ kind: 'time', path: time, label: timeLabel, width: timeWidth }),
    ...(level === undefined
      ? []
      : [sized({ kind: 'level', path: level, label: 'level', width: levelWidth })]),
    ...columns.map((path) => {
      const label = labelOf(path, columns);
      const width = Math.max(LEAST_FIELD, Math.min(most, fitting(label, fieldText(path))));
      return sized({ kind: 'field', path, label, width });
    }),
    ...(message === undefined
      ? []
      : [{ kind: 'message', path: message, label: 'message', width: LEAST_MESSAGE } as const]),
  ];
  const shown = all.filter(({ kind, path }) => kind === 'field' || !layout.hidden.includes(path));
  return shown.length === 0 ? all : shown;
}

/** The shortest end of a path that no other one has. */
function labelOf(path: string, paths: readonly string[]): string {
  const names = path.split('.');
  const ends = names.map((_, index) => names.slice(names.length - 1 - index).join('.'));
  const others = paths.filter((each) => each !== path);
  return ends.find((end) => !others.some((each) => each === end || each.endsWith(`.${end}`))) ?? path;
}

/** A phone or a narrow list has no room for the fields: only the time, the level and the message are left. */
export function fittingColumns(columns: readonly LogColumn[], room: number): readonly LogColumn[] {
  const hasMessage = columns.some(({ kind }) => kind === 'message');
  if (room >= NARROW || !hasMessage) return columns;
  const fitting = columns.filter(({ kind }) => kind !== 'field');
  return fitting.map((column) => (column.kind === 'message' ? { ...column, width: LEAST_OF_ALL } : column));
}

/** The width below which the rows scroll. */
export function widthOf(columns: readonly LogColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP, EDGES - GAP);
}

/** `grid-template-columns`: the message, or else the last column, has what is left. */
export function templateOf(columns: readonly LogColumn[]): string {
  return columns
    .map(({ width }, index) => (index === columns.length - 1 ? `minmax(${width}px, 1fr)` : `${width}px`))
    .join(' ');
}

/** The list with one of its members at another index. */
export function movedTo<Member>(list: readonly Member[], from: number, to: number): readonly Member[] {
  const member = list[from];
  const rest = list.filter((_, index) => index !== from);
  return member === undefined ? list : [...rest.slice(0, to), member, ...rest.slice(to)];
}
