// Functions of a query whose results change while its data does not: those that read the clock, and random ones.
import { createCursor, type Cursor } from './cursor.ts';

/** A call whose result changes with time. */
export interface ClockRead {
  readonly name: string;
  /** Where it begins in the query. */
  readonly offset: number;
  /**
   * Seconds: its result changes only at multiples of this many seconds since 1970, in every time zone. Undefined: at any
   * time, or with every call.
   */
  readonly every: number | undefined;
}

/** Names in lower case: a few are case-sensitive, and then others of the same letters do not exist. */
const CLOCKS: ReadonlySet<string> = new Set([
  'now', 'now64', 'current_timestamp', 'localtimestamp', 'localtime', 'today', 'current_date', 'curdate', 'yesterday',
  'utctimestamp', 'utc_timestamp', 'nowinblock', 'nowinblock64', 'uptime', 'zookeepersessionuptime',
]); // prettier-ignore
const RANDOM: ReadonlySet<string> = new Set([
  'rand', 'rand32', 'rand64', 'randconstant', 'randcanonical', 'randuniform', 'randnormal', 'randlognormal',
  'randbinomial', 'randnegativebinomial', 'randpoisson', 'randbernoulli', 'randexponential', 'randchisquared',
  'randstudentt', 'arrayrandomsample', 'arrayshuffle', 'arraypartialshuffle', 'obfuscatequery', 'datetimetouuidv7', 'randfisherf', 'randomstring', 'randomfixedstring', 'randomprintableascii', 'randomstringutf8',
  'generateuuidv4', 'generateuuidv7', 'generatesnowflakeid', 'generateulid', 'generateserialid', 'fuzzbits',
  'fuzzjson', 'fuzzquery', 'generaterandom', 'generaterandomstructure', 'initialqueryid', 'initial_query_id',
  'initialquerystarttime', 'initial_query_start_time', 'queryid', 'query_id', 'currentqueryid', 'current_query_id',
  'connectionid', 'connection_id', 'filesystemavailable', 'filesystemunreserved', 'filesystemcapacity',
]); // prettier-ignore
/** Read without parentheses. Others are as often columns. */
const BARE: ReadonlySet<string> = new Set(['current_timestamp', 'current_date', 'localtimestamp']);
const DAYS: ReadonlySet<string> = new Set(['today', 'current_date', 'curdate', 'yesterday']);

/**
 * Offsets of time zones from UTC are multiples of a quarter of an hour, so that hours and days begin at one in every zone.
 * A query that reads the day is thus run again every quarter of an hour, which is no more than it would be in any zone.
 */
const QUARTER = 900;
const SECONDS: Readonly<Record<string, number>> = {
  SECOND: 1, MINUTE: 60, HOUR: QUARTER, DAY: QUARTER, WEEK: QUARTER, MONTH: QUARTER, QUARTER, YEAR: QUARTER,
}; // prettier-ignore
const ROUNDING: ReadonlyMap<string, number> = new Map([
  ['tostartofsecond', 1],
  ['tostartofminute', 60],
  ['tostartoffiveminutes', 300],
  ['tostartoffiveminute', 300],
  ['tostartoftenminutes', 300],
  ['tostartoffifteenminutes', QUARTER],
  ...['hour', 'day', 'week', 'month', 'quarter', 'year', 'isoyear'].map((unit) => [`tostartof${unit}`, QUARTER] as const),
  ['todate', QUARTER],
  ['todate32', QUARTER],
  ['tomonday', QUARTER],
  ['tolastdayofmonth', QUARTER],
]); // prettier-ignore

/** Every read of the clock in a query, and every random function, in the order of its text. */
export function clockReads(sql: string): readonly ClockRead[] {
  const query = createCursor(sql);
  return query.tokens.flatMap((_, at) => {
    const name = query.name(at)?.toLowerCase();
    if (name === undefined || query.kind(at - 1) === '.') return [];
    const isCall = query.kind(at + 1) === '(';
    const isClock = CLOCKS.has(name) && (isCall || (BARE.has(name) && query.kind(at + 1) !== '.'));
    if (!isClock && !(RANDOM.has(name) && isCall)) return [];
    const every = isClock ? everyOf(query, at, isCall) : undefined;
    return [{ name: query.text(at), offset: query.start(at), every }];
  });
}

/** Names of the functions that a query calls, in lower case, each as often as it is called. */
export function functionCalls(sql: string): readonly string[] {
  const query = createCursor(sql);
  return query.tokens.flatMap((_, at) => {
    const name = query.kind(at + 1) === '(' ? query.name(at) : undefined;
    return name === undefined ? [] : [name.toLowerCase()];
  });
}

/** The largest number of seconds after whose multiples alone all of these reads change; undefined if one changes at any time. */
export function commonEvery(reads: readonly Pick<ClockRead, 'every'>[]): number | undefined {
  return reads.reduce<number | undefined>(
    (all, { every }) => (all === undefined || every === undefined ? undefined : divisor(all, every)),
    QUARTER,
  );
}

function everyOf(query: Cursor, at: number, isCall: boolean): number | undefined {
  const end = isCall ? query.after(at + 1) : at + 1;
  if (DAYS.has((query.name(at) ?? '').toLowerCase())) return QUARTER;
  if ((query.name(at) ?? '').toLowerCase().startsWith('uptime')) return undefined;
  const shift = shiftAfter(query, end);
  if (shift === undefined) return undefined;
  const rounded = roundingAround(query, at, shift.end);
  return rounded === undefined ? undefined : divisor(rounded, shift.by);
}

/** `- INTERVAL 2 DAY` behind a call: by multiples of how many seconds it shifts, and where it ends. */
function shiftAfter(query: Cursor, at: number): { readonly by: number; readonly end: number } | undefined {
  const sign = query.text(at);
  if (sign !== '-' && sign !== '+') return { by: QUARTER, end: at };
  if (query.word(at + 1) !== 'INTERVAL') return undefined;
  const by = secondsOf(query.text(at + 2), query.word(at + 3));
  return by === undefined ? undefined : { by, end: at + 4 };
}

/** What the function around a call, of which that is an argument, rounds to. */
function roundingAround(query: Cursor, at: number, end: number): number | undefined {
  if (query.kind(end) !== ')' && query.kind(end) !== ',') return undefined;
  if (query.kind(at - 1) === '(') {
    const name = query.name(at - 2)?.toLowerCase() ?? '';
    if (name !== 'tostartofinterval') return ROUNDING.get(name);
    if (query.kind(end) !== ',' || query.word(end + 1) !== 'INTERVAL') return undefined;
    // With an origin, an interval begins anywhere.
    const isPlain = query.kind(end + 4) === ')';
    return isPlain ? secondsOf(query.text(end + 2), query.word(end + 3)) : undefined;
  }
  const isTrunc = /^date_?trunc$/i.test(query.name(at - 4) ?? '') && query.kind(at - 3) === '(';
  if (!isTrunc || query.kind(at - 1) !== ',') return undefined;
  return SECONDS[
    query
      .text(at - 2)
      .slice(1, -1)
      .toUpperCase()
  ];
}

/** Of an interval: the largest divisor that it has in common with a quarter of an hour. */
function secondsOf(number: string, unit: string | undefined): number | undefined {
  const seconds = SECONDS[unit ?? ''] ?? SECONDS[(unit ?? '').replace(/S$/, '')];
  if (seconds === undefined || !/^[1-9]\d{0,8}$/.test(number)) return undefined;
  return divisor(seconds * Number(number), QUARTER);
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
