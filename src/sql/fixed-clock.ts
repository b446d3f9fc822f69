// A clock that stands still: calls that ask the engine for the time become the literal of one instant.
import { isSignificant, tokenize, type Token } from './lexer.ts';
import { identifierName } from './literal.ts';

/** What stands in place of the name and its opening bracket; further arguments may follow. */
interface Clock {
  readonly replacement: (instant: Instant) => string;
  readonly takesArguments: boolean;
}

interface Instant {
  /** Whole seconds since 1970. */
  readonly seconds: number;
  /** A Decimal that holds the fraction too. */
  readonly exact: string;
  /** `YYYY-MM-DD` of the day, in UTC, and of the one before. */
  readonly day: string;
  readonly dayBefore: string;
  /** `hh:mm:ss`, in UTC. */
  readonly time: string;
}

const now: Clock = { replacement: ({ seconds }) => `toDateTime(${seconds}`, takesArguments: true };
const today: Clock = { replacement: ({ day }) => `toDate('${day}'`, takesArguments: false };
const utc: Clock = { replacement: ({ seconds }) => `toDateTime(${seconds}, 'UTC'`, takesArguments: false };

/** Names that the engine takes in any case, in small letters. */
const ANY_CASE: ReadonlyMap<string, Clock> = new Map([
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

/** Names that it takes as written; in a block the time is no constant. */
const EXACT_CASE: ReadonlyMap<string, Clock> = new Map([
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

/** Standard SQL calls these without brackets. Others, such as a bare `now`, are as often names of columns. */
const WITHOUT_BRACKETS: ReadonlySet<string> = new Set([
  'current_timestamp',
  'current_date',
  'localtimestamp',
]);

/** What a scale is where a call names none. */
const DEFAULT_SCALE = ', 3';

/**
 * The same query at `now` (milliseconds since 1970, from 1970 to 2105): every such call replaced, the types kept. The
 * names of result columns that are written out of such a call change with it.
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
  /** Names that the text gives itself, to expressions and to tables of WITH, in small letters. */
  readonly aliases: ReadonlySet<string>;
}

interface Found {
  readonly print: (instant: Instant) => string;
  /** Where what it replaces ends. */
  readonly end: number;
}

/** `name (`: what is inside the brackets, and the closing one, stay. */
function callAt({ sql, tokens }: Text, index: number): Found | undefined {
  const [before, name, open, inside] = [-1, 0, 1, 2].map((step) => tokens[index + step]);
  if (name === undefined || open?.kind !== '(' || before?.kind === '.') return undefined;
  const clock = clockOf(sql, name);
  const isEmpty = inside?.kind === ')';
  // The engine refuses arguments where there may be none: so it does, left alone.
  if (clock === undefined || (!isEmpty && !clock.takesArguments)) return undefined;
  const print = (instant: Instant): string => {
    const begin = clock.replacement(instant);
    if (!isEmpty) return `${begin}, `;
    return begin.startsWith('toDateTime64(') ? begin + DEFAULT_SCALE : begin;
  };
  return { print, end: open.end };
}

function clockOf(sql: string, token: Token): Clock | undefined {
  if (token.kind !== 'word' && token.kind !== 'quoted') return undefined;
  const name = identifierName(sql.slice(token.start, token.end));
  return name === undefined ? undefined : (EXACT_CASE.get(name) ?? ANY_CASE.get(name.toLowerCase()));
}

/** A standard name without brackets, where nothing makes it the name of something else. */
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

/** A bare word in capitals; '' for anything else. */
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
