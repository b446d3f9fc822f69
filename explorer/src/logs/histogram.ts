// The histogram of a log view: rows in buckets of time, by severity.
import type { Ask } from '../service/client.ts';
import type { Row } from '../service/json.ts';
import { append } from './lql-edit.ts';
import {
  ask,
  filterText,
  outerWhere,
  sqlAsk,
  type Basis,
  type Bounds,
  type LogQuestion,
} from './questions.ts';
import { valueAt } from './row-values.ts';
import { SEVERITIES, SEVERITY_PATTERNS, severityOf, type Severity } from './severity.ts';
import { microsOf, sqlName, sqlString } from './sql.ts';
import { tableOf } from './view.ts';

/** Milliseconds; the first bucket begins at `start`. */
export interface Buckets {
  readonly start: number;
  readonly width: number;
  readonly count: number;
}

export interface Histogram extends Buckets {
  readonly ask: Ask;
  /** Without SQL, rows are not divided by severity: all are `other`. */
  readonly hasSeverities: boolean;
}

export interface HistogramBucket {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly rows: number;
  readonly counts: Readonly<Record<Severity, number>>;
}

export interface HistogramView {
  readonly buckets: readonly HistogramBucket[];
  /** Milliseconds. */
  readonly width: number;
  readonly hasSeverities: boolean;
}

const MAX_BUCKETS = 60;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WIDTHS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((each) => each * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((each) => each * MINUTE),
  ...[1, 2, 3, 6, 12].map((each) => each * HOUR),
  ...[1, 2, 7, 14, 28, 56, 91, 182, 364].map((each) => each * DAY),
];
/** The coarsest of these that divides the width is used: a rollup of days is enough for bars of days. */
const ROUNDINGS = [
  ['toStartOfDay', DAY],
  ['toStartOfHour', HOUR],
  ['toStartOfMinute', MINUTE],
] as const;
const PERIODS = [
  ['second', SECOND],
  ['minute', MINUTE],
  ['hour', HOUR],
  ['day', DAY],
] as const;

/** At most `most` buckets of a usual width, a multiple of `unit`, that cover the bounds. */
export function bucketsOf({ from, to }: Bounds, most: number = MAX_BUCKETS, unit = 1): Buckets {
  const fitting = WIDTHS.filter((width) => width % unit === 0);
  let width = fitting.find((each) => countOf(from, to, each) <= most) ?? fitting.at(-1) ?? DAY;
  while (countOf(from, to, width) > Math.max(2, most)) width *= 2; // bounds on both sides of 1970 are two buckets at least
  return { start: Math.floor(from / width) * width, width, count: countOf(from, to, width) };
}

function countOf(from: number, to: number, width: number): number {
  return Math.max(1, Math.ceil(to / width) - Math.floor(from / width));
}

/** The histogram; `sql` is the explained basis. */
export function histogramOf(question: LogQuestion, basis: Basis, sql: string): Histogram {
  const { bounds, endpoint, view } = question;
  const buckets = bucketsOf(bounds, Math.max(1, Math.min(MAX_BUCKETS, endpoint.max_rows)));
  const level = view.level === undefined ? undefined : basis.expressions.get(view.level);
  const index = indexSql(basis.expressions.get(view.time) ?? sqlName(view.time), question, buckets);
  const severities = SEVERITY_PATTERNS.map(
    ([severity]) => `countIf(severity = ${sqlString(severity)}) AS ${severity}`,
  );
  const text = [
    `SELECT bucket, count() AS rows${level === undefined ? '' : `, ${severities.join(', ')}`}`,
    'FROM (',
    `SELECT least(greatest(${index}, 0), ${buckets.count - 1}) AS bucket${level === undefined ? '' : `, ${severitySql(level)} AS severity`}`,
    `FROM (\n${sql}\n)`,
    ...outerWhere(question),
    ')',
    'GROUP BY bucket',
    'ORDER BY bucket',
  ].join('\n');
  return { ...buckets, ask: sqlAsk(question, text), hasSeverities: level !== undefined };
}

/** The histogram for keys that may not send SQL: a chart of LQL, whose buckets are merged. */
export function histogramByLql(question: LogQuestion): Histogram {
  const { bounds, endpoint } = question;
  const span = bounds.to - bounds.from;
  const [period, unit] = PERIODS.find(([, ms]) => span / ms + 1 <= endpoint.max_rows) ?? ['day', DAY];
  const text = append(append(filterText(question), 'c:count(*)'), `c:group_by(t::${period})`);
  return {
    ...bucketsOf(bounds, MAX_BUCKETS, unit),
    ask: ask(question, { language: 'lql', text }),
    hasSeverities: false,
  };
}

/** A DateTime, to which times are rounded, ends in 2106. */
const LAST_ROUNDED = 2 ** 32 * SECOND;

/** Returns the index of the bucket of a time. Rounded to minutes, hours or days, the time is read from a rollup if there is one. */
function indexSql(time: string, { view, endpoint, bounds }: LogQuestion, { start, width }: Buckets): string {
  const type = tableOf(view, endpoint)?.columns.find(({ name }) => name === view.time)?.type ?? '';
  const isRounded = /\bDateTime/.test(type) && bounds.from >= 0 && bounds.to < LAST_ROUNDED;
  const rounding = isRounded ? ROUNDINGS.find(([, unit]) => width % unit === 0)?.[0] : undefined;
  return rounding === undefined
    ? `intDiv(toUnixTimestamp64Milli(toDateTime64(${time}, 3, 'UTC')) - ${start}, ${width})`
    : `intDiv(toUnixTimestamp(${rounding}(${time}, 'UTC')) - ${start / SECOND}, ${width / SECOND})`;
}

function severitySql(level: string): string {
  const text = `ifNull(CAST(${level}, 'Nullable(String)'), '')`;
  const cases = SEVERITY_PATTERNS.map(
    ([severity, pattern]) => `match(${text}, ${sqlString(`(?i)${pattern}`)}), ${sqlString(severity)}`,
  );
  return `multiIf(${cases.join(', ')}, 'other')`;
}

/** All buckets, those without rows among them. */
export function readHistogram(
  { start, width, count }: Buckets,
  rows: readonly Row[],
): readonly HistogramBucket[] {
  const counts = Array.from({ length: count }, (): Record<Severity, number> => zeros());
  for (const row of rows) {
    const index = Math.min(count - 1, Math.max(0, indexOf(row, { start, width, count })));
    const bucket = counts[index];
    if (bucket === undefined) continue;
    const known = SEVERITIES.filter((severity) => severity !== 'other').map(
      (each) => [each, numberOf(row[each])] as const,
    );
    for (const [severity, rows] of known) bucket[severity] += rows;
    const all = numberOf(row['rows'] ?? row['count']);
    bucket.other += all - known.reduce((sum, [, rows]) => sum + rows, 0);
  }
  return withSums(counts, { start, width });
}

function withSums(
  counts: readonly Readonly<Record<Severity, number>>[],
  { start, width }: Pick<Buckets, 'start' | 'width'>,
): readonly HistogramBucket[] {
  return counts.map((each, index) => ({
    start: start + index * width,
    rows: Object.values(each).reduce((sum, rows) => sum + rows, 0),
    counts: each,
  }));
}

/** The histogram with new rows. It moves to the newest of them: the first buckets are dropped, their number stays. */
export function withRows(view: HistogramView, rows: readonly Row[], question: LogQuestion): HistogramView {
  const { buckets, width, hasSeverities } = view;
  const start = buckets[0]?.start;
  const table = tableOf(question.view, question.endpoint);
  if (start === undefined || table === undefined) return view;
  const { time, level } = question.view;
  const found = rows.flatMap((row) => {
    const at = row[time];
    const micros = typeof at === 'string' ? microsOf(at) : undefined;
    if (micros === undefined) return [];
    const index = Math.floor((Number(micros / 1000n) - start) / width);
    const isDivided = hasSeverities && level !== undefined;
    return { index, severity: isDivided ? severityOf(valueAt(row, table, level)) : 'other' } as const;
  });
  const moved = found.reduce((most, { index }) => Math.max(most, index - buckets.length + 1), 0);
  const counts = buckets.map((_, index) => ({ ...(buckets[index + moved]?.counts ?? zeros()) }));
  for (const { index, severity } of found) {
    const bucket = counts[index - moved];
    if (bucket !== undefined) bucket[severity]++;
  }
  return { ...view, buckets: withSums(counts, { start: start + moved * width, width }) };
}

/** The bucket of a row of either query. */
function indexOf(row: Row, { start, width }: Buckets): number {
  const { timestamp } = row;
  if (typeof timestamp !== 'string') return numberOf(row['bucket']);
  return Math.floor((Number((microsOf(timestamp) ?? 0n) / 1000n) - start) / width);
}

function zeros(): Record<Severity, number> {
  return { error: 0, warning: 0, info: 0, debug: 0, other: 0 };
}

/** Integers may be strings. */
function numberOf(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
}
