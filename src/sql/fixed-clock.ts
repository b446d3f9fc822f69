// Freezes the clock of a query: calls that return the current time become literals of one instant.
import { isSignificant, tokenize, type Token } from './lexer.ts';
import { identifierName } from './literal.ts';

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
const WITHOUT_BRACKETS: ReadonlySet<string> = new Set([
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
  const tokens = tokenize(sql).filter(isSignificant);
  const text: Text = { sql, tokens, aliases: aliasesIn(sql, tokens) };
  const instant = instantOf(now);
  let fixed = '';
  let copied = 0;
  for (let index = 0; index < tokens.length; index++) {
    const found = callAt(text, index) ?? wordAt(text, index);
    if (found === undefined) continue;
    fixed += sql.slice(copied, tokens[index]?.start) + found.print(instant);
    copied = found.end;
  }
  return fixed + sql.slice(copied);
}

interface Text {
  readonly sql: string;
  readonly tokens: readonly Token[];
  /** Names that the query itself defines, for expressions and WITH tables, in lower case. */
  readonly aliases: ReadonlySet<string>;
}

interface Found {
  readonly print: (instant: Instant) => string;
  /** End offset of what it replaces. */
  readonly end: number;
}

/** `name (`: the contents of the parentheses, and the closing one, remain. */
function callAt({ sql, tokens }: Text, index: number): Found | undefined {
  const [before, name, open, inside] = [-1, 0, 1, 2].map((step) => tokens[index + step]);
  if (name === undefined || open?.kind !== '(' || before?.kind === '.') return undefined;
  const clock = clockOf(sql, name);
  const isEmpty = inside?.kind === ')';
  // The engine rejects arguments where none are allowed; the call is left unchanged so that it does.
  if (clock === undefined || (!isEmpty && !clock.takesArguments)) return undefined;
  const print = (instant: Instant): string => {
    const begin = clock.replacement(instant);
    if (!isEmpty) return `${begin}, `;
    return begin.startsWith('toDateTime64(') ? begin + DEFAULT_SCALE : begin;
  };
  return { print, end: open.end };
}

function clockOf(sql: string, token: Token): ClockFunction | undefined {
  if (token.kind !== 'word' && token.kind !== 'quoted') return undefined;
  const name = identifierName(sql.slice(token.start, token.end));
  return name === undefined ? undefined : (EXACT_CASE.get(name) ?? ANY_CASE.get(name.toLowerCase()));
}

/** A standard name without parentheses, unless the context makes it the name of something else. */
function wordAt({ sql, tokens, aliases }: Text, index: number): Found | undefined {
  const [before, name, after] = [-1, 0, 1].map((step) => tokens[index + step]);
  if (name?.kind !== 'word' || before?.kind === '.') return undefined;
  const word = wordOf(sql, name).toLowerCase();
  if (!WITHOUT_BRACKETS.has(word) || aliases.has(word)) return undefined;
  if (after?.kind === '.' || after?.kind === '->' || after?.kind === '(') return undefined;
  const clock = ANY_CASE.get(word);
  return clock && { print: (instant) => `${clock.replacement(instant)})`, end: name.end };
}

function aliasesIn(sql: string, tokens: readonly Token[]): ReadonlySet<string> {
  const names = tokens.filter((_, index) => {
    if (wordOf(sql, tokens[index - 1]) === 'AS') return true;
    return wordOf(sql, tokens[index + 1]) === 'AS' && tokens[index + 2]?.kind === '(';
  });
  return new Set(names.map(({ start, end }) => (identifierName(sql.slice(start, end)) ?? '').toLowerCase()));
}

/** A bare word in upper case; '' for anything else. */
function wordOf(sql: string, token: Token | undefined): string {
  return token?.kind === 'word' ? sql.slice(token.start, token.end).toUpperCase() : '';
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
