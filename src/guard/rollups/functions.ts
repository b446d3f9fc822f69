// Functions that the router knows: those of which a result depends on nothing but their arguments, and those that round a time.
import { FUNCTION_FAMILIES } from '../sandbox/functions/families.ts';
import type { TimeComparison } from './term.ts';

const FAMILIES = [
  'arithmetic', 'bit', 'comparison', 'conditional', 'conversion', 'date and time', 'encoding', 'hash', 'IP address', 'JSON', 'logic',
  'null', 'mathematics', 'rounding', 'string', 'string replacement', 'string search', 'string splitting', 'URL',
] as const; // prettier-ignore

/** These are in the families, but their results depend on more than their arguments. */
const CLOCKS: ReadonlySet<string> = new Set([
  'now', 'now64', 'today', 'current_date', 'current_timestamp', 'curdate', 'yesterday', 'utctimestamp', 'utc_timestamp',
  'localtime', 'localtimestamp',
]); // prettier-ignore

const OF_ARGUMENTS: ReadonlySet<string> = new Set(
  [
    'has length empty notEmpty indexOf array tuple tupleElement arrayReduce',
    ...FAMILIES.map((family) => FUNCTION_FAMILIES[family].names),
  ]
    .flatMap((names) => names.trim().toLowerCase().split(/\s+/))
    .filter(
      (name) => !CLOCKS.has(name) && name !== 'timezone' && name !== 'hop' && !name.startsWith('tumble'),
    ),
);

/** Returns whether a function returns the same value for the same arguments, in every row and block. */
export function isOfArguments(name: string): boolean {
  return OF_ARGUMENTS.has(name.toLowerCase());
}

/** These return other numbers of rows or columns than they are given. */
const MULTIPLYING: ReadonlySet<string> = new Set(['arrayjoin', 'unnest', 'untuple']);

const OF_ROWS: ReadonlySet<string> = new Set(
  Object.entries(FUNCTION_FAMILIES)
    .flatMap(([family, { names }]) => (family === 'aggregate' ? [] : names.trim().toLowerCase().split(/\s+/)))
    .filter((name) => !MULTIPLYING.has(name)),
);

/** Returns whether a function is known to return one value for each row, so that a SELECT with it has as many rows as without it. */
export function isOfRows(name: string): boolean {
  return OF_ROWS.has(name.toLowerCase()) || isClock(name) || /^(?:dict(?:Get|Has|Is)|joinGet)/.test(name);
}

/** Returns whether a function returns the time of the query. */
export function isClock(name: string): boolean {
  return CLOCKS.has(name.toLowerCase());
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** A unit of time: it begins at multiples of these seconds in its time zone. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['second', 1],
  ['minute', MINUTE],
  ['hour', HOUR],
  ...['day', 'week', 'month', 'quarter', 'year'].map((unit) => [unit, DAY] as const),
]);

/** The functions whose results change only at multiples of these seconds in their time zone, in lower case. */
const ROUNDING: ReadonlyMap<string, number> = new Map([
  ['tostartofminute', MINUTE],
  ['tominute', MINUTE],
  ['tostartoffiveminutes', 5 * MINUTE],
  ['tostartoffiveminute', 5 * MINUTE],
  ['tostartoftenminutes', 10 * MINUTE],
  ['tostartoffifteenminutes', 15 * MINUTE],
  ['tostartofhour', HOUR],
  ['tohour', HOUR],
  ...`tostartofday todate todate32 tomonday tostartofmonth tostartofquarter tostartofyear tolastdayofmonth
    toyear toquarter tomonth todayofmonth todayofweek todayofyear toyyyymm toyyyymmdd`
    .split(/\s+/)
    .map((name) => [name, DAY] as const),
]);

/** `toStartOfWeek(time, mode, zone)`: the zone is the third argument. */
const WITH_MODE: ReadonlySet<string> = new Set(['tostartofweek', 'todayofweek']);

export interface Rounding {
  /** The unit is seconds. */
  readonly period: number;
  /** The position of the time among the arguments. */
  readonly time: number;
  /** The position of the time zone. */
  readonly zone: number;
}

/** The rounding of a call with these arguments, as texts; undefined if it is not known. */
export function roundingOf(name: string, list: readonly string[]): Rounding | undefined {
  const folded = name.toLowerCase();
  if (folded === 'tostartofinterval') {
    const period = list.length <= 3 ? periodOf(list[1] ?? '') : undefined;
    return period === undefined ? undefined : { period, time: 0, zone: 2 };
  }
  if (folded === 'datetrunc' || folded === 'date_trunc') {
    const period = UNITS.get((/^'(\w+)'$/.exec(list[0] ?? '')?.[1] ?? '').toLowerCase());
    return period === undefined || list.length > 3 ? undefined : { period, time: 1, zone: 2 };
  }
  const period = folded === 'tostartofweek' ? DAY : ROUNDING.get(folded);
  const zone = WITH_MODE.has(folded) ? 2 : 1;
  return period === undefined || list.length > zone + 1 ? undefined : { period, time: 0, zone };
}

/** The seconds that the intervals of `INTERVAL 5 MINUTE` or `toIntervalMinute(5)` begin at multiples of. */
function periodOf(interval: string): number | undefined {
  const [, count, unit] =
    /^INTERVAL (\d{1,6}) (\w+?)S?$/i.exec(interval) ??
    (/^toInterval(\w+?) ?\( ?(\d{1,6}) ?\)$/.exec(interval) ?? []).map(
      (_, i, all) => all[[0, 2, 1][i] ?? 0],
    ) ??
    [];
  const seconds = UNITS.get((unit ?? '').toLowerCase());
  if (seconds === undefined || count === undefined || Number(count) === 0) return undefined;
  // Intervals of several hours begin at hours of a day, and those of several days at days.
  return seconds < HOUR ? seconds * Number(count) : seconds;
}

/** The zone of a call that has the second of its time, with these further arguments: `same` as before. Undefined for other calls. */
export function sameTimeZone(name: string, list: readonly string[]): string | undefined {
  const scaled = name === 'toDateTime64';
  if (scaled && !/^\d$/.test(list[0] ?? '')) return undefined;
  if (!scaled && !/^(?:toTimeZone|toDateTime|toStartOfSecond)$/.test(name)) return undefined;
  const [zone, ...others] = scaled ? list.slice(1) : list;
  if (others.length > 0 || (name === 'toTimeZone' && zone === undefined)) return undefined;
  // Without one, these may have that of the server.
  if (zone === undefined) return name === 'toStartOfSecond' ? 'same' : '?';
  return /^'([\w/+-]+)'$/.exec(zone)?.[1];
}

const OF_TIMES =
  /^(?:now|now64|current_timestamp|utc_?timestamp|toDateTime(?:32|64)?(?:OrNull|OrZero)?|parseDateTime\w*|fromUnixTimestamp64\w+|toTimeZone|toInterval\w+|(?:add|subtract)(?:Seconds|Minutes|Hours|Days|Weeks|Months|Years|Milliseconds|Microseconds)|toStartOf(?:Second|Minute|FiveMinutes|TenMinutes|FifteenMinutes|Hour)|if|multiIf|ifNull|coalesce|has|equals|notEquals|and|or|not|isNull|isNotNull|plus|minus)$/i;
const OF_DAYS =
  /^(?:today|yesterday|curdate|current_date|toDate(?:32)?|toStartOf(?:Day|Week|Month|Quarter|Year|Interval)|toMonday|date_?trunc|makeDate(?:Time)?)$/i;

/** The bound of a time, as tokens with spaces between them; undefined if it may be anything else than a time. */
export function boundOf(text: string): Pick<TimeComparison, 'isDay' | 'isNullable'> | undefined {
  if (/^'\d{4}-\d\d-\d\d[ T]?[\d:.]*'$/.test(text)) return { isDay: false, isNullable: false };
  const calls = [...text.matchAll(/(?<!\w)(\w+) \(/g)]
    .map(([, name = '']) => name)
    .filter((name) => !/^(?:AND|OR|NOT|IN)$/i.test(name));
  const types = [...text.matchAll(/\{ \w+ : (?:Nullable \( )?(\w+)/g)].map(([, type = '']) => type);
  const isDay =
    calls.some((name) => OF_DAYS.test(name)) ||
    types.some((type) => /^Date(?:32)?$/.test(type)) ||
    /^DATE '/i.test(text);
  const isTime =
    calls.some((name) => /now|time/i.test(name)) ||
    types.some((type) => type.startsWith('DateTime')) ||
    /^TIMESTAMP '/i.test(text);
  const isKnown = calls.every(
    (name) =>
      OF_TIMES.test(name) || OF_DAYS.test(name) || name === 'Nullable' || /^DateTime(?:64)?$/.test(name),
  );
  // No function but these returns NULL if no argument is NULL.
  const isNullable = /null|case/i.test(text) || text.includes('{');
  return isKnown && (isDay || isTime) ? { isDay, isNullable } : undefined;
}
