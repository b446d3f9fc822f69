// Detects time series in rows: which column is the time, which are values, which is the label.
import { preview, type Json, type Row } from '../service/json.ts';

export interface Series {
  readonly name: string;
  /** One value per time; null if there is none. */
  readonly values: readonly (number | null)[];
}

export interface Chartable {
  readonly timeColumn: string;
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Counts per bucket are stacked bars, measurements are lines. */
  readonly shape: 'bars' | 'lines';
  /** Whether every column of the rows is shown. */
  readonly isWhole: boolean;
}

const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const MAX_SERIES = 8;
const MAX_NAME = 60;
const MAX_BARS = 400;

/** Undefined if the rows have no time column, or no values to plot. */
export function chartable(rows: readonly Row[]): Chartable | undefined {
  const columns = Object.keys(rows[0] ?? {});
  const timeColumn = columns.find((name) => rows.every((row) => isTime(row[name])));
  if (timeColumn === undefined) return undefined;
  const others = columns.filter((name) => name !== timeColumn);
  const numeric = others.filter((name) => isNumeric(rows, name));
  const label = others.find(
    (name) => !numeric.includes(name) && rows.every((row) => typeof row[name] === 'string'),
  );
  const [value] = numeric;
  if (value === undefined) return undefined;
  const isLong = numeric.length === 1 && label !== undefined;
  const read = isLong
    ? pivot(rows, { time: timeColumn, label, value })
    : wide(rows, { time: timeColumn, values: numeric });
  const shown = isLong ? 3 : 1 + numeric.length;
  return { timeColumn, ...read, shape: shapeOf(read), isWhole: shown === columns.length };
}

type Read = Pick<Chartable, 'times' | 'series'>;

/** One series per column. */
function wide(rows: readonly Row[], { time, values }: { time: string; values: readonly string[] }): Read {
  const sorted = rows.map((row) => ({ row, at: secondsOf(row[time]) })).toSorted((a, b) => a.at - b.at);
  const series = values
    .slice(0, MAX_SERIES)
    .map((name) => ({ name, values: sorted.map(({ row }) => numberOf(row[name])) }));
  return { times: sorted.map(({ at }) => at), series };
}

/** One series per value of the label column; only the largest ones if there are many. */
function pivot(
  rows: readonly Row[],
  { time, label, value }: { time: string; label: string; value: string },
): Read {
  const times = [...new Set(rows.map((row) => secondsOf(row[time])))].toSorted((a, b) => a - b);
  const places = new Map(times.map((at, i) => [at, i]));
  const series = new Map<string, (number | null)[]>();
  for (const row of rows) {
    const name = preview(row[label], MAX_NAME);
    const values = series.get(name) ?? Array.from<number | null>({ length: times.length }).fill(null);
    values[places.get(secondsOf(row[time])) ?? 0] = numberOf(row[value]);
    series.set(name, values);
  }
  const all = [...series].map(([name, values]) => ({ name, values }));
  return { times, series: all.toSorted((a, b) => sum(b.values) - sum(a.values)).slice(0, MAX_SERIES) };
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((all, each) => all + (each ?? 0), 0);
}

function shapeOf({ times, series }: Read): Chartable['shape'] {
  const isCount = series.every(({ values }) =>
    values.every((each) => each === null || (each >= 0 && Number.isInteger(each))),
  );
  return isCount && times.length <= MAX_BARS && new Set(times).size === times.length ? 'bars' : 'lines';
}

function isTime(value: Json | undefined): boolean {
  return typeof value === 'string' && TIME.test(value);
}

function isNumeric(rows: readonly Row[], name: string): boolean {
  const values = rows.map((row) => row[name]).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number' || typeof value === 'bigint');
}

/** Times without a zone are UTC, as everywhere in the service. */
function secondsOf(value: Json | undefined): number {
  const text = preview(value, MAX_NAME).replace(' ', 'T');
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
  return Date.parse(text.includes('T') && !hasZone ? `${text}Z` : text) / 1000;
}

function numberOf(value: Json | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** Values for stacking: each series plus all series below it. */
export function stacked(series: readonly Series[]): readonly (readonly number[])[] {
  let below: readonly number[] = [];
  return series.map(({ values }) => (below = values.map((value, i) => (value ?? 0) + (below[i] ?? 0))));
}

/** The most common distance between neighbouring times, in seconds; 0 for fewer than two. */
export function bucketOf(times: readonly number[]): number {
  const steps = times.slice(1).map((at, i) => at - (times[i] ?? at));
  return steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
}
