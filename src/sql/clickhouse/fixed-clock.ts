// Freezes the clock of a query: calls that return the current time become literals of one instant.
import { nameTokens, tokensOf, type NameToken } from './tree/tokens.ts';
import { spanOf, textOf, wordOf, type TreeTokens } from './tree/visit.ts';

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

/** A text may call the clock only if it has one of these, or a name with escape sequences. */
const MAY_READ_CLOCK = /now|today|yesterday|cur(?:rent_)?date|current_timestamp|localtime|utc_?timestamp|\\/i;

/**
 * The same query at `now` (milliseconds since 1970, from 1970 to 2105): replaces every such call and keeps its type. Names of
 * result columns that derive from such a call change with it.
 * Source: ClickHouse's page on functions for dates and times; `system.functions` for aliases and cases.
 */
export function fixClock(sql: string, now: number): string {
  return readClock(sql)(now);
}

/** Reads where a query calls the clock, and returns its text at a time, as `fixClock` does. */
export function readClock(sql: string): (now: number) => string {
  const calls = MAY_READ_CLOCK.test(sql) ? clockCalls(sql) : [];
  if (calls.length === 0) return () => sql;
  const rest = sql.slice(calls.at(-1)?.end);
  return (now) => {
    const instant = instantOf(now);
    return calls.map(({ before, print }) => before + print(instant)).join('') + rest;
  };
}

/** A call of the clock, with the text between the call before it and this one. */
interface ClockCall {
  readonly before: string;
  readonly print: Print;
  readonly end: number;
}

function clockCalls(sql: string): readonly ClockCall[] {
  const tree = tokensOf(sql);
  const names = nameTokens(tree);
  let aliases: ReadonlySet<string> | undefined;
  const isAlias = (name: string): boolean => (aliases ??= aliasesAmong(tree, names)).has(name);
  const calls: ClockCall[] = [];
  for (const { name, at } of names) {
    const isClock = EXACT_CASE.has(name) || ANY_CASE.has(name.toLowerCase());
    if (!isClock || wordOf(tree, { at: at - 1 }) === '.') continue;
    const isCall = wordOf(tree, { at: at + 1 }) === '(';
    const print = isCall ? callOf(tree, name, at + 2) : bareName(tree, at, isAlias);
    if (print === undefined) continue;
    const { start, end } = spanOf(tree, { from: at, to: at + (isCall ? 2 : 1) });
    calls.push({ before: sql.slice(calls.at(-1)?.end ?? 0, start), print, end });
  }
  return calls;
}

type Print = (instant: Instant) => string;

/** `name (`: the contents of the parentheses, and the closing one, remain. */
function callOf(tree: TreeTokens, name: string, first: number): Print | undefined {
  const clock = EXACT_CASE.get(name) ?? ANY_CASE.get(name.toLowerCase());
  const isEmpty = wordOf(tree, { at: first }) === ')';
  // The engine rejects arguments where none are allowed; the call is left unchanged so that it does.
  if (clock === undefined || (!isEmpty && !clock.takesArguments)) return undefined;
  return (instant) => {
    const begin = clock.replacement(instant);
    if (!isEmpty) return `${begin}, `;
    return begin.startsWith('toDateTime64(') ? begin + DEFAULT_SCALE : begin;
  };
}

/** A standard name without parentheses, unless the context makes it the name of something else. */
function bareName(tree: TreeTokens, at: number, isAlias: (name: string) => boolean): Print | undefined {
  const name = textOf(tree, { from: at, to: at + 1 }).toLowerCase(); // with its quotes, if it has any
  const next = wordOf(tree, { at: at + 1 });
  if (!WITHOUT_PARENTHESES.has(name) || isAlias(name) || next === '.' || next === '->') return undefined;
  const clock = ANY_CASE.get(name);
  return clock && ((instant) => `${clock.replacement(instant)})`);
}

/** Names that the query itself defines, for expressions and WITH tables, in lower case. */
function aliasesAmong(tree: TreeTokens, names: readonly NameToken[]): ReadonlySet<string> {
  const defined = names.filter(({ at }) => {
    const isTable = wordOf(tree, { at: at + 1 }) === 'AS' && wordOf(tree, { at: at + 2 }) === '(';
    return wordOf(tree, { at: at - 1 }) === 'AS' || isTable;
  });
  return new Set(defined.map(({ name }) => name.toLowerCase()));
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
