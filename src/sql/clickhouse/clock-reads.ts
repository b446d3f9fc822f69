// Functions of a query whose results change while its data does not: those that read the clock, and random ones.
import type { Node, Tree } from './tree/nodes.ts';
import { parseText } from './tree/parse-part.ts';
import { nodesAround, nameOf, spanOf, textOf, wordOf } from './tree/visit.ts';
import { nameTokens, tokensOf } from './tree/tokens.ts';

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

/** Every read of the clock in a query or an expression, and every random function, in the order of its text. */
export function clockReads(sql: string): readonly ClockRead[] {
  const tree = parseText(sql);
  return nameTokens(tree).flatMap(({ name: written, at }) => {
    const name = written.toLowerCase();
    if (wordOf(tree, { at: at - 1 }) === '.') return [];
    const next = wordOf(tree, { at: at + 1 });
    const isCall = next === '(';
    const isClock = CLOCKS.has(name) && (isCall || (BARE.has(name) && next !== '.'));
    if (!isClock && !(RANDOM.has(name) && isCall)) return [];
    const token = { from: at, to: at + 1 };
    const every = isClock ? everyOf(tree, at, name) : undefined;
    return [{ name: textOf(tree, token), offset: spanOf(tree, token).start, every }];
  });
}

/** Names of the functions that a query calls, in lower case, each as often as it is called. */
export function functionCalls(sql: string): readonly string[] {
  const tree = tokensOf(sql);
  return nameTokens(tree).flatMap(({ name, at }) =>
    wordOf(tree, { at: at + 1 }) === '(' ? [name.toLowerCase()] : [],
  );
}

/** The largest number of seconds after whose multiples alone all of these reads change; undefined if one changes at any time. */
export function commonEvery(reads: readonly Pick<ClockRead, 'every'>[]): number | undefined {
  return reads.reduce<number | undefined>(
    (all, { every }) => (all === undefined || every === undefined ? undefined : divisor(all, every)),
    QUARTER,
  );
}

function everyOf(tree: Tree, at: number, name: string): number | undefined {
  if (DAYS.has(name)) return QUARTER;
  if (name.startsWith('uptime')) return undefined;
  const around = nodesAround(tree.root, at);
  const index = around.findLastIndex(
    (node) => node.at === at && (node.kind === 'call' || node.kind === 'column'),
  );
  const read = around[index];
  const shift = around[index - 1];
  const isShifted = shift?.kind === 'binary' && shift.parts[0] === read && /^[-+]$/.test(wordOf(tree, shift));
  const by = isShifted ? intervalOf(tree, shift.parts[1]) : QUARTER;
  const argument = isShifted ? shift : read;
  const [call, list] = around.slice(index - (isShifted ? 3 : 2));
  if (argument === undefined || by === undefined || call?.kind !== 'call' || list?.kind !== 'arguments')
    return undefined;
  const rounded = roundingOf(tree, nameOf(tree, call).toLowerCase(), list.parts, argument);
  return rounded === undefined ? undefined : divisor(rounded, by);
}

/** Returns the period to which a function rounds its argument `read`. */
function roundingOf(tree: Tree, name: string, list: readonly Node[], read: Node): number | undefined {
  const [first, second] = list;
  if (/^date_?trunc$/.test(name))
    return second === read && first?.kind === 'string'
      ? SECONDS[textOf(tree, first).slice(1, -1).toUpperCase()]
      : undefined;
  if (first !== read) return undefined;
  // With an origin, an interval begins anywhere.
  if (name === 'tostartofinterval') return list.length === 2 ? intervalOf(tree, second) : undefined;
  return ROUNDING.get(name);
}

function intervalOf(tree: Tree, node: Node | undefined): number | undefined {
  const [value] = node?.kind === 'interval' ? node.parts : [];
  return value && secondsOf(textOf(tree, value), wordOf(tree, { at: value.to }));
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
