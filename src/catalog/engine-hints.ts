// Hints for errors of the engine in an endpoint's query, beyond what its messages suggest.
import { didYouMean, nearest } from '../core/nearest.ts';
import { zoneNamed } from '../params/zone.ts';
import { quotedNames } from '../sandbox/engine-message.ts';
import type { Cursor } from '../sql/cursor.ts';
import { quoteString } from '../sql/literal.ts';

/** A hint for the message; `at` is the index of the token that it is about, in the query as bound. */
export function engineHint(message: string, query: Cursor, at: number): string | undefined {
  return (
    zoneHint(message) ?? quotesHint(message, query.text(at)) ?? remedyOf(message) ?? suggestionOf(message)
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
    "Write a date as a string: '2024-01-31'",
  ],
  [/LIMIT expression must be constant/i, 'Write a number, or a parameter of type UInt64'],
  [
    /Variant\/Dynamic are not allowed in (?:GROUP|ORDER) BY/i,
    'Name the type of the path, as in meta.path.:String, or convert the value',
  ],
  [
    /different number of columns in (?:UNION|INTERSECT|EXCEPT)/i,
    'Select as many columns here as in the first SELECT',
  ],
  [/doesn't support FINAL/i, 'Remove FINAL: it is for tables such as ReplacingMergeTree'],
  [/doesn't support sampling/i, 'Remove SAMPLE: the table has no SAMPLE BY'],
];

function remedyOf(message: string): string | undefined {
  const found = REMEDIES.find(([pattern]) => pattern.test(message));
  return found && found[1].replaceAll('$1', found[0].exec(message)?.[1] ?? '');
}

/** The names that the engine suggests. */
export function suggestionOf(message: string): string | undefined {
  const names = /maybe you meant:? (?:\[([^\]]+)\]|(\S+?)[?]?\.? )/i
    .exec(message)
    ?.slice(1)
    .find((each) => each !== undefined);
  if (names === undefined) return undefined;
  const guesses = names.split(',').map((name) => name.trim().replace(/^'|'$/g, ''));
  const [written = ''] = quotedNames(message);
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
 * The misspelled keyword of a syntax error at this token. The token before it is considered first: a word after an
 * expression or a table is read as its alias, so that the error is at the next one.
 */
export function misspelledKeyword(query: Cursor, at: number): Misspelling | undefined {
  const before = query.word(at - 1) ?? '';
  if (/^(?:GROUP|ORDER|PARTITION)$/.test(before) && query.word(at) !== 'BY')
    return { index: at - 1, hint: `Write ${before} BY` };
  if (query.word(at) === 'JOIN' || query.word(at + 1) === 'JOIN' || query.word(at + 2) === 'JOIN')
    return undefined;
  for (const index of [at - 1, at]) {
    const word = query.word(index);
    if (word === undefined || KEYWORDS.has(word)) continue;
    const keyword = nearest(word, KEYWORDS);
    if (keyword !== undefined) return { index, hint: `Did you mean ${keyword}?` };
  }
  return undefined;
}

const KEYWORDS: ReadonlySet<string> = new Set(
  [
    'WITH SELECT DISTINCT FROM FINAL SAMPLE PREWHERE WHERE GROUP ORDER HAVING WINDOW QUALIFY LIMIT OFFSET SETTINGS',
    'UNION EXCEPT INTERSECT JOIN INNER LEFT RIGHT FULL CROSS ASOF ARRAY USING BETWEEN LIKE ILIKE AND NOT DESC ASC',
    'NULLS FIRST LAST FILL STEP OVER PARTITION ROWS RANGE PRECEDING FOLLOWING CASE WHEN THEN ELSE END INTERVAL',
    'SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR',
  ].flatMap((line) => line.split(' ')),
);
