// Turns rows into the series of a chart. Rows that share a time and a series are added, or the chart is rejected: no row is dropped silently.
import type { Row } from '../service/json.ts';
import type { ChartChoice } from '../state/address.ts';
import { counted } from '../parts/words.ts';
import { bucketOf, formatBucket, fill, secondsOf, type Bucket } from './buckets.ts';
import { columnsOf, fieldsOf, type ChartColumns, type ChartFields } from './fields.ts';
import { measureOf, type Measure } from './measure.ts';
import { sidesOf, sidesNote, type Side } from './sides.ts';
import { add, amountOf, isInteger, labelOf, timeOf, type Amount, type Series } from './values.ts';

export interface Chartable {
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Counts per bucket are stacked bars, measurements are lines; measurements at irregular times that repeat are points. */
  readonly shape: 'bars' | 'lines' | 'points';
  /** Seconds between neighbouring buckets; 0 if unknown. */
  readonly bucket: number;
  /** It is true if the times are regular, so that a null is a gap. */
  readonly isRegular: boolean;
  /** It is true if the values can be added, so that totals are meaningful. */
  readonly isSum: boolean;
  /** It is true if every column and every series of the rows is shown. */
  readonly isWhole: boolean;
  /** The axis of each series: one that is much smaller than the others has its own. */
  readonly sides: readonly Side[];
  /** What is added up, filled in or left out, one sentence each. */
  readonly notes: readonly string[];
}

export type ChartReading =
  | { readonly kind: 'none' }
  | ({ readonly kind: 'rejected'; readonly reason: string } & Picked)
  | ({ readonly kind: 'chart'; readonly chart: Chartable } & Picked);

interface Picked {
  readonly columns: ChartColumns;
  readonly fields: ChartFields;
}

export interface ChartOptions {
  readonly choice?: ChartChoice | undefined;
  /** The SQL of the rows, if known: it tells counts and sums from other measures. */
  readonly query?: string;
  /** It is true if the service has left out rows. */
  readonly isTruncated?: boolean;
}

const MAX_SERIES = 8;
const MAX_BARS = 400;
const NAMES = 5;
const MAX_NAME = 60;

/** `none`: the rows have no time column, or no values to draw. */
export function readChart(rows: readonly Row[], options: ChartOptions = {}): ChartReading {
  const { choice, query = '', isTruncated = false } = options;
  const columns = columnsOf(rows);
  if (columns === undefined) return { kind: 'none' };
  const fields = fieldsOf(rows, columns, { choice, query });
  const dated = rows
    .flatMap((row) => {
      const at = timeOf(row[fields.time]);
      return at === undefined ? [] : [{ row, at }];
    })
    .toSorted((a, b) => a.at - b.at);
  const measures = new Set(fields.values.map((name) => measureOf(name, query)));
  const measure = measures.size === 1 ? ([...measures][0] ?? 'unknown') : 'other';
  const table = tabulate(dated, fields, measures.size === 1 && measure === 'sum');
  const picked = { columns, fields };
  if (table === undefined) return { kind: 'rejected', reason: rejectionOf(fields), ...picked };
  const undated = rows.length - dated.length;
  const notes = [
    ...(isTruncated ? ['The rows are truncated: the chart is incomplete.'] : []),
    ...(undated === 0 ? [] : [`${counted(undated, 'row')} without a time: not drawn.`]),
  ];
  const chart = finish(table, {
    fields,
    measure,
    notes,
    isComplete: isComplete(rows, fields) && undated === 0,
  });
  return { kind: 'chart', chart, ...picked };
}

function isComplete(rows: readonly Row[], { series, values }: ChartFields): boolean {
  const shown = 1 + values.length + (series === undefined ? 0 : 1);
  return shown === Object.keys(rows[0] ?? {}).length;
}

interface Dated {
  readonly row: Row;
  /** Seconds since 1970. */
  readonly at: number;
}

interface Table {
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly bucket: Bucket | undefined;
  /** It is true if rows were added up. */
  readonly isAdded: boolean;
  /** It is true if several rows share a time and a series without being added up. */
  readonly isRepeated: boolean;
}

/** Undefined if rows share a bucket and a series, and cannot be added. */
function tabulate(rows: readonly Dated[], fields: ChartFields, isSum: boolean): Table | undefined {
  const unique = [...new Set(rows.map(({ at }) => at))];
  const found = bucketOf(unique, fields.time);
  const bucket = found !== undefined && isDense(unique, found, isSum) ? found : undefined;
  const cells = rows.flatMap(({ row, at }) =>
    fields.values.map((value) => ({
      at,
      name: fields.series === undefined ? value : (labelOf(row[fields.series]) ?? ''),
      amount: amountOf(row[value]),
    })),
  );
  const isRepeated = new Set(cells.map(({ at, name }) => `${at} ${name}`)).size < cells.length;
  if (isRepeated && !isSum && (bucket !== undefined || unique.length < 2)) return undefined;
  const isAdded = isRepeated && isSum;
  const names = [...new Set(fields.series === undefined ? fields.values : cells.map(({ name }) => name))];
  const shared = { bucket, isAdded, isRepeated: isRepeated && !isSum };
  if (shared.isRepeated) {
    // Every row is a point of its own.
    const series = names.map((name) => ({
      name,
      values: cells.map((cell) => (cell.name === name ? (cell.amount ?? null) : null)),
    }));
    return { times: cells.map(({ at }) => at), series, ...shared };
  }
  const places = new Map(unique.map((at, i) => [at, i]));
  const values = new Map(
    names.map((name) => [name, Array.from<Amount | null>({ length: unique.length }).fill(null)]),
  );
  for (const { at, name, amount } of cells) {
    const [list, place] = [values.get(name), places.get(at)];
    if (list === undefined || place === undefined || amount === undefined) continue;
    list[place] = add(list[place] ?? 0, amount);
  }
  return { times: unique, series: [...values].map(([name, list]) => ({ name, values: list })), ...shared };
}

/** Whole seconds alone do not make buckets: events at irregular times have them too. Sums are filled in any case. */
function isDense(times: readonly number[], bucket: Bucket, isSum: boolean): boolean {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return isSum || secondsOf(bucket) >= 60 || times.length * 3 * secondsOf(bucket) > last - first;
}

interface FinishOptions {
  readonly fields: ChartFields;
  readonly measure: Measure;
  readonly notes: readonly string[];
  /** It is true if all columns and rows are drawn. */
  readonly isComplete: boolean;
}

function finish(table: Table, { fields, measure, notes: given, isComplete }: FinishOptions): Chartable {
  const isSum = measure === 'sum';
  const notes = [...given];
  if (table.isAdded) notes.push(addedNote(fields));
  const limited = limit(table.series, fields, isSum);
  if (limited.note !== undefined) notes.push(limited.note);
  const empty = isSum ? 0 : null;
  const filled =
    table.bucket === undefined ? { times: table.times, missing: 0 } : fill(table.times, table.bucket);
  if (filled.missing > 0 && table.bucket !== undefined)
    notes.push(
      `${counted(filled.missing, 'bucket')} of ${formatBucket(table.bucket)} without rows: drawn as ${isSum ? 'zero' : 'a gap'}.`,
    );
  const places = new Map(table.times.map((at, i) => [at, i]));
  const isPivot = fields.series !== undefined;
  const series = table.isRepeated
    ? limited.series
    : limited.series.map(({ name, values }) => ({
        name,
        values: filled.times.map((at) => {
          const place = places.get(at);
          // Without a series column, a null came with the row.
          return place === undefined ? empty : (values[place] ?? (isPivot ? empty : null));
        }),
      }));
  const times = table.isRepeated ? table.times : filled.times;
  // Values of one column are of one kind.
  const sides = isPivot ? series.map(() => 'left' as const) : sidesOf(series);
  const isOneSided = !sides.includes('right');
  if (!isOneSided) notes.push(sidesNote(series, sides));
  const isBars =
    !table.isRepeated &&
    isOneSided &&
    measure !== 'other' &&
    times.length <= MAX_BARS &&
    series.every(({ values }) => values.every(isCount));
  return {
    times,
    series,
    shape: table.isRepeated ? 'points' : isBars ? 'bars' : 'lines',
    bucket: table.bucket === undefined ? medianStep(times) : secondsOf(table.bucket),
    isRegular: table.bucket !== undefined,
    isSum,
    isWhole: isComplete && !table.isAdded && limited.isWhole,
    sides,
    notes,
  };
}

function isCount(value: Amount | null): boolean {
  return value === null || (value >= 0 && isInteger(value));
}

interface Limited {
  readonly series: readonly Series[];
  readonly isWhole: boolean;
  readonly note: string | undefined;
}

/** The largest series; the others as one sum if they can be added, else named in the note. */
function limit(series: readonly Series[], fields: ChartFields, isSum: boolean): Limited {
  const isPivot = fields.series !== undefined;
  const sorted = isPivot ? series.toSorted((a, b) => sizeOf(b, isSum) - sizeOf(a, isSum)) : series;
  if (sorted.length <= MAX_SERIES) return { series: sorted.map(shortened), isWhole: true, note: undefined };
  if (!isPivot || !isSum) {
    const [shown, rest] = [sorted.slice(0, MAX_SERIES), sorted.slice(MAX_SERIES)];
    const what = isPivot ? `series of ${fields.series}` : 'columns';
    const note = `${MAX_SERIES} of ${sorted.length} ${what} are drawn. Not drawn: ${namesOf(rest)}.`;
    return { series: shown.map(shortened), isWhole: false, note };
  }
  const [shown, rest] = [sorted.slice(0, MAX_SERIES - 1), sorted.slice(MAX_SERIES - 1)];
  const others = `others (${rest.length})`;
  const note = `The ${shown.length} largest of ${sorted.length} series of ${fields.series} are drawn one by one; ${others} is the sum of the rest: ${namesOf(rest)}.`;
  return { series: [...shown.map(shortened), { name: others, values: sumOf(rest) }], isWhole: true, note };
}

/** Long labels are equal only as a whole, but shown by their beginning. */
function shortened({ name, values }: Series): Series {
  return { name: name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name, values };
}

function namesOf(series: readonly Series[]): string {
  const names = series.slice(0, NAMES).map((each) => shortened(each).name || '(empty)');
  const more = series.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function sumOf(series: readonly Series[]): readonly (Amount | null)[] {
  return (series[0]?.values ?? []).map((_, i) =>
    series.reduce<Amount | null>((sum, { values }) => {
      const value = values[i] ?? null;
      return value === null ? sum : add(sum ?? 0, value);
    }, null),
  );
}

/** The total of a series that can be added; otherwise its largest value. */
function sizeOf({ values }: Series, isSum: boolean): number {
  return values.reduce<number>(
    (size, value) => (isSum ? size + Number(value ?? 0) : Math.max(size, Number(value ?? 0))),
    0,
  );
}

/** The part of a chart between two times, in seconds; both are included. */
export function partOf(chart: Chartable, from: number, to: number): Chartable {
  const isShown = (at: number): boolean => at >= from && at <= to;
  const kept = chart.times.flatMap((at, index) => (isShown(at) ? index : []));
  const series = chart.series.map((one) => ({
    ...one,
    values: kept.map((index) => one.values[index] ?? null),
  }));
  return { ...chart, times: chart.times.filter(isShown), series };
}

/** The total, with all digits. */
export function totalOf({ values }: Series): Amount {
  return values.reduce<Amount>((sum, value) => add(sum, value ?? 0), 0);
}

function addedNote({ time, series, values }: ChartFields): string {
  return `Rows with the same ${time}${series === undefined ? '' : ` and ${series}`} are added: ${values.join(', ')}.`;
}

function rejectionOf({ time, series, values }: ChartFields): string {
  const same = series === undefined ? time : `${time} and ${series}`;
  return `Several rows have the same ${same}, and ${values.slice(0, NAMES).join(', ')} cannot be added: only counts and sums can. Choose another series or value, or aggregate by ${same} in the query.`;
}

/** Values for stacking: each series plus all series below it. Doubles, for drawing only. */
export function stacked(series: readonly Series[]): readonly (readonly number[])[] {
  let below: readonly number[] = [];
  return series.map(({ values }) => (below = values.map((value, i) => Number(value ?? 0) + (below[i] ?? 0))));
}

/** The median distance between neighbouring times, in seconds; 0 for fewer than two. */
function medianStep(times: readonly number[]): number {
  const steps = times.slice(1).map((at, i) => at - (times[i] ?? at));
  return steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
}
