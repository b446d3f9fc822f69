// Hints for errors of the engine in an endpoint's query, beyond what its messages suggest.
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { zoneNamed } from '../../../service/params/zone.ts';
import { quotedNames } from '../../../guard/sandbox/engine-message.ts';
import { quoteString } from '../../../sql/clickhouse/literal.ts';
import { CLAUSE_WORDS, KEYWORDS, NO_BARE_ALIAS, UNITS } from '../../../sql/clickhouse/tree/keywords.ts';
import { textOf, wordOf, type TreeTokens } from '../../../sql/clickhouse/tree/visit.ts';

/** A hint for the message; `at` is the index of the token that it is about, in the query as bound. */
export function engineHint(message: string, tree: TreeTokens, at: number): string | undefined {
  return (
    zoneHint(message) ??
    quotesHint(message, textOf(tree, { from: at, to: at + 1 })) ??
    remedyOf(message) ??
    suggestionOf(message)
  );
}

/** A message that matches an expression has its hint, in which `$1` is the first group of the expression. */
const REMEDIES: readonly (readonly [message: RegExp, remedy: string])[] = [
  [
    /window function .* is found in (?:WHERE|PREWHERE|HAVING)/is,
    'Write the condition after QUALIFY, or in a query around this one',
  ],
  [
    /aggregate function .* is found in (?:PRE)?WHERE/is,
    'Write the condition after HAVING, which comes after GROUP BY',
  ],
  [
    /illegal type AggregateFunction\((\w+).* of argument for aggregate function/is,
    'The column has states of $1: write $1Merge(…)',
  ],
  [
    /illegal types? .*AggregateFunction\((\w+).* of arguments? (?:of|for) function/is,
    'The column has states of $1: write $1Merge(…) with GROUP BY, or finalizeAggregation(…)',
  ],
  [
    /illegal types of arguments \(`?(?:Date|U?Int).*(?:Date|U?Int\d+)`?\) of function `?(?:equals|notEquals|less|greater)/is,
    "Write a date as a string, '2024-01-31', or declare the parameter as Date",
  ],
  [/array does not start with '\[' character/i, 'To look for a value in an array, write has(column, value)'],
  [/LIMIT expression must be constant/i, 'Write a number, or a parameter of type UInt64'],
  [
    /Variant\/Dynamic are not allowed in (?:GROUP|ORDER) BY/i,
    'Name the type of the path, as in meta.path.:String, or convert the value',
  ],
  [
    /different number of columns in (?:UNION|INTERSECT|EXCEPT)/i,
    'Select as many columns here as in the first SELECT',
  ],
  [
    /column '?(?:[\w`]+\.)*`?(\w+)`?'? is not under aggregate function and not in GROUP BY/i,
    'Add $1 to GROUP BY, or write an aggregate function such as any($1)',
  ],
  [
    /using identifier '.*' cannot be resolved from (left|right) table/i,
    'The $1 table has no such column: write ON a.x = b.y with the columns of both',
  ],
  [/ASOF join requires one inequality/i, 'Add the condition on the time, such as a.time >= b.time, after ON'],
  [/doesn't support FINAL/i, 'Remove FINAL: it is for tables such as ReplacingMergeTree'],
  [/doesn't support sampling/i, 'Remove SAMPLE: the table has no SAMPLE BY'],
];

function remedyOf(message: string): string | undefined {
  const found = REMEDIES.find(([pattern]) => pattern.test(message));
  return found && found[1].replaceAll('$1', found[0].exec(message)?.[1] ?? '');
}

/** Tables that the engine has by itself: few mean them who write another name. */
const OF_ENGINE = /^(?:system|information_schema)\./i;

/** The names that the engine suggests. */
export function suggestionOf(message: string): string | undefined {
  const found = /maybe you meant:? (?:\[([^\]]+)\]|(\S+?)[?]?\.? )/i.exec(message);
  const names = found?.slice(1).find((each) => each !== undefined);
  if (found === null || names === undefined) return undefined;
  const [written = ''] = quotedNames(message.slice(0, found.index)); // names of types are not quoted
  // A name of the SELECT list is no name for its own tables: the engine suggests what is written.
  const guesses = names
    .split(',')
    .map((name) => name.trim().replace(/^'|'$/g, ''))
    .filter((name) => name !== written && (!OF_ENGINE.test(name) || OF_ENGINE.test(written)));
  return didYouMean(nearest(written, guesses) ?? guesses[0]);
}

function zoneHint(message: string): string | undefined {
  const name = /annot load time zone ([\w/+-]+)/.exec(message)?.[1];
  const zone = name === undefined ? undefined : zoneNamed(name);
  return zone !== undefined && 'guess' in zone ? didYouMean(zone.guess) : undefined;
}

/** `"eu"` is the name of a column, as in the SQL standard. */
function quotesHint(message: string, written: string): string | undefined {
  if (!/unknown .*identifier/i.test(message) || !/^".+"$/s.test(written)) return undefined;
  const content = written.slice(1, -1);
  return content.startsWith('@')
    ? `Write ${content.slice(0, 100)}, without quotes`
    : `Strings are written in single quotes: ${quoteString(content.slice(0, 100))}`;
}

/** A misspelled keyword. */
interface Misspelling {
  /** Index of the token. */
  readonly index: number;
  readonly hint: string;
}

/**
 * Returns the misspelled keyword of a syntax error at this token. Without a unit, INTERVAL is read as a name, and the error is anywhere
 * after it. The token before it is considered first: a word after an expression or a table is read as its alias, so that the error is at
 * the next one.
 */
export function misspelledKeyword(tree: TreeTokens, at: number): Misspelling | undefined {
  const wordAt = (index: number): string => wordOf(tree, { at: index });
  const before = wordAt(at - 1);
  const unit = Array.from({ length: at + 2 }, (_, index) => index).find((index) =>
    isInUnitPlace(tree, index),
  );
  if (unit !== undefined)
    return { index: unit, hint: didYouMean(nearest(wordAt(unit), LONG_UNITS)) ?? 'Write a unit such as DAY' };
  const interval = unreadableInterval(wordAt, at);
  if (interval !== undefined) return interval;
  const comma = commaBefore(wordAt, at);
  if (comma !== undefined) return { index: comma, hint: 'Remove the comma' };
  if (/^(?:GROUP|ORDER|PARTITION)$/.test(before) && wordAt(at) !== 'BY')
    return { index: at - 1, hint: `Write ${before} BY` };
  if ([at, at + 1, at + 2].some((index) => wordAt(index) === 'JOIN')) return undefined;
  for (const index of [at - 1, at]) {
    const word = wordAt(index);
    if (!/^\w+$/.test(word) || WORDS.has(word) || UNITS.has(word)) continue;
    const keyword = nearest(word, WORDS);
    if (keyword !== undefined) return { index, hint: `Did you mean ${keyword}?` };
  }
  return undefined;
}

/** The value of an INTERVAL before the token that is no number with a unit: `'3 DAYS DAYS'`, and `3` alone. */
function unreadableInterval(wordAt: (index: number) => string, at: number): Misspelling | undefined {
  const index = Array.from({ length: at }, (_, each) => each + 1).find((each) => {
    if (wordAt(each - 1) !== 'INTERVAL') return false;
    const [value, next] = [wordAt(each), wordAt(each + 1)];
    if (/^'\s*-?\d+\s*'$|^\d+$/.test(value)) return endsList(next) || KEYWORDS.has(next) || next === '';
    return value.startsWith("'") && !isLength(value);
  });
  if (index === undefined) return undefined;
  const [count = '3'] = /-?\d+/.exec(wordAt(index)) ?? [];
  const [word = ''] = /[A-Z]+/.exec(wordAt(index)) ?? [];
  const unit = UNITS.has(word) ? word.replace(/S$/, '') : (nearest(word, LONG_UNITS) ?? 'DAY');
  return { index, hint: `Write a number and a unit: INTERVAL ${count} ${unit}` };
}

/** Numbers, each with a unit, in quotes. */
function isLength(value: string): boolean {
  const parts = value.replaceAll("'", '').trim().split(/\s+/);
  return (
    parts.length % 2 === 0 &&
    parts.every((part, index) => (index % 2 === 0 ? /^-?\d+$/.test(part) : UNITS.has(part)))
  );
}

function endsList(word: string): boolean {
  return /^[,)\]]$/.test(word) || CLAUSE_WORDS.has(word);
}

/** A comma with nothing after it, which is the end of a list: before a bracket, a clause or another comma. */
function commaBefore(wordAt: (index: number) => string, at: number): number | undefined {
  return [at - 1, at - 2].find((index) => wordAt(index) === ',' && endsList(wordAt(index + 1)));
}

/** These are the units in the singular; their abbreviations are near to any other short word. */
const LONG_UNITS: ReadonlySet<string> = new Set(
  [...UNITS].filter((unit) => unit.length > 2 && !unit.endsWith('S')),
);

/** At most this many tokens of the value of an INTERVAL are considered. */
const MAX_INTERVAL = 50;

/** Returns whether a word that is no unit of time follows INTERVAL and a value. */
function isInUnitPlace(tree: TreeTokens, at: number): boolean {
  const word = wordOf(tree, { at });
  if (!/^[A-Z_]\w*$/i.test(word) || UNITS.has(word) || KEYWORDS.has(word)) return false;
  let depth = 0;
  for (let index = at - 1; index >= Math.max(0, at - MAX_INTERVAL); index--) {
    const each = wordOf(tree, { at: index });
    depth += each === ')' ? 1 : each === '(' ? -1 : 0;
    if (depth < 0 || (depth === 0 && (each === ',' || KEYWORDS.has(each) || UNITS.has(each)))) return false;
    if (depth === 0 && each === 'INTERVAL') return index < at - 1;
  }
  return false;
}

const WORDS: ReadonlySet<string> = new Set(
  [...KEYWORDS, ...NO_BARE_ALIAS, 'PARTITION', 'FIRST', 'LAST'].filter(
    (word) => word === 'AND' || word.length > 3,
  ),
);
