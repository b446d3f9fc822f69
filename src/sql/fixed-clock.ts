// Freezes the clock of a query: calls that return the current time become literals of one instant.
import { createCursor, type Cursor } from './cursor.ts';

/** What replaces the name and its opening parenthesis; further arguments may follow. */
interface ClockFunction {
  readonly replacement: (instant: Instant) => string;
  readonly takesArguments: boolean;
}

interface Instant {
  /** Whole seconds since 1970. */
  readonly seconds: number;
  /** A Decimal that includes the fraction. */
  readonly exact: string;
  /** `YYYY-MM-DD` in UTC, of the day and of the day before. */
  readonly day: string;
  readonly dayBefore: string;
  /** `hh:mm:ss`, in UTC. */
  readonly time: string;
}

const now: ClockFunction = { replacement: ({ seconds }) => `toDateTime(${seconds}`, takesArguments: true };
const today: ClockFunction = { replacement: ({ day }) => `toDate('${day}'`, takesArguments: false };
const utc: ClockFunction = {
  replacement: ({ seconds }) => `toDateTime(${seconds}, 'UTC'`,
  takesArguments: false,
};

/** Names that the engine accepts in any case, in lower case. */
const ANY_CASE: ReadonlyMap<string, ClockFunction> = new Map([
  ['now', now],
  ['current_timestamp', now],
  ['localtimestamp', now],
  ['now64', { replacement: ({ exact }) => `toDateTime64(${exact}`, takesArguments: true }],
  ['today', today],
  ['current_date', today],
  ['curdate', today],
  ['localtime', { replacement: ({ time }) => `toTime('${time}'`, takesArguments: false }],
  ['utctimestamp', utc],
  ['utc_timestamp', utc],
]);

/** Case-sensitive names; those whose name includes `Block` are not constant. */
const EXACT_CASE: ReadonlyMap<string, ClockFunction> = new Map([
  ['yesterday', { replacement: ({ dayBefore }) => `toDate('${dayBefore}'`, takesArguments: false }],
  [
    'nowInBlock',
    { replacement: ({ seconds }) => `toDateTime(materialize(${seconds})`, takesArguments: true },
  ],
  [
    'nowInBlock64',
    { replacement: ({ exact }) => `toDateTime64(materialize(${exact})`, takesArguments: true },
  ],
]);

/** Callable without parentheses in standard SQL. Others, such as a bare `now`, are as often column names. */
const WITHOUT_PARENTHESES: ReadonlySet<string> = new Set([
  'current_timestamp',
  'current_date',
  'localtimestamp',
]);

/** The scale of a call that specifies none. */
const DEFAULT_SCALE = ', 3';

/**
 * The same query at `now` (milliseconds since 1970, from 1970 to 2105): replaces every such call and keeps its type. Names of
 * result columns that derive from such a call change with it.
 * Source: ClickHouse's page on functions for dates and times; `system.functions` for aliases and cases.
 */
export function fixClock(sql: string, now: number): string {
  const query = createCursor(sql);
  const aliases = aliasesIn(query);
  const instant = instantOf(now);
  let fixed = '';
  let copied = 0;
  for (let index = 0; index < query.length; index++) {
    const found = callAt(query, index) ?? bareNameAt(query, index, aliases);
    if (found === undefined) continue;
    fixed += sql.slice(copied, query.start(index)) + found.print(instant);
    copied = found.end;
  }
  return fixed + sql.slice(copied);
}

interface Found {
  readonly print: (instant: Instant) => string;
  /** End offset of what it replaces. */
  readonly end: number;
}

/** `name (`: the contents of the parentheses, and the closing one, remain. */
function callAt(query: Cursor, index: number): Found | undefined {
  if (query.kind(index + 1) !== '(' || query.kind(index - 1) === '.') return undefined;
  const clock = clockNamed(query.name(index));
  const isEmpty = query.kind(index + 2) === ')';
  // The engine rejects arguments where none are allowed; the call is left unchanged so that it does.
  if (clock === undefined || (!isEmpty && !clock.takesArguments)) return undefined;
  const print = (instant: Instant): string => {
    const begin = clock.replacement(instant);
    if (!isEmpty) return `${begin}, `;
    return begin.startsWith('toDateTime64(') ? begin + DEFAULT_SCALE : begin;
  };
  return { print, end: query.end(index + 1) };
}

function clockNamed(name: string | undefined): ClockFunction | undefined {
  return name === undefined ? undefined : (EXACT_CASE.get(name) ?? ANY_CASE.get(name.toLowerCase()));
}

/** A standard name without parentheses, unless the context makes it the name of something else. */
function bareNameAt(query: Cursor, index: number, aliases: ReadonlySet<string>): Found | undefined {
  const name = query.word(index)?.toLowerCase();
  if (name === undefined || query.kind(index - 1) === '.') return undefined;
  if (!WITHOUT_PARENTHESES.has(name) || aliases.has(name)) return undefined;
  const after = query.kind(index + 1);
  if (after === '.' || after === '->' || after === '(') return undefined;
  const clock = ANY_CASE.get(name);
  return clock && { print: (instant) => `${clock.replacement(instant)})`, end: query.end(index) };
}

/** Names that the query itself defines, for expressions and WITH tables, in lower case. */
function aliasesIn(query: Cursor): ReadonlySet<string> {
  const names = query.tokens.flatMap((_, index) => {
    const isTable = query.word(index + 1) === 'AS' && query.kind(index + 2) === '(';
    return query.word(index - 1) === 'AS' || isTable ? [(query.name(index) ?? '').toLowerCase()] : [];
  });
  return new Set(names);
}

const MS_PER_DAY = 86_400_000;

function instantOf(now: number): Instant {
  const iso = new Date(now).toISOString();
  const seconds = Math.floor(now / 1000);
  const fraction = String(now - seconds * 1000).padStart(3, '0');
  return {
    seconds,
    exact: `toDecimal128('${seconds}.${fraction}', 9)`,
    day: iso.slice(0, 10),
    dayBefore: new Date(now - MS_PER_DAY).toISOString().slice(0, 10),
    time: iso.slice(11, 19),
  };
}
